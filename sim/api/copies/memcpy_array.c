/* SPDX-License-Identifier: Apache-2.0 */
/* memcpy_array.c - copies from and to arrays.
 *
 * Offsets and widths are in bytes, save in cudaMemcpy3D, where positions in an
 * array and, with an array among the two, the extent's width are in texels. */
#include "array.h"

#include "api.h"
#include "copy_submit.h"

#define LEGACY ((cudaStream_t)0)

/* One side of a copy: an array, or memory with a pitch. */
static cudaError_t array_room(const struct array *a, size_t x, size_t y, size_t width,
			      size_t height)
{
	size_t right, bottom;
	bool fits = !__builtin_add_overflow(x, width, &right) && right <= array_pitch(a) &&
		    !__builtin_add_overflow(y, height, &bottom) && bottom <= a->height;
	return fits ? cudaSuccess : cudaErrorInvalidValue;
}

static unsigned char *array_at(const struct array *a, size_t x, size_t y, size_t z)
{
	return a->base + z * array_slice(a) + y * array_pitch(a) + x;
}

static cudaError_t submit(struct cudasim_copy what, enum cudaMemcpyKind kind, cudaStream_t stream,
			  bool async)
{
	cudaError_t error = copy_check(&what, kind);
	return error ? error : copy_submit(stream, &what, async);
}

/* What may be said of a copy that writes, or reads, an array. */
static cudaError_t check_kind(enum cudaMemcpyKind kind, bool to_array)
{
	enum cudaMemcpyKind wrong = to_array ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
	if (kind == wrong || kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault ||
	    kind == cudaMemcpyHostToHost)
		return cudaErrorInvalidMemcpyDirection;
	return cudaSuccess;
}

/* ---- two dimensions ------------------------------------------------------------ */

/* What is wrong with a copy of width bytes by height rows between the array, at (x, y), and
 * memory; in the order in which a GPU's runtime looks. *empty: there is nothing to copy. */
static cudaError_t check_2d(const struct array *a, size_t x, size_t y, const void *memory,
			    size_t pitch, size_t width, size_t height, enum cudaMemcpyKind kind,
			    bool to_array, bool *empty)
{
	if (!a)
		return cudaErrorInvalidResourceHandle;
	*empty = !width || !height;
	if (*empty)
		return cudaSuccess;
	cudaError_t error = check_kind(kind, to_array);
	if (error)
		return error;
	if (width > pitch)
		return cudaErrorInvalidPitchValue;
	return memory ? array_room(a, x, y, width, height) : cudaErrorInvalidValue;
}

static cudaError_t to_array_2d(cudaArray_t handle, size_t x, size_t y, const void *from,
			       size_t pitch, size_t width, size_t height, enum cudaMemcpyKind kind,
			       cudaStream_t stream, bool async)
{
	struct array *a = array_find(handle);
	bool empty;
	cudaError_t error = check_2d(a, x, y, from, pitch, width, height, kind, true, &empty);
	if (error || empty)
		return error;
	return submit(copy_2d(array_at(a, x, y, 0), array_pitch(a), from, pitch, width, height),
		      kind, stream, async);
}

static cudaError_t from_array_2d(void *to, size_t pitch, cudaArray_const_t handle, size_t x,
				 size_t y, size_t width, size_t height, enum cudaMemcpyKind kind,
				 cudaStream_t stream, bool async)
{
	struct array *a = array_find(handle);
	bool empty;
	cudaError_t error = check_2d(a, x, y, to, pitch, width, height, kind, false, &empty);
	if (error || empty)
		return error;
	return submit(copy_2d(to, pitch, array_at(a, x, y, 0), array_pitch(a), width, height), kind,
		      stream, async);
}

static cudaError_t array_to_array_2d(cudaArray_t to_handle, size_t to_x, size_t to_y,
				     cudaArray_const_t from_handle, size_t from_x, size_t from_y,
				     size_t width, size_t height, enum cudaMemcpyKind kind,
				     cudaStream_t stream)
{
	struct array *to = array_find(to_handle), *from = array_find(from_handle);
	if (!to || !from)
		return cudaErrorInvalidResourceHandle;
	if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	cudaError_t error = array_room(to, to_x, to_y, width, height);
	if (!error)
		error = array_room(from, from_x, from_y, width, height);
	if (error || !width || !height)
		return error;
	return submit(copy_2d(array_at(to, to_x, to_y, 0), array_pitch(to),
			      array_at(from, from_x, from_y, 0), array_pitch(from), width, height),
		      kind, stream, false);
}

