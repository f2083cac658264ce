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

/* ---- freed memory ------------------------------------------------------------------ */

CASE(pinned_freed)
{
	int *h, *d;
	cudaMallocHost(&h, 256);
	cudaMalloc(&d, 256);
	cudaMemset(d, 0, 256);
	cudaMemcpy(h, d, 256, cudaMemcpyDeviceToHost);
	cudaFreeHost(h);
	seen = h[3]; // EXPECT pinned_freed: use-after-free
	// SAYS(pinned_freed): is 12 bytes into an allocation that has been freed
	cudaFree(d);
}
CASE(pinned_freed_fixed) /* another one has the memory's neighbour, and then the host's own has gone */
{
	int *h, *next;
	cudaMallocHost(&h, 256);
	cudaMallocHost(&next, 256);
	h[3] = 1;
	cudaFreeHost(h);
	for (int i = 0; i < 64; i++)
		next[i] = i;
	seen = next[63];
	cudaFreeHost(next);
}
CASE(managed_freed)
{
	int *p;
	cudaMallocManaged(&p, 8192);
	use<<<1, 100>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
	p[2047] = 1; // EXPECT managed_freed: use-after-free
}
