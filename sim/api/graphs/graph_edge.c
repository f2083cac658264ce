/* SPDX-License-Identifier: Apache-2.0 */
/* graph_edge.c - the nodes of graphs and what lies between them: asked for and changed.
 *
 * Edges keep their data. Programmatic ones are ordinary ones here: a kernel that waits for all
 * of another is one that a GPU may show, too. */
#include <string.h>

#include "api.h"
#include "graph.h"
#include "graph_api.h"

/* ---- changing ----------------------------------------------------------------------- */

/* Ports and types that CUDA has, between nodes that may have them. */
static bool is_edge(const struct graph_node *from, const struct graph_node *to,
		    const cudaGraphEdgeData *data)
{
	if (graph_edge_is_plain(data))
		return true;
	for (size_t i = 0; i < sizeof data->reserved; i++)
		if (data->reserved[i])
			return false;
	bool kernels = from->type == cudaGraphNodeTypeKernel && to->type == cudaGraphNodeTypeKernel;
	if (data->to_port || data->from_port > cudaGraphKernelNodePortLaunchCompletion)
		return false;
	return data->type == cudaGraphDependencyTypeProgrammatic
		       ? kernels && data->from_port
		       : !data->type && from->type == cudaGraphNodeTypeKernel;
}

static cudaError_t depend(cudaGraph_t handle, const cudaGraphNode_t *from,
			  const cudaGraphNode_t *to, const cudaGraphEdgeData *data, size_t n)
{
	struct graph *graph = graph_find(handle);
	cudaError_t error = graph ? cudaSuccess : cudaErrorInvalidValue;
	for (size_t i = 0; i < n && !error; i++) {
		struct graph_node *a = graph_find_node(from[i]), *b = graph_find_node(to[i]);
		const cudaGraphEdgeData *edge = data ? &data[i] : NULL;
		error = a && b && a != b && a->graph == graph && b->graph == graph &&
					is_edge(a, b, edge)
				? graph_depend(b, a, edge)
				: cudaErrorInvalidValue;
	}
	return error;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
				     const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
				     size_t n)
{
	API_BEGIN_CONTEXT;
	if (n && (!from || !to))
		return API_END(cudaErrorInvalidValue);
	LOCKED(depend(graph, from, to, data, n));
}

cudaError_t graph_set_edges(cudaGraphNode_t handle, const cudaGraphEdgeData *data, size_t n)
{
	cudaError_t error = cudaSuccess;
	graph_lock();
	struct graph_node *node = graph_find_node(handle);
	for (size_t i = 0; i < n && !error; i++) {
		if (!is_edge(node->after[i], node, &data[i]))
			error = cudaErrorInvalidValue;
		node->edges[i] = data[i];
	}
	graph_unlock();
	return error;
}

/* Whatever its data are, as on an H200. */
static cudaError_t remove_edge(struct graph *graph, struct graph_node *from, struct graph_node *to)
{
	if (!from || !to || from->graph != graph || to->graph != graph)
		return cudaErrorInvalidValue;
	if (to->type == cudaGraphNodeTypeMemFree || from->type == cudaGraphNodeTypeMemAlloc)
		return cudaErrorNotSupported;
	for (size_t i = 0; i < to->n_after; i++) {
		if (to->after[i] != from)
			continue;
		to->edges[i] = to->edges[--to->n_after];
		to->after[i] = to->after[to->n_after];
		return cudaSuccess;
	}
	return cudaErrorInvalidValue;
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t handle, const cudaGraphNode_t *from,
					const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
					size_t n)
{
	API_BEGIN_CONTEXT;
	(void)data;
	if (n && (!from || !to))
		return API_END(cudaErrorInvalidValue);
	graph_lock();
	struct graph *graph = graph_find(handle);
	cudaError_t error = graph ? cudaSuccess : cudaErrorInvalidValue;
	for (size_t i = 0; i < n && !error; i++)
		error = remove_edge(graph, graph_find_node(from[i]), graph_find_node(to[i]));
	graph_unlock();
	return API_END(error);
}

/* ---- asking ------------------------------------------------------------------------- */

/* Nodes that may be asked for: written as far as *n allows; *n is then how many
 * were written, or how many there are where `to` is NULL. */
struct list {
	cudaGraphNode_t *to;
	size_t room, n;
	cudaGraphEdgeData *data; /* of edges, where they are wanted */
	bool lossy;              /* an edge has data that nobody wants */
};

static void put(struct list *list, struct graph_node *node)
{
	if (list->to && list->n < list->room)
		list->to[list->n] = (cudaGraphNode_t)node;
	list->n++;
}

