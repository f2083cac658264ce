/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver tells of contexts, devices, arrays and textures, events of all of a context's
 * streams, attributes, clusters, and what wrong arguments answer. The answers are an H200's.
 *
 * Flags: -std=c++17 -lcuda */
#include <cuda.h>
#include <cuda_runtime.h>

#include <atomic>
#include <thread>

#include "driver.cuh"

__global__ void add(unsigned *p, unsigned by)
{
	p[threadIdx.x] += by;
}

static CUcontext context;
static CUdevice device;
static CUstream s;
static CUdeviceptr p;

static void contexts()
{
	unsigned long long id = 0, again = 1;
	unsigned version = 0, flags = 99;
	CUdevice of = 9;
	CUcontext seen;
	DO(cuCtxGetId(context, &id));
	DO(cuCtxGetId(NULL, &again));
	say("id", "%d %d", id != 0, id == again);
	DO(cuCtxGetApiVersion(context, &version));
	say("api version", "%u", version);
	DO(cuCtxGetDevice_v2(&of, context));
	say("device", "%d", of);
	DO(cuCtxSynchronize_v2(context));
	DO(cuCtxSetFlags(CU_CTX_SCHED_BLOCKING_SYNC));
	DO(cuCtxGetFlags(&flags));
	say("flags", "%u", flags & CU_CTX_SCHED_MASK);
	DO(cuCtxSetFlags(CU_CTX_SCHED_AUTO));
	ANSWER("no such flags", cuCtxSetFlags(1 << 20));
	ANSWER("primary flags", cuDevicePrimaryCtxSetFlags(device, CU_CTX_SCHED_AUTO));
	ANSWER("no such primary flags", cuDevicePrimaryCtxSetFlags(device, 1 << 20));
	ANSWER("primary flags of no device", cuDevicePrimaryCtxSetFlags(99, 0));
	CUsharedconfig config = (CUsharedconfig)9;
	DO(cuCtxGetSharedMemConfig(&config));
	say("banks", "%d", config);
	ANSWER("set banks", cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE));
	ANSWER("L2", cuCtxResetPersistingL2Cache());
	ANSWER("flush", cuFlushGPUDirectRDMAWrites(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER));
	CUexecAffinityParam affinity;
	int supported = 9;
	ANSWER("affinity", cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT));
	ANSWER("no affinity", cuCtxGetExecAffinity(&affinity, (CUexecAffinityType)7));
	DO(cuDeviceGetExecAffinitySupport(&supported, CU_EXEC_AFFINITY_TYPE_SM_COUNT, device));
	say("affinity support", "%d", supported);
	CUgreenCtx green = (CUgreenCtx)9;
	DO(cuStreamGetCtx_v2(s, &seen, &green));
	say("stream's", "%d %d", seen == context, green == NULL);
	ANSWER("id null", cuCtxGetId(context, NULL));
	ANSWER("version null", cuCtxGetApiVersion(context, NULL));
	ANSWER("version of null", cuCtxGetApiVersion(NULL, &version));
}

static void devices()
{
	char luid[8];
	unsigned mask = 0, atomics[2] = {9, 9};
	size_t widest = 0;
	CUdevprop properties = {};
	ANSWER("luid", cuDeviceGetLuid(luid, &mask, device));
	ANSWER("luid of no device", cuDeviceGetLuid(luid, &mask, 99));
	CUatomicOperation operations[2] = {CU_ATOMIC_OPERATION_INTEGER_ADD, CU_ATOMIC_OPERATION_INTEGER_MIN};
	ANSWER("host atomics", cuDeviceGetHostAtomicCapabilities(atomics, operations, 2, device));
	ANSWER("host atomics of no device", cuDeviceGetHostAtomicCapabilities(atomics, operations, 2, 99));
	ANSWER("no host atomics", cuDeviceGetHostAtomicCapabilities(atomics, operations, 0, device));
	DO(cuDeviceGetTexture1DLinearMaxWidth(&widest, CU_AD_FORMAT_FLOAT, 4, device));
	say("widest", "%zu", widest);
	ANSWER("widest of no format", cuDeviceGetTexture1DLinearMaxWidth(&widest, CU_AD_FORMAT_FLOAT, 3, device));
	ANSWER("widest null", cuDeviceGetTexture1DLinearMaxWidth(NULL, CU_AD_FORMAT_FLOAT, 4, device));
	DO(cuDeviceGetProperties(&properties, device));
	say("properties", "%d %d %d %d %d %d %d %d %d %d", properties.maxThreadsPerBlock,
	    properties.maxThreadsDim[2], properties.maxGridSize[0], properties.maxGridSize[1],
	    properties.sharedMemPerBlock, properties.totalConstantMemory, properties.SIMDWidth,
	    properties.memPitch, properties.regsPerBlock, properties.textureAlign);
	ANSWER("properties null", cuDeviceGetProperties(NULL, device));
	ANSWER("properties of no device", cuDeviceGetProperties(&properties, 99));
}

