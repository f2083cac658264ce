/* SPDX-License-Identifier: Apache-2.0 */
/* What the runtime answers where a program is wrong, and at its limits: launches, memory,
 * symbols, streams, events, attributes of functions, occupancy, device limits. One line a
 * case: names of errors, and what cudaGetLastError() says afterwards. launches.cu, copies.cu
 * and faults.cu have others.
 *
 * Flags: -std=c++17 */
#include "case.cuh"

__device__ int variable = 1;
__constant__ int table[4] = {1, 2, 3, 4};
static int no_symbol;

__global__ void nothing()
{
}
__global__ void store(int *p, int v)
{
	if (p)
		*p = v;
}
__global__ void some_shared(int *p)
{
	__shared__ int a[1024];
	a[threadIdx.x] = threadIdx.x;
	__syncthreads();
	if (p)
		*p = a[0];
}
__global__ void dynamic_shared(int *p)
{
	extern __shared__ int d[];
	d[threadIdx.x] = threadIdx.x;
	__syncthreads();
	if (p)
		*p = d[0];
}
__global__ void __launch_bounds__(128) bounded(int *p)
{
	if (p)
		*p = 1;
}
__global__ void __cluster_dims__(2, 1, 1) clustered()
{
}
__global__ void trap()
{
	__trap();
}

static void answer(const char *name, cudaError_t error)
{
	cudaError_t last = cudaGetLastError();
	say(name, "%s %s", cudaGetErrorName(error), cudaGetErrorName(last));
}
#define A(call) answer(#call, call)

static void launch(const char *name, const void *kernel, dim3 grid, dim3 block, size_t shared = 0,
		   cudaStream_t stream = 0)
{
	int *null = nullptr, v = 0;
	void *arguments[] = {&null, &v};
	cudaError_t error = cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
	cudaError_t last = cudaGetLastError();
	say(name, "%s %s %s", cudaGetErrorName(error), cudaGetErrorName(last),
	    cudaGetErrorName(cudaDeviceSynchronize()));
}

static void launches()
{
	const void *k = (const void *)nothing;
	launch("block 1024,2,1", k, 1, dim3(1024, 2, 1));
	launch("block 32,32,1", k, 1, dim3(32, 32, 1));
	launch("block 32,33,1", k, 1, dim3(32, 33, 1));
	launch("block 1,1,64", k, 1, dim3(1, 1, 64));
	launch("block 1,1,65", k, 1, dim3(1, 1, 65));
	launch("block 1,1025,1", k, 1, dim3(1, 1025, 1));
	launch("block 16,1,64", k, 1, dim3(16, 1, 64));
	launch("block 17,1,64", k, 1, dim3(17, 1, 64));
	launch("block 2^31,2,1", k, 1, dim3(0x80000000u, 2, 1));
	launch("block 65536,65536,1", k, 1, dim3(65536, 65536, 1));
	launch("block 0,0,0", k, 1, dim3(0, 0, 0));
	launch("grid 0,1,1", k, dim3(0, 1, 1), 1);
	launch("grid 1,65536,1", k, dim3(1, 65536, 1), 1);
	launch("grid 1,1,65535", k, dim3(1, 1, 65535), 1);
	launch("grid 1,1,65536", k, dim3(1, 1, 65536), 1);
	launch("grid and block wrong", k, dim3(1, 70000, 1), 2000);
	launch("shared 48K", k, 1, 1, 49152);
	launch("shared 48K+1", k, 1, 1, 49153);
	launch("shared static 4K + 44K", (const void *)some_shared, 1, 1, 45056);
	launch("shared static 4K + 44K + 1", (const void *)some_shared, 1, 1, 45057);
	launch("shared 2^32", k, 1, 1, 1ull << 32);
	launch("shared 2^63", k, 1, 1, 1ull << 63);
	launch("kernel NULL", nullptr, 1, 1);
	launch("kernel is data", &no_symbol, 1, 1);
	launch("kernel is a variable", &variable, 1, 1);
	launch("bounds 128", (const void *)bounded, 1, 128);
	launch("bounds 129", (const void *)bounded, 1, 129);
	launch("cluster 2, grid 2", (const void *)clustered, 2, 1);
	launch("cluster 2, grid 3", (const void *)clustered, 3, 1);
	launch("stream per thread", k, 1, 1, 0, cudaStreamPerThread);
	launch("stream legacy", k, 1, 1, 0, cudaStreamLegacy);
}

