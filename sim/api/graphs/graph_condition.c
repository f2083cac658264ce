/* SPDX-License-Identifier: Apache-2.0 */
/* graph_condition.c - conditional nodes and their handles. */
#include "graph_condition.h"

#include <stdlib.h>

#include "api.h"
#include "graph_api.h"

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *ret, cudaGraph_t handle,
					     unsigned default_value, unsigned flags)
{
	API_BEGIN_CONTEXT;
	if (!ret || flags & ~(unsigned)cudaGraphCondAssignDefault)
		return API_END(cudaErrorInvalidValue);
	graph_lock();
	struct graph *graph = graph_find(handle);
	cudaError_t error = graph ? condition_new(graph, default_value, flags, ret)
				  : cudaErrorInvalidValue;
	graph_unlock();
	return API_END(error);
}

/* A handle is of the graph itself or of one that it is a body of. */
static bool claim(cudaGraphConditionalHandle handle, const struct graph *graph)
{
	for (; graph; graph = graph->parent ? graph->parent->graph : NULL)
		if (condition_claim(handle, graph))
			return true;
	return false;
}

static bool is_size(const struct cudaConditionalNodeParams *p)
{
	switch (p->type) {
	case cudaGraphCondTypeIf:
		return p->size == 1 || p->size == 2;
	case cudaGraphCondTypeWhile:
		return p->size == 1;
	case cudaGraphCondTypeSwitch:
		return p->size > 0;
	default:
		return false;
	}
}

/* Empty graphs that the program fills. */
static cudaError_t add_bodies(struct graph_node *node, unsigned n)
{
	node->bodies = calloc(n, sizeof *node->bodies);
	if (!node->bodies)
		return cudaErrorMemoryAllocation;
	for (; node->n_bodies < n; node->n_bodies++) {
		struct graph *body = graph_new();
		if (!body)
			return cudaErrorMemoryAllocation;
		body->parent = node;
		node->bodies[node->n_bodies] = body;
	}
	return cudaSuccess;
}

cudaError_t graph_add_conditional(const struct node_position *place,
				  struct cudaConditionalNodeParams *p)
{
	struct work work = {.kind = WORK_NOTHING};
	struct graph_node *node;
	struct graph *graph = graph_find(place->graph);
	if (!graph || !is_size(p) || !claim(p->handle, graph))
		return cudaErrorInvalidValue;
	cudaError_t error = graph_place(place, cudaGraphNodeTypeConditional, &work, &node);
	if (!error) {
		node->condition = p->handle;
		node->condition_type = p->type;
		error = add_bodies(node, p->size);
		if (error)
			graph_remove_node(node);
	}
	if (error)
		condition_unclaim(p->handle);
	else
		p->phGraph_out = (cudaGraph_t *)node->bodies;
	return error;
}
