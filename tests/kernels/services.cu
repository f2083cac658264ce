/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the runtime that few programs make: batches of copies and prefetches, libraries,
 * kernels' handles, pools and memory of other processes, logs, notifications, capabilities,
 * attributes of streams.
 *
 * Flags: -std=c++17 */
#include <cuda_runtime.h>

#include "case.cuh"

static const char *answer(cudaError_t error)
{
	cudaGetLastError();
	return cudaGetErrorName(error);
}
#define A(name, call) say(name, "%s", answer(call))

__global__ void nothing(int, double, char)
{
}
__device__ int variable;

static cudaStream_t stream;

static void batches()
{
	int *a, *b, in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[8] = {};
	CHECK(cudaMalloc(&a, 32));
	CHECK(cudaMalloc(&b, 32));
	void *to[] = {a, a + 4}, *from[] = {in, in + 4};
	size_t sizes[] = {16, 16}, starts[] = {0};
	cudaMemcpyAttributes how = {};
	how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	A("batch", cudaMemcpyBatchAsync((const void **)to, (const void **)from, sizes, 2, &how, starts, 1, stream));
	A("batch in the legacy stream", cudaMemcpyBatchAsync((const void **)to, (const void **)from, sizes, 2, &how, starts, 1, 0));
	A("batch of nothing", cudaMemcpyBatchAsync((const void **)to, (const void **)from, sizes, 0, &how, starts, 1, stream));
	A("batch without attributes", cudaMemcpyBatchAsync((const void **)to, (const void **)from, sizes, 2, NULL, NULL, 0, stream));
	how.srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
	A("batch without an order", cudaMemcpyBatchAsync((const void **)to, (const void **)from, sizes, 2, &how, starts, 1, stream));
	how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	starts[0] = 1;
	A("batch whose attributes begin late", cudaMemcpyBatchAsync((const void **)to, (const void **)from, sizes, 2, &how, starts, 1, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpy(out, a, 32, cudaMemcpyDeviceToHost));
	show("copied", out, 8);

	cudaArray_t array;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
	CHECK(cudaMallocArray(&array, &format, 4, 2));
	cudaMemcpy3DBatchOp ops[2] = {};
	ops[0].src.type = cudaMemcpyOperandTypePointer, ops[0].src.op.ptr.ptr = a;
	ops[0].src.op.ptr.locHint.type = cudaMemLocationTypeDevice;
	ops[0].dst.type = cudaMemcpyOperandTypeArray, ops[0].dst.op.array.array = array;
	ops[0].extent = make_cudaExtent(4, 2, 1);
	ops[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	A("3D batch into an array", cudaMemcpy3DBatchAsync(1, ops, 0, stream));
	ops[1].dst.type = cudaMemcpyOperandTypePointer, ops[1].dst.op.ptr.ptr = b;
	ops[1].dst.op.ptr.locHint.type = cudaMemLocationTypeDevice;
	ops[1].src.type = cudaMemcpyOperandTypeArray, ops[1].src.op.array.array = array;
	ops[1].src.op.array.offset.x = 1;
	ops[1].extent = make_cudaExtent(3, 2, 1);
	ops[1].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	A("3D batch out of it", cudaMemcpy3DBatchAsync(1, ops + 1, 0, stream));
	A("3D batch with flags", cudaMemcpy3DBatchAsync(1, ops, 1, stream));
	A("3D batch of nothing", cudaMemcpy3DBatchAsync(0, ops, 0, stream));
	A("3D batch in the legacy stream", cudaMemcpy3DBatchAsync(1, ops, 0, 0));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpy(out, b, 24, cudaMemcpyDeviceToHost));
	show("out of the array", out, 6);
	ops[0].src.op.ptr.rowLength = 2;
	A("3D batch with short rows", cudaMemcpy3DBatchAsync(1, ops, 0, stream));
	CHECK(cudaFreeArray(array));

	char *managed;
	CHECK(cudaMallocManaged(&managed, 4 << 20));
	cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
	void *where[] = {managed, managed + (2 << 20)};
	size_t lengths[] = {2 << 20, 2 << 20}, indices[] = {0};
	int last = -9;
	A("prefetch batch", cudaMemPrefetchBatchAsync(where, lengths, 2, &device, indices, 1, 0, stream));
	CHECK(cudaMemRangeGetAttribute(&last, 4, cudaMemRangeAttributeLastPrefetchLocation, managed, 4 << 20));
	say("prefetched to", "%d", last);
	A("prefetch batch with flags", cudaMemPrefetchBatchAsync(where, lengths, 2, &device, indices, 1, 1, stream));
	A("prefetch batch nowhere", cudaMemPrefetchBatchAsync(where, lengths, 2, &device, indices, 0, 0, stream));
	A("discard batch", cudaMemDiscardBatchAsync(where, lengths, 2, 0, stream));
	A("discard and prefetch batch", cudaMemDiscardAndPrefetchBatchAsync(where, lengths, 2, &device, indices, 1, 0, stream));
	where[1] = a;
	A("prefetch what is not managed", cudaMemPrefetchBatchAsync(where, lengths, 2, &device, indices, 1, 0, stream));
	A("discard what is not managed", cudaMemDiscardBatchAsync(where + 1, lengths, 1, 0, stream));
	A("prefetch in the legacy stream", cudaMemPrefetchBatchAsync(where, lengths, 1, &device, indices, 1, 0, 0));
	A("discard in the legacy stream", cudaMemDiscardBatchAsync(where, lengths, 1, 0, 0));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaFree(managed));
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
}

