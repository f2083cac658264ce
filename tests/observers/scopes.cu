/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics, fences and volatile accesses, one a line, by one thread; scopes_tool.c
 * writes what an observer hears of each. atomicSub() adds the negative. */
#include <cstdio>
#include <cuda/atomic>

__global__ void scopes(int *p, unsigned *u, float *f, unsigned long long *l)
{
	atomicAdd(p, 1);
	atomicAdd_block(p, 1);
	atomicAdd_system(p, 1);
	atomicSub(p, 1);
	atomicMax(p, 5);
	atomicMin(u, 5u);
	atomicInc(u, 9u);
	atomicDec(u, 9u);
	atomicExch(p, 2);
	atomicCAS(p, 2, 3);
	atomicCAS_block(p, 2, 3);
	atomicOr(u, 1u);
	atomicXor(u, 1u);
	atomicAnd(u, 1u);
	atomicAdd(f, 1.0f);
	atomicAdd(l, 1ull);
	__threadfence();
	__threadfence_block();
	__threadfence_system();
	*(volatile int *)p = 1;
	cuda::atomic_ref<int, cuda::thread_scope_device> device(*p);
	device.store(1, cuda::memory_order_release);
	int seen = device.load(cuda::memory_order_acquire);
	device.fetch_add(seen, cuda::memory_order_relaxed);
	cuda::atomic_ref<int, cuda::thread_scope_block> block(*p);
	block.fetch_add(1, cuda::memory_order_acq_rel);
	asm volatile("ld.acquire.sys.b32 %0, [%1];" : "=r"(seen) : "l"(p) : "memory");
	asm volatile("st.relaxed.cta.b32 [%0], %1;" : : "l"(p), "r"(seen) : "memory");
	asm volatile("red.release.gpu.global.add.u32 [%0], %1;" : : "l"(p), "r"(1) : "memory");
	asm volatile("fence.acq_rel.gpu;" : : : "memory");
}

int main()
{
	char *p;
	cudaMalloc(&p, 64);
	cudaMemset(p, 0, 64);
	scopes<<<1, 1>>>((int *)p, (unsigned *)p + 1, (float *)p + 2, (unsigned long long *)p + 2);
	printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
	return 0;
}
