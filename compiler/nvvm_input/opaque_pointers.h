/* SPDX-License-Identifier: Apache-2.0 */
/* opaque_pointers.h - LLVM's assembly language of the versions 3.4 to 16 as version 19 reads it.
 *
 * Pointers lose what they point to, which goes to the attributes and instructions that need it:
 *
 *	define void @f(%s* byval %p)    define void @f(ptr byval(%s) %p)
 *	%x = load i32* %q               %x = load i32, ptr %q           (before 3.7)
 *
 * Before version 3.6 metadata have a type (`metadata !{...}`), calls name a pointer to the
 * function's type, and cmpxchg returns the value alone; those forms are rewritten, too. The debug
 * information of that time is left out. Lists of the order of uses (uselistorder) are as well.
 * What is not of the language stays, for LLVM's parser to complain of. */
#ifndef CUDASIM_COMPILER_OPAQUE_POINTERS_H
#define CUDASIM_COMPILER_OPAQUE_POINTERS_H

#include <stdbool.h>
#include <stddef.h>

#include "vector.h"

struct opaque_span {
	size_t made, original; /* bytes of the text and of the original */
};

struct opaque_text {
	VECTOR(char) text; /* ends in a NUL that n does not count; as many lines as the original */
	VECTOR(struct opaque_span) spans; /* ascending in the text */
	bool dropped_debug; /* there was debug information of the old form */
};

void opaque_pointers(const char *text, size_t size, struct opaque_text *ret);

/* The place in the original of a line and a column of the text; both count from 1. */
void opaque_place(const struct opaque_text *made, const char *original, unsigned *line,
		  unsigned *column);

void opaque_text_fini(struct opaque_text *made);

#endif
