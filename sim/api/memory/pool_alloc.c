/* SPDX-License-Identifier: Apache-2.0 */
/* pool_alloc.c - stream-ordered allocation. An allocation is made at once, from memory
 * that nothing uses; a free waits for its place in the stream. */
#include "api.h"
#include "graph.h"
#include "graph_api.h"
#include "graph_memory.h"
#include "ipc.h"
#include "managed.h"
#include "memory.h"
#include "pool.h"

/* A graph's memory is a device's, also where a managed pool prefers that device. */
static cudaError_t capture(struct stream *stream, const struct pool *pool, size_t size, void **ret)
{
	if (pool->place == POOL_MANAGED)
		return cudaErrorInvalidValue;
	if (!pool->device)
		return cudaErrorNotSupported;
	return graph_capture_alloc(stream, pool->device, size, ret);
}

static cudaError_t take(struct pool *pool, struct stream *stream, size_t size, void **ret)
{
	struct device *device = pool->device ? pool->device : device_current();
	struct allocation what = {
		.kind = pool_memory(pool),
		.device = (int)device->ordinal,
		.stream = stream->id,
		.function = api_name(),
		.pool = (cudaMemPool_t)pool,
	};
	cudaError_t error = pool_grow(pool, size);
	if (error)
		return error;
	error = memory_alloc(&what, size, ret);
	if (error) {
		/* What was freed may still wait for its turn. */
		device_wait(device, 0);
		error = memory_alloc(&what, size, ret);
	}
	if (error)
		pool_shrink(pool, size);
	else if (pool_forbids(pool))
		forbidden_watch(*ret, size);
	else if (what.kind == CUDASIM_MEMORY_MANAGED && pool->place != POOL_MANAGED)
		error = managed_prefer(*ret, size, pool_location(pool));
	return error;
}

static cudaError_t allocate(void **ret, size_t size, struct pool *pool, cudaStream_t handle)
{
	struct stream *stream;
	if (!ret)
		return cudaErrorInvalidValue;
	*ret = NULL;
	if (!size)
		return cudaSuccess;
	cudaError_t error = stream_resolve(handle, &stream);
	if (error)
		return error;
	error = stream_capturing(stream) ? capture(stream, pool, size, ret)
					 : take(pool, stream, size, ret);
	stream_unref(stream);
	return error;
}

cudaError_t cudaMallocAsync(void **ret, size_t size, cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	struct pool *pool = pool_current(device_current());
	return API_END(pool ? allocate(ret, size, pool, stream) : cudaErrorMemoryAllocation);
}

cudaError_t cudaMallocFromPoolAsync(void **ret, size_t size, cudaMemPool_t pool,
				    cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	if (!pool_is(pool) || ((struct pool *)pool)->is_imported)
		return API_END(cudaErrorInvalidValue);
	return API_END(allocate(ret, size, (struct pool *)pool, stream));
}

cudaError_t cudaFreeAsync(void *ptr, cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	struct allocation a;
	if (!ptr)
		return API_END(cudaSuccess);
	bool begins = memory_lookup(ptr, &a) && a.range.start == (uint64_t)(uintptr_t)ptr;
	if (begins && a.kind == CUDASIM_MEMORY_MANAGED && !a.pool && !a.module)
		return API_END(cudaErrorNotSupported); /* so an H200, not 1 */
	if (!begins || (a.kind != CUDASIM_MEMORY_DEVICE && !a.pool))
		return API_END(memory_free(ptr, 0, __func__));
	if (a.imported && a.pool) { /* here it only goes out of sight */
		device_wait(device_get(a.device), 0);
		return API_END(ipc_close_memory(ptr));
	}
	struct work work = {.kind = WORK_FREE, .address = ptr};
	/* A graph frees only what graphs allocate. */
	if (!a.held && api_capturing(stream))
		return API_END(cudaErrorInvalidValue);
	cudaError_t error = api_submit(stream, &work, false);
	if (!error && a.held && !api_capturing(stream))
		graph_memory_freed(ptr);
	if (!error && a.pool)
		pool_shrink((struct pool *)a.pool, a.range.end - a.range.start);
	return API_END(error);
}
