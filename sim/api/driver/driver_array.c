/* SPDX-License-Identifier: Apache-2.0 */
/* driver_array.c - the driver's arrays, copies in two and three dimensions, textures and
 * surfaces. The handles are the runtime's; what is said of them has the driver's forms. */
#include "driver_api.h"

#include <string.h>

#include "array.h"
#include "copy_submit.h"

/* ---- formats ---------------------------------------------------------------------------- */

static const struct {
	CUarray_format format;
	int bits;
	enum cudaChannelFormatKind kind;
} formats[] = {
	{CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
	{CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
	{CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
	{CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
	{CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
	{CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
	{CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
	{CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

static bool channels(CUarray_format format, unsigned n, struct cudaChannelFormatDesc *ret)
{
	for (size_t i = 0; i < N_FORMATS; i++) {
		int bits = formats[i].bits;
		if (formats[i].format != format || (n != 1 && n != 2 && n != 4))
			continue;
		*ret = (struct cudaChannelFormatDesc){bits, n > 1 ? bits : 0, n > 2 ? bits : 0,
						      n > 2 ? bits : 0, formats[i].kind};
		return true;
	}
	return false;
}

static void tell_format(const struct cudaChannelFormatDesc *d, CUarray_format *format, unsigned *n)
{
	*n = d->y ? d->w ? 4 : 2 : 1;
	for (size_t i = 0; i < N_FORMATS; i++)
		if (formats[i].bits == d->x && formats[i].kind == d->f)
			*format = formats[i].format;
}

/* ---- arrays ------------------------------------------------------------------------------ */

static CUresult call_cuArray3DCreate(CUarray *ret, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	struct cudaChannelFormatDesc format;
	if (!ret || !d || !channels(d->Format, d->NumChannels, &format))
		return CUDA_ERROR_INVALID_VALUE;
	/* The flags have the runtime's numbers. */
	return (CUresult)cudaMalloc3DArray((cudaArray_t *)ret, &format,
					   (struct cudaExtent){d->Width, d->Height, d->Depth},
					   d->Flags);
}
SAME(cuArray3DCreate, (CUarray * ret, const CUDA_ARRAY3D_DESCRIPTOR *d),
     call_cuArray3DCreate(ret, d))

static CUresult call_cuArrayCreate(CUarray *ret, const CUDA_ARRAY_DESCRIPTOR *d)
{
	if (!d)
		return CUDA_ERROR_INVALID_VALUE;
	CUDA_ARRAY3D_DESCRIPTOR all = {.Width = d->Width,
				       .Height = d->Height,
				       .Format = d->Format,
				       .NumChannels = d->NumChannels};
	return cuArray3DCreate(ret, &all);
}
SAME(cuArrayCreate, (CUarray * ret, const CUDA_ARRAY_DESCRIPTOR *d), call_cuArrayCreate(ret, d))

SAME(cuArrayDestroy, (CUarray array), cudaFreeArray((cudaArray_t)array))

static CUresult call_cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *ret, CUarray array)
{
	struct cudaChannelFormatDesc format;
	struct cudaExtent extent;
	unsigned flags;
	cudaError_t error = ret ? cudaArrayGetInfo(&format, &extent, &flags, (cudaArray_t)array)
				: cudaErrorInvalidValue;
	if (error)
		return (CUresult)error;
	*ret = (CUDA_ARRAY3D_DESCRIPTOR){.Width = extent.width,
					 .Height = extent.height,
					 .Depth = extent.depth,
					 .Flags = flags};
	tell_format(&format, &ret->Format, &ret->NumChannels);
	return CUDA_SUCCESS;
}
SAME(cuArray3DGetDescriptor, (CUDA_ARRAY3D_DESCRIPTOR * ret, CUarray array),
     call_cuArray3DGetDescriptor(ret, array))

static CUresult call_cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *ret, CUarray array)
{
	CUDA_ARRAY3D_DESCRIPTOR all;
	CUresult result = ret ? cuArray3DGetDescriptor(&all, array) : CUDA_ERROR_INVALID_VALUE;
	if (!result)
		*ret = (CUDA_ARRAY_DESCRIPTOR){all.Width, all.Height, all.Format, all.NumChannels};
	return result;
}
SAME(cuArrayGetDescriptor, (CUDA_ARRAY_DESCRIPTOR * ret, CUarray array),
     call_cuArrayGetDescriptor(ret, array))

static CUresult call_cuMipmappedArrayCreate(CUmipmappedArray *ret, const CUDA_ARRAY3D_DESCRIPTOR *d,
					    unsigned n_levels)
{
	struct cudaChannelFormatDesc format;
	if (!ret || !d || !channels(d->Format, d->NumChannels, &format))
		return CUDA_ERROR_INVALID_VALUE;
	return (CUresult)cudaMallocMipmappedArray(
		(cudaMipmappedArray_t *)ret, &format,
		(struct cudaExtent){d->Width, d->Height, d->Depth}, n_levels, d->Flags);
}
SAME(cuMipmappedArrayCreate,
     (CUmipmappedArray * ret, const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned n_levels),
     call_cuMipmappedArrayCreate(ret, d, n_levels))

SAME(cuMipmappedArrayGetLevel, (CUarray * ret, CUmipmappedArray array, unsigned level),
     cudaGetMipmappedArrayLevel((cudaArray_t *)ret, (cudaMipmappedArray_const_t)array, level))
SAME(cuMipmappedArrayDestroy, (CUmipmappedArray array),
     cudaFreeMipmappedArray((cudaMipmappedArray_t)array))

/* ---- copies ------------------------------------------------------------------------------- */

/* One end of a copy of extent e (width in bytes), its position in bytes, rows and slices. */
struct end {
	CUmemorytype type;
	const void *host;
	CUdeviceptr device;
	CUarray array;
	size_t x, y, z, pitch, height;
};

static cudaError_t find_end(const struct end *end, struct cudaExtent e, unsigned char **base,
			    uint64_t *pitch, uint64_t *slice)
{
	size_t row = end->x + e.width;
	if (end->type == CU_MEMORYTYPE_ARRAY) {
		struct array *a = array_find((cudaArray_const_t)end->array);
		if (!a)
			return cudaErrorInvalidResourceHandle;
		if (row > array_pitch(a) || end->y + e.height > a->height ||
		    end->z + e.depth > a->depth || row < e.width || end->y + e.height < e.height ||
		    end->z + e.depth < e.depth)
			return cudaErrorInvalidValue;
		*pitch = array_pitch(a);
		*slice = array_slice(a);
		*base = a->base;
	} else {
		*base = end->type == CU_MEMORYTYPE_HOST ? (unsigned char *)(uintptr_t)end->host
							: (unsigned char *)DEVICE(end->device);
		if (end->type < CU_MEMORYTYPE_HOST || end->type > CU_MEMORYTYPE_UNIFIED || !*base)
			return cudaErrorInvalidValue;
		/* Not told: rows and slices follow each other. */
		*pitch = end->pitch ? end->pitch : row;
		*slice = *pitch * (end->height ? end->height : end->y + e.height);
		if (*pitch < row || (end->height && end->height < end->y + e.height && e.depth > 1))
			return cudaErrorInvalidValue;
	}
	*base += end->z * *slice + end->y * *pitch + end->x;
	return cudaSuccess;
}

static cudaError_t between(const struct end *to, const struct end *from, struct cudaExtent e,
			   struct cudasim_copy *ret)
{
	unsigned char *to_base, *from_base;
	*ret = copy_2d(NULL, 0, NULL, 0, e.width, e.height);
	cudaError_t error = find_end(to, e, &to_base, &ret->to_pitch, &ret->to_slice);
	if (!error)
		error = find_end(from, e, &from_base, &ret->from_pitch, &ret->from_slice);
	if (error)
		return error;
	ret->to = to_base;
	ret->from = from_base;
	ret->depth = e.depth;
	return copy_check(ret, cudaMemcpyDefault);
}

static cudaError_t copy(const char *call, const struct end *to, const struct end *from,
			struct cudaExtent e, CUstream stream, bool async)
{
	struct api_call api_call_;
	struct cudasim_copy what;
	api_begin(&api_call_, call, __builtin_return_address(0));
	cudaError_t error = api_context();
	if (error || !e.width || !e.height || !e.depth)
		return API_END(error);
	error = between(to, from, e, &what);
	return API_END(error ? error : copy_submit(stream, &what, async));
}

static CUresult copy_2d_of(const char *call, const CUDA_MEMCPY2D *p, CUstream stream, bool async)
{
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	struct end to = {
		p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, p->dstXInBytes, p->dstY, 0,
		p->dstPitch,      0};
	struct end from = {
		p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, p->srcXInBytes, p->srcY, 0,
		p->srcPitch,      0};
	return (CUresult)copy(call, &to, &from, (struct cudaExtent){p->WidthInBytes, p->Height, 1},
			      stream, async);
}

#define TO_OF_3D(p)                                                                                \
	(struct end)                                                                               \
	{                                                                                          \
		(p)->dstMemoryType, (p)->dstHost, (p)->dstDevice, (p)->dstArray, (p)->dstXInBytes, \
			(p)->dstY, (p)->dstZ, (p)->dstPitch, (p)->dstHeight                        \
	}
#define FROM_OF_3D(p)                                                                              \
	(struct end)                                                                               \
	{                                                                                          \
		(p)->srcMemoryType, (p)->srcHost, (p)->srcDevice, (p)->srcArray, (p)->srcXInBytes, \
			(p)->srcY, (p)->srcZ, (p)->srcPitch, (p)->srcHeight                        \
	}

cudaError_t driver_copy_of(const CUDA_MEMCPY3D *p, struct cudasim_copy *ret)
{
	struct cudaExtent e = {p->WidthInBytes, p->Height, p->Depth};
	struct end to = TO_OF_3D(p), from = FROM_OF_3D(p);
	cudaError_t error = api_context();
	if (error || p->srcLOD || p->dstLOD || !e.width || !e.height || !e.depth)
		return error ? error : cudaErrorInvalidValue;
	return between(&to, &from, e, ret);
}

static CUresult copy_3d_of(const char *call, const CUDA_MEMCPY3D *p, CUstream stream, bool async)
{
	if (!p || p->srcLOD || p->dstLOD)
		return CUDA_ERROR_INVALID_VALUE;
	struct end to = TO_OF_3D(p), from = FROM_OF_3D(p);
	return (CUresult)copy(call, &to, &from,
			      (struct cudaExtent){p->WidthInBytes, p->Height, p->Depth}, stream,
			      async);
}

/* A context is its device (driver.c), and every device reaches every other's memory. */
static CUresult copy_peer_of(const char *call, const CUDA_MEMCPY3D_PEER *p, CUstream stream,
			     bool async)
{
	if (!p || p->srcLOD || p->dstLOD)
		return CUDA_ERROR_INVALID_VALUE;
	if (!driver_device_of(p->srcContext) || !driver_device_of(p->dstContext))
		return CUDA_ERROR_INVALID_CONTEXT;
	struct end to = TO_OF_3D(p), from = FROM_OF_3D(p);
	return (CUresult)copy(call, &to, &from,
			      (struct cudaExtent){p->WidthInBytes, p->Height, p->Depth}, stream,
			      async);
}

/* Each call that has no stream has a form for the calling thread's own default stream. */
#define TWO_FORMS(name, own_name, parameters, call)                                                \
	CUresult CUDAAPI name parameters                                                           \
	{                                                                                          \
		API_BEGIN;                                                                         \
		const CUstream s = 0;                                                              \
		return (CUresult)API_END((cudaError_t)(call));                                     \
	}                                                                                          \
	API_EXPORT CUresult CUDAAPI own_name parameters;                                           \
	CUresult CUDAAPI own_name parameters                                                       \
	{                                                                                          \
		API_BEGIN;                                                                         \
		const CUstream s = CU_STREAM_PER_THREAD;                                           \
		return (CUresult)API_END((cudaError_t)(call));                                     \
	}

TWO_FORMS(cuMemcpy2D, cuMemcpy2D_v2_ptds, (const CUDA_MEMCPY2D *p),
	  copy_2d_of(__func__, p, s, false))
TWO_FORMS(cuMemcpy2DUnaligned, cuMemcpy2DUnaligned_v2_ptds, (const CUDA_MEMCPY2D *p),
	  copy_2d_of(__func__, p, s, false))
TWO_FORMS(cuMemcpy3D, cuMemcpy3D_v2_ptds, (const CUDA_MEMCPY3D *p),
	  copy_3d_of(__func__, p, s, false))
TWO_FORMS(cuMemcpy3DPeer, cuMemcpy3DPeer_ptds, (const CUDA_MEMCPY3D_PEER *p),
	  copy_peer_of(__func__, p, s, false))
SAME(cuMemcpy2DAsync, (const CUDA_MEMCPY2D *p, CUstream s), copy_2d_of(__func__, p, s, true))
SAME(cuMemcpy3DAsync, (const CUDA_MEMCPY3D *p, CUstream s), copy_3d_of(__func__, p, s, true))
SAME(cuMemcpy3DPeerAsync, (const CUDA_MEMCPY3D_PEER *p, CUstream s),
     copy_peer_of(__func__, p, s, true))

static CUresult copy_row(const char *call, struct end to, struct end from, size_t n, CUstream s,
			 bool async)
{
	return (CUresult)copy(call, &to, &from, (struct cudaExtent){n, 1, 1}, s, async);
}

#define HOST_END(p)                                                                                \
	(struct end)                                                                               \
	{                                                                                          \
		.type = CU_MEMORYTYPE_HOST, .host = (p)                                            \
	}
#define DEVICE_END(p)                                                                              \
	(struct end)                                                                               \
	{                                                                                          \
		.type = CU_MEMORYTYPE_DEVICE, .device = (p)                                        \
	}
#define ARRAY_END(a, at)                                                                           \
	(struct end)                                                                               \
	{                                                                                          \
		.type = CU_MEMORYTYPE_ARRAY, .array = (a), .x = (at)                               \
	}

TWO_FORMS(cuMemcpyHtoA, cuMemcpyHtoA_v2_ptds, (CUarray to, size_t at, const void *from, size_t n),
	  copy_row(__func__, ARRAY_END(to, at), HOST_END(from), n, s, false))
TWO_FORMS(cuMemcpyAtoH, cuMemcpyAtoH_v2_ptds, (void *to, CUarray from, size_t at, size_t n),
	  copy_row(__func__, HOST_END(to), ARRAY_END(from, at), n, s, false))
TWO_FORMS(cuMemcpyDtoA, cuMemcpyDtoA_v2_ptds, (CUarray to, size_t at, CUdeviceptr from, size_t n),
	  copy_row(__func__, ARRAY_END(to, at), DEVICE_END(from), n, s, false))
TWO_FORMS(cuMemcpyAtoD, cuMemcpyAtoD_v2_ptds, (CUdeviceptr to, CUarray from, size_t at, size_t n),
	  copy_row(__func__, DEVICE_END(to), ARRAY_END(from, at), n, s, false))
TWO_FORMS(cuMemcpyAtoA, cuMemcpyAtoA_v2_ptds,
	  (CUarray to, size_t at, CUarray from, size_t from_at, size_t n),
	  copy_row(__func__, ARRAY_END(to, at), ARRAY_END(from, from_at), n, s, false))
SAME(cuMemcpyHtoAAsync, (CUarray to, size_t at, const void *from, size_t n, CUstream s),
     copy_row(__func__, ARRAY_END(to, at), HOST_END(from), n, s, true))
SAME(cuMemcpyAtoHAsync, (void *to, CUarray from, size_t at, size_t n, CUstream s),
     copy_row(__func__, HOST_END(to), ARRAY_END(from, at), n, s, true))

/* ---- textures and surfaces ------------------------------------------------------------------ */

static bool resource(const CUDA_RESOURCE_DESC *d, struct cudaResourceDesc *ret)
{
	*ret = (struct cudaResourceDesc){.flags = d->flags};
	switch (d->resType) {
	case CU_RESOURCE_TYPE_ARRAY:
		ret->resType = cudaResourceTypeArray;
		ret->res.array.array = (cudaArray_t)d->res.array.hArray;
		return true;
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		ret->resType = cudaResourceTypeMipmappedArray;
		ret->res.mipmap.mipmap = (cudaMipmappedArray_t)d->res.mipmap.hMipmappedArray;
		return true;
	case CU_RESOURCE_TYPE_LINEAR:
		ret->resType = cudaResourceTypeLinear;
		ret->res.linear.devPtr = DEVICE(d->res.linear.devPtr);
		ret->res.linear.sizeInBytes = d->res.linear.sizeInBytes;
		return channels(d->res.linear.format, d->res.linear.numChannels,
				&ret->res.linear.desc);
	case CU_RESOURCE_TYPE_PITCH2D:
		ret->resType = cudaResourceTypePitch2D;
		ret->res.pitch2D.devPtr = DEVICE(d->res.pitch2D.devPtr);
		ret->res.pitch2D.width = d->res.pitch2D.width;
		ret->res.pitch2D.height = d->res.pitch2D.height;
		ret->res.pitch2D.pitchInBytes = d->res.pitch2D.pitchInBytes;
		return channels(d->res.pitch2D.format, d->res.pitch2D.numChannels,
				&ret->res.pitch2D.desc);
	default:
		return false;
	}
}

static struct cudaChannelFormatDesc format_of(const struct cudaResourceDesc *r)
{
	struct cudaChannelFormatDesc format = {.f = cudaChannelFormatKindFloat};
	if (r->resType == cudaResourceTypeArray)
		cudaGetChannelDesc(&format, r->res.array.array);
	else if (r->resType == cudaResourceTypeLinear)
		format = r->res.linear.desc;
	else if (r->resType == cudaResourceTypePitch2D)
		format = r->res.pitch2D.desc;
	else if (mipmap_find(r->res.mipmap.mipmap))
		format = mipmap_find(r->res.mipmap.mipmap)->levels[0]->format;
	return format;
}

/* What is read are normalised floats unless the flag says integers; of floats there is no choice. */
static struct cudaTextureDesc texture(const CUDA_TEXTURE_DESC *d, const struct cudaResourceDesc *r)
{
	struct cudaChannelFormatDesc format = format_of(r);
	bool as_it_is = d->flags & CU_TRSF_READ_AS_INTEGER ||
			format.f == cudaChannelFormatKindFloat || format.x == 32;
	struct cudaTextureDesc ret = {
		.filterMode = (enum cudaTextureFilterMode)d->filterMode,
		.readMode = as_it_is ? cudaReadModeElementType : cudaReadModeNormalizedFloat,
		.sRGB = (d->flags & CU_TRSF_SRGB) != 0,
		.normalizedCoords = (d->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
		.maxAnisotropy = d->maxAnisotropy,
		.mipmapFilterMode = (enum cudaTextureFilterMode)d->mipmapFilterMode,
		.mipmapLevelBias = d->mipmapLevelBias,
		.minMipmapLevelClamp = d->minMipmapLevelClamp,
		.maxMipmapLevelClamp = d->maxMipmapLevelClamp,
		.disableTrilinearOptimization = (d->flags &
						 CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0,
		.seamlessCubemap = (d->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0,
	};
	for (int i = 0; i < 3; i++)
		ret.addressMode[i] = (enum cudaTextureAddressMode)d->addressMode[i];
	memcpy(ret.borderColor, d->borderColor, sizeof ret.borderColor);
	return ret;
}

static CUresult call_cuTexObjectCreate(CUtexObject *ret, const CUDA_RESOURCE_DESC *d,
				       const CUDA_TEXTURE_DESC *t,
				       const CUDA_RESOURCE_VIEW_DESC *view)
{
	struct cudaResourceDesc r;
	if (!ret || !d || !t || !resource(d, &r))
		return CUDA_ERROR_INVALID_VALUE;
	struct cudaTextureDesc how = texture(t, &r);
	/* A view has the same members and numbers in both. */
	return (CUresult)cudaCreateTextureObject((cudaTextureObject_t *)ret, &r, &how,
						 (const struct cudaResourceViewDesc *)view);
}
SAME(cuTexObjectCreate,
     (CUtexObject * ret, const CUDA_RESOURCE_DESC *d, const CUDA_TEXTURE_DESC *t,
      const CUDA_RESOURCE_VIEW_DESC *view),
     call_cuTexObjectCreate(ret, d, t, view))

SAME(cuTexObjectDestroy, (CUtexObject object), cudaDestroyTextureObject(object))

static CUresult call_cuSurfObjectCreate(CUsurfObject *ret, const CUDA_RESOURCE_DESC *d)
{
	struct cudaResourceDesc r;
	if (!ret || !d || !resource(d, &r))
		return CUDA_ERROR_INVALID_VALUE;
	return (CUresult)cudaCreateSurfaceObject((cudaSurfaceObject_t *)ret, &r);
}
SAME(cuSurfObjectCreate, (CUsurfObject * ret, const CUDA_RESOURCE_DESC *d),
     call_cuSurfObjectCreate(ret, d))

SAME(cuSurfObjectDestroy, (CUsurfObject object), cudaDestroySurfaceObject(object))

/* ---- what they are asked for ------------------------------------------------------------------- */

static void tell_resource(const struct cudaResourceDesc *d, CUDA_RESOURCE_DESC *ret)
{
	*ret = (CUDA_RESOURCE_DESC){.resType = (CUresourcetype)d->resType, .flags = d->flags};
	switch (d->resType) {
	case cudaResourceTypeArray:
		ret->res.array.hArray = (CUarray)d->res.array.array;
		break;
	case cudaResourceTypeMipmappedArray:
		ret->res.mipmap.hMipmappedArray = (CUmipmappedArray)d->res.mipmap.mipmap;
		break;
	case cudaResourceTypeLinear:
		ret->res.linear.devPtr = (uintptr_t)d->res.linear.devPtr;
		ret->res.linear.sizeInBytes = d->res.linear.sizeInBytes;
		tell_format(&d->res.linear.desc, &ret->res.linear.format,
			    &ret->res.linear.numChannels);
		break;
	default: /* cudaResourceTypePitch2D */
		ret->res.pitch2D.devPtr = (uintptr_t)d->res.pitch2D.devPtr;
		ret->res.pitch2D.width = d->res.pitch2D.width;
		ret->res.pitch2D.height = d->res.pitch2D.height;
		ret->res.pitch2D.pitchInBytes = d->res.pitch2D.pitchInBytes;
		tell_format(&d->res.pitch2D.desc, &ret->res.pitch2D.format,
			    &ret->res.pitch2D.numChannels);
	}
}

static cudaError_t tell_texture(CUDA_TEXTURE_DESC *ret, CUtexObject object)
{
	struct cudaTextureDesc d;
	struct cudaResourceDesc r;
	cudaError_t error = ret ? cudaGetTextureObjectTextureDesc(&d, object)
				: cudaErrorInvalidValue;
	if (!error)
		error = cudaGetTextureObjectResourceDesc(&r, object);
	if (error)
		return error;
	struct cudaChannelFormatDesc format = format_of(&r);
	*ret = (CUDA_TEXTURE_DESC){
		.filterMode = (CUfilter_mode)d.filterMode,
		.maxAnisotropy = d.maxAnisotropy,
		.mipmapFilterMode = (CUfilter_mode)d.mipmapFilterMode,
		.mipmapLevelBias = d.mipmapLevelBias,
		.minMipmapLevelClamp = d.minMipmapLevelClamp,
		.maxMipmapLevelClamp = d.maxMipmapLevelClamp,
	};
	if (d.readMode == cudaReadModeElementType && format.f != cudaChannelFormatKindFloat)
		ret->flags |= CU_TRSF_READ_AS_INTEGER;
	ret->flags |= (d.sRGB ? CU_TRSF_SRGB : 0u) |
		      (d.normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
		      (d.disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION
						      : 0u) |
		      (d.seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0u);
	for (int i = 0; i < 3; i++)
		ret->addressMode[i] = (CUaddress_mode)d.addressMode[i];
	memcpy(ret->borderColor, d.borderColor, sizeof ret->borderColor);
	return cudaSuccess;
}
SAME(cuTexObjectGetTextureDesc, (CUDA_TEXTURE_DESC * ret, CUtexObject object),
     tell_texture(ret, object))

static cudaError_t tell_object(CUDA_RESOURCE_DESC *ret, unsigned long long object, bool surface)
{
	struct cudaResourceDesc r;
	cudaError_t error = !ret      ? cudaErrorInvalidValue
			    : surface ? cudaGetSurfaceObjectResourceDesc(&r, object)
				      : cudaGetTextureObjectResourceDesc(&r, object);
	if (!error)
		tell_resource(&r, ret);
	return error;
}
SAME(cuTexObjectGetResourceDesc, (CUDA_RESOURCE_DESC * ret, CUtexObject object),
     tell_object(ret, object, false))
SAME(cuSurfObjectGetResourceDesc, (CUDA_RESOURCE_DESC * ret, CUsurfObject object),
     tell_object(ret, object, true))

/* The driver's has room behind it. */
static cudaError_t tell_view(CUDA_RESOURCE_VIEW_DESC *ret, CUtexObject object)
{
	struct cudaResourceViewDesc view;
	_Static_assert(sizeof view <= sizeof *ret, "a view");
	cudaError_t error = ret ? cudaGetTextureObjectResourceViewDesc(&view, object)
				: cudaErrorInvalidValue;
	if (!error) {
		memset(ret, 0, sizeof *ret);
		memcpy(ret, &view, sizeof view);
	}
	return error;
}
SAME(cuTexObjectGetResourceViewDesc, (CUDA_RESOURCE_VIEW_DESC * ret, CUtexObject object),
     tell_view(ret, object))

static cudaError_t widest(size_t *ret, CUarray_format format, unsigned n, CUdevice device)
{
	struct cudaChannelFormatDesc d;
	if (!channels(format, n, &d))
		return cudaErrorInvalidValue;
	return cudaDeviceGetTexture1DLinearMaxWidth(ret, &d, device);
}
SAME(cuDeviceGetTexture1DLinearMaxWidth,
     (size_t *ret, CUarray_format format, unsigned n, CUdevice device),
     widest(ret, format, n, device))

/* Arrays here have one plane, and their memory is not sparse and not deferred. */
SAME(cuArrayGetPlane, (CUarray * ret, CUarray array, unsigned i),
     cudaArrayGetPlane((cudaArray_t *)ret, (cudaArray_t)array, i))
SAME(cuArrayGetSparseProperties, (CUDA_ARRAY_SPARSE_PROPERTIES * ret, CUarray array),
     cudaArrayGetSparseProperties((struct cudaArraySparseProperties *)ret, (cudaArray_t)array))
SAME(cuMipmappedArrayGetSparseProperties,
     (CUDA_ARRAY_SPARSE_PROPERTIES * ret, CUmipmappedArray array),
     cudaMipmappedArrayGetSparseProperties((struct cudaArraySparseProperties *)ret,
					   (cudaMipmappedArray_t)array))
SAME(cuArrayGetMemoryRequirements,
     (CUDA_ARRAY_MEMORY_REQUIREMENTS * ret, CUarray array, CUdevice device),
     cudaArrayGetMemoryRequirements((struct cudaArrayMemoryRequirements *)ret, (cudaArray_t)array,
				    device))
SAME(cuMipmappedArrayGetMemoryRequirements,
     (CUDA_ARRAY_MEMORY_REQUIREMENTS * ret, CUmipmappedArray array, CUdevice device),
     cudaMipmappedArrayGetMemoryRequirements((struct cudaArrayMemoryRequirements *)ret,
					     (cudaMipmappedArray_t)array, device))
