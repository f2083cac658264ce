// SPDX-License-Identifier: Apache-2.0
// Functions that CUDA 12's headers declare otherwise than CUDA 13's. The guard behind a structure is overwritten by a
// runtime that takes it for CUDA 13's.
#include <cstdio>
#include <cstring>

template <class T> struct guarded {
	T value;
	unsigned char guard[256];
	guarded()
	{
		memset(guard, 0xa5, sizeof guard);
	}
	bool whole() const
	{
		for (unsigned char c : guard)
			if (c != 0xa5)
				return false;
		return true;
	}
};

static int place(const void *p, cudaMemRangeAttribute which)
{
	int ret = -77;
	cudaMemRangeGetAttribute(&ret, sizeof ret, which, p, 4096);
	return ret;
}

static void managed_memory()
{
	char *p;
	cudaMallocManaged(&p, 4096);
	cudaMemAdvise(p, 4096, cudaMemAdviseSetPreferredLocation, 0);
	int first = place(p, cudaMemRangeAttributePreferredLocation);
	cudaMemAdvise(p, 4096, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId);
	printf("advice: %d %d\n", first, place(p, cudaMemRangeAttributePreferredLocation));
	cudaMemPrefetchAsync(p, 4096, 0, cudaStreamPerThread);
	first = place(p, cudaMemRangeAttributeLastPrefetchLocation);
	cudaMemPrefetchAsync(p, 4096, cudaCpuDeviceId);
	printf("prefetch: %d %d\n", first, place(p, cudaMemRangeAttributeLastPrefetchLocation));
	cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
	cudaMemAdvise_v2(p, 4096, cudaMemAdviseSetPreferredLocation, device);
	printf("advice by place: %d\n", place(p, cudaMemRangeAttributePreferredLocation));
	cudaMemPrefetchAsync_v2(p, 4096, device, 0, 0);
	printf("prefetch by place: %d\n", place(p, cudaMemRangeAttributeLastPrefetchLocation));

	guarded<cudaPointerAttributes> about;
	cudaPointerGetAttributes(&about.value, p);
	printf("pointer: type %d, device %d, itself %d, guard %d\n", about.value.type, about.value.device,
	       about.value.devicePointer == p && about.value.hostPointer == p, about.whole());
	cudaFree(p);
}

static int at(cudaDeviceAttr which)
{
	int ret = -77;
	cudaDeviceGetAttribute(&ret, which, 0);
	return ret;
}

// The header says of each old field which attribute it is.
static void properties()
{
	guarded<cudaDeviceProp> p;
	cudaGetDeviceProperties(&p.value, 0);
	const cudaDeviceProp &v = p.value;
	printf("old fields: %d\n", v.clockRate == at(cudaDevAttrClockRate) &&
					   v.memoryClockRate == at(cudaDevAttrMemoryClockRate) &&
					   v.deviceOverlap == at(cudaDevAttrGpuOverlap) &&
					   v.computeMode == at(cudaDevAttrComputeMode) &&
					   v.kernelExecTimeoutEnabled == at(cudaDevAttrKernelExecTimeout) &&
					   v.singleToDoublePrecisionPerfRatio ==
						   at(cudaDevAttrSingleToDoublePrecisionPerfRatio));
	printf("other fields: %d\n", v.warpSize == at(cudaDevAttrWarpSize) &&
					     v.maxGridSize[2] == at(cudaDevAttrMaxGridDimZ) &&
					     v.major == at(cudaDevAttrComputeCapabilityMajor) &&
					     v.multiProcessorCount == at(cudaDevAttrMultiProcessorCount) &&
					     v.maxTexture2D[1] == at(cudaDevAttrMaxTexture2DHeight) &&
					     v.maxSurfaceCubemap == at(cudaDevAttrMaxSurfaceCubemapWidth) &&
					     v.l2CacheSize == at(cudaDevAttrL2CacheSize) &&
					     v.regsPerMultiprocessor ==
						     at(cudaDevAttrMaxRegistersPerMultiprocessor) &&
					     int(v.sharedMemPerBlockOptin) ==
						     at(cudaDevAttrMaxSharedMemoryPerBlockOptin) &&
					     int(v.reservedSharedMemPerBlock) ==
						     at(cudaDevAttrReservedSharedMemoryPerBlock) &&
					     v.clusterLaunch == at(cudaDevAttrClusterLaunch));
	printf("properties: guard %d\n", p.whole());
}

