/* SPDX-License-Identifier: Apache-2.0 */
/* driver_node.c - nodes of the driver's graphs by their kind: added, asked for, changed in a
 * graph and in an executable one. */
#include "driver_api.h"

#include "context.h"

#include <string.h>

#include "copy_submit.h"
#include "graph_api.h"

enum { BATCH_MEM_OP = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP };

/* Where a node goes. */
#define PLACE CUgraphNode *ret, CUgraph graph, const CUgraphNode *after, size_t n_after
#define AT ret, graph, after, n_after

/* A context that is NULL is the current one. */
static bool is_context(CUcontext context)
{
	return !context || driver_device_of(context);
}

/* ---- kernels --------------------------------------------------------------------------- */

/* A function and a kernel are one thing here; what is said of the function counts. */
static cudaError_t kernel_of(const CUDA_KERNEL_NODE_PARAMS *p, struct cudaKernelNodeParams *ret)
{
	if (!p)
		return cudaErrorInvalidValue;
	if (!p->func && !p->kern)
		return cudaErrorInvalidResourceHandle;
	if (!is_context(p->ctx))
		return cudaErrorDeviceUninitialized;
	*ret = (struct cudaKernelNodeParams){
		.func = p->func ? (void *)p->func : (void *)p->kern,
		.gridDim = {p->gridDimX, p->gridDimY, p->gridDimZ},
		.blockDim = {p->blockDimX, p->blockDimY, p->blockDimZ},
		.sharedMemBytes = p->sharedMemBytes,
		.kernelParams = p->kernelParams,
		.extra = p->extra,
	};
	return cudaSuccess;
}

static cudaError_t add_kernel(PLACE, const CUDA_KERNEL_NODE_PARAMS *p)
{
	struct cudaKernelNodeParams k;
	cudaError_t error = kernel_of(p, &k);
	return error ? error : cudaGraphAddKernelNode(AT, &k);
}
SAME(cuGraphAddKernelNode, (PLACE, const CUDA_KERNEL_NODE_PARAMS *p), add_kernel(AT, p))

static cudaError_t get_kernel(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *ret)
{
	struct cudaKernelNodeParams k;
	cudaError_t error = ret ? cudaGraphKernelNodeGetParams(node, &k) : cudaErrorInvalidValue;
	if (!error)
		*ret = (CUDA_KERNEL_NODE_PARAMS){
			.func = (CUfunction)k.func,
			.gridDimX = k.gridDim.x,
			.gridDimY = k.gridDim.y,
			.gridDimZ = k.gridDim.z,
			.blockDimX = k.blockDim.x,
			.blockDimY = k.blockDim.y,
			.blockDimZ = k.blockDim.z,
			.sharedMemBytes = k.sharedMemBytes,
			.kernelParams = k.kernelParams,
			.kern = (CUkernel)k.func,
			.ctx = (CUcontext)context_primary(device_current()),
		};
	return error;
}
SAME(cuGraphKernelNodeGetParams, (CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *ret),
     get_kernel(node, ret))

/* Of a graph's node, or with exec of that one's. */
static cudaError_t set_kernel(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p)
{
	struct cudaKernelNodeParams k;
	cudaError_t error = kernel_of(p, &k);
	if (error)
		return error;
	return exec ? cudaGraphExecKernelNodeSetParams(exec, node, &k)
		    : cudaGraphKernelNodeSetParams(node, &k);
}

SAME(cuGraphKernelNodeSetParams, (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p),
     set_kernel(NULL, node, p))
SAME(cuGraphExecKernelNodeSetParams,
     (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p),
     exec ? set_kernel(exec, node, p) : cudaErrorInvalidValue)

/* ---- copies ------------------------------------------------------------------------------ */

static cudaError_t memcpy_of(const CUDA_MEMCPY3D *p, CUcontext context,
			     struct cudaMemcpy3DParms *ret)
{
	struct cudasim_copy c;
	if (!is_context(context))
		return cudaErrorDeviceUninitialized;
	cudaError_t error = p ? driver_copy_of(p, &c) : cudaErrorInvalidValue;
	if (error)
		return error;
	*ret = (struct cudaMemcpy3DParms){
		.srcPtr = {(void *)(uintptr_t)c.from, c.from_pitch, c.width,
			   c.from_slice / c.from_pitch},
		.dstPtr = {c.to, c.to_pitch, c.width, c.to_slice / c.to_pitch},
		.extent = {c.width, c.height, c.depth},
		.kind = cudaMemcpyDefault,
	};
	return cudaSuccess;
}

