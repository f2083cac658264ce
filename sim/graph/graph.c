/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "graph.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "graph_attributes.h"
#include "graph_condition.h"
#include "graph_memory.h"
#include "graph_object.h"
#include "hash.h"
#include "observer.h"

/* Recursive: freeing a node may free an event that was captured. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct hash graphs, nodes; /* handles that the program may use */

void graph_lock(void)
{
	pthread_mutex_lock(&lock);
}

void graph_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

struct graph *graph_find(cudaGraph_t handle)
{
	struct graph *graph = hash_get(&graphs, handle);
	if (!graph)
		observe_handle_of(CUDASIM_HANDLE_GRAPH, (uintptr_t)handle, false);
	return graph;
}

struct graph_node *graph_find_node(cudaGraphNode_t handle)
{
	return hash_get(&nodes, handle);
}

/* ---- nodes --------------------------------------------------------------------- */

static void node_free(struct graph_node *node)
{
	hash_remove(&nodes, node);
	work_fini(&node->work);
	event_unref(node->event);
	graph_free(node->child);
	for (unsigned i = 0; i < node->n_bodies; i++)
		graph_free(node->bodies[i]);
	free(node->bodies);
	graph_memory_unref(node->memory);
	free(node->attributes);
	free(node->after);
	free(node->edges);
	free(node->arguments);
	free(node);
}

static bool append_node(struct graph *graph, struct graph_node *node)
{
	struct graph_node **list = realloc(graph->nodes, (graph->n + 1) * sizeof *list);
	if (!list)
		return false;
	graph->nodes = list;
	if (!hash_put(&nodes, node, node))
		return false;
	node->graph = graph;
	node->index = graph->n;
	list[graph->n++] = node;
	return true;
}

bool graph_edge_is_plain(const cudaGraphEdgeData *data)
{
	static const cudaGraphEdgeData plain;
	return !data || !memcmp(data, &plain, sizeof plain);
}

cudaError_t graph_depend(struct graph_node *node, struct graph_node *on,
			 const cudaGraphEdgeData *data)
{
	for (size_t i = 0; i < node->n_after; i++)
		if (node->after[i] == on)
			return cudaErrorInvalidValue;
	struct graph_node **list = realloc(node->after, (node->n_after + 1) * sizeof *list);
	if (list)
		node->after = list;
	cudaGraphEdgeData *edges = realloc(node->edges, (node->n_after + 1) * sizeof *edges);
	if (edges)
		node->edges = edges;
	if (!list || !edges)
		return cudaErrorMemoryAllocation;
	edges[node->n_after] = data ? *data : (cudaGraphEdgeData){0};
	list[node->n_after++] = on;
	return cudaSuccess;
}

cudaError_t graph_add(struct graph *graph, enum cudaGraphNodeType type, struct work *work,
		      const cudaGraphNode_t *after, size_t n_after, struct graph_node **ret)
{
	struct graph_node *node = calloc(1, sizeof *node);
	cudaError_t error = cudaSuccess;
	if (!node) {
		work_fini(work);
		return cudaErrorMemoryAllocation;
	}
	node->type = type;
	node->work = *work;
	for (size_t i = 0; i < n_after && !error; i++) {
		struct graph_node *on = graph_find_node(after[i]);
		error = on && on->graph == graph ? graph_depend(node, on, NULL)
						 : cudaErrorInvalidValue;
	}
	if (!error && !append_node(graph, node))
		error = cudaErrorMemoryAllocation;
	if (error) {
		node_free(node);
		return error;
	}
	*ret = node;
	return cudaSuccess;
}

void graph_remove_node(struct graph_node *node)
{
	struct graph *graph = node->graph;
	size_t kept = 0;
	for (size_t i = 0; i < graph->n; i++) {
		struct graph_node *other = graph->nodes[i];
		size_t n = 0;
		for (size_t j = 0; j < other->n_after; j++) {
			if (other->after[j] == node)
				continue;
			other->edges[n] = other->edges[j];
			other->after[n++] = other->after[j];
		}
		other->n_after = n;
		if (other == node)
			continue;
		other->index = kept;
		graph->nodes[kept++] = other;
	}
	graph->n = kept;
	node_free(node);
}

/* ---- graphs -------------------------------------------------------------------- */

struct graph *graph_new(void)
{
	struct graph *graph = calloc(1, sizeof *graph);
	if (graph && !hash_put(&graphs, graph, graph)) {
		free(graph);
		return NULL;
	}
	if (graph)
		graph->refs = 1;
	return graph;
}

struct graph *graph_ref(struct graph *graph)
{
	graph->refs++;
	return graph;
}

void graph_unref(struct graph *graph)
{
	if (!graph || --graph->refs)
		return;
	for (size_t i = 0; i < graph->n; i++)
		node_free(graph->nodes[i]);
	objects_release_all(graph);
	free(graph->nodes);
	free(graph);
}

