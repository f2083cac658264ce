/* SPDX-License-Identifier: Apache-2.0 */
/* What CUDA's calls answer to good, odd and bad arguments, as numbers of errors. */
#include <unistd.h>

#include "case.cuh"

__global__ void nothing()
{
}
__global__ void spin(volatile int *flag)
{
	while (*flag == 0)
		;
}
__device__ int variable[16];
__managed__ int managed_variable[4];
__constant__ float constant_variable[8];

static void codes(const char *name, std::initializer_list<cudaError_t> list)
{
	printf("%s:", name);
	for (cudaError_t e : list)
		printf(" %d", (int)e);
	printf("\n");
	fflush(stdout);
	cudaGetLastError();
}

static void CUDART_CB host_function(void *arg)
{
	/* The CUDA API is closed here. */
	void *p;
	*(int *)arg = cudaMalloc(&p, 16);
}
static void CUDART_CB callback(cudaStream_t, cudaError_t error, void *arg)
{
	*(int *)arg = 100 + error;
}

static void allocations()
{
	void *p = (void *)8, *q = (void *)8;
	size_t pitch = 0;
	codes("cudaMalloc", {cudaMalloc(&p, 0), cudaMalloc(nullptr, 16), cudaMalloc(nullptr, 0), cudaMalloc(&q, 16),
			     cudaMalloc(&q, SIZE_MAX), cudaMalloc(&q, SIZE_MAX / 2), cudaMalloc(&q, (size_t)1 << 40)});
	say("cudaMalloc of nothing", "%d", p == nullptr);
	CHECK(cudaMalloc(&p, 1 << 20));
	codes("cudaMallocHost", {cudaMallocHost(&q, 0), cudaMallocHost((void **)nullptr, 16)});
	say("cudaMallocHost of nothing", "%d", q == nullptr);
	codes("cudaHostAlloc", {cudaHostAlloc(&q, 16, 0), cudaHostAlloc(&q, 16, 7), cudaHostAlloc(&q, 16, 8),
				cudaHostAlloc(&q, 16, 0x100), cudaHostAlloc(&q, (size_t)1 << 50, 0)});
	unsigned flags[3] = {99, 99, 99};
	void *h[3];
	codes("cudaHostGetFlags", {cudaHostAlloc(&h[0], 64, 0), cudaHostAlloc(&h[1], 64, cudaHostAllocWriteCombined),
				   cudaMallocHost(&h[2], 64), cudaHostGetFlags(&flags[0], h[0]),
				   cudaHostGetFlags(&flags[1], h[1]), cudaHostGetFlags(&flags[2], h[2]),
				   cudaHostGetFlags(&flags[0], p), cudaHostGetFlags(nullptr, h[0])});
	say("flags", "%u %u %u", flags[0], flags[1], flags[2]);
	codes("cudaMallocManaged", {cudaMallocManaged(&q, 0), cudaMallocManaged(&q, 64, 0), cudaMallocManaged(&q, 64, 3),
				    cudaMallocManaged(&q, 64, cudaMemAttachSingle), cudaMallocManaged((void **)nullptr, 64),
				    cudaMallocManaged(&q, 64, cudaMemAttachHost)});
	codes("cudaMallocPitch", {cudaMallocPitch(&q, &pitch, 0, 4), cudaMallocPitch(&q, &pitch, 4, 0),
				  cudaMallocPitch(&q, &pitch, 513, 3), cudaMallocPitch(&q, nullptr, 4, 4)});
	for (size_t width : {1, 511, 512, 513, 1000, 1024, 1025, 4096, 5000}) {
		char name[32];
		snprintf(name, sizeof name, "pitch of %zu", width);
		CHECK(cudaMallocPitch(&q, &pitch, width, 8));
		say(name, "%zu", pitch);
	}
	codes("cudaFree", {cudaFree(nullptr), cudaFree((char *)p + 1), cudaFree((void *)16), cudaFree(h[2]), cudaFree(p),
			   cudaFree(p), cudaFreeHost(nullptr), cudaFreeHost((char *)h[2] + 1), cudaFreeHost(h[2]),
			   cudaFreeHost(h[2]), cudaFreeHost((void *)16)});
	CHECK(cudaMallocManaged(&q, 64));
	codes("cudaFreeHost of managed", {cudaFreeHost(q), cudaFree(q)});
	void *symbol;
	codes("cudaFree of a variable", {cudaGetSymbolAddress(&symbol, variable), cudaFree(symbol)});

	static char area[1 << 16];
	codes("cudaHostRegister",
	      {cudaHostRegister(area, sizeof area, 0), cudaHostRegister(area, sizeof area, 0),
	       cudaHostRegister(area + 4096, 4096, 0), cudaHostUnregister(area + 4096), cudaHostUnregister(area),
	       cudaHostUnregister(area), cudaHostRegister(nullptr, 16, 0), cudaHostRegister(area, 0, 0),
	       cudaHostRegister(area, 16, 64), cudaHostUnregister(nullptr)});
	CHECK(cudaMalloc(&p, 64));
	CHECK(cudaMallocHost(&q, 64));
	void *d;
	codes("cudaHostGetDevicePointer", {cudaHostGetDevicePointer(&d, q, 0), cudaHostGetDevicePointer(&d, q, 1),
					   cudaHostGetDevicePointer(&d, p, 0), cudaHostGetDevicePointer(&d, area, 0),
					   cudaHostGetDevicePointer(nullptr, q, 0)});
	cudaPointerAttributes a;
	memset(&a, 99, sizeof a);
	codes("cudaPointerGetAttributes", {cudaPointerGetAttributes(&a, area), cudaPointerGetAttributes(&a, nullptr),
					   cudaPointerGetAttributes(nullptr, p)});
	say("of a host pointer", "%d, device %d, %d %d", a.type, a.device, a.devicePointer == nullptr, a.hostPointer == nullptr);
	size_t available, total;
	codes("cudaMemGetInfo", {cudaMemGetInfo(&available, &total), cudaMemGetInfo(nullptr, &total), cudaMemGetInfo(&available, nullptr)});
}

