/* SPDX-License-Identifier: Apache-2.0 */
/* graph_exec.c - executable graphs: made, launched, brought up to date. */
#include "graph.h"

#include "api.h"
#include "graph_api.h"
#include "observer.h"

static bool are_flags(unsigned long long flags)
{
	const unsigned long long known = cudaGraphInstantiateFlagAutoFreeOnLaunch |
					 cudaGraphInstantiateFlagUpload |
					 cudaGraphInstantiateFlagDeviceLaunch |
					 cudaGraphInstantiateFlagUseNodePriority;
	return !(flags & ~known);
}

static cudaError_t instantiate(cudaGraphExec_t *ret, cudaGraph_t handle, unsigned long long flags)
{
	struct graph *graph = graph_find(handle);
	struct graph_exec *exec;
	if (!graph || !ret || graph->moved || !are_flags(flags))
		return cudaErrorInvalidValue;
	cudaError_t error = exec_new(graph, flags, &exec);
	if (!error)
		*ret = (cudaGraphExec_t)exec;
	return error;
}

static cudaError_t instantiate_checked(cudaGraphExec_t *ret, cudaGraph_t graph,
				       unsigned long long flags)
{
	if (flags & cudaGraphInstantiateFlagDeviceLaunch)
		return api_unsupported("cudaGraphInstantiateFlagDeviceLaunch");
	graph_lock();
	cudaError_t error = instantiate(ret, graph, flags);
	graph_unlock();
	return error;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *ret, cudaGraph_t graph, unsigned long long flags)
{
	API_BEGIN_CONTEXT;
	return API_END(instantiate_checked(ret, graph, flags));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *ret, cudaGraph_t graph,
					  unsigned long long flags)
{
	API_BEGIN_CONTEXT;
	return API_END(instantiate_checked(ret, graph, flags));
}

static bool is_graph(cudaGraph_t handle)
{
	graph_lock();
	bool is = graph_find(handle);
	graph_unlock();
	return is;
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *ret, cudaGraph_t graph,
					   cudaGraphInstantiateParams *params)
{
	API_BEGIN_CONTEXT;
	if (!params)
		return API_END(cudaErrorInvalidValue);
	cudaError_t error = instantiate_checked(ret, graph, params->flags);
	params->errNode_out = NULL;
	params->result_out = !error ? cudaGraphInstantiateSuccess
			     : error == cudaErrorInvalidValue && is_graph(graph) &&
					     are_flags(params->flags)
				     ? cudaGraphInstantiateInvalidStructure
				     : cudaGraphInstantiateError;
	return API_END(error);
}

static cudaError_t get_flags(cudaGraphExec_t handle, unsigned long long *flags)
{
	struct graph_exec *exec = graph_find_exec(handle);
	if (!exec || !flags)
		return cudaErrorInvalidValue;
	*flags = exec->flags;
	return cudaSuccess;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
	API_BEGIN_CONTEXT;
	LOCKED(get_flags(exec, flags));
}

static cudaError_t launch(cudaGraphExec_t handle, cudaStream_t stream_handle, bool upload)
{
	struct stream *stream;
	struct operation *copied = NULL;
	cudaError_t error = stream_resolve(stream_handle, &stream);
	if (error)
		return error;
	graph_lock();
	struct graph_exec *exec = graph_find_exec(handle);
	if (!exec)
		error = cudaErrorInvalidValue;
	else if (stream_capturing(stream))
		error = capture_break(stream, NULL);
	else if (!upload && !(error = capture_check_legacy(stream)))
		error = exec_launch(exec, stream, &copied);
	graph_unlock();
	if (copied)
		operation_wait(copied);
	operation_unref(copied);
	stream_unref(stream);
	return error;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	return API_END(launch(exec, stream, false));
}

/* Nothing has to be brought to the device first. */
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	return API_END(launch(exec, stream, true));
}

