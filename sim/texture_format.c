/* SPDX-License-Identifier: Apache-2.0 */
/* texture_format.c - what a texel's bytes mean. */
#include <math.h>
#include <string.h>

#include "texture.h"

static uint32_t bits_of(float f)
{
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	return bits;
}

uint32_t half_to_float(uint16_t half)
{
	uint32_t sign = (uint32_t)(half & 0x8000) << 16, mantissa = half & 0x3ff;
	unsigned exponent = half >> 10 & 31;
	if (exponent == 31)
		return sign | 0x7f800000u | mantissa << 13;
	if (exponent)
		return sign | (exponent + 112) << 23 | mantissa << 13;
	return sign | bits_of((float)mantissa * 0x1p-24f);
}

/* A channel as it lies there, zero extended. */
static uint32_t raw(const struct texel_format *f, const unsigned char *at, unsigned channel)
{
	uint32_t v = 0;
	memcpy(&v, at + channel * (f->bits / 8u), f->bits / 8u);
	return v;
}

static int32_t sign_extended(uint32_t v, unsigned bits)
{
	return (int32_t)(v << (32 - bits)) >> (32 - bits);
}

/* IEC 61966-2-1 */
static double linear_of_srgb(uint32_t v)
{
	double x = v / 255.0;
	return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

static bool is_srgb(const struct texel_format *f, unsigned channel)
{
	return f->srgb && f->normalized && f->bits == 8 && channel < 3 &&
	       f->kind == cudaChannelFormatKindUnsigned;
}

static uint32_t normalized(const struct texel_format *f, uint32_t v, unsigned channel)
{
	if (is_srgb(f, channel))
		return bits_of((float)linear_of_srgb(v));
	if (f->kind == cudaChannelFormatKindUnsigned)
		return bits_of((float)(v / (double)((1u << f->bits) - 1)));
	double x = sign_extended(v, f->bits) / (double)((1u << (f->bits - 1)) - 1);
	return bits_of((float)(x < -1 ? -1 : x));
}

static uint32_t channel_of(const struct texel_format *f, const unsigned char *at, unsigned channel)
{
	uint32_t v = raw(f, at, channel);
	if (f->kind == cudaChannelFormatKindFloat)
		return f->bits == 16 ? half_to_float((uint16_t)v) : v;
	if (f->normalized)
		return normalized(f, v, channel);
	return f->kind == cudaChannelFormatKindSigned ? (uint32_t)sign_extended(v, f->bits) : v;
}

struct texel texel_read(const struct texel_format *f, const unsigned char *at)
{
	struct texel ret = {{0}};
	for (unsigned c = 0; c < f->n_channels; c++)
		ret.v[c] = channel_of(f, at, c);
	return ret;
}

int32_t texel_channel16(const struct texel_format *f, const unsigned char *at, unsigned channel)
{
	uint32_t v = raw(f, at, channel);
	if (is_srgb(f, channel))
		return (int32_t)floor(linear_of_srgb(v) * 65535 + 0.5);
	if (f->kind == cudaChannelFormatKindUnsigned)
		return (int32_t)(f->bits == 8 ? v * 257 : v);
	int32_t s = sign_extended(v, f->bits);
	if (f->bits == 16)
		return s < -32767 ? -32767 : s;
	s = s < -127 ? -127 : s;
	return (s << 8) + s * 2 + (s >= 0 ? s >> 6 : -(-s >> 6));
}
