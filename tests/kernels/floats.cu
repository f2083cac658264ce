/* SPDX-License-Identifier: Apache-2.0 */
/* Float and double arithmetic: rounding, denormals, NaN, contraction into fused
 * multiply-add, conversions with a rounding mode. */
#include <cfloat>

#include "case.cuh"

template <typename T> __global__ void arithmetic(T *out, const T *in, int n)
{
	int i = threadIdx.x, j = blockIdx.x;
	T a = in[j], b = in[i];
	T *o = out + 9 * i;
	o[0] = a + b;
	o[1] = a - b;
	o[2] = a * b;
	o[3] = a / b;
	o[4] = fmin(a, b);
	o[5] = fmax(a, b);
	o[6] = fmod(a, b);
	o[7] = copysign(a, b);
	o[8] = a < b ? a : b;
}

template <typename T> __global__ void compare(uint32_t *out, const T *in, int n)
{
	int i = threadIdx.x, j = blockIdx.x;
	T a = in[j], b = in[i];
	out[j * n + i] = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a >= b) << 4 |
			 (a > b) << 5 | isnan(a) << 6 | (isinf(b) != 0) << 7 | (signbit(a) != 0) << 8 |
			 (a != a || b != b) << 9 | (isfinite(a) != 0) << 10;
}

__global__ void round_float(uint32_t *out, const float *in, int n)
{
	int i = threadIdx.x;
	float a = in[i], b = in[(i + 1) % n], c = in[(i + 4) % n];
	float *o = (float *)out + 24 * i;
	o[0] = __fadd_rn(a, b);
	o[1] = __fadd_rz(a, b);
	o[2] = __fadd_ru(a, b);
	o[3] = __fadd_rd(a, b);
	o[4] = __fmul_rn(a, b);
	o[5] = __fmul_rz(a, b);
	o[6] = __fmul_ru(a, b);
	o[7] = __fmul_rd(a, b);
	o[8] = __fmaf_rn(a, b, c);
	o[9] = __fmaf_rz(a, b, c);
	o[10] = __fmaf_ru(a, b, c);
	o[11] = __fmaf_rd(a, b, c);
	o[12] = __fdiv_rn(a, b);
	o[13] = __fdiv_rz(a, b);
	o[14] = __fdiv_ru(a, b);
	o[15] = __fdiv_rd(a, b);
	o[16] = __fsqrt_rn(a);
	o[17] = __fsqrt_rz(a);
	o[18] = __fsqrt_ru(a);
	o[19] = __fsqrt_rd(a);
	o[20] = __frcp_rn(a);
	o[21] = __frcp_rz(a);
	o[22] = __frcp_ru(a);
	o[23] = __frcp_rd(a);
}

__global__ void round_double(uint64_t *out, const double *in, int n)
{
	int i = threadIdx.x;
	double a = in[i], b = in[(i + 1) % n], c = in[(i + 4) % n];
	double *o = (double *)out + 20 * i;
	o[0] = __dadd_rn(a, b);
	o[1] = __dadd_rz(a, b);
	o[2] = __dadd_ru(a, b);
	o[3] = __dadd_rd(a, b);
	o[4] = __dmul_rn(a, b);
	o[5] = __dmul_rz(a, b);
	o[6] = __dmul_ru(a, b);
	o[7] = __dmul_rd(a, b);
	o[8] = __fma_rn(a, b, c);
	o[9] = __fma_rz(a, b, c);
	o[10] = __fma_ru(a, b, c);
	o[11] = __fma_rd(a, b, c);
	o[12] = __ddiv_rn(a, b);
	o[13] = __ddiv_rz(a, b);
	o[14] = __ddiv_ru(a, b);
	o[15] = __ddiv_rd(a, b);
	o[16] = __dsqrt_rn(a);
	o[17] = __dsqrt_rz(a);
	o[18] = __drcp_ru(a);
	o[19] = __drcp_rd(a);
}

