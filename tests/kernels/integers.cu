/* SPDX-License-Identifier: Apache-2.0 */
/* Integer arithmetic, also where C++ leaves the result undefined and the GPU does
 * not: division by zero, the smallest number by -1, shifts past the width,
 * conversions out of range. */
#include <climits>

#include "case.cuh"

template <typename T, typename F> __global__ void pairs(T *out, const T *in, int n, F f)
{
	int i = threadIdx.x, j = blockIdx.x;
	out[j * n + i] = f(in[j], in[i]);
}


#define BINARY(name, expression)                                                 \
	struct name {                                                            \
		template <typename T> __device__ T operator()(T a, T b) const    \
		{                                                                \
			return expression;                                       \
		}                                                                \
	}
BINARY(add, a + b);
BINARY(subtract, a - b);
BINARY(multiply, a *b);
BINARY(divide, a / b);
BINARY(modulo, a % b);
BINARY(shift_left, a << b);
BINARY(shift_right, a >> b);
BINARY(smaller, min(a, b));
BINARY(larger, max(a, b));

template <typename F, typename T>
static void try_pairs(const char *type, const char *name, const std::vector<T> &v)
{
	char text[64];
	snprintf(text, sizeof text, "%s %s", type, name);
	memory<T> in(v);
	run<T>(text, in.n * in.n, in.n, in.n, pairs<T, F>, in.there, in.n, F());
}

template <typename T> static void try_type(const char *type, const std::vector<T> &v)
{
	try_pairs<add>(type, "add", v);
	try_pairs<subtract>(type, "subtract", v);
	try_pairs<multiply>(type, "multiply", v);
	try_pairs<divide>(type, "divide", v);
	try_pairs<modulo>(type, "modulo", v);
	try_pairs<shift_left>(type, "shift left", v);
	try_pairs<shift_right>(type, "shift right", v);
	try_pairs<smaller>(type, "min", v);
	try_pairs<larger>(type, "max", v);
}


__global__ void narrow(int8_t *out, const int8_t *a, const int8_t *b)
{
	int i = threadIdx.x;
	out[6 * i] = a[i] / b[i];
	out[6 * i + 1] = a[i] % b[i];
	out[6 * i + 2] = a[i] << b[i];
	out[6 * i + 3] = a[i] >> b[i];
	out[6 * i + 4] = (uint8_t)a[i] / (uint8_t)b[i];
	out[6 * i + 5] = a[i] * b[i];
}

__global__ void narrow16(int16_t *out, const int16_t *a, const int16_t *b)
{
	int i = threadIdx.x;
	out[5 * i] = a[i] / b[i];
	out[5 * i + 1] = a[i] % b[i];
	out[5 * i + 2] = a[i] << b[i];
	out[5 * i + 3] = a[i] >> b[i];
	out[5 * i + 4] = (uint16_t)a[i] / (uint16_t)b[i];
}

template <typename F> __global__ void from_real(uint64_t *out, const F *in)
{
	int i = threadIdx.x;
	F x = in[i];
	out[8 * i] = (int64_t)(int)x;
	out[8 * i + 1] = (unsigned)x;
	out[8 * i + 2] = (long long)x;
	out[8 * i + 3] = (unsigned long long)x;
	out[8 * i + 4] = (int64_t)(short)x;
	out[8 * i + 5] = (unsigned short)x;
	out[8 * i + 6] = (int64_t)(signed char)x;
	out[8 * i + 7] = (unsigned char)x;
}

__global__ void intrinsics(uint32_t *out, const int *in, int n)
{
	int i = threadIdx.x;
	int a = in[i], b = in[(i + 3) % n], c = in[(i + 5) % n];
	uint32_t *o = out + 32 * i;
	o[0] = __popc(a);
	o[1] = __clz(a);
	o[2] = __ffs(a);
	o[3] = __brev(a);
	o[4] = __mulhi(a, b);
	o[5] = __umulhi(a, b);
	o[6] = __mul24(a, b);
	o[7] = __umul24(a, b);
	o[8] = __sad(a, b, c);
	o[9] = __usad(a, b, c);
	o[10] = __hadd(a, b);
	o[11] = __rhadd(a, b);
	o[12] = __uhadd(a, b);
	o[13] = __urhadd(a, b);
	o[14] = __byte_perm(a, b, c);
	o[15] = __funnelshift_l(a, b, c);
	o[16] = __funnelshift_r(a, b, c);
	o[17] = __funnelshift_lc(a, b, c);
	o[18] = __funnelshift_rc(a, b, c);
	o[19] = abs(a);
	o[20] = __dp4a(a, b, c);
	o[21] = __dp4a((unsigned)a, (unsigned)b, (unsigned)c);
	o[22] = __dp2a_lo(a, b, c);
	o[23] = __dp2a_hi(a, b, c);
	o[24] = __vadd4(a, b);
	o[25] = __vsub2(a, b);
	o[26] = __vabsdiffu4(a, b);
	o[27] = __vmaxs2(a, b);
	o[28] = __vcmpgtu4(a, b);
	o[29] = __fns(a, 0, 3);
	o[30] = __vavgu4(a, b);
	o[31] = __vsadu4(a, b);
}

__global__ void intrinsics64(uint64_t *out, const long long *in, int n)
{
	int i = threadIdx.x;
	long long a = in[i], b = in[(i + 3) % n];
	uint64_t *o = out + 9 * i;
	o[0] = __popcll(a);
	o[1] = __clzll(a);
	o[2] = __ffsll(a);
	o[3] = __brevll(a);
	o[4] = __mul64hi(a, b);
	o[5] = __umul64hi(a, b);
	o[6] = llabs(a);
	o[7] = min(a, b);
	o[8] = max((unsigned long long)a, (unsigned long long)b);
}

