/* SPDX-License-Identifier: Apache-2.0 */
/* nodes.cu - graphs' nodes by kind: made, asked for, changed, with copies of arrays; advice
 * about managed memory; pools by location. */
#include <cuda_runtime.h>

#include "case.cuh"

__device__ int variable[4];

__global__ void add(int *p, int k)
{
	p[threadIdx.x] += k;
}

static void CUDART_CB count(void *user)
{
	++*static_cast<int *>(user);
}

static const char *answer(cudaError_t error)
{
	cudaGetLastError();
	return cudaGetErrorName(error);
}

static void nodes()
{
	cudaGraph_t graph, inner, got;
	cudaGraphExec_t exec;
	cudaGraphNode_t set, run, to, from, host, child, wait, record, all[16];
	cudaEvent_t one, two, event;
	int *data, counted = 0, in[4] = {1, 2, 3, 4}, out[4] = {}, k = 5;
	CHECK(cudaMalloc(&data, 16));
	CHECK(cudaEventCreate(&one));
	CHECK(cudaEventCreate(&two));
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphCreate(&inner, 0));

	cudaGraphNodeParams p = {};
	p.type = cudaGraphNodeTypeMemset;
	p.memset.dst = data, p.memset.elementSize = 4, p.memset.width = 4, p.memset.height = 1, p.memset.value = 7;
	CHECK(cudaGraphAddNode(&set, graph, NULL, NULL, 0, &p));
	void *args[] = {&data, &k};
	p = {};
	p.type = cudaGraphNodeTypeKernel;
	p.kernel.func = (void *)add, p.kernel.gridDim = 1, p.kernel.blockDim = 4, p.kernel.kernelParams = args;
	CHECK(cudaGraphAddNode(&run, graph, &set, NULL, 1, &p));
	CHECK(cudaGraphAddMemcpyNodeToSymbol(&to, graph, NULL, 0, variable, in, 16, 0, cudaMemcpyHostToDevice));
	CHECK(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, out, variable, 8, 4, cudaMemcpyDeviceToHost));
	p = {};
	p.type = cudaGraphNodeTypeHost;
	p.host.fn = count, p.host.userData = &counted;
	CHECK(cudaGraphAddNode(&host, graph, &run, NULL, 1, &p));
	cudaGraphNode_t empty;
	CHECK(cudaGraphAddEmptyNode(&empty, inner, NULL, 0));
	p = {};
	p.type = cudaGraphNodeTypeGraph;
	p.graph.graph = inner;
	CHECK(cudaGraphAddNode(&child, graph, NULL, NULL, 0, &p));
	p = {};
	p.type = cudaGraphNodeTypeWaitEvent;
	p.eventWait.event = one;
	CHECK(cudaGraphAddNode(&wait, graph, NULL, NULL, 0, &p));
	p = {};
	p.type = cudaGraphNodeTypeEventRecord;
	p.eventRecord.event = one;
	CHECK(cudaGraphAddNode(&record, graph, &host, NULL, 1, &p));
	size_t n = 16;
	CHECK(cudaGraphGetNodes(graph, all, &n));
	say("nodes", "%zu", n);

	cudaKernelNodeParams kernel = {};
	CHECK(cudaGraphKernelNodeGetParams(run, &kernel));
	say("kernel", "%d, %u %u, %u bytes, %d, %d", kernel.func == (void *)add, kernel.gridDim.x, kernel.blockDim.x,
	    kernel.sharedMemBytes, *(int **)kernel.kernelParams[0] == data, *(int *)kernel.kernelParams[1]);
	cudaMemsetParams fill = {};
	CHECK(cudaGraphMemsetNodeGetParams(set, &fill));
	say("memset", "%d %u %u %zu %zu", fill.dst == data, fill.value, fill.elementSize, fill.width, fill.height);
	cudaHostNodeParams call = {};
	CHECK(cudaGraphHostNodeGetParams(host, &call));
	say("host", "%d %d", call.fn == count, call.userData == &counted);
	CHECK(cudaGraphEventWaitNodeGetEvent(wait, &event));
	say("wait", "%d", event == one);
	CHECK(cudaGraphEventWaitNodeSetEvent(wait, two));
	CHECK(cudaGraphEventWaitNodeGetEvent(wait, &event));
	say("wait, set", "%d", event == two);
	CHECK(cudaGraphEventRecordNodeGetEvent(record, &event));
	say("record", "%d", event == one);
	n = 16;
	CHECK(cudaGraphChildGraphNodeGetGraph(child, &got));
	CHECK(cudaGraphGetNodes(got, all, &n));
	say("child", "%d nodes %zu", got == inner, n);
	say("wrong kind", "%s %s", answer(cudaGraphKernelNodeGetParams(set, &kernel)), answer(cudaGraphHostNodeGetParams(set, &call)));

	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, 0));
	CHECK(cudaDeviceSynchronize());
	int back[4];
	CHECK(cudaMemcpy(back, data, 16, cudaMemcpyDefault));
	say("launched", "%d %d, %d %d, counted %d", back[0], back[3], out[0], out[1], counted);
	k = 100;
	p = {};
	p.type = cudaGraphNodeTypeKernel;
	p.kernel.func = (void *)add, p.kernel.gridDim = 1, p.kernel.blockDim = 2, p.kernel.kernelParams = args;
	CHECK(cudaGraphExecNodeSetParams(exec, run, &p));
	CHECK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, from, out, variable, 8, 8, cudaMemcpyDeviceToHost));
	CHECK(cudaGraphExecEventRecordNodeSetEvent(exec, record, two));
	CHECK(cudaGraphLaunch(exec, 0));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(back, data, 16, cudaMemcpyDefault));
	say("changed", "%d %d, %d %d, counted %d", back[0], back[3], out[0], out[1], counted);

	CHECK(cudaGraphRemoveDependencies(graph, &set, &run, NULL, 1));
	n = 16;
	CHECK(cudaGraphGetRootNodes(graph, all, &n));
	say("roots", "%zu", n);
	say("no such edge", "%s", answer(cudaGraphRemoveDependencies(graph, &set, &run, NULL, 1)));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaGraphDestroy(inner));
}

