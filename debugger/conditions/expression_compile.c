/* SPDX-License-Identifier: Apache-2.0 */
/* expression_compile.c - from the tree of a condition to its program. What it does not
 * know (calls with structs, assignments, classes, bitfields, $names, small and large floats) makes it
 * give up: the evaluator then does the whole expression. */
#include <stdlib.h>
#include <string.h>

#include "expression_compile.h"

/* ---- emitting -------------------------------------------------------------------------- */

static int effect(enum instruction code)
{
	switch (code) {
	case PUSH:
	case PUSH_FRAME:
	case PUSH_FRAME_DEREF:
	case PUSH_GLOBAL:
	case PUSH_BUILTIN:
	case LOAD_FRAME:
		return 1;
	case INDEX:
	case JUMP_IF_ZERO:
	case JUMP_IF_NOT_ZERO:
	case KEEP_JUMP_IF_ZERO:
	case KEEP_JUMP_IF_NOT_ZERO:
	case END:
		return -1;
	default:
		if ((code >= ADD && code <= GREATER_EQUAL) ||
		    (code >= REAL_ADD && code <= REAL_GREATER_EQUAL))
			return -1;
		return 0;
	}
}

struct operation *compile_emit(struct compiler *c, enum instruction code)
{
	static struct operation none;
	c->depth = (size_t)((int64_t)c->depth + effect(code));
	if (c->n == MAX_OPERATIONS || c->depth > PROGRAM_STACK) {
		c->n = MAX_OPERATIONS; /* stays full: program_compile() gives up */
		return &none;
	}
	struct operation *operation = &c->operations[c->n++];
	*operation = (struct operation){.code = (uint8_t)code};
	return operation;
}

bool compile_form(const struct type *type, enum form *ret)
{
	static const enum form integers[][2] = {{FORM_U8, FORM_I8},
						{FORM_U16, FORM_I16},
						{FORM_U32, FORM_I32},
						{FORM_U64, FORM_I64}};
	type = type_strip(type);
	bool is_signed = type->is_signed;
	if (type->float_format) {
		*ret = type->float_format == FLOAT_SINGLE ? FORM_FLOAT : FORM_DOUBLE;
		return type->float_format == FLOAT_SINGLE || type->float_format == FLOAT_DOUBLE;
	}
	if (type->kind == TYPE_BOOL) {
		*ret = FORM_BOOL;
		return type->size == 1;
	}
	if (type->kind == TYPE_POINTER) {
		*ret = FORM_U64;
		return type->storage != STORAGE_SHARED;
	}
	if (type->kind == TYPE_ENUM)
		is_signed = type->target && type_strip(type->target)->is_signed;
	else if (type->kind != TYPE_CHAR && type->kind != TYPE_INTEGER)
		return false;
	for (int i = 0; i < 4; i++)
		if (type->size == 1u << i) {
			*ret = integers[i][is_signed];
			return true;
		}
	return false;
}

static bool is_real(const struct type *type)
{
	return type_strip(type)->float_format != FLOAT_NONE;
}

static bool is_signed_form(enum form form)
{
	return form == FORM_I8 || form == FORM_I16 || form == FORM_I32 || form == FORM_I64;
}

bool compile_push(struct compiler *c, int64_t number)
{
	compile_emit(c, PUSH)->u.integer = number;
	return true;
}

const struct type *compile_type(const struct node *node)
{
	struct evaluation e = {.types_only = true};
	struct value value, decayed;
	struct cudasim_error *error = node_evaluate(&e, node, &value);
	if (error) {
		cudasim_error_free(error);
		return NULL;
	}
	if (value.is_void || !value.type || value.bit_size)
		return NULL;
	const struct type *type = type_target(value.type);
	if (type->kind == TYPE_ARRAY) {
		value.type = type;
		cudasim_error_free(value_decay(&value, true, &decayed));
		type = type_strip(decayed.type);
	}
	value_fini(&value);
	return type;
}

/* ---- operators --------------------------------------------------------------------------------- */

