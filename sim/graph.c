/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "graph.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"

/* Recursive: freeing a node may free an event that was captured. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct hash graphs, nodes, execs; /* handles that the program may use */

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
	return hash_get(&graphs, handle);
}

struct graph_node *graph_find_node(cudaGraphNode_t handle)
{
	return hash_get(&nodes, handle);
}

struct graph_exec *graph_find_exec(cudaGraphExec_t handle)
{
	return hash_get(&execs, handle);
}

/* ---- nodes --------------------------------------------------------------------- */

static void node_free(struct graph_node *node)
{
	hash_remove(&nodes, node);
	work_fini(&node->work);
	event_unref(node->event);
	graph_free(node->child);
	free(node->after);
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

cudaError_t graph_depend(struct graph_node *node, struct graph_node *on)
{
	for (size_t i = 0; i < node->n_after; i++)
		if (node->after[i] == on)
			return cudaErrorInvalidValue;
	struct graph_node **list = realloc(node->after, (node->n_after + 1) * sizeof *list);
	if (!list)
		return cudaErrorMemoryAllocation;
	node->after = list;
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
		error = on && on->graph == graph ? graph_depend(node, on)
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
		for (size_t j = 0; j < other->n_after; j++)
			if (other->after[j] != node)
				other->after[n++] = other->after[j];
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
	return graph;
}

void graph_free(struct graph *graph)
{
	if (!graph)
		return;
	hash_remove(&graphs, graph);
	for (size_t i = 0; i < graph->n; i++)
		node_free(graph->nodes[i]);
	free(graph->nodes);
	free(graph);
}

/* order[i] is where the copy of node i stands in `to`. */
static cudaError_t copy_node(const struct graph_node *node, struct graph *to,
			     const size_t *order)
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
	if (!error && node->child)
		error = graph_copy(node->child, &copy->child);
	for (size_t i = 0; i < node->n_after && !error; i++)
		error = graph_depend(copy, to->nodes[order[node->after[i]->index]]);
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
	free(order);
	if (error)
		graph_free(copy);
	else
		*ret = copy;
	return error;
}

/* ---- executable graphs ---------------------------------------------------------- */

cudaError_t exec_new(const struct graph *graph, unsigned long long flags,
		     struct graph_exec **ret)
{
	struct graph_exec *exec = calloc(1, sizeof *exec);
	if (!exec)
		return cudaErrorMemoryAllocation;
	exec->flags = flags;
	cudaError_t error = graph_copy(graph, &exec->graph);
	if (!error && !hash_put(&execs, exec, exec)) {
		graph_free(exec->graph);
		error = cudaErrorMemoryAllocation;
	}
	if (error)
		free(exec);
	else
		*ret = exec;
	return error;
}

void exec_free(struct graph_exec *exec)
{
	hash_remove(&execs, exec);
	graph_free(exec->graph);
	operation_unref(exec->last);
	free(exec);
}

struct graph_node *exec_node(struct graph_exec *exec, const struct graph_node *of)
{
	for (size_t i = 0; i < exec->graph->n; i++)
		if (exec->graph->nodes[i]->origin == of)
			return exec->graph->nodes[i];
	return NULL;
}

/* Operations of one launch: first[i] is where node i begins, last[i] where it ends
 * (a child graph has many in between). References. */
struct launching {
	struct operation **first, **last;
	bool *is_waited_for; /* by another node */
};

static struct operation *new_nothing(struct device *device)
{
	struct work work = {.kind = WORK_NOTHING, .device = device};
	return operation_new(&work);
}

static struct operation *new_node_operation(const struct graph_node *node,
					    struct stream *stream)
{
	struct work work;
	if (node->disabled || node->child)
		return new_nothing(stream->device);
	if (!work_copy(&node->work, &work))
		return NULL;
	if (!work.device)
		work.device = stream->device;
	struct operation *operation = operation_new(&work);
	if (!operation)
		work_fini(&work);
	else if (work.kind == WORK_LAUNCH)
		work_launch_prepare(operation, stream->id);
	return operation;
}

/* Make the node's operations and let them wait for what the node depends on. */
static cudaError_t launch_node(const struct graph_node *node, struct stream *stream,
			       struct operation *start, struct launching *l)
{
	struct operation *first = new_node_operation(node, stream);
	struct operation *last = first && node->child ? new_nothing(stream->device) : first;
	if (!first || !last) {
		operation_unref(first);
		return cudaErrorMemoryAllocation;
	}
	l->first[node->index] = first;
	l->last[node->index] = last == first ? operation_ref(last) : last;
	struct operation *event = node->event ? event_get(node->event) : NULL;
	operation_lock();
	operation_after(first, start);
	operation_after(first, event);
	if (last != first)
		operation_after(last, first);
	for (size_t i = 0; i < node->n_after; i++) {
		operation_after(first, l->last[node->after[i]->index]);
		l->is_waited_for[node->after[i]->index] = true;
	}
	operation_unlock();
	operation_unref(event);
	if (node->work.kind == WORK_RECORD)
		event_set(node->work.event, first);
	return cudaSuccess;
}

static cudaError_t launch_nodes(const struct graph *graph, struct stream *stream,
				struct operation *start, struct operation *end)
{
	size_t n = graph->n;
	struct launching l = {
		calloc(n + 1, sizeof *l.first), calloc(n + 1, sizeof *l.last),
		calloc(n + 1, sizeof *l.is_waited_for),
	};
	cudaError_t error = l.first && l.last && l.is_waited_for ? cudaSuccess
								 : cudaErrorMemoryAllocation;
	for (size_t i = 0; i < n && !error; i++)
		error = launch_node(graph->nodes[i], stream, start, &l);
	/* Children between their begin and end; then the ends of the graph. */
	for (size_t i = 0; i < n && !error; i++)
		if (graph->nodes[i]->child)
			error = launch_nodes(graph->nodes[i]->child, stream, l.first[i],
					     l.last[i]);
	operation_lock();
	for (size_t i = 0; i < n && !error; i++)
		if (!l.is_waited_for[i])
			operation_after(end, l.last[i]);
	operation_unlock();
	/* What was made has to be submitted even after an error, or it would never
	 * end; memory is out then, and the program is told. */
	for (size_t i = 0; l.first && i < n; i++) {
		if (!l.first[i])
			continue;
		operation_submit(l.first[i]);
		if (l.last[i] != l.first[i])
			operation_submit(l.last[i]);
		operation_unref(l.first[i]);
		operation_unref(l.last[i]);
	}
	free(l.first);
	free(l.last);
	free(l.is_waited_for);
	return error;
}

/* A begin and an end in the stream, the nodes between them. One executable graph
 * never runs twice at once, so the begin waits for the last launch's end. */
cudaError_t exec_launch(struct graph_exec *exec, struct stream *stream)
{
	struct operation *start, *inner = new_nothing(stream->device);
	struct work nothing = {.kind = WORK_NOTHING, .device = stream->device};
	if (!inner)
		return cudaErrorMemoryAllocation;
	cudaError_t error = stream_submit(stream, &nothing, exec->last, &start);
	if (error) {
		operation_submit(inner);
		operation_unref(inner);
		return error;
	}
	operation_lock();
	operation_after(inner, start);
	operation_unlock();
	error = launch_nodes(exec->graph, stream, start, inner);
	operation_submit(inner);
	operation_unref(exec->last);
	exec->last = NULL;
	cudaError_t second = stream_submit(stream, &nothing, inner, &exec->last);
	operation_unref(inner);
	operation_unref(start);
	return error ? error : second;
}