__global__ void convert(uint64_t *out, const double *in)
{
	double d = in[threadIdx.x];
	float f = (float)d;
	uint64_t *o = out + 28 * threadIdx.x;
	o[0] = __double_as_longlong(f);
	o[1] = __float_as_uint(__double2float_rz(d));
	o[2] = __float_as_uint(__double2float_ru(d));
	o[3] = __float_as_uint(__double2float_rd(d));
	o[4] = (uint32_t)__double2int_rn(d);
	o[5] = (uint32_t)__double2int_ru(d);
	o[6] = __double2uint_rd(d);
	o[7] = __double2ll_rn(d);
	o[8] = __double2ull_rz(d);
	o[9] = (uint32_t)__float2int_rn(f);
	o[10] = (uint32_t)__float2int_ru(f);
	o[11] = (uint32_t)__float2int_rd(f);
	o[12] = __float2uint_rn(f);
	o[13] = __float2ll_rd(f);
	o[14] = __float2ull_ru(f);
	int i = (int)(long long)d;
	long long l = (long long)(d * 3);
	o[15] = __float_as_uint(__int2float_rn(i));
	o[16] = __float_as_uint(__int2float_rz(i));
	o[17] = __float_as_uint(__int2float_ru(i));
	o[18] = __float_as_uint(__uint2float_rd(i));
	o[19] = __float_as_uint(__ll2float_rz(l));
	o[20] = __float_as_uint(__ull2float_ru(l));
	o[21] = __double_as_longlong(__ll2double_rd(l));
	o[22] = __double_as_longlong(__ull2double_rz(l));
	o[23] = __double_as_longlong(__int2double_rn(i));
	o[24] = __double2hiint(d);
	o[25] = (uint32_t)__double2loint(d);
	o[26] = (uint64_t)lrint(d);
	o[27] = (uint64_t)llround(d);
}

/* Which products are fused. Each result differs when the other choice is made. */
__global__ void contract(float *out, float a, float b, float c, float d)
{
	out[0] = a * b + c;
	out[1] = a * b - c;
	out[2] = c - a * b;
	out[3] = a * b + c * d;
	out[4] = a * b - c * d;
	float product = a * b;
	out[5] = product + c;
	out[6] = __fmul_rn(a, b) + c;
	out[7] = __fadd_rn(a * b, c);
	out[8] = -(a * b) - c;
	out[9] = (a + b) * (c - d);
	out[10] = a * b + c * d + a * d;
	float sum = 0;
	for (int i = 0; i < 4; i++)
		sum += a * b;
	out[11] = sum;
	out[12] = fmaf(a, b, c);
	out[13] = a * a - b * b;
}

__global__ void contract_double(double *out, double a, double b, double c, double d)
{
	out[0] = a * b + c;
	out[1] = a * b - c;
	out[2] = c - a * b;
	out[3] = a * b + c * d;
	out[4] = a * b - c * d;
	out[5] = __dmul_rn(a, b) + c;
	out[6] = a * b + c * d + a * d;
	out[7] = a * a - b * b;
}

/* Denormals are kept by default; the fast units flush them. */
__global__ void denormal(float *out, float tiny, float half)
{
	out[0] = tiny * half;
	out[1] = tiny + tiny;
	out[2] = tiny * half - tiny * half;
	out[3] = __fdividef(tiny, 2.0f);
	out[4] = sqrtf(tiny * half);
	out[5] = 1.0f / (tiny * half);
	out[6] = tiny * half == 0.0f;
	out[7] = fmaf(tiny, half, tiny);
}

