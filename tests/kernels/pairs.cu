/* SPDX-License-Identifier: Apache-2.0 */
/* A sine and a cosine of one argument: the same bits together, apart and from sincos(); in
 * branches, loops and where one of them is not always asked for. */
#include "case.cuh"

enum { N = 1 << 16 };

struct radians {
	template <typename T> static __device__ T one(T x) { return sin(x); }
	template <typename T> static __device__ T other(T x) { return cos(x); }
	static __device__ void both(double x, double *s, double *c) { sincos(x, s, c); }
	static __device__ void both(float x, float *s, float *c) { sincosf(x, s, c); }
};

struct halves {
	static __device__ double one(double x) { return sinpi(x); }
	static __device__ double other(double x) { return cospi(x); }
	static __device__ float one(float x) { return sinpif(x); }
	static __device__ float other(float x) { return cospif(x); }
	static __device__ void both(double x, double *s, double *c) { sincospi(x, s, c); }
	static __device__ void both(float x, float *s, float *c) { sincospif(x, s, c); }
};

template <typename F, typename T> __global__ void only_one(const T *x, T *s)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	s[i] = F::one(x[i]);
}

template <typename F, typename T> __global__ void only_other(const T *x, T *c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	c[i] = F::other(x[i]);
}

template <typename F, typename T> __global__ void together(const T *x, T *s, T *c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	T v = x[i];
	c[i] = F::other(v);
	s[i] = F::one(v);
}

template <typename F, typename T> __global__ void united(const T *x, T *s, T *c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	F::both(x[i], &s[i], &c[i]);
}

/* The argument changes between the two, the second is asked for by some. */
template <typename F, typename T> __global__ void apart(const T *x, T *s, T *c, T step)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	T v = x[i], sum = 0;
	for (int k = 0; k < 3; k++) {
		sum += F::one(v);
		v += step;
		if (i & 1)
			sum += F::other(v);
	}
	s[i] = F::one(v);
	c[i] = F::other(v - step);
	if (sum != sum)
		s[i] += step - step;
}

template <typename T> static void count(const char *name, const std::vector<T> &a, const std::vector<T> &b)
{
	int n = 0;
	for (int i = 0; i < N; i++)
		n += memcmp(&a[i], &b[i], sizeof(T)) && !(a[i] != a[i] && b[i] != b[i]);
	say(name, "%d of %d differ", n, (int)N);
}

template <typename F, typename T, typename B> static void run(const char *name)
{
	std::vector<T> x(N);
	uint64_t state = 1;
	for (int i = 0; i < N; i++) {
		state = state * 6364136223846793005ull + 1442695040888963407ull;
		B bits = (B)(state >> (64 - 8 * sizeof(B)));
		memcpy(&x[i], &bits, sizeof(T));
		if (i % 2)
			x[i] = (T)((int64_t)state >> 40) / 4096;
	}
	const T edges[] = {0, -(T)0, (T)INFINITY, -(T)INFINITY, (T)NAN, (T)0.5, (T)1, (T)-1.5, (T)105615,
			   (T)-105615, (T)2147483648.0, (T)1e-40};
	for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
		x[i] = edges[i];
	memory<T> in(x), s(N), c(N);
	std::vector<T> one(N), other(N), a(N), b(N);
	auto get = [&](std::vector<T> &to, memory<T> &from) {
		CHECK(cudaMemcpy(to.data(), from.there, N * sizeof(T), cudaMemcpyDeviceToHost));
	};
	only_one<F><<<N / 256, 256>>>(in.there, s.there);
	only_other<F><<<N / 256, 256>>>(in.there, c.there);
	get(one, s), get(other, c);
	char title[64];
	auto compare = [&](const char *how) {
		get(a, s), get(b, c);
		snprintf(title, sizeof title, "%s %s sine", name, how);
		count(title, one, a);
		snprintf(title, sizeof title, "%s %s cosine", name, how);
		count(title, other, b);
	};
	together<F><<<N / 256, 256>>>(in.there, s.there, c.there);
	compare("together");
	united<F><<<N / 256, 256>>>(in.there, s.there, c.there);
	compare("sincos");
	apart<F><<<N / 256, 256>>>(in.there, s.there, c.there, -(T)0);
	compare("apart");
}

int main()
{
	run<radians, double, uint64_t>("double");
	run<radians, float, uint32_t>("float");
	run<halves, double, uint64_t>("double pi");
	run<halves, float, uint32_t>("float pi");
	return 0;
}
