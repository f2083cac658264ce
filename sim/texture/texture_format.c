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

/* What an H200 makes of gamma-coded channels (IEC 61966-2-1): halves that have eight
 * bits of the exact value. */
static const uint16_t linear_of_srgb[256] = {
	0x0000, 0x0d00, 0x1100, 0x1380, 0x1500, 0x1640, 0x1780, 0x1860, 0x1900, 0x19a0, 0x1a40,
	0x1ae0, 0x1b80, 0x1c20, 0x1c80, 0x1ce0, 0x1d50, 0x1dc0, 0x1e30, 0x1eb0, 0x1f30, 0x1fb0,
	0x2018, 0x2060, 0x20b0, 0x20f8, 0x2148, 0x21a0, 0x21f0, 0x2248, 0x22a8, 0x2300, 0x2360,
	0x23d0, 0x2418, 0x2450, 0x2488, 0x24c0, 0x24f8, 0x2530, 0x2570, 0x25b0, 0x25f0, 0x2630,
	0x2670, 0x26b8, 0x2700, 0x2748, 0x2790, 0x27e0, 0x2818, 0x2840, 0x2868, 0x2890, 0x28b8,
	0x28e0, 0x2910, 0x2940, 0x2968, 0x2998, 0x29c8, 0x29f8, 0x2a28, 0x2a60, 0x2a90, 0x2ac0,
	0x2b00, 0x2b30, 0x2b60, 0x2ba0, 0x2bd0, 0x2c08, 0x2c28, 0x2c40, 0x2c60, 0x2c80, 0x2ca0,
	0x2cc0, 0x2ce0, 0x2d00, 0x2d20, 0x2d48, 0x2d68, 0x2d88, 0x2db0, 0x2dd0, 0x2df8, 0x2e18,
	0x2e40, 0x2e68, 0x2e88, 0x2eb0, 0x2ed8, 0x2f00, 0x2f28, 0x2f50, 0x2f80, 0x2fa0, 0x2fd0,
	0x3000, 0x3010, 0x3028, 0x3040, 0x3058, 0x3070, 0x3088, 0x30a0, 0x30b8, 0x30d0, 0x30e8,
	0x3100, 0x3118, 0x3130, 0x3148, 0x3160, 0x3180, 0x3198, 0x31b0, 0x31d0, 0x31e8, 0x3200,
	0x3220, 0x3238, 0x3258, 0x3270, 0x3290, 0x32b0, 0x32c8, 0x32e8, 0x3308, 0x3328, 0x3340,
	0x3360, 0x3380, 0x33a0, 0x33c0, 0x33e0, 0x3400, 0x3410, 0x3420, 0x3430, 0x3440, 0x3450,
	0x3468, 0x3478, 0x3488, 0x3498, 0x34a8, 0x34c0, 0x34d0, 0x34e0, 0x34f0, 0x3508, 0x3518,
	0x3528, 0x3540, 0x3550, 0x3568, 0x3578, 0x3590, 0x35a0, 0x35b0, 0x35c8, 0x35e0, 0x35f0,
	0x3608, 0x3618, 0x3630, 0x3640, 0x3658, 0x3670, 0x3688, 0x3698, 0x36b0, 0x36c8, 0x36d8,
	0x36f0, 0x3708, 0x3720, 0x3738, 0x3750, 0x3768, 0x3780, 0x3790, 0x37b0, 0x37c0, 0x37e0,
	0x37f0, 0x3808, 0x3810, 0x3820, 0x3828, 0x3838, 0x3848, 0x3850, 0x3860, 0x3868, 0x3878,
	0x3888, 0x3890, 0x38a0, 0x38b0, 0x38b8, 0x38c8, 0x38d8, 0x38e0, 0x38f0, 0x3900, 0x3908,
	0x3918, 0x3928, 0x3938, 0x3948, 0x3950, 0x3960, 0x3970, 0x3980, 0x3990, 0x3998, 0x39a8,
	0x39b8, 0x39c8, 0x39d8, 0x39e8, 0x39f8, 0x3a08, 0x3a18, 0x3a28, 0x3a38, 0x3a48, 0x3a58,
	0x3a68, 0x3a78, 0x3a88, 0x3a98, 0x3aa8, 0x3ab8, 0x3ac8, 0x3ad8, 0x3ae8, 0x3af8, 0x3b08,
	0x3b18, 0x3b28, 0x3b40, 0x3b50, 0x3b60, 0x3b70, 0x3b80, 0x3b90, 0x3ba0, 0x3bb0, 0x3bd0,
	0x3be0, 0x3bf0, 0x3c00,
};

