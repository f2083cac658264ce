/* SPDX-License-Identifier: Apache-2.0 */
/* graph_memory.c - graphs that allocate and free; what their memory amounts to. */
#include "graph_memory.h"
#include "activate.h"

#include "api.h"
#include "graph.h"
#include "graph_api.h"

/* A graph allocates of devices alone. */
static bool is_elsewhere(const struct cudaMemPoolProps *props)
{
	const bool managed = props->allocType == cudaMemAllocationTypeManaged;
	switch (props->location.type) {
	case cudaMemLocationTypeNone:
		return managed;
	case cudaMemLocationTypeHost:
		return managed || props->allocType == cudaMemAllocationTypePinned;
	case cudaMemLocationTypeHostNuma:
		return !props->location.id &&
		       (managed || props->allocType == cudaMemAllocationTypePinned);
	default:
		return false;
	}
}

static cudaError_t check_alloc(const struct cudaMemAllocNodeParams *p)
{
	if (p && is_elsewhere(&p->poolProps))
		return cudaErrorNotSupported;
	if (!p || !p->bytesize ||
	    (p->poolProps.allocType != cudaMemAllocationTypePinned &&
	     p->poolProps.allocType != cudaMemAllocationTypeManaged) ||
	    p->poolProps.handleTypes != cudaMemHandleTypeNone ||
	    p->poolProps.location.type != cudaMemLocationTypeDevice ||
	    p->poolProps.location.id < 0 || p->poolProps.location.id >= device_count() ||
	    (p->accessDescCount && !p->accessDescs))
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < p->accessDescCount; i++)
		if (p->accessDescs[i].location.type != cudaMemLocationTypeHost &&
		    (p->accessDescs[i].location.type != cudaMemLocationTypeDevice ||
		     p->accessDescs[i].location.id < 0 ||
		     p->accessDescs[i].location.id >= device_count()))
			return cudaErrorInvalidValue;
	return (cudaError_t)device_activate(device_get(p->poolProps.location.id));
}

/* A node that takes the memory over. */
static cudaError_t fill(struct graph_node *node, void *memory)
{
	node->memory = memory;
	return cudaSuccess;
}

static cudaError_t add_alloc(const struct node_position *place, struct cudaMemAllocNodeParams *p)
{
	struct graph_memory *memory;
	struct graph_node *node;
	cudaError_t error = graph_memory_new(device_get(p->poolProps.location.id), p->bytesize,
					     &memory);
	if (error)
		return error;
	struct work work = graph_memory_work(memory);
	error = graph_place(place, cudaGraphNodeTypeMemAlloc, &work, &node);
	if (error) {
		graph_memory_unref(memory);
		return error;
	}
	p->dptr = graph_memory_address(memory);
	return fill(node, memory);
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *ret, cudaGraph_t graph,
				     const cudaGraphNode_t *after, size_t n_after,
				     struct cudaMemAllocNodeParams *p)
{
	API_BEGIN_CONTEXT;
	cudaError_t error = check_alloc(p);
	if (error)
		return API_END(error);
	struct node_position place = {ret, graph, after, n_after};
	graph_lock();
	error = add_alloc(&place, p);
	graph_unlock();
	return API_END(error);
}

/* Does a node of the graph free it? */
static bool freed_in(const struct graph *graph, const void *address)
{
	for (size_t i = 0; i < graph->n; i++)
		if (graph->nodes[i]->type == cudaGraphNodeTypeMemFree &&
		    graph->nodes[i]->work.address == address)
			return true;
	return false;
}

