/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel on each of two devices, and two in two streams of which the first waits for
 * the second: with launches that do not block only. */
#include <cstdio>
#include <cstring>

__device__ volatile int flag;
__device__ int sums[2];
__managed__ int shared_count = 4;

__global__ void first(int n)
{
	int turns = 0;
	/* One line: how often it went round when another kernel stops is a matter of time. */
	while (!flag) turns++;
	atomicAdd(&sums[0], n + threadIdx.x);
}

__global__ void second(int n)
{
	int t = threadIdx.x;
	atomicAdd(&sums[1], n * t);
	if (t == 0)
		flag = 1;
}

__global__ void on_device(int device, int *out)
{
	out[threadIdx.x] = 10 * device + threadIdx.x;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "streams")) {
		cudaStream_t one, two;
		cudaStreamCreate(&one);
		cudaStreamCreate(&two);
		first<<<1, 4, 0, one>>>(1);
		second<<<1, 4, 0, two>>>(2);
		int results[2] = {};
		cudaDeviceSynchronize();
		cudaMemcpyFromSymbol(results, sums, sizeof results);
		printf("%d %d\n", results[0], results[1]);
		return 0;
	}
	int n = 0;
	cudaGetDeviceCount(&n);
	for (int device = 0; device < n; device++) {
		int *out, host[4];
		cudaSetDevice(device);
		cudaMalloc(&out, sizeof host);
		on_device<<<1, 4>>>(device, out);
		cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
		printf("device %d: %d\n", device, host[3]);
	}
	return 0;
}
