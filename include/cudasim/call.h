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
 * sticky one where the thread has died. Where somebody watches launches this is an
 * ordinary launch, waited for, as on a GPU; otherwise it costs about a hundred nanoseconds. */
__attribute__((visibility("default"))) int cudasim_call_kernel(const void *kernel, void **arguments);

/* Is a GPU used (1), or simulated (0)? Decides, as the first CUDA call does, if nobody has:
 * by CUDASIM, and where it is unset by whether the program holds code for a GPU that is
 * there. Where the program wants a GPU that it cannot have the process ends with one line. */
__attribute__((visibility("default"))) int cudasim_on_gpu(void);

/* Handle faults of device code again after the program has installed signal handlers of its
 * own, as test frameworks do; launches see to that by themselves. */
__attribute__((visibility("default"))) void cudasim_claim_signals(void);

#ifdef __cplusplus
}
#endif
#endif