/* Events of the whole context. */
static void events()
{
	CUevent event;
	CUstream t;
	CUfunction f;
	unsigned got[2] = {9, 9}, by = 5;
	void *args[] = {&p, &by};
	cudaGetFuncBySymbol(&f, (const void *)add);
	DO(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	DO(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
	DO(cuMemsetD32Async(p, 0, 8, s));
	DO(cuStreamSynchronize(s));
	DO(cuStreamWaitValue32(s, p + 16, 1, CU_STREAM_WAIT_VALUE_EQ));
	DO(cuLaunchKernel(f, 1, 1, 1, 2, 1, 1, 0, s, args, NULL));
	ANSWER("record", cuCtxRecordEvent(context, event));
	ANSWER("not yet", cuEventQuery(event));
	ANSWER("event null", cuCtxRecordEvent(context, NULL));
	DO(cuStreamWriteValue32(t, p + 16, 1, 0));
	DO(cuEventSynchronize(event));
	say("recorded", "1");
	ANSWER("wait", cuCtxWaitEvent(context, event));
	ANSWER("wait null", cuCtxWaitEvent(context, NULL));
	DO(cuCtxSynchronize());
	DO(cuMemcpyDtoH(got, p, 8));
	show("in order", got, 2);
	DO(cuStreamDestroy(t));
	DO(cuEventDestroy(event));
}

/* Streams that have no handle of their own, and streams that wait. What is expected follows from
 * the calls alone. */
static void all_streams()
{
	CUevent event;
	CUstream t;
	volatile unsigned *word;
	CUdeviceptr seen;
	std::atomic<int> step(0);
	DO(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	DO(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
	DO(cuMemHostAlloc((void **)&word, 64, CU_MEMHOSTALLOC_DEVICEMAP));
	DO(cuMemHostGetDevicePointer(&seen, (void *)word, 0));
	word[0] = word[1] = 0;
	std::thread other([&] {
		DO(cuCtxSetCurrent(context));
		DO(cuStreamWaitValue32(CU_STREAM_PER_THREAD, seen, 1, CU_STREAM_WAIT_VALUE_EQ));
		step = 1;
		while (step < 2)
			std::this_thread::yield();
		DO(cuStreamSynchronize(CU_STREAM_PER_THREAD));
	});
	while (step < 1)
		std::this_thread::yield();
	DO(cuCtxRecordEvent(context, event));
	ANSWER("another thread's stream", cuEventQuery(event));
	word[0] = 1;
	DO(cuEventSynchronize(event));
	step = 2;
	other.join();

	DO(cuStreamWaitValue32(s, seen + 4, 1, CU_STREAM_WAIT_VALUE_EQ));
	DO(cuEventRecord(event, s));
	DO(cuCtxWaitEvent(context, event));
	DO(cuMemsetD32Async(p, 9, 1, t));
	ANSWER("a stream that waits", cuStreamQuery(t));
	word[1] = 1;
	DO(cuStreamSynchronize(t));
	DO(cuCtxSynchronize());
	DO(cuMemFreeHost((void *)word));
	DO(cuStreamDestroy(t));
	DO(cuEventDestroy(event));
}

static void attributes()
{
	CUstream t;
	CUstreamAttrValue value = {};
	DO(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
	value.syncPolicy = CU_SYNC_POLICY_YIELD;
	DO(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
	DO(cuStreamCopyAttributes(t, s));
	value.syncPolicy = (CUsynchronizationPolicy)9;
	DO(cuStreamGetAttribute(t, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
	say("policy", "%d", value.syncPolicy);
	ANSWER("no stream's attribute", cuStreamGetAttribute(t, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
	ANSWER("set nothing", cuStreamSetAttribute(t, CU_LAUNCH_ATTRIBUTE_IGNORE, &value));
	DO(cuStreamDestroy(t));

	CUfunction f;
	cudaGetFuncBySymbol(&f, (const void *)add);
	CUlaunchConfig config = {};
	config.gridDimX = 64;
	config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
	config.blockDimX = 128;
	int size = 0, n = 0;
	DO(cuOccupancyMaxPotentialClusterSize(&size, f, &config));
	CUlaunchAttribute cluster = {};
	cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
	cluster.value.clusterDim.x = 4;
	cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
	config.attrs = &cluster;
	config.numAttrs = 1;
	DO(cuOccupancyMaxActiveClusters(&n, f, &config));
	say("clusters", "%d %d", size, n > 0);
	ANSWER("cluster size null", cuOccupancyMaxPotentialClusterSize(NULL, f, &config));
	ANSWER("clusters of null", cuOccupancyMaxActiveClusters(&n, NULL, &config));
	ANSWER("clusters without config", cuOccupancyMaxActiveClusters(&n, f, NULL));

	CUDA_LAUNCH_PARAMS one = {};
	unsigned by = 3, got[4];
	void *args[] = {&p, &by};
	one.function = f;
	one.gridDimX = one.gridDimY = one.gridDimZ = 1;
	one.blockDimX = 4;
	one.blockDimY = one.blockDimZ = 1;
	one.hStream = s;
	one.kernelParams = args;
	DO(cuMemsetD32Async(p, 1, 8, s));
	ANSWER("several devices", cuLaunchCooperativeKernelMultiDevice(&one, 1, 0));
	DO(cuStreamSynchronize(s));
	DO(cuMemcpyDtoH(got, p, 16));
	show("launched", got, 4);
	ANSWER("no devices", cuLaunchCooperativeKernelMultiDevice(&one, 0, 0));
	ANSWER("devices null", cuLaunchCooperativeKernelMultiDevice(NULL, 1, 0));
	one.hStream = 0;
	ANSWER("in the legacy stream", cuLaunchCooperativeKernelMultiDevice(&one, 1, 0));
}

static void arrays()
{
	CUDA_ARRAY3D_DESCRIPTOR d = {};
	CUarray array, plane;
	CUmipmappedArray levels;
	d.Width = d.Height = 16;
	d.Format = CU_AD_FORMAT_UNSIGNED_INT8;
	d.NumChannels = 2;
	d.Flags = CUDA_ARRAY3D_SURFACE_LDST;
	DO(cuArray3DCreate(&array, &d));
	DO(cuMipmappedArrayCreate(&levels, &d, 2));
	CUDA_ARRAY_SPARSE_PROPERTIES sparse;
	CUDA_ARRAY_MEMORY_REQUIREMENTS needs;
	ANSWER("plane", cuArrayGetPlane(&plane, array, 0));
	ANSWER("sparse", cuArrayGetSparseProperties(&sparse, array));
	ANSWER("sparse levels", cuMipmappedArrayGetSparseProperties(&sparse, levels));
	ANSWER("needs", cuArrayGetMemoryRequirements(&needs, array, device));
	ANSWER("levels' needs", cuMipmappedArrayGetMemoryRequirements(&needs, levels, device));

	CUDA_RESOURCE_DESC r = {}, r2;
	CUDA_TEXTURE_DESC t = {}, t2;
	CUDA_RESOURCE_VIEW_DESC view;
	CUtexObject texture;
	CUsurfObject surface;
	r.resType = CU_RESOURCE_TYPE_ARRAY;
	r.res.array.hArray = array;
	t.addressMode[0] = CU_TR_ADDRESS_MODE_BORDER;
	t.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
	t.filterMode = CU_TR_FILTER_MODE_POINT;
	t.flags = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES;
	DO(cuTexObjectCreate(&texture, &r, &t, NULL));
	DO(cuTexObjectGetResourceDesc(&r2, texture));
	say("resource", "%d %d %u", r2.resType, r2.res.array.hArray == array, r2.flags);
	DO(cuTexObjectGetTextureDesc(&t2, texture));
	say("texture", "%d %d %d %u", t2.addressMode[0], t2.addressMode[1], t2.filterMode, t2.flags);
	ANSWER("no view", cuTexObjectGetResourceViewDesc(&view, texture));
	DO(cuSurfObjectCreate(&surface, &r));
	DO(cuSurfObjectGetResourceDesc(&r2, surface));
	say("surface", "%d %d", r2.resType, r2.res.array.hArray == array);
	ANSWER("texture null", cuTexObjectGetTextureDesc(NULL, texture));
	DO(cuSurfObjectDestroy(surface));
	DO(cuTexObjectDestroy(texture));
	memset(&r, 0, sizeof r);
	r.resType = CU_RESOURCE_TYPE_LINEAR;
	r.res.linear.devPtr = p;
	r.res.linear.format = CU_AD_FORMAT_FLOAT;
	r.res.linear.numChannels = 4;
	r.res.linear.sizeInBytes = 64;
	t.flags = 0;
	DO(cuTexObjectCreate(&texture, &r, &t, NULL));
	DO(cuTexObjectGetResourceDesc(&r2, texture));
	say("linear", "%d %d %d %u %zu", r2.resType, r2.res.linear.devPtr == p, r2.res.linear.format,
	    r2.res.linear.numChannels, r2.res.linear.sizeInBytes);
	DO(cuTexObjectDestroy(texture));
	DO(cuMipmappedArrayDestroy(levels));
	DO(cuArrayDestroy(array));
}

int main()
{
	DO(cuInit(0));
	DO(cuDeviceGet(&device, 0));
	DO(cuDevicePrimaryCtxRetain(&context, device));
	DO(cuCtxSetCurrent(context));
	DO(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	DO(cuMemAlloc(&p, 256));
	contexts();
	devices();
	attributes();
	arrays();
	events();
	all_streams();
	DO(cuMemFree(p));
	DO(cuStreamDestroy(s));
	DO(cuDevicePrimaryCtxRelease(device));
	ANSWER("reset of no device", cuDevicePrimaryCtxReset(99));
	DO(cuDevicePrimaryCtxReset(device));
	return 0;
}
