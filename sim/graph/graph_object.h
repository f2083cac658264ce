/* SPDX-License-Identifier: Apache-2.0 */
/* graph_object.h - user objects: what lives as long as the graphs that use it.
 *
 * A graph holds references, and so does each copy of it, executable ones too. When the last
 * reference goes the destructor runs, on a thread of its own that may not call CUDA. Called
 * with graph_lock() held. */
#ifndef CUDASIM_SIM_GRAPH_OBJECT_H
#define CUDASIM_SIM_GRAPH_OBJECT_H

#include <driver_types.h>

struct graph;
struct user_object;

/* cudaErrorMemoryAllocation. n: references, 1.. */
cudaError_t object_new(void *pointer, cudaHostFn_t destroy, unsigned n, struct user_object **ret);
/* NULL where the handle is none's (any more). */
struct user_object *object_find(cudaUserObject_t handle);
void object_retain(struct user_object *object, unsigned n);
/* cudaErrorInvalidValue where the caller has fewer. */
cudaError_t object_release(struct user_object *object, unsigned n);

/* move: the caller's references become the graph's. cudaErrorInvalidValue where the caller, or
 * the graph, has fewer; cudaErrorMemoryAllocation. */
cudaError_t object_give(struct graph *graph, struct user_object *object, unsigned n, int move);
cudaError_t object_take(struct graph *graph, struct user_object *object, unsigned n);

/* A copy holds what the graph holds; a graph that goes lets go. */
cudaError_t objects_copy(const struct graph *from, struct graph *to);
void objects_release_all(struct graph *graph);

#endif
