/* SPDX-License-Identifier: Apache-2.0 */
/* cudasim_device_math.h - math functions that clang 19 declares for device code
 * and defines nowhere; libdevice has them. */
#ifndef CUDASIM_COMPAT_DEVICE_MATH_H
#define CUDASIM_COMPAT_DEVICE_MATH_H

static __inline__ __attribute__((always_inline)) __device__ double nan(const char *tag)
{
	return __nv_nan(reinterpret_cast<const signed char *>(tag));
}

static __inline__ __attribute__((always_inline)) __device__ float nanf(const char *tag)
{
	return __nv_nanf(reinterpret_cast<const signed char *>(tag));
}

/* Of compute capability 10.0 on, which there is no device of here. Templates that nobody uses may name
 * them; what uses one is refused as an undefined function. */
#define CUDASIM_PAIRS(MODE)                                            \
	__device__ float2 __fadd2_##MODE(float2 x, float2 y);              \
	__device__ float2 __fmul2_##MODE(float2 x, float2 y);              \
	__device__ float2 __ffma2_##MODE(float2 x, float2 y, float2 z);
CUDASIM_PAIRS(rn)
CUDASIM_PAIRS(rz)
CUDASIM_PAIRS(rd)
CUDASIM_PAIRS(ru)
#undef CUDASIM_PAIRS

/* Counts for a profiler: a GPU's own counter, which no result depends on. */
#define __prof_trigger(counter) asm volatile("pmevent %0;" ::"n"(counter))

#endif
