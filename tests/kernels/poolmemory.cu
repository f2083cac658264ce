/* SPDX-License-Identifier: Apache-2.0 */
/* Memory from pools of the device, of the host, and of managed memory: what the driver tells of it, who
 * uses and who frees it, captured allocations, what stays when its pool goes. The answers are an H200's.
 *
 * Flags: -std=c++17 -lcuda
 * Schedules: free */
#include "apart.cuh"
#include "pools.cuh"

enum { N = 8192 };

/* The device has no access. */
static bool is_forbidden(const pool_kind &k)
{
	return k.allocation == cudaMemAllocationTypePinned && k.type > 1 && !k.allowed;
}

static __global__ void twice(int *p, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	if (i < n)
		p[i] = 2 * p[i] + i;
}

static const char *relation(const void *seen, const void *p, const void *start)
{
	return !seen ? "null" : seen == p ? "itself" : seen == start ? "start" : "other";
}

static char *take(const pool_kind &k, cudaMemPool_t *pool, size_t size = N)
{
	cudaFree(0);
	void *p = NULL;
	*pool = make_pool(k);
	if (*pool)
		DO(cudaMallocFromPoolAsync(&p, size, *pool, 0));
	cudaDeviceSynchronize();
	return (char *)p;
}

static void attributes(const pool_kind &k, const char *when, char *p, char *start, size_t size, cudaMemPool_t pool)
{
	cudaPointerAttributes a;
	memset(&a, 0x77, sizeof a);
	int error = cudaPointerGetAttributes(&a, p);
	say(named(k, "%s, runtime", when), "%d, type %d, device %d, %s, %s, last %d", error, (int)a.type, a.device,
	    relation(a.devicePointer, p, start), relation(a.hostPointer, p, start), cudaGetLastError());
	for (int which = 0; which < 23; which++) {
		if (which == CU_POINTER_ATTRIBUTE_P2P_TOKENS)
			continue;
		unsigned long long value[4] = {0x7777777777777777ull};
		CUresult result = cuPointerGetAttribute(value, (CUpointer_attribute)which, (CUdeviceptr)p);
		const char *name = named(k, "%s, %d", when, which);
		if (result)
			say(name, "%d", result);
		else if (which == CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE)
			say(name, "0 %s", !value[0] ? "null" : value[0] == (unsigned long long)pool ? "pool" : "other");
		else if (which == CU_POINTER_ATTRIBUTE_DEVICE_POINTER || which == CU_POINTER_ATTRIBUTE_HOST_POINTER ||
			 which == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR)
			say(name, "0 %s", relation((void *)value[0], p, start));
		else if (which == CU_POINTER_ATTRIBUTE_MAPPING_SIZE || which == CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR)
			say(name, "0");
		else if (which == CU_POINTER_ATTRIBUTE_RANGE_SIZE)
			say(name, "0 %s", value[0] == size ? "size" : "other");
		else
			say(name, "0 %llx", which == CU_POINTER_ATTRIBUTE_BUFFER_ID || which == CU_POINTER_ATTRIBUTE_CONTEXT ||
				which == CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID ? (unsigned long long)(value[0] != 0) : value[0]);
	}
	CUdeviceptr base = 7;
	size_t bytes = 7;
	int range = cuMemGetAddressRange(&base, &bytes, (CUdeviceptr)p);
	say(named(k, "%s, range", when), "%d %s %d", range, range ? "-" : relation((void *)base, p, start), range ? -1 : bytes == size);
	unsigned flags = 77, theirs = 77;
	void *there = (void *)7;
	int e1 = cudaHostGetFlags(&flags, p), l1 = cudaGetLastError();
	int e2 = cuMemHostGetFlags(&theirs, p);
	int e3 = cudaHostGetDevicePointer(&there, p, 0), l3 = cudaGetLastError();
	say(named(k, "%s, flags", when), "%d %d %u, %d %u, %d %d %s", e1, l1, flags, e2, theirs, e3, l3, e3 ? "-" : relation(there, p, start));
}