static void graphs()
{
	cudaGraph_t g;
	cudaGraphNode_t a, b, c, d, from[8], to[8];
	size_t n = 8;
	cudaGraphCreate(&g, 0);
	cudaGraphAddEmptyNode(&a, g, nullptr, 0);
	cudaGraphAddEmptyNode(&b, g, nullptr, 0);
	cudaGraphAddEmptyNode(&c, g, nullptr, 0);
	cudaGraphAddDependencies(g, &a, &b, 1);
	cudaGraphAddDependencies_v2(g, &b, &c, nullptr, 1);
	cudaGraphGetEdges(g, from, to, &n);
	printf("edges: %zu", n);
	n = 8;
	cudaGraphNodeGetDependencies(c, from, &n);
	printf(", before c: %zu %d", n, from[0] == b);
	n = 8;
	cudaGraphNodeGetDependentNodes(a, to, &n);
	printf(", behind a: %zu %d", n, to[0] == b);
	cudaGraphRemoveDependencies(g, &b, &c, 1);
	cudaGraphGetEdges(g, nullptr, nullptr, &n);
	printf(", without one: %zu", n);
	cudaGraphNodeParams params = {};
	params.type = cudaGraphNodeTypeEmpty;
	cudaGraphAddNode(&d, g, &c, 1, &params);
	n = 8;
	cudaGraphEdgeData data[8];
	cudaGraphGetEdges_v2(g, from, to, data, &n);
	printf(", with a node: %zu\n", n);
	cudaGraphDestroy(g);
}

__global__ void nothing()
{
}

static void capture()
{
	cudaStream_t s;
	cudaStreamCreate(&s);
	cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
	nothing<<<1, 1, 0, s>>>();
	cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
	cudaGraph_t g = nullptr;
	const cudaGraphNode_t *nodes;
	size_t n = 77, count = 77;
	cudaStreamGetCaptureInfo_v2(s, &status, nullptr, &g, &nodes, &n);
	cudaGraphGetNodes(g, nullptr, &count);
	printf("capture: active %d, %zu of %zu nodes", status == cudaStreamCaptureStatusActive, n, count);
	cudaStreamUpdateCaptureDependencies(s, nullptr, 0, cudaStreamSetCaptureDependencies);
	const cudaGraphEdgeData *data;
	cudaStreamGetCaptureInfo_v3(s, &status, nullptr, nullptr, &nodes, &data, &n);
	printf(", then %zu\n", n);
	cudaStreamEndCapture(s, &g);
	cudaGraphDestroy(g);
	cudaStreamDestroy(s);
}

static void textures()
{
	cudaArray_t array;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	cudaMallocArray(&array, &format, 16, 16, cudaArraySurfaceLoadStore);
	guarded<cudaResourceDesc> r, again;
	r.value = {};
	r.value.resType = cudaResourceTypeArray;
	r.value.res.array.array = array;
	guarded<cudaResourceViewDesc> view, view_again;
	view.value = {};
	view.value.format = cudaResViewFormatFloat1;
	view.value.width = view.value.height = 16;
	cudaTextureDesc t = {};
	t.readMode = cudaReadModeElementType;
	cudaTextureObject_t texture = 0;
	cudaSurfaceObject_t surface = 0;
	cudaError_t made = cudaCreateTextureObject(&texture, &r.value, &t, &view.value);
	cudaGetTextureObjectResourceDesc(&again.value, texture);
	cudaGetTextureObjectResourceViewDesc(&view_again.value, texture);
	printf("texture: %s, the array %d, width %zu, guards %d %d\n", cudaGetErrorName(made),
	       again.value.res.array.array == array, view_again.value.width, again.whole(), view_again.whole());
	made = cudaCreateSurfaceObject(&surface, &r.value);
	guarded<cudaResourceDesc> of_surface;
	cudaGetSurfaceObjectResourceDesc(&of_surface.value, surface);
	printf("surface: %s, the array %d, guard %d\n", cudaGetErrorName(made),
	       of_surface.value.res.array.array == array, of_surface.whole());
}

// From 12.8 on.
static void batches()
{
	int sum = 15;
#if CUDART_VERSION >= 12080
	int from[2] = {5, 10}, *to;
	cudaMallocManaged(&to, 2 * sizeof *to);
	void *targets[2] = {to, to + 1}, *sources[2] = {from, from + 1};
	size_t sizes[2] = {sizeof(int), sizeof(int)}, starts[1] = {0}, failed = 0;
	cudaMemcpyAttributes attributes[1] = {};
	attributes[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	cudaStream_t s;
	cudaStreamCreate(&s);
	cudaMemcpyBatchAsync(targets, sources, sizes, 2, attributes, starts, 1, &failed, s);
	cudaStreamSynchronize(s);
	sum = to[0] + to[1];
#endif
	printf("batch: %d\n", sum);
}

int main()
{
	managed_memory();
	properties();
	graphs();
	capture();
	textures();
	batches();
	printf("threads: %d %d\n", cudaThreadSynchronize(), cudaThreadExit());
}
