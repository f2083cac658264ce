/* SPDX-License-Identifier: Apache-2.0 */
/* half and bfloat16: conversions, arithmetic, comparison, packed pairs, math. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>

#include "case.cuh"

static __device__ uint16_t word(__half h)
{
	return __half_as_ushort(h);
}
static __device__ uint16_t word(__nv_bfloat16 h)
{
	return __bfloat16_as_ushort(h);
}
static __device__ uint32_t word2(__half2 h)
{
	return word(__low2half(h)) | (uint32_t)word(__high2half(h)) << 16;
}
static __device__ uint32_t word2(__nv_bfloat162 h)
{
	return word(__low2bfloat16(h)) | (uint32_t)word(__high2bfloat16(h)) << 16;
}

__global__ void from_float(uint16_t *out, const float *in)
{
	float f = in[threadIdx.x];
	uint16_t *o = out + 8 * threadIdx.x;
	o[0] = word(__float2half(f));
	o[1] = word(__float2half_rz(f));
	o[2] = word(__float2half_ru(f));
	o[3] = word(__float2half_rd(f));
	o[4] = word(__float2bfloat16(f));
	o[5] = word(__float2bfloat16_rz(f));
	o[6] = word(__double2half((double)f * 1.0001));
	o[7] = word(__float2bfloat16_ru(f));
}

__global__ void to_integer(int *out, const uint16_t *in)
{
	__half h = __ushort_as_half(in[threadIdx.x]);
	int *o = out + 12 * threadIdx.x;
	o[0] = __half2int_rn(h);
	o[1] = __half2int_rz(h);
	o[2] = __half2int_ru(h);
	o[3] = __half2int_rd(h);
	o[4] = __half2uint_rn(h);
	o[5] = __half2short_rn(h);
	o[6] = (int)__half2ll_rn(h);
	o[7] = __float_as_int(__half2float(h));
	o[8] = __bfloat162int_rz(__ushort_as_bfloat16(in[threadIdx.x]));
	o[9] = __float_as_int(__bfloat162float(__ushort_as_bfloat16(in[threadIdx.x])));
	o[10] = word(__int2half_rn(in[threadIdx.x] * 3));
	o[11] = word(__uint2half_rz(in[threadIdx.x] * 5));
}

template <typename H> struct of {
};
template <> struct of<__half> {
	static __device__ __half make(uint16_t w)
	{
		return __ushort_as_half(w);
	}
};
template <> struct of<__nv_bfloat16> {
	static __device__ __nv_bfloat16 make(uint16_t w)
	{
		return __ushort_as_bfloat16(w);
	}
};

template <typename H> __global__ void arithmetic(uint16_t *out, const uint16_t *in, int n)
{
	int i = threadIdx.x;
	H a = of<H>::make(in[i]), b = of<H>::make(in[(i + 1) % n]), c = of<H>::make(in[(i + 3) % n]);
	uint16_t *o = out + 14 * i;
	o[0] = word(__hadd(a, b));
	o[1] = word(__hsub(a, b));
	o[2] = word(__hmul(a, b));
	o[3] = word(__hdiv(a, b));
	o[4] = word(__hfma(a, b, c));
	o[5] = word(__hneg(a));
	o[6] = word(__habs(a));
	o[7] = word(__hmax(a, b));
	o[8] = word(__hmin(a, b));
	o[9] = word(a * b + c);
	o[10] = word(__hmin_nan(a, b));
	o[11] = word(__hfma_relu(a, b, c));
	o[12] = word(__hmul_rn(a, b));
	o[13] = __hlt(a, b) | __hle(a, b) << 1 | __heq(a, b) << 2 | __hne(a, b) << 3 | __hge(a, b) << 4 |
		__hgt(a, b) << 5 | __hisnan(a) << 6 | (__hisinf(a) != 0) << 7 | __hltu(a, b) << 8 |
		__hequ(a, b) << 9;
}

template <typename H> __global__ void functions(uint16_t *out, const uint16_t *in)
{
	H a = of<H>::make(in[threadIdx.x]);
	uint16_t *o = out + 14 * threadIdx.x;
	o[0] = word(hsqrt(a));
	o[1] = word(hrsqrt(a));
	o[2] = word(hrcp(a));
	o[3] = word(hexp(a));
	o[4] = word(hexp2(a));
	o[5] = word(hlog(a));
	o[6] = word(hlog2(a));
	o[7] = word(hsin(a));
	o[8] = word(hcos(a));
	o[9] = word(hfloor(a));
	o[10] = word(hceil(a));
	o[11] = word(hrint(a));
	o[12] = word(htrunc(a));
	o[13] = word(hlog10(a));
}

__global__ void pairs(uint32_t *out, const uint16_t *in, int n)
{
	int i = threadIdx.x;
	__half2 a = __halves2half2(__ushort_as_half(in[i]), __ushort_as_half(in[(i + 1) % n]));
	__half2 b = __halves2half2(__ushort_as_half(in[(i + 2) % n]), __ushort_as_half(in[(i + 5) % n]));
	__nv_bfloat162 p = __halves2bfloat162(__ushort_as_bfloat16(in[i]), __ushort_as_bfloat16(in[(i + 1) % n]));
	__nv_bfloat162 q = __float2bfloat162_rn(1.75f);
	uint32_t *o = out + 14 * i;
	o[0] = word2(__hadd2(a, b));
	o[1] = word2(__hmul2(a, b));
	o[2] = word2(__hfma2(a, b, a));
	o[3] = word2(__h2div(a, b));
	o[4] = word2(__hmax2(a, b));
	o[5] = word2(__lowhigh2highlow(a));
	o[6] = word2(__lows2half2(a, b));
	o[7] = word2(__hlt2(a, b));
	o[8] = __hbeq2(a, a);
	o[9] = word2(__hadd2(p, q));
	o[10] = word2(__hfma2(p, q, q));
	o[11] = word2(__float22half2_rn(make_float2(0.1f * i, -3.3f)));
	o[12] = word2(__float22bfloat162_rn(make_float2(0.1f * i, -3.3f)));
	float2 f = __half22float2(a);
	o[13] = __float_as_uint(f.x + f.y);
}

/* Sums in half lose bits in an order that matters. */
__global__ void dot(float *out, const __half *a, const __half *b, int n)
{
	__half sum = 0.0f;
	__half2 sum2 = __float2half2_rn(0.0f);
	for (int i = 0; i < n; i++)
		sum += a[i] * b[i];
	for (int i = 0; i < n / 2; i++)
		sum2 = __hfma2(((const __half2 *)a)[i], ((const __half2 *)b)[i], sum2);
	out[0] = __half2float(sum);
	out[1] = __low2float(sum2);
	out[2] = __high2float(sum2);
}

