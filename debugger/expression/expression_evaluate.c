/* SPDX-License-Identifier: Apache-2.0 */
/* expression_evaluate.c - walks the tree. The same walk with types_only gives types:
 * then values are placeholders that are never read. */
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "expression_evaluate.h"

/* ---- helpers ----------------------------------------------------------------------- */

struct value value_typed(const struct type *type)
{
	return (struct value){.type = type, .is_lazy = true};
}

struct value value_typed_object(const struct type *type, enum storage storage)
{
	return (struct value){.type = type, .is_lazy = true, .is_lvalue = true, .storage = storage};
}

static enum storage pointee_storage(const struct value *pointer, const struct type *type)
{
	return type->storage ? type->storage : pointer->storage ? STORAGE_GENERIC : STORAGE_NONE;
}

struct cudasim_error *evaluate_pointee(struct evaluation *e, const struct value *pointer,
				       struct value *ret)
{
	const struct type *type = type_strip(pointer->type);
	if (!e->types_only)
		return value_pointee(pointer, ret);
	*ret = value_typed_object(type->target, pointee_storage(pointer, type));
	return NULL;
}

/* With references followed: what C++ calls the value of an expression. */
struct cudasim_error *evaluate_object(struct evaluation *e, const struct node *node,
				      struct value *ret)
{
	struct value value;
	struct cudasim_error *error = node_evaluate(e, node, &value);
	if (error)
		return error;
	if (!value.type || type_strip(value.type)->kind != TYPE_REFERENCE) {
		*ret = value;
		return NULL;
	}
	error = evaluate_pointee(e, &value, ret);
	value_fini(&value);
	return error;
}

/* An operand: arrays and functions become pointers, the bytes are read. */
struct cudasim_error *evaluate_operand(struct evaluation *e, const struct node *node,
				       struct value *ret)
{
	struct value value;
	struct cudasim_error *error = evaluate_object(e, node, &value);
	if (error)
		return error;
	if (value.is_optimized_out) {
		value_fini(&value);
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "value has been optimized out");
	}
	error = value_decay(&value, e->types_only, ret);
	if (!error && !e->types_only && !ret->is_void)
		error = value_fetch(ret);
	/* What the program's own pointers point at is @generic, and stays so in sums. */
	const struct type *type = !error && ret->type ? type_strip(ret->type) : NULL;
	if (type && type->kind == TYPE_POINTER && !type->storage && value.storage &&
	    value.is_lvalue)
		ret->type = type_pointer(type->target, STORAGE_GENERIC);
	value_fini(&value);
	return error;
}

/* ---- operators ----------------------------------------------------------------------------- */

bool value_is_class(const struct value *value)
{
	const struct type *type = value->type ? type_target(value->type) : NULL;
	return type && type->kind == TYPE_STRUCT && !type->float_format;
}

const char *operator_text(enum operator op)
{
	static const char *const names[] = {
		[OP_ADD] = "+",          [OP_SUBTRACT] = "-",
		[OP_MULTIPLY] = "*",     [OP_DIVIDE] = "/",
		[OP_MODULO] = "%",       [OP_SHIFT_LEFT] = "<<",
		[OP_SHIFT_RIGHT] = ">>", [OP_AND] = "&",
		[OP_OR] = "|",           [OP_XOR] = "^",
		[OP_EQUAL] = "==",       [OP_UNEQUAL] = "!=",
		[OP_LESS] = "<",         [OP_GREATER] = ">",
		[OP_LESS_EQUAL] = "<=",  [OP_GREATER_EQUAL] = ">=",
		[OP_PLUS] = "+",         [OP_NEGATE] = "-",
		[OP_COMPLEMENT] = "~",   [OP_NOT] = "!",
		[OP_BOTH] = "&&",        [OP_EITHER] = "||",
	};
	return (size_t)op < sizeof names / sizeof *names && names[op] ? names[op] : "";
}

struct cudasim_error *error_void_operand(void)
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT,
				 "Argument to arithmetic operation not a number or boolean.");
}

struct cudasim_error *call_operator_of(struct evaluation *e, enum operator op,
				       const struct value *a, const struct value *b,
				       struct value *ret)
{
	char name[16];
	snprintf(name, sizeof name, "operator%s", operator_text(op));
	return call_operator(e, name, a, b, ret);
}

static struct cudasim_error *truth_of(struct evaluation *e, const struct node *node, bool *ret)
{
	struct value value;
	*ret = true;
	struct cudasim_error *error = evaluate_operand(e, node, &value);
	if (error)
		return error;
	if (value.is_void)
		error = error_void_operand();
	else if (!e->types_only)
		error = value_to_bool(&value, ret);
	value_fini(&value);
	return error;
}