static void asking(const pool_kind &k)
{
	cudaMemPool_t pool;
	char *p = take(k, &pool);
	if (!p)
		return;
	attributes(k, "start", p, p, N, pool);
	attributes(k, "inside", p + 100, p, N, pool);
	attributes(k, "behind", p + N, NULL, 0, pool);
	cudaIpcMemHandle_t handle;
	TRY(named(k, "ipc"), cudaIpcGetMemHandle(&handle, p));
	TRY(named(k, "register"), cudaHostRegister(p, 4096, 0));
	TRY(named(k, "unregister"), cudaHostUnregister(p));
	TRY(named(k, "advise"), cudaMemAdvise(p, N, cudaMemAdviseSetReadMostly, location_of(1, 0)));
	TRY(named(k, "prefetch"), cudaMemPrefetchAsync(p, N, location_of(1, 0), 0, 0));
	TRY(named(k, "attach"), cudaStreamAttachMemAsync(0, p, 0, cudaMemAttachGlobal));
	for (int which = 1; which < 9; which++) {
		int value = 77;
		int error = cudaMemRangeGetAttribute(&value, 4, (cudaMemRangeAttribute)which, p, N), last = cudaGetLastError();
		say(named(k, "range attribute %d", which), "%d %d %d", error, last, error ? 0 : value);
	}
	unsigned one = 1;
	ANSWER(named(k, "sync memops"), cuPointerSetAttribute(&one, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, (CUdeviceptr)p));
	cudaMemPoolPtrExportData data;
	TRY(named(k, "export pointer"), cudaMemPoolExportPointer(&data, p));
	int fd = -1;
	TRY(named(k, "export pool"), cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0));
}

static void using_it(const pool_kind &k)
{
	if (is_forbidden(k))
		return;
	cudaMemPool_t pool;
	int *p = (int *)take(k, &pool), host[64], *device = NULL;
	if (!p)
		return;
	const bool touched = strcmp(k.name, "device");
	cudaMalloc(&device, 256);
	for (int i = 0; i < 64; i++)
		host[i] = i + 1;
	if (touched)
		for (int i = 0; i < 64; i++)
			p[i] = i + 1;
	else
		TRY(named(k, "fill"), cudaMemcpy(p, host, 256, cudaMemcpyDefault));
	twice<<<2, 32>>>(p, 64);
	TRY(named(k, "launch"), cudaDeviceSynchronize());
	if (touched)
		show(named(k, "the host reads"), p, 16);
	for (int kind = 0; kind < 6; kind++) {
		auto how = (cudaMemcpyKind)kind;
		memset(host, 0, sizeof host);
		TRY(named(k, "to host, %d", kind), cudaMemcpy(host, p, 256, how));
		TRY(named(k, "to host, async, %d", kind), cudaMemcpyAsync(host, p, 256, how, 0));
		cudaDeviceSynchronize();
		show(named(k, "host has, %d", kind), host, 4);
		for (int i = 0; i < 64; i++)
			host[i] = 100 * kind + i;
		TRY(named(k, "from host, %d", kind), cudaMemcpy(p, host, 256, how));
		cudaMemcpy(host, p, 256, cudaMemcpyDefault);
		show(named(k, "it has, %d", kind), host, 4);
		TRY(named(k, "to device, %d", kind), cudaMemcpy(device, p, 256, how));
		TRY(named(k, "from device, %d", kind), cudaMemcpy(p, device, 256, how));
		TRY(named(k, "2D, %d", kind), cudaMemcpy2D(p, 64, host, 32, 32, 2, how));
	}
	ANSWER(named(k, "cuMemcpyHtoD"), cuMemcpyHtoD((CUdeviceptr)p, host, 64));
	ANSWER(named(k, "cuMemcpyDtoH"), cuMemcpyDtoH(host, (CUdeviceptr)p, 64));
	ANSWER(named(k, "cuMemcpyDtoD"), cuMemcpyDtoD((CUdeviceptr)device, (CUdeviceptr)p, 64));
	ANSWER(named(k, "cuMemcpyHtoD from it"), cuMemcpyHtoD((CUdeviceptr)device, p, 64));
	ANSWER(named(k, "cuMemcpyDtoH to it"), cuMemcpyDtoH(p, (CUdeviceptr)device, 64));
	TRY(named(k, "set"), cudaMemset(p, 0x11, 128));
	TRY(named(k, "set async"), cudaMemsetAsync(p + 32, 0x22, 128, 0));
	cudaMemcpy(host, p, 256, cudaMemcpyDefault);
	show(named(k, "set to"), host + 30, 4);
	TRY(named(k, "set too much"), cudaMemset(p, 0, N + 1));
	TRY(named(k, "copy too much"), cudaMemcpy(p, device, N + 1, cudaMemcpyDefault));
	TRY(named(k, "free"), cudaFreeAsync(p, 0));
	TRY(named(k, "synchronize"), cudaDeviceSynchronize());
}

