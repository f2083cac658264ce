/* SPDX-License-Identifier: Apache-2.0 */
/* cudasim_atomics.h - atomic functions that are nvcc's own: the __nv_atomic_
 * functions with order and scope (CUDA C++ Programming Guide, "Built-in atomic
 * functions"), atomicCAS on 16 bits, atomicCAS and atomicExch on 128, and atomicAdd on float2
 * and float4. */
#ifndef CUDASIM_COMPAT_ATOMICS_H
#define CUDASIM_COMPAT_ATOMICS_H

enum {
	__NV_ATOMIC_RELAXED,
	__NV_ATOMIC_CONSUME,
	__NV_ATOMIC_ACQUIRE,
	__NV_ATOMIC_RELEASE,
	__NV_ATOMIC_ACQ_REL,
	__NV_ATOMIC_SEQ_CST
};

enum {
	__NV_THREAD_SCOPE_THREAD,
	__NV_THREAD_SCOPE_BLOCK,
	__NV_THREAD_SCOPE_CLUSTER,
	__NV_THREAD_SCOPE_DEVICE,
	__NV_THREAD_SCOPE_SYSTEM
};

#define CUDASIM_ATOMIC static __device__ __inline__ __attribute__((always_inline))

/* Runs EXPRESSION, which uses SCOPE, with clang's constant for the scope. clang
 * knows no clusters; the device is the next wider scope. */
#define CUDASIM_WITH_SCOPE(__scope, __EXPRESSION)            \
	switch (__scope) {                                 \
	case __NV_THREAD_SCOPE_THREAD: {                 \
		enum { __SCOPE = __MEMORY_SCOPE_SINGLE };  \
		__EXPRESSION;                              \
	} break;                                         \
	case __NV_THREAD_SCOPE_BLOCK: {                  \
		enum { __SCOPE = __MEMORY_SCOPE_WRKGRP };  \
		__EXPRESSION;                              \
	} break;                                         \
	case __NV_THREAD_SCOPE_CLUSTER:                  \
	case __NV_THREAD_SCOPE_DEVICE: {                 \
		enum { __SCOPE = __MEMORY_SCOPE_DEVICE };  \
		__EXPRESSION;                              \
	} break;                                         \
	default: {                                       \
		enum { __SCOPE = __MEMORY_SCOPE_SYSTEM };  \
		__EXPRESSION;                              \
	} break;                                         \
	}

template <typename __T>
CUDASIM_ATOMIC __T __nv_atomic_load_n(__T *__ptr, int __order, int __scope = __NV_THREAD_SCOPE_SYSTEM)
{
	__T __value;
	CUDASIM_WITH_SCOPE(__scope, __value = __scoped_atomic_load_n(__ptr, __order, __SCOPE))
	return __value;
}

template <typename __T>
CUDASIM_ATOMIC void __nv_atomic_load(__T *__ptr, __T *__value, int __order,
				     int __scope = __NV_THREAD_SCOPE_SYSTEM)
{
	CUDASIM_WITH_SCOPE(__scope, __scoped_atomic_load(__ptr, __value, __order, __SCOPE))
}

template <typename __T, typename __V>
CUDASIM_ATOMIC void __nv_atomic_store_n(__T *__ptr, __V __value, int __order,
					int __scope = __NV_THREAD_SCOPE_SYSTEM)
{
	CUDASIM_WITH_SCOPE(__scope, __scoped_atomic_store_n(__ptr, __value, __order, __SCOPE))
}

template <typename __T>
CUDASIM_ATOMIC void __nv_atomic_store(__T *__ptr, __T *__value, int __order,
				      int __scope = __NV_THREAD_SCOPE_SYSTEM)
{
	CUDASIM_WITH_SCOPE(__scope, __scoped_atomic_store(__ptr, __value, __order, __SCOPE))
}

template <typename __T, typename __V>
CUDASIM_ATOMIC __T __nv_atomic_exchange_n(__T *__ptr, __V __value, int __order,
					int __scope = __NV_THREAD_SCOPE_SYSTEM)
{
	__T __old;
	CUDASIM_WITH_SCOPE(__scope, __old = __scoped_atomic_exchange_n(__ptr, __value, __order, __SCOPE))
	return __old;
}

