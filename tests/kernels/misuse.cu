/* SPDX-License-Identifier: Apache-2.0 */
/* Calls with arguments that no program should give them. The answers are an H200's.
 *
 * Flags: -std=c++17 -lcuda
 * Schedules: free */
#include <thread>

#include "driver.cuh"

__global__ void kernel(int *p)
{
	if (p)
		p[0] = 1;
}

__global__ void fails()
{
	__trap();
}

static char *device;
static int host;

static void streams()
{
	cudaStream_t s;
	int *managed;
	cudaLaunchAttributeValue value = {};
	DO(cudaStreamCreate(&s));
	DO(cudaMallocManaged(&managed, 64));
	ANSWER("attach device memory", cudaStreamAttachMemAsync(0, device, 0, cudaMemAttachGlobal));
	ANSWER("attach half", cudaStreamAttachMemAsync(0, managed, 32, cudaMemAttachGlobal));
	ANSWER("attach all", cudaStreamAttachMemAsync(0, managed, 64, cudaMemAttachGlobal));
	ANSWER("attach from within", cudaStreamAttachMemAsync(0, managed + 1, 0, cudaMemAttachGlobal));
	ANSWER("attach to the default stream alone", cudaStreamAttachMemAsync(0, managed, 0, cudaMemAttachSingle));
	value.syncPolicy = (cudaSynchronizationPolicy)77;
	ANSWER("policy", cudaStreamSetAttribute(s, cudaStreamAttributeSynchronizationPolicy, &value));
	cudaMemLocation location = {};
	location.type = (cudaMemLocationType)55;
	ANSWER("prefetch nowhere", cudaMemPrefetchAsync(managed, 64, location, 0, 0));
	location.type = cudaMemLocationTypeDevice;
	location.id = 9;
	ANSWER("prefetch to device 9", cudaMemPrefetchAsync(managed, 64, location, 0, 0));
	cudaFree(managed);
	cudaStreamDestroy(s);
}

/* An event that a capture has recorded, when that is over. */
static void captures()
{
	cudaStream_t s, t;
	cudaEvent_t e;
	cudaGraph_t g;
	DO(cudaStreamCreate(&s));
	DO(cudaStreamCreate(&t));
	DO(cudaEventCreate(&e));
	DO(cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal));
	DO(cudaEventRecord(e, t));
	DO(cudaStreamEndCapture(t, &g));
	ANSWER("wait for a capture's event", cudaStreamWaitEvent(s, e, 0));
	ANSWER("synchronize with it", cudaEventSynchronize(e));
	cudaGetLastError();
	DO(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	ANSWER("wait for it in another capture", cudaStreamWaitEvent(s, e, 0));
	ANSWER("end of that", cudaStreamEndCapture(s, &g));
	cudaGetLastError();
	cudaStreamDestroy(s);
	cudaStreamDestroy(t);
}

static void allocations()
{
	void *p;
	size_t pitch = 5;
	ANSWER("copy nothing to device 9", cudaMemcpyPeer(device, 9, device, 9, 0));
	cudaPitchedPtr flat = make_cudaPitchedPtr(device, 16, 16, 4);
	ANSWER("set beyond a slice", cudaMemset3D(flat, 0, make_cudaExtent(16, 5, 2)));
	ANSWER("pitch of no rows", cudaMallocPitch(&p, &pitch, 4, 0));
	say("it", "%zu", pitch);
	void *page = aligned_alloc(4096, 4096);
	ANSWER("register as a device's", cudaHostRegister(page, 4096, cudaHostRegisterIoMemory));
	ANSWER("pool of device 9", cudaDeviceGetMemPool((cudaMemPool_t *)&p, 9));
	ANSWER("handle of no event", cudaIpcGetEventHandle((cudaIpcEventHandle_t *)page, 0));
	free(page);
}

static void devices()
{
	ANSWER("three ways to wait", cudaSetDeviceFlags(7));
	ANSWER("unknown flags at first", cudaInitDevice(0, 99, cudaInitDeviceFlagsAreValid));
}

static void clusters()
{
	int n = 77, *null = NULL;
	void *args[] = {&null};
	cudaLaunchAttribute a = {};
	cudaLaunchConfig_t c = {};
	c.gridDim = dim3(8);
	c.blockDim = dim3(32);
	ANSWER("clusters of a launch without", cudaOccupancyMaxActiveClusters(&n, kernel, &c));
	say("they", "%d", n);
	a.id = cudaLaunchAttributeClusterDimension;
	c.attrs = &a;
	c.numAttrs = 1;
	a.val.clusterDim = {3, 1, 1};
	ANSWER("clusters that do not divide it", cudaOccupancyMaxActiveClusters(&n, kernel, &c));
	a.val.clusterDim = {16, 1, 1};
	ANSWER("too large clusters", cudaOccupancyMaxActiveClusters(&n, kernel, &c));
	a.val.clusterDim = {0, 0, 0};
	ANSWER("launch with clusters of nothing", cudaLaunchKernelExC(&c, (void *)kernel, args));
	cudaGetLastError();
}

