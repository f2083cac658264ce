// SPDX-License-Identifier: Apache-2.0
// library.cu - the functions of functions.def as device code compiles them, in one table. It
// becomes a part of the debugger, which registers no module of its own for it. Halves are
// passed as their bits, for classes have a convention of their own.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef long long llong;
typedef unsigned long long ullong;
typedef unsigned short ushort;

template<typename T> struct carrier {
	typedef T type;
	static __device__ T in(T x) { return x; }
	static __device__ T out(T x) { return x; }
};
template<typename T> struct carried_bits {
	typedef unsigned short type;
	static __device__ T in(type bits) { return __builtin_bit_cast(T, bits); }
	static __device__ type out(T x) { return __builtin_bit_cast(type, x); }
};
template<> struct carrier<__half> : carried_bits<__half> {};
template<> struct carrier<__nv_bfloat16> : carried_bits<__nv_bfloat16> {};

#define IN(t, x) carrier<t>::in(x)

template<typename R> struct result {
	typedef typename carrier<R>::type type;
	template<typename F> static __device__ type of(F f) { return carrier<R>::out(f()); }
};
template<> struct result<void> {
	typedef void type;
	template<typename F> static __device__ void of(F f) { f(); }
};

#define ONE(r, name, a) \
	static __device__ result<r>::type of_##name(carrier<a>::type x) \
	{ return result<r>::of([=] { return name(IN(a, x)); }); }
#define TWO(r, name, a, b) \
	static __device__ result<r>::type of_##name(carrier<a>::type x, carrier<b>::type y) \
	{ return result<r>::of([=] { return name(IN(a, x), IN(b, y)); }); }
#define THREE(r, name, a, b, c) \
	static __device__ result<r>::type of_##name(carrier<a>::type x, carrier<b>::type y, \
						    carrier<c>::type z) \
	{ return result<r>::of([=] { return name(IN(a, x), IN(b, y), IN(c, z)); }); }
#define FOUR(r, name, a, b, c, d) \
	static __device__ result<r>::type of_##name(carrier<a>::type x, carrier<b>::type y, \
						    carrier<c>::type z, carrier<d>::type w) \
	{ return result<r>::of([=] { return name(IN(a, x), IN(b, y), IN(c, z), IN(d, w)); }); }
#include "functions.def"
#undef ONE
#undef TWO
#undef THREE
#undef FOUR

#define ONE(r, name, a) (const void *)of_##name,
#define TWO(r, name, a, b) (const void *)of_##name,
#define THREE(r, name, a, b, c) (const void *)of_##name,
#define FOUR(r, name, a, b, c, d) (const void *)of_##name,
extern "C" {
__device__ const void *debugger_library[] = {
#include "functions.def"
};
}
