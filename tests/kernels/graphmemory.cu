/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that graphs allocate and free: nodes, captured cudaMallocAsync, what outlives the
 * launch, what may not be done. */
#include <cuda_runtime.h>

#include "case.cuh"

static const char *answer(cudaError_t error)
{
	cudaGetLastError();
	return cudaGetErrorName(error);
}

__global__ void fill(int *p, int n, int base)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		p[i] = base + i;
}

__global__ void sum(const int *p, int n, int *to)
{
	int total = 0;
	for (int i = 0; i < n; i++)
		total += p[i];
	*to = total;
}

static int *result;
static cudaStream_t stream;

static int answer_of(cudaGraphExec_t exec)
{
	int got = -1;
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaMemcpyAsync(&got, result, sizeof got, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	return got;
}

static cudaMemAllocNodeParams params(size_t size)
{
	cudaMemAllocNodeParams p = {};
	p.poolProps.allocType = cudaMemAllocationTypePinned;
	p.poolProps.location.type = cudaMemLocationTypeDevice;
	p.bytesize = size;
	return p;
}

static void kernel(cudaGraph_t graph, cudaGraphNode_t *node, const cudaGraphNode_t *after, void *func, void **args)
{
	cudaKernelNodeParams p = {};
	p.func = func, p.gridDim = 1, p.blockDim = 32, p.kernelParams = args;
	CHECK(cudaGraphAddKernelNode(node, graph, after, after ? 1 : 0, &p));
}

static void nodes()
{
	cudaGraph_t graph, clone;
	cudaGraphExec_t exec, second;
	cudaGraphNode_t make, write, read, drop, again;
	CHECK(cudaGraphCreate(&graph, 0));
	cudaMemAllocNodeParams p = params(4000);
	CHECK(cudaGraphAddMemAllocNode(&make, graph, NULL, 0, &p));
	int *data = (int *)p.dptr, n = 1000, base = 5;
	say("an address", "%d", data != nullptr);
	cudaPointerAttributes about;
	cudaError_t error = cudaPointerGetAttributes(&about, data);
	say("what it is", "%s %d %d", answer(error), about.type, about.device);
	void *a[] = {&data, &n, &base}, *b[] = {&data, &n, &result};
	kernel(graph, &write, &make, (void *)fill, a);
	kernel(graph, &read, &write, (void *)sum, b);
	CHECK(cudaGraphAddMemFreeNode(&drop, graph, &read, 1, data));
	say("free twice", "%s", answer(cudaGraphAddMemFreeNode(&again, graph, &drop, 1, data)));
	say("free what is no graph's", "%s", answer(cudaGraphAddMemFreeNode(&again, graph, NULL, 0, result)));
	say("free nothing", "%s", answer(cudaGraphAddMemFreeNode(&again, graph, NULL, 0, NULL)));
	cudaMemAllocNodeParams got = {};
	CHECK(cudaGraphMemAllocNodeGetParams(make, &got));
	say("asked", "%d %zu %d", got.dptr == data, got.bytesize, got.poolProps.location.id);
	void *freed = NULL;
	CHECK(cudaGraphMemFreeNodeGetParams(drop, &freed));
	say("asked of the free", "%d", freed == data);
	cudaGraphNodeType type, other;
	CHECK(cudaGraphNodeGetType(make, &type));
	CHECK(cudaGraphNodeGetType(drop, &other));
	say("types", "%d %d", type, other);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	say("launched", "%d %d", answer_of(exec), answer_of(exec));
	say("executable twice", "%s", answer(cudaGraphInstantiate(&second, graph, 0)));
	say("clone", "%s", answer(cudaGraphClone(&clone, graph)));
	say("destroy the node", "%s", answer(cudaGraphDestroyNode(drop)));
	say("remove the edge", "%s", answer(cudaGraphRemoveDependencies(graph, &read, &drop, NULL, 1)));
	say("disable", "%s", answer(cudaGraphNodeSetEnabled(exec, make, 0)));
	CHECK(cudaGraphExecDestroy(exec));
	say("executable again", "%s", answer(cudaGraphInstantiate(&exec, graph, 0)));
	say("launched again", "%d", answer_of(exec));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
}

/* The allocation outlives the launch. */
static void left()
{
	cudaGraph_t graph, later;
	cudaGraphExec_t exec, freeing;
	cudaGraphNode_t make, write, drop;
	CHECK(cudaGraphCreate(&graph, 0));
	cudaMemAllocNodeParams p = params(64);
	CHECK(cudaGraphAddMemAllocNode(&make, graph, NULL, 0, &p));
	int *data = (int *)p.dptr, n = 16, base = 40, got[16] = {};
	void *a[] = {&data, &n, &base};
	kernel(graph, &write, &make, (void *)fill, a);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	say("free before", "%s", answer(cudaFree(data)));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaMemcpyAsync(got, data, 64, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	show("left", got, 16);
	say("launch with it", "%s", answer(cudaGraphLaunch(exec, stream)));
	CHECK(cudaFreeAsync(data, stream));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaFree(data));
	say("free again", "%s", answer(cudaFree(data)));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaGraphCreate(&later, 0));
	say("free in another graph", "%s", answer(cudaGraphAddMemFreeNode(&drop, later, NULL, 0, data)));
	CHECK(cudaGraphInstantiate(&freeing, later, 0));
	CHECK(cudaGraphLaunch(freeing, stream));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaGraphLaunch(freeing, stream));
	CHECK(cudaStreamSynchronize(stream));
	say("launches in turn", "%s", answer(cudaGetLastError()));
	CHECK(cudaGraphExecDestroy(freeing));
	CHECK(cudaGraphDestroy(later));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));

	CHECK(cudaGraphCreate(&graph, 0));
	p = params(64);
	CHECK(cudaGraphAddMemAllocNode(&make, graph, NULL, 0, &p));
	data = (int *)p.dptr;
	kernel(graph, &write, &make, (void *)fill, a);
	CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
	for (int i = 0; i < 3; i++)
		CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaMemcpyAsync(got, data, 64, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	show("freed by itself", got, 16);
	unsigned long long flags = 0;
	CHECK(cudaGraphExecGetFlags(exec, &flags));
	say("flags", "%llu", flags);
	CHECK(cudaFree(data));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
}

