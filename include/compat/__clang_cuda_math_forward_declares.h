/* SPDX-License-Identifier: Apache-2.0 */
/* clang declares pow(float, int) and pow(double, int) in device code, the rules of
 * C++98. With nvcc, C++11's hold: both are pow(double, double), and the result of
 * the first is a double. So those two declarations get other names here, and in
 * __clang_cuda_cmath.h the definitions get operands that nobody passes; the
 * template for mixed operands, which clang has, too, then takes such calls. */
#define pow(a, b) __cudasim_pow_##a##_##b
#define __cudasim_pow_double_double pow(double, double)
#define __cudasim_pow_float_float pow(float, float)
#define __cudasim_pow_double_int __cudasim_no_pow(double, int)
#define __cudasim_pow_float_int __cudasim_no_pow(float, int)
#include_next <__clang_cuda_math_forward_declares.h>
#undef pow
#undef __cudasim_pow_double_double
#undef __cudasim_pow_float_float
#undef __cudasim_pow_double_int
#undef __cudasim_pow_float_int

/* The first header that clang's wrapper includes is the place for what stands in
 * for another of its headers. */
#include "cudasim_builtin_variables.h"

/* libstdc++ asks for std::log of two constants of type long double in each number that
 * std::generate_canonical() makes. gcc knows the results; clang does not, and computes them
 * each time unless it knows that the calls do nothing else. cudasim_nvcc.h ends this. */
#ifndef __CUDA_ARCH__
extern "C" __attribute__((const)) long double logl(long double) noexcept(true);
#define __builtin_logl logl
#endif

/* From CUDA 13.2 on crt/math_functions.h, which clang's wrapper leaves out, says how C's library declares
 * rsqrt(), and crt/math_functions.hpp defines it so. */
#include <features.h>
#if __GLIBC_PREREQ(2, 42)
#define _NV_RSQRT_SPECIFIER noexcept(true)
#else
#define _NV_RSQRT_SPECIFIER
#endif