static void freeing(const pool_kind &k, int how)
{
	static const char *const hows[] = {"cudaFree", "cudaFreeHost", "cudaFreeAsync", "cuMemFree", "cuMemFreeHost",
		"cuMemFreeAsync", "cudaHostUnregister"};
	auto call = [how](void *p) {
		return how == 0 ? (int)cudaFree(p) : how == 1 ? (int)cudaFreeHost(p) : how == 2 ? (int)cudaFreeAsync(p, 0)
			: how == 3 ? (int)cuMemFree((CUdeviceptr)p) : how == 4 ? (int)cuMemFreeHost(p)
			: how == 5 ? (int)cuMemFreeAsync((CUdeviceptr)p, 0) : (int)cudaHostUnregister(p);
	};
	cudaMemPool_t pool;
	char *p = take(k, &pool);
	if (!p)
		return;
	TRY(named(k, "%s inside", hows[how]), call(p + 16));
	TRY(named(k, "%s", hows[how]), call(p));
	TRY(named(k, "%s again", hows[how]), call(p));
	cudaDeviceSynchronize();
	unsigned long long used = 77;
	cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
	say(named(k, "%s, used", hows[how]), "%llu", used);
	cudaPointerAttributes a;
	int error = cudaPointerGetAttributes(&a, p);
	say(named(k, "%s, attributes", hows[how]), "%d %d", error, (int)a.type);
}

static void edges(const pool_kind &k)
{
	cudaFree(0);
	cudaMemPoolProps props = props_of(k);
	cudaMemPool_t pool = make_pool(k), small = NULL;
	void *p = (void *)7, *q = NULL;
	CUdeviceptr d = 7;
	if (!pool)
		return;
	TRY(named(k, "nothing"), cudaMallocFromPoolAsync(&p, 0, pool, 0));
	say(named(k, "nothing gives"), "%d", p == NULL);
	ANSWER(named(k, "driver's nothing"), cuMemAllocFromPoolAsync(&d, 0, pool, 0));
	TRY(named(k, "into null"), cudaMallocFromPoolAsync((void **)NULL, 16, pool, 0));
	TRY(named(k, "from null"), cudaMallocFromPoolAsync(&p, 16, NULL, 0));
	if (k.allocation == cudaMemAllocationTypePinned) {
		TRY(named(k, "far too much"), cudaMallocFromPoolAsync(&p, ~(size_t)0, pool, 0));
		TRY(named(k, "too much"), cudaMallocFromPoolAsync(&p, (size_t)1 << 46, pool, 0));
	}
	props.maxSize = 4 << 20;
	TRY(named(k, "small pool"), cudaMemPoolCreate(&small, &props));
	if (small) {
		TRY(named(k, "more than its size"), cudaMallocFromPoolAsync(&p, 256 << 20, small, 0));
		TRY(named(k, "its size"), cudaMallocFromPoolAsync(&p, 4 << 20, small, 0));
		TRY(named(k, "more of it"), cudaMallocFromPoolAsync(&q, 64 << 20, small, 0));
	}
	cudaStream_t s, t;
	cudaStreamCreate(&s);
	cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
	TRY(named(k, "of a stream"), cudaMallocFromPoolAsync(&p, 64, pool, s));
	TRY(named(k, "freed in another"), cudaFreeAsync(p, t));
	cudaDeviceSynchronize();
	/* What is there when its pool goes. */
	DO(cudaMallocFromPoolAsync(&p, N, pool, s));
	if (!is_forbidden(k))
		DO(cudaMemsetAsync(p, 0x5a, N, s));
	TRY(named(k, "destroy in use"), cudaMemPoolDestroy(pool));
	TRY(named(k, "in use, synchronize"), cudaStreamSynchronize(s));
	unsigned word = 0;
	TRY(named(k, "read"), cudaMemcpy(&word, p, 4, cudaMemcpyDefault));
	if (!is_forbidden(k))
		say(named(k, "still there"), "%x", word);
	CUmemoryPool seen = (CUmemoryPool)7;
	int error = cuPointerGetAttribute(&seen, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, (CUdeviceptr)p);
	say(named(k, "its pool"), "%d %s", error, !seen ? "null" : seen == pool ? "pool" : "other");
	TRY(named(k, "free behind it"), cudaFreeAsync(p, s));
	TRY(named(k, "synchronize behind it"), cudaStreamSynchronize(s));
}