/* Every kind between every two sorts of memory. */
static void directions()
{
	enum { N = 5 };
	static const char *names[N] = {"host", "pinned", "device", "managed", "registered"};
	static char host[2][4096], registered[2][1 << 16];
	void *p[2][N];
	for (int i = 0; i < 2; i++) {
		p[i][0] = host[i];
		CHECK(cudaMallocHost(&p[i][1], 4096));
		CHECK(cudaMalloc(&p[i][2], 4096));
		CHECK(cudaMallocManaged(&p[i][3], 4096));
		CHECK(cudaHostRegister(registered[i], 1 << 16, 0));
		p[i][4] = registered[i];
	}
	for (int from = 0; from < N; from++) {
		for (int to = 0; to < N; to++) {
			char name[64];
			snprintf(name, sizeof name, "%s to %s", names[from], names[to]);
			printf("%s:", name);
			for (int kind = -1; kind <= 5; kind++)
				printf(" %d", (int)cudaMemcpy(p[1][to], p[0][from], 64, (cudaMemcpyKind)kind));
			printf(" async");
			for (int kind = 0; kind <= 4; kind++)
				printf(" %d", (int)cudaMemcpyAsync(p[1][to], p[0][from], 64, (cudaMemcpyKind)kind));
			printf("\n");
		}
	}
	cudaGetLastError();
	char *d = (char *)p[0][2], *m = (char *)p[0][3], *h = (char *)p[0][1];
	codes("beyond the end", {cudaMemcpy(d, host, 4097, cudaMemcpyHostToDevice), cudaMemcpy(m, host, 4097, cudaMemcpyHostToDevice),
				 cudaMemcpy(d + 4095, host, 1, cudaMemcpyHostToDevice),
				 cudaMemcpy(d + 4095, host, 2, cudaMemcpyHostToDevice)});
	codes("zero bytes", {cudaMemcpy(d, host, 0, cudaMemcpyHostToDevice), cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice),
			     cudaMemcpy(host, d, 0, cudaMemcpyHostToDevice), cudaMemcpy(nullptr, d, 4, cudaMemcpyDeviceToHost),
			     cudaMemcpy(d, nullptr, 4, cudaMemcpyHostToDevice)});
	codes("cudaMemset", {cudaMemset(d, 1, 4096), cudaMemset(d, 1, 0), cudaMemset(d, 1, 4097), cudaMemset(host, 1, 4),
			     cudaMemset(h, 1, 4), cudaMemset(m, 1, 4), cudaMemset(nullptr, 1, 4), cudaMemset(nullptr, 1, 0),
			     cudaMemset(registered[0], 1, 4), cudaMemsetAsync(host, 1, 4)});
	codes("cudaMemcpy2D", {cudaMemcpy2D(d, 64, host, 64, 65, 2, cudaMemcpyHostToDevice),
			       cudaMemcpy2D(d, 64, host, 64, 64, 64, cudaMemcpyHostToDevice),
			       cudaMemcpy2D(d, 64, host, 64, 64, 65, cudaMemcpyHostToDevice),
			       cudaMemcpy2D(d, 0, host, 0, 64, 1, cudaMemcpyHostToDevice),
			       cudaMemcpy2D(d, 0, host, 0, 0, 1, cudaMemcpyHostToDevice),
			       cudaMemcpy2D(d, 64, host, 64, 64, 0, cudaMemcpyHostToDevice),
			       cudaMemcpy2D(d, (size_t)1 << 40, host, 64, 64, 1, cudaMemcpyHostToDevice),
			       cudaMemcpy2D(d, 64, host, 64, 64, 2, cudaMemcpyDeviceToHost)});
	codes("cudaMemset2D", {cudaMemset2D(d, 64, 0, 65, 2), cudaMemset2D(d, 64, 0, 64, 64), cudaMemset2D(d, 64, 0, 64, 65),
			       cudaMemset2D(d, 0, 0, 64, 1), cudaMemset2D(host, 64, 0, 64, 1)});
	cudaMemcpy3DParms c = {};
	codes("cudaMemcpy3D of nothing", {cudaMemcpy3D(&c), cudaMemcpy3D(nullptr)});
	codes("cudaMemcpyPeer", {cudaMemcpyPeer(d, 0, p[1][2], 0, 64), cudaMemcpyPeer(d, 0, p[1][2], 64, 64),
				 cudaMemcpyPeer(d, -1, p[1][2], 0, 64)});
	void *address;
	size_t size;
	codes("symbols", {cudaGetSymbolAddress(&address, variable), 
			  cudaGetSymbolAddress(&address, host), cudaGetSymbolAddress(&address, nullptr),
			  cudaGetSymbolSize(&size, variable), cudaGetSymbolSize(&size, host),
			  cudaGetSymbolAddress(&address, constant_variable), cudaGetSymbolAddress(&address, managed_variable)});
	codes("cudaMemcpyToSymbol", {cudaMemcpyToSymbol(variable, host, 64), cudaMemcpyToSymbol(variable, host, 65),
				     cudaMemcpyToSymbol(variable, host, 60, 4), cudaMemcpyToSymbol(variable, host, 61, 4),
				     cudaMemcpyToSymbol(variable, host, 0, 65), cudaMemcpyToSymbol(variable, nullptr, 4),
				     cudaMemcpyToSymbol(variable, host, 4, 0, cudaMemcpyDeviceToHost),
				     cudaMemcpyToSymbol(variable, d, 4, 0, cudaMemcpyDeviceToDevice),
				     cudaMemcpyToSymbol(variable, host, 4, 0, cudaMemcpyDefault),
				     cudaMemcpyToSymbol(variable, host, 4, 0, cudaMemcpyHostToHost),
				     cudaMemcpyToSymbol(host, host, 4), cudaMemcpyToSymbol(constant_variable, host, 32)});
	codes("cudaMemcpyFromSymbol", {cudaMemcpyFromSymbol(host, variable, 64), cudaMemcpyFromSymbol(host, variable, 65),
				       cudaMemcpyFromSymbol(nullptr, variable, 4),
				       cudaMemcpyFromSymbol(host, variable, 4, 0, cudaMemcpyHostToDevice)});
}

