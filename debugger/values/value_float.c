/* SPDX-License-Identifier: Apache-2.0 */
/* value_float.c - the floating-point formats of the program, IEEE 754 and bfloat16. */
#include <string.h>
#include <math.h>

#include "value.h"

enum float_format type_float_format(const struct type *type)
{
	return type ? type_strip(type)->float_format : FLOAT_NONE;
}

/* A small format's bits: sign, exponent with bias, fraction. */
static long double small_read(uint32_t bits, int n_exponent, int n_fraction)
{
	uint32_t fraction = bits & ((1u << n_fraction) - 1);
	int exponent = (int)(bits >> n_fraction & ((1u << n_exponent) - 1));
	int bias = (1 << (n_exponent - 1)) - 1;
	long double number;
	if (exponent == (1 << n_exponent) - 1)
		number = fraction ? (long double)NAN : (long double)INFINITY;
	else if (exponent)
		number = ldexpl((long double)(fraction | 1u << n_fraction),
				exponent - bias - n_fraction);
	else
		number = ldexpl((long double)fraction, 1 - bias - n_fraction);
	return bits >> (n_exponent + n_fraction) & 1 ? -number : number;
}

/* Rounds to nearest, ties to even. */
static uint32_t small_write(long double number, int n_exponent, int n_fraction)
{
	uint32_t sign = signbit(number) ? 1u << (n_exponent + n_fraction) : 0;
	uint32_t top = (1u << n_exponent) - 1;
	int bias = (1 << (n_exponent - 1)) - 1, exponent;
	if (isnan(number))
		return sign | top << n_fraction | ((1u << n_fraction) - 1);
	number = fabsl(number);
	if (isinf(number))
		return sign | top << n_fraction;
	if (number == 0)
		return sign;
	frexpl(number, &exponent); /* number = m * 2^exponent, m in [0.5, 1) */
	exponent--;
	if (exponent < 1 - bias)
		exponent = 1 - bias;
	long double scaled = nearbyintl(ldexpl(number, n_fraction - exponent));
	uint32_t digits = (uint32_t)scaled; /* at most 2^(n_fraction + 1) */
	uint32_t biased = (uint32_t)(exponent + bias);
	if (digits >> (n_fraction + 1)) {
		digits >>= 1;
		biased++;
	}
	if (!(digits >> n_fraction))
		biased = 0;
	if (biased >= top)
		return sign | top << n_fraction;
	return sign | biased << n_fraction | (digits & ((1u << n_fraction) - 1));
}

/* The formats of 8 bits and fewer, of which the widest has the only infinities and E4M3 one
 * pattern of bits for NaN; conversions to them saturate, as those of CUDA's classes do. */
static const struct {
	int n_exponent, n_fraction;
	long double greatest;
} small_formats[] = {
	[FLOAT_E5M2] = {5, 2, 57344}, [FLOAT_E4M3] = {4, 3, 448}, [FLOAT_E3M2] = {3, 2, 28},
	[FLOAT_E2M3] = {2, 3, 7.5L},  [FLOAT_E2M1] = {2, 1, 6},   [FLOAT_E8M0] = {8, 0, INFINITY},
};

static long double tiny_read(enum float_format format, uint32_t bits)
{
	int n_exponent = small_formats[format].n_exponent,
	    n_fraction = small_formats[format].n_fraction;
	uint32_t fraction = bits & ((1u << n_fraction) - 1);
	uint32_t top = (1u << n_exponent) - 1, exponent = bits >> n_fraction & top;
	if (format == FLOAT_E5M2)
		return small_read(bits, n_exponent, n_fraction);
	if (format == FLOAT_E8M0)
		return bits == 0xff ? (long double)NAN : ldexpl(1, (int)bits - 127);
	long double sign = bits >> (n_exponent + n_fraction) & 1 ? -1 : 1;
	if (format == FLOAT_E4M3 && exponent == top && fraction == 7)
		return sign * (long double)NAN;
	int bias = (1 << (n_exponent - 1)) - 1;
	if (exponent)
		return sign * ldexpl((long double)(fraction | 1u << n_fraction),
				     (int)exponent - bias - n_fraction);
	return sign * ldexpl((long double)fraction, 1 - bias - n_fraction);
}

