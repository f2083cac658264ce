/* SPDX-License-Identifier: Apache-2.0 */
/* graph.h - graphs of work: captured from streams or built node by node, made
 * executable, and launched as often as one likes.
 *
 * A node holds a work; a graph owns its nodes. An executable graph is a copy of
 * a graph in topological order. Launching it makes one operation of each node.
 * Everything here is under one lock of graph.c, and safe from any host thread. */
#ifndef CUDASIM_SIM_GRAPH_H
#define CUDASIM_SIM_GRAPH_H

#include <driver_types.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "event.h"
#include "operation.h"
#include "stream.h"

struct graph_memory;    /* graph_memory.h */
struct graph_attributes; /* graph_attributes.c */

struct graph_node {
	struct graph *graph;
	enum cudaGraphNodeType type;
	struct work work;          /* WORK_NOTHING for empty, wait, child and conditional nodes */
	struct event *event;       /* cudaGraphNodeTypeWaitEvent: a reference */
	struct graph *child;       /* cudaGraphNodeTypeGraph: owned */
	struct graph_memory *memory; /* cudaGraphNodeTypeMemAlloc: a reference */
	/* cudaGraphNodeTypeConditional: what chooses among the bodies, which are owned. */
	cudaGraphConditionalHandle condition;
	enum cudaGraphConditionalNodeType condition_type;
	struct graph **bodies;
	unsigned n_bodies;
	const void *stub;          /* cudaGraphNodeTypeKernel */
	struct graph_attributes
		*attributes; /* what cudaGraphKernelNodeSetAttribute() set, or NULL */
	void **arguments;          /* what cudaGraphKernelNodeGetParams() has told, or NULL */
	struct graph_node **after; /* the nodes it depends on */
	cudaGraphEdgeData *edges;  /* of each of them */
	size_t n_after;
	const struct graph_node *origin; /* in a copy: the node it is a copy of */
	size_t index;              /* its place among the graph's nodes */
	bool disabled;
	bool let_go; /* captured: cudaStreamUpdateCaptureDependencies() took it from what comes next */
};

struct graph {
	struct graph_node **nodes; /* in order of creation */
	size_t n;
	unsigned refs; /* the handle's, captures' into it, launches' of it */
	struct graph_node *parent; /* of a child graph or a body, or NULL */
	bool moved; /* a child that was a graph of its own */
	struct graph_exec *exec; /* made of it, where graph_is_one() */
	struct user_reference *objects; /* graph_object.c's */
};

struct graph_exec {
	struct graph *graph; /* nodes in topological order */
	struct graph *of; /* the graph it was made of: a reference */
	struct operation *last; /* the end of the last launch, or NULL */
	unsigned long long flags;
};

/* The lock; graph_new() to exec_launch() are called with it held. */
void graph_lock(void);
void graph_unlock(void);

struct graph *graph_new(void);
/* The handle goes; the graph does when nobody uses it any more. NULL is fine. */
void graph_free(struct graph *graph);
struct graph *graph_ref(struct graph *graph);
void graph_unref(struct graph *graph);
/* Handles: NULL where it is none (any more). */
struct graph *graph_find(cudaGraph_t handle);
struct graph_node *graph_find_node(cudaGraphNode_t handle);
struct graph_exec *graph_find_exec(cudaGraphExec_t handle);

/* A node that takes the work over, in any case. cudaErrorInvalidValue where one of
 * the nodes it is to come after is not of this graph. */
cudaError_t graph_add(struct graph *graph, enum cudaGraphNodeType type, struct work *work,
		      const cudaGraphNode_t *after, size_t n_after, struct graph_node **ret);
/* data may be NULL. cudaErrorInvalidValue where the edge is there. */
cudaError_t graph_depend(struct graph_node *node, struct graph_node *on,
			 const cudaGraphEdgeData *data);
bool graph_edge_is_plain(const cudaGraphEdgeData *data);
void graph_remove_node(struct graph_node *node);
/* Is there a node of the type, in child graphs and bodies too? */
bool graph_has(const struct graph *graph, enum cudaGraphNodeType type);
/* Memory and conditions are a graph's own: it cannot be cloned, nor be executable twice at a
 * time. */
bool graph_is_one(const struct graph *graph);
/* *ret gets a copy; nodes remember whose copies they are. cudaErrorInvalidValue where the
 * graph has a cycle. */
cudaError_t graph_copy(const struct graph *graph, struct graph **ret);

/* cudaErrorInvalidValue where the graph has a cycle, cudaErrorNotSupported where
 * graph_is_one() and it is executable already. */
