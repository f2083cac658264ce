/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of 8 bits and fewer, pairs of halves, complex numbers. */
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include <thrust/complex.h>

#include "case.cuh"

template <typename T> __global__ void from_narrow(uint64_t *out)
{
	T v;
	v.__x = (unsigned char)threadIdx.x;
	float f = (float)v;
	__half h = (__half)v;
	out[threadIdx.x] = __float_as_uint(f) | (uint64_t)__half_as_ushort(h) << 32;
}

template <typename T> __global__ void to_narrow(uint32_t *out, const float *in)
{
	float f = in[threadIdx.x];
	out[threadIdx.x] = T(f).__x | T((double)f * 1.01).__x << 8 | T(__float2half(f)).__x << 16 |
			   (uint32_t)T(__float2bfloat16(f)).__x << 24;
}

__global__ void eights(uint64_t *out, const float *in)
{
	int i = threadIdx.x;
	float f = in[i], g = in[(i + 3) % 32];
	uint64_t *o = out + 4 * i;
	__nv_fp8_e4m3 a(f);
	__nv_fp8_e5m2 b(f);
	o[0] = __nv_cvt_float2_to_fp8x2(make_float2(f, g), __NV_NOSAT, __NV_E4M3) |
	       (uint64_t)__nv_cvt_float2_to_fp8x2(make_float2(f, g), __NV_SATFINITE, __NV_E5M2) << 32;
	o[1] = (uint64_t)(uint32_t)(int)a | (uint64_t)(uint32_t)(int)b << 32;
	__nv_fp8x4_e4m3 four(make_float4(f, g, -f, 0.5f));
	float4 back = (float4)four;
	o[2] = four.__x | (uint64_t)__float_as_uint(back.y + back.z) << 32;
	__half2_raw pair = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(i * 259), __NV_E5M2);
	o[3] = pair.x | (uint64_t)pair.y << 16 | (uint64_t)__nv_cvt_halfraw_to_fp8(__half_raw(__float2half(g)), __NV_NOSAT, __NV_E5M2) << 32;
}

static __device__ uint32_t bits(__half2 v)
{
	return *reinterpret_cast<uint32_t *>(&v);
}
static __device__ uint32_t bits(__nv_bfloat162 v)
{
	return *reinterpret_cast<uint32_t *>(&v);
}

/* The functions have one name for both kinds of pairs. */
template <typename P> __global__ void pairs(uint32_t *out, const uint32_t *in, int n)
{
	int i = threadIdx.x;
	P a = *reinterpret_cast<const P *>(&in[i]), b = *reinterpret_cast<const P *>(&in[(i + 1) % n]),
	  c = *reinterpret_cast<const P *>(&in[(i + 5) % n]);
	uint32_t *o = out + 32 * i;
	o[0] = bits(a + b);
	o[1] = bits(a - b);
	o[2] = bits(a * b);
	o[3] = bits(a / b);
	o[4] = bits(-a);
	o[5] = (a == b) | (a != b) << 1 | (a < b) << 2 | (a <= b) << 3 | (a > b) << 4 | (a >= b) << 5;
	o[6] = bits(__hadd2_sat(a, b));
	o[7] = bits(__hmul2_sat(a, b));
	o[8] = bits(__hfma2_sat(a, b, c));
	o[9] = bits(__hfma2_relu(a, b, c));
	o[10] = bits(__habs2(a));
	o[11] = bits(__hmin2(a, b));
	o[12] = bits(__hmax2_nan(a, b));
	o[13] = bits(h2sqrt(a));
	o[14] = bits(h2rcp(a));
	o[15] = bits(h2exp(a));
	o[16] = bits(h2log2(a));
	o[17] = bits(h2floor(a));
	o[18] = bits(h2rint(a));
	o[19] = __heq2_mask(a, b);
	o[20] = __hltu2_mask(a, b);
	o[21] = __hbgt2(a, b) | __hbequ2(a, b) << 1 | __hbne2(a, b) << 2;
	o[22] = bits(__hisnan2(a));
	o[23] = bits(__hcmadd(a, b, c));
	o[24] = bits(__shfl_xor_sync(0xfff, a, 1));
	o[25] = bits(h2rsqrt(a));
	o[26] = bits(h2cos(a));
	o[27] = bits(h2exp10(a));
	o[28] = bits(h2log(a));
	o[29] = bits(h2trunc(a));
	o[30] = bits(++a);
	o[31] = bits(a += b);
}

