/* SPDX-License-Identifier: Apache-2.0 */
/* expression_call.c - calls in expressions: which of the functions that may be meant is, and its
 * arguments. */
#include <stdlib.h>
#include <string.h>

#include "baton.h"
#include "call.h"
#include "expression_call.h"
#include "expression_evaluate.h"
#include "expression_math.h"

static void calling_fini(struct calling *c)
{
	for (size_t i = 0; i < c->n_arguments; i++)
		value_fini(&c->arguments[i]);
	if (c->has_object)
		value_fini(&c->object);
}

/* ---- choosing --------------------------------------------------------------------------------- */

/* How far an argument is from a parameter: 0 the same, 1 promotion, 2 conversion, 3 to
 * void * or bool; -1 impossible. A simplification of [over.match]. */
static int distance(const struct type *from, const struct type *to)
{
	from = type_target(from);
	bool reference = type_strip(to)->kind == TYPE_REFERENCE;
	to = type_target(to);
	uint64_t offset;
	if (type_same(from, to))
		return 0;
	if (from->kind == TYPE_STRUCT && to->kind == TYPE_STRUCT && !from->float_format) {
		if (from->name && to->name && !strcmp(from->name, to->name))
			return 0;
		return member_base_offset(from, to, &offset) ? 2 : -1;
	}
	bool number = type_is_scalar(from) || from->float_format;
	if (to->kind == TYPE_POINTER) {
		if (from->kind == TYPE_POINTER || from->kind == TYPE_ARRAY)
			return type_same(type_strip(from->target), type_strip(to->target)) ? 0
			       : type_strip(to->target)->kind == TYPE_VOID                 ? 3
			       : member_base_offset(type_strip(from->target),
						    type_strip(to->target), &offset)
				       ? 2
				       : 4;
		return from->kind == TYPE_INTEGER ? 4 : from->kind == TYPE_FUNCTION ? 0 : -1;
	}
	if (!number || from->kind == TYPE_POINTER || !(type_is_scalar(to) || to->float_format))
		return to->kind == TYPE_BOOL && from->kind == TYPE_POINTER ? 3 : -1;
	if (reference && from->size != to->size)
		return 3;
	if (type_same(promoted_type(from), to) ||
	    (from->float_format == FLOAT_SINGLE && to->float_format == FLOAT_DOUBLE))
		return 1;
	return 2;
}

static int match(const struct calling *c, const struct candidate *candidate)
{
	size_t skip = candidate->has_this && c->has_object;
	int sum = 0;
	if (candidate->type->n_members - skip != c->n_arguments ||
	    candidate->type->n_members < skip)
		return -1;
	for (size_t i = 0; i < c->n_arguments; i++) {
		int one = distance(c->arguments[i].type, candidate->type->members[skip + i].type);
		if (one < 0)
			return -1;
		sum += one * one; /* two small steps are better than a large one */
	}
	return sum;
}

static struct cudasim_error *choose(const struct calling *c, const struct candidate **ret)
{
	int best = -1;
	for (size_t i = 0; i < c->n_candidates; i++) {
		int sum = match(c, &c->candidates[i]);
		if (sum >= 0 && (best < 0 || sum < best)) {
			best = sum;
			*ret = &c->candidates[i];
		}
	}
	if (best >= 0)
		return NULL;
	const struct candidate *only = &c->candidates[0];
	size_t n = only->type->n_members - (only->has_this && c->has_object);
	if (c->n_candidates == 1 && c->n_arguments < n)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Too few arguments in function call.");
	if (c->n_candidates == 1 && c->n_arguments > n)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Too many arguments in function call.");
	return cudasim_error_new(CUDASIM_E_ARGUMENT,
				 "Cannot resolve function %s to any overloaded instance", c->name);
}

/* ---- calling ------------------------------------------------------------------------------------- */

/* One argument as the parameter wants it; references get the object's address, or that
 * of *hold, a copy that outlives the call. */
static struct cudasim_error *pass(struct call *call, const struct value *argument,
				  const struct type *parameter, struct value *hold)
{
	const struct type *type = type_strip(parameter);
	if (type->kind != TYPE_REFERENCE) {
		struct cudasim_error *error = value_convert(argument, parameter, false, hold);
		if (!error)
			error = value_fetch(hold);
		return error ? error : call_argument(call, hold);
	}
	const struct type *target = type_strip(type->target);
	uint64_t offset;
	bool same = type_same(target, type_strip(argument->type)) ||
		    (target->kind == TYPE_STRUCT && !target->float_format);
	if (argument->is_lvalue && !argument->bit_size && same) {
		uint64_t address = argument->address;
		if (member_base_offset(type_strip(argument->type), target, &offset))
			address += offset;
		return call_pointer(call, address);
	}
	struct cudasim_error *error = value_convert(argument, type->target, false, hold);
	if (!error)
		error = value_fetch(hold);
	return error ? error : call_pointer(call, (uintptr_t)value_bytes(hold));
}