template <typename __T>
CUDASIM_ATOMIC void __nv_atomic_exchange(__T *__ptr, __T *__value, __T *__old, int __order,
					 int __scope = __NV_THREAD_SCOPE_SYSTEM)
{
	CUDASIM_WITH_SCOPE(__scope, __scoped_atomic_exchange(__ptr, __value, __old, __order, __SCOPE))
}

template <typename __T, typename __V>
CUDASIM_ATOMIC bool __nv_atomic_compare_exchange_n(__T *__ptr, __T *__expected, __V __desired, bool,
						   int __success, int __failure,
						   int __scope = __NV_THREAD_SCOPE_SYSTEM)
{
	bool __done;
	CUDASIM_WITH_SCOPE(__scope, __done = __scoped_atomic_compare_exchange_n(
		__ptr, __expected, __desired, false, __success, __failure, __SCOPE))
	return __done;
}

template <typename __T>
CUDASIM_ATOMIC bool __nv_atomic_compare_exchange(__T *__ptr, __T *__expected, __T *__desired, bool,
						 int __success, int __failure,
						 int __scope = __NV_THREAD_SCOPE_SYSTEM)
{
	bool __done;
	CUDASIM_WITH_SCOPE(__scope, __done = __scoped_atomic_compare_exchange(
		__ptr, __expected, __desired, false, __success, __failure, __SCOPE))
	return __done;
}

/* fetch_NAME answers the old value, NAME nothing. */
#define CUDASIM_ATOMIC_FETCH(__NAME)                                                         \
	template <typename __T, typename __V>                                                  \
	CUDASIM_ATOMIC __T __nv_atomic_fetch_##__NAME(__T *__ptr, __V __value, int __order,              \
						  int __scope = __NV_THREAD_SCOPE_SYSTEM)    \
	{                                                                                  \
		__T __old;                                                                     \
		CUDASIM_WITH_SCOPE(__scope, __old = __scoped_atomic_fetch_##__NAME(              \
			__ptr, static_cast<__T>(__value), __order, __SCOPE))                         \
		return __old;                                                                \
	}                                                                                  \
	template <typename __T, typename __V>                                                  \
	CUDASIM_ATOMIC void __nv_atomic_##__NAME(__T *__ptr, __V __value, int __order,                 \
					       int __scope = __NV_THREAD_SCOPE_SYSTEM)       \
	{                                                                                  \
		(void)__nv_atomic_fetch_##__NAME(__ptr, __value, __order, __scope);                  \
	}

CUDASIM_ATOMIC_FETCH(add)
CUDASIM_ATOMIC_FETCH(sub)
CUDASIM_ATOMIC_FETCH(and)
CUDASIM_ATOMIC_FETCH(or)
CUDASIM_ATOMIC_FETCH(xor)
CUDASIM_ATOMIC_FETCH(min)
CUDASIM_ATOMIC_FETCH(max)

CUDASIM_ATOMIC void __nv_atomic_thread_fence(int __order, int __scope = __NV_THREAD_SCOPE_SYSTEM)
{
	if (__order == __NV_ATOMIC_RELAXED || __scope == __NV_THREAD_SCOPE_THREAD)
		return;
	if (__scope == __NV_THREAD_SCOPE_BLOCK)
		__nvvm_membar_cta();
	else if (__scope == __NV_THREAD_SCOPE_SYSTEM)
		__nvvm_membar_sys();
	else
		__nvvm_membar_gl();
}

#undef CUDASIM_ATOMIC_FETCH
#undef CUDASIM_WITH_SCOPE

