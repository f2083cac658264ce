/* SPDX-License-Identifier: Apache-2.0 */
/* Device pointers in the host's hands. */
#include "../case.cuh"

static volatile int seen;

CASE(host_read)
{
	int *d;
	cudaMalloc(&d, 400);
	cudaMemset(d, 0, 400);
	cudaDeviceSynchronize();
	seen = d[3]; // EXPECT host_read: device-pointer
	cudaFree(d);
}
CASE(host_read_fixed)
{
	int *d, h;
	cudaMalloc(&d, 400);
	cudaMemset(d, 0, 400);
	cudaMemcpy(&h, d + 3, sizeof h, cudaMemcpyDeviceToHost);
	seen = h;
	cudaFree(d);
}

__global__ void use(int *p) { p[threadIdx.x] = 1; }

CASE(host_write)
{
	int *d;
	cudaMalloc(&d, 400);
	use<<<1, 100>>>(d);
	cudaDeviceSynchronize();
	d[99] = 2; // EXPECT host_write: device-pointer
	cudaFree(d);
}
CASE(host_write_fixed)
{
	int *d;
	cudaMallocManaged(&d, 400);
	use<<<1, 100>>>(d);
	cudaDeviceSynchronize();
	d[99] = 2;
	cudaFree(d);
}

/* Right behind the launch of a kernel that takes its time. */
__global__ void slowly(int *p, int n)
{
	for (int i = 0; i < n; i++)
		p[blockIdx.x * blockDim.x + threadIdx.x] += i & p[i & 63];
}
CASE(host_read_early)
{
	int *d;
	cudaMalloc(&d, 64 * 128 * sizeof *d);
	cudaMemset(d, 0, 64 * 128 * sizeof *d);
	cudaDeviceSynchronize();
	slowly<<<64, 128>>>(d, 1000);
	seen = d[3]; // EXPECT host_read_early: device-pointer
	cudaFree(d);
}
CASE(host_read_early_fixed)
{
	int *d, h;
	cudaMalloc(&d, 64 * 128 * sizeof *d);
	cudaMemset(d, 0, 64 * 128 * sizeof *d);
	slowly<<<64, 128>>>(d, 1000);
	cudaMemcpy(&h, d + 3, sizeof h, cudaMemcpyDeviceToHost);
	seen = h;
	cudaFree(d);
}

/* More than there is, with the padding more than there are addresses. */
CASE(too_much_fixed)
{
	void *p = nullptr;
	if (cudaMalloc(&p, ~(size_t)0) != cudaErrorMemoryAllocation || p)
		puts("should not be");
	if (cudaMalloc(&p, ~(size_t)0 - 4000) != cudaErrorMemoryAllocation || p)
		puts("should not be");
}
