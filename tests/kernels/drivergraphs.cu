/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's graphs: nodes of each kind made, asked for, changed and run, edges, executable
 * graphs and their updates, capture, user objects, and what wrong arguments answer. The answers
 * are an H200's.
 *
 * Flags: -std=c++17 -lcuda */
#include <cuda.h>
#include <cuda_runtime.h>

#include "driver.cuh"

__global__ void scale(unsigned *p, unsigned by, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] *= by;
}

__global__ void advance(unsigned *p, unsigned by)
{
	p[threadIdx.x] += by;
}

static unsigned counted;
static void CUDA_CB count(void *user)
{
	counted += *(unsigned *)user;
}

static CUcontext context;
static CUfunction f_scale, f_advance;
static CUstream s;
static CUdeviceptr p, q;
static unsigned got[16];

static void run(const char *name, CUgraph graph, CUdeviceptr from, int n)
{
	CUgraphExec exec;
	DO(cuGraphInstantiateWithFlags(&exec, graph, 0));
	DO(cuGraphLaunch(exec, s));
	DO(cuStreamSynchronize(s));
	DO(cuMemcpyDtoH(got, from, n * 4));
	show(name, got, n);
	DO(cuGraphExecDestroy(exec));
}

static CUDA_MEMSET_NODE_PARAMS set_of(CUdeviceptr to, unsigned value, size_t n)
{
	CUDA_MEMSET_NODE_PARAMS m = {};
	m.dst = to;
	m.value = value;
	m.elementSize = 4;
	m.width = n;
	m.height = 1;
	return m;
}

static CUDA_KERNEL_NODE_PARAMS kernel_of(CUfunction f, unsigned threads, void **args)
{
	CUDA_KERNEL_NODE_PARAMS k = {};
	k.func = f;
	k.gridDimX = k.gridDimY = k.gridDimZ = 1;
	k.blockDimX = threads;
	k.blockDimY = k.blockDimZ = 1;
	k.kernelParams = args;
	return k;
}

static CUDA_MEMCPY3D copy_of(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
	CUDA_MEMCPY3D c = {};
	c.dstMemoryType = c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
	c.dstDevice = to;
	c.srcDevice = from;
	c.WidthInBytes = bytes;
	c.Height = c.Depth = 1;
	return c;
}

