/* SPDX-License-Identifier: Apache-2.0 */
/* call.h - calling a kernel as a function, in the simulator. */
#ifndef CUDASIM_CALL_H
#define CUDASIM_CALL_H

#ifdef __cplusplus
extern "C" {
#endif

/* Run a kernel with one block of one thread on the calling pthread, after all that was
 * submitted before, and return when it has ended. kernel: its host function, as for
 * cudaLaunchKernel(); arguments: one pointer for each parameter. Returns a cudaError_t, the
 * sticky one where the thread has died. Where somebody watches launches this is an
 * ordinary launch, waited for; otherwise it costs about a hundred nanoseconds. */
__attribute__((visibility("default"))) int cudasim_call_kernel(const void *kernel, void **arguments);

/* Handle faults of device code again after the program has installed signal handlers of its
 * own, as test frameworks do; launches see to that by themselves. */
__attribute__((visibility("default"))) void cudasim_claim_signals(void);

#ifdef __cplusplus
}
#endif
#endif