static void extended(const char *name, const void *kernel, dim3 grid, dim3 block,
		     cudaLaunchAttribute *attributes, unsigned n, size_t shared = 0)
{
	cudaLaunchConfig_t config = {};
	int *null = nullptr, v = 0;
	void *arguments[] = {&null, &v};
	config.gridDim = grid;
	config.blockDim = block;
	config.dynamicSmemBytes = shared;
	config.attrs = attributes;
	config.numAttrs = n;
	cudaError_t error = cudaLaunchKernelExC(&config, kernel, arguments);
	cudaError_t last = cudaGetLastError();
	say(name, "%s %s %s", cudaGetErrorName(error), cudaGetErrorName(last),
	    cudaGetErrorName(cudaDeviceSynchronize()));
}

static void cooperative()
{
	int *null = nullptr, v = 0, sms = 0, blocks = 0;
	void *arguments[] = {&null, &v};
	CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 1024, 0));
	say("cooperative blocks of 1024", "%d", blocks);
	const void *k = (const void *)nothing;
	A(cudaLaunchCooperativeKernel(k, dim3(sms * blocks), dim3(1024), arguments, 0, 0));
	A(cudaLaunchCooperativeKernel(k, dim3(sms * blocks + 1), dim3(1024), arguments, 0, 0));
	A(cudaLaunchCooperativeKernel(k, dim3(1 << 20), dim3(32), arguments, 0, 0));
	A(cudaLaunchCooperativeKernel(k, dim3(0), dim3(32), arguments, 0, 0));
	A(cudaLaunchCooperativeKernel(k, dim3(1), dim3(2048), arguments, 0, 0));
	A(cudaLaunchCooperativeKernel(k, dim3(1), dim3(32), arguments, 50000, 0));
	A(cudaLaunchCooperativeKernel((const void *)dynamic_shared, dim3(sms * 32), dim3(32), arguments,
				      40000, 0));
	A(cudaLaunchCooperativeKernel((const void *)nullptr, dim3(1), dim3(32), arguments, 0, 0));
	A(cudaDeviceSynchronize());

	cudaLaunchAttribute a[1] = {};
	a[0].id = cudaLaunchAttributeClusterDimension;
	a[0].val.clusterDim.x = 2;
	a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
	extended("cluster attribute 2, grid 4", k, 4, 32, a, 1);
	extended("cluster attribute 2, grid 5", k, 5, 32, a, 1);
	a[0].val.clusterDim.x = 8;
	extended("cluster attribute 8", k, 8, 32, a, 1);
	a[0].val.clusterDim.x = 16;
	extended("cluster attribute 16", k, 16, 32, a, 1);
	a[0].val.clusterDim.x = 0;
	extended("cluster attribute 0", k, 16, 32, a, 1);
	a[0].val.clusterDim.x = 4;
	extended("cluster attribute 4 on dims 2", (const void *)clustered, 4, 32, a, 1);
	a[0].id = cudaLaunchAttributeCooperative;
	a[0].val.cooperative = 1;
	extended("cooperative attribute", k, 4, 32, a, 1);
	extended("cooperative attribute, too large", k, 1 << 20, 32, a, 1);
	a[0].id = cudaLaunchAttributePriority;
	a[0].val.priority = 7;
	extended("priority attribute 7", k, 1, 32, a, 1);
}