static cudaError_t add_memcpy(PLACE, const CUDA_MEMCPY3D *p, CUcontext context)
{
	struct cudaMemcpy3DParms m;
	cudaError_t error = memcpy_of(p, context, &m);
	return error ? error : cudaGraphAddMemcpyNode(AT, &m);
}
SAME(cuGraphAddMemcpyNode, (PLACE, const CUDA_MEMCPY3D *p, CUcontext context),
     add_memcpy(AT, p, context))

static cudaError_t get_memcpy(CUgraphNode node, CUDA_MEMCPY3D *ret)
{
	struct cudaMemcpy3DParms m;
	cudaError_t error = ret ? cudaGraphMemcpyNodeGetParams(node, &m) : cudaErrorInvalidValue;
	if (error)
		return error;
	bool from_host = m.kind == cudaMemcpyHostToDevice || m.kind == cudaMemcpyHostToHost;
	bool to_host = m.kind == cudaMemcpyDeviceToHost || m.kind == cudaMemcpyHostToHost;
	*ret = (CUDA_MEMCPY3D){
		.srcMemoryType = from_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
		.srcHost = from_host ? m.srcPtr.ptr : NULL,
		.srcDevice = from_host ? 0 : (uintptr_t)m.srcPtr.ptr,
		.srcPitch = m.srcPtr.pitch,
		.srcHeight = m.srcPtr.ysize,
		.dstMemoryType = to_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
		.dstHost = to_host ? m.dstPtr.ptr : NULL,
		.dstDevice = to_host ? 0 : (uintptr_t)m.dstPtr.ptr,
		.dstPitch = m.dstPtr.pitch,
		.dstHeight = m.dstPtr.ysize,
		.WidthInBytes = m.extent.width,
		.Height = m.extent.height,
		.Depth = m.extent.depth,
	};
	return cudaSuccess;
}
SAME(cuGraphMemcpyNodeGetParams, (CUgraphNode node, CUDA_MEMCPY3D *ret), get_memcpy(node, ret))

static cudaError_t set_memcpy(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *p,
			      CUcontext context)
{
	struct cudaMemcpy3DParms m;
	cudaError_t error = memcpy_of(p, context, &m);
	if (error)
		return error;
	return exec ? cudaGraphExecMemcpyNodeSetParams(exec, node, &m)
		    : cudaGraphMemcpyNodeSetParams(node, &m);
}
SAME(cuGraphMemcpyNodeSetParams, (CUgraphNode node, const CUDA_MEMCPY3D *p),
     set_memcpy(NULL, node, p, NULL))
SAME(cuGraphExecMemcpyNodeSetParams,
     (CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *p, CUcontext context),
     exec ? set_memcpy(exec, node, p, context) : cudaErrorInvalidValue)

/* ---- sets ---------------------------------------------------------------------------------- */

static cudaError_t memset_of(const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context,
			     struct cudaMemsetParams *ret)
{
	if (!p)
		return cudaErrorInvalidValue;
	if (!is_context(context))
		return cudaErrorDeviceUninitialized;
	*ret = (struct cudaMemsetParams){DEVICE(p->dst), p->pitch, p->value,
					 p->elementSize, p->width, p->height};
	return cudaSuccess;
}

static cudaError_t add_memset(PLACE, const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context)
{
	struct cudaMemsetParams m;
	cudaError_t error = memset_of(p, context, &m);
	return error ? error : cudaGraphAddMemsetNode(AT, &m);
}
SAME(cuGraphAddMemsetNode, (PLACE, const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context),
     add_memset(AT, p, context))

static cudaError_t get_memset(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *ret)
{
	struct cudaMemsetParams m;
	cudaError_t error = ret ? cudaGraphMemsetNodeGetParams(node, &m) : cudaErrorInvalidValue;
	if (!error)
		*ret = (CUDA_MEMSET_NODE_PARAMS){(uintptr_t)m.dst, m.pitch, m.value,
						 m.elementSize,    m.width, m.height};
	return error;
}
SAME(cuGraphMemsetNodeGetParams, (CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *ret),
     get_memset(node, ret))

