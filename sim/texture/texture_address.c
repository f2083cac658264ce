/* SPDX-License-Identifier: Apache-2.0 */
/* texture_address.c - coordinates to texels, as the hardware does it.
 *
 * Coordinates are fixed-point numbers before anything else happens. Normalized
 * ones lose what lies below 2^-21 (or less, of large textures); multiplied by the size, and half a texel off
 * for linear filters, they are rounded to 256ths of a texel, half up. Clamping
 * happens then, so that a coordinate outside has weight 0. Mirroring reflects
 * each of the two texels by itself. */
#include <math.h>

#include "texture.h"

/* Normalized coordinates are multiples of 1 / this: 2^21, and for more than 8192 texels
 * 256ths of at least the size. */
static double unit_of(uint32_t size)
{
	double unit = 0x1p21;
	while (unit < 256.0 * size)
		unit *= 2;
	return unit;
}

/* Far outside, but well within an int32_t with eight bits of fraction: texels. */
#define FAR 4194304.0

/* floor() without a call; for |x| well below 2^31. */
static int32_t floor_of(double x)
{
	int32_t i = (int32_t)x;
	return i - (i > x);
}

static double bounded(double x)
{
	return x < -FAR ? -FAR : x > FAR ? FAR : x;
}

/* The coordinate in texels, within one period where the mode has one. */
static double texels_of(float x, uint32_t size, bool normalized, enum cudaTextureAddressMode mode)
{
	double u = x;
	if (isnan(x))
		return 0;
	if (!normalized)
		return bounded(u);
	if (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror) {
		double period = mode == cudaAddressModeWrap ? 1 : 2;
		if (isinf(x))
			return 0;
		u -= floor(u / period) * period;
	}
	const double unit = unit_of(size);
	return bounded(floor(bounded(u) * unit) / unit * size);
}

static int32_t periodic(int32_t i, int32_t period)
{
	i %= period;
	return i < 0 ? i + period : i;
}

/* Where texel i, which may be outside, really is. */
static int32_t place(int32_t i, int32_t size, enum cudaTextureAddressMode mode)
{
	switch (mode) {
	case cudaAddressModeWrap:
		return periodic(i, size);
	case cudaAddressModeMirror:
		i = periodic(i, 2 * size);
		return i < size ? i : 2 * size - 1 - i;
	case cudaAddressModeBorder:
		return i < 0 || i >= size ? -1 : i;
	default:
		return i < 0 ? 0 : i >= size ? size - 1 : i;
	}
}

/* Wrap and mirror need normalized coordinates; without, they clamp. */
static enum cudaTextureAddressMode effective(bool normalized, enum cudaTextureAddressMode mode)
{
	if (!normalized && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror))
		return cudaAddressModeClamp;
	return mode;
}

struct axis axis_linear(float x, uint32_t size, bool normalized, enum cudaTextureAddressMode mode)
{
	mode = effective(normalized, mode);
	double u = texels_of(x, size, normalized, mode);
	int32_t fixed = floor_of(u * 256 + 0.5) - 128;
	int32_t i = fixed >> 8, n = (int32_t)size;
	uint32_t weight = (uint32_t)fixed & 255;
	if (mode == cudaAddressModeClamp && (i < 0 || i >= n - 1))
		weight = 0;
	return (struct axis){{place(i, n, mode), place(i + 1, n, mode)}, weight};
}

struct axis axis_point(float x, uint32_t size, bool normalized, enum cudaTextureAddressMode mode)
{
	mode = effective(normalized, mode);
	int32_t i = floor_of(texels_of(x, size, normalized, mode));
	i = place(i, (int32_t)size, mode);
	return (struct axis){{i, i}, 0};
}
