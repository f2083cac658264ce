/* SPDX-License-Identifier: Apache-2.0 */
/* expression_math.h - math functions whose results are exact: see expression_math.c. */
#ifndef CUDASIM_DEBUGGER_EXPRESSION_MATH_H
#define CUDASIM_DEBUGGER_EXPRESSION_MATH_H

#include "value.h"

struct evaluation;
struct node;

struct math_function {
	const char *name; /* in double precision */
	unsigned n;       /* arguments */
	bool is_test;     /* gives a bool; has no other name for floats */
	double (*one)(double);
	double (*two)(double, double);
};
/* single: name is that of the function of floats ("sqrtf"). NULL where there is none. */
const struct math_function *math_find(const char *name, bool *ret_single);
/* A function of CUDA's that only the device's own code computes to the bit. */
bool math_is_approximated(const char *name);
/* node: a NODE_CALL of a NODE_MATH. */
struct cudasim_error *math_evaluate(struct evaluation *e, const struct node *node, struct value *ret);

#endif