static void kernels()
{
	cudaKernel_t kernel = NULL;
	cudaFunction_t function = NULL;
	const char *name = NULL;
	size_t offset = 9, size = 9;
	A("kernel", cudaGetKernel(&kernel, (const void *)nothing));
	A("function", cudaGetFuncBySymbol(&function, (const void *)nothing));
	cudaError_t error = cudaFuncGetName(&name, (const void *)nothing);
	say("name", "%s %s", answer(error), name ? name : "");
	error = cudaFuncGetName(&name, (const void *)kernel);
	say("name of the kernel", "%s %s", answer(error), name ? name : "");
	for (int i = 0; i < 4; i++) {
		char line[32];
		snprintf(line, sizeof line, "parameter %d", i);
		offset = size = 99;
		error = cudaFuncGetParamInfo((const void *)nothing, i, &offset, &size);
		say(line, "%s %zu %zu", answer(error), offset, size);
	}
	A("carveout of a kernel", cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 50, 0));
	A("shared memory of a kernel", cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536, 0));
	cudaFuncAttributes about;
	CHECK(cudaFuncGetAttributes(&about, (const void *)nothing));
	say("it has", "%d %d", about.maxDynamicSharedSizeBytes, about.preferredShmemCarveout);
	A("too much of it", cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20, 0));
	A("kernel on no device", cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 50, 99));
	int i = 1;
	double d = 2;
	char c = 3;
	void *args[] = {&i, &d, &c};
	A("launch a kernel's handle", cudaLaunchKernel((const void *)kernel, dim3(1), dim3(1), args, 0, stream));
	CHECK(cudaStreamSynchronize(stream));
}

static void libraries()
{
	cudaLibrary_t library = NULL;
	static const char junk[64] = "this is no program of any kind";
	A("library of junk", cudaLibraryLoadData(&library, junk, NULL, NULL, 0, NULL, NULL, 0));
	A("library of nothing", cudaLibraryLoadData(&library, NULL, NULL, NULL, 0, NULL, NULL, 0));
	A("library of no file", cudaLibraryLoadFromFile(&library, "/no/such/file.cubin", NULL, NULL, 0, NULL, NULL, 0));
}

