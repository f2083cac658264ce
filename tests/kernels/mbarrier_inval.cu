/* SPDX-License-Identifier: Apache-2.0 */
/* What an mbarrier answers behind mbarrier.inval, as an H200 does: its state stays. */
#include <cstdint>
#include <cstdio>

static __device__ uint32_t address(const uint64_t *bar)
{
	return (uint32_t)__cvta_generic_to_shared(bar);
}

static __device__ void init(const uint64_t *bar, uint32_t count)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(bar)), "r"(count)
		     : "memory");
}

static __device__ void arrive(const uint64_t *bar)
{
	asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(
			     address(bar))
		     : "memory");
}

static __device__ void invalidate(const uint64_t *bar)
{
	asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(address(bar)) : "memory");
}

static __device__ int is_over(const uint64_t *bar, uint32_t parity)
{
	int over;
	asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
		     "selp.s32 %0, 1, 0, p; }"
		     : "=r"(over)
		     : "r"(address(bar)), "r"(parity)
		     : "memory");
	return over;
}

__global__ void states(int count, int arrivals)
{
	__shared__ uint64_t bar;
	init(&bar, count);
	for (int i = 0; i < arrivals; i++)
		arrive(&bar);
	invalidate(&bar);
	printf("count %d, arrivals %d: parity 0 %d, parity 1 %d\n", count, arrivals,
	       is_over(&bar, 0), is_over(&bar, 1));
}

/* The first thread destroys it as soon as it has seen the phase's end. On hardware the other
 * warps are not far behind; wherever they are, they go on. */
__global__ void destroyed(int *seen)
{
	__shared__ uint64_t bar;
	if (threadIdx.x == 0)
		init(&bar, blockDim.x);
	__syncthreads();
	arrive(&bar);
	while (!is_over(&bar, 0))
		;
	if (threadIdx.x == 0)
		invalidate(&bar);
	__syncthreads();
	atomicAdd(seen, 1);
}

int main()
{
	int *seen;
	states<<<1, 1>>>(1, 1);
	states<<<1, 1>>>(4, 4);
	states<<<1, 1>>>(4, 6);
	states<<<1, 1>>>(4, 11);
	states<<<1, 1>>>(256, 775);
	cudaDeviceSynchronize();
	cudaMallocManaged(&seen, sizeof *seen);
	destroyed<<<4, 256>>>(seen);
	cudaDeviceSynchronize();
	printf("destroyed: %d\n", *seen);
	return cudaGetLastError();
}
