/* SPDX-License-Identifier: Apache-2.0 */
/* graph_node.c - nodes by their kind: those of any kind in one call, copies from and to
 * variables, events and child graphs, what a node was made with, and a picture of all. */
#include <stdio.h>
#include <stdlib.h>

#include "api.h"
#include "cudasim/abi.h"
#include "graph.h"
#include "graph_api.h"
#include "registry.h"

struct graph_node *graph_node_of(cudaGraphExec_t exec, cudaGraphNode_t handle,
				 enum cudaGraphNodeType type)
{
	struct graph_node *node = graph_find_node(handle);
	struct graph_exec *of = exec ? graph_find_exec(exec) : NULL;
	if (node && exec)
		node = of ? exec_node(of, node) : NULL;
	return node && node->type == type ? node : NULL;
}

/* ---- copies from and to variables --------------------------------------------------- */

static cudaError_t symbol_place(const void *symbol, size_t offset, size_t count, char **ret)
{
	struct variable *v;
	cudaError_t error = registry_variable(symbol, &v);
	if (error)
		return error;
	if (offset > v->variable->size || count > v->variable->size - offset)
		return cudaErrorInvalidValue;
	*ret = (char *)registry_address(v, device_current()) + offset;
	return cudaSuccess;
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *ret, cudaGraph_t graph,
					   const cudaGraphNode_t *after, size_t n_after,
					   const void *symbol, const void *from, size_t count,
					   size_t offset, enum cudaMemcpyKind kind)
{
	API_BEGIN_CONTEXT;
	char *to;
	cudaError_t error = symbol_place(symbol, offset, count, &to);
	return API_END(error ? error
			     : cudaGraphAddMemcpyNode1D(ret, graph, after, n_after, to, from, count,
							kind));
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *ret, cudaGraph_t graph,
					     const cudaGraphNode_t *after, size_t n_after, void *to,
					     const void *symbol, size_t count, size_t offset,
					     enum cudaMemcpyKind kind)
{
	API_BEGIN_CONTEXT;
	char *from;
	cudaError_t error = symbol_place(symbol, offset, count, &from);
	return API_END(error ? error
			     : cudaGraphAddMemcpyNode1D(ret, graph, after, n_after, to, from, count,
							kind));
}

