/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - graphs node by node. */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "copy_submit.h"
#include "function.h"
#include "graph_api.h"
#include "graph_condition.h"
#include "observer.h"

/* ---- graphs --------------------------------------------------------------------- */

static cudaError_t create(cudaGraph_t *ret)
{
	*ret = (cudaGraph_t)graph_new();
	return *ret ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaGraphCreate(cudaGraph_t *ret, unsigned flags)
{
	API_BEGIN_CONTEXT;
	if (!ret || flags)
		return API_END(cudaErrorInvalidValue);
	LOCKED(create(ret));
}

static cudaError_t destroy(cudaGraph_t handle)
{
	struct graph *graph = graph_find(handle);
	/* Child graphs and bodies are their node's. */
	if (!graph || graph->parent)
		return cudaErrorInvalidValue;
	graph_free(graph);
	observe_handle_of(CUDASIM_HANDLE_GRAPH, (uintptr_t)handle, true);
	return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	API_BEGIN_CONTEXT;
	LOCKED(destroy(graph));
}

static cudaError_t clone(cudaGraph_t *ret, cudaGraph_t handle)
{
	struct graph *graph = graph_find(handle), *copy;
	cudaError_t error = !graph                ? cudaErrorInvalidValue
			    : graph_is_one(graph) ? cudaErrorNotSupported
						  : graph_copy(graph, &copy);
	if (!error)
		*ret = (cudaGraph_t)copy;
	return error;
}

cudaError_t cudaGraphClone(cudaGraph_t *ret, cudaGraph_t graph)
{
	API_BEGIN_CONTEXT;
	if (!ret)
		return API_END(cudaErrorInvalidValue);
	LOCKED(clone(ret, graph));
}

static cudaError_t find_in_clone(cudaGraphNode_t *ret, cudaGraphNode_t original, cudaGraph_t handle)
{
	struct graph *graph = graph_find(handle);
	for (size_t i = 0; graph && i < graph->n; i++) {
		if (graph->nodes[i]->origin != (struct graph_node *)original)
			continue;
		*ret = (cudaGraphNode_t)graph->nodes[i];
		return cudaSuccess;
	}
	return cudaErrorInvalidValue;
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *ret, cudaGraphNode_t original,
				     cudaGraph_t graph)
{
	API_BEGIN_CONTEXT;
	if (!ret)
		return API_END(cudaErrorInvalidValue);
	LOCKED(find_in_clone(ret, original, graph));
}

/* ---- works of nodes -------------------------------------------------------------- */

static cudaError_t kernel_work(const struct cudaKernelNodeParams *p, struct work *ret)
{
	void *args[MOST_PARAMETER_BYTES];
	if (!p || (p->extra && p->kernelParams))
		return cudaErrorInvalidValue;
	cudaError_t error = p->extra ? launch_extra(p->func, p->extra, args) : cudaSuccess;
	if (error)
		return error;
	return launch_work(p->func, p->gridDim, p->blockDim, p->sharedMemBytes,
			   p->extra ? args : p->kernelParams, device_current(), ret);
}

static cudaError_t copy_work_of(struct cudasim_copy what, enum cudaMemcpyKind kind,
				struct work *ret)
{
	cudaError_t error = copy_check(&what, kind);
	what.async = true;
	what.function = "cudaGraphLaunch";
	*ret = (struct work){.kind = WORK_COPY, .device = device_current(), .copy.what = what};
	return error;
}

static cudaError_t memcpy_work(const struct cudaMemcpy3DParms *p, struct work *ret)
{
	struct cudasim_copy what;
	cudaError_t error = p ? copy_of_3d(p, &what) : cudaErrorInvalidValue;
	return error ? error : copy_work_of(what, p->kind, ret);
}

static cudaError_t memset_work(const struct cudaMemsetParams *p, struct work *ret)
{
	if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4) ||
	    !p->width || !p->height)
		return cudaErrorInvalidValue;
	size_t width = p->width * p->elementSize;
	struct cudasim_copy what = copy_2d(p->dst, p->pitch ? p->pitch : width, NULL, 0, width,
					   p->height);
	what.kind = CUDASIM_SET;
	what.value = p->value;
	what.value_bytes = p->elementSize;
	what.direction = cudaMemcpyDeviceToDevice;
	what.async = true;
	what.function = "cudaGraphLaunch";
	*ret = (struct work){.kind = WORK_COPY, .device = device_current(), .copy.what = what};
	return set_check(&what);
}

