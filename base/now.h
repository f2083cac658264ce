/* SPDX-License-Identifier: Apache-2.0 */
/* now.h - the time by which this library waits and measures. */
#ifndef CUDASIM_BASE_NOW_H
#define CUDASIM_BASE_NOW_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC, in nanoseconds. */
static inline uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The same in seconds. */
static inline double now_seconds(void)
{
	return (double)now_ns() * 1e-9;
}

#endif
