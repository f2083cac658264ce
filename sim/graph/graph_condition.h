/* SPDX-License-Identifier: Apache-2.0 */
/* graph_condition.h - conditional nodes of graphs: values that kernels set, and the bodies
 * that they choose.
 *
 * A conditional node is an operation that, when its turn comes, reads the value, makes the
 * operations of the body that it chooses and lets the node's end wait for them; a loop's body is
 * followed by another such operation. The operations so made wait for one that is not done, so
 * the order stays without cycles (operation.h). */
#ifndef CUDASIM_SIM_GRAPH_CONDITION_H
#define CUDASIM_SIM_GRAPH_CONDITION_H

#include <driver_types.h>
#include <stdbool.h>
#include <stdint.h>

struct graph;
struct graph_node;
struct operation;
struct stream;

/* A value of its own; assign: every launch begins with the default. cudaErrorMemoryAllocation
 * where there are a million. The handle is never given twice. With graph_lock() held. */
cudaError_t condition_new(const struct graph *graph, unsigned default_value, bool assign,
			  cudaGraphConditionalHandle *ret);
/* Was it made for this graph, and has no node yet? Then it has one. With graph_lock() held. */
bool condition_claim(cudaGraphConditionalHandle handle, const struct graph *graph);
/* The node that had it was not made after all. */
void condition_unclaim(cudaGraphConditionalHandle handle);

/* Set it (device code). False where there is no such handle. */
bool condition_set(cudaGraphConditionalHandle handle, unsigned value);
/* A launch begins. */
void condition_begin(cudaGraphConditionalHandle handle);

/* While this pthread launches a body: the conditional node's operation as
 * CUDASIM_ORDER_WITHIN names it; else 0. */
uint64_t condition_running(void);

/* The operation of a conditional node, for a launch in stream; end is the node's end. NULL
 * without memory. With graph_lock() held. */
struct operation *condition_operation(const struct graph_node *node, struct stream *stream,
				      struct operation *end);

#endif