/* Each kind of node in a row. */
static void nodes()
{
	CUgraph graph;
	CUgraphNode set, kernel, copy, host, empty;
	unsigned by = 3, add = 5;
	int n = 8;
	void *args[] = {&p, &by, &n};
	DO(cuGraphCreate(&graph, 0));
	CUDA_MEMSET_NODE_PARAMS m = set_of(p, 7, 8);
	DO(cuGraphAddMemsetNode(&set, graph, NULL, 0, &m, context));
	CUDA_KERNEL_NODE_PARAMS k = kernel_of(f_scale, 8, args);
	DO(cuGraphAddKernelNode(&kernel, graph, &set, 1, &k));
	CUDA_MEMCPY3D c = copy_of(q, p, 32);
	DO(cuGraphAddMemcpyNode(&copy, graph, &kernel, 1, &c, context));
	CUDA_HOST_NODE_PARAMS h = {count, &add};
	DO(cuGraphAddHostNode(&host, graph, &copy, 1, &h));
	DO(cuGraphAddEmptyNode(&empty, graph, &host, 1));
	run("row of nodes", graph, q, 8);
	say("host function", "%u", counted);

	CUgraphNodeType types[5];
	CUgraphNode all[8], order[] = {set, kernel, copy, host, empty};
	size_t n_all = 8, n_roots = 0, n_edges = 0;
	for (int i = 0; i < 5; i++)
		DO(cuGraphNodeGetType(order[i], &types[i]));
	say("types", "%d %d %d %d %d", types[0], types[1], types[2], types[3], types[4]);
	DO(cuGraphGetNodes(graph, all, &n_all));
	DO(cuGraphGetRootNodes(graph, NULL, &n_roots));
	DO(cuGraphGetEdges(graph, NULL, NULL, NULL, &n_edges));
	say("counts", "%zu %zu %zu, rest %d", n_all, n_roots, n_edges, all[5] == NULL);

	CUDA_KERNEL_NODE_PARAMS k2;
	CUDA_MEMCPY3D c2;
	CUDA_MEMSET_NODE_PARAMS m2;
	CUDA_HOST_NODE_PARAMS h2;
	DO(cuGraphKernelNodeGetParams(kernel, &k2));
	say("kernel params", "%d %u %u %u %u, by %u, kern %d, ctx %d, extra %d", k2.func == f_scale,
	    k2.gridDimX, k2.blockDimX, k2.blockDimZ, k2.sharedMemBytes,
	    *(unsigned *)k2.kernelParams[1], k2.kern != NULL, k2.ctx == context, k2.extra != NULL);
	DO(cuGraphMemcpyNodeGetParams(copy, &c2));
	say("memcpy params", "%d %d %d %d %zu %zu %zu", c2.srcMemoryType, c2.dstMemoryType,
	    c2.srcDevice == p, c2.dstDevice == q, c2.WidthInBytes, c2.Height, c2.Depth);
	DO(cuGraphMemsetNodeGetParams(set, &m2));
	say("memset params", "%d %u %u %zu %zu", m2.dst == p, m2.value, m2.elementSize, m2.width,
	    m2.height);
	DO(cuGraphHostNodeGetParams(host, &h2));
	say("host params", "%d %d", h2.fn == count, h2.userData == &add);

	/* Changed in the graph. */
	by = 2;
	DO(cuGraphKernelNodeSetParams(kernel, &k));
	m = set_of(p, 100, 8);
	DO(cuGraphMemsetNodeSetParams(set, &m));
	c = copy_of(q, p, 16);
	DO(cuGraphMemcpyNodeSetParams(copy, &c));
	run("changed", graph, q, 8);

	/* Changed in what was made of it. */
	CUgraphExec exec;
	DO(cuGraphInstantiate(&exec, graph, 0));
	by = 9;
	DO(cuGraphExecKernelNodeSetParams(exec, kernel, &k));
	m = set_of(p, 1, 8);
	DO(cuGraphExecMemsetNodeSetParams(exec, set, &m, context));
	c = copy_of(q + 32, p, 32);
	DO(cuGraphExecMemcpyNodeSetParams(exec, copy, &c, context));
	unsigned more = 1000;
	CUDA_HOST_NODE_PARAMS h3 = {count, &more};
	DO(cuGraphExecHostNodeSetParams(exec, host, &h3));
	DO(cuGraphUpload(exec, s));
	DO(cuGraphLaunch(exec, s));
	DO(cuStreamSynchronize(s));
	DO(cuMemcpyDtoH(got, q, 64));
	show("exec changed", got, 16);
	say("host functions", "%u", counted);
	unsigned enabled = 9;
	DO(cuGraphNodeSetEnabled(exec, kernel, 0));
	DO(cuGraphNodeGetEnabled(exec, kernel, &enabled));
	DO(cuGraphLaunch(exec, s));
	DO(cuStreamSynchronize(s));
	DO(cuMemcpyDtoH(got, q + 32, 32));
	show("disabled", got, 8);
	ANSWER("host cannot be disabled", cuGraphNodeSetEnabled(exec, host, 0));
	cuuint64_t flags = 99;
	DO(cuGraphExecGetFlags(exec, &flags));
	say("flags", "%u %llu", enabled, (unsigned long long)flags);
	DO(cuGraphExecDestroy(exec));

	/* A copy of the graph. */
	CUgraph clone;
	CUgraphNode in_clone;
	DO(cuGraphClone(&clone, graph));
	DO(cuGraphNodeFindInClone(&in_clone, kernel, clone));
	DO(cuGraphNodeGetType(in_clone, &types[0]));
	say("clone", "%d %d", in_clone != kernel, types[0]);
	CUgraphNode none;
	ANSWER("not in clone", cuGraphNodeFindInClone(&none, in_clone, graph));
	DO(cuGraphDestroyNode(in_clone));
	n_all = 0;
	DO(cuGraphGetNodes(clone, NULL, &n_all));
	n_edges = 0;
	DO(cuGraphGetEdges(clone, NULL, NULL, NULL, &n_edges));
	say("without the kernel", "%zu %zu", n_all, n_edges);
	DO(cuGraphDestroy(clone));

	/* Updates. */
	CUgraphExecUpdateResultInfo info;
	DO(cuGraphInstantiateWithFlags(&exec, graph, 0));
	by = 4;
	DO(cuGraphKernelNodeSetParams(kernel, &k));
	memset(&info, 9, sizeof info);
	DO(cuGraphExecUpdate(exec, graph, &info));
	say("update", "%d %d", info.result, info.errorNode != NULL);
	DO(cuGraphDestroyNode(empty));
	ANSWER("update of another shape", cuGraphExecUpdate(exec, graph, &info));
	say("result", "%d", info.result);
	DO(cuGraphExecDestroy(exec));
	CUDA_GRAPH_INSTANTIATE_PARAMS params = {};
	params.flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
	params.hUploadStream = s;
	params.result_out = (CUgraphInstantiateResult)9;
	DO(cuGraphInstantiateWithParams(&exec, graph, &params));
	say("with params", "%d %d", params.result_out, params.hErrNode_out != NULL);
	DO(cuGraphExecDestroy(exec));
	DO(cuGraphDestroy(graph));
}

