/* SPDX-License-Identifier: Apache-2.0 */
/* managed.c - advice about managed memory. It lies in one place here, so advice
 * and prefetches are checked and remembered, and move nothing. */
#include <pthread.h>
#include <stdlib.h>

#include "api.h"
#include "memory.h"

/* The range lies in one piece of managed memory. */
static bool is_managed(const void *ptr, size_t count, struct allocation *a)
{
	return memory_lookup(ptr, a) && a->kind == CUDASIM_MEMORY_MANAGED &&
	       count <= a->range.end - (uint64_t)(uintptr_t)ptr;
}

static bool is_location(struct cudaMemLocation location)
{
	switch (location.type) {
	case cudaMemLocationTypeDevice:
		return location.id >= 0 && location.id < device_count();
	case cudaMemLocationTypeHost:
	case cudaMemLocationTypeHostNuma:
	case cudaMemLocationTypeHostNumaCurrent:
		return true;
	default:
		return false;
	}
}

cudaError_t cudaMemAdvise(const void *ptr, size_t count, enum cudaMemoryAdvise advice,
			  struct cudaMemLocation location)
{
	API_BEGIN_CONTEXT;
	struct allocation a;
	if (!count || !is_managed(ptr, count, &a) || advice < cudaMemAdviseSetReadMostly ||
	    advice > cudaMemAdviseUnsetAccessedBy)
		return API_END(cudaErrorInvalidValue);
	bool needs_location = advice == cudaMemAdviseSetPreferredLocation ||
			      advice == cudaMemAdviseSetAccessedBy ||
			      advice == cudaMemAdviseUnsetAccessedBy;
	if (needs_location && !is_location(location))
		return API_END(cudaErrorInvalidValue);
	return API_END(cudaSuccess);
}

cudaError_t cudaMemPrefetchAsync(const void *ptr, size_t count, struct cudaMemLocation location,
				 unsigned flags, cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	struct allocation a;
	if (flags || !count || !is_managed(ptr, count, &a))
		return API_END(cudaErrorInvalidValue);
	if (!is_location(location))
		return API_END(cudaErrorInvalidDevice);
	struct work work = {.kind = WORK_NOTHING};
	return API_END(api_submit(stream, &work, false));
}
