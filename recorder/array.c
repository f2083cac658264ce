/* SPDX-License-Identifier: Apache-2.0 */
/* array.c - CUDA arrays that kernels can write: those made with cudaArraySurfaceLoadStore.
 * Their texels have no addresses; copies bring them. Each level of a mipmapped array is
 * an array. */
#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#pragma GCC visibility pop
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

/* One channel's type as --type calls it; "" for what surfaces cannot write. */
static const char *element_of(const struct cudaChannelFormatDesc *format)
{
	static const struct {
		int kind, bits;
		const char *name;
	} types[] = {
		{cudaChannelFormatKindFloat, 32, "float"},
		{cudaChannelFormatKindFloat, 16, "half"},
		{cudaChannelFormatKindSigned, 8, "int8"},
		{cudaChannelFormatKindUnsigned, 8, "uint8"},
		{cudaChannelFormatKindSigned, 16, "int16"},
		{cudaChannelFormatKindUnsigned, 16, "uint16"},
		{cudaChannelFormatKindSigned, 32, "int"},
		{cudaChannelFormatKindUnsigned, 32, "uint"},
	};
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if ((int)format->f == types[i].kind && format->x == types[i].bits)
			return types[i].name;
	return "";
}

static size_t at_least_one(size_t n)
{
	return n ? n : 1;
}

/* Bytes of a row, and the extent that a copy of all texels has. */
static size_t describe(cudaArray_t array, struct cudaExtent *ret, const char **ret_element)
{
	struct cudaChannelFormatDesc format;
	struct cudaExtent extent;
	unsigned flags;
	if (real.array_get_info(&format, &extent, &flags, array))
		return 0;
	*ret = (struct cudaExtent){at_least_one(extent.width), at_least_one(extent.height),
				   at_least_one(extent.depth)};
	if (ret_element)
		*ret_element = element_of(&format);
	return ret->width * (size_t)(format.x + format.y + format.z + format.w) / 8;
}

const unsigned char *array_read(const struct memory *m)
{
	static unsigned char *texels;
	static uint64_t size;
	struct cudaMemcpy3DParms copy = {
		.srcArray = (cudaArray_t)(uintptr_t)m->address,
		.kind = cudaMemcpyDeviceToHost,
	};
	size_t row = describe(copy.srcArray, &copy.extent, NULL);
	if (!row || row * copy.extent.height * copy.extent.depth != m->size)
		return NULL;
	if (m->size > size) {
		free(texels);
		size = m->size;
		texels = malloc(size);
		if (!texels)
			record_die("out of memory");
	}
	copy.dstPtr = (struct cudaPitchedPtr){texels, row, row, copy.extent.height};
	return real.memcpy_3d(&copy) ? NULL : texels;
}

/* A GPU's fresh arrays hold what was there before. */
static void clear(cudaArray_t array, size_t row, struct cudaExtent extent)
{
	void *zeros = calloc(extent.height * extent.depth, row);
	struct cudaMemcpy3DParms copy = {
		.srcPtr = {zeros, row, row, extent.height},
		.dstArray = array,
		.extent = extent,
		.kind = cudaMemcpyHostToDevice,
	};
	if (!zeros)
		record_die("out of memory");
	real.memcpy_3d(&copy);
	free(zeros);
}

static void add(cudaArray_t array, const void *owner, const char *function)
{
	struct cudaExtent extent;
	const char *element;
	size_t row = describe(array, &extent, &element);
	if (!row || !*element)
		return;
	clear(array, row, extent);
	memory_add(RECORD_ARRAY, (uint64_t)(uintptr_t)array, row * extent.height * extent.depth,
		   function, place_of_caller(), element)
		->owner = (uint64_t)(uintptr_t)owner;
}

static cudaError_t made(cudaError_t error, cudaArray_t *array, unsigned flags, const char *function)
{
	if (error || !(flags & cudaArraySurfaceLoadStore) || !record_enter())
		return error;
	add(*array, *array, function);
	record_leave();
	return error;
}

cudaError_t cudaMallocArray(cudaArray_t *ret, const struct cudaChannelFormatDesc *format,
			    size_t width, size_t height, unsigned flags)
{
	cudaError_t error = CALL(cudaMallocArray, ret, format, width, height, flags);
	return made(error, ret, flags, __func__);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *ret, const struct cudaChannelFormatDesc *format,
			      struct cudaExtent extent, unsigned flags)
{
	cudaError_t error = CALL(cudaMalloc3DArray, ret, format, extent, flags);
	return made(error, ret, flags, __func__);
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *ret,
				     const struct cudaChannelFormatDesc *format,
				     struct cudaExtent extent, unsigned n_levels, unsigned flags)
{
	cudaError_t error = CALL(cudaMallocMipmappedArray, ret, format, extent, n_levels, flags);
	if (error || !(flags & cudaArraySurfaceLoadStore) || !record_enter())
		return error;
	for (unsigned i = 0; i < n_levels; i++) {
		cudaArray_t level;
		if (real.get_mipmapped_array_level(&level, *ret, i)) {
			/* It has fewer levels than were asked for. */
			real.get_last_error();
			break;
		}
		add(level, *ret, __func__);
	}
	record_leave();
	return error;
}

static void gone(const void *handle)
{
	if (!handle || !record_enter())
		return;
	memory_remove_arrays((uint64_t)(uintptr_t)handle);
	record_leave();
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
	gone(array);
	return CALL(cudaFreeArray, array);
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array)
{
	gone(array);
	return CALL(cudaFreeMipmappedArray, array);
}
