/* SPDX-License-Identifier: Apache-2.0 */
/* compare_values.c - floating-point values of a sign and magnitude are put in order as
 * integers, so that neighbours differ by one; both zeros are 0. */
#include "compare_values.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bits of exponent and mantissa; 0 for integers. */
static const struct {
	const char *name;
	unsigned char bytes, exponent, mantissa;
	bool is_signed;
} types[] = {
	[VALUE_UNKNOWN] = {"unknown", 1, 0, 0, false},
	[VALUE_HALF] = {"half", 2, 5, 10, true},
	[VALUE_BFLOAT16] = {"bfloat16", 2, 8, 7, true},
	[VALUE_FLOAT] = {"float", 4, 8, 23, true},
	[VALUE_DOUBLE] = {"double", 8, 11, 52, true},
	[VALUE_INT8] = {"int8", 1, 0, 0, true},
	[VALUE_UINT8] = {"uint8", 1, 0, 0, false},
	[VALUE_INT16] = {"int16", 2, 0, 0, true},
	[VALUE_UINT16] = {"uint16", 2, 0, 0, false},
	[VALUE_INT32] = {"int", 4, 0, 0, true},
	[VALUE_UINT32] = {"uint", 4, 0, 0, false},
	[VALUE_INT64] = {"int64", 8, 0, 0, true},
	[VALUE_UINT64] = {"uint64", 8, 0, 0, false},
	[VALUE_POINTER] = {"pointer", 8, 0, 0, false},
};

size_t value_bytes(enum value_type type)
{
	return types[type].bytes;
}

bool value_is_floating(enum value_type type)
{
	return types[type].exponent;
}

const char *value_name(enum value_type type)
{
	return types[type].name;
}

enum value_type value_type_named(const char *name)
{
	for (int t = VALUE_UNKNOWN + 1; t < VALUE_N_TYPES; t++)
		if (!strcmp(name, types[t].name))
			return (enum value_type)t;
	return VALUE_UNKNOWN;
}

/* ---- distances ------------------------------------------------------------------ */

static uint64_t bits_of(enum value_type type, const unsigned char *bytes)
{
	uint64_t bits = 0;
	memcpy(&bits, bytes, types[type].bytes);
	return bits;
}

static bool is_nan(enum value_type type, uint64_t bits)
{
	uint64_t magnitude = bits & ((UINT64_C(1) << (types[type].bytes * 8 - 1)) - 1);
	uint64_t infinity = ((UINT64_C(1) << types[type].exponent) - 1) << types[type].mantissa;
	return types[type].exponent && magnitude > infinity;
}

/* In order of value, from 0 on. */
static uint64_t rank(enum value_type type, uint64_t bits)
{
	unsigned n = types[type].bytes * 8u;
	uint64_t sign = UINT64_C(1) << (n - 1);
	if (!types[type].is_signed)
		return bits;
	if (!types[type].exponent)
		return bits ^ sign;
	return bits & sign ? sign - (bits & (sign - 1)) : sign + bits;
}

uint64_t value_distance(enum value_type type, const unsigned char *a, const unsigned char *b)
{
	uint64_t x = bits_of(type, a), y = bits_of(type, b);
	if (is_nan(type, x) || is_nan(type, y))
		return is_nan(type, x) && is_nan(type, y) ? 0 : UINT64_MAX;
	x = rank(type, x);
	y = rank(type, y);
	uint64_t distance = x > y ? x - y : y - x;
	return distance == UINT64_MAX ? distance - 1 : distance;
}

static unsigned bucket_of(uint64_t distance)
{
	if (distance == UINT64_MAX)
		return VALUE_NAN_BUCKET;
	if (distance < 2)
		return (unsigned)distance;
	return 65 - (unsigned)__builtin_clzll(distance - 1);
}

void bucket_text(unsigned bucket, char *to, size_t size)
{
	if (bucket == VALUE_NAN_BUCKET)
		snprintf(to, size, "NaN");
	else if (bucket < 3)
		snprintf(to, size, "%u", bucket);
	else if (bucket < 12)
		snprintf(to, size, "%u-%u", (1u << (bucket - 2)) + 1, 1u << (bucket - 1));
	else
		snprintf(to, size, "2^%u-2^%u", bucket - 2, bucket - 1);
}

/* ---- values ------------------------------------------------------------------------ */

