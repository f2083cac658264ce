/* SPDX-License-Identifier: Apache-2.0 */
/* value.h - values of expressions: a type, and bytes or a place where they are. */
#ifndef CUDASIM_DEBUGGER_VALUE_H
#define CUDASIM_DEBUGGER_VALUE_H

#include "frame.h"

struct value {
	const struct type *type;
	bool is_lvalue;        /* lies at `address` (or in a host register) */
	bool is_lazy;          /* bytes not read yet */
	bool is_optimized_out;
	bool is_void;          /* of an unset convenience variable */
	enum storage storage;  /* where the object lies */
	uint64_t address;      /* run-time address, never an offset */
	uint32_t bit_offset, bit_size; /* bitfield: from address, low bits first; size 0: none */
	uint64_t n_bytes;
	union {
		unsigned char small[32];
		unsigned char *large; /* n_bytes > 32: malloc'ed, owned */
	} bytes;
};
void value_fini(struct value *value);
struct cudasim_error *value_copy(const struct value *value, struct value *ret);
const unsigned char *value_bytes(const struct value *value);

/* Print settings (set print ..., set width). One place: settings of command.h
 * change them. */
struct print_settings {
	bool pretty, symbol, address, array, array_indexes, object, unions, static_members, vtbl;
	uint32_t elements; /* 200; 0 is no limit */
	uint32_t repeats;  /* 10 */
	uint32_t max_depth;
};
extern struct print_settings print_settings;

/* The value as `print` writes it (without "$1 = "). format: 0 or one of the
 * letters of print/FMT: x d u o t a c f s z i r; size: 0 or b h w g. top: an
 * outermost value, for which pointers are preceded by their type. Errors while
 * reading go into the text as <error: ...>. */
void value_print(FILE *out, const struct value *value, char format, char size, bool top);

#endif