/* Parameters in one piece, kernels instead of functions, other grids. */
static void kernels()
{
	CUgraph graph;
	CUgraphNode set, node;
	DO(cuGraphCreate(&graph, 0));
	CUDA_MEMSET_NODE_PARAMS m = set_of(p, 2, 8);
	DO(cuGraphAddMemsetNode(&set, graph, NULL, 0, &m, context));
	struct {
		CUdeviceptr p;
		unsigned by;
		int n;
	} buffer = {p, 11, 6};
	size_t size = sizeof buffer;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
			 CU_LAUNCH_PARAM_END};
	CUDA_KERNEL_NODE_PARAMS k = kernel_of(f_scale, 4, NULL);
	k.gridDimX = 2;
	k.extra = extra;
	DO(cuGraphAddKernelNode(&node, graph, &set, 1, &k));
	run("extra", graph, p, 8);
	CUDA_KERNEL_NODE_PARAMS k2;
	DO(cuGraphKernelNodeGetParams(node, &k2));
	say("told", "%d", !k2.kernelParams == !!k2.extra);
	cudaKernel_t kern;
	if (cudaGetKernel(&kern, (const void *)advance) != cudaSuccess)
		return;
	unsigned by = 6;
	void *args[] = {&p, &by};
	k = kernel_of(NULL, 8, args);
	k.kern = (CUkernel)kern;
	CUgraphNode last;
	DO(cuGraphAddKernelNode(&last, graph, &node, 1, &k));
	run("kernel", graph, p, 8);

	/* Attributes. */
	CUkernelNodeAttrValue value = {};
	value.priority = -1;
	DO(cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
	DO(cuGraphKernelNodeCopyAttributes(last, node));
	value.priority = 9;
	DO(cuGraphKernelNodeGetAttribute(last, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
	say("attribute", "%d", value.priority);
	value.cooperative = 9;
	DO(cuGraphKernelNodeGetAttribute(last, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
	say("cooperative", "%d", value.cooperative);
	ANSWER("attribute of a set", cuGraphKernelNodeGetAttribute(set, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));

	/* What is wrong. */
	k = kernel_of(NULL, 8, args);
	ANSWER("no function", cuGraphAddKernelNode(&node, graph, NULL, 0, &k));
	k = kernel_of(f_advance, 8, args);
	k.extra = extra;
	ANSWER("both forms", cuGraphAddKernelNode(&node, graph, NULL, 0, &k));
	k = kernel_of(f_advance, 2048, args);
	ANSWER("too many threads", cuGraphAddKernelNode(&node, graph, NULL, 0, &k));
	k = kernel_of(f_advance, 8, args);
	k.gridDimX = 0;
	ANSWER("no blocks", cuGraphAddKernelNode(&node, graph, NULL, 0, &k));
	ANSWER("null params", cuGraphAddKernelNode(&node, graph, NULL, 0, NULL));
	k = kernel_of(f_advance, 8, args);
	ANSWER("null node", cuGraphAddKernelNode(NULL, graph, NULL, 0, &k));
	ANSWER("null graph", cuGraphAddKernelNode(&node, NULL, NULL, 0, &k));
	ANSWER("null dependencies", cuGraphAddKernelNode(&node, graph, NULL, 1, &k));
	ANSWER("not a kernel", cuGraphKernelNodeGetParams(set, &k2));
	ANSWER("get null", cuGraphKernelNodeGetParams(last, NULL));
	m = set_of(p, 0, 8);
	m.elementSize = 3;
	ANSWER("element of 3", cuGraphAddMemsetNode(&node, graph, NULL, 0, &m, context));
	m = set_of(0, 0, 8);
	ANSWER("set of nothing", cuGraphAddMemsetNode(&node, graph, NULL, 0, &m, context));
	m = set_of(p, 0, 8);
	ANSWER("set, null context", cuGraphAddMemsetNode(&node, graph, NULL, 0, &m, NULL));
	CUDA_MEMCPY3D c = copy_of(q, p, 32);
	ANSWER("copy, null context", cuGraphAddMemcpyNode(&node, graph, NULL, 0, &c, NULL));
	c.srcMemoryType = (CUmemorytype)7;
	ANSWER("copy of no kind", cuGraphAddMemcpyNode(&node, graph, NULL, 0, &c, context));
	c = copy_of(q, p, 0);
	ANSWER("empty copy", cuGraphAddMemcpyNode(&node, graph, NULL, 0, &c, context));
	ANSWER("copy null", cuGraphAddMemcpyNode(&node, graph, NULL, 0, NULL, context));
	CUDA_HOST_NODE_PARAMS h = {};
	ANSWER("host null", cuGraphAddHostNode(&node, graph, NULL, 0, &h));
	ANSWER("child null", cuGraphAddChildGraphNode(&node, graph, NULL, 0, NULL));
	ANSWER("event null", cuGraphAddEventRecordNode(&node, graph, NULL, 0, NULL));
	ANSWER("wait null", cuGraphAddEventWaitNode(&node, graph, NULL, 0, NULL));
	ANSWER("type null", cuGraphNodeGetType(last, NULL));
	ANSWER("clone null", cuGraphClone(NULL, graph));
	CUgraph unused;
	ANSWER("clone of null", cuGraphClone(&unused, NULL));
	ANSWER("create null", cuGraphCreate(NULL, 0));
	ANSWER("create flags", cuGraphCreate(&unused, 1));
	ANSWER("destroy null", cuGraphDestroy(NULL));
	ANSWER("destroy node null", cuGraphDestroyNode(NULL));
	ANSWER("launch null", cuGraphLaunch(NULL, s));
	ANSWER("destroy exec null", cuGraphExecDestroy(NULL));
	CUgraphExec exec;
	ANSWER("instantiate null", cuGraphInstantiateWithFlags(&exec, NULL, 0));
	ANSWER("instantiate to null", cuGraphInstantiateWithFlags(NULL, graph, 0));
	ANSWER("instantiate flags", cuGraphInstantiateWithFlags(&exec, graph, 1 << 20));
	ANSWER("nodes null", cuGraphGetNodes(graph, NULL, NULL));
	DO(cuGraphDestroy(graph));
}

/* Edges with and without data. */
static void edges()
{
	CUgraph graph;
	CUgraphNode a, b, c, found[4] = {}, other[4];
	size_t n = 4;
	unsigned by = 1;
	void *args[] = {&p, &by};
	DO(cuGraphCreate(&graph, 0));
	CUDA_KERNEL_NODE_PARAMS k = kernel_of(f_advance, 8, args);
	DO(cuGraphAddKernelNode(&a, graph, NULL, 0, &k));
	DO(cuGraphAddKernelNode(&b, graph, NULL, 0, &k));
	DO(cuGraphAddEmptyNode(&c, graph, NULL, 0));
	DO(cuGraphAddDependencies(graph, &a, &b, NULL, 1));
	DO(cuGraphAddDependencies(graph, &b, &c, NULL, 1));
	ANSWER("edge twice", cuGraphAddDependencies(graph, &a, &b, NULL, 1));
	ANSWER("edge to itself", cuGraphAddDependencies(graph, &a, &a, NULL, 1));
	DO(cuGraphNodeGetDependencies(b, found, NULL, &n));
	say("dependencies", "%zu %d", n, found[0] == a);
	n = 4;
	DO(cuGraphNodeGetDependentNodes(b, found, NULL, &n));
	say("dependents", "%zu %d", n, found[0] == c);
	DO(cuGraphRemoveDependencies(graph, &a, &b, NULL, 1));
	ANSWER("removed twice", cuGraphRemoveDependencies(graph, &a, &b, NULL, 1));
	CUgraphEdgeData data[4] = {};
	data[0].from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
	data[0].type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
	DO(cuGraphAddDependencies(graph, &a, &b, data, 1));
	n = 4;
	ANSWER("lossy", cuGraphGetEdges(graph, found, other, NULL, &n));
	n = 4;
	DO(cuGraphGetEdges(graph, found, other, data, &n));
	int which = found[0] == a ? 0 : 1;
	say("edges", "%zu, %d %d", n, data[which].from_port, data[which].type);
	DO(cuGraphAddDependencies(graph, &c, &a, NULL, 1));
	CUgraphExec exec;
	ANSWER("a cycle", cuGraphInstantiateWithFlags(&exec, graph, 0));
	CUDA_GRAPH_INSTANTIATE_PARAMS params = {};
	ANSWER("a cycle with params", cuGraphInstantiateWithParams(&exec, graph, &params));
	say("why", "%d", params.result_out);
	DO(cuGraphDestroy(graph));
}

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

static void objects()
{
	CUuserObject object;
	CUgraph graph;
	unsigned one = 1;
	counted = 0;
	DO(cuUserObjectCreate(&object, &one, count, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
	DO(cuUserObjectRetain(object, 2));
	DO(cuUserObjectRelease(object, 2));
	DO(cuGraphCreate(&graph, 0));
	DO(cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
	say("object lives", "%u", counted);
	ANSWER("object without flag", cuUserObjectCreate(&object, &one, count, 1, 0));
	ANSWER("object null", cuUserObjectCreate(NULL, &one, count, 1, 1));
	ANSWER("object of no function", cuUserObjectCreate(&object, &one, NULL, 1, 1));
	ANSWER("no references", cuUserObjectRetain(object, 0));
	ANSWER("retain null", cuUserObjectRetain(NULL, 1));
	DO(cuGraphReleaseUserObject(graph, object, 1));
	DO(cuGraphDestroy(graph));
	DO(cuCtxSynchronize());
	for (int i = 0; i < 60000 && !*(volatile unsigned *)&counted; i++)
		cudaStreamSynchronize(0);
	ANSWER("dot null", cuGraphDebugDotPrint(NULL, "x.dot", 0));
}

int main()
{
	CUdevice device;
	DO(cuInit(0));
	DO(cuDeviceGet(&device, 0));
	DO(cuDevicePrimaryCtxRetain(&context, device));
	DO(cuCtxSetCurrent(context));
	DO(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	DO(cuMemAlloc(&p, 256));
	DO(cuMemAlloc(&q, 256));
	DO(cuMemsetD32(q, 0, 64));
	DO(cuCtxSynchronize()); /* it is the legacy stream's, which s does not wait for */
	cudaGetFuncBySymbol(&f_scale, (const void *)scale);
	cudaGetFuncBySymbol(&f_advance, (const void *)advance);
	nodes();
	kernels();
	edges();
	others();
	words();
	any();
	capture();
	objects();
	DO(cuMemFree(p));
	DO(cuMemFree(q));
	DO(cuStreamDestroy(s));
	DO(cuDevicePrimaryCtxRelease(device));
	return 0;
}
