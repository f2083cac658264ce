/* SPDX-License-Identifier: Apache-2.0 */
/* expression_convert.c - implicit conversions and casts. */
#include <stdlib.h>
#include <string.h>

#include "expression_tree.h"

static struct cudasim_error *invalid_cast(void)
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT, "Invalid cast.");
}

static struct value retyped(const struct value *value, const struct type *type)
{
	struct value ret = *value;
	ret.type = type;
	return ret;
}

bool expression_keep(void *memory)
{
	static void **kept;
	static size_t n, capacity;
	if (n == capacity) {
		size_t more = capacity ? 2 * capacity : 16;
		void **grown = realloc(kept, more * sizeof *grown);
		if (!grown)
			return false;
		kept = grown;
		capacity = more;
	}
	kept[n++] = memory;
	return true;
}

/* An array that is not in the program's memory (a literal, a value of the history)
 * gets memory of its own, for good, so that pointers to it stay valid. */
static struct cudasim_error *place_array(const struct value *array, struct value *ret)
{
	unsigned char *memory = malloc(array->n_bytes ? array->n_bytes : 1);
	if (!memory)
		return &cudasim_error_nomem;
	memcpy(memory, value_bytes(array), array->n_bytes);
	if (!expression_keep(memory)) {
		free(memory);
		return &cudasim_error_nomem;
	}
	*ret = value_at(array->type, STORAGE_NONE, (uintptr_t)memory);
	return NULL;
}

struct cudasim_error *value_decay(const struct value *value, bool types_only, struct value *ret)
{
	const struct type *type = value->type ? type_strip(value->type) : NULL;
	struct cudasim_error *error;
	if (!type || (type->kind != TYPE_ARRAY && type->kind != TYPE_FUNCTION))
		return value_copy(value, ret);
	if (type->kind == TYPE_FUNCTION) {
		*ret = value_integer(type_pointer(value->type, STORAGE_NONE),
				     (wide)value_function_pointer(value->address));
		return NULL;
	}
	if (types_only) {
		*ret = value_integer(type_pointer(type->target, value->storage), 0);
		return NULL;
	}
	struct value placed = *value, element;
	if (!value->is_lvalue && (error = place_array(value, &placed)))
		return error;
	element = value_at(type->target, placed.storage, placed.address);
	return value_pointer_to(&element, ret);
}

/* Addresses that a pointer of one storage means, in another's: only @shared ones are
 * counted differently. */
static wide change_storage(wide held, const struct type *from, const struct type *to)
{
	bool offset = from->storage == STORAGE_SHARED, wanted = to->storage == STORAGE_SHARED;
	if (from->kind != TYPE_POINTER || offset == wanted)
		return held;
	uint64_t window = value_window(NULL);
	return (wide)(offset ? (uint64_t)held + window : (uint64_t)held - window);
}

/* From derived to base and back. */
static int64_t class_distance(const struct type *from, const struct type *to)
{
	const struct type *a = from->target ? type_strip(from->target) : NULL;
	const struct type *b = to->target ? type_strip(to->target) : NULL;
	uint64_t offset;
	if (!a || !b || a->kind != TYPE_STRUCT || b->kind != TYPE_STRUCT)
		return 0;
	if (member_base_offset(a, b, &offset))
		return (int64_t)offset;
	if (member_base_offset(b, a, &offset))
		return -(int64_t)offset;
	return 0;
}

static struct cudasim_error *to_pointer(const struct value *from, const struct type *source,
					const struct type *to, const struct type *target,
					struct value *ret)
{
	wide held;
	struct cudasim_error *error = value_to_integer(from, &held);
	if (error)
		return error;
	if (source->kind == TYPE_POINTER && held) {
		held = change_storage(held, source, target);
		held += class_distance(source, target);
	}
	*ret = value_integer(to, held);
	return NULL;
}

