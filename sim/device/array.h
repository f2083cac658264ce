/* SPDX-License-Identifier: Apache-2.0 */
/* array.h - CUDA arrays and mipmapped arrays.
 *
 * An array's texels lie row after row, slice after slice, in an ordinary
 * allocation of device memory, so that copies, checkers and faults know them as
 * they know all memory. A GPU's order is its own affair; nothing shows it.
 * All functions are safe from any host thread. */
#ifndef CUDASIM_SIM_ARRAY_H
#define CUDASIM_SIM_ARRAY_H

#include <driver_types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mipmap;

/* What a cudaArray_t points to. */
struct array {
	struct cudaChannelFormatDesc format;
	struct cudaExtent extent;  /* texels, as it was asked for: height, depth may be 0 */
	unsigned flags;            /* cudaArray* */
	unsigned texel;            /* bytes: 1, 2, 4, 8, 16 */
	size_t width, height,
		depth; /* texels, each at least 1; depth counts layers or faces, too */
	unsigned char *base;       /* device memory */
	int device;                /* ordinal */
	struct mipmap *mipmap;     /* whose level it is, or NULL */
	struct array *next;        /* array.c's */
};

/* What a cudaMipmappedArray_t points to. */
struct mipmap {
	struct array **levels;
	unsigned n_levels; /* 1..18 */
	unsigned char *base;
	struct mipmap *next;
};

/* Bytes of a texel of the format; 0 where there is no such format: one, two or
 * four channels of 8, 16 or 32 bits each, floats of 16 or 32. */
unsigned format_bytes(const struct cudaChannelFormatDesc *format);

/* cudaErrorInvalidChannelDescriptor, cudaErrorInvalidValue (extent, flags, limits of
 * compute capability 9.0), cudaErrorMemoryAllocation. function is a literal. */
cudaError_t array_new(const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
		      unsigned flags, const char *function, struct array **ret);
/* n_levels is cut to what the extent has; 0 means 1. */
cudaError_t mipmap_new(const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
		       unsigned n_levels, unsigned flags, const char *function,
		       struct mipmap **ret);

/* By handle; NULL where it is none (any more). Levels are arrays, too. */
struct array *array_find(cudaArray_const_t handle);
struct mipmap *mipmap_find(cudaMipmappedArray_const_t handle);

void array_free(struct array *array, const char *function);
void mipmap_free(struct mipmap *mipmap, const char *function);
/* The device's arrays go, without their memory, which memory_reset() frees. */
void array_reset(int device);

/* Bytes from one row, or slice, to the next. */
static inline size_t array_pitch(const struct array *a)
{
	return a->width * a->texel;
}
static inline size_t array_slice(const struct array *a)
{
	return a->width * a->texel * a->height;
}

#endif