/* The bits of a NaN that an operation makes or passes on. */
__global__ void not_a_number(uint32_t *out, const uint32_t *in)
{
	float a = __uint_as_float(in[0]), b = __uint_as_float(in[1]), zero = __uint_as_float(in[2]);
	out[0] = __float_as_uint(a + 1.0f);
	out[1] = __float_as_uint(a * b);
	out[2] = __float_as_uint(zero / zero);
	out[3] = __float_as_uint(-a);
	out[4] = __float_as_uint(fabsf(b));
	out[5] = __float_as_uint(fminf(a, 1.0f));
	out[6] = __float_as_uint(fminf(a, b));
	out[7] = __float_as_uint(sqrtf(-1.0f + zero));
	out[8] = __float_as_uint((float)(double)a);
	out[9] = __float_as_uint(fmaf(a, b, zero));
	double d = a;
	out[10] = __double2hiint(d);
	out[11] = __double2hiint(d + 1.0);
	out[12] = __double2hiint(fmin(d, (double)b));
	out[13] = __float_as_uint(fmaxf(-0.0f, zero));
	out[14] = __float_as_uint(fminf(0.0f, -zero));
}

/* NaNs of arithmetic that loops and choices with constants pass round, and one that is only
 * moved; each lane a way of its own. Expectations by hand: arithmetic makes 0x7fffffff. */
__global__ void chosen_nan(uint32_t *out, const uint32_t *in, int n)
{
	int i = threadIdx.x;
	float x = __uint_as_float(in[i & 3]), held = x, sum = 0;
	for (int k = 0; k < n; k++) {
		float product = __fmaf_rn(x, x, sum), factor = i & 1 ? 0.5f : product;
		sum = __fmaf_rn(factor, product, 1.0f);
		held = i & 2 ? held : sum;
	}
	out[2 * i] = __float_as_uint(sum);
	out[2 * i + 1] = __float_as_uint(held);
}

__global__ void parts(uint64_t *out, const double *in)
{
	double d = in[threadIdx.x], whole;
	float f = (float)d, wholef;
	int e, ef, quotient;
	uint64_t *o = out + 20 * threadIdx.x;
	o[0] = __double_as_longlong(frexp(d, &e));
	o[1] = (uint32_t)e;
	o[2] = __float_as_uint(frexpf(f, &ef));
	o[3] = (uint32_t)ef;
	o[4] = __double_as_longlong(modf(d, &whole));
	o[5] = __double_as_longlong(whole);
	o[6] = __float_as_uint(modff(f, &wholef));
	o[7] = __double_as_longlong(ldexp(d, 3));
	o[8] = __float_as_uint(ldexpf(f, -140));
	o[9] = (uint32_t)ilogb(d);
	o[10] = (uint32_t)ilogbf(f);
	o[11] = __double_as_longlong(logb(d));
	o[12] = __double_as_longlong(nextafter(d, 10.0));
	o[13] = __float_as_uint(nextafterf(f, -10.0f));
	o[14] = __double_as_longlong(remquo(d, 3.0, &quotient));
	o[15] = (uint32_t)quotient & 7;
	o[16] = __double_as_longlong(remainder(d, 0.7));
	o[17] = __float_as_uint(remainderf(f, 0.7f));
	o[18] = __double_as_longlong(rint(d));
	o[19] = __float_as_uint(roundf(f));
}

