/* SPDX-License-Identifier: Apache-2.0 */
/* memcpy.c - copies between linear memory, one, two and three dimensions. */
#include "api.h"
#include "process.h"
#include "copy_submit.h"
#include "registry.h"

/* The default stream of the calls without a stream. */
#define LEGACY ((cudaStream_t)0)

static cudaError_t copy(struct cudasim_copy what, enum cudaMemcpyKind kind, cudaStream_t stream,
			bool async)
{
	cudaError_t error = copy_check(&what, kind);
	return error ? error : copy_submit(stream, &what, async);
}

/* Nothing is to be copied: success, whatever the rest says, and also after a kernel has died.
 * As an H200 answers. */
#define API_BEGIN_COPY(count)                                                                      \
	API_BEGIN;                                                                                 \
	if (!(count) && process_state == PROCESS_READY && device_count() && !api_of_driver())      \
		return API_END(cudaSuccess);                                                       \
	do {                                                                                       \
		cudaError_t error_ = api_context();                                                \
		if (error_)                                                                        \
			return API_END(error_);                                                    \
	} while (0)

cudaError_t cudaMemcpy(void *to, const void *from, size_t count, enum cudaMemcpyKind kind)
{
	API_BEGIN_COPY(count);
	return API_END(copy(copy_1d(to, from, count), kind, LEGACY, false));
}

