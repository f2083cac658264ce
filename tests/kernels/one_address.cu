// SPDX-License-Identifier: Apache-2.0
/* Threads of a warp that change one address, whole warps and parts of them; nobody asks what was
 * there before. Sums of reals are of numbers that add up exactly in any order. */
#include "case.cuh"

enum { BLOCKS = 3, THREADS = 96, N_INT = 10, N_REAL = 2 };

/* Which threads take part. */
static __device__ bool takes_part(int which)
{
	int t = threadIdx.x;
	return which == 0 || (which == 1 && t % 3) || (which == 2 && t > 40) || (which == 3 && t == 37);
}

template <typename T> __device__ void change(T *p, T x)
{
	atomicAdd(&p[0], x);
	atomicAnd(&p[1], ~(T)0 ^ x << 1);
	atomicOr(&p[2], x << 2);
	atomicXor(&p[3], x * 3);
	atomicMax(&p[4], x);
	atomicMin(&p[5], x);
	atomicExch(&p[6], (T)5);
}

template <typename T> __global__ void integers(T *all, int which)
{
	__shared__ T s[N_INT];
	T x = (T)(threadIdx.x * 7 - 90 + blockIdx.x);
	if (threadIdx.x < N_INT)
		s[threadIdx.x] = threadIdx.x == 5 || threadIdx.x == 1 ? (T)1000 : 0;
	__syncthreads();
	if (takes_part(which)) {
		change(all, x);
		change(s, x);
	}
	__syncthreads();
	if (threadIdx.x < N_INT)
		all[(1 + blockIdx.x) * N_INT + threadIdx.x] = s[threadIdx.x];
}

/* With as many turns as the thread's number says. */
__global__ void turns(int *sum, unsigned *least, int which)
{
	for (int i = 0; i < (int)threadIdx.x % 5; i++)
		if (takes_part(which)) {
			atomicAdd(sum, i + 1);
			atomicMin(least, 100 - threadIdx.x + i);
			atomicInc(least + 1, 1000);
		}
}

template <typename T> __global__ void reals(T *all, int which)
{
	__shared__ T s;
	if (threadIdx.x == 0)
		s = 0.25;
	__syncthreads();
	T x = (T)threadIdx.x * (T)0.5 - (T)blockIdx.x;
	if (takes_part(which)) {
		atomicAdd(all, x);
		atomicAdd(&s, x);
	}
	__syncthreads();
	if (threadIdx.x == 0)
		all[1 + blockIdx.x] = s;
}

/* A maximum of reals, and a sum with a limit, as programs write them. */
static __device__ void raise(float *p, float x)
{
	int old = *(volatile int *)p, seen;
	do {
		seen = old;
		old = atomicCAS((int *)p, seen, __float_as_int(fmaxf(x, __int_as_float(seen))));
	} while (old != seen);
}

static __device__ void add_up_to(unsigned long long *p, unsigned long long x, unsigned long long most)
{
	unsigned long long old = *(volatile unsigned long long *)p, seen;
	do {
		seen = old;
		unsigned long long sum = seen + x;
		old = atomicCAS(p, seen, sum > most ? most : sum);
	} while (old != seen);
}

__global__ void own(float *most, unsigned long long *sums, int which)
{
	float x = (float)((threadIdx.x * 37 + blockIdx.x * 11) % 101);
	if (takes_part(which)) {
		raise(most, x);
		raise(&most[1 + threadIdx.x % 4], -x);
		add_up_to(sums, threadIdx.x + 1, 5000);
		add_up_to(&sums[1 + threadIdx.x / 32], threadIdx.x, 100000);
	}
}

/* Somebody asks for some. */
__global__ void numbered(int *next, int *seen, int which)
{
	if (takes_part(which)) {
		int n = atomicAdd(next, 1);
		atomicOr(&seen[n / 32], 1 << n % 32);
		atomicAdd(next + 1, 2);
	}
}

template <typename T> static void print(const char *name, int which, const T *p, int n)
{
	char line[40];
	snprintf(line, sizeof line, "%s %d", name, which);
	show(line, p, n);
}

template <typename T, typename F> static void run(const char *name, int n, T first, F launch)
{
	T *p;
	CHECK(cudaMallocManaged(&p, n * sizeof *p));
	for (int which = 0; which < 4; which++) {
		for (int i = 0; i < n; i++)
			p[i] = first;
		launch(p, which);
		CHECK(cudaDeviceSynchronize());
		print(name, which, p, n);
	}
	CHECK(cudaFree(p));
}

int main()
{
	run("int", (1 + BLOCKS) * N_INT, 0,
	    [](int *p, int which) { integers<<<BLOCKS, THREADS>>>(p, which); });
	run("unsigned", (1 + BLOCKS) * N_INT, 77u,
	    [](unsigned *p, int which) { integers<<<BLOCKS, THREADS>>>(p, which); });
	run("unsigned long long", (1 + BLOCKS) * N_INT, 3ull,
	    [](unsigned long long *p, int which) { integers<<<BLOCKS, THREADS>>>(p, which); });
	run("turns", 3, 500u, [](unsigned *p, int which) {
		turns<<<BLOCKS, THREADS>>>((int *)p, p + 1, which);
	});
	run("float", 1 + BLOCKS, 0.0f, [](float *p, int which) { reals<<<BLOCKS, THREADS>>>(p, which); });
	run("double", 1 + BLOCKS, 0.0, [](double *p, int which) { reals<<<BLOCKS, THREADS>>>(p, which); });
	unsigned long long *sums;
	CHECK(cudaMallocManaged(&sums, 4 * sizeof *sums));
	run("raise", 5, -1000.0f, [&](float *p, int which) {
		memset(sums, 0, 4 * sizeof *sums);
		own<<<BLOCKS, THREADS>>>(p, sums, which);
		CHECK(cudaDeviceSynchronize());
		print("limited", which, sums, 4);
	});
	CHECK(cudaFree(sums));
	run("numbered", 12, 0, [](int *p, int which) { numbered<<<BLOCKS, THREADS>>>(p, p + 2, which); });
	return 0;
}
