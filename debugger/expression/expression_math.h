/* SPDX-License-Identifier: Apache-2.0 */
/* expression_math.h - math functions that the program need not have: see expression_math.c. */
#ifndef CUDASIM_DEBUGGER_EXPRESSION_MATH_H
#define CUDASIM_DEBUGGER_EXPRESSION_MATH_H

#include "value.h"

struct evaluation;
struct node;
struct call_target;

struct math_function {
	const char *name; /* in double precision */
	unsigned n;       /* arguments */
	bool is_test;     /* gives a bool; has no other name for floats */
	double (*one)(double);
	double (*two)(double, double);
};
/* single: name is that of the function of floats ("sqrtf"). NULL where there is none. */
const struct math_function *math_find(const char *name, bool *ret_single);
/* One of these, or of library.h. */
bool math_is_known(const char *name);
/* A function of CUDA's that needs other threads or has effects. */
bool math_is_collective(const char *name);
/* Which function of library.h a NODE_CALL of a NODE_MATH means: ret->type is its result's,
 * parameters has room for LIBRARY_PARAMETERS. False where none takes these arguments. */
bool math_target(const struct node *node, const struct type **parameters, struct call_target *ret);
/* node: a NODE_CALL of a NODE_MATH. */
struct cudasim_error *math_evaluate(struct evaluation *e, const struct node *node,
				    struct value *ret);

#endif