/* What the toolkit's atomicCAS on 16 bits calls: device scope, relaxed. */
extern "C" __device__ __inline__ __attribute__((always_inline))
unsigned short __usAtomicCAS(unsigned short *__address, unsigned short __compare, unsigned short __value)
{
	__scoped_atomic_compare_exchange_n(__address, &__compare, __value, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
	return __compare;
}

/* Each element is added atomically, the vector as a whole is not. */
#define CUDASIM_ATOMIC_VECTOR(__SUFFIX)                                                      \
	CUDASIM_ATOMIC float2 atomicAdd##__SUFFIX(float2 *__address, float2 __value)             \
	{                                                                                  \
		return make_float2(atomicAdd##__SUFFIX(&__address->x, __value.x),                \
				   atomicAdd##__SUFFIX(&__address->y, __value.y));               \
	}                                                                                  \
	CUDASIM_ATOMIC float4 atomicAdd##__SUFFIX(float4 *__address, float4 __value)             \
	{                                                                                  \
		return make_float4(atomicAdd##__SUFFIX(&__address->x, __value.x),                \
				   atomicAdd##__SUFFIX(&__address->y, __value.y),                \
				   atomicAdd##__SUFFIX(&__address->z, __value.z),                \
				   atomicAdd##__SUFFIX(&__address->w, __value.w));               \
	}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
CUDASIM_ATOMIC_VECTOR()
CUDASIM_ATOMIC_VECTOR(_block)
CUDASIM_ATOMIC_VECTOR(_system)
#endif

/* On 128 bits: any type of 16 bytes that are aligned as one and may be copied as such. */
template <bool __fits, typename __T> struct __cudasim_atomic_16 {};
template <typename __T> struct __cudasim_atomic_16<true, __T> { typedef __T __type; };

/* Without constructors. */
template <typename __T> union __cudasim_halves {
	unsigned long long __half[2];
	__T __whole;
	__device__ __cudasim_halves() {}
	__device__ __cudasim_halves(const __T &__value) : __whole(__value) {}
};

#define CUDASIM_ATOMIC_RESULT(__T) \
	typename __cudasim_atomic_16<sizeof(__T) == 16 && alignof(__T) >= 16 && \
				     __is_trivially_copyable(__T), __T>::__type

#define CUDASIM_ATOMIC_16(__SUFFIX, __SCOPE)                                                        \
	template <typename __T>                                                                     \
	CUDASIM_ATOMIC CUDASIM_ATOMIC_RESULT(__T)                                                   \
		atomicCAS##__SUFFIX(__T *__address, __T __compare, __T __value)                                 \
	{                                                                                           \
		__cudasim_halves<__T> __old, __c(__compare), __v(__value);                                        \
		asm volatile("{ .reg .b128 o, c, v; mov.b128 c, {%3, %4}; mov.b128 v, {%5, %6};"        \
			     " atom." __SCOPE ".cas.b128 o, [%2], c, v; mov.b128 {%0, %1}, o; }"          \
			     : "=l"(__old.__half[0]), "=l"(__old.__half[1])                                 \
			     : "l"(__address), "l"(__c.__half[0]), "l"(__c.__half[1]), "l"(__v.__half[0]),      \
			       "l"(__v.__half[1])                                                         \
			     : "memory");                                                               \
		return __old.__whole;                                                                     \
	}                                                                                           \
	template <typename __T>                                                                     \
	CUDASIM_ATOMIC CUDASIM_ATOMIC_RESULT(__T) atomicExch##__SUFFIX(__T *__address, __T __value)       \
	{                                                                                           \
		__cudasim_halves<__T> __old, __v(__value);                                                    \
		asm volatile("{ .reg .b128 o, v; mov.b128 v, {%3, %4};"                                 \
			     " atom." __SCOPE ".exch.b128 o, [%2], v; mov.b128 {%0, %1}, o; }"            \
			     : "=l"(__old.__half[0]), "=l"(__old.__half[1])                                 \
			     : "l"(__address), "l"(__v.__half[0]), "l"(__v.__half[1])                         \
			     : "memory");                                                               \
		return __old.__whole;                                                                     \
	}

#if (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900) && !defined(__NV_DISABLE_128_ATOMICS)
CUDASIM_ATOMIC_16(, "gpu")
CUDASIM_ATOMIC_16(_block, "cta")
CUDASIM_ATOMIC_16(_system, "sys")
#endif

#undef CUDASIM_ATOMIC_16
#undef CUDASIM_ATOMIC_RESULT

#undef CUDASIM_ATOMIC_VECTOR
#undef CUDASIM_ATOMIC

#endif
