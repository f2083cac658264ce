/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: edges with data, user objects, attributes of kernel nodes, updates and why they fail,
 * instantiation, capture into a graph, events of other streams, child graphs.
 *
 * Flags: -std=c++17 */
#include <cuda_runtime.h>
#include <atomic>
#include <unistd.h>

#include "case.cuh"

static const char *answer(cudaError_t error)
{
	cudaGetLastError();
	return cudaGetErrorName(error);
}
#define A(name, call) say(name, "%s", answer(call))

__global__ void add(int *p, int k)
{
	*p += k;
}
__global__ void times(int *p, int k)
{
	*p *= k;
}
__global__ void nothing()
{
}

static int *cell;
static cudaStream_t stream;

static void kernel(cudaGraph_t graph, cudaGraphNode_t *node, void *func, int k, const cudaGraphNode_t *after = NULL)
{
	cudaKernelNodeParams p = {};
	void *args[] = {&cell, &k};
	p.func = func, p.gridDim = 1, p.blockDim = 1, p.kernelParams = args;
	CHECK(cudaGraphAddKernelNode(node, graph, after, after ? 1 : 0, &p));
}

static int run(cudaGraphExec_t exec, int from)
{
	CHECK(cudaMemcpy(cell, &from, 4, cudaMemcpyHostToDevice));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpy(&from, cell, 4, cudaMemcpyDeviceToHost));
	return from;
}

static void edges()
{
	cudaGraph_t graph;
	cudaGraphNode_t a, b, c, set, from[8], to[8];
	cudaGraphEdgeData plain = {}, early = {}, bad = {}, got[8] = {};
	early.type = cudaGraphDependencyTypeProgrammatic, early.from_port = cudaGraphKernelNodePortProgrammatic;
	bad.type = 7;
	CHECK(cudaGraphCreate(&graph, 0));
	kernel(graph, &a, (void *)add, 1);
	kernel(graph, &b, (void *)times, 3);
	kernel(graph, &c, (void *)add, 2);
	cudaMemsetParams fill = {};
	fill.dst = cell, fill.elementSize = 4, fill.width = 1, fill.height = 1;
	CHECK(cudaGraphAddMemsetNode(&set, graph, NULL, 0, &fill));
	A("plain edge", cudaGraphAddDependencies(graph, &a, &b, &plain, 1));
	A("programmatic edge", cudaGraphAddDependencies(graph, &b, &c, &early, 1));
	A("bad edge", cudaGraphAddDependencies(graph, &a, &c, &bad, 1));
	A("programmatic edge from a memset", cudaGraphAddDependencies(graph, &set, &a, &early, 1));
	A("edge twice", cudaGraphAddDependencies(graph, &a, &b, &plain, 1));
	A("edge to itself", cudaGraphAddDependencies(graph, &a, &a, NULL, 1));
	A("edge before", cudaGraphAddDependencies(graph, &set, &a, NULL, 1));
	size_t n = 8;
	A("edges without data", cudaGraphGetEdges(graph, from, to, NULL, &n));
	n = 8;
	cudaError_t error = cudaGraphGetEdges(graph, from, to, got, &n);
	int programmatic = 0;
	for (size_t i = 0; i < n; i++)
		programmatic += got[i].type == cudaGraphDependencyTypeProgrammatic;
	say("edges", "%s %zu %d", answer(error), n, programmatic);
	n = 8;
	A("dependencies without data", cudaGraphNodeGetDependencies(c, from, NULL, &n));
	n = 8;
	error = cudaGraphNodeGetDependencies(c, from, got, &n);
	say("dependencies", "%s %zu %d %d", answer(error), n, got[0].type, got[0].from_port);
	n = 8;
	error = cudaGraphNodeGetDependentNodes(b, to, got, &n);
	say("dependents", "%s %zu %d %d", answer(error), n, got[0].type, got[0].from_port);
	A("remove with other data", cudaGraphRemoveDependencies(graph, &b, &c, &plain, 1));
	A("remove", cudaGraphRemoveDependencies(graph, &b, &c, &early, 1));
	cudaGraphExec_t exec;
	A("cycle", cudaGraphAddDependencies(graph, &b, &set, NULL, 1));
	cudaGraphInstantiateParams how = {};
	error = cudaGraphInstantiateWithParams(&exec, graph, &how);
	say("instantiate a cycle", "%s %d", answer(error), how.result_out);
	A("unknown flags", cudaGraphInstantiate(&exec, graph, 1 << 20));
	CHECK(cudaGraphDestroy(graph));
}

static std::atomic<int> destroyed;

static void CUDART_CB destroy(void *p)
{
	destroyed += *(int *)p;
}