static cudaError_t host_work(const struct cudaHostNodeParams *p, struct work *ret)
{
	if (!p || !p->fn)
		return cudaErrorInvalidValue;
	*ret = (struct work){.kind = WORK_HOST,
			     .device = device_current(),
			     .host = {.function = p->fn, .user = p->userData}};
	return cudaSuccess;
}

/* ---- adding nodes ----------------------------------------------------------------- */

cudaError_t graph_place(const struct node_position *place, enum cudaGraphNodeType type,
			struct work *work, struct graph_node **ret)
{
	struct graph *graph = graph_find(place->graph);
	if (!graph || !place->ret || (place->n_after && !place->after)) {
		work_fini(work);
		return cudaErrorInvalidValue;
	}
	cudaError_t error = graph_add(graph, type, work, place->after, place->n_after, ret);
	if (!error)
		*place->ret = (cudaGraphNode_t)*ret;
	return error;
}

static cudaError_t add_work(const struct node_position *place, enum cudaGraphNodeType type,
			    cudaError_t error, struct work *work, const void *stub)
{
	struct graph_node *node;
	if (error)
		return error;
	graph_lock();
	error = graph_place(place, type, work, &node);
	if (!error)
		node->stub = stub;
	graph_unlock();
	return error;
}

#define PLACE (&(struct node_position){ret, graph, after, n_after})

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *ret, cudaGraph_t graph,
				   const cudaGraphNode_t *after, size_t n_after,
				   const struct cudaKernelNodeParams *p)
{
	API_BEGIN_CONTEXT;
	struct work work;
	cudaError_t error = kernel_work(p, &work);
	return API_END(add_work(PLACE, cudaGraphNodeTypeKernel, error, &work, p ? p->func : NULL));
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *ret, cudaGraph_t graph,
				   const cudaGraphNode_t *after, size_t n_after,
				   const struct cudaMemcpy3DParms *p)
{
	API_BEGIN_CONTEXT;
	struct work work;
	cudaError_t error = memcpy_work(p, &work);
	return API_END(add_work(PLACE, cudaGraphNodeTypeMemcpy, error, &work, NULL));
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *ret, cudaGraph_t graph,
				     const cudaGraphNode_t *after, size_t n_after, void *to,
				     const void *from, size_t count, enum cudaMemcpyKind kind)
{
	API_BEGIN_CONTEXT;
	struct work work;
	cudaError_t error = count ? copy_work_of(copy_1d(to, from, count), kind, &work)
				  : cudaErrorInvalidValue;
	return API_END(add_work(PLACE, cudaGraphNodeTypeMemcpy, error, &work, NULL));
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *ret, cudaGraph_t graph,
				   const cudaGraphNode_t *after, size_t n_after,
				   const struct cudaMemsetParams *p)
{
	API_BEGIN_CONTEXT;
	struct work work;
	cudaError_t error = memset_work(p, &work);
	return API_END(add_work(PLACE, cudaGraphNodeTypeMemset, error, &work, NULL));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *ret, cudaGraph_t graph,
				 const cudaGraphNode_t *after, size_t n_after,
				 const struct cudaHostNodeParams *p)
{
	API_BEGIN_CONTEXT;
	struct work work;
	cudaError_t error = host_work(p, &work);
	return API_END(add_work(PLACE, cudaGraphNodeTypeHost, error, &work, NULL));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *ret, cudaGraph_t graph,
				  const cudaGraphNode_t *after, size_t n_after)
{
	API_BEGIN_CONTEXT;
	struct work work = {.kind = WORK_NOTHING};
	return API_END(add_work(PLACE, cudaGraphNodeTypeEmpty, cudaSuccess, &work, NULL));
}