static cudaError_t add_free(const struct node_position *place, void *address)
{
	struct graph *graph = graph_find(place->graph);
	struct graph_node *node;
	struct graph_memory *memory = address ? graph_memory_find(address) : NULL;
	if (!graph || !memory || freed_in(graph, address))
		return cudaErrorInvalidValue;
	struct work work = {
		.kind = WORK_FREE, .device = graph_memory_device(memory), .address = address};
	return graph_place(place, cudaGraphNodeTypeMemFree, &work, &node);
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *ret, cudaGraph_t graph,
				    const cudaGraphNode_t *after, size_t n_after, void *address)
{
	API_BEGIN_CONTEXT;
	struct node_position place = {ret, graph, after, n_after};
	graph_lock();
	cudaError_t error = add_free(&place, address);
	graph_unlock();
	return API_END(error);
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t handle,
					   struct cudaMemAllocNodeParams *ret)
{
	API_BEGIN_CONTEXT;
	graph_lock();
	struct graph_node *node = graph_find_node(handle);
	bool is = node && ret && node->memory;
	if (is)
		*ret = (struct cudaMemAllocNodeParams){
			.poolProps =
				{
					.allocType = cudaMemAllocationTypePinned,
					.location =
						{
							.type = cudaMemLocationTypeDevice,
							.id = (int)graph_memory_device(node->memory)
								      ->ordinal,
						},
				},
			.bytesize = graph_memory_size(node->memory),
			.dptr = graph_memory_address(node->memory),
		};
	graph_unlock();
	return API_END(is ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t handle, void *ret)
{
	API_BEGIN_CONTEXT;
	graph_lock();
	struct graph_node *node = graph_find_node(handle);
	bool is = node && ret && node->type == cudaGraphNodeTypeMemFree;
	if (is)
		*(void **)ret = node->work.address;
	graph_unlock();
	return API_END(is ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t graph_capture_alloc(struct stream *stream, struct device *device, size_t size,
				void **ret)
{
	struct graph_memory *memory;
	graph_lock();
	cudaError_t error = graph_memory_new(device, size, &memory);
	if (!error) {
		struct work work = graph_memory_work(memory);
		error = capture_add_node(stream, cudaGraphNodeTypeMemAlloc, &work, fill, memory);
		if (error)
			graph_memory_unref(memory);
		else
			*ret = graph_memory_address(memory);
	}
	graph_unlock();
	return error;
}

/* ---- how much ---------------------------------------------------------------------- */

cudaError_t cudaDeviceGetGraphMemAttribute(int ordinal, enum cudaGraphMemAttributeType attribute,
					   void *ret)
{
	API_BEGIN_CONTEXT;
	if (ordinal < 0 || ordinal >= device_count())
		return API_END(cudaErrorInvalidDevice);
	if (!ret || (unsigned)attribute > cudaGraphMemAttrReservedMemHigh)
		return API_END(cudaErrorInvalidValue);
	struct graph_memory_use use;
	graph_lock();
	graph_memory_look(device_get(ordinal), &use);
	graph_unlock();
	const uint64_t values[] = {use.used, use.used_high, use.reserved, use.reserved_high};
	*(uint64_t *)ret = values[attribute];
	return API_END(cudaSuccess);
}

cudaError_t cudaDeviceSetGraphMemAttribute(int ordinal, enum cudaGraphMemAttributeType attribute,
					   void *value)
{
	API_BEGIN_CONTEXT;
	if (ordinal < 0 || ordinal >= device_count())
		return API_END(cudaErrorInvalidDevice);
	/* High watermarks can be reset, and nothing else be set. */
	if (!value || *(uint64_t *)value ||
	    (attribute != cudaGraphMemAttrUsedMemHigh &&
	     attribute != cudaGraphMemAttrReservedMemHigh))
		return API_END(cudaErrorInvalidValue);
	graph_lock();
	graph_memory_reset_high(device_get(ordinal), attribute == cudaGraphMemAttrUsedMemHigh);
	graph_unlock();
	return API_END(cudaSuccess);
}

/* Memory goes back as soon as no graph has it. */
cudaError_t cudaDeviceGraphMemTrim(int ordinal)
{
	API_BEGIN_CONTEXT;
	return API_END(ordinal < 0 || ordinal >= device_count() ? cudaErrorInvalidDevice
								: cudaSuccess);
}