/* It may be called a little later. */
static int gone(int expected)
{
	for (int i = 0; i < 6000 && destroyed != expected; i++)
		usleep(10000);
	return destroyed;
}

static void objects()
{
	static int one = 1, ten = 10;
	cudaUserObject_t object, other;
	cudaGraph_t graph, clone;
	cudaGraphExec_t exec;
	CHECK(cudaGraphCreate(&graph, 0));
	A("object without the flag", cudaUserObjectCreate(&object, &one, destroy, 1, 0));
	A("object without references", cudaUserObjectCreate(&object, &one, destroy, 0, cudaUserObjectNoDestructorSync));
	CHECK(cudaUserObjectCreate(&object, &one, destroy, 2, cudaUserObjectNoDestructorSync));
	CHECK(cudaUserObjectCreate(&other, &ten, destroy, 1, cudaUserObjectNoDestructorSync));
	A("retain", cudaUserObjectRetain(object, 1));
	A("retain none", cudaUserObjectRetain(object, 0));
	A("release", cudaUserObjectRelease(object, 2));
	A("give", cudaGraphRetainUserObject(graph, other, 1, cudaGraphUserObjectMove));
	A("give a reference", cudaGraphRetainUserObject(graph, object, 2, 0));
	A("flags", cudaGraphRetainUserObject(graph, object, 1, 8));
	A("take", cudaGraphReleaseUserObject(graph, object, 1));
	A("release the own", cudaUserObjectRelease(object, 1));
	CHECK(cudaGraphClone(&clone, graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaGraphDestroy(clone));
	say("while it is executable", "%d", destroyed.load());
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaDeviceSynchronize());
	say("destroyed", "%d", gone(11));
}

static void attributes()
{
	cudaGraph_t graph;
	cudaGraphNode_t a, b, empty;
	cudaLaunchAttributeValue v = {}, got = {};
	CHECK(cudaGraphCreate(&graph, 0));
	kernel(graph, &a, (void *)add, 1);
	kernel(graph, &b, (void *)add, 1);
	CHECK(cudaGraphAddEmptyNode(&empty, graph, NULL, 0));
	v.priority = -3;
	A("set priority", cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributePriority, &v));
	cudaError_t error = cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributePriority, &got);
	say("get priority", "%s %d", answer(error), got.priority);
	error = cudaGraphKernelNodeGetAttribute(b, cudaLaunchAttributePriority, &got);
	say("get another's", "%s %d", answer(error), got.priority);
	v = {}, v.cooperative = 1;
	A("set cooperative", cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributeCooperative, &v));
	error = cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributeCooperative, &got);
	say("get cooperative", "%s %d", answer(error), got.cooperative);
	A("copy", cudaGraphKernelNodeCopyAttributes(b, a));
	error = cudaGraphKernelNodeGetAttribute(b, cudaLaunchAttributePriority, &got);
	say("copied", "%s %d", answer(error), got.priority);
	v = {}, v.accessPolicyWindow.num_bytes = 4, v.accessPolicyWindow.base_ptr = cell;
	v.accessPolicyWindow.hitRatio = 1, v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
	v.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
	A("set window", cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributeAccessPolicyWindow, &v));
	error = cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributeAccessPolicyWindow, &got);
	say("get window", "%s %d %zu", answer(error), got.accessPolicyWindow.base_ptr == cell, got.accessPolicyWindow.num_bytes);
	v = {}, v.syncPolicy = cudaSyncPolicyYield;
	A("set what no node has", cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributeSynchronizationPolicy, &v));
	A("of an empty node", cudaGraphKernelNodeGetAttribute(empty, cudaLaunchAttributePriority, &got));
	CHECK(cudaGraphDestroy(graph));
}

