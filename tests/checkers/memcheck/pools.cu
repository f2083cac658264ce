/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of host and of managed memory. */
#include "../case.cuh"

static cudaMemPool_t make(cudaMemAllocationType type, cudaMemLocationType location)
{
	cudaMemPoolProps props = {};
	cudaMemPool_t pool = nullptr;
	props.allocType = type;
	props.location.type = location;
	cudaMemPoolCreate(&pool, &props);
	return pool;
}

static void allow(cudaMemPool_t pool, cudaMemAccessFlags flags)
{
	cudaMemAccessDesc desc = {};
	desc.location.type = cudaMemLocationTypeDevice;
	desc.flags = flags;
	cudaMemPoolSetAccess(pool, &desc, 1);
}

__global__ void put(int *p)
{
	p[threadIdx.x] = 1; // EXPECT forbidden: no-access write EXPECT forbidden_again: no-access write EXPECT past: out-of-bounds write EXPECT managed_past: out-of-bounds write EXPECT freed: use-after-free write
}

template <typename F> static void with_host_pool(bool allowed, F f)
{
	cudaMemPool_t pool = make(cudaMemAllocationTypePinned, cudaMemLocationTypeHost);
	int *p = nullptr;
	if (allowed)
		allow(pool, cudaMemAccessFlagsProtReadWrite);
	cudaMallocFromPoolAsync(&p, 32 * sizeof *p, pool, 0);
	cudaStreamSynchronize(0);
	f(pool, p);
	cudaFreeAsync(p, 0);
	cudaDeviceSynchronize();
}

/* The host's pools are the host's alone until a device is given access. */
CASE(forbidden)
{
	with_host_pool(false, [](cudaMemPool_t, int *p) { put<<<1, 32>>>(p); });
}
CASE(forbidden_fixed)
{
	with_host_pool(true, [](cudaMemPool_t, int *p) { put<<<1, 32>>>(p); });
}
CASE(forbidden_again)
{
	with_host_pool(true, [](cudaMemPool_t pool, int *p) {
		allow(pool, cudaMemAccessFlagsProtNone);
		put<<<1, 32>>>(p);
	});
}
CASE(forbidden_again_fixed)
{
	with_host_pool(false, [](cudaMemPool_t pool, int *p) {
		allow(pool, cudaMemAccessFlagsProtReadWrite);
		put<<<1, 32>>>(p);
	});
}
/* The host's own use of it, and copies, which the host makes. */
CASE(host_alone_fixed)
{
	with_host_pool(false, [](cudaMemPool_t, int *p) {
		int *d;
		for (int i = 0; i < 32; i++)
			p[i] = i;
		cudaMalloc(&d, 32 * sizeof *d);
		cudaMemcpy(d, p, 32 * sizeof *p, cudaMemcpyHostToDevice);
		put<<<1, 32>>>(d);
		cudaMemcpy(p, d, 32 * sizeof *p, cudaMemcpyDefault);
		cudaFree(d);
	});
}

CASE(past)
{
	with_host_pool(true, [](cudaMemPool_t, int *p) { put<<<1, 33>>>(p); });
}
static void run_managed(int n)
{
	cudaMemPool_t pool = make(cudaMemAllocationTypeManaged, cudaMemLocationTypeNone);
	int *p = nullptr;
	cudaMallocFromPoolAsync(&p, 32 * sizeof *p, pool, 0);
	put<<<1, n>>>(p);
	cudaFreeAsync(p, 0);
	cudaDeviceSynchronize();
}
CASE(managed_past) { run_managed(33); }
CASE(managed_past_fixed) { run_managed(32); }

CASE(freed)
{
	cudaMemPool_t pool = make(cudaMemAllocationTypePinned, cudaMemLocationTypeHost);
	int *p = nullptr;
	allow(pool, cudaMemAccessFlagsProtReadWrite);
	cudaMallocFromPoolAsync(&p, 32 * sizeof *p, pool, 0);
	cudaFreeAsync(p, 0);
	cudaStreamSynchronize(0);
	put<<<1, 32>>>(p);
	cudaDeviceSynchronize();
}