static void functions()
{
	const void *k = (const void *)dynamic_shared;
	A(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 0));
	A(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
	A(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
	A(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449));
	A(cudaFuncSetAttribute((const void *)some_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
			       232448 - 4096));
	A(cudaFuncSetAttribute((const void *)some_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
			       232448 - 4095));
	launch("dynamic 227K", k, 1, 32, 232448);
	launch("dynamic 227K + 1", k, 1, 32, 232449);
	A(cudaFuncSetAttribute(k, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
	A(cudaFuncSetAttribute(k, cudaFuncAttributePreferredSharedMemoryCarveout, -2));
	A(cudaFuncSetAttribute(k, cudaFuncAttributePreferredSharedMemoryCarveout, -1));
	A(cudaFuncSetAttribute(k, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
	A(cudaFuncSetAttribute(k, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
	A(cudaFuncSetAttribute(k, cudaFuncAttributeNonPortableClusterSizeAllowed, 2));
	A(cudaFuncSetAttribute(k, cudaFuncAttributeRequiredClusterWidth, -1));
	A(cudaFuncSetAttribute(k, cudaFuncAttributeClusterDimMustBeSet, 1));
	A(cudaFuncSetAttribute(k, (cudaFuncAttribute)0, 1));
	A(cudaFuncSetAttribute(k, (cudaFuncAttribute)99, 1));
	A(cudaFuncSetAttribute((const void *)nullptr, cudaFuncAttributeMaxDynamicSharedMemorySize, 0));
	A(cudaFuncSetAttribute((const void *)&no_symbol, cudaFuncAttributeMaxDynamicSharedMemorySize, 0));
	A(cudaFuncSetCacheConfig(k, cudaFuncCachePreferShared));
	A(cudaFuncSetCacheConfig(k, (cudaFuncCache)9));
	cudaFuncAttributes f;
	A(cudaFuncGetAttributes(&f, (const void *)nullptr));
	A(cudaFuncGetAttributes(&f, (const void *)&no_symbol));
	A(cudaFuncGetAttributes(nullptr, k));
	CHECK(cudaFuncGetAttributes(&f, k));
	say("attributes of dynamic_shared", "%zu %zu %d %d %d %d", f.sharedSizeBytes, f.constSizeBytes,
	    f.maxThreadsPerBlock, f.maxDynamicSharedSizeBytes, f.preferredShmemCarveout, f.binaryVersion);
	CHECK(cudaFuncGetAttributes(&f, (const void *)bounded));
	say("attributes of bounded", "%zu %d %d", f.sharedSizeBytes, f.maxThreadsPerBlock,
	    f.maxDynamicSharedSizeBytes);
	CHECK(cudaFuncGetAttributes(&f, (const void *)some_shared));
	say("attributes of some_shared", "%zu %d %d", f.sharedSizeBytes, f.maxThreadsPerBlock,
	    f.maxDynamicSharedSizeBytes);
}

static void occupancy_of(const char *name, const void *kernel, int block, size_t shared)
{
	int blocks = -7;
	char text[64];
	cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block, shared);
	cudaError_t last = cudaGetLastError();
	snprintf(text, sizeof text, "occupancy of %s, %d, %zu", name, block, shared);
	say(text, "%d %s %s", blocks, cudaGetErrorName(error), cudaGetErrorName(last));
}

static void occupancy()
{
	static const int blocks[] = {-1, 0, 1, 31, 32, 33, 64, 96, 128, 192, 256, 384, 512, 768, 1000, 1024, 1025};
	static const size_t shared[] = {0, 1000, 1024, 7168, 10000, 16384, 33000, 49152, 65536, 100000, 232448, 232449};
	for (int b : blocks)
		occupancy_of("nothing", (const void *)nothing, b, 0);
	for (size_t s : shared) {
		occupancy_of("dynamic", (const void *)dynamic_shared, 128, s);
		occupancy_of("some", (const void *)some_shared, 32, s);
	}
	occupancy_of("bounded", (const void *)bounded, 128, 0);
	occupancy_of("bounded", (const void *)bounded, 256, 0);
	occupancy_of("NULL", nullptr, 32, 0);
	occupancy_of("data", &no_symbol, 32, 0);
	int n = -7, least = -7;
	A(cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, nothing, 32, 0));
	A(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, nothing, 32, 0,
								 cudaOccupancyDisableCachingOverride));
	A(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, nothing, 32, 0, 99));
	CHECK(cudaOccupancyMaxPotentialBlockSize(&least, &n, nothing, 0, 0));
	say("potential nothing", "%d %d", least, n);
	CHECK(cudaOccupancyMaxPotentialBlockSize(&least, &n, bounded, 0, 0));
	say("potential bounded", "%d %d", least, n);
	CHECK(cudaOccupancyMaxPotentialBlockSize(&least, &n, dynamic_shared, 60000, 0));
	say("potential dynamic 60000", "%d %d", least, n);
	CHECK(cudaOccupancyMaxPotentialBlockSize(&least, &n, nothing, 0, 100));
	say("potential nothing, limit 100", "%d %d", least, n);
	size_t room = 7;
	A(cudaOccupancyAvailableDynamicSMemPerBlock(&room, nothing, 2, 128));
	say("available dynamic, 2 of 128", "%zu", room);
	A(cudaOccupancyAvailableDynamicSMemPerBlock(&room, nothing, 16, 128));
	say("available dynamic, 16 of 128", "%zu", room);
	A(cudaOccupancyAvailableDynamicSMemPerBlock(&room, nothing, 0, 128));
	A(cudaOccupancyAvailableDynamicSMemPerBlock(&room, nothing, 3, 1024));
}

static void memory_calls()
{
	char *d = nullptr, h[64] = {0};
	void *p = nullptr;
	size_t pitch = 0;
	CHECK(cudaMalloc(&d, 64));
	A(cudaMalloc(nullptr, 64));
	A(cudaMalloc(&p, (size_t)-1));
	A(cudaMalloc(&p, 1ull << 60));
	A(cudaMallocHost(&p, (size_t)-1));
	A(cudaMallocManaged(&p, 0));
	A(cudaMallocManaged(&p, 64, 99));
	A(cudaMallocPitch(&p, &pitch, 0, 4));
	A(cudaMallocPitch(nullptr, &pitch, 4, 4));
	A(cudaMemcpy(d, h, 0, cudaMemcpyHostToDevice));
	A(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
	A(cudaMemcpy(d, h, 64, (cudaMemcpyKind)7));
	A(cudaMemcpy(d, h, 64, (cudaMemcpyKind)-1));
	A(cudaMemcpy(d, h, 0, (cudaMemcpyKind)7));
	A(cudaMemcpy(h, d, 64, cudaMemcpyHostToDevice));
	A(cudaMemcpy(d, h, 64, cudaMemcpyDeviceToHost));
	A(cudaMemcpy(d, h, 64, cudaMemcpyHostToHost));
	A(cudaMemcpy(h, h + 1, 8, cudaMemcpyDeviceToDevice));
	A(cudaMemcpy(nullptr, h, 8, cudaMemcpyHostToDevice));
	A(cudaMemcpy(d, nullptr, 8, cudaMemcpyHostToDevice));
	A(cudaMemcpy(h, d, 65536 * 64, cudaMemcpyDeviceToHost));
	A(cudaMemcpyAsync(d, h, 64, (cudaMemcpyKind)7, 0));
	A(cudaMemcpyAsync(d, h, 0, cudaMemcpyHostToDevice, 0));
	A(cudaMemset(d, 1, 0));
	A(cudaMemset(nullptr, 1, 0));
	A(cudaMemset(nullptr, 1, 4));
	A(cudaMemset(h, 1, 4));
	A(cudaMemset2D(d, 4, 1, 8, 2));
	A(cudaMemset2D(d, 8, 1, 8, 0));
	A(cudaMemcpy2D(d, 4, h, 8, 8, 2, cudaMemcpyHostToDevice));
	A(cudaMemcpy2D(d, 8, h, 4, 8, 2, cudaMemcpyHostToDevice));
	A(cudaMemcpy2D(d, 8, h, 8, 0, 2, cudaMemcpyHostToDevice));
	A(cudaMemcpy2D(d, 1ull << 40, h, 1ull << 40, 8, 1, cudaMemcpyHostToDevice));
	A(cudaMemcpyToSymbol(variable, h, 5));
	A(cudaMemcpyToSymbol(variable, h, 4, 1));
	A(cudaMemcpyToSymbol(variable, h, 0, 4));
	A(cudaMemcpyToSymbol(variable, h, 0, 5));
	A(cudaMemcpyToSymbol(variable, h, 4, 0, cudaMemcpyDeviceToHost));
	A(cudaMemcpyToSymbol(table, h, 16, 0, cudaMemcpyHostToDevice));
	A(cudaMemcpyToSymbol((const void *)&no_symbol, h, 4));
	A(cudaMemcpyToSymbol((const void *)nullptr, h, 4));
	A(cudaMemcpyFromSymbol(h, variable, 5));
	A(cudaMemcpyFromSymbol(h, variable, 4, 0, cudaMemcpyHostToDevice));
	A(cudaMemcpyFromSymbol(h, (const void *)&no_symbol, 4));
	A(cudaGetSymbolAddress(&p, (const void *)&no_symbol));
	A(cudaGetSymbolSize(&pitch, table));
	say("size of table", "%zu", pitch);
	A(cudaGetSymbolSize(&pitch, (const void *)nothing));
	A(cudaFree(d + 1));
	A(cudaFree(h));
	A(cudaFreeHost(d));
	A(cudaFreeHost(nullptr));
	A(cudaHostRegister(nullptr, 64, 0));
	A(cudaHostRegister(h, 0, 0));
	A(cudaHostRegister(h, 64, 0xffff));
	A(cudaHostUnregister(h));
	A(cudaHostGetDevicePointer(&p, h, 0));
	A(cudaPointerGetAttributes(nullptr, d));
	A(cudaMemGetInfo(nullptr, nullptr));
	A(cudaFree(d));
	A(cudaFree(d));
	A(cudaFreeAsync(nullptr, 0));
	A(cudaMallocAsync(nullptr, 64, 0));
	A(cudaMallocAsync(&p, 0, 0));
}

static void handles()
{
	cudaStream_t s = nullptr;
	cudaEvent_t e = nullptr, f = nullptr;
	int i = 0;
	float ms = 0;
	A(cudaStreamCreate(nullptr));
	A(cudaStreamCreateWithFlags(&s, 99));
	A(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -100));
	A(cudaStreamGetPriority(s, &i));
	say("priority -100 is", "%d", i);
	A(cudaStreamDestroy(s));
	A(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, 100));
	A(cudaStreamGetPriority(s, &i));
	say("priority 100 is", "%d", i);
	A(cudaStreamQuery(s));
	A(cudaStreamWaitEvent(s, nullptr, 0));
	A(cudaStreamWaitEvent(s, nullptr, 5));
	A(cudaStreamAddCallback(s, nullptr, nullptr, 0));
	A(cudaLaunchHostFunc(s, nullptr, nullptr));
	A(cudaStreamDestroy(s));
	A(cudaStreamDestroy(nullptr));
	A(cudaStreamDestroy(cudaStreamLegacy));
	A(cudaStreamDestroy(cudaStreamPerThread));
	A(cudaStreamQuery(cudaStreamPerThread));
	A(cudaStreamSynchronize(cudaStreamLegacy));
	A(cudaStreamGetFlags(nullptr, nullptr));
	A(cudaEventCreate(nullptr));
	A(cudaEventCreateWithFlags(&e, 99));
	A(cudaEventCreateWithFlags(&e, cudaEventInterprocess));
	CHECK(cudaEventCreate(&e));
	CHECK(cudaEventCreateWithFlags(&f, cudaEventDisableTiming));
	A(cudaEventQuery(e));
	A(cudaEventSynchronize(e));
	A(cudaEventElapsedTime(&ms, e, e));
	A(cudaEventRecord(e, 0));
	A(cudaEventSynchronize(e));
	A(cudaEventElapsedTime(&ms, e, e));
	A(cudaEventElapsedTime(&ms, e, f));
	A(cudaEventRecord(f, 0));
	A(cudaEventSynchronize(f));
	A(cudaEventElapsedTime(&ms, e, f));
	A(cudaEventElapsedTime(nullptr, e, e));
	A(cudaEventRecord(nullptr, 0));
	A(cudaEventRecordWithFlags(e, 0, 99));
	A(cudaEventQuery(nullptr));
	A(cudaEventSynchronize(nullptr));
	A(cudaEventDestroy(nullptr));
	A(cudaEventDestroy(e));
}

static void devices()
{
	cudaDeviceProp p;
	int n = 0;
	size_t value = 0;
	char bus[32];
	A(cudaSetDevice(-1));
	A(cudaSetDevice(1000));
	A(cudaGetDevice(nullptr));
	A(cudaGetDeviceCount(nullptr));
	A(cudaGetDeviceProperties(&p, -1));
	A(cudaGetDeviceProperties(&p, 1000));
	A(cudaGetDeviceProperties(nullptr, 0));
	A(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 1000));
	A(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)0, 0));
	A(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)-1, 0));
	A(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)9999, 0));
	A(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
	A(cudaDeviceCanAccessPeer(&n, 0, 0));
	A(cudaDeviceCanAccessPeer(&n, 0, 1000));
	A(cudaDeviceEnablePeerAccess(0, 0));
	A(cudaDeviceEnablePeerAccess(1000, 0));
	A(cudaDeviceDisablePeerAccess(0));
	A(cudaDeviceGetPCIBusId(bus, 4, 0));
	A(cudaDeviceGetPCIBusId(nullptr, 32, 0));
	A(cudaDeviceGetByPCIBusId(&n, "nonsense"));
	A(cudaDeviceGetByPCIBusId(&n, "00000000:ff:1f.0"));
	A(cudaChooseDevice(&n, nullptr));
	A(cudaSetDeviceFlags(99));
	A(cudaDeviceSetCacheConfig((cudaFuncCache)9));
	A(cudaRuntimeGetVersion(nullptr));
	A(cudaDriverGetVersion(nullptr));
	for (int limit = 0; limit < 8; limit++) {
		char name[32];
		value = 0;
		cudaError_t error = cudaDeviceGetLimit(&value, (cudaLimit)limit);
		cudaGetLastError();
		snprintf(name, sizeof name, "limit %d", limit);
		say(name, "%zu %s", value, cudaGetErrorName(error));
	}
	A(cudaDeviceGetLimit(nullptr, cudaLimitStackSize));
	A(cudaDeviceSetLimit(cudaLimitStackSize, 1 << 20));
	A(cudaDeviceSetLimit(cudaLimitStackSize, 1000));
	A(cudaDeviceGetLimit(&value, cudaLimitStackSize));
	say("stack of 1000", "%zu", value);
	A(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 100));
	A(cudaDeviceGetLimit(&value, cudaLimitPrintfFifoSize));
	say("fifo of 100", "%zu", value);
	A(cudaDeviceSetLimit((cudaLimit)99, 1));
	A(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 129));
	A(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1));
	A(cudaDeviceGetLimit(&value, cudaLimitPersistingL2CacheSize));
	say("persisting of 1", "%zu", value);
	int low = 9, high = 9;
	A(cudaDeviceGetStreamPriorityRange(&low, &high));
	say("priorities", "%d %d", low, high);
	A(cudaDeviceGetStreamPriorityRange(nullptr, nullptr));
}