static void updates()
{
	cudaGraph_t graph, other;
	cudaGraphNode_t a, b, c, d;
	cudaGraphExec_t exec;
	cudaGraphExecUpdateResultInfo info;
	cudaError_t error;
	CHECK(cudaGraphCreate(&graph, 0));
	kernel(graph, &a, (void *)add, 5);
	kernel(graph, &b, (void *)times, 2, &a);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	say("first", "%d", run(exec, 1));

	CHECK(cudaGraphCreate(&other, 0));
	kernel(other, &c, (void *)times, 7);
	kernel(other, &d, (void *)add, 1, &c);
	error = cudaGraphExecUpdate(exec, other, &info);
	say("other kernels", "%s %d", answer(error), info.result);
	say("then", "%d", run(exec, 1));
	CHECK(cudaGraphDestroyNode(d));
	error = cudaGraphExecUpdate(exec, other, &info);
	say("fewer nodes", "%s %d", answer(error), info.result);
	cudaMemsetParams fill = {};
	fill.dst = cell, fill.elementSize = 4, fill.width = 1, fill.height = 1, fill.value = 9;
	CHECK(cudaGraphAddMemsetNode(&d, other, &c, 1, &fill));
	error = cudaGraphExecUpdate(exec, other, &info);
	say("another type", "%s %d %d", answer(error), info.result, info.errorNode == d);
	CHECK(cudaGraphDestroyNode(d));
	kernel(other, &d, (void *)add, 1);
	error = cudaGraphExecUpdate(exec, other, &info);
	say("no edge", "%s %d", answer(error), info.result);
	say("still", "%d", run(exec, 1));
	CHECK(cudaGraphDestroy(other));

	/* What a node does by itself. */
	int k = 50;
	void *args[] = {&cell, &k};
	cudaKernelNodeParams p = {};
	p.func = (void *)add, p.gridDim = 1, p.blockDim = 1, p.kernelParams = args;
	A("another kernel in a node", cudaGraphExecKernelNodeSetParams(exec, a, &p));
	say("it runs", "%d", run(exec, 1));
	A("node of another kind", cudaGraphExecMemsetNodeSetParams(exec, a, &fill));
	CHECK(cudaGraphNodeSetEnabled(exec, b, 0));
	say("disabled", "%d", run(exec, 1));
	unsigned enabled = 7;
	CHECK(cudaGraphNodeGetEnabled(exec, b, &enabled));
	say("enabled", "%u", enabled);
	CHECK(cudaGraphNodeSetEnabled(exec, b, 1));
	say("enabled again", "%d", run(exec, 1));
	CHECK(cudaGraphExecDestroy(exec));

	/* Copies: another direction, another size. */
	int host[4] = {1, 2, 3, 4};
	int *buffer;
	cudaGraphNode_t copy;
	CHECK(cudaMalloc(&buffer, 16));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, NULL, 0, buffer, host, 16, cudaMemcpyHostToDevice));
	CHECK(cudaGraphAddMemsetNode(&d, graph, &copy, 1, &fill));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	A("copy less", cudaGraphExecMemcpyNodeSetParams1D(exec, copy, buffer, host, 8, cudaMemcpyHostToDevice));
	A("copy the other way", cudaGraphExecMemcpyNodeSetParams1D(exec, copy, host, buffer, 16, cudaMemcpyDeviceToHost));
	fill.value = 3, fill.elementSize = 1, fill.width = 4;
	A("set by bytes", cudaGraphExecMemsetNodeSetParams(exec, d, &fill));
	say("set", "%08x", run(exec, 1));
	fill.elementSize = 4, fill.width = 2, fill.height = 2, fill.pitch = 8, fill.dst = buffer;
	A("set two rows", cudaGraphExecMemsetNodeSetParams(exec, d, &fill));
	fill.elementSize = 3;
	A("set elements of three bytes", cudaGraphExecMemsetNodeSetParams(exec, d, &fill));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaFree(buffer));
}

