/* SPDX-License-Identifier: Apache-2.0 */
/* array.c - calls that make, describe and free arrays and mipmapped arrays. */
#include "array.h"

#include "api.h"
#include "observer.h"

static cudaError_t make(cudaArray_t *ret, const struct cudaChannelFormatDesc *format,
			struct cudaExtent extent, unsigned flags)
{
	struct array *a;
	if (!ret || !format)
		return cudaErrorInvalidValue;
	cudaError_t error = array_new(format, extent, flags, api_name(), &a);
	if (!error)
		*ret = (cudaArray_t)a;
	return error;
}

cudaError_t cudaMallocArray(cudaArray_t *ret, const struct cudaChannelFormatDesc *format,
			    size_t width, size_t height, unsigned flags)
{
	API_BEGIN_UNSAFE;
	struct cudaExtent extent = {.width = width, .height = height};
	return API_END(make(ret, format, extent, flags));
}

cudaError_t cudaMalloc3DArray(cudaArray_t *ret, const struct cudaChannelFormatDesc *format,
			      struct cudaExtent extent, unsigned flags)
{
	API_BEGIN_UNSAFE;
	return API_END(make(ret, format, extent, flags));
}

static cudaError_t make_mipmap(cudaMipmappedArray_t *ret,
			       const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
			       unsigned n_levels, unsigned flags)
{
	struct mipmap *m;
	if (!ret || !format)
		return cudaErrorInvalidValue;
	cudaError_t error = mipmap_new(format, extent, n_levels, flags, api_name(), &m);
	if (!error)
		*ret = (cudaMipmappedArray_t)m;
	return error;
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *ret,
				     const struct cudaChannelFormatDesc *format,
				     struct cudaExtent extent, unsigned n_levels, unsigned flags)
{
	API_BEGIN_UNSAFE;
	return API_END(make_mipmap(ret, format, extent, n_levels, flags));
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *ret, cudaMipmappedArray_const_t handle,
				       unsigned level)
{
	API_BEGIN_CONTEXT;
	struct mipmap *m = mipmap_find(handle);
	if (!ret)
		return API_END(cudaErrorInvalidValue);
	if (!m)
		return API_END(cudaErrorInvalidResourceHandle);
	if (level >= m->n_levels)
		return API_END(cudaErrorInvalidValue);
	*ret = (cudaArray_t)m->levels[level];
	return API_END(cudaSuccess);
}

/* Work in flight may still use the memory. Freeing NULL does nothing; an H200 answers
 * a second free as below. */
static cudaError_t free_array(cudaArray_t handle)
{
	if (!handle)
		return cudaSuccess;
	struct array *a = array_find(handle);
	if (!a)
		return cudaErrorContextIsDestroyed;
	if (a->mipmap)
		return cudaErrorInvalidResourceHandle;
	device_wait(device_get(a->device), 0);
	cudaError_t error = api_synchronized(device_get(a->device));
	if (!error)
		array_free(a, api_name());
	if (!error)
		observe_handle_of(CUDASIM_HANDLE_ARRAY, (uintptr_t)handle, true);
	return error;
}

cudaError_t cudaFreeArray(cudaArray_t handle)
{
	API_BEGIN_UNSAFE;
	return API_END(free_array(handle));
}

static cudaError_t free_mipmap(cudaMipmappedArray_t handle)
{
	if (!handle)
		return cudaSuccess;
	struct mipmap *m = mipmap_find(handle);
	if (!m)
		return cudaErrorContextIsDestroyed;
	device_wait(device_get(m->levels[0]->device), 0);
	cudaError_t error = api_synchronized(device_get(m->levels[0]->device));
	if (!error)
		mipmap_free(m, api_name());
	if (!error)
		observe_handle_of(CUDASIM_HANDLE_MIPMAPPED_ARRAY, (uintptr_t)handle, true);
	return error;
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t handle)
{
	API_BEGIN_UNSAFE;
	return API_END(free_mipmap(handle));
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
			     unsigned *flags, cudaArray_t handle)
{
	API_BEGIN_CONTEXT;
	struct array *a = array_find(handle);
	if (!a)
		return API_END(cudaErrorInvalidResourceHandle);
	if (format)
		*format = a->format;
	if (extent)
		*extent = a->extent;
	if (flags)
		*flags = a->flags;
	return API_END(cudaSuccess);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *ret, cudaArray_const_t handle)
{
	API_BEGIN_CONTEXT;
	struct array *a = array_find(handle);
	if (!ret)
		return API_END(cudaErrorInvalidValue);
	if (!a)
		return API_END(cudaErrorInvalidResourceHandle);
	*ret = a->format;
	return API_END(cudaSuccess);
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
						   enum cudaChannelFormatKind kind)
{
	return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *ret,
						 const struct cudaChannelFormatDesc *format,
						 int device)
{
	API_BEGIN;
	if (!ret || !format)
		return API_END(cudaErrorInvalidValue);
	if (device < 0 || device >= device_count())
		return API_END(cudaErrorInvalidDevice);
	unsigned bytes = format_bytes(format);
	if (!bytes)
		return API_END(cudaErrorInvalidChannelDescriptor);
	*ret = ((size_t)1 << 32) / bytes; /* as an H200 */
	return API_END(cudaSuccess);
}

/* Arrays here have one plane, and their memory is not sparse and not deferred. */
cudaError_t cudaArrayGetPlane(cudaArray_t *plane, cudaArray_t handle, unsigned index)
{
	API_BEGIN_CONTEXT;
	(void)plane, (void)handle, (void)index;
	return API_END(cudaErrorInvalidValue);
}

cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *ret,
					   cudaArray_t handle, int device)
{
	API_BEGIN_CONTEXT;
	(void)ret, (void)handle, (void)device;
	return API_END(cudaErrorInvalidValue);
}

cudaError_t cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *ret,
						    cudaMipmappedArray_t handle, int device)
{
	API_BEGIN_CONTEXT;
	(void)ret, (void)handle, (void)device;
	return API_END(cudaErrorInvalidValue);
}

cudaError_t cudaArrayGetSparseProperties(struct cudaArraySparseProperties *ret, cudaArray_t handle)
{
	API_BEGIN_CONTEXT;
	(void)ret, (void)handle;
	return API_END(cudaErrorInvalidValue);
}

cudaError_t cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *ret,
						  cudaMipmappedArray_t handle)
{
	API_BEGIN_CONTEXT;
	(void)ret, (void)handle;
	return API_END(cudaErrorInvalidValue);
}
