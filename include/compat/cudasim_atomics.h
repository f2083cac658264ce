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
#define CUDASIM_WITH_SCOPE(scope, EXPRESSION)            \
	switch (scope) {                                 \
	case __NV_THREAD_SCOPE_THREAD: {                 \
		enum { SCOPE = __MEMORY_SCOPE_SINGLE };  \
		EXPRESSION;                              \
	} break;                                         \
	case __NV_THREAD_SCOPE_BLOCK: {                  \
		enum { SCOPE = __MEMORY_SCOPE_WRKGRP };  \
		EXPRESSION;                              \
	} break;                                         \
	case __NV_THREAD_SCOPE_CLUSTER:                  \
	case __NV_THREAD_SCOPE_DEVICE: {                 \
		enum { SCOPE = __MEMORY_SCOPE_DEVICE };  \
		EXPRESSION;                              \
	} break;                                         \
	default: {                                       \
		enum { SCOPE = __MEMORY_SCOPE_SYSTEM };  \
		EXPRESSION;                              \
	} break;                                         \
	}

template <typename __T>
CUDASIM_ATOMIC __T __nv_atomic_load_n(__T *ptr, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
	__T value;
	CUDASIM_WITH_SCOPE(scope, value = __scoped_atomic_load_n(ptr, order, SCOPE))
	return value;
}

template <typename __T>
CUDASIM_ATOMIC void __nv_atomic_load(__T *ptr, __T *value, int order,
				     int scope = __NV_THREAD_SCOPE_SYSTEM)
{
	CUDASIM_WITH_SCOPE(scope, __scoped_atomic_load(ptr, value, order, SCOPE))
}

template <typename __T, typename __V>
CUDASIM_ATOMIC void __nv_atomic_store_n(__T *ptr, __V value, int order,
					int scope = __NV_THREAD_SCOPE_SYSTEM)
{
	CUDASIM_WITH_SCOPE(scope, __scoped_atomic_store_n(ptr, value, order, SCOPE))
}

template <typename __T>
CUDASIM_ATOMIC void __nv_atomic_store(__T *ptr, __T *value, int order,
				      int scope = __NV_THREAD_SCOPE_SYSTEM)
{
	CUDASIM_WITH_SCOPE(scope, __scoped_atomic_store(ptr, value, order, SCOPE))
}

template <typename __T, typename __V>
CUDASIM_ATOMIC __T __nv_atomic_exchange_n(__T *ptr, __V value, int order,
					int scope = __NV_THREAD_SCOPE_SYSTEM)
{
	__T old;
	CUDASIM_WITH_SCOPE(scope, old = __scoped_atomic_exchange_n(ptr, value, order, SCOPE))
	return old;
}

template <typename __T>
CUDASIM_ATOMIC void __nv_atomic_exchange(__T *ptr, __T *value, __T *old, int order,
					 int scope = __NV_THREAD_SCOPE_SYSTEM)
{
	CUDASIM_WITH_SCOPE(scope, __scoped_atomic_exchange(ptr, value, old, order, SCOPE))
}

template <typename __T, typename __V>
CUDASIM_ATOMIC bool __nv_atomic_compare_exchange_n(__T *ptr, __T *expected, __V desired, bool,
						   int success, int failure,
						   int scope = __NV_THREAD_SCOPE_SYSTEM)
{
	bool done;
	CUDASIM_WITH_SCOPE(scope, done = __scoped_atomic_compare_exchange_n(
		ptr, expected, desired, false, success, failure, SCOPE))
	return done;
}

template <typename __T>
CUDASIM_ATOMIC bool __nv_atomic_compare_exchange(__T *ptr, __T *expected, __T *desired, bool,
						 int success, int failure,
						 int scope = __NV_THREAD_SCOPE_SYSTEM)
{
	bool done;
	CUDASIM_WITH_SCOPE(scope, done = __scoped_atomic_compare_exchange(
		ptr, expected, desired, false, success, failure, SCOPE))
	return done;
}

/* fetch_NAME answers the old value, NAME nothing. */
#define CUDASIM_ATOMIC_FETCH(NAME)                                                         \
	template <typename __T, typename __V>                                                  \
	CUDASIM_ATOMIC __T __nv_atomic_fetch_##NAME(__T *ptr, __V value, int order,              \
						  int scope = __NV_THREAD_SCOPE_SYSTEM)    \
	{                                                                                  \
		__T old;                                                                     \
		CUDASIM_WITH_SCOPE(scope, old = __scoped_atomic_fetch_##NAME(              \
			ptr, static_cast<__T>(value), order, SCOPE))                         \
		return old;                                                                \
	}                                                                                  \
	template <typename __T, typename __V>                                                  \
	CUDASIM_ATOMIC void __nv_atomic_##NAME(__T *ptr, __V value, int order,                 \
					       int scope = __NV_THREAD_SCOPE_SYSTEM)       \
	{                                                                                  \
		(void)__nv_atomic_fetch_##NAME(ptr, value, order, scope);                  \
	}