static void graphs()
{
	cudaGraph_t g;
	cudaGraphExec_t e;
	cudaGraphNode_t n;
	DO(cudaGraphCreate(&g, 0));
	DO(cudaGraphInstantiate(&e, g, 0));
	DO(cudaGraphAddEmptyNode(&n, g, 0, 0));
	ANSWER("update, told nobody", cudaGraphExecUpdate(e, g, NULL));
	cudaGraphInstantiateParams p = {};
	p.flags = 64;
	ANSWER("unknown flags", cudaGraphInstantiateWithParams(&e, g, &p));
	say("result", "%d", (int)p.result_out);
	cudaMemsetParams set = {};
	set.dst = device;
	set.elementSize = 4;
	set.width = 4;
	ANSWER("set no rows", cudaGraphAddMemsetNode(&n, g, 0, 0, &set));
	set.width = 0;
	set.height = 1;
	ANSWER("set no columns", cudaGraphAddMemsetNode(&n, g, 0, 0, &set));
	ANSWER("copy nothing", cudaGraphAddMemcpyNode1D(&n, g, 0, 0, device, &host, 0, cudaMemcpyHostToDevice));
	cudaGraphDestroy(g);
}

static void textures()
{
	cudaArray_t array;
	cudaSurfaceObject_t surface;
	cudaTextureObject_t texture;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	cudaResourceDesc r = {};
	cudaTextureDesc how = {};
	ANSWER("array for video", cudaMallocArray(&array, &format, 16, 0, 0x100));
	r.resType = cudaResourceTypeLinear;
	ANSWER("surface of memory", cudaCreateSurfaceObject(&surface, &r));
	r.resType = cudaResourceTypePitch2D;
	r.res.pitch2D.devPtr = device;
	r.res.pitch2D.desc = format;
	r.res.pitch2D.height = 16;
	r.res.pitch2D.pitchInBytes = 64;
	ANSWER("no columns", cudaCreateTextureObject(&texture, &r, &how, 0));
	r.res.pitch2D.width = 16;
	r.res.pitch2D.desc = cudaCreateChannelDesc<int>();
	how.filterMode = cudaFilterModeLinear;
	how.readMode = cudaReadModeNormalizedFloat;
	ANSWER("filter 32-bit integers as fractions", cudaCreateTextureObject(&texture, &r, &how, 0));
	how.filterMode = cudaFilterModePoint;
	r.res.pitch2D.desc = cudaCreateChannelDesc<short>();
	ANSWER("16-bit ones", cudaCreateTextureObject(&texture, &r, &how, 0));
}

static void driver()
{
	CUdeviceptr p;
	CUmodule m;
	CUstream s;
	int v;
	ANSWER("load a folder", cuModuleLoad(&m, "/"));
	ANSWER("managed memory of no size", cuMemAllocManaged(&p, 0, CU_MEM_ATTACH_GLOBAL));
	ANSWER("attribute of no function", cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, 0));
	DO(cuStreamCreate(&s, 0));
	std::thread other([s] {
		ANSWER("query a stream without a context", cuStreamQuery(s));
		ANSWER("the default one", cuStreamQuery(0));
		ANSWER("no event", cuEventQuery(0));
	});
	other.join();
	DO(cudaDeviceReset());
	unsigned flags;
	int active = 7;
	ANSWER("state after a reset", cuDevicePrimaryCtxGetState(0, &flags, &active));
	say("active", "%d", active);
	ANSWER("driver after a reset", cuMemAlloc(&p, 64));
	ANSWER("runtime after a reset", cudaMalloc((void **)&device, 64));
	ANSWER("driver after that", cuMemFree((CUdeviceptr)device));
}

static void ended()
{
	DO(cudaMalloc((void **)&device, 64));
	cudaPointerAttributes a = {};
	fails<<<1, 1>>>();
	ANSWER("a kernel that dies", cudaDeviceSynchronize());
	ANSWER("memory", cudaFree(device));
	ANSWER("pointers", cudaPointerGetAttributes(&a, device));
}

int main()
{
	DO(cudaMalloc(&device, 4096));
	streams();
	captures();
	allocations();
	devices();
	clusters();
	graphs();
	textures();
	DO(cudaDeviceSynchronize());
	cudaGetLastError();
	driver();
	ended();
	return 0;
}