static struct cudasim_error *perform(struct calling *c, const struct candidate *f,
				     struct value *ret)
{
	struct call call;
	struct value holds[MAX_ARGUMENTS];
	size_t n = 0, skip = f->has_this && c->has_object;
	const struct function *function = symbols_function_at(f->code);
	bool is_device = function && function->is_device;
	struct cudasim_thread *thread = c->e->context.thread;
	if (function && function->is_kernel)
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "A kernel cannot be called from the debugger.");
	if (is_device && !thread)
		return cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"%s is device code: focus a thread of a kernel to call it.", f->name);
	if (!is_device && stop_current()->kind == STOP_EXITED)
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "You can't do that without a process to debug.");
	if (!is_device && thread)
		return cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"%s is host code, which cannot be called while a kernel's thread is focused.",
			f->name);
	struct cudasim_error *error = call_init(&call, is_device ? CALL_DEVICE : CALL_HOST,
						f->type->target ? f->type->target
								: type_base("void"));
	if (!error && skip)
		error = call_pointer(&call, c->object.address);
	for (size_t i = 0; i < c->n_arguments && !error; i++) {
		holds[n++] = (struct value){.n_bytes = 0};
		error = pass(&call, &c->arguments[i], f->type->members[skip + i].type, &holds[i]);
	}
	if (!error)
		error = call_run(&call, f->code, is_device ? thread : NULL, f->name);
	if (!error)
		error = call_result(&call, ret);
	while (n)
		value_fini(&holds[--n]);
	call_fini(&call);
	return error;
}

static struct cudasim_error *no_operator(const char *name)
{
	return cudasim_error_new(CUDASIM_E_NOTFOUND, "No symbol \"%s\" in current context.", name);
}

static struct cudasim_error *finish(struct calling *c, struct value *ret)
{
	const struct candidate *chosen = NULL;
	struct cudasim_error *error = choose(c, &chosen);
	if (error && c->is_operator) {
		cudasim_error_free(error);
		return no_operator(c->name);
	}
	if (error)
		return error;
	if (!c->e->types_only)
		return perform(c, chosen, ret);
	const struct type *result = chosen->type->target ? chosen->type->target : type_base("void");
	*ret = (struct value){.type = result, .is_lazy = true};
	return NULL;
}

/* Arguments stay objects (references need their place); functions become pointers. */
static struct cudasim_error *add_argument(struct calling *c, const struct value *value)
{
	struct value object;
	if (c->n_arguments == MAX_ARGUMENTS)
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "Too many arguments in function call.");
	if (!value->type || value->is_void)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Invalid cast.");
	struct cudasim_error *error = c->e->types_only ? value_copy(value, &object)
						       : value_object(value, &object);
	if (error)
		return error;
	if (!c->e->types_only && type_strip(object.type)->kind != TYPE_FUNCTION &&
	    (error = value_fetch(&object))) {
		value_fini(&object);
		return error;
	}
	c->arguments[c->n_arguments++] = object;
	return NULL;
}

static struct cudasim_error *take_argument(struct calling *c, const struct node *node)
{
	struct value value;
	struct cudasim_error *error = node_evaluate(c->e, node, &value);
	if (error)
		return error;
	error = add_argument(c, &value);
	value_fini(&value);
	return error;
}

bool call_static(const struct node *node, struct call_target *ret)
{
	struct evaluation e = {.types_only = true};
	const struct candidate *chosen = NULL;
	struct calling *c = node->a->kind == NODE_FUNCTION ? calloc(1, sizeof *c) : NULL;
	if (!c)
		return false;
	c->e = &e;
	struct cudasim_error *error = callee_find(c, node->a);
	for (const struct node *argument = node->arguments; argument && !error;
	     argument = argument->next)
		error = take_argument(c, argument);
	if (!error)
		error = choose(c, &chosen);
	if (!error)
		*ret = (struct call_target){
			.type = chosen->type, .name = chosen->name, .code = chosen->code};
	const struct function *function = error ? NULL : symbols_function_at(chosen->code);
	bool is_known = function && function->is_device && !function->is_kernel &&
			!chosen->has_this;
	calling_fini(c);
	free(c);
	cudasim_error_free(error);
	return is_known;
}

struct cudasim_error *call_evaluate(struct evaluation *e, const struct node *node,
				    struct value *ret)
{
	if (node->a->kind == NODE_MATH)
		return math_evaluate(e, node, ret);
	if (node->a->kind == NODE_CONVENIENCE && internal_is_known(node->a->name))
		return internal_evaluate(e, node, ret);
	struct calling *c = calloc(1, sizeof *c);
	if (!c)
		return &cudasim_error_nomem;
	c->e = e;
	struct cudasim_error *error = callee_find(c, node->a);
	for (const struct node *argument = node->arguments; argument && !error;
	     argument = argument->next)
		error = take_argument(c, argument);
	if (!error)
		error = finish(c, ret);
	calling_fini(c);
	free(c);
	return error;
}

/* a.operator+(b) if there is one, else operator+(a, b). */
struct cudasim_error *call_operator(struct evaluation *e, const char *name, const struct value *a,
				    const struct value *b, struct value *ret)
{
	struct calling *c = calloc(1, sizeof *c);
	struct value object;
	struct member_path path;
	if (!c)
		return &cudasim_error_nomem;
	c->e = e;
	c->name = name;
	c->is_operator = true;
	struct cudasim_error *error = add_argument(c, a);
	if (!error && b)
		error = add_argument(c, b);
	if (error)
		goto end;
	object = c->arguments[0];
	const struct type *type = type_target(object.type);
	if (type->kind == TYPE_STRUCT && member_find(type, name, &path) && path.method) {
		if ((error = callee_take_object(c, &object)))
			goto end;
		value_fini(&c->arguments[0]);
		c->arguments[0] = c->arguments[1];
		c->n_arguments--;
		error = callee_add_methods(c, name, &path);
	} else {
		const struct function *found[MAX_CANDIDATES];
		size_t n = symbols_functions(name, found, MAX_CANDIDATES);
		for (size_t i = 0; i < n && i < MAX_CANDIDATES; i++)
			callee_add(c, found[i]);
		if (!c->n_candidates)
			error = no_operator(name);
	}
	if (!error)
		error = finish(c, ret);
end:
	calling_fini(c);
	free(c);
	return error;
}
