/* SPDX-License-Identifier: Apache-2.0 */
/* graph_exec.c - executable graphs, and how they are launched. */
#include <stdlib.h>
#include <string.h>

#include "copy.h"
#include "graph.h"
#include "graph_condition.h"
#include "graph_memory.h"
#include "hash.h"
#include "observer.h"

static struct hash execs; /* handles that the program may use; under graph_lock() */

struct graph_exec *graph_find_exec(cudaGraphExec_t handle)
{
	struct graph_exec *exec = hash_get(&execs, handle);
	if (!exec)
		observe_handle_of(CUDASIM_HANDLE_GRAPH_EXEC, (uintptr_t)handle, false);
	return exec;
}

/* Bodies of conditional nodes hold what needs no host. */
static bool bodies_are_allowed(const struct graph *graph, bool in_body)
{
	for (size_t i = 0; i < graph->n; i++) {
		const struct graph_node *node = graph->nodes[i];
		switch (node->type) {
		case cudaGraphNodeTypeHost:
		case cudaGraphNodeTypeWaitEvent:
		case cudaGraphNodeTypeEventRecord:
		case cudaGraphNodeTypeMemAlloc:
		case cudaGraphNodeTypeMemFree:
			if (in_body)
				return false;
			break;
		default:
			break;
		}
		if (node->child && !bodies_are_allowed(node->child, in_body))
			return false;
		for (unsigned j = 0; j < node->n_bodies; j++)
			if (!bodies_are_allowed(node->bodies[j], true))
				return false;
	}
	return true;
}

cudaError_t exec_new(struct graph *graph, unsigned long long flags, struct graph_exec **ret)
{
	bool is_one = graph_is_one(graph);
	if (is_one && graph->exec)
		return cudaErrorNotSupported;
	if (!bodies_are_allowed(graph, false))
		return cudaErrorInvalidValue;
	struct graph_exec *exec = calloc(1, sizeof *exec);
	if (!exec)
		return cudaErrorMemoryAllocation;
	exec->flags = flags;
	cudaError_t error = graph_copy(graph, &exec->graph);
	if (!error && !hash_put(&execs, exec, exec)) {
		graph_free(exec->graph);
		error = cudaErrorMemoryAllocation;
	}
	if (error) {
		free(exec);
		return error;
	}
	exec->of = graph_ref(graph);
	if (is_one)
		graph->exec = exec;
	*ret = exec;
	return cudaSuccess;
}

void exec_free(struct graph_exec *exec)
{
	hash_remove(&execs, exec);
	if (exec->of->exec == exec)
		exec->of->exec = NULL;
	graph_unref(exec->of);
	graph_free(exec->graph);
	operation_unref(exec->last);
	free(exec);
}

static struct graph_node *copy_in(struct graph *graph, const struct graph_node *of)
{
	for (size_t i = 0; i < graph->n; i++) {
		struct graph_node *node = graph->nodes[i], *inner = NULL;
		if (node->origin == of)
			return node;
		if (node->child)
			inner = copy_in(node->child, of);
		for (unsigned j = 0; j < node->n_bodies && !inner; j++)
			inner = copy_in(node->bodies[j], of);
		if (inner)
			return inner;
	}
	return NULL;
}

struct graph_node *exec_node(struct graph_exec *exec, const struct graph_node *of)
{
	return copy_in(exec->graph, of);
}

/* Operations of one launch: first[i] is where node i begins, last[i] where it ends
 * (a child graph has many in between). References. */
struct launching {
	struct operation **first, **last;
	bool *is_waited_for; /* by another node */
	struct operation *copied; /* what waits for copies to pageable memory, or NULL */
};

static struct operation *new_nothing(struct device *device)
{
	struct work work = {.kind = WORK_NOTHING, .device = device};
	return operation_new(&work);
}

static void announce(enum cudasim_order_kind kind, const struct stream *stream,
		     const struct operation *operation, const struct operation *after)
{
	struct cudasim_order_event event = {
		.kind = kind,
		.device = stream->device->ordinal,
		.stream = stream->legacy ? 0 : stream->id,
		.id = operation ? operation->id : 0,
		.after = after ? after->id : 0,
	};
	observe_order(&event);
}

/* The node's first operation, before a launch asks for its place. */
static void announce_first(const struct graph_node *node, struct stream *stream,
			   const struct operation *operation, const struct operation *start,
			   const struct launching *l)
{
	announce(CUDASIM_ORDER_NODE_AFTER, stream, NULL, start);
	for (size_t i = 0; i < node->n_after; i++)
		announce(CUDASIM_ORDER_NODE_AFTER, stream, NULL, l->last[node->after[i]->index]);
	announce(CUDASIM_ORDER_NODE, stream, operation, NULL);
}

static struct operation *new_node_operation(const struct graph_node *node, struct stream *stream,
					    const struct operation *start,
					    const struct launching *l)
{
	struct work work;
	if (node->disabled || node->child || node->n_bodies) {
		struct operation *nothing = new_nothing(stream->device);
		if (nothing)
			announce_first(node, stream, nothing, start, l);
		return nothing;
	}
	if (!work_copy(&node->work, &work))
		return NULL;
	if (!work.device)
		work.device = stream->device;
	struct operation *operation = operation_new(&work);
	if (operation)
		announce_first(node, stream, operation, start, l);
	else
		work_fini(&work);
	/* Whatever stream they were captured from. */
	if (operation && work.kind == WORK_COPY)
		operation->work.copy.what.stream = stream->legacy ? 0 : stream->id;
	if (operation && work.kind == WORK_COPY)
		operation->work.copy.what.part_of = condition_running();
	if (operation && work.kind == WORK_LAUNCH)
		work_launch_prepare(operation, stream->id);
	return operation;
}