static bool is_srgb(const struct texel_format *f, unsigned channel)
{
	return f->srgb && f->normalized && f->bits == 8 && channel < 3 &&
	       f->kind == cudaChannelFormatKindUnsigned;
}

static uint32_t normalized(const struct texel_format *f, uint32_t v, unsigned channel)
{
	if (is_srgb(f, channel))
		return half_to_float(linear_of_srgb[v]);
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
	/* What most textures hold. */
	if (f->bits == 32) {
		memcpy(ret.v, at, f->bytes);
		return ret;
	}
	for (unsigned c = 0; c < f->n_channels; c++)
		ret.v[c] = channel_of(f, at, c);
	return ret;
}

enum channel_way texel_way(const struct texel_format *f, unsigned channel)
{
	if (f->kind == cudaChannelFormatKindFloat)
		return f->bits == 16 ? WAY_HALF : WAY_FLOAT;
	if (is_srgb(f, channel))
		return WAY_SRGB;
	if (f->kind == cudaChannelFormatKindUnsigned)
		return WAY_UNSIGNED;
	return f->bits == 8 ? WAY_SIGNED8 : WAY_SIGNED16;
}

int32_t texel_number(const struct texel_format *f, const unsigned char *at, unsigned channel)
{
	uint32_t v = raw(f, at, channel);
	if (f->kind == cudaChannelFormatKindUnsigned)
		return (int32_t)(f->bits == 8 ? v * 257 : v);
	return sign_extended(v, f->bits);
}

/* ---- the border's colour ------------------------------------------------------------ */

/* A half, cut off. */
static uint32_t half_of(uint32_t bits)
{
	uint32_t sign = bits >> 16 & 0x8000;
	int exponent = (int)(bits >> 23 & 255) - 112;
	if (exponent >= 31)
		return sign | 0x7bff;
	if (exponent > 0)
		return sign | (uint32_t)exponent << 10 | (bits >> 13 & 0x3ff);
	return exponent < -10 ? sign : sign | ((bits & 0x7fffff) | 0x800000) >> (14 - exponent);
}

static uint32_t encoded(const struct texel_format *f, float colour, bool srgb)
{
	uint32_t bits = bits_of(colour);
	if (f->kind == cudaChannelFormatKindFloat)
		return f->bits == 16 ? half_of(bits) : bits;
	if (!f->normalized)
		return bits;
	const bool is_signed = f->kind == cudaChannelFormatKindSigned;
	float low = is_signed ? -1 : 0;
	colour = colour > 1 ? 1 : colour > low ? colour : low;
	if (srgb)
		colour = colour <= 0.0031308f ? 12.92f * colour
					      : (float)(1.055 * pow(colour, 1 / 2.4) - 0.055);
	return (uint32_t)(int32_t)rintf(colour * (float)((1u << (f->bits - is_signed)) - 1));
}

void texel_encode(const struct texel_format *f, const float colour[4], unsigned char *texel)
{
	for (unsigned c = 0; c < f->n_channels; c++) {
		uint32_t v = encoded(f, colour[c], is_srgb(f, c));
		memcpy(texel + c * (f->bits / 8u), &v, f->bits / 8u);
	}
}