static cudaError_t destroy_exec(cudaGraphExec_t handle)
{
	struct graph_exec *exec = graph_find_exec(handle);
	if (!exec)
		return cudaErrorInvalidValue;
	exec_free(exec);
	observe_handle_of(CUDASIM_HANDLE_GRAPH_EXEC, (uintptr_t)handle, true);
	return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
	API_BEGIN_CONTEXT;
	LOCKED(destroy_exec(exec));
}

/* Why exec cannot become a copy of the graph; *node is where, *from the edge's other end. */
static enum cudaGraphExecUpdateResult difference(const struct graph *exec,
						 const struct graph *graph,
						 const struct graph_node **node,
						 const struct graph_node **from)
{
	if (exec->n != graph->n)
		return cudaGraphExecUpdateErrorTopologyChanged;
	for (size_t i = 0; i < graph->n; i++) {
		const struct graph_node *a = graph->nodes[i], *b = exec->nodes[i];
		*node = a->origin;
		if (a->type != b->type)
			return cudaGraphExecUpdateErrorNodeTypeChanged;
		if (a->n_after != b->n_after)
			return cudaGraphExecUpdateErrorTopologyChanged;
		for (size_t j = 0; j < a->n_after; j++) {
			*from = a->after[j]->origin;
			if (a->after[j]->index != b->after[j]->index)
				return cudaGraphExecUpdateErrorTopologyChanged;
		}
		*from = NULL;
		if (a->n_bodies != b->n_bodies || a->condition_type != b->condition_type ||
		    a->memory != b->memory || !graph_update_allowed(&b->work, &a->work))
			return cudaGraphExecUpdateErrorParametersChanged;
		enum cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
		if (a->child)
			result = difference(b->child, a->child, node, from);
		for (unsigned j = 0; j < a->n_bodies && !result; j++)
			result = difference(b->bodies[j], a->bodies[j], node, from);
		if (result)
			return result;
	}
	*node = NULL;
	return cudaGraphExecUpdateSuccess;
}

/* The nodes of the graph that exec was made of still name those of exec. */
static void keep_origins(struct graph *to, const struct graph *from)
{
	for (size_t i = 0; i < to->n; i++) {
		to->nodes[i]->origin = from->nodes[i]->origin;
		to->nodes[i]->disabled = from->nodes[i]->disabled;
		if (to->nodes[i]->child)
			keep_origins(to->nodes[i]->child, from->nodes[i]->child);
		for (unsigned j = 0; j < to->nodes[i]->n_bodies; j++) {
			to->nodes[i]->condition = from->nodes[i]->condition;
			keep_origins(to->nodes[i]->bodies[j], from->nodes[i]->bodies[j]);
		}
	}
}

/* Take over another graph's works, node by node, where both have one shape. */
static cudaError_t update(cudaGraphExec_t handle, cudaGraph_t graph_handle,
			  cudaGraphExecUpdateResultInfo *info)
{
	struct graph_exec *exec = graph_find_exec(handle);
	struct graph *graph = graph_find(graph_handle), *sorted;
	const struct graph_node *node = NULL, *from = NULL;
	if (!exec || !graph)
		return cudaErrorInvalidValue;
	cudaGraphExecUpdateResultInfo any;
	info = info ? info : &any;
	*info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateError};
	cudaError_t error = graph_copy(graph, &sorted);
	if (error)
		return error;
	info->result = difference(exec->graph, sorted, &node, &from);
	info->errorNode = (cudaGraphNode_t)(uintptr_t)node;
	info->errorFromNode = (cudaGraphNode_t)(uintptr_t)from;
	if (info->result) {
		graph_free(sorted);
		return cudaErrorGraphExecUpdateFailure;
	}
	keep_origins(sorted, exec->graph);
	graph_free(exec->graph);
	exec->graph = sorted;
	return cudaSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
				cudaGraphExecUpdateResultInfo *info)
{
	API_BEGIN_CONTEXT;
	LOCKED(update(exec, graph, info));
}
