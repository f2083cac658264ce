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

/* From CUDA 13.4 on sm_61_intrinsics.hpp calls these, which nvcc has built in. */
#if CUDART_VERSION >= 13040
#define CUDASIM_DOT(__NAME, __T, __PTX)                                                              \
	extern "C" inline __device__ __T __nv_##__NAME##_impl(__T __a, __T __b, __T __c)             \
	{                                                                                            \
		__T __ret;                                                                           \
		asm(__PTX " %0, %1, %2, %3;" : "=r"(__ret) : "r"(__a), "r"(__b), "r"(__c));          \
		return __ret;                                                                        \
	}
CUDASIM_DOT(idp4a_s_s, int, "dp4a.s32.s32")
CUDASIM_DOT(idp4a_u_u, unsigned, "dp4a.u32.u32")
CUDASIM_DOT(idp2a_lo_s_s, int, "dp2a.lo.s32.s32")
CUDASIM_DOT(idp2a_lo_u_u, unsigned, "dp2a.lo.u32.u32")
CUDASIM_DOT(idp2a_hi_s_s, int, "dp2a.hi.s32.s32")
CUDASIM_DOT(idp2a_hi_u_u, unsigned, "dp2a.hi.u32.u32")
#undef CUDASIM_DOT
#endif

#endif