static void captured(const pool_kind &k)
{
	cudaFree(0);
	cudaMemPool_t pool = make_pool(k);
	cudaStream_t s;
	cudaGraph_t graph = NULL;
	cudaGraphExec_t exec = NULL;
	int *p = NULL, host[64] = {}, *out = NULL;
	if (!pool)
		return;
	cudaStreamCreate(&s);
	cudaMalloc(&out, 256);
	DO(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	int error = cudaMallocFromPoolAsync(&p, 256, pool, s), last = cudaGetLastError();
	say(named(k, "captured"), "%d %d %d", error, last, p != NULL);
	if (error) {
		TRY(named(k, "end of it"), cudaStreamEndCapture(s, &graph));
		say(named(k, "graph"), "%d", graph != NULL);
		return;
	}
	cudaPointerAttributes a;
	error = cudaPointerGetAttributes(&a, p);
	say(named(k, "captured memory"), "%d %d", error, (int)a.type);
	DO(cudaMemsetAsync(p, 0, 256, s));
	twice<<<2, 32, 0, s>>>(p, 64);
	twice<<<2, 32, 0, s>>>(p, 64);
	DO(cudaMemcpyAsync(out, p, 256, cudaMemcpyDefault, s));
	TRY(named(k, "captured free"), cudaFreeAsync(p, s));
	TRY(named(k, "end of it"), cudaStreamEndCapture(s, &graph));
	TRY(named(k, "instantiate"), cudaGraphInstantiate(&exec, graph, 0));
	size_t n = 16;
	cudaGraphNode_t nodes[16];
	DO(cudaGraphGetNodes(graph, nodes, &n));
	for (size_t i = 0; i < n; i++) {
		cudaGraphNodeType type;
		cudaMemAllocNodeParams params;
		if (cudaGraphNodeGetType(nodes[i], &type) || type != cudaGraphNodeTypeMemAlloc)
			continue;
		memset(&params, 0x77, sizeof params);
		int got = cudaGraphMemAllocNodeGetParams(nodes[i], &params);
		say(named(k, "its node"), "%d, type %d at %d %d, handles %d, size %zu, %zu accesses, %d", got, (int)params.poolProps.allocType,
		    (int)params.poolProps.location.type, params.poolProps.location.id, (int)params.poolProps.handleTypes, params.bytesize,
		    params.accessDescCount, params.dptr == p);
	}
	for (int i = 0; i < 2 && exec; i++) {
		TRY(named(k, "launch %d", i), cudaGraphLaunch(exec, s));
		TRY(named(k, "synchronize %d", i), cudaStreamSynchronize(s));
	}
	cudaMemcpy(host, out, 256, cudaMemcpyDeviceToHost);
	show(named(k, "computed"), host, 8);
}

static void nodes(const pool_kind &k)
{
	cudaFree(0);
	cudaGraph_t graph = NULL;
	cudaGraphNode_t node = NULL;
	cudaGraphCreate(&graph, 0);
	for (int accesses = 0; accesses < 3; accesses++) {
		cudaMemAllocNodeParams params = {};
		cudaMemAccessDesc desc = {};
		desc.location = accesses == 2 ? location_of(2, 0) : location_of(1, 0);
		desc.flags = cudaMemAccessFlagsProtReadWrite;
		params.poolProps = props_of(k);
		params.bytesize = 4096;
		params.accessDescs = accesses ? &desc : NULL;
		params.accessDescCount = accesses != 0;
		int error = cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &params), last = cudaGetLastError();
		say(named(k, "node with %d", accesses), "%d %d %d", error, last, params.dptr != NULL);
		if (error)
			continue;
		cudaPointerAttributes a;
		error = cudaPointerGetAttributes(&a, params.dptr);
		say(named(k, "node's memory with %d", accesses), "%d %d", error, (int)a.type);
		cudaGraphExec_t exec = NULL;
		cudaGraph_t other = NULL;
		cudaGraphCreate(&other, 0);
		DO(cudaGraphAddMemAllocNode(&node, other, NULL, 0, &params));
		TRY(named(k, "instantiate with %d", accesses), cudaGraphInstantiate(&exec, other, 0));
		TRY(named(k, "launch with %d", accesses), cudaGraphLaunch(exec, 0));
		TRY(named(k, "synchronize with %d", accesses), cudaDeviceSynchronize());
		error = cudaPointerGetAttributes(&a, params.dptr);
		say(named(k, "launched memory with %d", accesses), "%d, type %d, device %d, %d", error, (int)a.type, a.device, a.hostPointer != NULL);
		if (a.type == cudaMemoryTypeHost || a.type == cudaMemoryTypeManaged) {
			*(volatile int *)params.dptr = 7;
			twice<<<1, 1>>>((int *)params.dptr, 1);
			TRY(named(k, "use with %d", accesses), cudaDeviceSynchronize());
			say(named(k, "used with %d", accesses), "%d", *(volatile int *)params.dptr);
		}
		TRY(named(k, "free with %d", accesses), cudaFreeAsync(params.dptr, 0));
		TRY(named(k, "synchronize behind %d", accesses), cudaDeviceSynchronize());
	}
}