static cudaError_t set_memset(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *p,
			      CUcontext context)
{
	struct cudaMemsetParams m;
	cudaError_t error = memset_of(p, context, &m);
	if (error)
		return error;
	return exec ? cudaGraphExecMemsetNodeSetParams(exec, node, &m)
		    : cudaGraphMemsetNodeSetParams(node, &m);
}
SAME(cuGraphMemsetNodeSetParams, (CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *p),
     set_memset(NULL, node, p, NULL))
SAME(cuGraphExecMemsetNodeSetParams,
     (CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context),
     exec ? set_memset(exec, node, p, context) : cudaErrorInvalidValue)

/* ---- host functions: the runtime's parameters are the driver's -------------------------------- */

#define HOST(p) ((struct cudaHostNodeParams *)(uintptr_t)(p))
SAME(cuGraphAddHostNode, (PLACE, const CUDA_HOST_NODE_PARAMS *p), cudaGraphAddHostNode(AT, HOST(p)))
SAME(cuGraphHostNodeGetParams, (CUgraphNode node, CUDA_HOST_NODE_PARAMS *ret),
     cudaGraphHostNodeGetParams(node, HOST(ret)))
SAME(cuGraphHostNodeSetParams, (CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p),
     cudaGraphHostNodeSetParams(node, HOST(p)))
SAME(cuGraphExecHostNodeSetParams,
     (CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p),
     cudaGraphExecHostNodeSetParams(exec, node, HOST(p)))

/* ---- empty nodes, child graphs, events, memory ------------------------------------------------ */

SAME(cuGraphAddEmptyNode, (PLACE), cudaGraphAddEmptyNode(AT))
SAME(cuGraphAddChildGraphNode, (PLACE, CUgraph child), cudaGraphAddChildGraphNode(AT, child))
SAME(cuGraphChildGraphNodeGetGraph, (CUgraphNode node, CUgraph *child),
     cudaGraphChildGraphNodeGetGraph(node, child))
SAME(cuGraphExecChildGraphNodeSetParams, (CUgraphExec exec, CUgraphNode node, CUgraph child),
     cudaGraphExecChildGraphNodeSetParams(exec, node, child))

