// SPDX-License-Identifier: Apache-2.0
// Who wrote a byte last: nobody, a copy, a set, a thread, of global and of shared memory.
#include <cstdlib>

__device__ void put(int *p, int value)
{
	*p = value;
}

__global__ void scale(int *a, int n)
{
	__shared__ int sums[64];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		put(&a[i], a[i] * 2);
	if (threadIdx.x < 32)
		sums[threadIdx.x] = i;
	__syncthreads();
	if (i == 40)
		atomicAdd(&a[2], 1); // by one thread
	__syncthreads();
	if (i == 0)
		put(&a[1], sums[20]); // here
	__syncthreads();
	if (i == 1)
		sums[20] = a[1];
	if (i == 33)
		sums[20] = 5; // races
	__syncthreads();
	if (i == 33)
		put(&a[91], a[1]);
	else if (i == 2)
		put(&a[1], sums[20]); // races
	__syncthreads();
} // end

int main()
{
	int numbers[100] = {1, 2, 3}, *a;
	char *bytes;
	if (cudaMalloc(&a, sizeof numbers) || cudaMalloc(&bytes, 64))
		return 1;
	cudaMemcpy(a, numbers, 90 * sizeof *a, cudaMemcpyHostToDevice);
	cudaMemset(bytes + 8, 1, 2);
	scale<<<2, 64>>>(a, 80);
	cudaDeviceSynchronize();
	return 0;
}
