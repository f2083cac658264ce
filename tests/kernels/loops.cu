/* SPDX-License-Identifier: Apache-2.0 */
/* loops.cu - what loops over a block's threads must not change: indices, early ends,
 * what a thread keeps across barriers, threads that leave the loop. The expected values
 * are sums of small integers, worked out by hand. */
#include "case.cuh"

static const int N = 64;

/* Threads in three directions, the last block cut short by a return. */
__global__ void indices(int *out, int limit)
{
	int linear = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
	int i = linear + (int)(blockIdx.x * blockDim.x * blockDim.y * blockDim.z);
	if (i >= limit)
		return;
	out[i] = 100 * (int)threadIdx.z + 10 * (int)threadIdx.y + (int)threadIdx.x;
}

/* A variable, and an array with computed indices, live across barriers in a loop. */
__global__ void kept(int *out)
{
	__shared__ int turn[N];
	int t = (int)threadIdx.x, sum = t, own[4] = {t, 2 * t, 3 * t, 4 * t};
	for (int i = 0; i < 4; i++) {
		turn[t] = own[(t + i) % 4];
		__syncthreads();
		sum += turn[(t + 1) % N];
		own[i] += sum;
		__syncthreads();
	}
	out[t] = sum + own[t % 4];
}

/* Every second thread ends before the barriers. */
__global__ void half_ends(int *out)
{
	__shared__ int s[N];
	int t = (int)threadIdx.x;
	s[t] = t;
	if (t % 2)
		return;
	__syncthreads();
	int v = s[(t + 2) % N];
	__syncthreads();
	s[t] = v + 1000;
	__syncthreads();
	out[t] = s[(t + N - 2) % N];
}

/* Threads stand at different barriers at the same time. */
__global__ void two_barriers(int *out)
{
	__shared__ int s[N];
	int t = (int)threadIdx.x;
	if (t < 32) {
		s[t] = 3 * t;
		__syncthreads();
		out[t] = s[t + 32];
	} else {
		s[t] = 5 * t;
		__syncthreads();
		out[t] = s[t - 32];
	}
}

/* exit inside a branch, then work for the others. */
__global__ void some_exit(int *out)
{
	int t = (int)threadIdx.x;
	out[t] = t;
	if (t % 3 == 0)
		asm volatile("exit;");
	out[t] += 500;
}

/* Some threads call what no loop can hold. */
__global__ void some_call(int *out)
{
	int t = (int)threadIdx.x, sum = t;
	if (t % 5 == 2) {
		int *p = (int *)malloc(4 * sizeof(int));
		for (int i = 0; i < 4; i++)
			p[i] = t + i;
		for (int i = 0; i < 4; i++)
			sum += p[i];
		free(p);
	}
	out[t] = sum;
}

/* The first thread waits for the last one. */
__global__ void waits(int *out, volatile int *flag)
{
	int t = (int)threadIdx.x;
	if (t == 0)
		while (!*flag)
			;
	if (t == N - 1)
		*flag = 7;
	out[t] = t == 0 ? *flag : 2 * t;
}

struct pair {
	int a[6];
	int b;
};

/* A parameter is each thread's own. */
__global__ void parameters(int *out, pair p)
{
	int t = (int)threadIdx.x;
	p.a[t % 6] += t;
	p.b += t;
	out[t] = p.a[0] + p.a[1] + p.a[2] + p.a[3] + p.a[4] + p.a[5] + p.b + p.a[(t + 1) % 6];
}

/* Barriers in a function with several ends. */
__device__ int exchange(int *s, int v)
{
	s[threadIdx.x] = v;
	__syncthreads();
	int got = s[N - 1 - threadIdx.x];
	__syncthreads();
	if (got % 2)
		return got;
	return -got;
}

__global__ void in_functions(int *out)
{
	__shared__ int s[N];
	int a = exchange(s, (int)threadIdx.x), b = exchange(s, 3 * (int)threadIdx.x);
	out[threadIdx.x] = a + 2 * b;
}

int main()
{
	int *out;
	cudaMallocManaged(&out, (N + 1) * sizeof(int));
	volatile int *flag = out + N;
#define RUN(name, ...)                                 \
	for (int i = 0; i <= N; i++)                   \
		out[i] = 0;                            \
	__VA_ARGS__;                                   \
	cudaDeviceSynchronize();                       \
	show(name, out, N)
	RUN("indices", (indices<<<3, dim3(2, 3, 4)>>>(out, 59)));
	RUN("kept", (kept<<<1, N>>>(out)));
	RUN("half ends", (half_ends<<<1, N>>>(out)));
	RUN("two barriers", (two_barriers<<<1, N>>>(out)));
	RUN("some exit", (some_exit<<<1, N>>>(out)));
	RUN("some call", (some_call<<<1, N>>>(out)));
	RUN("waits", (waits<<<1, N>>>(out, flag)));
	pair p = {{1, 2, 3, 4, 5, 6}, 10};
	RUN("parameters", (parameters<<<1, N>>>(out, p)));
	RUN("in functions", (in_functions<<<1, N>>>(out)));
	return 0;
}
