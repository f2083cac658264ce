/* SPDX-License-Identifier: Apache-2.0 */
/* assembly_type.h - types in LLVM's assembly language, with typed or with opaque pointers. */
#ifndef CUDASIM_COMPILER_ASSEMBLY_TYPE_H
#define CUDASIM_COMPILER_ASSEMBLY_TYPE_H

#include "assembly_lexer.h"

struct assembly_type {
	size_t end;    /* the token behind it */
	char *text;    /* with opaque pointers: "ptr addrspace(3)" */
	char *pointee; /* the same of what a typed pointer points to; NULL: another type */
	bool to_function; /* a pointer to a function */
	bool changed;  /* a typed pointer is in it */
};

/* Reads the longest type that begins with the token at; false: none does. A name is taken for a
 * type, since only what follows would tell: `%f ()` is the type of a function or a call of %f.
 * The caller ends ret with assembly_type_fini(). */
bool assembly_type_read(const char *text, const struct assembly_token *tokens, size_t at,
			struct assembly_type *ret);

void assembly_type_fini(struct assembly_type *type);

#endif