/* A node at one end of an edge. */
static void put_edge(struct list *list, struct graph_node *node, const cudaGraphEdgeData *data)
{
	if (list->to && list->n < list->room && list->data)
		list->data[list->n] = *data;
	else if (list->to && !graph_edge_is_plain(data))
		list->lossy = true;
	put(list, node);
}

static cudaError_t finish(struct list *list, size_t *n)
{
	/* Room beyond the end is cleared, as CUDA does. */
	for (size_t i = list->n; list->to && i < list->room; i++)
		list->to[i] = NULL;
	*n = list->to && list->n > list->room ? list->room : list->n;
	return list->lossy ? cudaErrorLossyQuery : cudaSuccess;
}

static cudaError_t list_nodes(cudaGraph_t handle, cudaGraphNode_t *to, size_t *n, bool roots)
{
	struct graph *graph = graph_find(handle);
	if (!graph || !n)
		return cudaErrorInvalidValue;
	struct list list = {.to = to, .room = *n};
	for (size_t i = 0; i < graph->n; i++)
		if (!roots || !graph->nodes[i]->n_after)
			put(&list, graph->nodes[i]);
	return finish(&list, n);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *to, size_t *n)
{
	API_BEGIN_CONTEXT;
	LOCKED(list_nodes(graph, to, n, false));
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *to, size_t *n)
{
	API_BEGIN_CONTEXT;
	LOCKED(list_nodes(graph, to, n, true));
}

/* The node whose edges are wanted, and the list for them; NULL where an argument is wrong. */
static struct graph_node *begin_edges(cudaGraphNode_t handle, cudaGraphNode_t *to,
				      cudaGraphEdgeData *data, const size_t *n, struct list *ret)
{
	if (!n || (data && !to))
		return NULL;
	*ret = (struct list){.to = to, .room = *n, .data = data};
	return graph_find_node(handle);
}

static cudaError_t list_dependencies(cudaGraphNode_t handle, cudaGraphNode_t *to,
				     cudaGraphEdgeData *data, size_t *n)
{
	struct list list;
	const struct graph_node *node = begin_edges(handle, to, data, n, &list);
	if (!node)
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < node->n_after; i++)
		put_edge(&list, node->after[i], &node->edges[i]);
	return finish(&list, n);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *to,
					 cudaGraphEdgeData *data, size_t *n)
{
	API_BEGIN_CONTEXT;
	LOCKED(list_dependencies(node, to, data, n));
}

static cudaError_t list_dependents(cudaGraphNode_t handle, cudaGraphNode_t *to,
				   cudaGraphEdgeData *data, size_t *n)
{
	struct list list;
	const struct graph_node *node = begin_edges(handle, to, data, n, &list);
	if (!node)
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < node->graph->n; i++) {
		struct graph_node *other = node->graph->nodes[i];
		for (size_t j = 0; j < other->n_after; j++)
			if (other->after[j] == node)
				put_edge(&list, other, &other->edges[j]);
	}
	return finish(&list, n);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *to,
					   cudaGraphEdgeData *data, size_t *n)
{
	API_BEGIN_CONTEXT;
	LOCKED(list_dependents(node, to, data, n));
}

static cudaError_t list_edges(cudaGraph_t handle, cudaGraphNode_t *from, cudaGraphNode_t *to,
			      cudaGraphEdgeData *data, size_t *n)
{
	struct graph *graph = graph_find(handle);
	if (!graph || !n || !from != !to || (data && !from))
		return cudaErrorInvalidValue;
	struct list starts = {.to = from, .room = *n, .data = data};
	struct list ends = {.to = to, .room = *n};
	for (size_t i = 0; i < graph->n; i++) {
		struct graph_node *node = graph->nodes[i];
		for (size_t j = 0; j < node->n_after; j++) {
			put_edge(&starts, node->after[j], &node->edges[j]);
			put(&ends, node);
		}
	}
	/* Both have as many. */
	size_t again = *n;
	cudaError_t error = finish(&starts, &again);
	finish(&ends, n);
	return error;
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
			      cudaGraphEdgeData *data, size_t *n)
{
	API_BEGIN_CONTEXT;
	LOCKED(list_edges(graph, from, to, data, n));
}

static cudaError_t type_of(cudaGraphNode_t handle, enum cudaGraphNodeType *ret)
{
	struct graph_node *node = graph_find_node(handle);
	if (!node || !ret)
		return cudaErrorInvalidValue;
	*ret = node->type;
	return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *ret)
{
	API_BEGIN_CONTEXT;
	LOCKED(type_of(node, ret));
}