static void streams()
{
	cudaStream_t s, t;
	int n;
	unsigned flags;
	unsigned long long id;
	codes("cudaStreamCreate", {cudaStreamCreate(&s), cudaStreamCreate(nullptr), cudaStreamCreateWithFlags(&t, 2),
				   cudaStreamCreateWithFlags(&t, 1), cudaStreamCreateWithPriority(&t, 0, 100),
				   cudaStreamCreateWithPriority(&t, 0, -100)});
	CHECK(cudaStreamGetPriority(t, &n));
	say("priority of -100", "%d", n);
	codes("cudaStreamGet", {cudaStreamGetPriority(0, &n), cudaStreamGetFlags(0, &flags), cudaStreamGetFlags(s, nullptr),
				cudaStreamGetId(s, &id), cudaStreamGetDevice(s, &n), cudaStreamGetPriority(s, nullptr)});
	int before = 1 << 30;
	int *flag;
	CHECK(cudaMallocHost(&flag, 64));
	*flag = 0;
	spin<<<1, 1, 0, s>>>(flag);
	cudaError_t busy = cudaStreamQuery(s);
	cudaError_t last = cudaGetLastError();
	cudaEvent_t e;
	CHECK(cudaEventCreate(&e));
	CHECK(cudaEventRecord(e, s));
	cudaError_t event_busy = cudaEventQuery(e);
	cudaError_t event_last = cudaPeekAtLastError();
	float ms;
	cudaEvent_t e0;
	CHECK(cudaEventCreate(&e0));
	CHECK(cudaEventRecord(e0, t));
	CHECK(cudaStreamSynchronize(t));
	cudaError_t elapsed = cudaEventElapsedTime(&ms, e0, e);
	*flag = 1;
	codes("not ready", {busy, last, event_busy, event_last, elapsed, cudaStreamSynchronize(s), cudaStreamQuery(s), cudaEventQuery(e)});
	codes("host functions", {cudaLaunchHostFunc(s, host_function, &before), cudaLaunchHostFunc(s, nullptr, &before),
				 cudaStreamSynchronize(s)});
	say("cudaMalloc in a host function", "%d", before);
	codes("callbacks", {cudaStreamAddCallback(s, callback, &before, 0), cudaStreamAddCallback(s, callback, &before, 1),
			    cudaStreamAddCallback(s, nullptr, &before, 0), cudaStreamSynchronize(s)});
	say("callback's status", "%d", before);
	codes("events", {cudaEventCreate(nullptr), cudaEventCreateWithFlags(&e, 8), cudaEventCreateWithFlags(&e, 4),
			 cudaEventCreateWithFlags(&e, 6), cudaEventCreateWithFlags(&e, 3), cudaEventRecord(nullptr, s),
			 cudaEventSynchronize(e), cudaEventQuery(nullptr), cudaEventDestroy(nullptr), cudaEventElapsedTime(nullptr, e0, e0),
			 cudaStreamWaitEvent(s, nullptr, 0), cudaStreamWaitEvent(s, e, 0), cudaStreamWaitEvent(s, e, 2)});
	CHECK(cudaEventSynchronize(e0));
	codes("cudaEventElapsedTime", {cudaEventElapsedTime(&ms, e0, e0), cudaEventElapsedTime(&ms, e0, e), cudaEventElapsedTime(&ms, nullptr, e0)});
	codes("cudaStreamDestroy", {cudaStreamDestroy(s), cudaStreamDestroy(0), cudaStreamDestroy(cudaStreamLegacy), cudaStreamDestroy(cudaStreamPerThread)});
	int least, greatest;
	codes("cudaDeviceGetStreamPriorityRange", {cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaDeviceGetStreamPriorityRange(nullptr, nullptr)});
}

