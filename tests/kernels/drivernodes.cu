/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of the driver's graphs beyond kernels and copies: child graphs, events, memory of
 * graphs, words, nodes of any kind in one call, conditional ones, and capture. The answers are an H200's.
 *
 * Flags: -std=c++17 -lcuda */
#include "drivergraph.cuh"

/* Child graphs, events, memory of graphs, words. */
static void others()
{
	CUgraph child, graph;
	CUgraphNode set, inner, node, record, wait;
	unsigned by = 10;
	void *args[] = {&p, &by};
	CUevent e, e2, seen;
	DO(cuGraphCreate(&child, 0));
	CUDA_KERNEL_NODE_PARAMS k = kernel_of(f_advance, 8, args);
	DO(cuGraphAddKernelNode(&inner, child, NULL, 0, &k));
	DO(cuGraphCreate(&graph, 0));
	CUDA_MEMSET_NODE_PARAMS m = set_of(p, 5, 8);
	DO(cuGraphAddMemsetNode(&set, graph, NULL, 0, &m, context));
	DO(cuGraphAddChildGraphNode(&node, graph, &set, 1, child));
	DO(cuEventCreate(&e, CU_EVENT_DEFAULT));
	DO(cuEventCreate(&e2, CU_EVENT_DEFAULT));
	DO(cuGraphAddEventRecordNode(&record, graph, &node, 1, e));
	DO(cuGraphAddEventWaitNode(&wait, graph, &record, 1, e));
	DO(cuGraphEventRecordNodeGetEvent(record, &seen));
	say("event", "%d", seen == e);
	DO(cuGraphEventRecordNodeSetEvent(record, e2));
	DO(cuGraphEventRecordNodeGetEvent(record, &seen));
	say("event set", "%d", seen == e2);
	DO(cuGraphEventWaitNodeGetEvent(wait, &seen));
	say("wait", "%d", seen == e);
	CUgraph of;
	DO(cuGraphChildGraphNodeGetGraph(node, &of));
	say("child", "%d", of != child);
	run("child graph", graph, p, 8);
	CUgraphExec exec;
	DO(cuGraphInstantiateWithFlags(&exec, graph, 0));
	by = 20;
	DO(cuGraphKernelNodeSetParams(inner, &k));
	DO(cuGraphExecChildGraphNodeSetParams(exec, node, child));
	DO(cuGraphExecEventRecordNodeSetEvent(exec, record, e));
	DO(cuGraphExecEventWaitNodeSetEvent(exec, wait, e2));
	DO(cuGraphLaunch(exec, s));
	DO(cuStreamSynchronize(s));
	DO(cuMemcpyDtoH(got, p, 32));
	show("child set", got, 8);
	DO(cuGraphExecDestroy(exec));
	DO(cuGraphDestroy(graph));
	DO(cuGraphDestroy(child));

	/* Memory of the graph's own. */
	CUgraphNode alloc, fill, copy, release;
	DO(cuGraphCreate(&graph, 0));
	CUDA_MEM_ALLOC_NODE_PARAMS a = {};
	a.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
	a.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	a.bytesize = 1000;
	DO(cuGraphAddMemAllocNode(&alloc, graph, NULL, 0, &a));
	m = set_of(a.dptr, 0xabcdef, 8);
	DO(cuGraphAddMemsetNode(&fill, graph, &alloc, 1, &m, context));
	CUDA_MEMCPY3D c = copy_of(p, a.dptr, 32);
	DO(cuGraphAddMemcpyNode(&copy, graph, &fill, 1, &c, context));
	DO(cuGraphAddMemFreeNode(&release, graph, &copy, 1, a.dptr));
	run("graph's memory", graph, p, 8);
	CUDA_MEM_ALLOC_NODE_PARAMS a2;
	CUdeviceptr freed = 0;
	DO(cuGraphMemAllocNodeGetParams(alloc, &a2));
	DO(cuGraphMemFreeNodeGetParams(release, &freed));
	say("memory params", "%d %zu %d", a2.dptr == a.dptr, a2.bytesize, freed == a.dptr);
	ANSWER("freed twice", cuGraphAddMemFreeNode(&release, graph, &copy, 1, a.dptr));
	ANSWER("free of others", cuGraphAddMemFreeNode(&release, graph, &copy, 1, p));
	CUgraph clone;
	ANSWER("clone with memory", cuGraphClone(&clone, graph));
	a.bytesize = 0;
	ANSWER("alloc of nothing", cuGraphAddMemAllocNode(&alloc, graph, NULL, 0, &a));
	DO(cuGraphDestroy(graph));
	cuuint64_t used = 0;
	DO(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &used));
	ANSWER("current cannot be set", cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
	DO(cuDeviceGraphMemTrim(0));
	ANSWER("trim of no device", cuDeviceGraphMemTrim(99));
}