static void elsewhere()
{
	cudaIpcMemHandle_t memory = {}, same = {};
	cudaIpcEventHandle_t mark = {};
	cudaEvent_t event, ipc, other;
	char *p, *q = NULL;
	void *got = NULL;
	CHECK(cudaMalloc(&p, 4 << 20));
	CHECK(cudaMallocHost(&q, 4096));
	A("memory handle", cudaIpcGetMemHandle(&memory, p));
	A("memory handle of the middle", cudaIpcGetMemHandle(&same, p + 4096));
	A("memory handle of host memory", cudaIpcGetMemHandle(&same, q));
	A("memory handle of nothing", cudaIpcGetMemHandle(&same, NULL));
	A("open one's own", cudaIpcOpenMemHandle(&got, memory, cudaIpcMemLazyEnablePeerAccess));
	A("open without the flag", cudaIpcOpenMemHandle(&got, memory, 0));
	A("close what is not open", cudaIpcCloseMemHandle(p));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&ipc, cudaEventDisableTiming | cudaEventInterprocess));
	A("event handle", cudaIpcGetEventHandle(&mark, ipc));
	A("event handle of another", cudaIpcGetEventHandle(&mark, event));
	A("open one's own event", cudaIpcOpenEventHandle(&other, mark));

	cudaMemPool_t pool, imported;
	cudaMemPoolProps props = {};
	props.allocType = cudaMemAllocationTypePinned, props.location.type = cudaMemLocationTypeDevice;
	CHECK(cudaMemPoolCreate(&pool, &props));
	int fd = -1;
	A("export a private pool", cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0));
	CHECK(cudaMemPoolDestroy(pool));
	A("import no pool", cudaMemPoolImportFromShareableHandle(&imported, (void *)(uintptr_t)-1, cudaMemHandleTypePosixFileDescriptor, 0));
	cudaMemPoolPtrExportData data;
	A("export a pointer of no pool", cudaMemPoolExportPointer(&data, p));
	CHECK(cudaFreeHost(q));
	CHECK(cudaFree(p));
}

static void CUDART_CB heard(cudaAsyncNotificationInfo_t *, void *, cudaAsyncCallbackHandle_t)
{
}
static void CUDART_CB logged(void *, cudaLogLevel, char *, size_t)
{
}

static void talk()
{
	cudaAsyncCallbackHandle_t handle = NULL;
	A("notification", cudaDeviceRegisterAsyncNotification(0, heard, NULL, &handle));
	A("no notification any more", cudaDeviceUnregisterAsyncNotification(0, handle));
	A("notification of nobody", cudaDeviceRegisterAsyncNotification(0, NULL, NULL, &handle));
	A("notification of no device", cudaDeviceRegisterAsyncNotification(99, heard, NULL, &handle));
	cudaLogsCallbackHandle callback = NULL;
	A("log", cudaLogsRegisterCallback(logged, NULL, &callback));
	A("no log any more", cudaLogsUnregisterCallback(callback));
	A("log for nobody", cudaLogsRegisterCallback(NULL, NULL, &callback));
	cudaLogIterator at = 0;
	A("log's end", cudaLogsCurrent(&at, 0));
	A("log's end nowhere", cudaLogsCurrent(NULL, 0));
	char text[4096];
	size_t size = sizeof text;
	A("log to memory", cudaLogsDumpToMemory(&at, text, &size, 0));
}

static void capabilities()
{
	unsigned got[13] = {};
	cudaAtomicOperation operations[13];
	for (int i = 0; i < 13; i++)
		operations[i] = (cudaAtomicOperation)i;
	A("no capabilities", cudaDeviceGetHostAtomicCapabilities(got, operations, 0, 0));
	A("capabilities of no device", cudaDeviceGetHostAtomicCapabilities(got, operations, 13, 99));
	A("capabilities nowhere", cudaDeviceGetHostAtomicCapabilities(NULL, operations, 13, 0));
	cudaError_t error = cudaDeviceGetHostAtomicCapabilities(got, operations, 13, 0);
	say("host atomics", "%s", answer(error));
	show("of the host", got, 13);
	A("capabilities with itself", cudaDeviceGetP2PAtomicCapabilities(got, operations, 13, 0, 0));
	operations[0] = (cudaAtomicOperation)77;
	A("no such operation", cudaDeviceGetHostAtomicCapabilities(got, operations, 1, 0));
}

