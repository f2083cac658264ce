/* SPDX-License-Identifier: Apache-2.0 */
/* graph_attributes.h - launch attributes of a graph's kernel node: those that
 * cudaGraphKernelNodeSetAttribute() has set, by number. */
#ifndef CUDASIM_SIM_GRAPH_ATTRIBUTES_H
#define CUDASIM_SIM_GRAPH_ATTRIBUTES_H

#include <driver_types.h>
#include <stdbool.h>

struct graph_node;

enum { MAX_LAUNCH_ATTRIBUTE = 32 };

struct graph_attributes {
	unsigned set; /* bit i: value[i] */
	cudaLaunchAttributeValue value[MAX_LAUNCH_ATTRIBUTE];
};

/* A copy that free() ends; NULL without memory. */
struct graph_attributes *attributes_copy(const struct graph_attributes *from);

/* cudaErrorInvalidValue for what no kernel node has, cudaErrorMemoryAllocation. */
cudaError_t attribute_set(struct graph_node *node, cudaLaunchAttributeID id,
			  const cudaLaunchAttributeValue *value);
cudaError_t attribute_get(const struct graph_node *node, cudaLaunchAttributeID id,
			  cudaLaunchAttributeValue *ret);
/* Give `to` all that `from` has. */
cudaError_t attributes_give(const struct graph_node *from, struct graph_node *to);

#endif
