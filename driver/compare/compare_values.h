/* SPDX-License-Identifier: Apache-2.0 */
/* compare_values.h - two pieces of memory as elements of a type: how many differ, and by
 * how much. Distances are counted in ULPs: how many values of the type lie between two
 * (of integers: their difference). */
#ifndef CUDASIM_DRIVER_COMPARE_VALUES_H
#define CUDASIM_DRIVER_COMPARE_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "error.h"

enum value_type {
	VALUE_UNKNOWN,
	VALUE_HALF,
	VALUE_BFLOAT16,
	VALUE_FLOAT,
	VALUE_DOUBLE,
	VALUE_INT8,
	VALUE_UINT8,
	VALUE_INT16,
	VALUE_UINT16,
	VALUE_INT32,
	VALUE_UINT32,
	VALUE_INT64,
	VALUE_UINT64,
	VALUE_POINTER,
	VALUE_N_TYPES,
};

size_t value_bytes(enum value_type type);
bool value_is_floating(enum value_type type);
/* "float"; for messages and --type. */
const char *value_name(enum value_type type);
/* UNKNOWN where the name is none of them. */
enum value_type value_type_named(const char *name);

/* The type of the elements that a pointer to this C++ type points to, "float4 const" say;
 * UNKNOWN for void and structures. */
enum value_type value_type_of_pointee(const char *text, size_t n);
/* Types of a kernel's parameters from its demangled name, "void f<int>(float const*, int)":
 * for pointers, of what they point to, else UNKNOWN. Returns how many, at most max. */
size_t value_types_of_parameters(const char *demangled, enum value_type *ret, size_t max);

/* What the bytes look like where a and b differ: floating point whose exponents are usual,
 * or else 32-bit integers. */
enum value_type value_guess(const unsigned char *a, const unsigned char *b, size_t n);

/* How far an element may be off. All 0: not at all. An element passes by any of them. */
struct tolerance {
	uint64_t ulp;
	double absolute, relative;
	bool is_given;
};
/* "4", "4ulp", "1e-6abs", "1e-5rel", or several with commas. */
struct cudasim_error *tolerance_parse(const char *text, struct tolerance *ret);

/* Distances by size: [0] is 0 ULP (another sign of zero, another NaN), [k] is above
 * 2^(k-2) and at most 2^(k-1): 1, 2, 3-4, 5-8, ...; the last is NaN against a number. */
enum { VALUE_BUCKETS = 67, VALUE_NAN_BUCKET = 66 };

struct element {
	uint64_t index;       /* in its memory, in elements */
	uint64_t distance;    /* ULP; UINT64_MAX for NaN against a number */
	unsigned char a[8], b[8];
};

/* Of one memory after one launch. All zero but type at first. */
struct tally {
	enum value_type type;
	uint64_t n_compared, n_different, n_beyond; /* elements; beyond the tolerance */
	uint64_t buckets[VALUE_BUCKETS];
	struct element first, worst; /* where n_different */
};

/* Adds n bytes at offset (bytes) of the memory; an element at either end that is not whole
 * is left out. */
void tally_add(struct tally *tally, const struct tolerance *tolerance, uint64_t offset,
	       const unsigned char *a, const unsigned char *b, size_t n);

/* ULPs, UINT64_MAX for NaN against a number. */
uint64_t value_distance(enum value_type type, const unsigned char *a, const unsigned char *b);

/* As text, in size bytes: enough digits to tell neighbours apart. */
void value_text(enum value_type type, const unsigned char *bytes, char *to, size_t size);
/* "1", "3-4", "NaN": of a bucket. */
void bucket_text(unsigned bucket, char *to, size_t size);

#endif