CUDASIM_ATOMIC_FETCH(add)
CUDASIM_ATOMIC_FETCH(sub)
CUDASIM_ATOMIC_FETCH(and)
CUDASIM_ATOMIC_FETCH(or)
CUDASIM_ATOMIC_FETCH(xor)
CUDASIM_ATOMIC_FETCH(min)
CUDASIM_ATOMIC_FETCH(max)

CUDASIM_ATOMIC void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
	if (order == __NV_ATOMIC_RELAXED || scope == __NV_THREAD_SCOPE_THREAD)
		return;
	if (scope == __NV_THREAD_SCOPE_BLOCK)
		__nvvm_membar_cta();
	else if (scope == __NV_THREAD_SCOPE_SYSTEM)
		__nvvm_membar_sys();
	else
		__nvvm_membar_gl();
}

#undef CUDASIM_ATOMIC_FETCH
#undef CUDASIM_WITH_SCOPE

/* What the toolkit's atomicCAS on 16 bits calls: device scope, relaxed. */
extern "C" __device__ __inline__ __attribute__((always_inline))
unsigned short __usAtomicCAS(unsigned short *address, unsigned short compare, unsigned short value)
{
	__scoped_atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
	return compare;
}

/* Each element is added atomically, the vector as a whole is not. */
#define CUDASIM_ATOMIC_VECTOR(SUFFIX)                                                      \
	CUDASIM_ATOMIC float2 atomicAdd##SUFFIX(float2 *address, float2 value)             \
	{                                                                                  \
		return make_float2(atomicAdd##SUFFIX(&address->x, value.x),                \
				   atomicAdd##SUFFIX(&address->y, value.y));               \
	}                                                                                  \
	CUDASIM_ATOMIC float4 atomicAdd##SUFFIX(float4 *address, float4 value)             \
	{                                                                                  \
		return make_float4(atomicAdd##SUFFIX(&address->x, value.x),                \
				   atomicAdd##SUFFIX(&address->y, value.y),                \
				   atomicAdd##SUFFIX(&address->z, value.z),                \
				   atomicAdd##SUFFIX(&address->w, value.w));               \
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
	__device__ __cudasim_halves(const __T &value) : __whole(value) {}
};

#define CUDASIM_ATOMIC_RESULT(T) \
	typename __cudasim_atomic_16<sizeof(T) == 16 && alignof(T) >= 16 && \
				     __is_trivially_copyable(T), T>::__type

#define CUDASIM_ATOMIC_16(SUFFIX, SCOPE)                                                        \
	template <typename __T>                                                                     \
	CUDASIM_ATOMIC CUDASIM_ATOMIC_RESULT(__T)                                                   \
		atomicCAS##SUFFIX(__T *address, __T compare, __T value)                                 \
	{                                                                                           \
		__cudasim_halves<__T> old, c(compare), v(value);                                        \
		asm volatile("{ .reg .b128 o, c, v; mov.b128 c, {%3, %4}; mov.b128 v, {%5, %6};"        \
			     " atom." SCOPE ".cas.b128 o, [%2], c, v; mov.b128 {%0, %1}, o; }"          \
			     : "=l"(old.__half[0]), "=l"(old.__half[1])                                 \
			     : "l"(address), "l"(c.__half[0]), "l"(c.__half[1]), "l"(v.__half[0]),      \
			       "l"(v.__half[1])                                                         \
			     : "memory");                                                               \
		return old.__whole;                                                                     \
	}                                                                                           \
	template <typename __T>                                                                     \
	CUDASIM_ATOMIC CUDASIM_ATOMIC_RESULT(__T) atomicExch##SUFFIX(__T *address, __T value)       \
	{                                                                                           \
		__cudasim_halves<__T> old, v(value);                                                    \
		asm volatile("{ .reg .b128 o, v; mov.b128 v, {%3, %4};"                                 \
			     " atom." SCOPE ".exch.b128 o, [%2], v; mov.b128 {%0, %1}, o; }"            \
			     : "=l"(old.__half[0]), "=l"(old.__half[1])                                 \
			     : "l"(address), "l"(v.__half[0]), "l"(v.__half[1])                         \
			     : "memory");                                                               \
		return old.__whole;                                                                     \
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