/* After a trap every call answers the same until the process ends. */
static void after_a_trap()
{
	int *d = nullptr, h = 0, n = 0;
	void *p;
	cudaStream_t s;
	cudaEvent_t e;
	CHECK(cudaMalloc(&d, 4));
	CHECK(cudaEventCreate(&e));
	trap<<<1, 1>>>();
	say("launch of a trap", "%s", cudaGetErrorName(cudaGetLastError()));
	A(cudaDeviceSynchronize());
	A(cudaDeviceSynchronize());
	say("peek", "%s", cudaGetErrorName(cudaPeekAtLastError()));
	A(cudaMalloc(&p, 4));
	A(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
	A(cudaMemcpy(&h, d, 0, cudaMemcpyDeviceToHost));
	A(cudaMemset(d, 0, 4));
	A(cudaStreamCreate(&s));
	A(cudaStreamSynchronize(0));
	A(cudaStreamQuery(0));
	A(cudaEventRecord(e, 0));
	A(cudaEventQuery(e));
	A(cudaEventSynchronize(e));
	A(cudaEventDestroy(e));
	A(cudaMemcpyToSymbol(variable, &h, 4));
	A(cudaGetSymbolAddress(&p, variable));
	A(cudaFuncSetAttribute((const void *)nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 0));
	A(cudaGetDeviceCount(&n));
	A(cudaGetDevice(&n));
	A(cudaSetDevice(0));
	A(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0));
	A(cudaFree(d));
	A(cudaFree(nullptr));
	nothing<<<1, 1>>>();
	say("launch after it", "%s", cudaGetErrorName(cudaGetLastError()));
	nothing<<<1, 2000>>>();
	say("bad launch after it", "%s", cudaGetErrorName(cudaGetLastError()));
}

int main()
{
	launches();
	cooperative();
	functions();
	occupancy();
	memory_calls();
	handles();
	devices();
	after_a_trap();
	return 0;
}