/* The default pools' memory, and the host's access to it without a stream to wait for. */
static void of_defaults(const pool_kind &k)
{
	cudaFree(0);
	cudaMemLocation l = location_of(k.type, k.id);
	cudaMemPool_t pool = NULL;
	int *p = NULL;
	if (cudaMemGetDefaultMemPool(&pool, &l, (cudaMemAllocationType)k.allocation))
		return;
	if (k.allowed)
		TRY(named(k, "allow the default"), allow(pool, cudaMemAccessFlagsProtReadWrite));
	TRY(named(k, "from the default"), cudaMallocFromPoolAsync(&p, 256, pool, 0));
	cudaPointerAttributes a;
	cudaPointerGetAttributes(&a, p);
	say(named(k, "default's memory"), "%d %d %d", (int)a.type, a.device, a.hostPointer != NULL);
	if (a.type == cudaMemoryTypeHost || a.type == cudaMemoryTypeManaged) {
		for (int i = 0; i < 64; i++)
			p[i] = 3;
		if (!is_forbidden(k))
			twice<<<2, 32>>>(p, 64);
		TRY(named(k, "default, launch"), cudaDeviceSynchronize());
		show(named(k, "default, the host reads"), p, 8);
	}
	TRY(named(k, "default, free"), cudaFreeAsync(p, 0));
	TRY(named(k, "default, synchronize"), cudaDeviceSynchronize());
}

static __global__ void read_it(const int *p, int *out)
{
	*out = p[threadIdx.x];
}

static __global__ void write_it(int *p)
{
	p[threadIdx.x] = 5;
}

