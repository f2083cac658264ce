/* SPDX-License-Identifier: Apache-2.0 */
/* cudasim_warp.h - warp functions of nvcc's that clang 19 does not declare. */
#ifndef CUDASIM_COMPAT_WARP_H
#define CUDASIM_COMPAT_WARP_H

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

#define CUDASIM_REDUCE(TYPE, NAME, BUILTIN)                                           \
	static __device__ __inline__ TYPE __reduce_##NAME##_sync(unsigned mask, TYPE value) \
	{                                                                             \
		return static_cast<TYPE>(BUILTIN(static_cast<int>(value),             \
						 static_cast<int>(mask)));            \
	}

CUDASIM_REDUCE(unsigned, add, __nvvm_redux_sync_add)
CUDASIM_REDUCE(unsigned, min, __nvvm_redux_sync_umin)
CUDASIM_REDUCE(unsigned, max, __nvvm_redux_sync_umax)
CUDASIM_REDUCE(unsigned, and, __nvvm_redux_sync_and)
CUDASIM_REDUCE(unsigned, or, __nvvm_redux_sync_or)
CUDASIM_REDUCE(unsigned, xor, __nvvm_redux_sync_xor)
CUDASIM_REDUCE(int, add, __nvvm_redux_sync_add)
CUDASIM_REDUCE(int, min, __nvvm_redux_sync_min)
CUDASIM_REDUCE(int, max, __nvvm_redux_sync_max)

#undef CUDASIM_REDUCE
#endif

#endif
