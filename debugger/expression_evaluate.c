/* SPDX-License-Identifier: Apache-2.0 */
/* expression_evaluate.c - walks the tree. The same walk with types_only gives types:
 * then values are placeholders that are never read. */
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "expression_tree.h"
#include "focus.h"
#include "host.h"

/* ---- helpers ----------------------------------------------------------------------- */

static struct value typed(const struct type *type)
{
	return (struct value){.type = type, .is_lazy = true};
}

static struct value typed_object(const struct type *type, enum storage storage)
{
	return (struct value){.type = type, .is_lazy = true, .is_lvalue = true, .storage = storage};
}

static enum storage pointee_storage(const struct value *pointer, const struct type *type)
{
	return type->storage ? type->storage : pointer->storage ? STORAGE_GENERIC : STORAGE_NONE;
}

static struct cudasim_error *pointee(struct evaluation *e, const struct value *pointer,
				     struct value *ret)
{
	const struct type *type = type_strip(pointer->type);
	if (!e->types_only)
		return value_pointee(pointer, ret);
	*ret = typed_object(type->target, pointee_storage(pointer, type));
	return NULL;
}

/* With references followed: what C++ calls the value of an expression. */
static struct cudasim_error *evaluate_object(struct evaluation *e, const struct node *node,
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
	error = pointee(e, &value, ret);
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
	if (type && type->kind == TYPE_POINTER && !type->storage && value.storage && value.is_lvalue)
		ret->type = type_pointer(type->target, STORAGE_GENERIC);
	value_fini(&value);
	return error;
}

/* ---- names ----------------------------------------------------------------------------- */

static const struct frame *frame_of(struct evaluation *e, const struct function *function)
{
	const struct frame *frames;
	if (!function || (e->context.frame && e->context.frame->function == function))
		return e->context.frame;
	size_t n = frames_of_focus(&frames);
	for (size_t i = 0; i < n; i++)
		if (frames[i].function == function)
			return &frames[i];
	return NULL;
}

static struct registers registers_of(const struct frame *frame)
{
	struct registers registers = frame->registers;
	if (frame->is_device) {
		registers.value[6] = frame->base;
		registers.known |= 1u << 6;
	}
	return registers;
}

struct cudasim_error *variable_address(struct evaluation *e, const struct node *node, uint64_t *ret)
{
	const struct location *location = &node->location;
	if (location->kind == LOCATION_ADDRESS) {
		*ret = (uint64_t)location->offset;
		return NULL;
	}
	const struct frame *frame = frame_of(e, node->frame_of);
	if (!frame)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "No frame selected.");
	struct registers registers = registers_of(frame);
	return location_address(location, &registers, ret);
}

/* A variable that is in registers or has become a constant. */
static struct cudasim_error *variable_bytes(struct evaluation *e, const struct node *node,
					    struct value *ret)
{
	const struct frame *frame = frame_of(e, node->frame_of);
	uint64_t size = type_strip(node->type)->size;
	struct registers registers = {.known = 0};
	if (frame)
		registers = registers_of(frame);
	void *bytes = calloc(1, size + 16);
	if (!bytes)
		return &cudasim_error_nomem;
	struct cudasim_error *error = location_bytes(&node->location, &registers, bytes, size);
	if (!error)
		error = value_of_bytes(node->type, bytes, ret);
	free(bytes);
	if (!error)
		ret->storage = node->variable->storage;
	return error;
}

static struct cudasim_error *evaluate_variable(struct evaluation *e, const struct node *node,
					       struct value *ret)
{
	uint64_t address = 0;
	struct cudasim_error *error;
	if (e->types_only) {
		*ret = typed_object(node->type, node->variable->storage);
		return NULL;
	}
	if (node->location.kind == LOCATION_NONE) {
		*ret = value_at(node->type, node->variable->storage, 0);
		ret->is_optimized_out = true;
		return NULL;
	}
	bool has_bytes = node->location.kind == LOCATION_REGISTER ||
			 node->location.kind == LOCATION_VALUE;
	error = has_bytes ? NULL : variable_address(e, node, &address);
	if (!error && !has_bytes) {
		*ret = value_at(node->type, node->variable->storage, address);
		return NULL;
	}
	if (error && node->location.kind != LOCATION_EXPRESSION)
		return error;
	cudasim_error_free(error);
	return variable_bytes(e, node, ret);
}

