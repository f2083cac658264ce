/* SPDX-License-Identifier: Apache-2.0 */
/* expression_call.h - what the files that make calls of expressions share; nobody else includes
 * it. */
#ifndef CUDASIM_DEBUGGER_EXPRESSION_CALL_H
#define CUDASIM_DEBUGGER_EXPRESSION_CALL_H

#include "expression_tree.h"

#define MAX_ARGUMENTS 32
#define MAX_CANDIDATES 64

/* A function that may be meant; type's members are its parameters. */
struct candidate {
	const struct type *type;
	const char *name;
	uint64_t code;
	bool has_this;
};

/* A call while it is made: what may be meant, and the arguments. */
struct calling {
	struct evaluation *e;
	const char *name;  /* for messages */
	bool is_operator;  /* written as one */
	struct candidate candidates[MAX_CANDIDATES];
	size_t n_candidates;
	/* The object of a member function: its place, once chosen. */
	bool has_object;
	struct value object;
	struct value arguments[MAX_ARGUMENTS];
	size_t n_arguments;
};

/* expression_callee.c: add to the candidates */
void callee_add(struct calling *c, const struct function *function);
/* Member functions of this name, of the class where the path ends. */
struct cudasim_error *callee_add_methods(struct calling *c, const char *name,
					 const struct member_path *path);
/* All that the node left of the parentheses may mean. */
struct cudasim_error *callee_find(struct calling *c, const struct node *callee);
/* Makes the value what `this` points at; an object that is nowhere gets memory. */
struct cudasim_error *callee_take_object(struct calling *c, const struct value *value);

#endif
