/* SPDX-License-Identifier: Apache-2.0 */
/* The bits of the math functions: 24 chosen inputs each, and the hash over 2048
 * more. Functions on the approximate units (__sinf, rsqrtf, ...) stand apart. */
#include "case.cuh"

static const int MORE = 2048;

template <typename T, typename F> __global__ void map1(T *out, const T *in, int n, F f)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = f(in[i]);
}

template <typename T, typename F> __global__ void map2(T *out, const T *in, int n, F f)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = f(in[i], in[(i * 7 + 3) % n]);
}

/* Chosen values, then values spread over the exponents (evenly in their logarithm
 * between 2^-20 and 2^20, both signs), made without rounding. */
template <typename T> static std::vector<T> inputs(bool chosen)
{
	const T inf = (T)__builtin_inf(), nan = (T)__builtin_nan("");
	if (chosen)
		return {(T)0,     (T)-0.0,  (T)1,       (T)-1,    (T)0.5,  (T)-0.5, (T)2,   (T)10,
			(T)0.1,   (T)-3.75, (T)1.5707964, (T)3.1415927, (T)100.5, (T)-88.5, (T)1e-5, (T)1e5,
			(T)1e10,  (T)1e-30, (T)-700.25, (T)0.9999, (T)1e-40, inf,    -inf,   nan};
	std::vector<T> v(MORE);
	uint64_t random = 88172645463325252ull;
	for (T &x : v) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		int exponent = (int)(random % 41) - 20;
		x = ldexp((T)(0x800000 | (random >> 8 & 0x7fffff)) / (T)0x800000, exponent);
		if (random >> 63)
			x = -x;
	}
	return v;
}

template <typename T, typename F> static void unary(const char *name, F f)
{
	for (bool chosen : {true, false}) {
		memory<T> in(inputs<T>(chosen));
		char text[64];
		snprintf(text, sizeof text, chosen ? "%s" : "%s, more", name);
		run(text, in.n, (in.n + 127) / 128, 128, map1<T, F>, (const T *)in.there, in.n, f);
	}
}

template <typename T, typename F> static void binary(const char *name, F f)
{
	for (bool chosen : {true, false}) {
		memory<T> in(inputs<T>(chosen));
		char text[64];
		snprintf(text, sizeof text, chosen ? "%s" : "%s, more", name);
		run(text, in.n, (in.n + 127) / 128, 128, map2<T, F>, (const T *)in.there, in.n, f);
	}
}

#define FLOAT1(F)                                                                \
	F(sinf) F(cosf) F(tanf) F(asinf) F(acosf) F(atanf) F(sinhf) F(coshf) F(tanhf)    \
	F(asinhf) F(acoshf) F(atanhf) F(expf) F(exp2f) F(exp10f) F(expm1f) F(logf)       \
	F(log2f) F(log10f) F(log1pf) F(sqrtf) F(rsqrtf) F(cbrtf) F(rcbrtf) F(erff)       \
	F(erfcf) F(erfinvf) F(erfcinvf) F(erfcxf) F(normcdff) F(normcdfinvf) F(tgammaf)  \
	F(lgammaf) F(j0f) F(j1f) F(y0f) F(y1f) F(sinpif) F(cospif) F(floorf) F(ceilf)    \
	F(truncf) F(rintf) F(roundf) F(nearbyintf) F(fabsf) F(logbf) F(cyl_bessel_i0f)   \
	F(cyl_bessel_i1f) F(__sinf) F(__cosf) F(__tanf) F(__expf) F(__exp10f) F(__logf)  \
	F(__log2f) F(__log10f) F(__saturatef) F(__frsqrt_rn)
#define FLOAT2(F)                                                                \
	F(powf) F(atan2f) F(hypotf) F(fmodf) F(fdimf) F(remainderf) F(__powf) F(__fdividef)
#define DOUBLE1(F)                                                               \
	F(sin) F(cos) F(tan) F(asin) F(acos) F(atan) F(sinh) F(cosh) F(tanh) F(asinh)    \
	F(acosh) F(atanh) F(exp) F(exp2) F(exp10) F(expm1) F(log) F(log2) F(log10)       \
	F(log1p) F(sqrt) F(rsqrt) F(cbrt) F(rcbrt) F(erf) F(erfc) F(erfinv) F(erfcinv)   \
	F(erfcx) F(normcdf) F(normcdfinv) F(tgamma) F(lgamma) F(j0) F(j1) F(y0) F(y1)    \
	F(sinpi) F(cospi) F(floor) F(ceil) F(trunc) F(rint) F(round) F(nearbyint)        \
	F(cyl_bessel_i0) F(cyl_bessel_i1)
#define DOUBLE2(F) F(pow) F(atan2) F(hypot) F(fmod) F(fdim) F(remainder)

/* A functor for each function. */
#define DEFINE1(T, f)                                                            \
	struct functor_##f {                                                     \
		__device__ T operator()(T x) const                               \
		{                                                                \
			return f(x);                                             \
		}                                                                \
	};
#define DEFINE2(T, f)                                                            \
	struct functor_##f {                                                     \
		__device__ T operator()(T x, T y) const                          \
		{                                                                \
			return f(x, y);                                          \
		}                                                                \
	};
#define F(f) DEFINE1(float, f)
FLOAT1(F)
#undef F
#define F(f) DEFINE2(float, f)
FLOAT2(F)
#undef F
#define F(f) DEFINE1(double, f)
DOUBLE1(F)
#undef F
#define F(f) DEFINE2(double, f)
DOUBLE2(F)
#undef F

/* jn, yn, norm and others with arguments of their own. */
__global__ void special(double *out, const double *in)
{
	double x = in[threadIdx.x];
	float f = (float)x;
	double *o = out + 16 * threadIdx.x, s, c;
	float sf, cf;
	o[0] = jn(2, x);
	o[1] = yn(3, x);
	o[2] = jnf(2, f);
	o[3] = norm3d(x, 2.0, 3.0);
	o[4] = rnorm3d(x, 2.0, 3.0);
	o[5] = norm4df(f, 2.0f, 3.0f, 4.0f);
	o[6] = rhypot(x, 2.0);
	o[7] = rhypotf(f, 2.0f);
	sincos(x, &s, &c);
	o[8] = s;
	o[9] = c;
	sincosf(f, &sf, &cf);
	o[10] = sf;
	o[11] = cf;
	sincospi(x, &s, &c);
	o[12] = s;
	o[13] = c;
	o[14] = scalbn(x, 5);
	o[15] = pow(x, 5);
}

int main()
{
#define F(f) unary<float>(#f, functor_##f());
	FLOAT1(F)
#undef F
#define F(f) binary<float>(#f, functor_##f());
	FLOAT2(F)
#undef F
#define F(f) unary<double>(#f, functor_##f());
	DOUBLE1(F)
#undef F
#define F(f) binary<double>(#f, functor_##f());
	DOUBLE2(F)
#undef F

	const std::vector<double> values = {0.75, 2.0, -1.25, 12.5, 1e-3};
	for (size_t j = 0; j < values.size(); j++) {
		char name[32];
		memory<double> one(std::vector<double>{values[j]});
		snprintf(name, sizeof name, "special %zu", j);
		run(name, 16, 1, 1, special, (const double *)one.there);
	}
	return 0;
}