static void devices()
{
	int n = -1;
	size_t value;
	cudaDeviceProp p;
	codes("devices", {cudaGetDeviceCount(nullptr), cudaGetDevice(nullptr), cudaSetDevice(-1), cudaSetDevice(1000), cudaSetDevice(0),
			  cudaGetDeviceProperties(nullptr, 0), cudaGetDeviceProperties(&p, -1), cudaGetDeviceProperties(&p, 1000)});
	codes("cudaDeviceGetAttribute", {cudaDeviceGetAttribute(&n, (cudaDeviceAttr)0, 0), cudaDeviceGetAttribute(&n, (cudaDeviceAttr)1, 0),
					 cudaDeviceGetAttribute(nullptr, (cudaDeviceAttr)1, 0), cudaDeviceGetAttribute(&n, (cudaDeviceAttr)44, 0),
					 cudaDeviceGetAttribute(&n, (cudaDeviceAttr)92, 0), cudaDeviceGetAttribute(&n, (cudaDeviceAttr)1000, 0),
					 cudaDeviceGetAttribute(&n, (cudaDeviceAttr)1, 1000)});
	char id[16];
	codes("cudaDeviceGetPCIBusId", {cudaDeviceGetPCIBusId(id, 16, 0), cudaDeviceGetPCIBusId(id, 12, 0), cudaDeviceGetPCIBusId(nullptr, 16, 0),
					cudaDeviceGetPCIBusId(id, 16, 1000), cudaDeviceGetByPCIBusId(&n, "nonsense"),
					cudaDeviceGetByPCIBusId(&n, "7f7f:7f:7f.0")});
	for (int limit = 0; limit < 7; limit++) {
		char name[32];
		size_t again = 99;
		value = 99;
		snprintf(name, sizeof name, "limit %d", limit);
		cudaError_t got = cudaDeviceGetLimit(&value, (cudaLimit)limit);
		cudaError_t set = cudaDeviceSetLimit((cudaLimit)limit, 4000);
		cudaError_t got_again = cudaDeviceGetLimit(&again, (cudaLimit)limit);
		say(name, "%d %zu, set %d, %d %zu", got, value, set, got_again, again);
	}
	codes("stack sizes", {cudaDeviceSetLimit(cudaLimitStackSize, 65536), cudaDeviceSetLimit(cudaLimitStackSize, 100001), cudaDeviceSetLimit(cudaLimitStackSize, 0)});
	codes("limits", {cudaDeviceSetLimit(cudaLimitStackSize, 1 << 20), cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 0),
			 cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1), cudaDeviceGetLimit(nullptr, cudaLimitStackSize)});
	for (int limit = 0; limit < 3; limit++) {
		char name[32];
		snprintf(name, sizeof name, "limit %d then", limit);
		CHECK(cudaDeviceGetLimit(&value, (cudaLimit)limit));
		say(name, "%zu", value);
	}
	cudaFuncCache cache;
	cudaSharedMemConfig config;
	unsigned flags = 99;
	codes("configuration", {cudaDeviceGetCacheConfig(&cache), cudaDeviceSetCacheConfig((cudaFuncCache)7), cudaDeviceSetCacheConfig(cudaFuncCachePreferL1),
				cudaDeviceGetSharedMemConfig(&config), cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte),
				cudaGetDeviceFlags(&flags), cudaSetDeviceFlags(cudaDeviceScheduleSpin), cudaSetDeviceFlags(0x1000)});
	say("device flags", "%u, cache %d, banks %d", flags & cudaDeviceMapHost, cache, config);
	codes("peers", {cudaDeviceCanAccessPeer(&n, 0, 0), cudaDeviceCanAccessPeer(&n, 0, 1000), cudaDeviceCanAccessPeer(nullptr, 0, 0),
			cudaDeviceEnablePeerAccess(0, 0), cudaDeviceEnablePeerAccess(1000, 0), cudaDeviceDisablePeerAccess(0)});
	codes("versions", {cudaRuntimeGetVersion(nullptr), cudaDriverGetVersion(nullptr), cudaRuntimeGetVersion(&n)});
	say("runtime version", "%d", n);
	say("error names", "%s, %s, %s", cudaGetErrorName((cudaError_t)-1), cudaGetErrorString((cudaError_t)12345), cudaGetErrorName((cudaError_t)10000));
}