static bool copies_to_pageable(const struct graph_node *node)
{
	return !node->disabled && node->work.kind == WORK_COPY && copy_waits(&node->work.copy.what);
}

static bool has_copies_to_pageable(const struct graph *graph)
{
	for (size_t i = 0; i < graph->n; i++) {
		const struct graph_node *node = graph->nodes[i];
		if (copies_to_pageable(node) ||
		    (node->child && has_copies_to_pageable(node->child)))
			return true;
	}
	return false;
}

/* Make the node's operations and let them wait for what the node depends on. */
static cudaError_t launch_node(const struct graph_node *node, struct stream *stream,
			       struct operation *start, struct launching *l)
{
	const bool is_condition = node->n_bodies && !node->disabled;
	struct operation *first = is_condition ? NULL : new_node_operation(node, stream, start, l);
	struct operation *last = first;
	if (is_condition || (first && node->child))
		last = new_nothing(stream->device);
	if (is_condition && last)
		first = condition_operation(node, stream, last);
	if (is_condition && first)
		announce_first(node, stream, first, start, l);
	if (is_condition && first) {
		announce(CUDASIM_ORDER_NODE_AFTER, stream, NULL, first);
		announce(CUDASIM_ORDER_NODE, stream, last, NULL);
	}
	if (!first || !last) {
		operation_unref(first);
		if (last != first)
			operation_unref(last);
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
	if (l->copied && copies_to_pageable(node))
		operation_after(l->copied, last);
	operation_unlock();
	operation_unref(event);
	if (node->work.kind == WORK_RECORD)
		event_set(node->work.event, first);
	return cudaSuccess;
}

cudaError_t graph_start(const struct graph *graph, struct stream *stream, struct operation *start,
			struct operation *end, struct operation *copied)
{
	size_t n = graph->n;
	struct launching l = {
		calloc(n + 1, sizeof *l.first),
		calloc(n + 1, sizeof *l.last),
		calloc(n + 1, sizeof *l.is_waited_for),
		copied,
	};
	cudaError_t error = l.first && l.last && l.is_waited_for ? cudaSuccess
								 : cudaErrorMemoryAllocation;
	/* Children between their begin and end: before what comes after them, so that tools
	 * hear of it in order. Then the ends of the graph. */
	for (size_t i = 0; i < n && !error; i++) {
		const struct graph *child = graph->nodes[i]->child;
		error = launch_node(graph->nodes[i], stream, start, &l);
		if (!error && child && l.first[i] != l.last[i])
			error = graph_start(child, stream, l.first[i], l.last[i], copied);
	}
	for (size_t i = 0; i < n && !error; i++)
		if (!l.is_waited_for[i])
			announce(CUDASIM_ORDER_NODE_AFTER, stream, NULL, l.last[i]);
	announce(CUDASIM_ORDER_NODE_AFTER, stream, NULL, start);
	announce(CUDASIM_ORDER_NODE, stream, end, NULL);
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

/* What a launch begins with: conditions that every launch sets anew get their values. */
static void reset_conditions(const struct graph *graph)
{
	for (size_t i = 0; i < graph->n; i++) {
		const struct graph_node *node = graph->nodes[i];
		if (node->n_bodies)
			condition_begin(node->condition);
		if (node->child)
			reset_conditions(node->child);
		for (unsigned j = 0; j < node->n_bodies; j++)
			reset_conditions(node->bodies[j]);
	}
}

static void run_begin(struct operation *operation, void *graph)
{
	(void)operation;
	graph_lock();
	reset_conditions(graph);
	graph_unlock();
}

static void ref_graph(void *graph)
{
	graph_lock();
	graph_ref(graph);
	graph_unlock();
}

static void unref_graph(void *graph)
{
	graph_lock();
	graph_unref(graph);
	graph_unlock();
}

/* A begin and an end in the stream, the nodes between them. One executable graph
 * never runs twice at once, so the begin waits for the last launch's end. The call waits for
 * copies to pageable memory, and for nothing else, as on an H200. */
cudaError_t exec_launch(struct graph_exec *exec, struct stream *stream, struct operation **copied)
{
	static const struct step begin = {run_begin, ref_graph, unref_graph, false};
	struct work nothing = {.kind = WORK_NOTHING, .device = stream->device};
	struct work first = {.kind = WORK_STEP,
			     .device = stream->device,
			     .step = {&begin, graph_ref(exec->graph)}};
	*copied = NULL;
	cudaError_t error = graph_memory_launch(exec, stream);
	struct operation *start, *inner = error ? NULL : new_nothing(stream->device);
	if (!inner) {
		graph_unref(exec->graph);
		return error ? error : cudaErrorMemoryAllocation;
	}
	announce(CUDASIM_ORDER_STREAM_AFTER, stream, NULL, exec->last);
	error = stream_submit(stream, &first, exec->last, &start);
	if (error) {
		operation_submit(inner);
		operation_unref(inner);
		return error;
	}
	*copied = has_copies_to_pageable(exec->graph) ? new_nothing(stream->device) : NULL;
	operation_lock();
	operation_after(inner, start);
	operation_unlock();
	error = graph_start(exec->graph, stream, start, inner, *copied);
	operation_submit(inner);
	if (*copied)
		operation_submit(*copied);
	operation_unref(exec->last);
	exec->last = NULL;
	announce(CUDASIM_ORDER_STREAM_AFTER, stream, NULL, inner);
	cudaError_t second = stream_submit(stream, &nothing, inner, &exec->last);
	operation_unref(inner);
	operation_unref(start);
	return error ? error : second;
}