void graph_free(struct graph *graph)
{
	if (!graph)
		return;
	hash_remove(&graphs, graph);
	graph->parent = NULL;
	/* Its nodes can no longer be named. */
	for (size_t i = 0; i < graph->n; i++)
		hash_remove(&nodes, graph->nodes[i]);
	graph_unref(graph);
}

bool graph_has(const struct graph *graph, enum cudaGraphNodeType type)
{
	for (size_t i = 0; i < graph->n; i++) {
		const struct graph_node *node = graph->nodes[i];
		if (node->type == type || (node->child && graph_has(node->child, type)))
			return true;
		for (unsigned j = 0; j < node->n_bodies; j++)
			if (graph_has(node->bodies[j], type))
				return true;
	}
	return false;
}

bool graph_is_one(const struct graph *graph)
{
	return graph_has(graph, cudaGraphNodeTypeMemAlloc) ||
	       graph_has(graph, cudaGraphNodeTypeMemFree) ||
	       graph_has(graph, cudaGraphNodeTypeConditional);
}

static cudaError_t copy_bodies(const struct graph_node *node, struct graph_node *copy)
{
	copy->condition = node->condition;
	copy->condition_type = node->condition_type;
	copy->bodies = node->n_bodies ? calloc(node->n_bodies, sizeof *copy->bodies) : NULL;
	cudaError_t error = !node->n_bodies || copy->bodies ? cudaSuccess
							    : cudaErrorMemoryAllocation;
	for (unsigned i = 0; i < node->n_bodies && !error; i++) {
		error = graph_copy(node->bodies[i], &copy->bodies[i]);
		if (error)
			break;
		copy->bodies[i]->parent = copy;
		copy->n_bodies++;
	}
	return error;
}

/* order[i] is where the copy of node i stands in `to`. */
static cudaError_t copy_node(const struct graph_node *node, struct graph *to, const size_t *order)
{
	struct graph_node *copy = calloc(1, sizeof *copy);
	if (!copy)
		return cudaErrorMemoryAllocation;
	copy->type = node->type;
	copy->stub = node->stub;
	copy->disabled = node->disabled;
	copy->origin = node;
	cudaError_t error = cudaSuccess;
	if (!work_copy(&node->work, &copy->work)) {
		copy->work = (struct work){.kind = WORK_NOTHING};
		error = cudaErrorMemoryAllocation;
	}
	if (node->event)
		copy->event = event_ref(node->event);
	if (node->memory)
		copy->memory = graph_memory_ref(node->memory);
	if (!error && node->attributes && !(copy->attributes = attributes_copy(node->attributes)))
		error = cudaErrorMemoryAllocation;
	if (!error && node->child)
		error = graph_copy(node->child, &copy->child);
	if (copy->child)
		copy->child->parent = copy;
	if (!error)
		error = copy_bodies(node, copy);
	for (size_t i = 0; i < node->n_after && !error; i++)
		error = graph_depend(copy, to->nodes[order[node->after[i]->index]],
				     &node->edges[i]);
	if (!error && !append_node(to, copy))
		error = cudaErrorMemoryAllocation;
	if (error)
		node_free(copy);
	return error;
}

/* Nodes may depend on later ones, so copies come in topological order: as long as
 * there is a node all of whose dependencies have been copied. order[] is then the
 * index of each node in the copy. */
static cudaError_t copy_sorted(const struct graph *graph, struct graph *copy, size_t *order)
{
	for (size_t i = 0; i < graph->n; i++)
		order[i] = SIZE_MAX;
	while (copy->n < graph->n) {
		size_t before = copy->n;
		for (size_t i = 0; i < graph->n; i++) {
			struct graph_node *node = graph->nodes[i];
			bool ready = order[i] == SIZE_MAX;
			for (size_t j = 0; j < node->n_after && ready; j++)
				ready = order[node->after[j]->index] != SIZE_MAX;
			if (!ready)
				continue;
			cudaError_t error = copy_node(node, copy, order);
			if (error)
				return error;
			order[i] = copy->n - 1;
		}
		if (copy->n == before)
			return cudaErrorInvalidValue; /* a cycle */
	}
	return cudaSuccess;
}

cudaError_t graph_copy(const struct graph *graph, struct graph **ret)
{
	struct graph *copy = graph_new();
	size_t *order = calloc(graph->n + 1, sizeof *order);
	cudaError_t error = copy && order ? copy_sorted(graph, copy, order)
					  : cudaErrorMemoryAllocation;
	if (!error)
		error = objects_copy(graph, copy);
	free(order);
	if (error)
		graph_free(copy);
	else
		*ret = copy;
	return error;
}
