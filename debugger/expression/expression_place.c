/* SPDX-License-Identifier: Apache-2.0 */
/* expression_place.c - what operators make of places: *, &, members, elements, slices. */
#include <stdlib.h>
#include <string.h>

#include "container.h"
#include "expression_evaluate.h"

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
		struct cudasim_error *error = e->types_only ? NULL
							    : value_to_integer(value, &number);
		if (!error)
			*ret = value_at(type_base("long"), STORAGE_NONE, (uint64_t)number);
		return error;
	}
	if (type->kind == TYPE_MEMBER_POINTER)
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"Attempt to dereference pointer to member without an object");
	if (type->kind != TYPE_POINTER || !type->target ||
	    type_strip(type->target)->kind == TYPE_VOID)
		return not_pointer();
	return evaluate_pointee(e, value, ret);
}

struct cudasim_error *evaluate_dereference(struct evaluation *e, const struct node *node,
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

struct cudasim_error *evaluate_address(struct evaluation *e, const struct node *node,
				       struct value *ret)
{
	struct value value;
	bool found = false;
	struct cudasim_error *error;
	if (node->a->kind == NODE_FIELD)
		return evaluate_field_address(node->a, ret);
	if (node->a->kind == NODE_FUNCTION &&
	    ((error = evaluate_method_address(node->a, &found, ret)) || found))
		return error;
	error = evaluate_object(e, node->a, &value);
	if (error)
		return error;
	if (value.type && type_strip(value.type)->kind == TYPE_FUNCTION)
		error = value_decay(&value, e->types_only, ret);
	else if (!e->types_only || !value.is_lvalue || value.bit_size)
		error = value_pointer_to(&value, ret);
	else
		*ret = value_integer(type_pointer(value.type, value.storage == STORAGE_PARAMETER
								      ? STORAGE_LOCAL
								      : value.storage),
				     0);
	value_fini(&value);
	return error;
}

static struct cudasim_error *element_of(struct evaluation *e, const struct value *value,
					int64_t index, struct value *ret);

/* a[2:5].x: an array of the members, which is no object in memory. */
static struct cudasim_error *members_of_slice(struct evaluation *e, const struct value *slice,
					      const char *name, struct value *ret)
{
	const struct type *type = type_strip(slice->type);
	unsigned char *bytes = NULL;
	struct cudasim_error *error = NULL;
	for (uint64_t i = 0; i < type->n && !error; i++) {
		struct value element, member;
		if ((error = element_of(e, slice, (int64_t)i, &element)))
			break;
		error = member_of(&element, name, &member);
		value_fini(&element);
		if (error)
			break;
		if (!e->types_only)
			error = value_fetch(&member);
		uint64_t size = type_strip(member.type)->size;
		if (!error && !i) {
			*ret = (struct value){.type = type_array(member.type, type->n),
					      .n_bytes = type->n * size};
			bytes = ret->bytes.small;
			if (ret->n_bytes > sizeof ret->bytes.small)
				bytes = ret->bytes.large = calloc(type->n, size);
			if (!bytes)
				error = &cudasim_error_nomem;
		}
		if (!error && member.bit_size)
			error = cudasim_error_new(CUDASIM_E_UNSUPPORTED,
						  "Bit-fields of a slice cannot be taken.");
		if (!error && !e->types_only)
			memcpy(bytes + i * size, value_bytes(&member), size);
		value_fini(&member);
	}
	if (error && bytes)
		value_fini(ret);
	return error;
}

struct cudasim_error *evaluate_member(struct evaluation *e, const struct node *node,
				      struct value *ret)
{
	struct value value, object;
	struct cudasim_error *error = evaluate_object(e, node->a, &value);
	if (error)
		return error;
	if (node->a->kind == NODE_SLICE && !node->relative &&
	    type_strip(value.type)->kind == TYPE_ARRAY &&
	    type_strip(type_strip(value.type)->target)->kind == TYPE_STRUCT) {
		error = members_of_slice(e, &value, node->name, ret);
		value_fini(&value);
		return error;
	}
	const struct type *type = value.type ? type_strip(value.type) : NULL;
	/* Both . and -> work on both, as in gdb. */
	if (type && (type->kind == TYPE_POINTER || type->kind == TYPE_ARRAY) &&
	    type_strip(type->target)->kind == TYPE_STRUCT) {
		error = value_decay(&value, e->types_only, &object);
		value_fini(&value);
		if (error)
			return error;
		value = object;
		error = evaluate_pointee(e, &value, &object);
		value_fini(&value);
		if (error)
			return error;
		value = object;
		type = type_strip(value.type);
	}
	if (!type || type->kind != TYPE_STRUCT)
		error = cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			node->relative
				? "Attempt to extract a component of a value that is not a structure pointer."
				: "Attempt to extract a component of a value that is not a structure.");
	else
		error = member_of(&value, node->name, ret);
	value_fini(&value);
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
	return cudasim_error_new(CUDASIM_E_ARGUMENT, "cannot subscript something of type `%s'",
				 text);
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
	struct cudasim_error *error = evaluate_pointee(e, value, &first);
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

/* Element of a container whose operator[] the program does not have as a function, as is usual of
 * templates whose calls were inlined. */
static struct cudasim_error *element_of_container(struct evaluation *e, const struct value *object,
						  const struct value *at, bool *found,
						  struct value *ret)
{
	struct container c;
	const struct type *type = type_strip(object->type);
	wide index = 0;
	struct cudasim_error *error = container_open(object, &c, found);
	if (e->types_only && (error || *found) && type->n_arguments) {
		if (!error)
			container_close(&c);
		cudasim_error_free(error);
		*found = true;
		*ret = value_typed_object(type->arguments[0].type, STORAGE_NONE);
		return NULL;
	}
	if (error || !*found)
		return error;
	*found = c.kind == CONTAINER_ARRAY;
	if (*found && !(error = value_to_integer(at, &index))) {
		if (index < 0 || (unsigned_wide)index >= c.n) {
			error = cudasim_error_new(CUDASIM_E_ARGUMENT, "no element %lld in %s",
						  (long long)index, *c.head ? c.head : type->name);
		} else {
			bool end;
			c.index = (uint64_t)index;
			error = container_next(&c, ret, &end);
		}
	}
	container_close(&c);
	return error;
}

static struct cudasim_error *subscript_class(struct evaluation *e, const struct value *object,
					     const struct value *at, struct value *ret)
{
	bool found = false;
	struct cudasim_error *error = call_operator(e, "operator[]", object, at, ret);
	if (!error)
		return NULL;
	struct cudasim_error *second = element_of_container(e, object, at, &found, ret);
	if (!second && !found)
		return error;
	cudasim_error_free(error);
	return second;
}

struct cudasim_error *evaluate_subscript(struct evaluation *e, const struct node *node,
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
			error = subscript_class(e, &value, &at, ret);
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

struct cudasim_error *evaluate_repeat(struct evaluation *e, const struct node *node,
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

struct cudasim_error *evaluate_slice(struct evaluation *e, const struct node *node,
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
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "The slice of a pointer needs an end.");
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