cudaError_t exec_new(struct graph *graph, unsigned long long flags, struct graph_exec **ret);
void exec_free(struct graph_exec *exec);
/* The node of exec that stands for a node of the graph it was made of, or NULL. */
struct graph_node *exec_node(struct graph_exec *exec, const struct graph_node *of);
/* cudaErrorInvalidValue where memory of an earlier launch has not been freed. *copied gets
 * what the call has to wait for without the lock: copies to pageable host memory; or NULL. */
cudaError_t exec_launch(struct graph_exec *exec, struct stream *stream, struct operation **copied);
/* Make and submit the operations of a graph's nodes: each waits for start, and end, which
 * has not been submitted or waits for start, for all of them. copied, not submitted either
 * or NULL, waits for those that copy to pageable host memory. */
cudaError_t graph_start(const struct graph *graph, struct stream *stream, struct operation *start,
			struct operation *end, struct operation *copied);

/* ---- capture: without the lock ------------------------------------------------ */

static inline bool stream_capturing(const struct stream *stream)
{
	return atomic_load(&((struct stream *)(uintptr_t)stream)->capture);
}
static inline bool event_captured(const struct event *event)
{
	return atomic_load(&((struct event *)(uintptr_t)event)->capture);
}

cudaError_t capture_begin(struct stream *stream, enum cudaStreamCaptureMode mode);
/* As above, into a graph that is there, after these nodes of it. */
cudaError_t capture_begin_into(struct stream *stream, cudaGraph_t graph,
			       const cudaGraphNode_t *after, const cudaGraphEdgeData *edges,
			       size_t n, enum cudaStreamCaptureMode mode);
/* *ret is the graph, or NULL with the error. */
cudaError_t capture_end(struct stream *stream, struct graph **ret);
enum cudaStreamCaptureStatus capture_status(struct stream *stream, unsigned long long *id);
/* What is known of a stream's capture. The lists live until the next call for the stream. */
struct capture_view {
	enum cudaStreamCaptureStatus status;
	unsigned long long id;
	cudaGraph_t graph;
	const cudaGraphNode_t *after;
	const cudaGraphEdgeData *edges;
	size_t n;
};
void capture_look(struct stream *stream, struct capture_view *ret);
/* Replace, or add to, what the stream's next node comes after. cudaErrorIllegalState where the
 * stream is not being captured, cudaErrorInvalidValue where a node is not of that graph. */
cudaError_t capture_set_after(struct stream *stream, const cudaGraphNode_t *after,
			      const cudaGraphEdgeData *edges, size_t n, unsigned flags);

/* Work for a stream that is being captured becomes a node. Takes the work over. */
cudaError_t capture_add(struct stream *stream, struct work *work);
/* As above; `fill`, if not NULL, completes the node under the graphs' lock. */
cudaError_t capture_add_node(struct stream *stream, enum cudaGraphNodeType type, struct work *work,
			     cudaError_t (*fill)(struct graph_node *node, void *arg), void *arg);
/* A call that cannot be captured ends the capture. Takes the work, if any, over.
 * Returns cudaErrorStreamCaptureUnsupported. */
cudaError_t capture_break(struct stream *stream, struct work *work);
/* What a capture forbids to calls that are not part of it; each ends the captures
 * concerned and returns the error, or cudaSuccess where none is.
 *   capture_check_unsafe()  calls that may wait or allocate: captures begun in
 *                           another mode than relaxed, by the rules of
 *                           cudaThreadExchangeStreamCaptureMode
 *   capture_check_device()  waiting for the whole device: all its captures
 *   capture_check_legacy()  use of the stream, if it is a legacy default stream:
 *                           captures in blocking streams of its device
 *   capture_check_event()   asking for a captured event: its capture */
cudaError_t capture_check_unsafe(void);
cudaError_t capture_check_device(const struct device *device);
cudaError_t capture_check_legacy(const struct stream *stream);
cudaError_t capture_check_event(struct event *event);
/* The calling thread's mode; returns the one before. */
enum cudaStreamCaptureMode capture_thread_mode(enum cudaStreamCaptureMode mode);

/* A captured stream is to wait for what is not captured. */
cudaError_t capture_isolated(struct stream *stream);
/* cudaEventRecord and cudaStreamWaitEvent among captured streams. */
cudaError_t capture_record(struct stream *stream, struct event *event);
cudaError_t capture_wait(struct stream *stream, struct event *event);
/* The stream goes away; the event is recorded anew or goes away. */
void capture_drop(struct stream *stream);
void capture_forget(struct event *event);

#endif
