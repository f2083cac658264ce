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

long double float_read(enum float_format format, const void *bytes)
{
	uint16_t small;
	float single;
	double two;
	long double x87 = 0;
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
	case FLOAT_NONE:
		break;
	}
	return 0;
}

void float_write(enum float_format format, long double number, void *bytes)
{
	uint16_t small;
	float single = (float)number;
	double two = (double)number;
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
	case FLOAT_NONE:
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
