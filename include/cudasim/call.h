/* SPDX-License-Identifier: Apache-2.0 */
/* call.h - calling a kernel as a function; is this the simulator? */
#ifndef CUDASIM_CALL_H
#define CUDASIM_CALL_H

#ifdef __cplusplus
extern "C" {
#endif

/* Run a kernel with one block of one thread on the calling pthread, after all that was
 * submitted before, and return when it has ended. kernel: its host function, as for
 * cudaLaunchKernel(); arguments: one pointer for each parameter. Returns a cudaError_t, the
 * sticky one if the thread has died. If an observer receives launches, and on a GPU, this is an
 * ordinary launch with a wait; otherwise it costs about a hundred nanoseconds. */
__attribute__((visibility("default"))) int cudasim_call_kernel(const void *kernel,
							       void **arguments);

/* Is a GPU used (1), or simulated (0)? Selects as the first CUDA call does, if still open:
 * by CUDASIM, or if it is unset by whether the program contains code for a GPU that is
 * present. If CUDASIM selects a GPU that cannot be used, the process ends with one line. */
__attribute__((visibility("default"))) int cudasim_on_gpu(void);

/* Handle faults of device code again after the program has installed its own signal
 * handlers, as test frameworks do; launches do this by themselves. */
__attribute__((visibility("default"))) void cudasim_claim_signals(void);

#ifdef __cplusplus
}
#endif
#endif