static void captures()
{
	cudaGraph_t graph, got;
	cudaGraphExec_t exec;
	cudaGraphNode_t first, inner;
	cudaStreamCaptureStatus status;
	unsigned long long id = 0;
	const cudaGraphNode_t *after;
	const cudaGraphEdgeData *data;
	size_t n = 9;
	CHECK(cudaGraphCreate(&graph, 0));
	kernel(graph, &first, (void *)add, 4);
	A("capture into no graph", cudaStreamBeginCaptureToGraph(stream, NULL, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
	A("capture into a graph", cudaStreamBeginCaptureToGraph(stream, graph, &first, NULL, 1, cudaStreamCaptureModeGlobal));
	times<<<1, 1, 0, stream>>>(cell, 3);
	cudaError_t error = cudaStreamGetCaptureInfo(stream, &status, &id, &got, &after, &data, &n);
	say("info", "%s %d %d %d %zu", answer(error), status, id != 0, got == graph, n);
	inner = after[0];
	A("set after the first", cudaStreamUpdateCaptureDependencies(stream, &first, NULL, 1, cudaStreamSetCaptureDependencies));
	A("and after it", cudaStreamUpdateCaptureDependencies(stream, &inner, NULL, 1, cudaStreamAddCaptureDependencies));
	n = 9;
	CHECK(cudaStreamGetCaptureInfo(stream, &status, &id, &got, &after, NULL, &n));
	say("after", "%zu", n);
	add<<<1, 1, 0, stream>>>(cell, 1);
	A("no such node", cudaStreamUpdateCaptureDependencies(stream, (cudaGraphNode_t *)&got, NULL, 1, 1));
	A("no such flag", cudaStreamUpdateCaptureDependencies(stream, &first, NULL, 1, 9));
	error = cudaStreamEndCapture(stream, &got);
	say("ended", "%s %d", answer(error), got == graph);
	A("not capturing", cudaStreamUpdateCaptureDependencies(stream, &first, NULL, 1, 0));
	n = 9, id = 77;
	error = cudaStreamGetCaptureInfo(stream, &status, &id, NULL, NULL, NULL, NULL);
	say("no info", "%s %d", answer(error), status);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	say("captured", "%d", run(exec, 1));

	/* A launch of a graph cannot be captured. */
	cudaGraph_t outer;
	cudaGraphNode_t list[4];
	cudaGraphNodeType type;
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	A("launch in a capture", cudaGraphLaunch(exec, stream));
	A("ended with it", cudaStreamEndCapture(stream, &outer));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));

	/* External events are nodes. */
	cudaEvent_t event;
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	A("wait external", cudaStreamWaitEvent(stream, event, cudaEventWaitExternal));
	nothing<<<1, 1, 0, stream>>>();
	A("record external", cudaEventRecordWithFlags(event, stream, cudaEventRecordExternal));
	error = cudaStreamEndCapture(stream, &graph);
	n = 4;
	int kinds[16] = {};
	if (!error) {
		CHECK(cudaGraphGetNodes(graph, list, &n));
		for (size_t i = 0; i < n; i++) {
			CHECK(cudaGraphNodeGetType(list[i], &type));
			kinds[type]++;
		}
	}
	say("external events", "%s %zu %d %d", answer(error), n, kinds[cudaGraphNodeTypeWaitEvent], kinds[cudaGraphNodeTypeEventRecord]);
	A("record external outside", cudaEventRecordWithFlags(event, stream, cudaEventRecordExternal));
	CHECK(cudaStreamSynchronize(stream));
	if (!error) {
		CHECK(cudaGraphInstantiate(&exec, graph, 0));
		CHECK(cudaGraphLaunch(exec, stream));
		CHECK(cudaStreamSynchronize(stream));
		A("recorded by the graph", cudaEventQuery(event));
		CHECK(cudaGraphExecDestroy(exec));
		CHECK(cudaGraphDestroy(graph));
	}
}

__global__ void late(int *p, long long cycles)
{
	long long start = clock64();
	while (clock64() - start < cycles) {
	}
	*p = 7;
}

/* A launch returns when pageable memory that the graph copies to has been written, also by a
 * child graph or between two places on the host; pinned memory is not waited for. */
static void waits()
{
	long long cycles = 20000000;
	int *to = (int *)calloc(2, sizeof *to);
	void *args[] = {&cell, &cycles};
	cudaKernelNodeParams params = {};
	params.func = (void *)late;
	params.gridDim = params.blockDim = 1;
	params.kernelParams = args;
	for (int in_child = 0; in_child < 2; in_child++) {
		cudaGraph_t graph, child;
		cudaGraphNode_t kernel, node;
		cudaGraphExec_t exec;
		CHECK(cudaGraphCreate(&graph, 0));
		CHECK(cudaGraphCreate(&child, 0));
		CHECK(cudaMemset(cell, 0, sizeof *cell));
		CHECK(cudaGraphAddKernelNode(&kernel, graph, NULL, 0, &params));
		CHECK(cudaGraphAddMemcpyNode1D(&node, in_child ? child : graph, &kernel, !in_child, to,
					       cell, sizeof *to, cudaMemcpyDeviceToHost));
		if (in_child)
			CHECK(cudaGraphAddChildGraphNode(&node, graph, &kernel, 1, child));
		CHECK(cudaGraphInstantiate(&exec, graph, 0));
		*to = 0;
		CHECK(cudaGraphLaunch(exec, stream));
		say(in_child ? "waits for a child's copy" : "waits for a copy", "%d", *(volatile int *)to);
		CHECK(cudaStreamSynchronize(stream));
		CHECK(cudaGraphExecDestroy(exec));
		CHECK(cudaGraphDestroy(child));
		CHECK(cudaGraphDestroy(graph));
	}
	free(to);
}

static void pictures()
{
	cudaGraph_t graph;
	CHECK(cudaGraphCreate(&graph, 0));
	A("picture nowhere", cudaGraphDebugDotPrint(graph, "/no/such/folder/x.dot", 0));
	A("picture of nothing", cudaGraphDebugDotPrint(NULL, "/tmp/x.dot", 0));
	CHECK(cudaGraphDestroy(graph));
}

int main()
{
	CHECK(cudaMalloc(&cell, sizeof *cell));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	edges();
	objects();
	attributes();
	updates();
	captures();
	waits();
	pictures();
	return 0;
}