/* Each call has a form for the calling thread's default stream. */
#define TWO_FORMS(name, parameters, call)                                                          \
	cudaError_t name parameters                                                                \
	{                                                                                          \
		API_BEGIN_CONTEXT;                                                                 \
		const cudaStream_t stream = LEGACY;                                                \
		return API_END(call);                                                              \
	}                                                                                          \
	API_EXPORT cudaError_t name##_ptds parameters;                                             \
	cudaError_t name##_ptds parameters                                                         \
	{                                                                                          \
		API_BEGIN_CONTEXT;                                                                 \
		const cudaStream_t stream = cudaStreamPerThread;                                   \
		return API_END(call);                                                              \
	}

TWO_FORMS(cudaMemcpy2DToArray,
	  (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
	   size_t height, enum cudaMemcpyKind kind),
	  to_array_2d(to, x, y, from, pitch, width, height, kind, stream, false))
TWO_FORMS(cudaMemcpy2DFromArray,
	  (void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
	   size_t height, enum cudaMemcpyKind kind),
	  from_array_2d(to, pitch, from, x, y, width, height, kind, stream, false))
TWO_FORMS(cudaMemcpy2DArrayToArray,
	  (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
	   size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind),
	  array_to_array_2d(to, to_x, to_y, from, from_x, from_y, width, height, kind, stream))

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
				     size_t pitch, size_t width, size_t height,
				     enum cudaMemcpyKind kind, cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	return API_END(to_array_2d(to, x, y, from, pitch, width, height, kind, stream, true));
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x,
				       size_t y, size_t width, size_t height,
				       enum cudaMemcpyKind kind, cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	return API_END(from_array_2d(to, pitch, from, x, y, width, height, kind, stream, true));
}

/* ---- one dimension: a run of bytes that goes on in the next row ------------------- */

/* The array's rows lie one behind the other, so a run is one piece of memory. */
static cudaError_t run_of(cudaArray_const_t handle, size_t x, size_t y, size_t count,
			  unsigned char **ret)
{
	struct array *a = array_find(handle);
	if (!a)
		return cudaErrorInvalidResourceHandle;
	size_t room = array_slice(a);
	if (x > array_pitch(a) || y >= a->height || count > room - y * array_pitch(a) - x)
		return cudaErrorInvalidValue;
	*ret = array_at(a, x, y, 0);
	return cudaSuccess;
}

static cudaError_t to_array(cudaArray_t handle, size_t x, size_t y, const void *from, size_t count,
			    enum cudaMemcpyKind kind, cudaStream_t stream, bool async)
{
	unsigned char *to;
	cudaError_t error = run_of(handle, x, y, count, &to);
	if (!error)
		error = check_kind(kind, true);
	return error ? error : submit(copy_1d(to, from, count), kind, stream, async);
}

static cudaError_t from_array(void *to, cudaArray_const_t handle, size_t x, size_t y, size_t count,
			      enum cudaMemcpyKind kind, cudaStream_t stream, bool async)
{
	unsigned char *from;
	cudaError_t error = run_of(handle, x, y, count, &from);
	if (!error)
		error = check_kind(kind, false);
	return error ? error : submit(copy_1d(to, from, count), kind, stream, async);
}

static cudaError_t array_to_array(cudaArray_t to_handle, size_t to_x, size_t to_y,
				  cudaArray_const_t from_handle, size_t from_x, size_t from_y,
				  size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	unsigned char *to, *from;
	cudaError_t error = run_of(to_handle, to_x, to_y, count, &to);
	if (!error)
		error = run_of(from_handle, from_x, from_y, count, &from);
	if (!error && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		error = cudaErrorInvalidMemcpyDirection;
	return error ? error : submit(copy_1d(to, from, count), kind, stream, false);
}

TWO_FORMS(cudaMemcpyToArray,
	  (cudaArray_t to, size_t x, size_t y, const void *from, size_t count,
	   enum cudaMemcpyKind kind),
	  to_array(to, x, y, from, count, kind, stream, false))
TWO_FORMS(cudaMemcpyFromArray,
	  (void *to, cudaArray_const_t from, size_t x, size_t y, size_t count,
	   enum cudaMemcpyKind kind),
	  from_array(to, from, x, y, count, kind, stream, false))
TWO_FORMS(cudaMemcpyArrayToArray,
	  (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
	   size_t from_y, size_t count, enum cudaMemcpyKind kind),
	  array_to_array(to, to_x, to_y, from, from_x, from_y, count, kind, stream))

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
				   size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	return API_END(to_array(to, x, y, from, count, kind, stream, true));
}

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y,
				     size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	return API_END(from_array(to, from, x, y, count, kind, stream, true));
}