/* What uses memory of a pool to which the device has no access. */
static void forbidden(const pool_kind &k, int how)
{
	cudaMemPool_t pool;
	int *p = (int *)take(k, &pool), *device = NULL, *pinned = NULL, *other = NULL, host[64];
	CUdeviceptr d = (CUdeviceptr)p;
	cudaStream_t s;
	if (!p)
		return;
	DO(cudaMalloc(&device, 256));
	DO(cudaMemset(device, 0x33, 256));
	DO(cudaMallocHost(&pinned, 256));
	DO(cudaMallocFromPoolAsync(&other, 256, pool, 0));
	cudaStreamCreate(&s);
	cudaDeviceSynchronize();
	memset(host, 0x44, 256);
	memset(pinned, 0x55, 256);
	memset(p, 0x66, 256);
	memset(other, 0x77, 256);
	if (k.allowed)
		DO(allow(pool, cudaMemAccessFlagsProtNone)); /* with memory that is there */
	int error = 0;
	switch (how) {
	case 0: read_it<<<1, 1>>>(p, device); break;
	case 1: write_it<<<1, 1>>>(p); break;
	case 2: error = cudaMemcpy(device, p, 256, cudaMemcpyDefault); break;
	case 3: error = cudaMemcpy(p, device, 256, cudaMemcpyDefault); break;
	case 4: error = cudaMemcpyAsync(device, p, 256, cudaMemcpyHostToDevice, s); break;
	case 5: error = cudaMemset(p, 0, 256); break;
	case 6: error = cudaMemsetAsync(p, 0, 256, s); break;
	case 7: error = cuMemsetD32(d, 0, 64); break;
	case 8: error = cudaMemcpy(host, p, 256, cudaMemcpyDeviceToHost); break;
	case 9: error = cudaMemcpy(p, host, 256, cudaMemcpyHostToDevice); break;
	case 10: error = cuMemcpyDtoD((CUdeviceptr)device, d, 256); break;
	case 11: error = cuMemcpyHtoD(d, host, 256); break;
	case 12: error = cuMemcpyDtoH(host, d, 256); break;
	case 13: error = cudaMemcpy2D(device, 64, p, 64, 64, 4, cudaMemcpyDefault); break;
	case 14: error = cudaMemcpy(p, other, 256, cudaMemcpyDefault); break;
	case 15: error = cudaMemcpyAsync(pinned, p, 256, cudaMemcpyDefault, s); break;
	case 16: error = cudaMemcpyAsync(p, pinned, 256, cudaMemcpyDefault, s); break;
	case 17: error = cuMemcpyHtoD((CUdeviceptr)device, p, 256); break;
	case 18: error = cuMemcpyDtoH(p, (CUdeviceptr)device, 256); break;
	case 19: error = cudaMemcpy(device, p, N + 1, cudaMemcpyDefault); break;
	case 20: error = cudaMemcpy(host, p, 256, cudaMemcpyHostToHost); break;
	}
	say(named(k, "forbidden %d", how), "%d, then %d", error, (int)cudaDeviceSynchronize());
	say(named(k, "forbidden %d, memory", how), "%x host %x pinned %x", p[1], host[1], pinned[1]);
	cudaGetLastError();
	if (!cudaMemcpy(host, device, 256, cudaMemcpyDeviceToHost))
		say(named(k, "forbidden %d, device", how), "%x", host[1]);
}

/* Access that is given, and taken away, when the memory is there. */
static void late(const pool_kind &k)
{
	cudaMemPool_t pool;
	int *p = (int *)take(k, &pool);
	if (!p)
		return;
	TRY(named(k, "allow late"), allow(pool, cudaMemAccessFlagsProtReadWrite));
	cudaPointerAttributes a = {};
	cudaPointerGetAttributes(&a, p);
	say(named(k, "allowed late"), "type %d, device %d, %s, %s", (int)a.type, a.device, relation(a.devicePointer, p, p),
	    relation(a.hostPointer, p, p));
	write_it<<<1, 32>>>(p);
	TRY(named(k, "allowed late, launch"), cudaDeviceSynchronize());
	TRY(named(k, "forbid late"), allow(pool, cudaMemAccessFlagsProtNone));
	cudaPointerGetAttributes(&a, p);
	say(named(k, "forbidden late"), "type %d, device %d, %s, %s", (int)a.type, a.device, relation(a.devicePointer, p, p),
	    relation(a.hostPointer, p, p));
	TRY(named(k, "forbidden late, free"), cudaFreeAsync(p, 0));
	TRY(named(k, "forbidden late, synchronize"), cudaDeviceSynchronize());
}

static void reset(const pool_kind &k)
{
	cudaMemPool_t pool;
	char *p = take(k, &pool);
	if (!p)
		return;
	TRY(named(k, "reset"), cudaDeviceReset());
	cudaFree(0);
	cudaPointerAttributes a;
	int error = cudaPointerGetAttributes(&a, p);
	say(named(k, "memory behind a reset"), "%d %d", error, (int)a.type);
	TRY(named(k, "pool behind a reset"), cudaMemPoolTrimTo(pool, 0));
}

int main()
{
	for (const pool_kind &k : pool_kinds) {
		apart("asking", [&] { asking(k); });
		apart("using", [&] { using_it(k); });
		for (int how = 0; how < 7; how++)
			apart("freeing", [&] { freeing(k, how); });
		apart("edges", [&] { edges(k); });
		apart("captured", [&] { captured(k); });
		apart("nodes", [&] { nodes(k); });
		apart("of defaults", [&] { of_defaults(k); });
		if (k.type > 1 && k.allocation == cudaMemAllocationTypePinned)
			for (int how = 0; how < 21; how++)
				apart("forbidden", [&] { forbidden(k, how); });
		apart("late", [&] { late(k); });
		apart("reset", [&] { reset(k); });
	}
	apart_wait(0);
	return 0;
}
