/* SPDX-License-Identifier: Apache-2.0 */
/* Device functions to call from expressions: what they take and return goes through
 * every kind of register, and memory. */
#include <cstdio>
#include <cuda_fp16.h>

struct Point {
	float x, y, z;
	__device__ __noinline__ Point moved(float by) const { return {x + by, y + by, z + by}; }
};
struct Three {
	int a, b, c;
};
struct Mixed {
	int a;
	double b;
};
struct Large {
	double d[5];
};
__device__ __noinline__ Three three(int a) { return {a, a + 1, a + 2}; }
__device__ __noinline__ Mixed mixed(int a, float b) { return {a, b}; }
__device__ __noinline__ Large large(double x) { return {{x, x * 2, x * 3, x * 4, x * 5}}; }
__device__ __noinline__ float4 four(float x) { return make_float4(x, x + 1, x + 2, x + 3); }
__device__ __noinline__ double sum(Large l, Mixed m, Three t, float f)
{
	return l.d[4] + m.a + m.b + t.c + f;
}
__device__ __noinline__ double many(int a, int b, int c, int d, int e, int f, int g, int h, double x)
{
	return a + b + c + d + e + f + g * 100 + h * 10000 + x;
}
__device__ __noinline__ half twice(half h) { return __hadd(h, h); }
__device__ __noinline__ void bump(int &x) { x += 5; }
__device__ __noinline__ unsigned where() { return threadIdx.x + 100 * blockIdx.x; }
__device__ __noinline__ int waits(int x)
{
	__syncthreads();
	return x;
}
__device__ __noinline__ int shouts(int x)
{
	printf("%d\n", x);
	return x;
}
__device__ __noinline__ float load(const float *p) { return *p; }
__device__ int calls = 3;

__global__ void use(float *out, int n)
{
	__shared__ float tile[4];
	Point p = {1, 2, 3};
	tile[threadIdx.x] = threadIdx.x;
	int local = n;
	bump(local);
	bump(calls);
	out[0] = p.moved(1).x + sum(large(n), mixed(n, 1), three(n), 1) + four(n).x + load(tile) +
		 many(1, 2, 3, 4, 5, 6, 7, 8, n) + float(twice(half(n))) + where() + waits(n);
	if (n < 0)
		out[0] += shouts(n);
}

int main()
{
	float *out;
	cudaMalloc(&out, 64);
	use<<<2, 4>>>(out, 3);
	cudaDeviceSynchronize();
	return 0;
}
