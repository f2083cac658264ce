/* SPDX-License-Identifier: Apache-2.0 */
/* batch.c - many copies, prefetches or discards in one call. */
#include "api.h"
#include "array.h"
#include "copy_submit.h"
#include "memory.h"

/* The legacy default stream cannot be meant. */
static bool is_stream(cudaStream_t stream)
{
	return stream && stream != cudaStreamLegacy;
}

/* ---- three dimensions ---------------------------------------------------------- */

/* One side of a copy, in bytes. */
struct side {
	unsigned char *at;
	size_t pitch, slice;
};

/* Bytes of an element: an array's texel; of memory alone, a byte. */
static unsigned element(const struct cudaMemcpy3DOperand *operand)
{
	const struct array *a = operand->type == cudaMemcpyOperandTypeArray
					? array_find(operand->op.array.array)
					: NULL;
	return a ? a->texel : 1;
}

static bool fits(size_t offset, size_t length, size_t room)
{
	return offset <= room && length <= room - offset;
}

static cudaError_t resolve(const struct cudaMemcpy3DOperand *operand, struct cudaExtent extent,
			   unsigned bytes, struct side *ret)
{
	if (operand->type == cudaMemcpyOperandTypePointer) {
		size_t row = operand->op.ptr.rowLength, height = operand->op.ptr.layerHeight;
		if (!operand->op.ptr.ptr || (row && row < extent.width) ||
		    (height && height < extent.height))
			return cudaErrorInvalidValue;
		ret->at = operand->op.ptr.ptr;
		ret->pitch = (row ? row : extent.width) * bytes;
		ret->slice = ret->pitch * (height ? height : extent.height);
		return cudaSuccess;
	}
	const struct array *a = operand->type == cudaMemcpyOperandTypeArray
					? array_find(operand->op.array.array)
					: NULL;
	const struct cudaOffset3D at = operand->op.array.offset;
	if (!a || a->texel != bytes || !fits(at.x, extent.width, a->width) ||
	    !fits(at.y, extent.height, a->height) || !fits(at.z, extent.depth, a->depth))
		return cudaErrorInvalidValue;
	ret->pitch = array_pitch(a);
	ret->slice = array_slice(a);
	ret->at = a->base + at.z * ret->slice + at.y * ret->pitch + at.x * bytes;
	return cudaSuccess;
}

static cudaError_t copy_of_op(const struct cudaMemcpy3DBatchOp *op, struct cudasim_copy *ret)
{
	struct side to, from;
	const struct cudaExtent extent = op->extent;
	if (!extent.width || !extent.height || !extent.depth || op->flags > 1 ||
	    op->srcAccessOrder < cudaMemcpySrcAccessOrderStream ||
	    op->srcAccessOrder > cudaMemcpySrcAccessOrderAny)
		return cudaErrorInvalidValue;
	unsigned bytes = element(&op->src);
	if (bytes == 1)
		bytes = element(&op->dst);
	cudaError_t error = resolve(&op->src, extent, bytes, &from);
	if (!error)
		error = resolve(&op->dst, extent, bytes, &to);
	if (error)
		return error;
	*ret = copy_2d(to.at, to.pitch, from.at, from.pitch, extent.width * bytes, extent.height);
	ret->depth = extent.depth;
	ret->to_slice = to.slice;
	ret->from_slice = from.slice;
	return copy_check(ret, cudaMemcpyDefault);
}

cudaError_t cudaMemcpy3DBatchAsync(size_t n, struct cudaMemcpy3DBatchOp *ops,
				   unsigned long long flags, cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	struct cudasim_copy what;
	if (!n || !ops || flags || !is_stream(stream))
		return API_END(cudaErrorInvalidValue);
	/* All or nothing. */
	cudaError_t error = cudaSuccess;
	for (size_t i = 0; i < n && !error; i++)
		error = copy_of_op(&ops[i], &what);
	for (size_t i = 0; i < n && !error; i++) {
		error = copy_of_op(&ops[i], &what);
		if (!error)
			error = copy_submit(stream, &what, true);
	}
	return API_END(error);
}

/* ---- managed memory -------------------------------------------------------------- */

static cudaError_t check_ranges(void **pointers, const size_t *sizes, size_t n,
				unsigned long long flags, cudaStream_t stream)
{
	struct allocation a;
	if (!pointers || !sizes || !n || flags || !is_stream(stream))
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < n; i++)
		if (!sizes[i] || !memory_lookup(pointers[i], &a) ||
		    a.kind != CUDASIM_MEMORY_MANAGED ||
		    sizes[i] > a.range.end - (uint64_t)(uintptr_t)pointers[i])
			return cudaErrorInvalidValue;
	return cudaSuccess;
}