static uint32_t device_of(const struct evaluation *e)
{
	const struct cudasim_thread *thread = e->context.thread;
	return thread && thread->block ? thread->block->device : 0;
}

static struct cudasim_error *evaluate_global(struct evaluation *e, const struct node *node,
					     struct value *ret)
{
	if (e->types_only) {
		*ret = typed_object(node->type, node->variable->storage);
		return NULL;
	}
	return value_of_global(node->variable, device_of(e), ret);
}

/* uint3 and dim3, where the program's own debug information does not have them. */
static const struct type *triple_type(bool dim3)
{
	static struct member members[3] = {{.name = "x"}, {.name = "y", .offset = 4},
					   {.name = "z", .offset = 8}};
	static struct type uint3_type = {.kind = TYPE_STRUCT, .name = "uint3", .size = 12,
					 .members = members, .n_members = 3};
	static struct type dim3_type = {.kind = TYPE_STRUCT, .name = "dim3", .size = 12,
					.members = members, .n_members = 3};
	const struct type *found = symbols_type(dim3 ? "dim3" : "uint3", NULL);
	for (int i = 0; i < 3; i++)
		members[i].type = type_base("unsigned int");
	if (found && type_strip(found)->size == 12)
		return found;
	return dim3 ? &dim3_type : &uint3_type;
}

static struct cudasim_error *evaluate_builtin(struct evaluation *e, const struct node *node,
					      struct value *ret)
{
	static const char *const names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim",
					    "clusterIdx", "clusterDim"};
	const struct cudasim_thread *thread = e->context.thread;
	if (node->number == BUILTIN_WARP_SIZE) {
		*ret = value_integer(type_base("int"), 32);
		return NULL;
	}
	bool dim3 = node->number == BUILTIN_BLOCK_DIM || node->number == BUILTIN_GRID_DIM ||
		    node->number == BUILTIN_CLUSTER_DIM;
	const struct type *type = triple_type(dim3);
	*ret = typed(type);
	if (e->types_only)
		return NULL;
	if (!thread || !thread->block)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "No symbol \"%s\" in current context.",
					 names[node->number]);
	const struct cudasim_block *block = thread->block;
	uint32_t three[3];
	for (int i = 0; i < 3; i++) {
		uint32_t cluster = block->cluster_nctaid[i] ? block->cluster_nctaid[i] : 1;
		three[i] = node->number == BUILTIN_THREAD_IDX  ? thread->tid[i]
			   : node->number == BUILTIN_BLOCK_IDX ? block->ctaid[i]
			   : node->number == BUILTIN_BLOCK_DIM ? block->ntid[i]
			   : node->number == BUILTIN_GRID_DIM  ? block->nctaid[i]
			   : node->number == BUILTIN_CLUSTER_IDX ? block->ctaid[i] / cluster
								 : cluster;
	}
	return value_of_bytes(type, three, ret);
}

static struct cudasim_error *evaluate_register(struct evaluation *e, const struct node *node,
					       struct value *ret)
{
	const struct frame *frame = e->context.frame;
	static struct type code = {.kind = TYPE_FUNCTION, .size = 1};
	const struct type *type = type_base("long");
	code.target = type_base("void");
	if (node->number == 16)
		type = type_pointer(&code, STORAGE_NONE);
	else if (node->number == 6 || node->number == 7)
		type = type_pointer(type_base("void"), STORAGE_NONE);
	*ret = typed(type);
	if (e->types_only)
		return NULL;
	if (!frame)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "No registers.");
	uint64_t number = frame->registers.value[node->number];
	bool known = frame->registers.known >> node->number & 1;
	if (node->number == 16) {
		number = frame->pc;
		known = true;
	} else if (node->number == 6 && frame->is_device) {
		number = frame->base;
		known = true;
	}
	if (!known)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "value is not available");
	*ret = value_integer(type, (wide)number);
	return NULL;
}

/* ---- places ------------------------------------------------------------------------------ */

static struct cudasim_error *not_pointer(void)
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT,
				 "Attempt to take contents of a non-pointer value.");
}

struct cudasim_error *value_dereference(struct evaluation *e, const struct value *value,
					struct value *ret)
{
	const struct type *type = type_strip(value->type);
	if (type->kind == TYPE_FUNCTION)
		return value_copy(value, ret);
	if (type->kind == TYPE_INTEGER) { /* as gdb: an address of a long */
		wide number = 0;
		struct cudasim_error *error = e->types_only ? NULL : value_to_integer(value, &number);
		if (!error)
			*ret = value_at(type_base("long"), STORAGE_NONE, (uint64_t)number);
		return error;
	}
	if (type->kind != TYPE_POINTER || !type->target || type_strip(type->target)->kind == TYPE_VOID)
		return not_pointer();
	return pointee(e, value, ret);
}