/* The number on the stack, of type `from`, as one of type `to`. */
bool compile_conversion(struct compiler *c, const struct type *from, const struct type *to)
{
	enum form source, target;
	if (!compile_form(from, &source) || !compile_form(to, &target))
		return false;
	bool real = source == FORM_FLOAT || source == FORM_DOUBLE;
	if (target == FORM_BOOL) {
		compile_emit(c, real ? REAL_TRUTH : TRUTH);
	} else if (target == FORM_FLOAT || target == FORM_DOUBLE) {
		if (!real) {
			struct operation *operation = compile_emit(c, TO_REAL);
			operation->is_signed = source != FORM_U64;
			operation->form = (uint8_t)target;
		} else if (target == FORM_FLOAT && source != FORM_FLOAT) {
			compile_emit(c, ROUND);
		}
	} else if (real) {
		compile_emit(c, TO_INTEGER)->form = (uint8_t)target;
	} else if (source != target && target != FORM_I64 && target != FORM_U64) {
		compile_emit(c, WRAP)->form = (uint8_t)target;
	}
	return true;
}

static bool logical(struct compiler *c, const struct node *node, const struct type **ret)
{
	const struct type *type;
	if (!compile_node(c, node->a, &type) || !compile_conversion(c, type, type_base("bool")))
		return false;
	size_t jump = c->n;
	compile_emit(c, node->op == OP_BOTH ? KEEP_JUMP_IF_ZERO : KEEP_JUMP_IF_NOT_ZERO);
	if (!compile_node(c, node->b, &type) || !compile_conversion(c, type, type_base("bool")) ||
	    c->n >= MAX_OPERATIONS)
		return false;
	c->operations[jump].index = (uint32_t)c->n;
	*ret = type_base("bool");
	return true;
}

/* Pointers with integers, and compared. */
static bool pointers(struct compiler *c, const struct node *node, const struct type *a,
		     const struct type *b, const struct type **ret)
{
	bool left = type_strip(a)->kind == TYPE_POINTER,
	     right = type_strip(b)->kind == TYPE_POINTER;
	if (node->op >= OP_EQUAL && node->op <= OP_GREATER_EQUAL) {
		compile_emit(c, (enum instruction)(EQUAL + (node->op - OP_EQUAL)))->is_signed =
			false;
		*ret = type_base("bool");
		return true;
	}
	if (!left || right || (node->op != OP_ADD && node->op != OP_SUBTRACT) ||
	    !type_is_integral(b))
		return false;
	uint64_t size = type_strip(type_strip(a)->target)->size;
	compile_push(c, (int64_t)(size ? size : 1));
	compile_emit(c, MULTIPLY);
	compile_emit(c, node->op == OP_ADD ? ADD : SUBTRACT);
	*ret = a;
	return true;
}

static const enum instruction real_operations[] = {
	[OP_ADD] = REAL_ADD,
	[OP_SUBTRACT] = REAL_SUBTRACT,
	[OP_MULTIPLY] = REAL_MULTIPLY,
	[OP_DIVIDE] = REAL_DIVIDE,
	[OP_EQUAL] = REAL_EQUAL,
	[OP_UNEQUAL] = REAL_UNEQUAL,
	[OP_LESS] = REAL_LESS,
	[OP_GREATER] = REAL_GREATER,
	[OP_LESS_EQUAL] = REAL_LESS_EQUAL,
	[OP_GREATER_EQUAL] = REAL_GREATER_EQUAL,
};
static const enum instruction integer_operations[] = {
	[OP_ADD] = ADD,
	[OP_SUBTRACT] = SUBTRACT,
	[OP_MULTIPLY] = MULTIPLY,
	[OP_DIVIDE] = DIVIDE,
	[OP_MODULO] = MODULO,
	[OP_SHIFT_LEFT] = SHIFT_LEFT,
	[OP_SHIFT_RIGHT] = SHIFT_RIGHT,
	[OP_AND] = AND,
	[OP_OR] = OR,
	[OP_XOR] = XOR,
	[OP_EQUAL] = EQUAL,
	[OP_UNEQUAL] = UNEQUAL,
	[OP_LESS] = LESS,
	[OP_GREATER] = GREATER,
	[OP_LESS_EQUAL] = LESS_EQUAL,
	[OP_GREATER_EQUAL] = GREATER_EQUAL,
};

