/* SPDX-License-Identifier: Apache-2.0 */
/* expression_assign.c - =, += and its kin, ++ and --. */
#include <string.h>

#include "expression_evaluate.h"
#include "host.h"
#include "stack.h"

static struct cudasim_error *not_lvalue(void)
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT,
				 "Left operand of assignment is not an lvalue.");
}

/* Registers of the host's stopped thread can be set. */
static struct cudasim_error *assign_register(const struct node *node, const struct value *from,
					     struct value *ret)
{
	wide number;
	struct cudasim_error *error = value_to_integer(from, &number);
	if (!error)
		error = host_registers_set((int)node->number, (uint64_t)number);
	if (!error) {
		frames_forget();
		*ret = value_integer(type_base("long"), number);
	}
	return error;
}

/* from becomes the value of the object that node names, which was evaluated once (what
 * it does on the way must not happen again); *ret is what the assignment gives. */
static struct cudasim_error *assign(struct evaluation *e, const struct node *node,
				    const struct value *object, const struct value *from,
				    struct value *ret)
{
	struct value converted;
	if (node->kind == NODE_CONVENIENCE) {
		if (!e->types_only)
			convenience_set(node->name, from);
		return value_copy(from, ret);
	}
	if (node->kind == NODE_REGISTER && !e->types_only)
		return assign_register(node, from, ret);
	if (!object->is_lvalue || object->is_void || !object->type)
		return not_lvalue();
	if (!from->type || from->is_void)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Invalid cast.");
	if (e->types_only)
		return value_copy(object, ret);
	struct cudasim_error *error = value_convert(from, object->type, false, &converted);
	if (error)
		return error;
	error = value_fetch(&converted);
	if (!error)
		error = value_store(object, &converted);
	value_fini(&converted);
	if (error)
		return error;
	/* What is there now: a bitfield may have cut it. */
	*ret = value_at(object->type, object->storage, object->address);
	ret->bit_offset = object->bit_offset;
	ret->bit_size = object->bit_size;
	return value_fetch(ret);
}

/* The object's value as an operand, without evaluating it again. */
static struct cudasim_error *operand_of(struct evaluation *e, const struct value *object,
					struct value *ret)
{
	struct cudasim_error *error = value_decay(object, e->types_only, ret);
	if (!error && !e->types_only && !ret->is_void)
		error = value_fetch(ret);
	return error;
}

/* a op b, for a += b and ++a. */
static struct cudasim_error *combine(struct evaluation *e, enum operator op,
				     const struct value *object, const struct value *b,
				     struct value *ret)
{
	struct value a;
	if (object->is_void || !object->type || b->is_void || !b->type)
		return error_void_operand();
	struct cudasim_error *error = operand_of(e, object, &a);
	if (error)
		return error;
	error = value_is_class(&a) || value_is_class(b) ? call_operator_of(e, op, &a, b, ret)
							: arithmetic_binary(e, op, &a, b, ret);
	value_fini(&a);
	return error;
}

struct cudasim_error *evaluate_assign(struct evaluation *e, const struct node *node,
				      struct value *ret)
{
	struct value object, b, sum;
	struct cudasim_error *error = evaluate_object(e, node->b, &b);
	if (error)
		return error;
	if (!e->types_only && !b.is_void)
		error = value_fetch(&b);
	if (!error)
		error = evaluate_object(e, node->a, &object);
	if (error) {
		value_fini(&b);
		return error;
	}
	if (node->op == OP_NONE) {
		error = assign(e, node->a, &object, &b, ret);
	} else if (!(error = combine(e, node->op, &object, &b, &sum))) {
		error = assign(e, node->a, &object, &sum, ret);
		value_fini(&sum);
	}
	value_fini(&object);
	value_fini(&b);
	return error;
}

struct cudasim_error *evaluate_step(struct evaluation *e, const struct node *node,
				    struct value *ret)
{
	struct value object, before, sum, after;
	const struct value one = value_integer(type_base("int"), 1);
	struct cudasim_error *error = evaluate_object(e, node->a, &object);
	if (error)
		return error;
	error = combine(e, node->op, &object, &one, &sum);
	if (!error)
		error = operand_of(e, &object, &before);
	if (error) {
		value_fini(&object);
		return error;
	}
	error = assign(e, node->a, &object, &sum, &after);
	value_fini(&sum);
	value_fini(&object);
	if (!error && node->relative) {
		value_fini(&after);
		*ret = before;
		ret->is_lvalue = false;
		return NULL;
	}
	value_fini(&before);
	if (!error)
		*ret = after;
	return error;
}