static void functions()
{
	int n = -1;
	size_t size = 99, offset = 99;
	cudaFuncAttributes a;
	const char *name;
	void *none[1] = {nullptr};
	codes("no kernel", {cudaFuncGetAttributes(&a, nullptr), cudaFuncGetAttributes(&a, (const void *)codes), cudaFuncGetAttributes(nullptr, nothing),
			    cudaFuncSetAttribute((const void *)nullptr, cudaFuncAttributeMaxDynamicSharedMemorySize, 0),
			    cudaFuncSetAttribute(nothing, (cudaFuncAttribute)3, 0), cudaFuncSetAttribute(nothing, (cudaFuncAttribute)99, 0),
			    cudaLaunchKernel((const void *)nullptr, 1, 1, none, 0, 0), cudaLaunchKernel((const void *)codes, 1, 1, none, 0, 0),
			    cudaFuncSetCacheConfig((const void *)nullptr, cudaFuncCachePreferL1)});
	codes("cudaFuncSetAttribute", {cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448),
				       cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449),
				       cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, -1),
				       cudaFuncSetAttribute(nothing, cudaFuncAttributePreferredSharedMemoryCarveout, 50),
				       cudaFuncSetAttribute(nothing, cudaFuncAttributePreferredSharedMemoryCarveout, -1),
				       cudaFuncSetAttribute(nothing, cudaFuncAttributePreferredSharedMemoryCarveout, -2),
				       cudaFuncSetAttribute(nothing, cudaFuncAttributePreferredSharedMemoryCarveout, 101),
				       cudaFuncSetAttribute(nothing, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
				       cudaFuncSetAttribute(nothing, cudaFuncAttributeNonPortableClusterSizeAllowed, 2)});
	CHECK(cudaFuncGetAttributes(&a, nothing));
	say("attributes then", "dynamic %d, carveout %d, cluster %d %d %d %d, portable %d", a.maxDynamicSharedSizeBytes, a.preferredShmemCarveout,
	    a.clusterDimMustBeSet, a.requiredClusterWidth, a.requiredClusterHeight, a.requiredClusterDepth, a.nonPortableClusterSizeAllowed);
	codes("opt in, then none", {cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 0),
				    cudaLaunchKernel((const void *)nothing, 1, 1, none, 1, 0), cudaLaunchKernel((const void *)nothing, 1, 1, none, 0, 0),
				    cudaLaunchKernel((const void *)nothing, 1, 1, none, 49152, 0)});
	codes("parameters", {cudaFuncGetParamInfo((const void *)spin, 0, &offset, &size), cudaFuncGetParamInfo((const void *)spin, 1, &offset, &size),
			     cudaFuncGetParamInfo((const void *)nothing, 0, &offset, &size), cudaFuncGetName(&name, (const void *)nothing)});
	codes("occupancy", {cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 0, 0), cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, -1, 0),
			    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 1025, 0),
			    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 128, 1 << 20),
			    cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, nothing, 128, 0),
			    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void *)nullptr, 128, 0),
			    cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, nothing, 128, 0, 2)});
	for (int threads : {1, 31, 32, 33, 64, 96, 128, 192, 256, 384, 512, 640, 768, 1000, 1024, 1025}) {
		printf("blocks of %d:", threads);
		for (size_t shared : {0, 1, 1024, 10000, 16384, 48128, 49152, 60000, 100000, 232447, 232448}) {
			n = -1;
			CHECK(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
			cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, threads, shared);
			printf(" %d", error ? -(int)error : n);
		}
		printf("\n");
	}
	for (int blocks : {1, 2, 3, 4, 8, 16, 32, 33}) {
		size = 1;
		cudaError_t error = cudaOccupancyAvailableDynamicSMemPerBlock(&size, nothing, blocks, 64);
		printf("dynamic for %d blocks: %d %zu\n", blocks, error, size);
	}
	cudaGetLastError();
	cudaLaunchConfig_t config = {};
	config.gridDim = 100000;
	config.blockDim = 1024;
	cudaLaunchAttribute attribute[2];
	attribute[0].id = cudaLaunchAttributeCooperative;
	attribute[0].val.cooperative = 1;
	config.attrs = attribute;
	config.numAttrs = 1;
	codes("cooperative", {cudaLaunchKernelExC(&config, (const void *)nothing, nullptr), cudaLaunchCooperativeKernel((const void *)nothing, 100000, 1024, nullptr, 0, 0),
			      cudaLaunchCooperativeKernel((const void *)nothing, 132, 1024, nullptr, 0, 0),
			      cudaLaunchCooperativeKernel((const void *)nothing, 264, 1024, nullptr, 0, 0),
			      cudaLaunchCooperativeKernel((const void *)nothing, 265, 1024, nullptr, 0, 0)});
	attribute[0].id = cudaLaunchAttributeClusterDimension;
	CHECK(cudaFuncSetAttribute(nothing, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
	for (unsigned width : {0u, 1u, 2u, 3u, 8u, 9u, 16u, 32u}) {
		char text[32];
		attribute[0].val.clusterDim = {width, 1, 1};
		config.gridDim = 288;
		config.blockDim = 32;
		snprintf(text, sizeof text, "cluster of %u", width);
		codes(text, {cudaLaunchKernelExC(&config, (const void *)nothing, nullptr), cudaDeviceSynchronize()});
	}
	CHECK(cudaFuncSetAttribute(nothing, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
	for (unsigned width : {16u, 32u}) {
		char text[48];
		attribute[0].val.clusterDim = {width, 1, 1};
		snprintf(text, sizeof text, "not portable cluster of %u", width);
		codes(text, {cudaLaunchKernelExC(&config, (const void *)nothing, nullptr), cudaDeviceSynchronize()});
	}
	attribute[0].val.clusterDim = {7, 1, 1};
	codes("grid is no multiple of the cluster", {cudaLaunchKernelExC(&config, (const void *)nothing, nullptr), cudaDeviceSynchronize()});
	attribute[0].id = (cudaLaunchAttributeID)999;
	codes("bad launch attribute", {cudaLaunchKernelExC(&config, (const void *)nothing, nullptr)});
}

static void pools()
{
	cudaMemPool_t pool, other;
	void *p, *q;
	unsigned long long value = 99;
	int flag = 99;
	codes("pools", {cudaDeviceGetDefaultMemPool(&pool, 0), cudaDeviceGetDefaultMemPool(&pool, 1000), cudaDeviceGetMemPool(&other, 0),
			cudaDeviceGetDefaultMemPool(nullptr, 0)});
	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	say("the default is current", "%d", pool == other);
	codes("cudaMallocAsync", {cudaMallocAsync(&p, 0, 0), cudaMallocAsync(&p, 100, 0), cudaMallocAsync(nullptr, 100, 0), cudaMallocAsync(&q, (size_t)1 << 40, 0),
				  cudaFreeAsync(p, 0), cudaFreeAsync(nullptr, 0), cudaFreeAsync((void *)16, 0), cudaDeviceSynchronize(), cudaFree(p)});
	codes("freed by the other", {cudaMalloc(&p, 64), cudaFreeAsync(p, 0), cudaMallocAsync(&q, 64, 0), cudaFree(q), cudaDeviceSynchronize()});
	codes("pool attributes", {cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value), cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &flag),
				  cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)99, &value), cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value),
				  cudaMemPoolTrimTo(pool, 0), cudaMemPoolDestroy(pool)});
	say("pool values", "%llu %d", value, flag);
	int *managed;
	cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, nowhere = {cudaMemLocationTypeDevice, 1000}, host = {cudaMemLocationTypeHost, 0};
	CHECK(cudaMallocManaged(&managed, 4096));
	CHECK(cudaMalloc(&p, 4096));
	codes("cudaMemAdvise", {cudaMemAdvise(managed, 4096, cudaMemAdviseSetReadMostly, here), cudaMemAdvise(managed, 4096, cudaMemAdviseSetPreferredLocation, nowhere),
				cudaMemAdvise(managed, 4096, cudaMemAdviseSetAccessedBy, host), cudaMemAdvise(managed, 4096, (cudaMemoryAdvise)99, here),
				cudaMemAdvise(p, 4096, cudaMemAdviseSetReadMostly, here), cudaMemAdvise(managed, 0, cudaMemAdviseSetReadMostly, here)});
	codes("cudaMemPrefetchAsync", {cudaMemPrefetchAsync(managed, 4096, here, 0, 0), cudaMemPrefetchAsync(managed, 4096, host, 0, 0),
				       cudaMemPrefetchAsync(managed, 4096, nowhere, 0, 0), cudaMemPrefetchAsync(p, 4096, here, 0, 0),
				       cudaMemPrefetchAsync(managed, 0, here, 0, 0), cudaMemPrefetchAsync(managed, 4096, here, 1, 0),
				       cudaDeviceSynchronize()});
}

