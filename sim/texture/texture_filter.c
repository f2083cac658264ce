/* SPDX-License-Identifier: Apache-2.0 */
/* texture_filter.c - the arithmetic of linear filters.
 *
 * All weights together are 256, also of sixteen texels: the level of detail splits
 * 256, z splits each part, x splits those, y splits those, and each split is rounded to a whole number. Floats
 * are summed exactly, four at a time, from mantissas aligned to the largest
 * exponent with four bits more than a float has and cut off below; the sum is
 * rounded half away from zero, of halves to a half. Normalized integers are summed
 * as they are. */
#include <math.h>
#include <string.h>

#include "texture.h"

/* 256ths of a product, half up. */
static uint32_t share(uint32_t whole, uint32_t part)
{
	return (whole * part + 128) >> 8;
}

void filter_weights(uint32_t whole, uint32_t x, uint32_t y, uint32_t z, uint32_t ret[8])
{
	uint32_t back = share(whole, z);
	for (unsigned k = 0; k < 2; k++) {
		uint32_t slice = k ? back : whole - back;
		uint32_t right = share(slice, x), left = slice - right;
		uint32_t low_right = share(right, y), up_left = share(left, 256 - y);
		uint32_t *w = ret + 4 * k;
		w[0] = up_left;
		w[1] = right - low_right;
		w[2] = left - up_left;
		w[3] = low_right;
	}
}

/* ---- floats --------------------------------------------------------------------- */

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

/* value * 2^exponent */
struct sum {
	wide value;
	int exponent;
};

enum {
	EXTRA = 4,       /* bits kept below a float's mantissa */
	NO_TERM = -1000, /* below all exponents */
};

static int exponent_of(uint32_t bits)
{
	unsigned e = bits >> 23 & 255;
	return e ? (int)e - 150 : -149;
}

static int64_t mantissa_of(uint32_t bits)
{
	return (bits & 0x7fffff) | (bits & 0x7f800000 ? 0x800000 : 0);
}

/* Four texels of one slice. unused: how many bits fewer than a float they have; extra:
 * how many more are kept below the largest one's. */
static struct sum sum_slice(const uint32_t *values, const uint32_t *weights, int unused, int extra)
{
	struct sum ret = {0, NO_TERM};
	int64_t value = 0;
	for (unsigned k = 0; k < 4; k++) {
		uint32_t bits = values[k];
		if (weights[k] && bits << 1 && exponent_of(bits) > ret.exponent)
			ret.exponent = exponent_of(bits);
	}
	for (unsigned k = 0; k < 4; k++) {
		uint32_t bits = values[k];
		if (!weights[k] || !(bits << 1))
			continue;
		int shift = ret.exponent - exponent_of(bits);
		int64_t m = shift < 40 ? (mantissa_of(bits) << extra) >> shift >> unused : 0;
		m *= weights[k];
		value += bits >> 31 ? -m : m;
	}
	ret.value = value;
	ret.exponent += unused - extra - 8;
	return ret;
}

/* What is far below the other does not count. */
static struct sum add(struct sum a, struct sum b)
{
	if (!a.value || (b.value && b.exponent > a.exponent)) {
		struct sum t = a;
		a = b;
		b = t;
	}
	int shift = a.exponent - b.exponent;
	if (!b.value || shift > 80)
		return a;
	return (struct sum){(a.value << shift) + b.value, b.exponent};
}

/* A float's bits: m < 2^24 times 2^exponent. */
static uint32_t assembled(uint32_t m, int exponent)
{
	if (!m)
		return 0;
	int shift = __builtin_clz(m) - 8;
	m <<= shift;
	exponent += 150 - shift;
	if (exponent >= 255)
		return 0x7f800000;
	if (exponent > 0)
		return (uint32_t)exponent << 23 | (m & 0x7fffff);
	return exponent > -24 ? m >> (1 - exponent) : 0;
}

/* To the nearest with so many bits, half away from zero. */
static uint32_t rounded(struct sum s, int precision)
{
	unsigned_wide m = s.value < 0 ? -(unsigned_wide)s.value : (unsigned_wide)s.value;
	uint32_t sign = s.value < 0 ? 0x80000000u : 0;
	uint64_t high = (uint64_t)(m >> 64), low = (uint64_t)m;
	int bits = high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
	/* The smallest half is 2^-24. */
	int shift = bits - precision;
	if (precision == 11 && -24 - s.exponent > shift)
		shift = -24 - s.exponent;
	if (shift > 0) {
		m = (m + ((unsigned_wide)1 << (shift - 1))) >> shift;
		s.exponent += shift;
	}
	/* Rounded up to 2^24. */
	if (m >> 24) {
		m >>= 1;
		s.exponent++;
	}
	return sign | assembled((uint32_t)m, s.exponent);
}

static bool is_finite(const uint32_t *values, const uint32_t *weights, unsigned n)
{
	for (unsigned k = 0; k < n; k++)
		if (weights[k] && (values[k] & 0x7f800000) == 0x7f800000)
			return false;
	return true;
}

/* Infinities and NaN go the way of all arithmetic; every NaN is the GPU's own. */
static uint32_t filter_special(const uint32_t *values, const uint32_t *weights, unsigned n)
{
	double sum = 0;
	for (unsigned k = 0; k < n; k++) {
		float f;
		memcpy(&f, &values[k], sizeof f);
		if (weights[k])
			sum += (double)f * weights[k] / 256;
	}
	float f = (float)sum;
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	return isnan(f) ? 0x7fffffff : bits;
}

uint32_t filter_floats(const uint32_t *values, const uint32_t *weights, unsigned n,
		       enum channel_way way)
{
	if (!is_finite(values, weights, n))
		return filter_special(values, weights, n);
	const int unused = way == WAY_FLOAT ? 0 : way == WAY_HALF ? 13 : 16;
	const int extra = way == WAY_SRGB ? 0 : EXTRA;
	struct sum sum = sum_slice(values, weights, unused, extra);
	for (unsigned k = 4; k < n; k += 4)
		sum = add(sum, sum_slice(values + k, weights + k, unused, extra));
	return rounded(sum, way == WAY_FLOAT ? 24 : 11);
}

/* ---- normalized integers ---------------------------------------------------------- */

/* n / 256, half up. */
static int32_t rounded_256(int64_t n)
{
	return (int32_t)((n + 128) >> 8);
}

uint32_t filter_numbers(const int32_t *values, const uint32_t *weights, unsigned n,
			enum channel_way way)
{
	int64_t sum = 0;
	int32_t mean;
	for (unsigned k = 0; k < n; k++)
		sum += (int64_t)values[k] * weights[k];
	/* 127 * 256 becomes 32767: times 1 + 2^-7 + 2^-15, of all but the last four bits. */
	if (way == WAY_SIGNED8)
		mean = (int32_t)(sum + (((sum >> 4) * 257 + 1024) >> 11));
	else
		mean = rounded_256(sum);
	/* -128 and -32768 count in full until here. */
	mean = mean < -32767 ? -32767 : mean;
	float f = (float)((double)mean / (way == WAY_UNSIGNED ? 65535 : 32767));
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	return bits;
}
