/* SPDX-License-Identifier: Apache-2.0 */
/* cudasim_host_math.h - the overloads of min and max that nvcc gives to host
 * code, mixed types among them, with CUDA's result types (CUDA Math API, "min",
 * "max"). clang has them for device code only. */
#ifndef CUDASIM_COMPAT_HOST_MATH_H
#define CUDASIM_COMPAT_HOST_MATH_H

#pragma push_macro("min")
#pragma push_macro("max")
#undef min
#undef max

#define CUDASIM_MIN_MAX(__R, __A, __B)                                                   \
	static inline __host__ __R min(const __A a, const __B b)                         \
	{                                                                          \
		return static_cast<__R>(a) < static_cast<__R>(b) ? static_cast<__R>(a)   \
							     : static_cast<__R>(b);  \
	}                                                                          \
	static inline __host__ __R max(const __A a, const __B b)                         \
	{                                                                          \
		return static_cast<__R>(a) > static_cast<__R>(b) ? static_cast<__R>(a)   \
							     : static_cast<__R>(b);  \
	}

/* Signed with unsigned of one width: unsigned. */
#define CUDASIM_MIN_MAX_INTEGER(__T)                 \
	CUDASIM_MIN_MAX(__T, __T, __T)                   \
	CUDASIM_MIN_MAX(unsigned __T, unsigned __T, unsigned __T) \
	CUDASIM_MIN_MAX(unsigned __T, __T, unsigned __T) \
	CUDASIM_MIN_MAX(unsigned __T, unsigned __T, __T)

CUDASIM_MIN_MAX_INTEGER(int)
CUDASIM_MIN_MAX_INTEGER(long)
CUDASIM_MIN_MAX_INTEGER(long long)

/* As fmin and fmax: a NaN loses. */
#define CUDASIM_MIN_MAX_FLOAT(__R, __A, __B, MIN, MAX)           \
	static inline __host__ __R min(const __A a, const __B b) \
	{                                                  \
		return MIN(static_cast<__R>(a), static_cast<__R>(b)); \
	}                                                  \
	static inline __host__ __R max(const __A a, const __B b) \
	{                                                  \
		return MAX(static_cast<__R>(a), static_cast<__R>(b)); \
	}

CUDASIM_MIN_MAX_FLOAT(float, float, float, __builtin_fminf, __builtin_fmaxf)
CUDASIM_MIN_MAX_FLOAT(double, double, double, __builtin_fmin, __builtin_fmax)
CUDASIM_MIN_MAX_FLOAT(double, float, double, __builtin_fmin, __builtin_fmax)
CUDASIM_MIN_MAX_FLOAT(double, double, float, __builtin_fmin, __builtin_fmax)

#define CUDASIM_MIN_MAX_NAMED(__T, MIN, MAX)                     \
	static inline __host__ __T MIN(const __T a, const __T b)    \
	{                                                     \
		return a < b ? a : b;                         \
	}                                                     \
	static inline __host__ __T MAX(const __T a, const __T b)    \
	{                                                     \
		return a > b ? a : b;                         \
	}

CUDASIM_MIN_MAX_NAMED(unsigned, umin, umax)
CUDASIM_MIN_MAX_NAMED(long long, llmin, llmax)
CUDASIM_MIN_MAX_NAMED(unsigned long long, ullmin, ullmax)

#undef CUDASIM_MIN_MAX
#undef CUDASIM_MIN_MAX_NAMED
#undef CUDASIM_MIN_MAX_INTEGER
#undef CUDASIM_MIN_MAX_FLOAT

#pragma pop_macro("min")
#pragma pop_macro("max")

#endif
