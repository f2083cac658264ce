/* SPDX-License-Identifier: Apache-2.0 */
/* What freed.session looks at: memory that is freed before the kernel that gets its address, and
 * memory of an address that was another allocation's. */
#include <cuda_runtime.h>

__global__ void use(int *gone, int *again)
{
	again[0] = gone != again; // here
}

static int *first()
{
	int *p;
	cudaMalloc(&p, 512);
	return p;
}

int main()
{
	int *gone, *again;
	cudaMallocHost((void **)&gone, 64);
	cudaFree(first());
	cudaMalloc(&again, 512);
	cudaFreeHost(gone);
	use<<<1, 1>>>(gone, again);
	return cudaDeviceSynchronize();
}
