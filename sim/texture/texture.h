/* SPDX-License-Identifier: Apache-2.0 */
/* texture.h - texture and surface objects, as device code sees them.
 *
 * A handle is an index into one table for both, as on a GPU: 1, 2, 3, ... A
 * fetch goes from the table's entry through addresses (texture_address.c) and
 * texels (texture_format.c) to the filter (texture_filter.c); cubemaps and
 * levels of detail have files of their own. Values are an H200's to the bit,
 * tests/kernels/sampling.cu holds them to that; what the CUDA C++ Programming
 * Guide ("Texture Fetching") leaves open was found by measuring. */
#ifndef CUDASIM_SIM_TEXTURE_H
#define CUDASIM_SIM_TEXTURE_H

#include <driver_types.h>
#include <stdbool.h>
#include <stdint.h>
#include <texture_types.h>

#include "cudasim/abi.h"

/* Levels of a mipmapped array, at most: 131072 is 2^17. */
enum { MAX_LEVELS = 18 };

/* What a texel's channels are, and how they are read. */
struct texel_format {
	uint8_t bits;       /* of each channel: 8, 16, 32 */
	uint8_t n_channels; /* 1, 2, 4 */
	uint8_t bytes;      /* of a texel */
	uint8_t kind;       /* enum cudaChannelFormatKind: signed, unsigned or float */
	bool normalized;    /* integers are read as floats in [0,1] or [-1,1] */
	bool srgb;          /* 8 bits, normalized: the first three are gamma coded */
};

/* Texels in memory. Sizes are at least 1; depth counts layers or faces, too. */
struct texture_level {
	const unsigned char *base;
	uint32_t width, height, depth;
	uint64_t pitch, slice; /* bytes to the next row, the next slice */
};

enum texture_shape { SHAPE_LINEAR, SHAPE_FLAT, SHAPE_VOLUME, SHAPE_CUBE };

struct texture {
	bool used, is_surface;
	int device;
	enum texture_shape shape;  /* FLAT: one or two dimensions, perhaps in layers */
	bool layered;
	uint32_t n_layers;         /* at least 1; cubes: without the faces */
	struct texel_format format;
	bool normalized_coords, linear, mip_linear;
	enum cudaTextureAddressMode address[3];
	unsigned char border[16];  /* the border's colour as a texel */
	bool seamless;             /* cubes: filters reach over the edges */
	int32_t bias, min_lod, max_lod; /* in 256ths of a level */
	unsigned n_levels;
	struct texture_level levels[MAX_LEVELS];
	/* What the program asked for. */
	struct cudaResourceDesc resource;
	struct cudaTextureDesc how;
	struct cudaResourceViewDesc view;
	bool has_view;
};

/* Put an object into the table; *handle gets its number. cudaErrorMemoryAllocation. */
cudaError_t texture_add(const struct texture *what, unsigned long long *handle);
/* The object, or NULL. Stays where it is until texture_remove(). */
const struct texture *texture_find(unsigned long long handle);
void texture_remove(unsigned long long handle);
/* The device's objects go. */
void texture_reset(int device);

/* ---- one fetch ------------------------------------------------------------------ */

/* Bits of the four channels as a GPU's registers get them. */
struct texel {
	uint32_t v[4];
};

/* Who fetches: for observers and reports. */
struct fetcher {
	struct cudasim_thread *thread; /* NULL: nobody wants to know */
	const struct cudasim_site *site;
};

/* How far a linear filter is between texel and next, in 256ths. */
struct axis {
	int32_t index[2]; /* -1: outside, the border's colour */
	uint32_t weight;  /* of index[1]: 0..255 */
};

/* A coordinate in texels, or normalized, along an axis of `size` texels. NaN is 0. */
struct axis axis_linear(float x, uint32_t size, bool normalized, enum cudaTextureAddressMode mode);
/* The texel for point sampling in index[0]. */
struct axis axis_point(float x, uint32_t size, bool normalized, enum cudaTextureAddressMode mode);

/* A texel's channels unfiltered; missing ones are 0. */
struct texel texel_read(const struct texel_format *format, const unsigned char *at);
/* How a linear filter takes a channel: as the float or half that texel_read() gives, or
 * as a number (texel_number()): 65535, 127 or 32767 is 1.0. */
enum channel_way { WAY_FLOAT, WAY_HALF, WAY_SRGB, WAY_UNSIGNED, WAY_SIGNED8, WAY_SIGNED16 };
enum channel_way texel_way(const struct texel_format *format, unsigned channel);
int32_t texel_number(const struct texel_format *format, const unsigned char *at, unsigned channel);
/* A colour as a texel of the format. */
void texel_encode(const struct texel_format *format, const float colour[4], unsigned char *texel);
/* A half as a float's bits. */
uint32_t half_to_float(uint16_t half);

/* The weights, in 256ths, of eight texels (bit 0: next in x, bit 1: y, bit 2: z); they
 * add up to whole. */
void filter_weights(uint32_t whole, uint32_t x, uint32_t y, uint32_t z, uint32_t ret[8]);
/* The weighted mean of n (4, 8, 12 or 16) values: bits of a float, or of the float of a half. */
uint32_t filter_floats(const uint32_t *values, const uint32_t *weights, unsigned n,
		       enum channel_way way);
/* The same of numbers that go one of the other ways. */
uint32_t filter_numbers(const int32_t *values, const uint32_t *weights, unsigned n,
			enum channel_way way);

/* A direction's face (0..5) and the place on it, 0..1. */
struct cube_place {
	unsigned face;
	double x, y;
};
struct cube_place cube_place(float x, float y, float z);
/* The texel beyond an edge of a face of `size` texels: where it lies on the neighbour.
 * x and y may be -1 or size; beyond a corner (both) there is none: false. */
bool cube_neighbour(unsigned *face, int32_t *x, int32_t *y, int32_t size);

/* A level of detail in 256ths, cut off towards zero; NaN is 0. */
int32_t lod_fixed(float lod);
/* The level of detail, in 256ths, for derivatives in texels of level 0. */
int32_t lod_of_gradients(const float dx[3], const float dy[3]);

#endif