static void attributes()
{
	cudaLaunchAttributeValue v = {}, got = {};
	int *p;
	CHECK(cudaMalloc(&p, 1 << 20));
	v.accessPolicyWindow.base_ptr = p, v.accessPolicyWindow.num_bytes = 1 << 20;
	v.accessPolicyWindow.hitRatio = 0.5f, v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
	v.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
	A("set a window", cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &v));
	cudaError_t error = cudaStreamGetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &got);
	say("window", "%s %d %zu %g %d %d", answer(error), got.accessPolicyWindow.base_ptr == p, got.accessPolicyWindow.num_bytes,
	    got.accessPolicyWindow.hitRatio, got.accessPolicyWindow.hitProp, got.accessPolicyWindow.missProp);
	v.accessPolicyWindow.hitRatio = 3;
	A("window with a wrong ratio", cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &v));
	v.accessPolicyWindow.hitRatio = 1, v.accessPolicyWindow.missProp = cudaAccessPropertyPersisting;
	A("window whose misses persist", cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &v));
	v = {}, v.syncPolicy = cudaSyncPolicyYield;
	A("set a policy", cudaStreamSetAttribute(stream, cudaLaunchAttributeSynchronizationPolicy, &v));
	got = {};
	error = cudaStreamGetAttribute(stream, cudaLaunchAttributeSynchronizationPolicy, &got);
	say("policy", "%s %d", answer(error), got.syncPolicy);
	cudaStream_t second;
	CHECK(cudaStreamCreate(&second));
	error = cudaStreamGetAttribute(second, cudaLaunchAttributeSynchronizationPolicy, &got);
	say("policy of a fresh stream", "%s %d", answer(error), got.syncPolicy);
	error = cudaStreamGetAttribute(second, cudaLaunchAttributeMemSyncDomainMap, &got);
	say("domains of a fresh stream", "%s %d %d", answer(error), got.memSyncDomainMap.default_, got.memSyncDomainMap.remote);
	CHECK(cudaStreamCopyAttributes(second, stream));
	error = cudaStreamGetAttribute(second, cudaLaunchAttributeSynchronizationPolicy, &got);
	say("policy copied", "%s %d", answer(error), got.syncPolicy);
	error = cudaStreamGetAttribute(second, cudaLaunchAttributeAccessPolicyWindow, &got);
	say("window copied", "%s %zu", answer(error), got.accessPolicyWindow.num_bytes);
	v = {}, v.cooperative = 1;
	A("set what no stream has", cudaStreamSetAttribute(stream, cudaLaunchAttributeCooperative, &v));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFree(p));
}

static void entries()
{
	void *f = NULL;
	cudaDriverEntryPointQueryResult result = (cudaDriverEntryPointQueryResult)9;
	cudaError_t error = cudaGetDriverEntryPointByVersion("cuMemAlloc", &f, 12000, cudaEnableDefault, &result);
	say("entry", "%s %d %d", answer(error), f != NULL, result);
	f = &f;
	error = cudaGetDriverEntryPointByVersion("cuNoSuchThing", &f, 12000, cudaEnableDefault, &result);
	say("no entry", "%s %d %d", answer(error), f != NULL, result);
	f = &f;
	error = cudaGetDriverEntryPointByVersion("cuCtxCreate", &f, 1000, cudaEnableDefault, &result);
	say("entry of an old version", "%s %d %d", answer(error), f != NULL, result);
	error = cudaGetDriverEntryPointByVersion("cuGraphAddNode", &f, 11000, cudaEnableDefault, &result);
	say("entry before its time", "%s %d %d", answer(error), f != NULL, result);
}

int main(int argc, char **argv)
{
	static void (*const all[])() = {batches, kernels, libraries, elsewhere, talk, capabilities, attributes, entries};
	const int n = sizeof all / sizeof *all, only = argc > 1 ? atoi(argv[1]) : -1;
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	for (int i = 0; i < n; i++)
		if (only < 0 || only == i)
			all[i]();
	return 0;
}
