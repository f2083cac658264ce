/* SPDX-License-Identifier: Apache-2.0 */
/* texture.c - calls that make, describe and destroy texture and surface objects. */
#include "texture.h"

#include <string.h>

#include "api.h"
#include "array.h"
#include "memory.h"
#include "observer.h"

/* What linear and pitched memory has to be aligned to, in bytes: an H200's attributes
 * cudaDevAttrTextureAlignment and cudaDevAttrTexturePitchAlignment, and most texels of
 * linear memory and of pitched rows and columns. */
enum {
	ALIGNMENT = 512,
	PITCH_ALIGNMENT = 32,
	MAX_WIDTH = 131072,
	MAX_HEIGHT = 65000,
	MAX_PITCH = 2097120,
};
#define MAX_LINEAR (1ull << 28)

/* ---- resources ------------------------------------------------------------------- */

static struct texture_level level_of(const struct array *a)
{
	return (struct texture_level){
		.base = a->base,
		.width = (uint32_t)a->width,
		.height = (uint32_t)a->height,
		.depth = (uint32_t)a->depth,
		.pitch = array_pitch(a),
		.slice = array_slice(a),
	};
}

static void take_format(struct texture *t, const struct cudaChannelFormatDesc *f)
{
	t->format = (struct texel_format){
		.bits = (uint8_t)f->x,
		.bytes = (uint8_t)format_bytes(f),
		.kind = (uint8_t)f->f,
		.n_channels = (uint8_t)(format_bytes(f) * 8 / (unsigned)f->x),
	};
}

static void take_array(struct texture *t, const struct array *a)
{
	const bool cube = a->flags & cudaArrayCubemap;
	take_format(t, &a->format);
	t->device = a->device;
	t->layered = a->flags & cudaArrayLayered;
	t->shape = cube ? SHAPE_CUBE : a->extent.depth && !t->layered ? SHAPE_VOLUME : SHAPE_FLAT;
	t->n_layers = cube ? (uint32_t)a->depth / 6 : t->layered ? (uint32_t)a->depth : 1;
	t->levels[t->n_levels++] = level_of(a);
}

static cudaError_t take_array_handle(struct texture *t, cudaArray_const_t handle)
{
	struct array *a = array_find(handle);
	if (!a)
		return cudaErrorInvalidResourceHandle;
	take_array(t, a);
	return cudaSuccess;
}

static cudaError_t take_mipmap(struct texture *t, cudaMipmappedArray_const_t handle)
{
	struct mipmap *m = mipmap_find(handle);
	if (!m)
		return cudaErrorInvalidResourceHandle;
	for (unsigned l = 0; l < m->n_levels; l++)
		take_array(t, m->levels[l]);
	return cudaSuccess;
}

/* Device or managed memory, or pinned memory, which devices can read. */
static bool reachable(const void *ptr)
{
	struct allocation a;
	return memory_lookup(ptr, &a) && a.kind != CUDASIM_MEMORY_HEAP;
}

static cudaError_t take_memory(struct texture *t, void *ptr,
			       const struct cudaChannelFormatDesc *format)
{
	if (!format_bytes(format))
		return cudaErrorInvalidChannelDescriptor;
	if (!ptr || (uintptr_t)ptr % ALIGNMENT || !reachable(ptr))
		return cudaErrorInvalidValue;
	take_format(t, format);
	t->device = (int)device_current()->ordinal;
	t->n_layers = t->n_levels = 1;
	return cudaSuccess;
}

static cudaError_t take_linear(struct texture *t, const struct cudaResourceDesc *r)
{
	cudaError_t error = take_memory(t, r->res.linear.devPtr, &r->res.linear.desc);
	if (error)
		return error;
	uint64_t n = r->res.linear.sizeInBytes / t->format.bytes;
	if (n > MAX_LINEAR)
		return cudaErrorInvalidValue;
	t->shape = SHAPE_LINEAR;
	t->levels[0] = (struct texture_level){
		.base = r->res.linear.devPtr,
		.width = (uint32_t)n,
		.height = 1,
		.depth = 1,
	};
	return cudaSuccess;
}

static cudaError_t take_pitched(struct texture *t, const struct cudaResourceDesc *r)
{
	cudaError_t error = take_memory(t, r->res.pitch2D.devPtr, &r->res.pitch2D.desc);
	size_t width = r->res.pitch2D.width, height = r->res.pitch2D.height;
	size_t pitch = r->res.pitch2D.pitchInBytes;
	if (error)
		return error;
	/* Rows may overlap, and a width or height of 0 is taken, too. */
	if (width > MAX_WIDTH || height > MAX_HEIGHT || pitch > MAX_PITCH ||
	    pitch % PITCH_ALIGNMENT)
		return cudaErrorInvalidValue;
	t->shape = SHAPE_FLAT;
	t->levels[0] = (struct texture_level){
		.base = r->res.pitch2D.devPtr,
		.width = (uint32_t)width,
		.height = height ? (uint32_t)height : 1,
		.depth = 1,
		.pitch = pitch,
		.slice = pitch * height,
	};
	return cudaSuccess;
}

