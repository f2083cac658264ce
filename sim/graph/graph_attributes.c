/* SPDX-License-Identifier: Apache-2.0 */
#include "graph_attributes.h"

#include <stdlib.h>
#include <string.h>

#include "graph.h"

struct graph_attributes *attributes_copy(const struct graph_attributes *from)
{
	struct graph_attributes *copy = malloc(sizeof *copy);
	if (copy)
		*copy = *from;
	return copy;
}

static bool is_kernel_attribute(cudaLaunchAttributeID id)
{
	switch (id) {
	case cudaLaunchAttributeAccessPolicyWindow:
	case cudaLaunchAttributeCooperative:
	case cudaLaunchAttributeClusterDimension:
	case cudaLaunchAttributeClusterSchedulingPolicyPreference:
	case cudaLaunchAttributePriority:
	case cudaLaunchAttributeMemSyncDomainMap:
	case cudaLaunchAttributeMemSyncDomain:
	case cudaLaunchAttributePreferredSharedMemoryCarveout:
		return true;
	default:
		return false;
	}
}

cudaError_t attribute_set(struct graph_node *node, cudaLaunchAttributeID id,
			  const cudaLaunchAttributeValue *value)
{
	if (!is_kernel_attribute(id))
		return cudaErrorInvalidValue;
	if (!node->attributes)
		node->attributes = calloc(1, sizeof *node->attributes);
	if (!node->attributes)
		return cudaErrorMemoryAllocation;
	/* Those that change what is computed are the work's own. */
	if (id == cudaLaunchAttributeCooperative)
		node->work.launch.cooperative = value->cooperative;
	if (id == cudaLaunchAttributeClusterDimension) {
		const uint32_t cluster[3] = {value->clusterDim.x, value->clusterDim.y,
					     value->clusterDim.z};
		for (int i = 0; i < 3; i++)
			if (!cluster[i] || node->work.launch.grid[i] % cluster[i])
				return cudaErrorInvalidClusterSize;
		memcpy(node->work.launch.cluster, cluster, sizeof cluster);
	}
	node->attributes->set |= 1u << id;
	node->attributes->value[id] = *value;
	return cudaSuccess;
}

cudaError_t attribute_get(const struct graph_node *node, cudaLaunchAttributeID id,
			  cudaLaunchAttributeValue *ret)
{
	if (!is_kernel_attribute(id))
		return cudaErrorInvalidValue;
	*ret = (cudaLaunchAttributeValue){0};
	if (node->attributes && node->attributes->set >> id & 1) {
		*ret = node->attributes->value[id];
	} else if (id == cudaLaunchAttributeCooperative) {
		ret->cooperative = node->work.launch.cooperative;
	} else if (id == cudaLaunchAttributeClusterDimension) {
		const uint32_t *cluster = node->work.launch.cluster;
		if (cluster[0] * cluster[1] * cluster[2] > 1) {
			ret->clusterDim.x = cluster[0];
			ret->clusterDim.y = cluster[1];
			ret->clusterDim.z = cluster[2];
		}
	}
	return cudaSuccess;
}

cudaError_t attributes_give(const struct graph_node *from, struct graph_node *to)
{
	cudaError_t error = cudaSuccess;
	for (int id = 0; from->attributes && id < MAX_LAUNCH_ATTRIBUTE && !error; id++)
		if (from->attributes->set >> id & 1)
			error = attribute_set(to, (cudaLaunchAttributeID)id,
					      &from->attributes->value[id]);
	return error;
}
