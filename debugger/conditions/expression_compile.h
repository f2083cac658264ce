/* SPDX-License-Identifier: Apache-2.0 */
/* expression_compile.h - what the files that make a condition's program share; nobody else
 * includes it. Where one of these gives up (false), the whole program does. */
#ifndef CUDASIM_DEBUGGER_EXPRESSION_COMPILE_H
#define CUDASIM_DEBUGGER_EXPRESSION_COMPILE_H

#include "expression_program.h"

#define MAX_OPERATIONS 512
#define MAX_GLOBALS 8
#define MAX_CALLS 8

struct compiler {
	struct operation operations[MAX_OPERATIONS];
	size_t n;
	struct program_global globals[MAX_GLOBALS];
	size_t n_globals;
	struct program_call calls[MAX_CALLS];
	size_t n_calls;
	size_t depth; /* of the stack here */
};

struct operation *compile_emit(struct compiler *c, enum instruction code);
bool compile_push(struct compiler *c, int64_t number); /* true */
/* The type of a node without compiling it: both operands must be known before the
 * first of them is converted. NULL where it is not known. */
const struct type *compile_type(const struct node *node);
/* How a number of this type stands in memory; false where it is none that slots hold. */
bool compile_form(const struct type *type, enum form *ret);
/* A node's value, a slot; *ret is its type. */
bool compile_node(struct compiler *c, const struct node *node, const struct type **ret);
/* expression_compile_place.c */
/* Where the object is that a node names (compile_is_place()); *ret_safe: it is known to be there. */
bool compile_is_place(const struct node *node);
bool compile_place_of(struct compiler *c, const struct node *node, const struct type **ret,
		      bool *ret_safe);
/* Its value; an array is a pointer to its first element. */
bool compile_load(struct compiler *c, const struct node *node, const struct type **ret);
/* expression_compile.c */
/* The number on the stack, of type `from`, as one of type `to`. */
bool compile_conversion(struct compiler *c, const struct type *from, const struct type *to);
/* expression_compile_call.c */
bool compile_call(struct compiler *c, const struct node *node, const struct type **ret);

#endif