#define EVENT_NODE(Kind)                                                                           \
	SAME(cuGraphAdd##Kind##Node, (PLACE, CUevent event), cudaGraphAdd##Kind##Node(AT, event))  \
	SAME(cuGraph##Kind##NodeGetEvent, (CUgraphNode node, CUevent * event),                     \
	     cudaGraph##Kind##NodeGetEvent(node, event))                                           \
	SAME(cuGraph##Kind##NodeSetEvent, (CUgraphNode node, CUevent event),                       \
	     cudaGraph##Kind##NodeSetEvent(node, event))                                           \
	SAME(cuGraphExec##Kind##NodeSetEvent, (CUgraphExec exec, CUgraphNode node, CUevent event), \
	     cudaGraphExec##Kind##NodeSetEvent(exec, node, event))
EVENT_NODE(EventRecord)
EVENT_NODE(EventWait)

#define ALLOC(p) ((struct cudaMemAllocNodeParams *)(p))
_Static_assert(sizeof(CUDA_MEM_ALLOC_NODE_PARAMS) == sizeof(struct cudaMemAllocNodeParams),
	       "alike");
SAME(cuGraphAddMemAllocNode, (PLACE, CUDA_MEM_ALLOC_NODE_PARAMS *p),
     cudaGraphAddMemAllocNode(AT, ALLOC(p)))
SAME(cuGraphMemAllocNodeGetParams, (CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *ret),
     cudaGraphMemAllocNodeGetParams(node, ALLOC(ret)))
SAME(cuGraphAddMemFreeNode, (PLACE, CUdeviceptr p), cudaGraphAddMemFreeNode(AT, DEVICE(p)))
SAME(cuGraphMemFreeNodeGetParams, (CUgraphNode node, CUdeviceptr *ret),
     cudaGraphMemFreeNodeGetParams(node, ret))

/* ---- words in memory --------------------------------------------------------------------------- */

static cudaError_t words_of(const CUDA_BATCH_MEM_OP_NODE_PARAMS *p, struct work *ret)
{
	cudaError_t error = api_context();
	if (error || !p || !p->ctx)
		return error ? error : cudaErrorInvalidValue;
	struct device *device = driver_device_of(p->ctx);
	if (!device)
		return cudaErrorDeviceUninitialized;
	return driver_words(p->paramArray, p->count, p->flags, device, ret);
}

static cudaError_t add_words(PLACE, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
	struct node_position place = {AT};
	struct graph_node *node;
	struct work work;
	cudaError_t error = words_of(p, &work);
	if (error)
		return error;
	graph_lock();
	error = graph_place(&place, (enum cudaGraphNodeType)BATCH_MEM_OP, &work, &node);
	graph_unlock();
	return error;
}
SAME(cuGraphAddBatchMemOpNode, (PLACE, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p), add_words(AT, p))

static cudaError_t get_words(CUgraphNode handle, CUDA_BATCH_MEM_OP_NODE_PARAMS *ret)
{
	cudaError_t error = api_context();
	if (error || !ret)
		return error ? error : cudaErrorInvalidValue;
	graph_lock();
	struct graph_node *node = graph_node_of(NULL, handle, (enum cudaGraphNodeType)BATCH_MEM_OP);
	if (node)
		driver_words_of(&node->work, ret);
	graph_unlock();
	return node ? cudaSuccess : cudaErrorInvalidValue;
}
SAME(cuGraphBatchMemOpNodeGetParams, (CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS *ret),
     get_words(node, ret))

static cudaError_t set_words(CUgraphExec exec, CUgraphNode handle,
			     const CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
	struct work work;
	cudaError_t error = words_of(p, &work);
	if (error)
		return error;
	graph_lock();
	struct graph_node *node = graph_node_of(exec, handle, (enum cudaGraphNodeType)BATCH_MEM_OP);
	if (node) {
		struct work old = node->work;
		node->work = work;
		work = old;
	}
	graph_unlock();
	work_fini(&work);
	return node ? cudaSuccess : cudaErrorInvalidValue;
}
SAME(cuGraphBatchMemOpNodeSetParams, (CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p),
     set_words(NULL, node, p))
SAME(cuGraphExecBatchMemOpNodeSetParams,
     (CUgraphExec exec, CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p),
     exec ? set_words(exec, node, p) : cudaErrorInvalidValue)

/* ---- nodes of any kind --------------------------------------------------------------------------- */

/* Those of the later version say also what the earlier do. */
static CUDA_KERNEL_NODE_PARAMS kernel_in(const CUgraphNodeParams *p)
{
	CUDA_KERNEL_NODE_PARAMS ret;
	_Static_assert(sizeof ret == sizeof p->kernel, "laid out alike");
	memcpy(&ret, &p->kernel, sizeof ret);
	return ret;
}

static CUDA_MEMSET_NODE_PARAMS memset_in(const CUgraphNodeParams *p)
{
	return (CUDA_MEMSET_NODE_PARAMS){p->memset.dst,         p->memset.pitch, p->memset.value,
					 p->memset.elementSize, p->memset.width, p->memset.height};
}

static CUDA_BATCH_MEM_OP_NODE_PARAMS words_in(const CUgraphNodeParams *p)
{
	return (CUDA_BATCH_MEM_OP_NODE_PARAMS){p->memOp.ctx, p->memOp.count, p->memOp.paramArray,
					       p->memOp.flags};
}

/* The runtime has one such call, too, and its forms of these kinds. */
static cudaError_t by_runtime(PLACE, CUgraphNodeParams *p)
{
	struct cudaGraphNodeParams r = {.type = (enum cudaGraphNodeType)p->type};
	if (p->type == CU_GRAPH_NODE_TYPE_GRAPH) {
		r.graph.graph = p->graph.graph;
		r.graph.ownership = (enum cudaGraphChildGraphNodeOwnership)p->graph.ownership;
	} else if (p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL) {
		if (!driver_device_of(p->conditional.ctx))
			return cudaErrorInvalidValue;
		r.conditional.handle = p->conditional.handle;
		r.conditional.type = (enum cudaGraphConditionalNodeType)p->conditional.type;
		r.conditional.size = p->conditional.size;
	}
	cudaError_t error = cudaGraphAddNode(ret, graph, after, NULL, n_after, &r);
	if (!error && p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
		p->conditional.phGraph_out = r.conditional.phGraph_out;
	return error;
}

static cudaError_t add_any(PLACE, CUgraphNodeParams *p)
{
	switch (p->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL: {
		CUDA_KERNEL_NODE_PARAMS k = kernel_in(p);
		return add_kernel(AT, &k);
	}
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return add_memcpy(AT, &p->memcpy.copyParams, p->memcpy.copyCtx);
	case CU_GRAPH_NODE_TYPE_MEMSET: {
		CUDA_MEMSET_NODE_PARAMS m = memset_in(p);
		return add_memset(AT, &m, p->memset.ctx);
	}
	case CU_GRAPH_NODE_TYPE_HOST:
		return cudaGraphAddHostNode(AT, HOST(&p->host));
	case CU_GRAPH_NODE_TYPE_EMPTY:
		return cudaGraphAddEmptyNode(AT);
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
		return cudaGraphAddEventWaitNode(AT, p->eventWait.event);
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		return cudaGraphAddEventRecordNode(AT, p->eventRecord.event);
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
		return cudaGraphAddMemAllocNode(AT, ALLOC(&p->alloc));
	case CU_GRAPH_NODE_TYPE_MEM_FREE:
		return cudaGraphAddMemFreeNode(AT, DEVICE(p->free.dptr));
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: {
		CUDA_BATCH_MEM_OP_NODE_PARAMS w = words_in(p);
		return add_words(AT, &w);
	}
	case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
	case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
		return api_unsupported("external semaphores' nodes of graphs");
	default:
		return by_runtime(AT, p);
	}
}

static cudaError_t add_node(PLACE, const CUgraphEdgeData *data, CUgraphNodeParams *p)
{
	cudaError_t error = p ? add_any(AT, p) : cudaErrorInvalidValue;
	if (error || !data)
		return error;
	error = graph_set_edges(*ret, (const cudaGraphEdgeData *)data, n_after);
	if (error)
		cudaGraphDestroyNode(*ret);
	return error;
}
SAME(cuGraphAddNode,
     (CUgraphNode * ret, CUgraph graph, const CUgraphNode *after, const CUgraphEdgeData *data,
      size_t n_after, CUgraphNodeParams *p),
     add_node(AT, data, p))

static cudaError_t set_event(CUgraphExec exec, CUgraphNode node, CUgraphNodeType type,
			     CUevent event)
{
	if (type == CU_GRAPH_NODE_TYPE_WAIT_EVENT)
		return exec ? cudaGraphExecEventWaitNodeSetEvent(exec, node, event)
			    : cudaGraphEventWaitNodeSetEvent(node, event);
	return exec ? cudaGraphExecEventRecordNodeSetEvent(exec, node, event)
		    : cudaGraphEventRecordNodeSetEvent(node, event);
}

static cudaError_t set_any(CUgraphExec exec, CUgraphNode node, const CUgraphNodeParams *p)
{
	switch (p->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL: {
		CUDA_KERNEL_NODE_PARAMS k = kernel_in(p);
		return set_kernel(exec, node, &k);
	}
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return set_memcpy(exec, node, &p->memcpy.copyParams, p->memcpy.copyCtx);
	case CU_GRAPH_NODE_TYPE_MEMSET: {
		CUDA_MEMSET_NODE_PARAMS m = memset_in(p);
		return set_memset(exec, node, &m, p->memset.ctx);
	}
	case CU_GRAPH_NODE_TYPE_HOST:
		return exec ? cudaGraphExecHostNodeSetParams(exec, node, HOST(&p->host))
			    : cudaGraphHostNodeSetParams(node, HOST(&p->host));
	case CU_GRAPH_NODE_TYPE_GRAPH:
		return exec ? cudaGraphExecChildGraphNodeSetParams(exec, node, p->graph.graph)
			    : cudaErrorInvalidValue;
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
		return set_event(exec, node, p->type, p->eventWait.event);
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		return set_event(exec, node, p->type, p->eventRecord.event);
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: {
		CUDA_BATCH_MEM_OP_NODE_PARAMS w = words_in(p);
		return set_words(exec, node, &w);
	}
	case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
	case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
		return api_unsupported("external semaphores' nodes of graphs");
	default:
		return cudaErrorInvalidValue;
	}
}
SAME(cuGraphNodeSetParams, (CUgraphNode node, CUgraphNodeParams *p),
     p ? set_any(NULL, node, p) : cudaErrorInvalidValue)
SAME(cuGraphExecNodeSetParams, (CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *p),
     p &&exec ? set_any(exec, node, p) : cudaErrorInvalidValue)
