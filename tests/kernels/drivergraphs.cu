/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's graphs: nodes made, asked for, changed and run, edges, executable graphs and
 * their updates, user objects, and what wrong arguments answer. The answers are an H200's.
 *
 * Flags: -std=c++17 -lcuda */
#include "drivergraph.cuh"

__global__ void scale(unsigned *p, unsigned by, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] *= by;
}

static CUfunction f_scale;

static unsigned counted;
static void CUDA_CB count(void *user)
{
	counted += *(unsigned *)user;
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
	graph_begin();
	cudaGetFuncBySymbol(&f_scale, (const void *)scale);
	nodes();
	kernels();
	edges();
	objects();
	state_end();
	return 0;
}
