/* SPDX-License-Identifier: Apache-2.0 */
/* driver_managed.c - the driver's advice about managed memory, prefetches, and batches of these
 * and of copies. Numbers and layouts are the runtime's. */
#include "driver_api.h"

_Static_assert(sizeof(CUmemLocation) == sizeof(struct cudaMemLocation), "locations");
_Static_assert(sizeof(CUmemcpyAttributes) == sizeof(struct cudaMemcpyAttributes), "attributes");
_Static_assert(sizeof(CUDA_MEMCPY3D_BATCH_OP) == sizeof(struct cudaMemcpy3DBatchOp), "copies");

static struct cudaMemLocation location_of(CUmemLocation location)
{
	return (struct cudaMemLocation){(enum cudaMemLocationType)location.type, location.id};
}

/* ---- managed memory ------------------------------------------------------------------- */

SAME(cuMemAdvise, (CUdeviceptr p, size_t n, CUmem_advise advice, CUmemLocation location),
     cudaMemAdvise(DEVICE(p), n, (enum cudaMemoryAdvise)advice, location_of(location)))
SAME(cuMemPrefetchAsync,
     (CUdeviceptr p, size_t n, CUmemLocation location, unsigned flags, CUstream s),
     cudaMemPrefetchAsync(DEVICE(p), n, location_of(location), flags, s))
SAME(cuMemRangeGetAttribute,
     (void *data, size_t size, CUmem_range_attribute which, CUdeviceptr p, size_t n),
     cudaMemRangeGetAttribute(data, size, (enum cudaMemRangeAttribute)which, DEVICE(p), n))
SAME(cuMemRangeGetAttributes,
     (void **data, size_t *sizes, CUmem_range_attribute *which, size_t n_attributes, CUdeviceptr p,
      size_t n),
     cudaMemRangeGetAttributes(data, sizes, (enum cudaMemRangeAttribute *)which, n_attributes,
			       DEVICE(p), n))

/* ---- batches ----------------------------------------------------------------------------- */

#define POINTERS(list) ((void **)(list))
#define LOCATIONS(list) ((struct cudaMemLocation *)(list))

SAME(cuMemPrefetchBatchAsync,
     (CUdeviceptr * list, size_t *sizes, size_t n, CUmemLocation *locations, size_t *starts,
      size_t n_locations, unsigned long long flags, CUstream s),
     cudaMemPrefetchBatchAsync(POINTERS(list), sizes, n, LOCATIONS(locations), starts, n_locations,
			       flags, s))
SAME(cuMemDiscardBatchAsync,
     (CUdeviceptr * list, size_t *sizes, size_t n, unsigned long long flags, CUstream s),
     cudaMemDiscardBatchAsync(POINTERS(list), sizes, n, flags, s))
SAME(cuMemDiscardAndPrefetchBatchAsync,
     (CUdeviceptr * list, size_t *sizes, size_t n, CUmemLocation *locations, size_t *starts,
      size_t n_locations, unsigned long long flags, CUstream s),
     cudaMemDiscardAndPrefetchBatchAsync(POINTERS(list), sizes, n, LOCATIONS(locations), starts,
					 n_locations, flags, s))
SAME(cuMemcpyBatchAsync,
     (CUdeviceptr * to, CUdeviceptr *from, size_t *sizes, size_t n, CUmemcpyAttributes *attributes,
      size_t *starts, size_t n_attributes, CUstream s),
     cudaMemcpyBatchAsync((void *const *)to, (const void *const *)from, sizes, n,
			  (struct cudaMemcpyAttributes *)attributes, starts, n_attributes, s))
SAME(cuMemcpy3DBatchAsync,
     (size_t n, CUDA_MEMCPY3D_BATCH_OP *list, unsigned long long flags, CUstream s),
     cudaMemcpy3DBatchAsync(n, (struct cudaMemcpy3DBatchOp *)list, flags, s))
