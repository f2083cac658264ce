/* SPDX-License-Identifier: Apache-2.0 */
/* check.h - what every sample needs: stop at the first CUDA error, and name the
 * bits of an array in one number. */
#ifndef SAMPLES_CHECK_H
#define SAMPLES_CHECK_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#define CHECK(call)                                                              \
	do {                                                                     \
		cudaError_t error_ = (call);                                     \
		if (error_ != cudaSuccess) {                                     \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__,   \
				#call, cudaGetErrorString(error_));              \
			exit(1);                                                 \
		}                                                                \
	} while (0)

/* FNV-1a over the bytes of n objects: equal arrays give equal numbers, and a
 * single different bit shows. */
template <typename T> static uint64_t bits(const T *values, size_t n)
{
	const unsigned char *byte = reinterpret_cast<const unsigned char *>(values);
	uint64_t hash = 14695981039346656037ull;
	for (size_t i = 0; i < n * sizeof(T); i++)
		hash = (hash ^ byte[i]) * 1099511628211ull;
	return hash;
}

/* Seconds on a clock that only goes forward. */
static inline double now()
{
	timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* The i-th argument as a number, or the default. */
static inline int argument(int argc, char **argv, int i, int otherwise)
{
	return i < argc ? atoi(argv[i]) : otherwise;
}

#endif