static cudaError_t take_resource(struct texture *t, const struct cudaResourceDesc *r)
{
	t->resource = *r;
	switch (r->resType) {
	case cudaResourceTypeArray:
		return take_array_handle(t, r->res.array.array);
	case cudaResourceTypeMipmappedArray:
		return take_mipmap(t, r->res.mipmap.mipmap);
	case cudaResourceTypeLinear:
		return take_linear(t, r);
	case cudaResourceTypePitch2D:
		return take_pitched(t, r);
	default:
		return cudaErrorInvalidValue;
	}
}

/* ---- views ------------------------------------------------------------------------- */

/* Of enum cudaResourceViewFormat 1..20: three by three of (1, 2, 4 channels) of unsigned
 * and signed 8, 16 and 32 bits, then halves, then floats. */
static struct cudaChannelFormatDesc view_format(enum cudaResourceViewFormat format)
{
	static const struct {
		int bits;
		enum cudaChannelFormatKind kind;
	} rows[] = {
		{8, cudaChannelFormatKindUnsigned},  {8, cudaChannelFormatKindSigned},
		{16, cudaChannelFormatKindUnsigned}, {16, cudaChannelFormatKindSigned},
		{32, cudaChannelFormatKindUnsigned}, {32, cudaChannelFormatKindSigned},
		{16, cudaChannelFormatKindFloat},    {32, cudaChannelFormatKindFloat},
	};
	unsigned i = (unsigned)format - 1, n = 1u << i % 3;
	if (format < cudaResViewFormatUnsignedChar1 || format > cudaResViewFormatFloat4)
		return (struct cudaChannelFormatDesc){0};
	int b = rows[i / 3].bits;
	return (struct cudaChannelFormatDesc){b, n > 1 ? b : 0, n > 2 ? b : 0, n > 2 ? b : 0,
					      rows[i / 3].kind};
}

static bool one_of(unsigned first, unsigned last, unsigned most)
{
	return first <= last && last < most;
}

/* The same texels under another name; levels and layers may be fewer. */
static cudaError_t take_view(struct texture *t, const struct cudaResourceViewDesc *v)
{
	struct cudaChannelFormatDesc format = view_format(v->format);
	t->view = *v;
	t->has_view = true;
	/* Memory has none: what is said of it does not count. */
	if (t->resource.resType != cudaResourceTypeArray &&
	    t->resource.resType != cudaResourceTypeMipmappedArray)
		return cudaSuccess;
	if (v->format == cudaResViewFormatNone)
		format = (struct cudaChannelFormatDesc){0};
	else if (format_bytes(&format) != t->format.bytes)
		return cudaErrorInvalidValue;
	else
		take_format(t, &format);
	if (v->width != t->levels[0].width || (v->height ? v->height : 1) != t->levels[0].height)
		return cudaErrorInvalidValue;
	if (!one_of(v->firstMipmapLevel, v->lastMipmapLevel, t->n_levels) ||
	    !one_of(v->firstLayer, v->lastLayer, t->n_layers))
		return cudaErrorInvalidValue;
	t->n_levels = v->lastMipmapLevel - v->firstMipmapLevel + 1;
	memmove(t->levels, t->levels + v->firstMipmapLevel, t->n_levels * sizeof *t->levels);
	if (!t->layered)
		return cudaSuccess;
	t->n_layers = v->lastLayer - v->firstLayer + 1;
	unsigned slices = v->firstLayer * (t->shape == SHAPE_CUBE ? 6 : 1);
	for (unsigned l = 0; l < t->n_levels; l++)
		t->levels[l].base += slices * t->levels[l].slice;
	return cudaSuccess;
}

/* ---- textures ---------------------------------------------------------------------- */

static cudaError_t check_reading(const struct texture *t, const struct cudaTextureDesc *how)
{
	const struct texel_format *f = &t->format;
	const bool integer = f->kind != cudaChannelFormatKindFloat;
	const bool normalizes = how->readMode == cudaReadModeNormalizedFloat;
	if (how->filterMode != cudaFilterModePoint && how->filterMode != cudaFilterModeLinear)
		return cudaErrorInvalidValue;
	for (unsigned k = 0; k < 3; k++)
		if (how->addressMode[k] < cudaAddressModeWrap ||
		    how->addressMode[k] > cudaAddressModeBorder)
			return cudaErrorInvalidValue;
	if (how->filterMode == cudaFilterModeLinear && integer && (!normalizes || f->bits == 32) &&
	    t->shape != SHAPE_LINEAR)
		return cudaErrorInvalidFilterSetting;
	if (normalizes && (!integer || f->bits == 32))
		return cudaErrorInvalidNormSetting;
	return cudaSuccess;
}