/* Words that a graph's nodes and streams write and wait for. */
static void words()
{
	CUgraph graph;
	CUgraphNode node, second;
	DO(cuMemsetD32(p, 0, 16));
	DO(cuCtxSynchronize()); /* it is the legacy stream's, which s does not wait for */
	DO(cuGraphCreate(&graph, 0));
	CUstreamBatchMemOpParams w[3] = {};
	w[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
	w[0].writeValue.address = p;
	w[0].writeValue.value = 41;
	w[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
	w[1].waitValue.address = p;
	w[1].waitValue.value = 41;
	w[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
	w[2].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
	w[2].writeValue.address = p + 8;
	w[2].writeValue.value64 = 0x1234567890abcdefull;
	CUDA_BATCH_MEM_OP_NODE_PARAMS b = {};
	b.ctx = context;
	b.count = 3;
	b.paramArray = w;
	DO(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &b));
	run("words", graph, p, 4);
	CUDA_BATCH_MEM_OP_NODE_PARAMS b2;
	DO(cuGraphBatchMemOpNodeGetParams(node, &b2));
	say("words params", "%u %u %u %d", b2.count, b2.flags, b2.paramArray[1].waitValue.value, b2.ctx == context);
	CUgraphExec exec;
	DO(cuGraphInstantiateWithFlags(&exec, graph, 0));
	w[0].writeValue.value = w[1].waitValue.value = 77;
	DO(cuGraphExecBatchMemOpNodeSetParams(exec, node, &b));
	DO(cuGraphLaunch(exec, s));
	DO(cuGraphLaunch(exec, s));
	DO(cuStreamSynchronize(s));
	DO(cuMemcpyDtoH(got, p, 16));
	show("words set", got, 4);
	DO(cuGraphExecDestroy(exec));
	DO(cuGraphBatchMemOpNodeSetParams(node, &b));
	CUgraphNodeType type;
	DO(cuGraphNodeGetType(node, &type));
	say("words type", "%d", type);
	w[0].writeValue.value = 5;
	w[1].waitValue.value = 4;
	w[1].waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
	DO(cuStreamBatchMemOp(s, 3, w, 0));
	DO(cuStreamSynchronize(s));
	DO(cuMemcpyDtoH(got, p, 4));
	show("words by a stream", got, 1);
	ANSWER("no words", cuStreamBatchMemOp(s, 0, w, 0));
	ANSWER("words flags", cuStreamBatchMemOp(s, 1, w, 1));
	ANSWER("node of no words", (b.count = 0, cuGraphAddBatchMemOpNode(&second, graph, NULL, 0, &b)));
	b.count = 1;
	b.ctx = NULL;
	ANSWER("words, null context", cuGraphAddBatchMemOpNode(&second, graph, NULL, 0, &b));
	w[0].writeValue.address = p + 2;
	ANSWER("word not aligned", cuStreamBatchMemOp(s, 1, w, 0));
	w[0].writeValue.address = 0;
	ANSWER("word at 0", cuStreamBatchMemOp(s, 1, w, 0));
	w[0].operation = (CUstreamBatchMemOpType)77;
	ANSWER("word of no kind", cuStreamBatchMemOp(s, 1, w, 0));
	ANSWER("word flags", cuStreamWaitValue32(s, p, 1, 8));
	memset(w, 0, sizeof w);
	w[0].memoryBarrier.operation = CU_STREAM_MEM_OP_BARRIER;
	w[0].memoryBarrier.flags = CU_STREAM_MEMORY_BARRIER_TYPE_GPU;
	ANSWER("barrier", cuStreamBatchMemOp(s, 1, w, 0));
	CUstreamBatchMemOpParams many[300];
	memset(many, 0, sizeof many);
	for (int i = 0; i < 300; i++) {
		many[i].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
		many[i].writeValue.address = p;
	}
	ANSWER("256 words", cuStreamBatchMemOp(s, 256, many, 0));
	DO(cuStreamSynchronize(s));
	DO(cuGraphDestroy(graph));
}

/* Nodes of any kind in one call; conditional ones. */
static void any()
{
	CUgraph graph;
	CUgraphNode set, kernel, condition, empty;
	CUgraphNodeParams n = {};
	unsigned by = 3;
	void *args[] = {&p, &by};
	DO(cuGraphCreate(&graph, 0));
	n.type = CU_GRAPH_NODE_TYPE_MEMSET;
	n.memset.dst = p;
	n.memset.value = 1;
	n.memset.elementSize = 4;
	n.memset.width = 8;
	n.memset.height = 1;
	n.memset.ctx = context;
	DO(cuGraphAddNode(&set, graph, NULL, NULL, 0, &n));
	memset(&n, 0, sizeof n);
	n.type = CU_GRAPH_NODE_TYPE_KERNEL;
	n.kernel.func = f_advance;
	n.kernel.gridDimX = n.kernel.gridDimY = n.kernel.gridDimZ = 1;
	n.kernel.blockDimX = 8;
	n.kernel.blockDimY = n.kernel.blockDimZ = 1;
	n.kernel.kernelParams = args;
	DO(cuGraphAddNode(&kernel, graph, &set, NULL, 1, &n));
	CUgraphConditionalHandle handle;
	DO(cuGraphConditionalHandleCreate(&handle, graph, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
	memset(&n, 0, sizeof n);
	n.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
	n.conditional.handle = handle;
	n.conditional.type = CU_GRAPH_COND_TYPE_IF;
	n.conditional.size = 1;
	n.conditional.ctx = context;
	DO(cuGraphAddNode(&condition, graph, &kernel, NULL, 1, &n));
	CUgraph body = n.conditional.phGraph_out[0];
	by = 100;
	CUDA_KERNEL_NODE_PARAMS k = kernel_of(f_advance, 4, args);
	CUgraphNode inside;
	DO(cuGraphAddKernelNode(&inside, body, NULL, 0, &k));
	memset(&n, 0, sizeof n);
	n.type = CU_GRAPH_NODE_TYPE_EMPTY;
	DO(cuGraphAddNode(&empty, graph, &condition, NULL, 1, &n));
	run("any and if", graph, p, 8);
	by = 4;
	memset(&n, 0, sizeof n);
	n.type = CU_GRAPH_NODE_TYPE_KERNEL;
	n.kernel.func = f_advance;
	n.kernel.gridDimX = n.kernel.gridDimY = n.kernel.gridDimZ = 1;
	n.kernel.blockDimX = 8;
	n.kernel.blockDimY = n.kernel.blockDimZ = 1;
	n.kernel.kernelParams = args;
	DO(cuGraphNodeSetParams(kernel, &n));
	run("any set", graph, p, 8);
	CUgraphExec exec;
	DO(cuGraphInstantiateWithFlags(&exec, graph, 0));
	by = 7;
	DO(cuGraphExecNodeSetParams(exec, kernel, &n));
	DO(cuGraphLaunch(exec, s));
	DO(cuStreamSynchronize(s));
	DO(cuMemcpyDtoH(got, p, 32));
	show("any exec set", got, 8);
	DO(cuGraphExecDestroy(exec));
	ANSWER("any null", cuGraphAddNode(&empty, graph, NULL, NULL, 0, NULL));
	n.type = (CUgraphNodeType)77;
	ANSWER("any of no kind", cuGraphAddNode(&empty, graph, NULL, NULL, 0, &n));
	ANSWER("another kind", (n.type = CU_GRAPH_NODE_TYPE_HOST, cuGraphNodeSetParams(kernel, &n)));
	ANSWER("condition flags", cuGraphConditionalHandleCreate(&handle, graph, context, 1, 8));
	ANSWER("condition null", cuGraphConditionalHandleCreate(NULL, graph, context, 1, 0));
	ANSWER("condition of null", cuGraphConditionalHandleCreate(&handle, NULL, context, 1, 0));
	ANSWER("condition without context", cuGraphConditionalHandleCreate(&handle, graph, NULL, 1, 0));
	DO(cuGraphDestroy(graph));
}

/* Capture, and what it tells of itself. */
static void capture()
{
	CUgraph graph, seen;
	CUstreamCaptureStatus status;
	cuuint64_t id = 0;
	const CUgraphNode *after;
	const CUgraphEdgeData *data;
	size_t n = 0;
	unsigned by = 2;
	void *args[] = {&p, &by};
	DO(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	DO(cuMemsetD32Async(p, 3, 8, s));
	DO(cuLaunchKernel(f_advance, 1, 1, 1, 8, 1, 1, 0, s, args, NULL));
	DO(cuStreamGetCaptureInfo(s, &status, &id, &seen, &after, &data, &n));
	CUgraphNodeType type;
	DO(cuGraphNodeGetType(after[0], &type));
	say("capture", "%d %d %zu %d", status, id != 0, n, type);
	CUgraphNode extra;
	DO(cuGraphAddEmptyNode(&extra, seen, after, n));
	DO(cuStreamUpdateCaptureDependencies(s, &extra, NULL, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
	DO(cuStreamWriteValue32(s, p + 4, 50, 0));
	DO(cuStreamEndCapture(s, &graph));
	say("captured", "%d", graph == seen);
	run("captured words", graph, p, 8);
	size_t n_nodes = 0;
	DO(cuGraphGetNodes(graph, NULL, &n_nodes));
	say("captured nodes", "%zu", n_nodes);
	/* More of it, behind its last node. */
	by = 1000;
	DO(cuStreamBeginCaptureToGraph(s, graph, &extra, NULL, 1, CU_STREAM_CAPTURE_MODE_RELAXED));
	DO(cuLaunchKernel(f_advance, 1, 1, 1, 1, 1, 1, 0, s, args, NULL));
	DO(cuStreamIsCapturing(s, &status));
	DO(cuStreamEndCapture(s, &seen));
	say("into a graph", "%d %d", status, seen == graph);
	run("more captured", graph, p, 8);
	ANSWER("end of no capture", cuStreamEndCapture(s, &seen));
	ANSWER("info null", cuStreamGetCaptureInfo(s, NULL, &id, NULL, NULL, NULL, NULL));
	ANSWER("update without capture", cuStreamUpdateCaptureDependencies(s, &extra, NULL, 1, 0));
	ANSWER("begin of no mode", cuStreamBeginCapture(s, (CUstreamCaptureMode)9));
	ANSWER("capture of the legacy stream", cuStreamBeginCapture(0, CU_STREAM_CAPTURE_MODE_RELAXED));
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	DO(cuThreadExchangeStreamCaptureMode(&mode));
	say("mode", "%d", mode);
	DO(cuThreadExchangeStreamCaptureMode(&mode));
	say("mode back", "%d", mode);
	DO(cuGraphDestroy(graph));
}

int main()
{
	graph_begin();
	others();
	words();
	any();
	capture();
	state_end();
	return 0;
}