/* 128-bit integers, by the compiler's own long division. */
__global__ void wide(uint64_t *out, const long long *in, int n)
{
	int i = threadIdx.x;
	__int128 a = (__int128)in[i] * in[(i + 1) % n] + 77, b = in[(i + 2) % n] | 1;
	__int128 q = a / b, r = a % b;
	unsigned __int128 s = (unsigned __int128)a >> (i + 3);
	out[6 * i] = (uint64_t)q;
	out[6 * i + 1] = (uint64_t)(q >> 64);
	out[6 * i + 2] = (uint64_t)r;
	out[6 * i + 3] = (uint64_t)(r >> 64);
	out[6 * i + 4] = (uint64_t)s;
	out[6 * i + 5] = (uint64_t)(s >> 64);
}

/* Undefined operations on values that the compiler knows. */
__global__ void known(uint32_t *out, int zero)
{
	int smallest = INT_MIN, minus_one = -1, wide = 40;
	out[0] = smallest / (minus_one + zero);
	out[1] = 5 / zero;
	out[2] = wide / zero;
	out[3] = 1 << (wide + zero);
	out[4] = -8 >> (wide + zero);
	out[5] = (uint32_t)(-1.5f + zero);
	out[6] = (int)(3e10f + zero);
	out[7] = 7u / (unsigned)zero;
	out[8] = (unsigned)smallest / (unsigned)zero;
}

/* A loop whose bounds overflow only in a lane that never stores. */
__global__ void guarded(int *out, const int *divisor)
{
	int i = threadIdx.x;
	if (divisor[i] != 0)
		out[i] = 1000 / divisor[i];
	else
		out[i] = -1;
}

int main()
{
	try_type<int>("int", {0, 1, -1, 31, 33, 1000003, INT_MAX, INT_MIN});
	try_type<unsigned>("unsigned", {0, 1, 3, 32, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff});
	try_type<long long>("long long", {0, 1, -1, 63, 65, 1000000000000003, LLONG_MAX, LLONG_MIN});
	try_type<unsigned long long>("unsigned long long",
				     {0, 1, 3, 64, 0x8000000000000000, 0xfffffffffffffffe,
				      0x00000000ffffffff, 0xffffffffffffffff});
	try_type<short>("short", {0, 1, -1, 15, 17, 1234, 32767, -32768});
	try_type<unsigned char>("unsigned char", {0, 1, 2, 7, 9, 127, 128, 255});

	memory<int8_t> a8(std::vector<int8_t>{1, 0, -128, 127, -1, 77, -128, 5, 100, -100});
	memory<int8_t> b8(std::vector<int8_t>{0, 0, -1, 9, 0, 32, 33, -1, 7, 8});
	run("8-bit", 60, 1, 10, narrow, a8.there, b8.there);
	memory<int16_t> a16(std::vector<int16_t>{1, 0, -32768, 32767, -1, 77, -32768, 5, 100, -100});
	memory<int16_t> b16(std::vector<int16_t>{0, 0, -1, 17, 0, 32, 33, -1, 7, 8});
	run("16-bit", 50, 1, 10, narrow16, a16.there, b16.there);

	const float inf = __builtin_inff(), nan = __builtin_nanf("");
	memory<float> reals(std::vector<float>{0.9f, -0.9f, 3e9f, -3e9f, 1e20f, -1e20f, inf, -inf, nan});
	for (int i = 0; i < reals.n; i++) {
		char name[32];
		snprintf(name, sizeof name, "from float %d", i);
		run(name, 8, 1, 1, from_real<float>, (const float *)reals.there + i);
	}
	memory<double> doubles(std::vector<double>{0.9, -0.9, 3e9, -3e9, 1e20, -1e20, inf, -inf, nan,
						   4294967295.5, -2147483648.9, 9.3e18, 1.9e19});
	for (int i = 0; i < doubles.n; i++) {
		char name[32];
		snprintf(name, sizeof name, "from double %d", i);
		run(name, 8, 1, 1, from_real<double>, (const double *)doubles.there + i);
	}

	memory<int> ints(std::vector<int>{0, 1, -1, 0x12345678, INT_MIN, INT_MAX, 0x00ff00ff, -77, 40, 0x0badcafe});
	for (int i = 0; i < ints.n; i++) {
		/* One case for each first operand. */
		std::vector<int> turned = ints.fetch();
		std::vector<int> first(turned.begin() + i, turned.end());
		first.insert(first.end(), turned.begin(), turned.begin() + i);
		memory<int> in(first);
		char name[32];
		snprintf(name, sizeof name, "intrinsics %d", i);
		run(name, 32, 1, 1, intrinsics, (const int *)in.there, in.n);
	}
	memory<long long> longs(std::vector<long long>{0, 1, -1, 0x123456789abcdef0, LLONG_MIN, LLONG_MAX, 77});
	run("intrinsics 64", 63, 1, 7, intrinsics64, (const long long *)longs.there, 7);
	run("128-bit", 42, 1, 7, wide, (const long long *)longs.there, 7);
	run("undefined on constants", 9, 1, 1, known, 0);
	memory<int> divisors(std::vector<int>{0, 1, 2, 0, 5, 0, -7, 1000, 0, 3});
	run("guarded division", 10, 1, 10, guarded, (const int *)divisors.there);
	return 0;
}