/* No event is no value here, where other calls say that it is no handle. */
static cudaError_t resolve(cudaEvent_t handle, struct event **ret)
{
	return handle ? event_resolve(handle, ret) : cudaErrorInvalidValue;
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *ret, cudaGraph_t graph,
					const cudaGraphNode_t *after, size_t n_after,
					cudaEvent_t handle)
{
	API_BEGIN_CONTEXT;
	struct work work = {.kind = WORK_RECORD};
	cudaError_t error = resolve(handle, &work.event);
	return API_END(add_work(PLACE, cudaGraphNodeTypeEventRecord, error, &work, NULL));
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *ret, cudaGraph_t graph,
				      const cudaGraphNode_t *after, size_t n_after,
				      cudaEvent_t handle)
{
	API_BEGIN_CONTEXT;
	struct work work = {.kind = WORK_NOTHING};
	struct event *event;
	struct graph_node *node;
	cudaError_t error = resolve(handle, &event);
	if (error)
		return API_END(error);
	graph_lock();
	error = graph_place(PLACE, cudaGraphNodeTypeWaitEvent, &work, &node);
	if (error)
		event_unref(event);
	else
		node->event = event;
	graph_unlock();
	return API_END(error);
}

/* Takes the child over. */
static cudaError_t set_child(struct graph_node *node, void *child)
{
	node->child = child;
	node->child->parent = node;
	return cudaSuccess;
}

static cudaError_t add_child(const struct node_position *place, cudaGraph_t handle)
{
	struct work work = {.kind = WORK_NOTHING};
	struct graph *child = graph_find(handle), *copy;
	struct graph_node *node;
	cudaError_t error = !child                ? cudaErrorInvalidValue
			    : graph_is_one(child) ? cudaErrorNotSupported
						  : graph_copy(child, &copy);
	if (error)
		return error;
	error = graph_place(place, cudaGraphNodeTypeGraph, &work, &node);
	if (error)
		graph_free(copy);
	else
		set_child(node, copy);
	return error;
}

/* Is the graph `outer`, or is it inside? */
static bool is_around(const struct graph *outer, const struct graph *graph)
{
	for (; graph; graph = graph->parent ? graph->parent->graph : NULL)
		if (graph == outer)
			return true;
	return false;
}

cudaError_t graph_move_child(const struct node_position *place, cudaGraph_t handle)
{
	struct work work = {.kind = WORK_NOTHING};
	struct graph *child = graph_find(handle), *graph = graph_find(place->graph);
	struct graph_node *node;
	if (!child || child->parent || child->exec || is_around(child, graph))
		return cudaErrorInvalidValue;
	if (graph_has(child, cudaGraphNodeTypeConditional))
		return cudaErrorNotSupported;
	cudaError_t error = graph_place(place, cudaGraphNodeTypeGraph, &work, &node);
	if (error)
		return error;
	child->moved = true;
	return set_child(node, child);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *ret, cudaGraph_t graph,
				       const cudaGraphNode_t *after, size_t n_after,
				       cudaGraph_t child)
{
	API_BEGIN_CONTEXT;
	LOCKED(add_child(PLACE, child));
}

/* ---- changing nodes ---------------------------------------------------------------- */

bool graph_update_allowed(const struct work *before, const struct work *after)
{
	if (before->kind != WORK_COPY || after->kind != WORK_COPY)
		return before->kind == after->kind;
	const struct cudasim_copy *a = &before->copy.what, *b = &after->copy.what;
	if (a->kind != b->kind)
		return false;
	return b->kind == CUDASIM_SET ? (a->height == 1) == (b->height == 1)
				      : a->direction == b->direction;
}

/* Replace the work of a graph's node or, with exec, of its copy there. Takes the
 * work over. */
