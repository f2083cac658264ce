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

#endif
