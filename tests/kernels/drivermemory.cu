/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's pools, handles for other processes, advice and prefetches, what addresses are, copies
 * between contexts and in batches, and earlier forms of calls. The answers are an H200's.
 *
 * Flags: -std=c++17 -lcuda */
#include <cuda.h>
#include <cuda_runtime.h>
#include <unistd.h>

#include "driverstate.cuh"

static CUmemPoolProps props_of(CUmemAllocationHandleType handles)
{
	CUmemPoolProps props = {};
	props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
	props.handleTypes = handles;
	props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	props.location.id = 0;
	return props;
}

static void pools()
{
	CUmemoryPool pool, seen, other;
	CUdeviceptr a = 0;
	CUmemPoolProps props = props_of(CU_MEM_HANDLE_TYPE_NONE);
	DO(cuMemPoolCreate(&pool, &props));
	CUmemAccessDesc access = {};
	access.location = props.location;
	access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	DO(cuMemPoolSetAccess(pool, &access, 1));
	CUmemAccess_flags flags = (CUmemAccess_flags)9;
	DO(cuMemPoolGetAccess(&flags, pool, &props.location));
	say("access", "%d", flags);
	DO(cuMemAllocFromPoolAsync(&a, 4096, pool, s));
	DO(cuMemsetD32Async(a, 0x1234, 16, s));
	DO(cuMemcpyDtoHAsync(got, a, 64, s));
	DO(cuStreamSynchronize(s));
	show("from a pool", got, 16);
	DO(cuPointerGetAttribute(&seen, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, a));
	say("its pool", "%d", seen == pool);
	DO(cuMemFreeAsync(a, s));
	DO(cuStreamSynchronize(s));
	DO(cuMemGetDefaultMemPool(&seen, &props.location, CU_MEM_ALLOCATION_TYPE_PINNED));
	DO(cuMemGetMemPool(&other, &props.location, CU_MEM_ALLOCATION_TYPE_PINNED));
	say("default", "%d", seen == other);
	DO(cuMemSetMemPool(&props.location, CU_MEM_ALLOCATION_TYPE_PINNED, pool));
	DO(cuMemGetMemPool(&other, &props.location, CU_MEM_ALLOCATION_TYPE_PINNED));
	say("set", "%d", other == pool);
	DO(cuMemSetMemPool(&props.location, CU_MEM_ALLOCATION_TYPE_PINNED, seen));
	ANSWER("pool null", cuMemPoolCreate(NULL, &props));
	ANSWER("no properties", cuMemPoolCreate(&other, NULL));
	props.location.id = 99;
	ANSWER("pool of no device", cuMemPoolCreate(&other, &props));
	props.location.id = 0;
	props.allocType = CU_MEM_ALLOCATION_TYPE_INVALID;
	ANSWER("pool of no type", cuMemPoolCreate(&other, &props));
	ANSWER("alloc to null", cuMemAllocFromPoolAsync(NULL, 64, pool, s));
	ANSWER("alloc of nothing", cuMemAllocFromPoolAsync(&a, 0, pool, s));
	ANSWER("alloc async of nothing", cuMemAllocAsync(&a, 0, s));
	ANSWER("alloc from null", cuMemAllocFromPoolAsync(&a, 64, NULL, s));
	ANSWER("access null", cuMemPoolGetAccess(NULL, pool, &props.location));
	int fd = -1;
	ANSWER("export of a private pool", cuMemPoolExportToShareableHandle(&fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	ANSWER("export of private memory", (cuMemAllocFromPoolAsync(&a, 64, pool, s), [&] {
		       CUmemPoolPtrExportData data;
		       return cuMemPoolExportPointer(&data, a);
	       }()));
	DO(cuMemFreeAsync(a, s));
	DO(cuStreamSynchronize(s));
	DO(cuMemPoolDestroy(pool));
	props = props_of(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
	DO(cuMemPoolCreate(&pool, &props));
	DO(cuMemPoolExportToShareableHandle(&fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	say("exported", "%d", fd >= 0);
	CUmemPoolPtrExportData data;
	DO(cuMemAllocFromPoolAsync(&a, 64, pool, s));
	DO(cuStreamSynchronize(s));
	DO(cuMemPoolExportPointer(&data, a));
	ANSWER("export with flags", cuMemPoolExportToShareableHandle(&fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1));
	ANSWER("import null", cuMemPoolImportFromShareableHandle(NULL, (void *)(size_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	DO(cuMemFreeAsync(a, s));
	DO(cuStreamSynchronize(s));
	DO(cuMemPoolDestroy(pool));
	close(fd);
}

static void handles()
{
	CUipcMemHandle memory;
	CUipcEventHandle handle;
	CUevent event, shared;
	CUdeviceptr a = 0;
	DO(cuIpcGetMemHandle(&memory, p));
	ANSWER("own memory", cuIpcOpenMemHandle(&a, memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
	ANSWER("no flag", cuIpcOpenMemHandle(&a, memory, 0));
	ANSWER("handle of nothing", cuIpcGetMemHandle(&memory, 64));
	ANSWER("handle null", cuIpcGetMemHandle(NULL, p));
	ANSWER("close of own", cuIpcCloseMemHandle(p));
	DO(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	ANSWER("event of this process", cuIpcGetEventHandle(&handle, event));
	DO(cuEventCreate(&shared, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS));
	ANSWER("event handle", cuIpcGetEventHandle(&handle, shared));
	ANSWER("event handle null", cuIpcGetEventHandle(NULL, shared));
	DO(cuEventDestroy(event));
	DO(cuEventDestroy(shared));
}

static void managed()
{
	CUdeviceptr m;
	CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, host = {CU_MEM_LOCATION_TYPE_HOST, 0};
	int values[4] = {9, 9, 9, 9}, by[2] = {9, 9};
	const size_t n = 1 << 20;
	DO(cuMemAllocManaged(&m, n, CU_MEM_ATTACH_GLOBAL));
	DO(cuMemAdvise(m, n, CU_MEM_ADVISE_SET_READ_MOSTLY, device));
	DO(cuMemAdvise(m, n, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, host));
	DO(cuMemAdvise(m, n, CU_MEM_ADVISE_SET_ACCESSED_BY, device));
	DO(cuMemRangeGetAttribute(&values[0], 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, m, n));
	DO(cuMemRangeGetAttribute(&values[1], 4, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, m, n));
	DO(cuMemRangeGetAttribute(by, 8, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, m, n));
	say("advice", "%d %d %d %d", values[0], values[1], by[0], by[1]);
	DO(cuMemAdvise(m, n, CU_MEM_ADVISE_UNSET_READ_MOSTLY, device));
	DO(cuMemPrefetchAsync(m, n, device, 0, s));
	DO(cuStreamSynchronize(s));
	void *data[2] = {&values[0], &values[2]};
	size_t sizes[2] = {4, 4};
	CUmem_range_attribute which[2] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION};
	DO(cuMemRangeGetAttributes(data, sizes, which, 2, m, n));
	say("attributes", "%d %d", values[0], values[2]);
	CUdeviceptr list[2] = {m, m + n / 2};
	size_t halves[2] = {n / 2, n / 2}, starts[2] = {0, 1};
	CUmemLocation locations[2] = {host, device};
	DO(cuMemPrefetchBatchAsync(list, halves, 2, locations, starts, 2, 0, s));
	DO(cuStreamSynchronize(s));
	DO(cuMemRangeGetAttribute(&values[0], 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, m, n / 2));
	DO(cuMemRangeGetAttribute(&values[1], 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, m + n / 2, n / 2));
	say("batch of prefetches", "%d %d", values[0], values[1]);
	DO(cuMemDiscardBatchAsync(list, halves, 2, 0, s));
	DO(cuMemDiscardAndPrefetchBatchAsync(list, halves, 2, locations, starts, 2, 0, s));
	DO(cuStreamSynchronize(s));
	ANSWER("batch of nothing", cuMemPrefetchBatchAsync(list, halves, 0, locations, starts, 2, 0, s));
	ANSWER("batch without starts", cuMemPrefetchBatchAsync(list, halves, 2, locations, NULL, 2, 0, s));
	ANSWER("batch with flags", cuMemDiscardBatchAsync(list, halves, 2, 1, s));
	ANSWER("no advice", cuMemAdvise(m, n, (CUmem_advise)77, device));
	ANSWER("advice for nothing", cuMemAdvise(m, 0, CU_MEM_ADVISE_SET_READ_MOSTLY, device));
	device.id = 99;
	ANSWER("prefetch to no device", cuMemPrefetchAsync(m, n, device, 0, s));
	device.id = 0;
	ANSWER("prefetch with flags", cuMemPrefetchAsync(m, n, device, 1, s));
	ANSWER("prefetch of device memory", cuMemPrefetchAsync(p, 64, device, 0, s));
	ANSWER("attribute of a wrong size", cuMemRangeGetAttribute(values, 5, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, m, n));
	ANSWER("no attribute", cuMemRangeGetAttribute(values, 4, (CUmem_range_attribute)77, m, n));
	DO(cuMemFree(m));
}

static void addresses()
{
	CUpointer_attribute which[5] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
					CU_POINTER_ATTRIBUTE_RANGE_SIZE, CU_POINTER_ATTRIBUTE_HOST_POINTER,
					CU_POINTER_ATTRIBUTE_IS_MANAGED};
	unsigned type = 9, is_managed = 9;
	int ordinal = 9, here = 0;
	size_t size = 9;
	void *host = (void *)9;
	void *data[5] = {&type, &ordinal, &size, &host, &is_managed};
	DO(cuPointerGetAttributes(5, which, data, p + 4));
	say("attributes of device memory", "%u %d %zu %d %u", type, ordinal, size, host == NULL, is_managed);
	DO(cuPointerGetAttributes(5, which, data, (CUdeviceptr)&here));
	say("attributes of a local", "%u %d %zu %d %u", type, ordinal, size, host == NULL, is_managed);
	unsigned sync = 9, one = 1, legacy = 9, flags = 9;
	DO(cuPointerGetAttribute(&sync, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
	say("sync", "%u", sync);
	DO(cuPointerSetAttribute(&one, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
	DO(cuPointerGetAttribute(&sync, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
	DO(cuPointerGetAttribute(&legacy, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, p));
	DO(cuPointerGetAttribute(&flags, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, p));
	say("set sync", "%u %u %u", sync, legacy, flags);
	ANSWER("set another", cuPointerSetAttribute(&one, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
	ANSWER("set of nothing", cuPointerSetAttribute(&one, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, (CUdeviceptr)&here));
	ANSWER("no attributes", cuPointerGetAttributes(0, which, data, p));
	ANSWER("attributes null", cuPointerGetAttributes(1, NULL, data, p));
	ANSWER("no such attribute", cuPointerGetAttribute(&one, (CUpointer_attribute)77, p));
}

static void copies()
{
	for (int i = 0; i < 64; i++)
		got[i] = i;
	DO(cuMemcpyHtoD(p, got, 256));
	DO(cuMemsetD32(q, 0, 64));
	DO(cuCtxSynchronize()); /* it is the legacy stream's, which s does not wait for */
	DO(cuMemcpyPeer(q, context, p, context, 16));
	DO(cuMemcpyPeerAsync(q + 16, context, p + 32, context, 16, s));
	CUDA_MEMCPY3D_PEER c = {};
	c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	c.srcDevice = p + 64;
	c.dstDevice = q + 32;
	c.srcContext = c.dstContext = context;
	c.srcPitch = 32;
	c.dstPitch = 16;
	c.WidthInBytes = 12;
	c.Height = 2;
	c.Depth = 1;
	DO(cuMemcpy3DPeer(&c));
	c.dstDevice = q + 64;
	DO(cuMemcpy3DPeerAsync(&c, s));
	DO(cuStreamSynchronize(s));
	DO(cuMemcpyDtoH(got, q, 128));
	show("peers", got, 32);
	CUdeviceptr to[2] = {q, q + 64}, from[2] = {p + 128, p + 160};
	size_t sizes[2] = {16, 32}, starts[1] = {0};
	CUmemcpyAttributes how = {};
	how.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
	DO(cuMemcpyBatchAsync(to, from, sizes, 2, &how, starts, 1, s));
	CUDA_MEMCPY3D_BATCH_OP op = {};
	op.src.type = op.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
	op.src.op.ptr.ptr = p;
	op.dst.op.ptr.ptr = q + 128;
	op.extent.width = 8;
	op.extent.height = 2;
	op.extent.depth = 1;
	op.src.op.ptr.rowLength = 16;
	op.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
	DO(cuMemsetD32Async(q + 128, 0, 32, s));
	DO(cuMemcpy3DBatchAsync(1, &op, 0, s));
	DO(cuStreamSynchronize(s));
	DO(cuMemcpyDtoH(got, q, 160));
	show("batches", got, 40);
	ANSWER("batch in the legacy stream", cuMemcpyBatchAsync(to, from, sizes, 2, &how, starts, 1, 0));
	ANSWER("batch of no attributes", cuMemcpyBatchAsync(to, from, sizes, 2, NULL, NULL, 0, s));
	ANSWER("3D batch with flags", cuMemcpy3DBatchAsync(1, &op, 1, s));
	ANSWER("3D batch of nothing", cuMemcpy3DBatchAsync(0, &op, 0, s));
}

/* By the versions in which they came. */
template <typename F> static F find(const char *name, int version)
{
	void *f = NULL;
	CUdriverProcAddressQueryResult result;
	DO(cuGetProcAddress(name, &f, version, CU_GET_PROC_ADDRESS_DEFAULT, &result));
	return (F)f;
}

static void earlier()
{
	CUdeviceptr m;
	int values[2] = {9, 9};
	auto advise = find<CUresult (*)(CUdeviceptr, size_t, CUmem_advise, CUdevice)>("cuMemAdvise", 8000);
	auto prefetch = find<CUresult (*)(CUdeviceptr, size_t, CUdevice, CUstream)>("cuMemPrefetchAsync", 8000);
	DO(cuMemAllocManaged(&m, 4096, CU_MEM_ATTACH_GLOBAL));
	DO(advise(m, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_DEVICE_CPU));
	DO(prefetch(m, 4096, 0, s));
	DO(cuStreamSynchronize(s));
	DO(cuMemRangeGetAttribute(&values[0], 4, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, m, 4096));
	DO(cuMemRangeGetAttribute(&values[1], 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, m, 4096));
	say("earlier advice", "%d %d", values[0], values[1]);
	DO(cuMemFree(m));

	auto begin = find<CUresult (*)(CUstream)>("cuStreamBeginCapture", 10000);
	auto info = find<CUresult (*)(CUstream, CUstreamCaptureStatus *, cuuint64_t *)>("cuStreamGetCaptureInfo", 10010);
	auto info2 = find<CUresult (*)(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *, const CUgraphNode **, size_t *)>("cuStreamGetCaptureInfo", 11030);
	auto add = find<CUresult (*)(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t)>("cuGraphAddDependencies", 10000);
	auto edges = find<CUresult (*)(CUgraph, CUgraphNode *, CUgraphNode *, size_t *)>("cuGraphGetEdges", 10000);
	auto instantiate = find<CUresult (*)(CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t)>("cuGraphInstantiate", 11000);
	auto update = find<CUresult (*)(CUgraphExec, CUgraph, CUgraphNode *, CUgraphExecUpdateResult *)>("cuGraphExecUpdate", 10020);
	auto write = find<CUresult (*)(CUstream, CUdeviceptr, cuuint32_t, unsigned)>("cuStreamWriteValue32", 11070);
	CUstreamCaptureStatus status;
	cuuint64_t id = 0;
	CUgraph graph, seen;
	const CUgraphNode *after;
	size_t n = 9;
	DO(begin(s));
	DO(cuMemsetD32Async(p, 9, 1, s));
	DO(info(s, &status, &id));
	DO(info2(s, &status, &id, &seen, &after, &n));
	DO(cuStreamEndCapture(s, &graph));
	say("earlier capture", "%d %d %zu %d", status, id != 0, n, seen == graph);
	CUgraphNode empty, set;
	n = 1;
	DO(cuGraphGetNodes(graph, &set, &n));
	DO(cuGraphAddEmptyNode(&empty, graph, NULL, 0));
	DO(add(graph, &set, &empty, 1));
	n = 0;
	DO(edges(graph, NULL, NULL, &n));
	say("earlier edges", "%zu", n);
	CUgraphExec exec;
	CUgraphNode wrong = NULL;
	CUgraphExecUpdateResult result = (CUgraphExecUpdateResult)9;
	char log[64] = "x";
	DO(instantiate(&exec, graph, &wrong, log, sizeof log));
	DO(update(exec, graph, &wrong, &result));
	say("earlier update", "%d %d", result, wrong != NULL);
	DO(cuGraphLaunch(exec, s));
	DO(write(s, p + 4, 8, 0));
	DO(cuStreamSynchronize(s));
	DO(cuMemcpyDtoH(got, p, 8));
	show("earlier graph", got, 2);
	DO(cuGraphExecDestroy(exec));
	DO(cuGraphDestroy(graph));
}

int main()
{
	state_begin();
	pools();
	handles();
	managed();
	addresses();
	copies();
	earlier();
	state_end();
	return 0;
}