static struct cudasim_error *evaluate_dereference(struct evaluation *e, const struct node *node,
						  struct value *ret)
{
	struct value value, decayed;
	struct cudasim_error *error = evaluate_object(e, node->a, &value);
	if (error)
		return error;
	if (!value.type || value.is_void)
		return not_pointer();
	if (type_strip(value.type)->kind == TYPE_ARRAY) {
		error = value_decay(&value, e->types_only, &decayed);
		value_fini(&value);
		if (error)
			return error;
		value = decayed;
	}
	error = value_dereference(e, &value, ret);
	value_fini(&value);
	return error;
}

static struct cudasim_error *evaluate_address(struct evaluation *e, const struct node *node,
					      struct value *ret)
{
	struct value value;
	struct cudasim_error *error = evaluate_object(e, node->a, &value);
	if (error)
		return error;
	if (value.type && type_strip(value.type)->kind == TYPE_FUNCTION)
		error = value_decay(&value, e->types_only, ret);
	else if (!e->types_only || !value.is_lvalue || value.bit_size)
		error = value_pointer_to(&value, ret);
	else
		*ret = value_integer(type_pointer(value.type, value.storage == STORAGE_PARAMETER
					? STORAGE_LOCAL : value.storage), 0);
	value_fini(&value);
	return error;
}

static struct cudasim_error *evaluate_member(struct evaluation *e, const struct node *node,
					     struct value *ret)
{
	struct value value, object;
	struct cudasim_error *error = evaluate_object(e, node->a, &value);
	if (error)
		return error;
	const struct type *type = value.type ? type_strip(value.type) : NULL;
	/* Both . and -> work on both, as in gdb. */
	if (type && (type->kind == TYPE_POINTER || type->kind == TYPE_ARRAY) &&
	    type_strip(type->target)->kind == TYPE_STRUCT) {
		error = value_decay(&value, e->types_only, &object);
		value_fini(&value);
		if (error)
			return error;
		value = object;
		error = pointee(e, &value, &object);
		value_fini(&value);
		if (error)
			return error;
		value = object;
		type = type_strip(value.type);
	}
	if (!type || type->kind != TYPE_STRUCT)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, node->relative
			? "Attempt to extract a component of a value that is not a structure pointer."
			: "Attempt to extract a component of a value that is not a structure.");
	else
		error = member_of(&value, node->name, ret);
	value_fini(&value);
	return error;
}

static struct cudasim_error *evaluate_member_pointer(struct evaluation *e, const struct node *node,
						     struct value *ret)
{
	struct value object, pointer, value;
	wide offset = 0;
	struct cudasim_error *error = evaluate_object(e, node->a, &value);
	if (error)
		return error;
	if (node->op == OP_MEMBER_POINTER_ARROW)
		error = value_dereference(e, &value, &object);
	else
		error = value_copy(&value, &object);
	value_fini(&value);
	if (error)
		return error;
	error = evaluate_operand(e, node->b, &pointer);
	if (error)
		return error;
	const struct type *type = type_strip(pointer.type);
	if (type->kind != TYPE_MEMBER_POINTER || type_strip(type->target)->kind == TYPE_FUNCTION)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "not implemented: pointer-to-method in "
							      "pointer-to-member construct");
	else if (!e->types_only)
		error = value_to_integer(&pointer, &offset);
	if (!error) {
		struct member member = {.type = type->target, .offset = (uint64_t)offset};
		error = value_member(&object, &member, ret);
	}
	value_fini(&pointer);
	value_fini(&object);
	return error;
}

/* A name for messages: whatis' text. */
static struct cudasim_error *no_subscript(const struct type *type)
{
	char text[256] = "";
	FILE *out = fmemopen(text, sizeof text, "w");
	if (out) {
		type_print(out, type, STORAGE_NONE, false);
		fclose(out);
	}
	return cudasim_error_new(CUDASIM_E_ARGUMENT, "cannot subscript something of type `%s'", text);
}

