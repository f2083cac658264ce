/* SPDX-License-Identifier: Apache-2.0 */
/* cudasim_builtin_variables.h - threadIdx and its kin, in the place of clang 19's
 * header, whose variables cannot be copied (nvcc's are a uint3 and a dim3:
 * `auto t = threadIdx;`) and whose warpSize is defined, so that a program's own
 * `constexpr int warpSize = 32;`, which nvcc takes for another declaration of
 * the same variable, is an error. The names of the types are clang's, whose other
 * headers use them. */
#ifndef CUDASIM_COMPAT_BUILTIN_VARIABLES_H
#define CUDASIM_COMPAT_BUILTIN_VARIABLES_H

/* clang's header stays out. */
#define __CUDA_BUILTIN_VARS_H

struct uint3;
struct dim3;

/* Reading a part reads the special register. */
#define CUDASIM_PART(PART, REGISTER)                                                        \
	__declspec(property(get = __cudasim_get_##PART)) unsigned PART;                     \
	static inline __attribute__((always_inline)) __attribute__((device))                \
	unsigned __cudasim_get_##PART()                                                     \
	{                                                                                   \
		return __nvvm_read_ptx_sreg_##REGISTER();                                   \
	}

/* Copies read the registers, too: a thread's never change. */
#define CUDASIM_VARIABLE(NAME, REGISTER)                                                    \
	struct __cuda_builtin_##NAME##_t {                                                  \
		CUDASIM_PART(x, REGISTER##_x)                                               \
		CUDASIM_PART(y, REGISTER##_y)                                               \
		CUDASIM_PART(z, REGISTER##_z)                                               \
		__attribute__((device)) operator dim3() const;                              \
		__attribute__((device)) operator uint3() const;                             \
	};                                                                                  \
	extern const __attribute__((device)) __attribute__((weak)) __cuda_builtin_##NAME##_t NAME;

CUDASIM_VARIABLE(threadIdx, tid)
CUDASIM_VARIABLE(blockIdx, ctaid)
CUDASIM_VARIABLE(blockDim, ntid)
CUDASIM_VARIABLE(gridDim, nctaid)

#undef CUDASIM_VARIABLE
#undef CUDASIM_PART

/* The device compiler knows its value. */
extern const __attribute__((device)) int warpSize;

#endif