static void captured()
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	int *data, *more, n = 0, kept;
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaMallocAsync(&data, 400, stream));
	CHECK(cudaMallocAsync(&more, 400, stream));
	fill<<<1, 32, 0, stream>>>(data, 100, 1);
	CHECK(cudaMemcpyAsync(more, data, 400, cudaMemcpyDeviceToDevice, stream));
	CHECK(cudaFreeAsync(data, stream));
	sum<<<1, 1, 0, stream>>>(more, 100, result);
	CHECK(cudaFreeAsync(more, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	cudaGraphNode_t list[16];
	size_t count = 16;
	CHECK(cudaGraphGetNodes(graph, list, &count));
	int kinds[16] = {};
	for (size_t i = 0; i < count; i++) {
		cudaGraphNodeType type;
		CHECK(cudaGraphNodeGetType(list[i], &type));
		kinds[type]++;
	}
	show("captured", kinds, 16);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	say("sums", "%d %d", answer_of(exec), answer_of(exec));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));

	CHECK(cudaMallocAsync(&data, 400, stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	cudaError_t error = cudaFreeAsync(data, stream);
	cudaError_t ended = cudaStreamEndCapture(stream, &graph);
	say("free what was allocated before", "%s %s", cudaGetErrorName(error), answer(ended));
	if (error == cudaSuccess && ended == cudaSuccess)
		CHECK(cudaGraphDestroy(graph));
	CHECK(cudaFreeAsync(data, stream));
	CHECK(cudaStreamSynchronize(stream));
	(void)n, (void)kept;
}

static void wrong()
{
	cudaGraph_t graph;
	cudaGraphNode_t node;
	CHECK(cudaGraphCreate(&graph, 0));
	cudaMemAllocNodeParams p = params(0);
	say("no bytes", "%s", answer(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &p)));
	p = params(64), p.poolProps.location.id = 99;
	say("no device", "%s", answer(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &p)));
	p = params(64), p.poolProps.location.type = cudaMemLocationTypeHost;
	say("host memory", "%s", answer(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &p)));
	p = params(64), p.poolProps.allocType = cudaMemAllocationTypeInvalid;
	say("no type", "%s", answer(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &p)));
	say("no parameters", "%s", answer(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, NULL)));
	size_t n = 9;
	CHECK(cudaGraphGetNodes(graph, NULL, &n));
	say("nodes", "%zu", n);
	CHECK(cudaGraphDestroy(graph));

	unsigned long long value = 0, one = 1;
	say("attribute of no device", "%s", answer(cudaDeviceGetGraphMemAttribute(99, cudaGraphMemAttrUsedMemCurrent, &value)));
	say("no attribute", "%s", answer(cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)9, &value)));
	say("set current", "%s", answer(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &value)));
	say("set high", "%s", answer(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &one)));
	value = 0;
	say("reset high", "%s", answer(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &value)));
	CHECK(cudaDeviceGraphMemTrim(0));
	CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &value));
	say("used in the end", "%llu", value);
	say("trim no device", "%s", answer(cudaDeviceGraphMemTrim(99)));
}

int main()
{
	CHECK(cudaMalloc(&result, sizeof *result));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	nodes();
	left();
	captured();
	wrong();
	return 0;
}