static double number(enum value_type type, const unsigned char *bytes)
{
	uint64_t bits = bits_of(type, bytes);
	unsigned n = types[type].bytes * 8u, mantissa = types[type].mantissa;
	if (!types[type].exponent && types[type].is_signed)
		return (double)((int64_t)(bits << (64 - n)) >> (64 - n));
	if (!types[type].exponent)
		return (double)bits;
	if (type == VALUE_DOUBLE) {
		double d;
		memcpy(&d, bytes, sizeof d);
		return d;
	}
	double sign = bits >> (n - 1) ? -1 : 1;
	uint64_t fraction = bits & ((UINT64_C(1) << mantissa) - 1);
	int top = (1 << types[type].exponent) - 1, bias = top / 2;
	int exponent = (int)(bits >> mantissa) & top;
	if (exponent == top)
		return fraction ? NAN : sign * INFINITY;
	if (exponent)
		fraction |= UINT64_C(1) << mantissa;
	else
		exponent = 1;
	return sign * ldexp((double)fraction, exponent - bias - (int)mantissa);
}

void value_text(enum value_type type, const unsigned char *bytes, char *to, size_t size)
{
	static const int digits[] = {
		[VALUE_HALF] = 5,
		[VALUE_BFLOAT16] = 4,
		[VALUE_FLOAT] = 9,
		[VALUE_DOUBLE] = 17,
	};
	uint64_t bits = bits_of(type, bytes);
	unsigned n = types[type].bytes * 8u;
	if (type == VALUE_POINTER)
		snprintf(to, size, "0x%" PRIx64, bits);
	else if (is_nan(type, bits))
		snprintf(to, size, "NaN (0x%" PRIx64 ")", bits);
	else if (types[type].exponent)
		snprintf(to, size, "%.*g", digits[type], number(type, bytes));
	else if (types[type].is_signed)
		snprintf(to, size, "%" PRId64, (int64_t)(bits << (64 - n)) >> (64 - n));
	else
		snprintf(to, size, "%" PRIu64, bits);
}

/* ---- tolerance ----------------------------------------------------------------------- */

struct cudasim_error *tolerance_parse(const char *text, struct tolerance *ret)
{
	*ret = (struct tolerance){.is_given = true};
	for (const char *at = text; *at;) {
		char *end;
		double x = strtod(at, &end);
		size_t n = strcspn(end, ",");
		bool is_ulp = !n || (n == 3 && !strncmp(end, "ulp", n));
		if (end == at || !(x >= 0) || isinf(x) ||
		    (is_ulp && (x != floor(x) || x >= 0x1p53)))
			break;
		if (is_ulp)
			ret->ulp = (uint64_t)x;
		else if (n == 3 && !strncmp(end, "abs", n))
			ret->absolute = x;
		else if (n == 3 && !strncmp(end, "rel", n))
			ret->relative = x;
		else
			break;
		at = end + n;
		if (!*at)
			return NULL;
		at++;
	}
	return cudasim_error_new(
		CUDASIM_E_ARGUMENT,
		"'%s' is not a tolerance: use 4ulp, 1e-6abs or 1e-5rel, or a list with commas",
		text);
}

/* For floating point only: an integer that differs is another result. */
static bool passes(const struct tolerance *t, enum value_type type, uint64_t distance,
		   const unsigned char *a, const unsigned char *b)
{
	if (!t->is_given || !types[type].exponent || distance == UINT64_MAX)
		return false;
	double x = number(type, a), y = number(type, b), off = fabs(x - y);
	double larger = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
	return distance <= t->ulp || off <= t->absolute || off <= t->relative * larger;
}

/* ---- many --------------------------------------------------------------------------- */

void tally_add(struct tally *t, const struct tolerance *tolerance, uint64_t offset,
	       const unsigned char *a, const unsigned char *b, size_t n)
{
	size_t size = types[t->type].bytes;
	for (size_t i = -offset & (size - 1); i + size <= n; i += size) {
		t->n_compared++;
		if (!memcmp(a + i, b + i, size))
			continue;
		struct element e = {.index = (offset + i) / size,
				    .distance = value_distance(t->type, a + i, b + i)};
		memcpy(e.a, a + i, size);
		memcpy(e.b, b + i, size);
		t->buckets[bucket_of(e.distance)]++;
		t->n_beyond += !passes(tolerance, t->type, e.distance, a + i, b + i);
		if (!t->n_different || e.index < t->first.index)
			t->first = e;
		if (!t->n_different || e.distance > t->worst.distance)
			t->worst = e;
		t->n_different++;
	}
}
