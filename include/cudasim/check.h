/* SPDX-License-Identifier: Apache-2.0 */
/* check.h - the number of findings of the checkers, for tests.
 *
 *	kernel<<<1, 64>>>(p);
 *	cudaDeviceSynchronize();
 *	assert(cudasim_check_launch_findings() <= 0);
 *
 * Checkers are active under `cudasim check` and with CUDASIM_CHECK=all. Without them, and
 * on a GPU, every number is CUDASIM_NOT_CHECKED. A finding is counted once for each launch,
 * however many threads show it; warnings and notes are not counted. A program that is not
 * linked with libcudasim (built by nvcc) may use this header too. */
#ifndef CUDASIM_CHECK_H
#define CUDASIM_CHECK_H

#ifdef __cplusplus
extern "C" {
#endif

#define CUDASIM_NOT_CHECKED (-1L)

/* Weak: NULL without libcudasim. */
#pragma GCC visibility push(default)
/* Findings of the process so far. Those of a launch are complete once it has been waited
 * for; for findings "since", subtract. */
long cudasim_check_findings(void) __attribute__((weak));
/* Of the launch that was submitted last. */
long cudasim_check_launch_findings(void) __attribute__((weak));
#pragma GCC visibility pop

/* Whether checkers are active. */
static inline int cudasim_check_running(void)
{
	return cudasim_check_findings && cudasim_check_findings() != CUDASIM_NOT_CHECKED;
}

#ifdef __cplusplus
}
#endif
#endif
