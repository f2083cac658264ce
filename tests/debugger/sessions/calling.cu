// SPDX-License-Identifier: Apache-2.0
// Device functions for conditions: right ones, and ones that cannot end well.
#include <cstdio>

struct Pair {
	float a, b;
};

__device__ float twice(float x)
{
	return x * 2.0f;
}

__device__ bool between(const int &x, long low, unsigned char high)
{
	return low <= x && x <= high;
}

__device__ float sum(Pair pair)
{
	return pair.a + pair.b;
}

__device__ int load(const int *at)
{
	return *at;
}

__device__ int spin(int x)
{
	volatile int forever = x;
	while (forever >= 0)
		;
	return x;
}

__device__ int meet(int x)
{
	__syncthreads();
	return x;
}

__global__ void calling(float *out)
{
	Pair pair = {(float)threadIdx.x, 0.0f};
	for (int i = 0; i < 10; i++) {
		pair.b += i;
		out[threadIdx.x] = twice(pair.b);
	}
	out[threadIdx.x] += sum(pair);
	if (out[threadIdx.x] < 0)
		out[0] = load(0) + spin(0) + meet(0) + between(0, 0, 0);
}

int main()
{
	float *out;
	cudaMalloc(&out, 64 * sizeof *out);
	calling<<<1, 64>>>(out);
	printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
	return 0;
}