/* Element `index` of an array or of what a pointer points at. */
static struct cudasim_error *element_of(struct evaluation *e, const struct value *value,
					int64_t index, struct value *ret)
{
	const struct type *type = type_strip(value->type);
	struct value first;
	if (type->kind == TYPE_ARRAY)
		return value_element(value, index, ret);
	if (type->kind != TYPE_POINTER || !type->target || !type_strip(type->target)->size)
		return no_subscript(value->type);
	struct cudasim_error *error = pointee(e, value, &first);
	if (error)
		return error;
	first.address += (uint64_t)index * type_strip(type->target)->size;
	*ret = first;
	return NULL;
}

static struct cudasim_error *index_of(struct evaluation *e, const struct node *node, int64_t *ret)
{
	struct value value;
	wide number = 0;
	struct cudasim_error *error = evaluate_operand(e, node, &value);
	if (error)
		return error;
	if (!e->types_only)
		error = value_to_integer(&value, &number);
	value_fini(&value);
	*ret = (int64_t)number;
	return error;
}

static struct cudasim_error *evaluate_subscript(struct evaluation *e, const struct node *node,
						struct value *ret)
{
	struct value value;
	int64_t index = 0;
	const struct node *array = node->a, *which = node->b;
	struct cudasim_error *error = evaluate_object(e, array, &value);
	if (error)
		return error;
	const struct type *type = value.type ? type_strip(value.type) : type_base("void");
	if (type->kind == TYPE_STRUCT && !type->float_format) {
		struct value at;
		error = evaluate_operand(e, which, &at);
		if (!error) {
			error = call_operator(e, "operator[]", &value, &at, ret);
			value_fini(&at);
		}
		value_fini(&value);
		return error;
	}
	if (type->kind != TYPE_ARRAY && type->kind != TYPE_POINTER)
		error = no_subscript(type);
	else
		error = index_of(e, which, &index);
	if (!error)
		error = element_of(e, &value, index, ret);
	value_fini(&value);
	return error;
}

/* Counts have to be known even where only types are wanted. */
static struct cudasim_error *count_of(struct evaluation *e, const struct node *node, int64_t *ret)
{
	struct evaluation real = {.context = e->context};
	if (e->types_only && !e->context.frame)
		real.context = context_of_focus();
	return index_of(&real, node, ret);
}

static struct cudasim_error *array_at(const struct value *first, int64_t n, struct value *ret)
{
	uint64_t size;
	if (n < 1 || n > UINT32_MAX ||
	    __builtin_mul_overflow(type_strip(first->type)->size, (uint64_t)n, &size))
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Invalid number %lld of repetitions.",
					 (long long)n);
	*ret = value_at(type_array(first->type, (uint64_t)n), first->storage, first->address);
	return NULL;
}

static struct cudasim_error *evaluate_repeat(struct evaluation *e, const struct node *node,
					     struct value *ret)
{
	struct value first;
	int64_t n = 0;
	struct cudasim_error *error = evaluate_object(e, node->a, &first);
	if (error)
		return error;
	if (!first.is_lvalue || first.bit_size)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "Only values in memory can be extended with '@'.");
	else
		error = count_of(e, node->b, &n);
	if (!error)
		error = array_at(&first, n, ret);
	value_fini(&first);
	return error;
}

static struct cudasim_error *evaluate_slice(struct evaluation *e, const struct node *node,
					    struct value *ret)
{
	struct value value, first;
	int64_t low = 0, high = 0;
	struct cudasim_error *error = evaluate_object(e, node->a, &value);
	if (error)
		return error;
	const struct type *type = value.type ? type_strip(value.type) : type_base("void");
	if (type->kind == TYPE_ARRAY)
		high = (int64_t)type->n;
	else if (type->kind != TYPE_POINTER)
		error = no_subscript(type);
	else if (!node->c)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "The slice of a pointer needs an end.");
	if (!error && node->b)
		error = count_of(e, node->b, &low);
	if (!error && node->c)
		error = count_of(e, node->c, &high);
	if (!error && high <= low)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "The slice [%lld:%lld] is empty.",
					  (long long)low, (long long)high);
	if (!error)
		error = element_of(e, &value, low, &first);
	value_fini(&value);
	if (error)
		return error;
	if (first.is_lvalue)
		error = array_at(&first, high - low, ret);
	else
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "Only arrays in memory have slices.");
	value_fini(&first);
	return error;
}

/* ---- operators ----------------------------------------------------------------------------- */

static bool is_class(const struct value *value)
{
	const struct type *type = value->type ? type_target(value->type) : NULL;
	return type && type->kind == TYPE_STRUCT && !type->float_format;
}

