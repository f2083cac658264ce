/* SPDX-License-Identifier: Apache-2.0 */
/* graph_object.c - user objects, and launch attributes of kernel nodes. */
#include "graph_object.h"

#include <limits.h>

#include "api.h"
#include "graph_api.h"
#include "graph_attributes.h"

static bool is_count(unsigned n)
{
	return n && n <= INT_MAX;
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *ret, void *pointer, cudaHostFn_t destroy,
				 unsigned n, unsigned flags)
{
	API_BEGIN_CONTEXT;
	struct user_object *object;
	if (!ret || !destroy || !is_count(n) || flags != cudaUserObjectNoDestructorSync)
		return API_END(cudaErrorInvalidValue);
	graph_lock();
	cudaError_t error = object_new(pointer, destroy, n, &object);
	graph_unlock();
	if (!error)
		*ret = (cudaUserObject_t)object;
	return API_END(error);
}

static cudaError_t retain(cudaUserObject_t handle, unsigned n)
{
	struct user_object *object = object_find(handle);
	if (!object)
		return cudaErrorInvalidValue;
	object_retain(object, n);
	return cudaSuccess;
}

static cudaError_t release(cudaUserObject_t handle, unsigned n)
{
	struct user_object *object = object_find(handle);
	return object ? object_release(object, n) : cudaErrorInvalidValue;
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned n)
{
	API_BEGIN_CONTEXT;
	if (!is_count(n))
		return API_END(cudaErrorInvalidValue);
	LOCKED(retain(object, n));
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned n)
{
	API_BEGIN_CONTEXT;
	if (!is_count(n))
		return API_END(cudaErrorInvalidValue);
	LOCKED(release(object, n));
}

static cudaError_t give(cudaGraph_t graph_handle, cudaUserObject_t handle, unsigned n, bool move)
{
	struct graph *graph = graph_find(graph_handle);
	struct user_object *object = object_find(handle);
	return graph && object ? object_give(graph, object, n, move) : cudaErrorInvalidValue;
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned n,
				      unsigned flags)
{
	API_BEGIN_CONTEXT;
	if (!is_count(n) || flags & ~(unsigned)cudaGraphUserObjectMove)
		return API_END(cudaErrorInvalidValue);
	LOCKED(give(graph, object, n, flags & cudaGraphUserObjectMove));
}

static cudaError_t take(cudaGraph_t graph_handle, cudaUserObject_t handle, unsigned n)
{
	struct graph *graph = graph_find(graph_handle);
	struct user_object *object = object_find(handle);
	return graph && object ? object_take(graph, object, n) : cudaErrorInvalidValue;
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned n)
{
	API_BEGIN_CONTEXT;
	if (!is_count(n))
		return API_END(cudaErrorInvalidValue);
	LOCKED(take(graph, object, n));
}

/* ---- attributes of kernel nodes ------------------------------------------------------ */

static struct graph_node *kernel_node(cudaGraphNode_t handle)
{
	return graph_node_of(NULL, handle, cudaGraphNodeTypeKernel);
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t handle, cudaLaunchAttributeID id,
					    const cudaLaunchAttributeValue *value)
{
	API_BEGIN_CONTEXT;
	graph_lock();
	struct graph_node *node = kernel_node(handle);
	cudaError_t error = node && value ? attribute_set(node, id, value) : cudaErrorInvalidValue;
	graph_unlock();
	return API_END(error);
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t handle, cudaLaunchAttributeID id,
					    cudaLaunchAttributeValue *ret)
{
	API_BEGIN_CONTEXT;
	graph_lock();
	struct graph_node *node = kernel_node(handle);
	cudaError_t error = node && ret ? attribute_get(node, id, ret) : cudaErrorInvalidValue;
	graph_unlock();
	return API_END(error);
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to_handle,
					      cudaGraphNode_t from_handle)
{
	API_BEGIN_CONTEXT;
	graph_lock();
	struct graph_node *from = kernel_node(from_handle), *to = kernel_node(to_handle);
	cudaError_t error = from && to ? attributes_give(from, to) : cudaErrorInvalidValue;
	graph_unlock();
	return API_END(error);
}