static struct cudasim_error *to_struct(const struct value *from, const struct type *source,
				       const struct type *to, const struct type *target,
				       bool is_explicit, struct value *ret)
{
	uint64_t offset;
	if (source->kind != TYPE_STRUCT)
		return invalid_cast();
	if (type_same(source, target) ||
	    (source->name && target->name && !strcmp(source->name, target->name) &&
	     source->size == target->size)) {
		struct cudasim_error *error = value_copy(from, ret);
		ret->type = to;
		return error;
	}
	if (member_base_offset(source, target, &offset)) {
		struct member base = {.type = to, .offset = offset, .is_base = true};
		return value_member(from, &base, ret);
	}
	if (is_explicit && from->is_lvalue && member_base_offset(target, source, &offset)) {
		*ret = value_at(to, from->storage, from->address - offset);
		return NULL;
	}
	return invalid_cast();
}

/* (T &)x: the same place, seen as a T. */
static struct cudasim_error *to_reference(const struct value *from, const struct type *to,
					  const struct type *target, struct value *ret)
{
	struct value object;
	const struct type *source = type_strip(from->type);
	int64_t distance = 0;
	if (!from->is_lvalue)
		return invalid_cast();
	if (source->kind == TYPE_STRUCT) {
		struct type a = {.target = source}, b = {.target = target->target};
		distance = class_distance(&a, &b);
	}
	object = value_at(target->target, from->storage, from->address + (uint64_t)distance);
	*ret = value_integer(to, (wide)object.address);
	ret->storage = STORAGE_NONE;
	return NULL;
}

struct cudasim_error *value_convert(const struct value *from, const struct type *to,
				    bool is_explicit, struct value *ret)
{
	const struct type *source = type_strip(from->type), *target = type_strip(to);
	struct cudasim_error *error;
	long double real;
	wide number;
	if (target->kind == TYPE_VOID) {
		*ret = value_void();
		ret->type = to;
		return NULL;
	}
	if (from->is_void || source->kind == TYPE_VOID)
		return invalid_cast();
	if (target->kind == TYPE_REFERENCE)
		return to_reference(from, to, target, ret);
	if (target->float_format) {
		if (source->kind == TYPE_POINTER ||
		    (!type_is_scalar(source) && !source->float_format))
			return invalid_cast();
		if (!(error = value_to_real(from, &real)))
			*ret = value_real(to, real);
		return error;
	}
	if (target->kind == TYPE_STRUCT)
		return to_struct(from, source, to, target, is_explicit, ret);
	if (target->kind == TYPE_ARRAY) {
		if (type_same(source, target))
			return value_copy(from, ret);
		if (!is_explicit || !from->is_lvalue)
			return invalid_cast();
		*ret = value_at(to, from->storage, from->address);
		return NULL;
	}
	struct value decayed;
	if (source->kind == TYPE_ARRAY || source->kind == TYPE_FUNCTION) {
		if ((error = value_decay(from, false, &decayed)))
			return error;
		error = value_convert(&decayed, to, is_explicit, ret);
		value_fini(&decayed);
		return error;
	}
	if (source->kind == TYPE_STRUCT && !source->float_format)
		return invalid_cast();
	if (target->kind == TYPE_POINTER)
		return source->float_format ? invalid_cast()
					    : to_pointer(from, source, to, target, ret);
	if (target->kind == TYPE_BOOL) {
		bool truth;
		if (!(error = value_to_bool(from, &truth)))
			*ret = value_integer(to, truth);
		return error;
	}
	if (target->kind == TYPE_MEMBER_POINTER && source->kind == TYPE_MEMBER_POINTER) {
		error = value_copy(from, ret);
		*ret = retyped(ret, to);
		return error;
	}
	if (!type_is_integral(target) && target->kind != TYPE_ENUM && target->kind != TYPE_CHAR &&
	    target->kind != TYPE_INTEGER)
		return invalid_cast();
	if (!(error = value_to_integer(from, &number)))
		*ret = value_integer(to, number);
	return error;
}