/* Location j holds from range starts[j] to the next one's start. */
static cudaError_t check_starts(const size_t *starts, size_t n_starts, size_t n)
{
	if (!starts || !n_starts || n_starts > n || starts[0])
		return cudaErrorInvalidValue;
	for (size_t j = 1; j < n_starts; j++)
		if (starts[j] <= starts[j - 1] || starts[j] >= n)
			return cudaErrorInvalidValue;
	return cudaSuccess;
}

static cudaError_t prefetch(void **pointers, size_t *sizes, size_t n,
			    struct cudaMemLocation *locations, const size_t *starts,
			    size_t n_locations, unsigned long long flags, cudaStream_t stream)
{
	cudaError_t error = check_ranges(pointers, sizes, n, flags, stream);
	if (!error)
		error = locations ? check_starts(starts, n_locations, n) : cudaErrorInvalidValue;
	for (size_t i = 0, j = 0; i < n && !error; i++) {
		if (j + 1 < n_locations && starts[j + 1] == i)
			j++;
		error = cudaMemPrefetchAsync(pointers[i], sizes[i], locations[j], 0, stream);
	}
	return error;
}

cudaError_t cudaMemPrefetchBatchAsync(void **pointers, size_t *sizes, size_t n,
				      struct cudaMemLocation *locations, size_t *starts,
				      size_t n_locations, unsigned long long flags,
				      cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	return API_END(prefetch(pointers, sizes, n, locations, starts, n_locations, flags, stream));
}

/* What is discarded may hold anything; here it stays what it was. */
cudaError_t cudaMemDiscardBatchAsync(void **pointers, size_t *sizes, size_t n,
				     unsigned long long flags, cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	struct work work = {.kind = WORK_NOTHING};
	cudaError_t error = check_ranges(pointers, sizes, n, flags, stream);
	return API_END(error ? error : api_submit(stream, &work, false));
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **pointers, size_t *sizes, size_t n,
						struct cudaMemLocation *locations, size_t *starts,
						size_t n_locations, unsigned long long flags,
						cudaStream_t stream)
{
	API_BEGIN;
	return API_END(cudaMemPrefetchBatchAsync(pointers, sizes, n, locations, starts, n_locations,
						 flags, stream));
}

/* With --default-stream per-thread. */
static cudaStream_t own(cudaStream_t stream)
{
	return stream ? stream : cudaStreamPerThread;
}

API_EXPORT cudaError_t cudaMemcpy3DBatchAsync_ptsz(size_t n, struct cudaMemcpy3DBatchOp *ops,
						   unsigned long long flags, cudaStream_t stream);
cudaError_t cudaMemcpy3DBatchAsync_ptsz(size_t n, struct cudaMemcpy3DBatchOp *ops,
					unsigned long long flags, cudaStream_t stream)
{
	return cudaMemcpy3DBatchAsync(n, ops, flags, own(stream));
}

#define RANGES void **pointers, size_t *sizes, size_t n
#define LOCATIONS struct cudaMemLocation *locations, size_t *starts, size_t n_locations

API_EXPORT cudaError_t cudaMemPrefetchBatchAsync_ptsz(RANGES, LOCATIONS, unsigned long long flags,
						      cudaStream_t stream);
cudaError_t cudaMemPrefetchBatchAsync_ptsz(RANGES, LOCATIONS, unsigned long long flags,
					   cudaStream_t stream)
{
	return cudaMemPrefetchBatchAsync(pointers, sizes, n, locations, starts, n_locations, flags,
					 own(stream));
}

API_EXPORT cudaError_t cudaMemDiscardBatchAsync_ptsz(RANGES, unsigned long long flags,
						     cudaStream_t stream);
cudaError_t cudaMemDiscardBatchAsync_ptsz(RANGES, unsigned long long flags, cudaStream_t stream)
{
	return cudaMemDiscardBatchAsync(pointers, sizes, n, flags, own(stream));
}

API_EXPORT cudaError_t cudaMemDiscardAndPrefetchBatchAsync_ptsz(RANGES, LOCATIONS,
								unsigned long long flags,
								cudaStream_t stream);
cudaError_t cudaMemDiscardAndPrefetchBatchAsync_ptsz(RANGES, LOCATIONS, unsigned long long flags,
						     cudaStream_t stream)
{
	return cudaMemDiscardAndPrefetchBatchAsync(pointers, sizes, n, locations, starts,
						   n_locations, flags, own(stream));
}