static struct cudaMemcpy3DParms one_dimension(void *to, const void *from, size_t count,
					      enum cudaMemcpyKind kind)
{
	return (struct cudaMemcpy3DParms){
		.dstPtr = {to, count, count, 1},
		.srcPtr = {(void *)(uintptr_t)from, count, count, 1},
		.extent = {count, 1, 1},
		.kind = kind,
	};
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from,
					   size_t count, enum cudaMemcpyKind kind)
{
	API_BEGIN_CONTEXT;
	struct cudaMemcpy3DParms p = one_dimension(to, from, count, kind);
	return API_END(cudaGraphMemcpyNodeSetParams(node, &p));
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
						 const void *from, size_t count, size_t offset,
						 enum cudaMemcpyKind kind)
{
	API_BEGIN_CONTEXT;
	char *to;
	cudaError_t error = symbol_place(symbol, offset, count, &to);
	return API_END(error ? error : cudaGraphMemcpyNodeSetParams1D(node, to, from, count, kind));
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to,
						   const void *symbol, size_t count, size_t offset,
						   enum cudaMemcpyKind kind)
{
	API_BEGIN_CONTEXT;
	char *from;
	cudaError_t error = symbol_place(symbol, offset, count, &from);
	return API_END(error ? error : cudaGraphMemcpyNodeSetParams1D(node, to, from, count, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
						     const void *symbol, const void *from,
						     size_t count, size_t offset,
						     enum cudaMemcpyKind kind)
{
	API_BEGIN_CONTEXT;
	char *to;
	cudaError_t error = symbol_place(symbol, offset, count, &to);
	return API_END(
		error ? error
		      : cudaGraphExecMemcpyNodeSetParams1D(exec, node, to, from, count, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
						       void *to, const void *symbol, size_t count,
						       size_t offset, enum cudaMemcpyKind kind)
{
	API_BEGIN_CONTEXT;
	char *from;
	cudaError_t error = symbol_place(symbol, offset, count, &from);
	return API_END(
		error ? error
		      : cudaGraphExecMemcpyNodeSetParams1D(exec, node, to, from, count, kind));
}

/* ---- events -------------------------------------------------------------------------- */

/* Where the node keeps its event. */
static struct event **event_place(struct graph_node *node)
{
	return node->type == cudaGraphNodeTypeWaitEvent ? &node->event : &node->work.event;
}

static cudaError_t get_event(cudaGraphNode_t handle, enum cudaGraphNodeType type, cudaEvent_t *ret)
{
	graph_lock();
	struct graph_node *node = ret ? graph_node_of(NULL, handle, type) : NULL;
	if (node)
		*ret = (cudaEvent_t)*event_place(node);
	graph_unlock();
	return node ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t set_event(cudaGraphExec_t exec, cudaGraphNode_t handle,
			     enum cudaGraphNodeType type, cudaEvent_t event_handle)
{
	struct event *event;
	cudaError_t error = event_resolve(event_handle, &event);
	if (error)
		return error;
	graph_lock();
	struct graph_node *node = graph_node_of(exec, handle, type);
	if (node) {
		struct event *old = *event_place(node);
		*event_place(node) = event;
		event = old;
	}
	graph_unlock();
	event_unref(event);
	return node ? cudaSuccess : cudaErrorInvalidValue;
}

#define EVENT_NODE(Kind, type)                                                                     \
	cudaError_t cudaGraph##Kind##NodeGetEvent(cudaGraphNode_t node, cudaEvent_t *ret)          \
	{                                                                                          \
		API_BEGIN_CONTEXT;                                                                 \
		return API_END(get_event(node, type, ret));                                        \
	}                                                                                          \
	cudaError_t cudaGraph##Kind##NodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)         \
	{                                                                                          \
		API_BEGIN_CONTEXT;                                                                 \
		return API_END(set_event(NULL, node, type, event));                                \
	}                                                                                          \
	cudaError_t cudaGraphExec##Kind##NodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,  \
						      cudaEvent_t event)                           \
	{                                                                                          \
		API_BEGIN_CONTEXT;                                                                 \
		return API_END(exec ? set_event(exec, node, type, event) : cudaErrorInvalidValue); \
	}
EVENT_NODE(EventRecord, cudaGraphNodeTypeEventRecord)
EVENT_NODE(EventWait, cudaGraphNodeTypeWaitEvent)

/* ---- child graphs --------------------------------------------------------------------- */

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t handle, cudaGraph_t *ret)
{
	API_BEGIN_CONTEXT;
	graph_lock();
	struct graph_node *node = ret ? graph_node_of(NULL, handle, cudaGraphNodeTypeGraph) : NULL;
	if (node)
		*ret = (cudaGraph_t)node->child;
	graph_unlock();
	return API_END(node ? cudaSuccess : cudaErrorInvalidValue);
}

static cudaError_t set_child(cudaGraphExec_t exec, cudaGraphNode_t handle, cudaGraph_t child)
{
	struct graph_node *node = graph_node_of(exec, handle, cudaGraphNodeTypeGraph);
	struct graph *graph = graph_find(child), *copy;
	if (!exec || !node || !graph || graph->n != node->child->n)
		return cudaErrorInvalidValue;
	cudaError_t error = graph_copy(graph, &copy);
	if (error)
		return error;
	graph_free(node->child);
	node->child = copy;
	return cudaSuccess;
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
						 cudaGraph_t child)
{
	API_BEGIN_CONTEXT;
	graph_lock();
	cudaError_t error = set_child(exec, node, child);
	graph_unlock();
	return API_END(error);
}

/* ---- what a node was made with --------------------------------------------------------- */

static bool kernel_params(struct graph_node *node, struct cudaKernelNodeParams *ret)
{
	const struct cudasim_kernel *kernel = node->work.launch.kernel;
	const uint32_t *g = node->work.launch.grid, *b = node->work.launch.block;
	free(node->arguments);
	node->arguments = calloc(kernel->n_params + 1, sizeof *node->arguments);
	if (!node->arguments)
		return false;
	for (uint32_t i = 0; i < kernel->n_params; i++)
		node->arguments[i] = (char *)node->work.launch.params + kernel->params[i].offset;
	*ret = (struct cudaKernelNodeParams){
		.func = (void *)(uintptr_t)node->stub,
		.gridDim = {g[0], g[1], g[2]},
		.blockDim = {b[0], b[1], b[2]},
		.kernelParams = node->arguments,
		.sharedMemBytes = node->work.launch.dynamic_shared_bytes,
	};
	return true;
}

/* Arrays are told as the memory that they lie in. */
static bool memcpy_params(struct graph_node *node, struct cudaMemcpy3DParms *ret)
{
	const struct cudasim_copy *c = &node->work.copy.what;
	size_t to_rows = c->to_pitch ? c->to_slice / c->to_pitch : 0;
	size_t from_rows = c->from_pitch ? c->from_slice / c->from_pitch : 0;
	*ret = (struct cudaMemcpy3DParms){
		.srcPtr = {(void *)(uintptr_t)c->from, c->from_pitch, c->width,
			   from_rows ? from_rows : c->height},
		.dstPtr = {c->to, c->to_pitch, c->width, to_rows ? to_rows : c->height},
		.extent = {c->width, c->height, c->depth},
		.kind = (enum cudaMemcpyKind)c->direction,
	};
	return true;
}

static bool memset_params(struct graph_node *node, struct cudaMemsetParams *ret)
{
	const struct cudasim_copy *c = &node->work.copy.what;
	*ret = (struct cudaMemsetParams){
		.dst = c->to,
		.pitch = c->to_pitch,
		.value = (unsigned)c->value,
		.elementSize = (unsigned)c->value_bytes,
		.width = c->width / c->value_bytes,
		.height = c->height,
	};
	return true;
}

static bool host_params(struct graph_node *node, struct cudaHostNodeParams *ret)
{
	*ret = (struct cudaHostNodeParams){node->work.host.function, node->work.host.user};
	return true;
}

#define GET_PARAMS(kind, Kind, type)                                                               \
	cudaError_t cudaGraph##Kind##NodeGetParams(cudaGraphNode_t handle, type *ret)              \
	{                                                                                          \
		API_BEGIN_CONTEXT;                                                                 \
		graph_lock();                                                                      \
		struct graph_node *node = graph_node_of(NULL, handle, cudaGraphNodeType##Kind);    \
		cudaError_t error = !node || !ret              ? cudaErrorInvalidValue             \
				    : kind##_params(node, ret) ? cudaSuccess                       \
							       : cudaErrorMemoryAllocation;        \
		graph_unlock();                                                                    \
		return API_END(error);                                                             \
	}
GET_PARAMS(kernel, Kernel, struct cudaKernelNodeParams)
GET_PARAMS(memcpy, Memcpy, struct cudaMemcpy3DParms)
GET_PARAMS(memset, Memset, struct cudaMemsetParams)
GET_PARAMS(host, Host, struct cudaHostNodeParams)

/* ---- nodes of any kind ------------------------------------------------------------------ */

static struct cudaKernelNodeParams kernel_of(const struct cudaKernelNodeParamsV2 *p)
{
	return (struct cudaKernelNodeParams){
		.func = p->func,
		.gridDim = p->gridDim,
		.blockDim = p->blockDim,
		.sharedMemBytes = p->sharedMemBytes,
		.kernelParams = p->kernelParams,
		.extra = p->extra,
	};
}

static struct cudaMemsetParams memset_of(const struct cudaMemsetParamsV2 *p)
{
	return (struct cudaMemsetParams){p->dst,         p->pitch, p->value,
					 p->elementSize, p->width, p->height};
}

static struct cudaHostNodeParams host_of(const struct cudaHostNodeParamsV2 *p)
{
	return (struct cudaHostNodeParams){p->fn, p->userData};
}

static cudaError_t refuse(enum cudaGraphNodeType type)
{
	switch (type) {
	case cudaGraphNodeTypeExtSemaphoreSignal:
	case cudaGraphNodeTypeExtSemaphoreWait:
		return api_unsupported("external semaphores' nodes of graphs");
	default:
		return cudaErrorInvalidValue;
	}
}

static cudaError_t add_any(cudaGraphNode_t *ret, cudaGraph_t graph, const cudaGraphNode_t *after,
			   size_t n, struct cudaGraphNodeParams *p)
{
	switch (p->type) {
	case cudaGraphNodeTypeKernel: {
		struct cudaKernelNodeParams k = kernel_of(&p->kernel);
		return cudaGraphAddKernelNode(ret, graph, after, n, &k);
	}
	case cudaGraphNodeTypeMemcpy:
		return cudaGraphAddMemcpyNode(ret, graph, after, n, &p->memcpy.copyParams);
	case cudaGraphNodeTypeMemset: {
		struct cudaMemsetParams m = memset_of(&p->memset);
		return cudaGraphAddMemsetNode(ret, graph, after, n, &m);
	}
	case cudaGraphNodeTypeHost: {
		struct cudaHostNodeParams h = host_of(&p->host);
		return cudaGraphAddHostNode(ret, graph, after, n, &h);
	}
	case cudaGraphNodeTypeGraph:
		if (p->graph.ownership == cudaGraphChildGraphOwnershipMove) {
			struct node_position place = {ret, graph, after, n};
			graph_lock();
			cudaError_t error = graph_move_child(&place, p->graph.graph);
			graph_unlock();
			return error;
		}
		if (p->graph.ownership != cudaGraphChildGraphOwnershipClone)
			return cudaErrorInvalidValue;
		return cudaGraphAddChildGraphNode(ret, graph, after, n, p->graph.graph);
	case cudaGraphNodeTypeEmpty:
		return cudaGraphAddEmptyNode(ret, graph, after, n);
	case cudaGraphNodeTypeWaitEvent:
		return cudaGraphAddEventWaitNode(ret, graph, after, n, p->eventWait.event);
	case cudaGraphNodeTypeEventRecord:
		return cudaGraphAddEventRecordNode(ret, graph, after, n, p->eventRecord.event);
	case cudaGraphNodeTypeMemAlloc:
		/* The two versions of its parameters are laid out alike. */
		return cudaGraphAddMemAllocNode(ret, graph, after, n,
						(struct cudaMemAllocNodeParams *)&p->alloc);
	case cudaGraphNodeTypeMemFree:
		return cudaGraphAddMemFreeNode(ret, graph, after, n, p->free.dptr);
	case cudaGraphNodeTypeConditional: {
		struct node_position place = {ret, graph, after, n};
		graph_lock();
		cudaError_t error = graph_add_conditional(&place, &p->conditional);
		graph_unlock();
		return error;
	}
	default:
		return refuse(p->type);
	}
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *ret, cudaGraph_t graph, const cudaGraphNode_t *after,
			     const cudaGraphEdgeData *data, size_t n,
			     struct cudaGraphNodeParams *params)
{
	API_BEGIN_CONTEXT;
	if (!params)
		return API_END(cudaErrorInvalidValue);
	cudaError_t error = add_any(ret, graph, after, n, params);
	if (error || !data)
		return API_END(error);
	error = graph_set_edges(*ret, data, n);
	if (error)
		cudaGraphDestroyNode(*ret);
	return API_END(error);
}

static cudaError_t set_any(cudaGraphExec_t exec, cudaGraphNode_t node,
			   struct cudaGraphNodeParams *p)
{
	switch (p->type) {
	case cudaGraphNodeTypeKernel: {
		struct cudaKernelNodeParams k = kernel_of(&p->kernel);
		return exec ? cudaGraphExecKernelNodeSetParams(exec, node, &k)
			    : cudaGraphKernelNodeSetParams(node, &k);
	}
	case cudaGraphNodeTypeMemcpy:
		return exec ? cudaGraphExecMemcpyNodeSetParams(exec, node, &p->memcpy.copyParams)
			    : cudaGraphMemcpyNodeSetParams(node, &p->memcpy.copyParams);
	case cudaGraphNodeTypeMemset: {
		struct cudaMemsetParams m = memset_of(&p->memset);
		return exec ? cudaGraphExecMemsetNodeSetParams(exec, node, &m)
			    : cudaGraphMemsetNodeSetParams(node, &m);
	}
	case cudaGraphNodeTypeHost: {
		struct cudaHostNodeParams h = host_of(&p->host);
		return exec ? cudaGraphExecHostNodeSetParams(exec, node, &h)
			    : cudaGraphHostNodeSetParams(node, &h);
	}
	case cudaGraphNodeTypeGraph:
		return exec ? cudaGraphExecChildGraphNodeSetParams(exec, node, p->graph.graph)
			    : cudaErrorInvalidValue;
	case cudaGraphNodeTypeWaitEvent:
		return set_event(exec, node, p->type, p->eventWait.event);
	case cudaGraphNodeTypeEventRecord:
		return set_event(exec, node, p->type, p->eventRecord.event);
	default:
		return refuse(p->type);
	}
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *params)
{
	API_BEGIN_CONTEXT;
	return API_END(params ? set_any(NULL, node, params) : cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
				       struct cudaGraphNodeParams *params)
{
	API_BEGIN_CONTEXT;
	return API_END(params && exec ? set_any(exec, node, params) : cudaErrorInvalidValue);
}