__global__ void complex_numbers(uint64_t *out)
{
	int i = threadIdx.x;
	uint64_t *o = out + 8 * i;
	cuFloatComplex a = make_cuFloatComplex(1.5f + i, -2.0f), b = make_cuFloatComplex(0.25f, i);
	cuDoubleComplex c = make_cuDoubleComplex(3, 0.5 * i), d = cuComplexFloatToDouble(b);
	cuFloatComplex q = cuCdivf(a, b), r = cuCfmaf(a, b, cuConjf(a));
	cuDoubleComplex s = cuCdiv(cuCmul(c, d), cuCadd(c, d));
	o[0] = __float_as_uint(q.x) | (uint64_t)__float_as_uint(q.y) << 32;
	o[1] = __float_as_uint(r.x) | (uint64_t)__float_as_uint(cuCabsf(r)) << 32;
	o[2] = __double_as_longlong(s.x);
	o[3] = __double_as_longlong(cuCabs(s));
	thrust::complex<float> z(0.5f, 0.25f * i), w = z * z / (z + 1.0f) + conj(z);
	thrust::complex<double> y(1, i), x = y / thrust::complex<double>(2, -1) - y * 3.0;
	o[4] = __float_as_uint(w.real()) | (uint64_t)__float_as_uint(w.imag()) << 32;
	o[5] = __double_as_longlong(x.real());
	o[6] = __double_as_longlong(x.imag());
	o[7] = __double_as_longlong(thrust::norm(y)) ^ (y == thrust::complex<double>(1, 3));
}

int main()
{
	std::vector<float> f;
	for (int i = 0; i < 28; i++)
		f.push_back((i & 1 ? -1.0f : 1.0f) * 0.0013f * (float)(1 << i % 20) * (1 + 0.17f * i));
	f.push_back(0.0f);
	f.push_back(__builtin_inff());
	f.push_back(-480.0f);
	f.push_back(__builtin_nanf(""));
	memory<float> in(f);
	run("e4m3", 256, 1, 256, from_narrow<__nv_fp8_e4m3>);
	run("e5m2", 256, 1, 256, from_narrow<__nv_fp8_e5m2>);
	run("e2m3", 64, 1, 64, from_narrow<__nv_fp6_e2m3>);
	run("e3m2", 64, 1, 64, from_narrow<__nv_fp6_e3m2>);
	run("e2m1", 16, 1, 16, from_narrow<__nv_fp4_e2m1>);
	run("to e4m3", 32, 1, 32, to_narrow<__nv_fp8_e4m3>, (const float *)in.there);
	run("to e5m2", 32, 1, 32, to_narrow<__nv_fp8_e5m2>, (const float *)in.there);
	run("to e2m3", 32, 1, 32, to_narrow<__nv_fp6_e2m3>, (const float *)in.there);
	run("to e3m2", 32, 1, 32, to_narrow<__nv_fp6_e3m2>, (const float *)in.there);
	run("to e2m1", 32, 1, 32, to_narrow<__nv_fp4_e2m1>, (const float *)in.there);
	run("pairs and fours of 8 bits", 128, 1, 32, eights, (const float *)in.there);
	std::vector<uint32_t> w = {0x3c003e00, 0xbe004248, 0x3555c900, 0x7bff0001, 0x80000000, 0x7c00fc00,
				   0x7e013c00, 0x42482e66, 0x3f803f80, 0x4049c0a0, 0x00010400, 0x3bff3c01};
	memory<uint32_t> words(w);
	run("pairs of half", 32 * 12, 1, 12, pairs<__half2>, (const uint32_t *)words.there, 12);
	run("pairs of bfloat16", 32 * 12, 1, 12, pairs<__nv_bfloat162>, (const uint32_t *)words.there, 12);
	run("complex", 8 * 6, 1, 6, complex_numbers);
	return 0;
}