int main()
{
	const float inf = __builtin_inff(), nan = __builtin_nanf("");
	const std::vector<float> f = {0.0f, -0.0f, 1.0f, -2.5f, 1.1f, FLT_MIN / 3, FLT_MAX, inf, -inf, nan};
	memory<float> in(f);
	for (size_t j = 0; j < f.size(); j++) {
		char name[32];
		memory<float> out(90);
		memory<float> turned(std::vector<float>{f[j]});
		snprintf(name, sizeof name, "float arithmetic %zu", j);
		std::vector<float> row = f;
		std::swap(row[0], row[j]);
		memory<float> input(row);
		arithmetic<<<1, 10>>>(out.there, input.there, 10);
		for (int k = 0; k < 3; k++) {
			std::vector<float> v = out.fetch();
			snprintf(name, sizeof name, "float arithmetic %zu.%d", j, k);
			show(name, v.data() + 30 * k, 30);
		}
	}
	const std::vector<double> d = {0.0, -0.0, 1.0, -2.5, 1.1, DBL_MIN / 3, DBL_MAX, inf, -inf, nan};
	for (size_t j = 0; j < d.size(); j++) {
		char name[32];
		memory<double> out(90);
		std::vector<double> row = d;
		std::swap(row[0], row[j]);
		memory<double> input(row);
		arithmetic<<<1, 10>>>(out.there, input.there, 10);
		for (int k = 0; k < 3; k++) {
			std::vector<double> v = out.fetch();
			snprintf(name, sizeof name, "double arithmetic %zu.%d", j, k);
			show(name, v.data() + 30 * k, 30);
		}
	}
	memory<double> in64(d);
	{
		memory<uint32_t> out(100);
		compare<<<10, 10>>>(out.there, in.there, 10);
		std::vector<uint32_t> v = out.fetch();
		show("float compare, first", v.data(), 50);
		show("float compare, last", v.data() + 50, 50);
		compare<<<10, 10>>>(out.there, in64.there, 10);
		v = out.fetch();
		show("double compare, first", v.data(), 50);
		show("double compare, last", v.data() + 50, 50);
	}
	memory<float> some(std::vector<float>{1.1f, 3.0f, -7.7f, 1e-30f, 3e20f, 0.1f, FLT_MIN / 5});
	memory<double> many(std::vector<double>{1.1, 3.0, -7.7, 1e-300, 3e200, 0.1, DBL_MIN / 5});
	for (int part = 0; part < 7; part++) {
		char name[32];
		std::vector<float> v = some.fetch();
		std::vector<double> w = many.fetch();
		for (int k = 0; k < part; k++) {
			v.push_back(v.front());
			v.erase(v.begin());
			w.push_back(w.front());
			w.erase(w.begin());
		}
		memory<float> vf(v);
		memory<double> wd(w);
		snprintf(name, sizeof name, "float rounding %d", part);
		run(name, 24, 1, 1, round_float, (const float *)vf.there, 7);
		snprintf(name, sizeof name, "double rounding %d", part);
		run(name, 20, 1, 1, round_double, (const double *)wd.there, 7);
	}
	const std::vector<double> values = {0.5, 1.5, -2.5, 16777217.0, -1e9 - 0.3, 3e9 + 0.7, 1e15 + 0.5,
					    1e30, -1e30, 1e-40, 0.49999999999999994};
	for (size_t j = 0; j < values.size(); j++) {
		char name[32];
		memory<double> one(std::vector<double>{values[j]});
		snprintf(name, sizeof name, "conversion %zu", j);
		run(name, 28, 1, 1, convert, (const double *)one.there);
		snprintf(name, sizeof name, "parts %zu", j);
		run(name, 20, 1, 1, parts, (const double *)one.there);
	}
	run("contraction", 14, 1, 1, contract, 1.1f, 1.3f, -1.43f, 0.9999f);
	run("contraction, others", 14, 1, 1, contract, 3.14159f, 2.71828f, -8.53973f, 1.00001f);
	run("double contraction", 8, 1, 1, contract_double, 1.1, 1.3, -1.43, 0.9999);
	run("denormals", 8, 1, 1, denormal, FLT_MIN, 0.5f);
	memory<uint32_t> odd(std::vector<uint32_t>{0x7fc12345, 0xffabcdef, 0});
	run("NaN bits", 15, 1, 1, not_a_number, (const uint32_t *)odd.there);
	memory<uint32_t> mixed(std::vector<uint32_t>{0x7fc12345, 0x3f800000, 0xffabcdef, 0x3f000000});
	run("NaN bits, chosen", 32, 1, 16, chosen_nan, (const uint32_t *)mixed.there, 2);
	return 0;
}