API_EXPORT cudaError_t cudaMemcpy_ptds(void *to, const void *from, size_t count,
				       enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy_ptds(void *to, const void *from, size_t count, enum cudaMemcpyKind kind)
{
	API_BEGIN_COPY(count);
	return API_END(copy(copy_1d(to, from, count), kind, cudaStreamPerThread, false));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t count, enum cudaMemcpyKind kind,
			    cudaStream_t stream)
{
	API_BEGIN_COPY(count);
	return API_END(copy(copy_1d(to, from, count), kind, stream, true));
}

static cudaError_t copy2d(void *to, size_t to_pitch, const void *from, size_t from_pitch,
			  size_t width, size_t height, enum cudaMemcpyKind kind,
			  cudaStream_t stream, bool async)
{
	return copy(copy_2d(to, to_pitch, from, from_pitch, width, height), kind, stream, async);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
			 size_t width, size_t height, enum cudaMemcpyKind kind)
{
	API_BEGIN_CONTEXT;
	return API_END(copy2d(to, to_pitch, from, from_pitch, width, height, kind, LEGACY, false));
}

API_EXPORT cudaError_t cudaMemcpy2D_ptds(void *to, size_t to_pitch, const void *from,
					 size_t from_pitch, size_t width, size_t height,
					 enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2D_ptds(void *to, size_t to_pitch, const void *from, size_t from_pitch,
			      size_t width, size_t height, enum cudaMemcpyKind kind)
{
	API_BEGIN_CONTEXT;
	return API_END(copy2d(to, to_pitch, from, from_pitch, width, height, kind,
			      cudaStreamPerThread, false));
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
			      size_t width, size_t height, enum cudaMemcpyKind kind,
			      cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	return API_END(copy2d(to, to_pitch, from, from_pitch, width, height, kind, stream, true));
}

/* ---- three dimensions -------------------------------------------------------- */

static void *at(struct cudaPitchedPtr p, struct cudaPos pos)
{
	return (char *)p.ptr + p.pitch * (pos.z * p.ysize + pos.y) + pos.x;
}

/* Do the extent's rows, from pos on, lie in the pitched memory? A pitch or a number of rows that is
 * 0 is not looked at where nothing is multiplied by it. As an H200 answers. */
static cudaError_t check_pitched(struct cudaPitchedPtr p, struct cudaPos pos, struct cudaExtent e)
{
	bool one_row = e.height == 1 && e.depth == 1;
	if (p.pitch < e.width && (p.pitch || !one_row))
		return one_row ? cudaErrorInvalidValue : cudaErrorInvalidPitchValue;
	if (p.ysize < e.height && (p.ysize || e.depth > 1))
		return e.depth > 1 ? cudaErrorInvalidPitchValue : cudaErrorInvalidValue;
	if ((p.pitch && pos.x > p.pitch - e.width) || (p.ysize && pos.y > p.ysize - e.height))
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

static cudaError_t copy_of(struct cudaPitchedPtr to, struct cudaPos to_pos,
			   struct cudaPitchedPtr from, struct cudaPos from_pos,
			   struct cudaExtent extent, struct cudasim_copy *ret)
{
	bool none = !extent.width || !extent.height || !extent.depth;
	*ret = copy_2d(NULL, to.pitch, NULL, from.pitch, extent.width, extent.height);
	ret->depth = extent.depth;
	ret->to_slice = to.pitch * to.ysize;
	ret->from_slice = from.pitch * from.ysize;
	if (!none && (!to.ptr || !from.ptr))
		return cudaErrorInvalidValue;
	if (none)
		return cudaSuccess;
	cudaError_t error = check_pitched(to, to_pos, extent);
	if (!error)
		error = check_pitched(from, from_pos, extent);
	ret->to = at(to, to_pos);
	ret->from = at(from, from_pos);
	return error;
}

cudaError_t copy_of_3d(const struct cudaMemcpy3DParms *p, struct cudasim_copy *ret)
{
	if (p->srcArray || p->dstArray)
		return copy_of_arrays(p, ret);
	return copy_of(p->dstPtr, p->dstPos, p->srcPtr, p->srcPos, p->extent, ret);
}

static cudaError_t copy3d_params(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool async)
{
	struct cudasim_copy what;
	cudaError_t error = p ? copy_of_3d(p, &what) : cudaErrorInvalidValue;
	return error ? error : copy(what, p->kind, stream, async);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
	API_BEGIN_CONTEXT;
	return API_END(copy3d_params(p, LEGACY, false));
}

API_EXPORT cudaError_t cudaMemcpy3D_ptds(const struct cudaMemcpy3DParms *p);
cudaError_t cudaMemcpy3D_ptds(const struct cudaMemcpy3DParms *p)
{
	API_BEGIN_CONTEXT;
	return API_END(copy3d_params(p, cudaStreamPerThread, false));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	return API_END(copy3d_params(p, stream, true));
}

/* ---- between devices --------------------------------------------------------- */

static bool is_device(int ordinal)
{
	return ordinal >= 0 && ordinal < device_count();
}

static cudaError_t copy_peer(void *to, int to_device, const void *from, int from_device,
			     size_t count, cudaStream_t stream, bool async)
{
	if (!count)
		return cudaSuccess;
	if (!is_device(to_device) || !is_device(from_device))
		return cudaErrorInvalidDevice;
	/* Unlike other copies it is ordered with both devices' work. */
	if (!async && to_device != from_device) {
		device_wait(device_get(to_device), 0);
		device_wait(device_get(from_device), 0);
	}
	return copy(copy_1d(to, from, count), cudaMemcpyDefault, stream, async);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t count)
{
	API_BEGIN_CONTEXT;
	return API_END(copy_peer(to, to_device, from, from_device, count, LEGACY, false));
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
				size_t count, cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	return API_END(copy_peer(to, to_device, from, from_device, count, stream, true));
}

static cudaError_t copy3d_peer(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream,
			       bool async)
{
	if (!p)
		return cudaErrorInvalidValue;
	const struct cudaMemcpy3DParms plain = {
		.srcArray = p->srcArray,
		.srcPos = p->srcPos,
		.srcPtr = p->srcPtr,
		.dstArray = p->dstArray,
		.dstPos = p->dstPos,
		.dstPtr = p->dstPtr,
		.extent = p->extent,
		.kind = cudaMemcpyDefault,
	};
	if (!is_device(p->dstDevice) || !is_device(p->srcDevice))
		return cudaErrorInvalidDevice;
	struct cudasim_copy what;
	cudaError_t error = copy_of_3d(&plain, &what);
	return error ? error : copy(what, cudaMemcpyDefault, stream, async);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p)
{
	API_BEGIN_CONTEXT;
	return API_END(copy3d_peer(p, LEGACY, false));
}

API_EXPORT cudaError_t cudaMemcpy3DPeer_ptds(const struct cudaMemcpy3DPeerParms *p);
cudaError_t cudaMemcpy3DPeer_ptds(const struct cudaMemcpy3DPeerParms *p)
{
	API_BEGIN_CONTEXT;
	return API_END(copy3d_peer(p, cudaStreamPerThread, false));
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	return API_END(copy3d_peer(p, stream, true));
}

/* ---- many at once ------------------------------------------------------------ */

/* Hints about when sources are read, from copy starts[i] on. */
static bool are_attributes(const struct cudaMemcpyAttributes *attributes, const size_t *starts,
			   size_t n, size_t count)
{
	if (!attributes || !starts || !n || n > count || starts[0])
		return false;
	for (size_t i = 0; i < n; i++) {
		if (i && (starts[i] <= starts[i - 1] || starts[i] >= count))
			return false;
		if (attributes[i].srcAccessOrder < cudaMemcpySrcAccessOrderStream ||
		    attributes[i].srcAccessOrder > cudaMemcpySrcAccessOrderAny)
			return false;
	}
	return true;
}

cudaError_t cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *sizes,
				 size_t count, struct cudaMemcpyAttributes *attributes,
				 size_t *attribute_starts, size_t n_attributes, cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	if (!to || !from || !sizes || !count || !stream || stream == cudaStreamLegacy ||
	    !are_attributes(attributes, attribute_starts, n_attributes, count))
		return API_END(cudaErrorInvalidValue);
	for (size_t i = 0; i < count; i++) {
		cudaError_t error = copy(copy_1d(to[i], from[i], sizes[i]), cudaMemcpyDefault,
					 stream, true);
		if (error)
			return API_END(error);
	}
	return API_END(cudaSuccess);
}

/* ---- variables --------------------------------------------------------------- */

static cudaError_t copy_symbol(const void *symbol, size_t offset, void *to, const void *from,
			       size_t count, enum cudaMemcpyKind kind, cudaStream_t stream,
			       bool async)
{
	struct variable *v;
	cudaError_t error = registry_variable(symbol, &v);
	if (error)
		return error;
	if (count && (offset > v->variable->size || count > v->variable->size - offset))
		return cudaErrorInvalidValue;
	char *address = (char *)registry_address(v, device_current()) + offset;
	return copy(copy_1d(to ? to : address, from ? from : address, count), kind, stream, async);
}

static cudaError_t to_symbol(const void *symbol, const void *from, size_t count, size_t offset,
			     enum cudaMemcpyKind kind, cudaStream_t stream, bool async)
{
	if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
	    kind != cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	if (!from)
		return cudaErrorInvalidValue;
	return copy_symbol(symbol, offset, NULL, from, count, kind, stream, async);
}

static cudaError_t from_symbol(void *to, const void *symbol, size_t count, size_t offset,
			       enum cudaMemcpyKind kind, cudaStream_t stream, bool async)
{
	if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
	    kind != cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	if (!to)
		return cudaErrorInvalidValue;
	return copy_symbol(symbol, offset, to, NULL, count, kind, stream, async);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t count, size_t offset,
			       enum cudaMemcpyKind kind)
{
	API_BEGIN_CONTEXT;
	return API_END(to_symbol(symbol, from, count, offset, kind, LEGACY, false));
}

API_EXPORT cudaError_t cudaMemcpyToSymbol_ptds(const void *symbol, const void *from, size_t count,
					       size_t offset, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToSymbol_ptds(const void *symbol, const void *from, size_t count,
				    size_t offset, enum cudaMemcpyKind kind)
{
	API_BEGIN_CONTEXT;
	return API_END(to_symbol(symbol, from, count, offset, kind, cudaStreamPerThread, false));
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t count,
				    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	return API_END(to_symbol(symbol, from, count, offset, kind, stream, true));
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t count, size_t offset,
				 enum cudaMemcpyKind kind)
{
	API_BEGIN_CONTEXT;
	return API_END(from_symbol(to, symbol, count, offset, kind, LEGACY, false));
}

API_EXPORT cudaError_t cudaMemcpyFromSymbol_ptds(void *to, const void *symbol, size_t count,
						 size_t offset, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromSymbol_ptds(void *to, const void *symbol, size_t count, size_t offset,
				      enum cudaMemcpyKind kind)
{
	API_BEGIN_CONTEXT;
	return API_END(from_symbol(to, symbol, count, offset, kind, cudaStreamPerThread, false));
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t count, size_t offset,
				      enum cudaMemcpyKind kind, cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	return API_END(from_symbol(to, symbol, count, offset, kind, stream, true));
}

/* The variable that ret is to be told of. */
static cudaError_t variable_for(const void *ret, const void *symbol, struct variable **v)
{
	return ret ? registry_variable(symbol, v) : cudaErrorInvalidValue;
}

cudaError_t cudaGetSymbolAddress(void **ret, const void *symbol)
{
	API_BEGIN_CONTEXT;
	struct variable *v;
	cudaError_t error = variable_for(ret, symbol, &v);
	if (!error)
		*ret = registry_address(v, device_current());
	return API_END(error);
}

cudaError_t cudaGetSymbolSize(size_t *ret, const void *symbol)
{
	API_BEGIN_CONTEXT;
	struct variable *v;
	cudaError_t error = variable_for(ret, symbol, &v);
	if (!error)
		*ret = v->variable->size;
	return API_END(error);
}
