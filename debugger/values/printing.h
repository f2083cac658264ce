/* SPDX-License-Identifier: Apache-2.0 */
/* printing.h - what value_print.c and value_container.c share; nobody else includes it. */
#ifndef CUDASIM_DEBUGGER_PRINTING_H
#define CUDASIM_DEBUGGER_PRINTING_H

#include "value.h"

/* How one value_print() goes about it. */
struct printing {
	FILE *out;
	char format, size;
	uint32_t depth;     /* of nesting */
	uint64_t n_printed; /* array elements so far: the limit counts all of them */
	/* Virtual bases that were written, those of the object at hand from first_base
	 * on; what comes next is a base of it. */
	const struct type *bases[32];
	size_t first_base, n_bases;
	bool in_base;
	bool summary; /* of containers the head alone, as in the arguments of frames */
};

void print_any(struct printing *p, const struct value *value, bool top);
void printing_error(struct printing *p, struct cudasim_error *error);
void print_indent(struct printing *p, uint32_t depth);
/* Of C's complex numbers and of containers; false, with nothing printed, of other structs. */
bool print_container(struct printing *p, const struct value *value);

#endif
