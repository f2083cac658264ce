/* SPDX-License-Identifier: Apache-2.0 */
/* expression_compile_call.c - calls in conditions: of device functions whose arguments and
 * result fit registers, and of math functions. */
#include "expression_compile.h"
#include "expression_math.h"
#include "library.h"

/* A pointer to what a reference refers to; objects without a place are the evaluator's. */
static bool reference(struct compiler *c, const struct node *argument, const struct type *parameter)
{
	const struct type *type;
	bool safe;
	return compile_is_place(argument) && compile_place_of(c, argument, &type, &safe) &&
	       type_same(type_strip(type), type_strip(type_strip(parameter)->target));
}

static bool argument(struct compiler *c, const struct node *argument, const struct type *parameter,
		     struct program_call *call)
{
	const struct type *type;
	enum form form = FORM_U64;
	if (call->n == PROGRAM_ARGUMENTS)
		return false;
	if (type_strip(parameter)->kind == TYPE_REFERENCE) {
		if (!reference(c, argument, parameter))
			return false;
	} else if (!compile_form(parameter, &form) || !compile_node(c, argument, &type) ||
		   !compile_conversion(c, type, parameter)) {
		return false;
	}
	call->forms[call->n++] = (uint8_t)form;
	return true;
}

static bool fits_registers(const struct program_call *call)
{
	unsigned n_real = 0;
	for (unsigned i = 0; i < call->n; i++)
		n_real += call->forms[i] == FORM_FLOAT || call->forms[i] == FORM_DOUBLE;
	return call->n - n_real <= 6 && n_real <= 8;
}

static bool emit_call(struct compiler *c, const struct program_call *call)
{
	if (c->n_calls == MAX_CALLS || !fits_registers(call))
		return false;
	c->calls[c->n_calls] = *call;
	c->depth = c->depth + 1 - call->n;
	compile_emit(c, CALL)->index = (uint32_t)c->n_calls++;
	return true;
}

static bool of_program(struct compiler *c, const struct node *node, const struct type **ret)
{
	struct call_target target;
	enum form form;
	const struct node *next = node->arguments;
	if (!call_static(node, &target) || !target.type->target ||
	    !compile_form(target.type->target, &form))
		return false;
	struct program_call call = {
		.code = target.code, .name = target.name, .result = (uint8_t)form};
	for (size_t i = 0; i < target.type->n_members; i++, next = next->next)
		if (!next || !argument(c, next, target.type->members[i].type, &call))
			return false;
	*ret = target.type->target;
	return !next && emit_call(c, &call);
}

/* isnan(x), sqrtf(x): of one argument. */
static bool exact(struct compiler *c, const struct node *node, const struct type **ret)
{
	const struct type *type;
	bool single;
	const struct math_function *f = math_find(node->a->name, &single);
	if (!f || f->n != 1 || !node->arguments || node->arguments->next ||
	    !compile_node(c, node->arguments, &type) || type_strip(type)->kind == TYPE_POINTER)
		return false;
	const struct type *operand = type_base(
		single || (type_strip(type)->float_format == FLOAT_SINGLE) ? "float" : "double");
	if (!compile_conversion(c, type, operand))
		return false;
	compile_emit(c, REAL_FUNCTION)->u.function = f->one;
	if (f->is_test)
		compile_emit(c, REAL_TRUTH);
	else if (operand->size == sizeof(float))
		compile_emit(c, ROUND);
	*ret = f->is_test ? type_base("bool") : operand;
	return true;
}

/* fmin(x, y), expf(x): also where IEEE 754 defines the result, for the device's code has it. */
static bool of_library(struct compiler *c, const struct node *node, const struct type **ret)
{
	const struct type *parameters[LIBRARY_PARAMETERS];
	struct call_target target;
	enum form form;
	size_t i = 0;
	if (!math_target(node, parameters, &target) || !compile_form(target.type, &form))
		return false;
	struct program_call call = {
		.code = target.code, .name = target.name, .result = (uint8_t)form};
	for (const struct node *next = node->arguments; next; next = next->next)
		if (!argument(c, next, parameters[i++], &call))
			return false;
	*ret = target.type;
	return emit_call(c, &call);
}

bool compile_call(struct compiler *c, const struct node *node, const struct type **ret)
{
	const struct math_function *f;
	bool single;
	if (node->a->kind != NODE_MATH)
		return of_program(c, node, ret);
	f = math_find(node->a->name, &single);
	return f && f->n == 1 ? exact(c, node, ret) : of_library(c, node, ret);
}