/* A power of two: the exponent with its bias; all ones are NaN. */
static uint8_t scale_write(long double number)
{
	int exponent;
	if (isnan(number) || number < 0)
		return 0xff;
	if (isinf(number))
		return 0xfe;
	long double half = frexpl(number, &exponent); /* in [0.5, 1): below 0.75 rounds down */
	exponent += 126 + (half >= 0.75L);
	return (uint8_t)(number == 0 || exponent < 0 ? 0 : exponent > 0xfe ? 0xfe : exponent);
}

/* Every finite number of a format has one pattern: the nearest is looked for, of two the even. */
static uint8_t tiny_write(enum float_format format, long double number)
{
	uint32_t sign = 1u << (small_formats[format].n_exponent + small_formats[format].n_fraction),
		 best = 0;
	long double nearest = INFINITY, size = fabsl(number);
	if (format == FLOAT_E8M0)
		return scale_write(number);
	if (isnan(number))
		return format == FLOAT_E5M2 || format == FLOAT_E4M3 ? 0x7f : (uint8_t)(sign - 1);
	size = size < small_formats[format].greatest ? size : small_formats[format].greatest;
	for (uint32_t bits = 0; bits < sign; bits++) {
		long double way = fabsl(tiny_read(format, bits) - size);
		if (way < nearest || (way == nearest && !(bits & 1))) {
			nearest = way;
			best = bits;
		}
	}
	return (uint8_t)(signbit(number) ? best | sign : best);
}

int float_digits(enum float_format format)
{
	switch (format) {
	case FLOAT_HALF:
		return 5;
	case FLOAT_BFLOAT16:
		return 4;
	case FLOAT_SINGLE:
		return 9;
	case FLOAT_X87:
		return 21;
	case FLOAT_E4M3:
	case FLOAT_E2M3:
	case FLOAT_E8M0:
		return 4;
	case FLOAT_E5M2:
	case FLOAT_E3M2:
	case FLOAT_E2M1:
		return 3;
	default:
		return 17;
	}
}

long double float_read(enum float_format format, const void *bytes)
{
	uint16_t small;
	float single;
	double two;
	long double x87 = 0;
	if (format >= FLOAT_E5M2)
		return tiny_read(format, *(const unsigned char *)bytes);
	switch (format) {
	case FLOAT_HALF:
		memcpy(&small, bytes, sizeof small);
		return small_read(small, 5, 10);
	case FLOAT_BFLOAT16:
		memcpy(&small, bytes, sizeof small);
		return small_read(small, 8, 7);
	case FLOAT_SINGLE:
		memcpy(&single, bytes, sizeof single);
		return single;
	case FLOAT_DOUBLE:
		memcpy(&two, bytes, sizeof two);
		return two;
	case FLOAT_X87:
		memcpy(&x87, bytes, 10);
		return x87;
	default:
		break;
	}
	return 0;
}

void float_write(enum float_format format, long double number, void *bytes)
{
	uint16_t small;
	float single = (float)number;
	double two = (double)number;
	if (format >= FLOAT_E5M2) {
		*(unsigned char *)bytes = tiny_write(format, number);
		return;
	}
	switch (format) {
	case FLOAT_HALF:
		small = (uint16_t)small_write(number, 5, 10);
		memcpy(bytes, &small, sizeof small);
		break;
	case FLOAT_BFLOAT16:
		small = (uint16_t)small_write(number, 8, 7);
		memcpy(bytes, &small, sizeof small);
		break;
	case FLOAT_SINGLE:
		memcpy(bytes, &single, sizeof single);
		break;
	case FLOAT_DOUBLE:
		memcpy(bytes, &two, sizeof two);
		break;
	case FLOAT_X87:
		memcpy(bytes, &number, 10);
		break;
	default:
		break;
	}
}

wide real_cut(long double number)
{
	const long double limit = 170141183460469231731687303715884105728.0L;
	if (number != number)
		return 0;
	if (number >= limit)
		return (wide)(~(unsigned_wide)0 >> 1);
	if (number <= -limit)
		return -(wide)(~(unsigned_wide)0 >> 1) - 1;
	return (wide)number;
}