static bool binary(struct compiler *c, const struct node *node, const struct type **ret)
{
	const struct type *a = compile_type(node->a), *b = compile_type(node->b), *type;
	bool shift = node->op == OP_SHIFT_LEFT || node->op == OP_SHIFT_RIGHT;
	bool comparison = node->op >= OP_EQUAL && node->op <= OP_GREATER_EQUAL;
	enum form form;
	if (node->op == OP_BOTH || node->op == OP_EITHER)
		return logical(c, node, ret);
	if (!a || !b || node->op < OP_ADD || node->op > OP_GREATER_EQUAL)
		return false;
	if (a->kind == TYPE_POINTER || b->kind == TYPE_POINTER)
		return compile_node(c, node->a, &a) && compile_node(c, node->b, &b) &&
		       pointers(c, node, a, b, ret);
	const struct type *common = shift ? promoted_type(a) : arithmetic_type(a, b);
	if (!common || !compile_form(common, &form))
		return false;
	bool real = is_real(common);
	if (real && (node->op >= OP_MODULO && node->op <= OP_XOR))
		return false;
	if (!compile_node(c, node->a, &type) || !compile_conversion(c, type, common) ||
	    !compile_node(c, node->b, &type))
		return false;
	if (!shift && !compile_conversion(c, type, common))
		return false;
	if (shift && is_real(type))
		return false;
	struct operation *operation = compile_emit(c, real ? real_operations[node->op]
							   : integer_operations[node->op]);
	operation->is_signed = is_signed_form(form);
	operation->form = (uint8_t)form;
	*ret = comparison ? type_base("bool") : common;
	if (!comparison && real && form == FORM_FLOAT)
		compile_emit(c, ROUND);
	if (!comparison && !real && form != FORM_I64 && form != FORM_U64)
		compile_emit(c, WRAP)->form = (uint8_t)form;
	return true;
}

static bool unary(struct compiler *c, const struct node *node, const struct type **ret)
{
	const struct type *type;
	enum form form;
	if (!compile_node(c, node->a, &type))
		return false;
	if (node->op == OP_NOT) {
		compile_emit(c, is_real(type) ? REAL_NOT : NOT);
		*ret = type_base("bool");
		return true;
	}
	*ret = promoted_type(type);
	if (type_strip(type)->kind == TYPE_POINTER || !compile_conversion(c, type, *ret) ||
	    !compile_form(*ret, &form))
		return false;
	bool real = is_real(*ret);
	if (real && node->op == OP_COMPLEMENT)
		return false;
	if (node->op == OP_PLUS)
		return true;
	compile_emit(c, node->op == OP_COMPLEMENT ? COMPLEMENT : real ? REAL_NEGATE : NEGATE);
	if (!real && form != FORM_I64 && form != FORM_U64)
		compile_emit(c, WRAP)->form = (uint8_t)form;
	return true;
}

static bool ternary(struct compiler *c, const struct node *node, const struct type **ret)
{
	const struct type *b = compile_type(node->b), *d = compile_type(node->c), *type;
	const struct type *common = b && d ? arithmetic_type(b, d) : NULL;
	if (b && d && type_equal(b, d))
		common = b;
	if (!common || !compile_node(c, node->a, &type) ||
	    !compile_conversion(c, type, type_base("bool")))
		return false;
	size_t jump = c->n;
	compile_emit(c, JUMP_IF_ZERO);
	if (!compile_node(c, node->b, &type) || !compile_conversion(c, type, common))
		return false;
	size_t over = c->n;
	compile_emit(c, JUMP);
	if (c->n >= MAX_OPERATIONS)
		return false;
	c->operations[jump].index = (uint32_t)c->n;
	c->depth--; /* one of the two values is there in the end */
	if (!compile_node(c, node->c, &type) || !compile_conversion(c, type, common) ||
	    c->n >= MAX_OPERATIONS)
		return false;
	c->operations[over].index = (uint32_t)c->n;
	*ret = common;
	return true;
}