static void graphs()
{
	cudaStream_t s;
	cudaGraph_t graph = nullptr;
	cudaGraphExec_t exec = nullptr;
	cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
	int *d, host[4] = {};
	CHECK(cudaStreamCreate(&s));
	CHECK(cudaMalloc(&d, 64));
	codes("capture", {cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal), cudaStreamEndCapture(s, &graph),
			  cudaStreamBeginCapture(s, (cudaStreamCaptureMode)9), cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal),
			  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal), cudaStreamIsCapturing(s, &status)});
	say("capturing", "%d", status);
	nothing<<<1, 1, 0, s>>>();
	codes("in a capture", {cudaGetLastError(), cudaMemsetAsync(d, 0, 64, s), cudaMemcpyAsync(host, d, 16, cudaMemcpyDeviceToHost, s),
			       cudaStreamEndCapture(s, &graph)});
	size_t n = 0;
	codes("graph", {cudaGraphGetNodes(graph, nullptr, &n), cudaGraphInstantiate(&exec, graph, 0), cudaGraphLaunch(exec, s), cudaStreamSynchronize(s),
			cudaGraphLaunch(nullptr, s), cudaGraphExecDestroy(exec), cudaGraphDestroy(graph), cudaGraphDestroy(nullptr)});
	say("nodes", "%zu", n);
	codes("broken capture", {cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal), cudaStreamSynchronize(s), cudaStreamIsCapturing(s, &status),
				 cudaMemsetAsync(d, 0, 64, s), cudaStreamEndCapture(s, &graph), cudaStreamSynchronize(s)});
	say("status", "%d, graph %d", status, graph == nullptr);
	codes("query in a capture", {cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal), cudaStreamQuery(s), cudaStreamEndCapture(s, &graph)});
}

static void errors()
{
	codes("last error", {cudaSetDevice(1000), cudaPeekAtLastError(), cudaSetDevice(0), cudaPeekAtLastError(), cudaGetLastError(), cudaGetLastError()});
	cudaError_t first = cudaSetDevice(1000);
	cudaError_t second = cudaFree((void *)16);
	codes("two errors", {first, second, cudaGetLastError(), cudaGetLastError()});
	void *p;
	codes("out of memory", {cudaMalloc(&p, (size_t)1 << 45), cudaGetLastError(), cudaGetLastError()});
	codes("reset", {cudaMalloc(&p, 64), cudaDeviceReset(), cudaFree(p), cudaGetLastError(), cudaMalloc(&p, 64), cudaDeviceSynchronize()});
}

/* With an argument, that group only. */
int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)();
	} groups[] = {
		{"allocations", allocations}, {"directions", directions}, {"streams", streams},
		{"functions", functions}, {"pools", pools}, {"graphs", graphs},
		{"devices", devices}, {"errors", errors},
	};
	for (auto &group : groups)
		if (argc < 2 || !strcmp(argv[1], group.name))
			group.run();
	return 0;
}