static void arrays()
{
	float in[12], out[12] = {};
	for (int i = 0; i < 12; i++)
		in[i] = i * 1.5f;
	cudaArray_t array;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	CHECK(cudaMallocArray(&array, &format, 4, 3));
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t up, down;
	CHECK(cudaGraphCreate(&graph, 0));
	cudaMemcpy3DParms p = {};
	p.srcPtr = make_cudaPitchedPtr(in, 16, 4, 3);
	p.dstArray = array, p.extent = make_cudaExtent(4, 3, 1), p.kind = cudaMemcpyHostToDevice;
	CHECK(cudaGraphAddMemcpyNode(&up, graph, NULL, 0, &p));
	p = {};
	p.dstPtr = make_cudaPitchedPtr(out, 16, 4, 3);
	p.srcArray = array, p.srcPos = make_cudaPos(1, 1, 0), p.extent = make_cudaExtent(3, 2, 1), p.kind = cudaMemcpyDeviceToHost;
	CHECK(cudaGraphAddMemcpyNode(&down, graph, &up, 1, &p));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, 0));
	CHECK(cudaDeviceSynchronize());
	show("array in a graph", out, 12);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaFreeArray(array));
}

static void tell(const char *name, void *p, size_t count)
{
	int one[8] = {}, list[3] = {9, 9, 9};
	cudaMemRangeAttribute which[] = {cudaMemRangeAttributeReadMostly, cudaMemRangeAttributePreferredLocation,
					 cudaMemRangeAttributeLastPrefetchLocation};
	for (int i = 0; i < 3; i++)
		CHECK(cudaMemRangeGetAttribute(&one[i], 4, which[i], p, count));
	CHECK(cudaMemRangeGetAttribute(list, 12, cudaMemRangeAttributeAccessedBy, p, count));
	say(name, "%d %d %d, by %d %d %d", one[0], one[1], one[2], list[0], list[1], list[2]);
}

static void managed()
{
	char *p;
	const size_t size = 4 << 20, half = 2 << 20;
	cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, cpu = {cudaMemLocationTypeHost, 0};
	CHECK(cudaMallocManaged(&p, size));
	tell("fresh", p, size);
	CHECK(cudaMemAdvise(p, size, cudaMemAdviseSetReadMostly, device));
	CHECK(cudaMemAdvise(p, size, cudaMemAdviseSetPreferredLocation, cpu));
	CHECK(cudaMemAdvise(p, size, cudaMemAdviseSetAccessedBy, device));
	tell("advised", p, size);
	CHECK(cudaMemPrefetchAsync(p, half, device, 0, 0));
	CHECK(cudaDeviceSynchronize());
	tell("prefetched half", p, half);
	tell("all of it", p, size);
	CHECK(cudaMemAdvise(p, half, cudaMemAdviseUnsetReadMostly, device));
	CHECK(cudaMemAdvise(p, half, cudaMemAdviseUnsetPreferredLocation, device));
	CHECK(cudaMemAdvise(p, half, cudaMemAdviseUnsetAccessedBy, device));
	tell("unset half", p, half);
	tell("the other half", p + half, half);
	tell("both", p, size);
	int one;
	say("bad", "%s %s %s", answer(cudaMemRangeGetAttribute(&one, 8, cudaMemRangeAttributeReadMostly, p, size)),
	    answer(cudaMemRangeGetAttribute(&one, 4, (cudaMemRangeAttribute)99, p, size)),
	    answer(cudaMemRangeGetAttribute(&one, 4, cudaMemRangeAttributeReadMostly, p, 0)));
	CHECK(cudaFree(p));
}

static void pools()
{
	cudaMemPool_t a, b, c;
	cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, none = {cudaMemLocationTypeDevice, 99};
	CHECK(cudaDeviceGetDefaultMemPool(&a, 0));
	CHECK(cudaMemGetDefaultMemPool(&b, &device, cudaMemAllocationTypePinned));
	CHECK(cudaMemGetMemPool(&c, &device, cudaMemAllocationTypePinned));
	say("pools", "%d %d", a == b, a == c);
	say("no pool", "%s", answer(cudaMemGetMemPool(&c, &none, cudaMemAllocationTypePinned)));
}

int main()
{
	nodes();
	arrays();
	managed();
	pools();
}