static bool literal(struct compiler *c, const struct value *value, const struct type **ret)
{
	wide number;
	long double real;
	enum form form;
	struct cudasim_error *error;
	*ret = value->type;
	if (!compile_form(value->type, &form))
		return false;
	if (is_real(value->type)) {
		if (!(error = value_to_real(value, &real)))
			compile_emit(c, PUSH)->u.real = (double)real;
	} else if (!(error = value_to_integer(value, &number))) {
		compile_push(c, (int64_t)number);
	}
	cudasim_error_free(error);
	return !error;
}

static bool measure(struct compiler *c, const struct node *node, const struct type **ret)
{
	struct evaluation e = {.types_only = true};
	struct value value;
	struct cudasim_error *error = node_evaluate(&e, node, &value);
	cudasim_error_free(error);
	return !error && literal(c, &value, ret);
}

static bool cast(struct compiler *c, const struct node *node, const struct type **ret)
{
	const struct type *type;
	if (node->number || !compile_node(c, node->a, &type) ||
	    !compile_conversion(c, type, node->type))
		return false;
	/* Pointers to classes may have to be moved. */
	if (type_strip(type)->kind == TYPE_POINTER &&
	    type_strip(node->type)->kind == TYPE_POINTER &&
	    type_strip(type_strip(node->type)->target)->kind == TYPE_STRUCT)
		return false;
	*ret = node->type;
	return true;
}

bool compile_node(struct compiler *c, const struct node *node, const struct type **ret)
{
	bool safe;
	switch (node->kind) {
	case NODE_LITERAL:
		return literal(c, &node->literal, ret);
	case NODE_BUILTIN:
		*ret = type_base("int");
		return node->number == BUILTIN_WARP_SIZE && compile_push(c, 32);
	case NODE_VARIABLE:
	case NODE_GLOBAL:
	case NODE_MEMBER:
	case NODE_SUBSCRIPT:
	case NODE_DEREFERENCE:
		return compile_load(c, node, ret);
	case NODE_ADDRESS:
		if (!compile_place_of(c, node->a, ret, &safe))
			return false;
		*ret = type_pointer(*ret, STORAGE_GENERIC);
		return true;
	case NODE_UNARY:
		return unary(c, node, ret);
	case NODE_BINARY:
		return binary(c, node, ret);
	case NODE_TERNARY:
		return ternary(c, node, ret);
	case NODE_CAST:
		return cast(c, node, ret);
	case NODE_CALL:
		return compile_call(c, node, ret);
	case NODE_SIZEOF:
	case NODE_ALIGNOF:
		return measure(c, node, ret);
	default:
		return false;
	}
}

struct program *program_compile(const struct expression *expression)
{
	const struct type *type;
	struct program *program = NULL;
	struct compiler *c = calloc(1, sizeof *c);
	if (c && compile_node(c, expression->root, &type) &&
	    compile_conversion(c, type, type_base("bool"))) {
		compile_emit(c, END);
		size_t globals = c->n_globals * sizeof *c->globals;
		size_t operations = c->n * sizeof *c->operations,
		       calls = c->n_calls * sizeof *c->calls;
		size_t size = sizeof *program + operations + globals + calls;
		if (c->n < MAX_OPERATIONS && (program = calloc(1, size))) {
			program->n = c->n;
			program->n_globals = c->n_globals;
			program->n_calls = c->n_calls;
			memcpy(program->operations, c->operations, operations);
			program->globals = (struct program_global *)(program->operations + c->n);
			memcpy(program->globals, c->globals, globals);
			program->calls = (struct program_call *)(program->globals + c->n_globals);
			memcpy(program->calls, c->calls, calls);
		}
	}
	free(c);
	return program;
}