static struct cudasim_error *evaluate_logical(struct evaluation *e, const struct node *node,
					      struct value *ret)
{
	bool truth;
	struct cudasim_error *error = truth_of(e, node->a, &truth);
	if (!error && (e->types_only || truth == (node->op == OP_BOTH)))
		error = truth_of(e, node->b, &truth);
	if (!error)
		*ret = value_integer(type_base("bool"), truth);
	return error;
}

static struct cudasim_error *evaluate_binary(struct evaluation *e, const struct node *node,
					     struct value *ret)
{
	struct value a, b;
	struct cudasim_error *error;
	if (node->op == OP_BOTH || node->op == OP_EITHER)
		return evaluate_logical(e, node, ret);
	if (node->op == OP_REPEAT)
		return evaluate_repeat(e, node, ret);
	if (node->op == OP_MEMBER_POINTER || node->op == OP_MEMBER_POINTER_ARROW)
		return evaluate_member_pointer(e, node, ret);
	if ((error = evaluate_operand(e, node->a, &a)))
		return error;
	if ((error = evaluate_operand(e, node->b, &b))) {
		value_fini(&a);
		return error;
	}
	if (a.is_void || b.is_void)
		error = error_void_operand();
	else if (value_is_class(&a) || value_is_class(&b))
		error = call_operator_of(e, node->op, &a, &b, ret);
	else
		error = arithmetic_binary(e, node->op, &a, &b, ret);
	value_fini(&a);
	value_fini(&b);
	return error;
}

static struct cudasim_error *evaluate_unary(struct evaluation *e, const struct node *node,
					    struct value *ret)
{
	struct value a;
	char name[16];
	struct cudasim_error *error = evaluate_operand(e, node->a, &a);
	if (error)
		return error;
	snprintf(name, sizeof name, "operator%s", operator_text(node->op));
	if (a.is_void)
		error = error_void_operand();
	else if (value_is_class(&a))
		error = call_operator(e, name, &a, NULL, ret);
	else
		error = arithmetic_unary(e, node->op, &a, ret);
	value_fini(&a);
	return error;
}

static struct cudasim_error *evaluate_ternary(struct evaluation *e, const struct node *node,
					      struct value *ret)
{
	bool truth;
	struct value b, c;
	struct cudasim_error *error = truth_of(e, node->a, &truth);
	if (error)
		return error;
	/* The types of both branches decide the result's. */
	struct evaluation types = {.context = e->context, .types_only = true};
	if ((error = evaluate_object(&types, node->b, &b)) ||
	    (error = evaluate_object(&types, node->c, &c)))
		return error;
	const struct type *common = !b.is_void && !c.is_void ? arithmetic_type(b.type, c.type)
							     : NULL;
	if (type_equal(b.type, c.type))
		common = NULL;
	if (e->types_only) {
		*ret = common ? value_typed(common) : truth ? b : c;
		return NULL;
	}
	if (!common)
		return evaluate_object(e, truth ? node->b : node->c, ret);
	if ((error = evaluate_operand(e, truth ? node->b : node->c, &b)))
		return error;
	error = value_convert(&b, common, false, ret);
	value_fini(&b);
	return error;
}

static struct cudasim_error *evaluate_comma(struct evaluation *e, const struct node *node,
					    struct value *ret)
{
	struct value first;
	struct cudasim_error *error = node_evaluate(e, node->a, &first);
	if (error)
		return error;
	value_fini(&first);
	return node_evaluate(e, node->b, ret);
}

/* ---- types as operands ---------------------------------------------------------------------------- */

/* dynamic_cast: the whole object has to hold what is asked for. */
static struct cudasim_error *dynamic_cast_to(const struct value *from, const struct type *to,
					     struct value *ret)
{
	const struct type *target = type_strip(to), *wanted;
	const struct type *source = type_strip(from->type);
	uint64_t address, start, offset;
	if (target->kind != TYPE_POINTER || source->kind != TYPE_POINTER)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Argument to dynamic_cast must be a pointer");
	struct cudasim_error *error = value_to_address(from, &address, NULL);
	if (error)
		return error;
	wanted = type_strip(target->target);
	const struct type *whole = address ? symbols_dynamic_type(address, &start) : NULL;
	bool found = whole && member_base_offset(whole, wanted, &offset);
	*ret = value_integer(to, found ? (wide)(start + offset) : 0);
	return NULL;
}