const char *operator_text(enum operator op)
{
	static const char *const names[] = {
		[OP_ADD] = "+", [OP_SUBTRACT] = "-", [OP_MULTIPLY] = "*", [OP_DIVIDE] = "/",
		[OP_MODULO] = "%", [OP_SHIFT_LEFT] = "<<", [OP_SHIFT_RIGHT] = ">>", [OP_AND] = "&",
		[OP_OR] = "|", [OP_XOR] = "^", [OP_EQUAL] = "==", [OP_UNEQUAL] = "!=",
		[OP_LESS] = "<", [OP_GREATER] = ">", [OP_LESS_EQUAL] = "<=",
		[OP_GREATER_EQUAL] = ">=", [OP_PLUS] = "+", [OP_NEGATE] = "-",
		[OP_COMPLEMENT] = "~", [OP_NOT] = "!", [OP_BOTH] = "&&", [OP_EITHER] = "||",
	};
	return (size_t)op < sizeof names / sizeof *names && names[op] ? names[op] : "";
}

static struct cudasim_error *void_operand(void)
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT,
				 "Argument to arithmetic operation not a number or boolean.");
}

static struct cudasim_error *call_binary_operator(struct evaluation *e, enum operator op,
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
		error = void_operand();
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
		error = void_operand();
	else if (is_class(&a) || is_class(&b))
		error = call_binary_operator(e, node->op, &a, &b, ret);
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
		error = void_operand();
	else if (is_class(&a))
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
	const struct type *common = !b.is_void && !c.is_void ? arithmetic_type(b.type, c.type) : NULL;
	if (type_equal(b.type, c.type))
		common = NULL;
	if (e->types_only) {
		*ret = common ? typed(common) : truth ? b : c;
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

/* ---- assignments ------------------------------------------------------------------------------ */

static struct cudasim_error *not_lvalue(void)
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT, "Left operand of assignment is not an lvalue.");
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
static struct cudasim_error *combine(struct evaluation *e, enum operator op, const struct value *object,
				     const struct value *b, struct value *ret)
{
	struct value a;
	if (object->is_void || !object->type || b->is_void || !b->type)
		return void_operand();
	struct cudasim_error *error = operand_of(e, object, &a);
	if (error)
		return error;
	error = is_class(&a) || is_class(b) ? call_binary_operator(e, op, &a, b, ret)
					    : arithmetic_binary(e, op, &a, b, ret);
	value_fini(&a);
	return error;
}

static struct cudasim_error *evaluate_assign(struct evaluation *e, const struct node *node,
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

static struct cudasim_error *evaluate_step(struct evaluation *e, const struct node *node,
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

/* ---- types as operands ---------------------------------------------------------------------------- */

/* dynamic_cast: the whole object has to hold what is asked for. */
static struct cudasim_error *dynamic_cast_to(const struct value *from, const struct type *to,
					     struct value *ret)
{
	const struct type *target = type_strip(to), *wanted;
	const struct type *source = type_strip(from->type);
	uint64_t address, start, offset;
	if (target->kind != TYPE_POINTER || source->kind != TYPE_POINTER)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Argument to dynamic_cast must be a pointer");
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
		*ret = typed(node->type);
		ret->is_lvalue = target->kind == TYPE_REFERENCE || target->kind == TYPE_ARRAY;
		return NULL;
	}
	if (!value.is_void && target->kind != TYPE_REFERENCE && target->kind != TYPE_ARRAY)
		error = value_fetch(&value);
	if (error)
		return error;
	if (node->number)
		error = dynamic_cast_to(&value, node->type, ret);
	else if (node->relative && source && source->kind == TYPE_POINTER && target->kind == TYPE_POINTER) {
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
					 "'%s' has unknown type; cast it to its declared type", node->name);
	*ret = typed_object(type, STORAGE_NONE);
	ret->address = function->low;
	return NULL;
}

static struct cudasim_error *evaluate_type(struct evaluation *e, const struct node *node,
					   struct value *ret)
{
	if (!e->types_only)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Attempt to use a type name as an expression");
	*ret = typed(node->type);
	return NULL;
}

struct cudasim_error *node_evaluate(struct evaluation *e, const struct node *node, struct value *ret)
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
	case NODE_CALL:
		return call_evaluate(e, node, ret);
	}
	return cudasim_error_new(CUDASIM_E_FAILED, "an expression of an unknown kind");
}
