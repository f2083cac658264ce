/* SPDX-License-Identifier: Apache-2.0 */
/* __clang_cuda_device_functions.h - clang 19's header of this name, without the
 * unsigned minima and maxima with a scope: clang makes the signed operation of
 * their builtins. clang 22's has atomicCAS of 16 bits, too, as cudasim_atomics.h. */
#define __usAtomicCAS __cudasim_ignored_usAtomicCAS
#define __usAtomicCAS_block __cudasim_ignored_usAtomicCAS_block
#define __usAtomicCAS_system __cudasim_ignored_usAtomicCAS_system
#define __uAtomicMax_block __cudasim_ignored_uAtomicMax_block
#define __uAtomicMax_system __cudasim_ignored_uAtomicMax_system
#define __uAtomicMin_block __cudasim_ignored_uAtomicMin_block
#define __uAtomicMin_system __cudasim_ignored_uAtomicMin_system
#define __ullAtomicMax_block __cudasim_ignored_ullAtomicMax_block
#define __ullAtomicMax_system __cudasim_ignored_ullAtomicMax_system
#define __ullAtomicMin_block __cudasim_ignored_ullAtomicMin_block
#define __ullAtomicMin_system __cudasim_ignored_ullAtomicMin_system

#include_next <__clang_cuda_device_functions.h>

#undef __usAtomicCAS
#undef __usAtomicCAS_block
#undef __usAtomicCAS_system
#undef __uAtomicMax_block
#undef __uAtomicMax_system
#undef __uAtomicMin_block
#undef __uAtomicMin_system
#undef __ullAtomicMax_block
#undef __ullAtomicMax_system
#undef __ullAtomicMin_block
#undef __ullAtomicMin_system

#ifndef CUDASIM_COMPAT_DEVICE_FUNCTIONS_H
#define CUDASIM_COMPAT_DEVICE_FUNCTIONS_H

#define CUDASIM_ATOMIC_PTX(__NAME, __TYPE, __PTX, __REGISTER)                                     \
	static __inline__ __attribute__((always_inline)) __attribute__((device))          \
	__TYPE __NAME(__TYPE *__address, __TYPE __value)                                              \
	{                                                                                 \
		__TYPE __old;                                                                 \
		asm volatile("atom." __PTX " %0, [%1], %2;"                                 \
			     : "=" __REGISTER(__old)                                          \
			     : "l"(__address), __REGISTER(__value)                              \
			     : "memory");                                                 \
		return __old;                                                               \
	}

CUDASIM_ATOMIC_PTX(__uAtomicMax_block, unsigned, "cta.max.u32", "r")
CUDASIM_ATOMIC_PTX(__uAtomicMax_system, unsigned, "sys.max.u32", "r")
CUDASIM_ATOMIC_PTX(__uAtomicMin_block, unsigned, "cta.min.u32", "r")
CUDASIM_ATOMIC_PTX(__uAtomicMin_system, unsigned, "sys.min.u32", "r")
CUDASIM_ATOMIC_PTX(__ullAtomicMax_block, unsigned long long, "cta.max.u64", "l")
CUDASIM_ATOMIC_PTX(__ullAtomicMax_system, unsigned long long, "sys.max.u64", "l")
CUDASIM_ATOMIC_PTX(__ullAtomicMin_block, unsigned long long, "cta.min.u64", "l")
CUDASIM_ATOMIC_PTX(__ullAtomicMin_system, unsigned long long, "sys.min.u64", "l")

#undef CUDASIM_ATOMIC_PTX
#endif