static struct cudasim_error *evaluate_cast(struct evaluation *e, const struct node *node,
					   struct value *ret)
{
	struct value value;
	struct cudasim_error *error = evaluate_object(e, node->a, &value);
	if (error)
		return error;
	const struct type *source = value.type ? type_strip(value.type) : NULL;
	const struct type *target = type_strip(node->type);
	if (e->types_only) {
		*ret = value_typed(node->type);
		ret->is_lvalue = target->kind == TYPE_REFERENCE || target->kind == TYPE_ARRAY;
		return NULL;
	}
	if (!value.is_void && target->kind != TYPE_REFERENCE && target->kind != TYPE_ARRAY)
		error = value_fetch(&value);
	if (error)
		return error;
	if (node->number)
		error = dynamic_cast_to(&value, node->type, ret);
	else if (node->relative && source && source->kind == TYPE_POINTER &&
		 target->kind == TYPE_POINTER) {
		/* reinterpret_cast: no way from class to class, the same address. */
		struct value plain = value;
		plain.type = type_pointer(type_base("void"), source->storage);
		error = value_convert(&plain, node->type, true, ret);
	} else {
		error = value_convert(&value, node->type, true, ret);
	}
	value_fini(&value);
	return error;
}

static struct cudasim_error *evaluate_measure(struct evaluation *e, const struct node *node,
					      struct value *ret)
{
	const struct type *type = node->type;
	if (!type) {
		struct evaluation types = {.context = e->context, .types_only = true};
		struct value value;
		struct cudasim_error *error = evaluate_object(&types, node->a, &value);
		if (error)
			return error;
		type = value.type;
		value_fini(&value);
	}
	type = type_target(type);
	uint64_t n = node->kind == NODE_SIZEOF ? type->size : type_alignment(type);
	if (node->kind == NODE_SIZEOF && (type->kind == TYPE_VOID || type->kind == TYPE_FUNCTION))
		n = 1;
	*ret = value_integer(type_base("unsigned long"), (wide)n);
	return NULL;
}

/* ---- all ------------------------------------------------------------------------------------------ */

static struct cudasim_error *evaluate_function(const struct node *node, struct value *ret)
{
	const struct function *function = node->functions[0];
	const struct type *type = symbols_function_type(function);
	if (!type)
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "'%s' has unknown type; cast it to its declared type",
					 node->name);
	*ret = value_typed_object(type, STORAGE_NONE);
	ret->address = function->low;
	return NULL;
}

static struct cudasim_error *evaluate_type(struct evaluation *e, const struct node *node,
					   struct value *ret)
{
	if (!e->types_only)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Attempt to use a type name as an expression");
	*ret = value_typed(node->type);
	return NULL;
}

struct cudasim_error *node_evaluate(struct evaluation *e, const struct node *node,
				    struct value *ret)
{
	switch (node->kind) {
	case NODE_LITERAL:
		return value_copy(&node->literal, ret);
	case NODE_STRING:
		return value_of_bytes(node->type, node->name, ret);
	case NODE_VARIABLE:
		return evaluate_variable(e, node, ret);
	case NODE_GLOBAL:
		return evaluate_global(e, node, ret);
	case NODE_FUNCTION:
		return evaluate_function(node, ret);
	case NODE_BUILTIN:
		return evaluate_builtin(e, node, ret);
	case NODE_REGISTER:
		return evaluate_register(e, node, ret);
	case NODE_CONVENIENCE:
		if (!convenience_get(node->name, ret))
			*ret = value_void();
		return NULL;
	case NODE_HISTORY:
		return history_get(node->number, node->relative, ret);
	case NODE_TYPE:
		return evaluate_type(e, node, ret);
	case NODE_FIELD:
		return evaluate_field(e, node, ret);
	case NODE_UNARY:
		return evaluate_unary(e, node, ret);
	case NODE_BINARY:
		return evaluate_binary(e, node, ret);
	case NODE_TERNARY:
		return evaluate_ternary(e, node, ret);
	case NODE_COMMA:
		return evaluate_comma(e, node, ret);
	case NODE_ASSIGN:
		return evaluate_assign(e, node, ret);
	case NODE_STEP:
		return evaluate_step(e, node, ret);
	case NODE_CAST:
		return evaluate_cast(e, node, ret);
	case NODE_SIZEOF:
	case NODE_ALIGNOF:
		return evaluate_measure(e, node, ret);
	case NODE_ADDRESS:
		return evaluate_address(e, node, ret);
	case NODE_DEREFERENCE:
		return evaluate_dereference(e, node, ret);
	case NODE_MEMBER:
		return evaluate_member(e, node, ret);
	case NODE_SUBSCRIPT:
		return evaluate_subscript(e, node, ret);
	case NODE_SLICE:
		return evaluate_slice(e, node, ret);
	case NODE_MATH:
		break;
	case NODE_CALL:
		return call_evaluate(e, node, ret);
	}
	return cudasim_error_new(CUDASIM_E_FAILED, "an expression of an unknown kind");
}
