/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is never freed. */
#include "../case.cuh"

static void run_one(bool frees)
{
	int *a;
	cudaMalloc(&a, 256); // EXPECT one: leak
	if (frees)
		cudaFree(a);
}
CASE(one) { run_one(false); }
CASE(one_fixed) { run_one(true); }

/* In a loop, of which only the last one is freed. */
static void run_loop(bool frees)
{
	int *a = nullptr;
	for (int i = 0; i < 3; i++) {
		if (frees)
			cudaFree(a);
		cudaMalloc(&a, 100); // EXPECT loop: leak
	}
	cudaFree(a);
}
CASE(loop) { run_loop(false); }
CASE(loop_fixed) { run_loop(true); }

static void run_pinned(bool frees)
{
	int *a;
	cudaMallocHost(&a, 64); // EXPECT pinned: leak
	if (frees)
		cudaFreeHost(a);
}
CASE(pinned) { run_pinned(false); }
CASE(pinned_fixed) { run_pinned(true); }

static void run_managed(bool frees)
{
	int *a;
	cudaMallocManaged(&a, 64); // EXPECT managed: leak
	if (frees)
		cudaFree(a);
}
CASE(managed) { run_managed(false); }
CASE(managed_fixed) { run_managed(true); }

__global__ void allocate(bool frees)
{
	int *p = (int *)malloc(32); // EXPECT device_heap: leak
	if (frees)
		free(p);
}
CASE(device_heap) { allocate<<<1, 1>>>(false); }
CASE(device_heap_fixed) { allocate<<<1, 1>>>(true); }

/* A reset frees it, the program did not. */
static void run_reset(bool frees)
{
	int *a;
	cudaMalloc(&a, 64); // EXPECT reset: leak
	if (frees)
		cudaFree(a);
	cudaDeviceReset();
}
CASE(reset) { run_reset(false); }
CASE(reset_fixed) { run_reset(true); }

static void run_async(bool frees)
{
	int *a;
	cudaMallocAsync(&a, 64, 0); // EXPECT stream_ordered: leak
	if (frees)
		cudaFreeAsync(a, 0);
	cudaStreamSynchronize(0);
}
CASE(stream_ordered) { run_async(false); }
CASE(stream_ordered_fixed) { run_async(true); }

/* Of the host's pools and of managed ones; and a reset ends no pool's memory. */
static void run_pool(cudaMemAllocationType type, bool frees, bool resets)
{
	cudaMemPoolProps props = {};
	cudaMemPool_t pool;
	int *a;
	props.allocType = type;
	props.location.type = cudaMemLocationTypeHost;
	cudaMemPoolCreate(&pool, &props);
	cudaMallocFromPoolAsync(&a, 1000, pool, 0); // EXPECT host_pool: leak EXPECT managed_pool: leak EXPECT pool_reset: leak
	if (frees)
		cudaFreeAsync(a, 0);
	cudaStreamSynchronize(0);
	if (resets)
		cudaDeviceReset();
}
CASE(host_pool) { run_pool(cudaMemAllocationTypePinned, false, false); }
CASE(host_pool_fixed) { run_pool(cudaMemAllocationTypePinned, true, false); }
CASE(managed_pool) { run_pool(cudaMemAllocationTypeManaged, false, false); }
CASE(managed_pool_fixed) { run_pool(cudaMemAllocationTypeManaged, true, false); }
CASE(pool_reset) { run_pool(cudaMemAllocationTypePinned, false, true); }

/* Variables are nobody's to free. */
__managed__ int counter;
__device__ int total;
__global__ void count()
{
	atomicAdd(&counter, 1);
	atomicAdd(&total, 1);
}
CASE(variables_fixed) { count<<<1, 32>>>(); }

/* The context has died: that the memory could not be freed is no leak. */
__global__ void dies() { __trap(); }
CASE(died)
{
	int *p;
	cudaMalloc(&p, 400);
	dies<<<1, 1>>>();
	cudaDeviceSynchronize();
	cudaFree(p);
}