static cudaError_t replace(cudaGraphExec_t exec, cudaGraphNode_t handle,
			   enum cudaGraphNodeType type, struct work *work, const void *stub)
{
	struct graph_node *node = graph_find_node(handle);
	struct graph_exec *of = exec ? graph_find_exec(exec) : NULL;
	if (node && exec)
		node = of ? exec_node(of, node) : NULL;
	if (!node || node->type != type) {
		work_fini(work);
		return cudaErrorInvalidValue;
	}
	if (exec && !graph_update_allowed(&node->work, work)) {
		work_fini(work);
		return cudaErrorInvalidValue;
	}
	work_fini(&node->work);
	node->work = *work;
	node->stub = stub;
	return cudaSuccess;
}

#define SET_PARAMS(kind, Kind, type, stub_of)                                                      \
	cudaError_t cudaGraph##Kind##NodeSetParams(cudaGraphNode_t node, const type *p)            \
	{                                                                                          \
		API_BEGIN_CONTEXT;                                                                 \
		struct work work;                                                                  \
		cudaError_t error = kind##_work(p, &work);                                         \
		if (error)                                                                         \
			return API_END(error);                                                     \
		LOCKED(replace(NULL, node, cudaGraphNodeType##Kind, &work, stub_of));              \
	}                                                                                          \
	cudaError_t cudaGraphExec##Kind##NodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, \
						       const type *p)                              \
	{                                                                                          \
		API_BEGIN_CONTEXT;                                                                 \
		struct work work;                                                                  \
		cudaError_t error = exec ? kind##_work(p, &work) : cudaErrorInvalidValue;          \
		if (error)                                                                         \
			return API_END(error);                                                     \
		LOCKED(replace(exec, node, cudaGraphNodeType##Kind, &work, stub_of));              \
	}
SET_PARAMS(kernel, Kernel, struct cudaKernelNodeParams, p->func)
SET_PARAMS(memcpy, Memcpy, struct cudaMemcpy3DParms, NULL)
SET_PARAMS(memset, Memset, struct cudaMemsetParams, NULL)
SET_PARAMS(host, Host, struct cudaHostNodeParams, NULL)

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
					       const void *from, size_t count,
					       enum cudaMemcpyKind kind)
{
	API_BEGIN_CONTEXT;
	struct work work;
	cudaError_t error = copy_work_of(copy_1d(to, from, count), kind, &work);
	if (error || !exec)
		return API_END(error ? error : cudaErrorInvalidValue);
	LOCKED(replace(exec, node, cudaGraphNodeTypeMemcpy, &work, NULL));
}

static cudaError_t enable(cudaGraphExec_t exec, cudaGraphNode_t handle, unsigned *enabled, bool set)
{
	struct graph_exec *of = graph_find_exec(exec);
	struct graph_node *node = graph_find_node(handle);
	node = of && node ? exec_node(of, node) : NULL;
	if (!node || !enabled ||
	    (node->type != cudaGraphNodeTypeKernel && node->type != cudaGraphNodeTypeMemcpy &&
	     node->type != cudaGraphNodeTypeMemset))
		return cudaErrorInvalidValue;
	if (set)
		node->disabled = !*enabled;
	else
		*enabled = !node->disabled;
	return cudaSuccess;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled)
{
	API_BEGIN_CONTEXT;
	LOCKED(enable(exec, node, &enabled, true));
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled)
{
	API_BEGIN_CONTEXT;
	LOCKED(enable(exec, node, enabled, false));
}

static cudaError_t destroy_node(cudaGraphNode_t handle)
{
	struct graph_node *node = graph_find_node(handle);
	if (!node)
		return cudaErrorInvalidValue;
	if (node->type == cudaGraphNodeTypeMemAlloc || node->type == cudaGraphNodeTypeMemFree)
		return cudaErrorNotSupported;
	graph_remove_node(node);
	return cudaSuccess;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
	API_BEGIN_CONTEXT;
	LOCKED(destroy_node(node));
}