__global__ void atomics(uint32_t *out)
{
	__half *h = (__half *)out;
	__half2 *h2 = (__half2 *)(out + 1);
	__nv_bfloat16 *b = (__nv_bfloat16 *)(out + 2);
	atomicAdd(h, __float2half(0.5f));
	atomicAdd(h2, __floats2half2_rn(1.0f, 0.25f));
	atomicAdd(b, __float2bfloat16(1.0f));
	__threadfence();
}

int main()
{
	const float inf = __builtin_inff(), nan = __builtin_nanf("");
	memory<float> floats(std::vector<float>{0.1f, -65519.0f, 65520.0f, 5.9e-8f, 2.9e-8f, 1e30f, -inf, nan, 2049.0f});
	run("from float", 72, 1, 9, from_float, (const float *)floats.there);

	std::vector<uint16_t> w = {0x3c00, 0xbe00, 0x3555, 0x7bff, 0x0001, 0x8000, 0x7c00, 0x7e01, 0x4248, 0x2e66};
	memory<uint16_t> words(w);
	memory<uint16_t> few(std::vector<uint16_t>{0x3c00, 0xbe00, 0x4500, 0x7bff, 0x0001, 0x7e01});
	run("to integer", 72, 1, 6, to_integer, (const uint16_t *)few.there);
	for (int i = 0; i < 10; i++) {
		char name[32];
		std::rotate(w.begin(), w.begin() + 1, w.end());
		memory<uint16_t> turned(w);
		snprintf(name, sizeof name, "half arithmetic %d", i);
		run(name, 14, 1, 1, arithmetic<__half>, (const uint16_t *)turned.there, 10);
		snprintf(name, sizeof name, "bfloat16 arithmetic %d", i);
		run(name, 14, 1, 1, arithmetic<__nv_bfloat16>, (const uint16_t *)turned.there, 10);
		snprintf(name, sizeof name, "half functions %d", i);
		run(name, 14, 1, 1, functions<__half>, (const uint16_t *)turned.there);
		snprintf(name, sizeof name, "bfloat16 functions %d", i);
		run(name, 14, 1, 1, functions<__nv_bfloat16>, (const uint16_t *)turned.there);
		snprintf(name, sizeof name, "pairs %d", i);
		run(name, 14, 1, 1, pairs, (const uint16_t *)turned.there, 10);
	}
	std::vector<__half> a(64), b(64);
	for (int i = 0; i < 64; i++) {
		a[i] = __float2half(0.37f * i);
		b[i] = __float2half(1.0f / (1 + i));
	}
	memory<__half> da(a), db(b);
	run("dot", 3, 1, 1, dot, (const __half *)da.there, (const __half *)db.there, 64);
	run("half atomics", 3, 2, 64, atomics);
	return 0;
}