static void take_reading(struct texture *t, const struct cudaTextureDesc *how)
{
	t->how = *how;
	t->format.normalized = how->readMode == cudaReadModeNormalizedFloat;
	t->format.srgb = how->sRGB != 0;
	t->normalized_coords = how->normalizedCoords != 0 || t->shape == SHAPE_CUBE;
	t->linear = how->filterMode == cudaFilterModeLinear;
	t->mip_linear = how->mipmapFilterMode == cudaFilterModeLinear;
	memcpy(t->address, how->addressMode, sizeof t->address);
	texel_encode(&t->format, how->borderColor, t->border);
	t->seamless = how->seamlessCubemap != 0;
	t->bias = lod_fixed(how->mipmapLevelBias);
	t->min_lod = lod_fixed(how->minMipmapLevelClamp);
	t->max_lod = lod_fixed(how->maxMipmapLevelClamp);
}

static cudaError_t make_texture(cudaTextureObject_t *ret, const struct cudaResourceDesc *r,
				const struct cudaTextureDesc *how,
				const struct cudaResourceViewDesc *view)
{
	struct texture t = {0};
	if (!ret || !r)
		return cudaErrorInvalidValue;
	if (!how)
		return cudaErrorInvalidResourceHandle;
	cudaError_t error = take_resource(&t, r);
	if (!error && view)
		error = take_view(&t, view);
	if (!error)
		error = check_reading(&t, how);
	if (error)
		return error;
	take_reading(&t, how);
	return texture_add(&t, ret);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *ret, const struct cudaResourceDesc *r,
				    const struct cudaTextureDesc *how,
				    const struct cudaResourceViewDesc *view)
{
	API_BEGIN_CONTEXT;
	return API_END(make_texture(ret, r, how, view));
}

/* An H200 takes any number. */
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle)
{
	API_BEGIN_CONTEXT;
	const bool is = texture_find(handle);
	if (is)
		texture_remove(handle);
	observe_handle_of(CUDASIM_HANDLE_TEXTURE, handle, is);
	return API_END(cudaSuccess);
}

/* ---- what was asked for -------------------------------------------------------------- */

static cudaError_t look(const void *ret, unsigned long long handle, bool is_surface,
			const struct texture **t)
{
	*t = texture_find(handle);
	if (!*t)
		observe_handle_of(is_surface ? CUDASIM_HANDLE_SURFACE : CUDASIM_HANDLE_TEXTURE,
				  handle, false);
	return ret && *t && (*t)->is_surface == is_surface ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t resource_of(struct cudaResourceDesc *ret, cudaTextureObject_t handle,
			       bool is_surface)
{
	const struct texture *t;
	cudaError_t error = look(ret, handle, is_surface, &t);
	if (!error)
		*ret = t->resource;
	return error;
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *ret,
					     cudaTextureObject_t handle)
{
	API_BEGIN_CONTEXT;
	return API_END(resource_of(ret, handle, false));
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *ret, cudaTextureObject_t handle)
{
	API_BEGIN_CONTEXT;
	const struct texture *t;
	cudaError_t error = look(ret, handle, false, &t);
	if (!error)
		*ret = t->how;
	return API_END(error);
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *ret,
						 cudaTextureObject_t handle)
{
	API_BEGIN_CONTEXT;
	const struct texture *t;
	cudaError_t error = look(ret, handle, false, &t);
	if (!error)
		*ret = t->view;
	return API_END(error);
}

/* ---- surfaces ------------------------------------------------------------------------ */

static cudaError_t make_surface(cudaSurfaceObject_t *ret, const struct cudaResourceDesc *r)
{
	struct texture t = {.is_surface = true};
	if (!ret || !r)
		return cudaErrorInvalidValue;
	if (r->resType != cudaResourceTypeArray) {
		cudaError_t error = take_resource(&t, r);
		return error ? error : cudaErrorInvalidValue;
	}
	struct array *a = array_find(r->res.array.array);
	if (!a)
		return cudaErrorInvalidResourceHandle;
	t.resource = *r;
	take_array(&t, a);
	/* A texture fetch of it reads texels as they are, as on an H200. */
	for (unsigned k = 0; k < 3; k++)
		t.address[k] = cudaAddressModeClamp;
	return texture_add(&t, ret);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *ret, const struct cudaResourceDesc *r)
{
	API_BEGIN_CONTEXT;
	return API_END(make_surface(ret, r));
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle)
{
	API_BEGIN_CONTEXT;
	const bool is = texture_find(handle);
	if (is)
		texture_remove(handle);
	observe_handle_of(CUDASIM_HANDLE_SURFACE, handle, is);
	return API_END(cudaSuccess);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *ret,
					     cudaSurfaceObject_t handle)
{
	API_BEGIN_CONTEXT;
	return API_END(resource_of(ret, handle, true));
}