/* ---- three dimensions ------------------------------------------------------------ */

/* A side of cudaMemcpy3D as memory with pitches. extent: width in bytes. */
struct pitched_address {
	unsigned char *at;
	size_t pitch, slice;
};

static cudaError_t array_place(const struct array *a, struct cudaPos pos, struct cudaExtent extent,
			       struct pitched_address *ret)
{
	size_t x = pos.x * a->texel, back;
	cudaError_t error = array_room(a, x, pos.y, extent.width, extent.height);
	if (!error && (__builtin_add_overflow(pos.z, extent.depth, &back) || back > a->depth))
		error = cudaErrorInvalidValue;
	*ret = (struct pitched_address){array_at(a, x, pos.y, pos.z), array_pitch(a),
					array_slice(a)};
	return error;
}

/* With an array on the other side, pos.x counts its texels here as well. */
static cudaError_t pitched_place(struct cudaPitchedPtr p, struct cudaPos pos, unsigned texel,
				 struct cudaExtent extent, struct pitched_address *ret)
{
	size_t slice = p.pitch * p.ysize, x = pos.x * texel;
	if (!p.ptr || (p.pitch && x + extent.width > p.pitch))
		return cudaErrorInvalidValue;
	*ret = (struct pitched_address){
		(unsigned char *)p.ptr + pos.z * slice + pos.y * p.pitch + x, p.pitch, slice};
	return cudaSuccess;
}

static cudaError_t place_of(cudaArray_t handle, struct cudaPitchedPtr p, struct cudaPos pos,
			    unsigned texel, struct cudaExtent extent, struct pitched_address *ret)
{
	if (!handle)
		return pitched_place(p, pos, texel, extent, ret);
	struct array *a = array_find(handle);
	return a ? array_place(a, pos, extent, ret) : cudaErrorInvalidResourceHandle;
}

/* The extent's width counts the array's texels; two arrays have to agree on theirs. */
static cudaError_t width_in_bytes(cudaArray_t to, cudaArray_t from, struct cudaExtent *extent,
				  unsigned *texel)
{
	struct array *a = to ? array_find(to) : NULL, *b = from ? array_find(from) : NULL;
	if ((to && !a) || (from && !b))
		return cudaErrorInvalidResourceHandle;
	if (a && b && a->texel != b->texel)
		return cudaErrorInvalidValue;
	*texel = (a ? a : b)->texel;
	return __builtin_mul_overflow(extent->width, *texel, &extent->width) ? cudaErrorInvalidValue
									     : cudaSuccess;
}

cudaError_t copy_of_arrays(const struct cudaMemcpy3DParms *p, struct cudasim_copy *ret)
{
	struct cudaExtent extent = p->extent;
	struct pitched_address to, from;
	unsigned texel;
	*ret = copy_2d(NULL, 0, NULL, 0, 0, 0);
	/* Each side is given once. */
	if ((p->srcArray && p->srcPtr.ptr) || (p->dstArray && p->dstPtr.ptr))
		return cudaErrorInvalidValue;
	cudaError_t error = width_in_bytes(p->dstArray, p->srcArray, &extent, &texel);
	if (error || !extent.width || !extent.height || !extent.depth)
		return error;
	if (p->kind != cudaMemcpyDefault) {
		error = p->dstArray ? check_kind(p->kind, true) : cudaSuccess;
		if (!error && p->srcArray)
			error = check_kind(p->kind, false);
		if (error)
			return cudaErrorInvalidValue;
	}
	error = place_of(p->dstArray, p->dstPtr, p->dstPos, texel, extent, &to);
	if (!error)
		error = place_of(p->srcArray, p->srcPtr, p->srcPos, texel, extent, &from);
	if (error)
		return error;
	*ret = copy_2d(to.at, to.pitch, from.at, from.pitch, extent.width, extent.height);
	ret->depth = extent.depth;
	ret->to_slice = to.slice;
	ret->from_slice = from.slice;
	return cudaSuccess;
}
