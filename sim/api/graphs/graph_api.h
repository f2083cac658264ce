/* SPDX-License-Identifier: Apache-2.0 */
/* graph_api.h - what the files about graphs in this folder share. */
#ifndef CUDASIM_SIM_API_GRAPH_API_H
#define CUDASIM_SIM_API_GRAPH_API_H

#include "api.h"
#include "graph.h"

/* A call's end: the result of `expression`, for which the graphs' lock is held. */
#define LOCKED(expression)                                                                         \
	do {                                                                                       \
		graph_lock();                                                                      \
		cudaError_t locked_ = (expression);                                                \
		graph_unlock();                                                                    \
		return API_END(locked_);                                                           \
	} while (0)

/* All parameters in one piece of memory, each where the kernel has it, as
 * CU_LAUNCH_PARAM_BUFFER_POINTER says. args gets pointers to each: a kernel has no more than
 * bytes. cudaErrorInvalidValue, cudaErrorLaunchOutOfResources (a wrong size),
 * cudaErrorInvalidDeviceFunction. */
enum { MOST_PARAMETER_BYTES = 4096 };
cudaError_t launch_extra(const void *f, void **extra, void **args);

/* Where a node goes: what every cudaGraphAdd...Node() is given first. */
struct node_position {
	cudaGraphNode_t *ret;
	cudaGraph_t graph;
	const cudaGraphNode_t *after;
	size_t n_after;
};

/* Add a node there; takes the work over in any case. With graph_lock() held. */
cudaError_t graph_place(const struct node_position *place, enum cudaGraphNodeType type,
			struct work *work, struct graph_node **ret);
/* The node, or its copy in exec; NULL where it is none, or not of the type. With the lock. */
struct graph_node *graph_node_of(cudaGraphExec_t exec, cudaGraphNode_t handle,
				 enum cudaGraphNodeType type);
/* Edges from `after` to the new node get their data; cudaErrorInvalidValue for what CUDA does
 * not have. data may be NULL. */
cudaError_t graph_set_edges(cudaGraphNode_t node, const cudaGraphEdgeData *data, size_t n);

/* Can an executable graph's node do this in the place of that? Copies stay between the same
 * kinds of memory, sets of rows sets of rows. */
bool graph_update_allowed(const struct work *before, const struct work *after);

/* The graph becomes the child of a new node; its handle is good as long as the node is. With
 * graph_lock() held. cudaErrorInvalidValue where it is somebody's child, is executable or is
 * around the node. */
cudaError_t graph_move_child(const struct node_position *place, cudaGraph_t child);
/* cudaMallocAsync() in a stream that is being captured. */
cudaError_t graph_capture_alloc(struct stream *stream, struct device *device, size_t size,
				void **ret);
/* A conditional node; fills in p->phGraph_out. */
cudaError_t graph_add_conditional(const struct node_position *place,
				  struct cudaConditionalNodeParams *p);

#endif
