/* SPDX-License-Identifier: Apache-2.0 */
/* expression_field.c - members named by their class, without an object: sizeof(Pair::x),
 * &Pair::x, and what such pointers mean with an object.
 *
 * Itanium C++ ABI 2.3: a pointer to a data member is its offset; one to a member function
 * the function's address, or 1 + the offset in the virtual table, and behind it what is
 * to be added to `this`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expression_evaluate.h"

struct method_pointer {
	uint64_t code; /* odd: a place in the virtual table */
	int64_t adjust;
};

static struct cudasim_error *value_of_pair(const struct type *function, const struct type *owner,
					   const struct method_pointer *pointer, struct value *ret)
{
	const struct type *type = type_member_pointer(function, owner);
	return type ? value_of_bytes(type, pointer, ret) : &cudasim_error_nomem;
}

/* ---- fields --------------------------------------------------------------------------- */

struct cudasim_error *evaluate_field(struct evaluation *e, const struct node *node,
				     struct value *ret)
{
	struct member_path path;
	if (!member_find(type_strip(node->type), node->name, &path))
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "There is no field named %s",
					 node->name);
	if (!e->types_only)
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "Cannot reference non-static field \"%s\"", node->name);
	*ret = value_typed(path.member ? path.member->type : path.method->type);
	return NULL;
}

struct cudasim_error *evaluate_field_address(const struct node *node, struct value *ret)
{
	struct member_path path;
	if (!member_find(type_strip(node->type), node->name, &path))
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "There is no field named %s",
					 node->name);
	if (path.method) { /* one without code: only a virtual one has a place */
		struct method_pointer pointer = {1 + 8 * (uint64_t)path.method->vtable_index, 0};
		if (path.method->is_virtual && path.method->vtable_index >= 0)
			return value_of_pair(path.method->type, path.owner, &pointer, ret);
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "Couldn't find method %s::%s",
					 path.owner->name ? path.owner->name : "", node->name);
	}
	if (path.member->bit_size)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Attempt to take address of a bit-field.");
	const struct type *type = type_member_pointer(path.member->type, path.owner);
	return type ? value_of_bytes(type, &path.member->offset, ret) : &cudasim_error_nomem;
}

/* ---- member functions -------------------------------------------------------------------- */

/* The class that a function belongs to, by its name. */
static const struct type *class_of(const struct function *function)
{
	char name[2048];
	size_t n = function->name ? strlen(function->name) : 0;
	int depth = 0;
	for (; n > 1; n--) {
		depth += function->name[n - 1] == '>';
		depth -= function->name[n - 1] == '<';
		if (!depth && function->name[n - 1] == ':' && function->name[n - 2] == ':')
			break;
	}
	if (n < 2 || n - 2 >= sizeof name)
		return NULL;
	memcpy(name, function->name, n - 2);
	name[n - 2] = 0;
	return symbols_type(name, function);
}

struct cudasim_error *evaluate_method_address(const struct node *node, bool *found,
					      struct value *ret)
{
	const struct function *function = node->functions[0];
	const struct type *type = symbols_function_type(function);
	const struct type *owner = type ? class_of(function) : NULL;
	*found = false;
	if (!owner || type_strip(owner)->kind != TYPE_STRUCT || !type->n_members ||
	    !type->members[0].is_artificial)
		return NULL;
	*found = true;
	owner = type_strip(owner);
	struct method_pointer pointer = {value_function_pointer(function->low), 0};
	for (size_t i = 0; i < owner->n_methods; i++) {
		const struct method *m = &owner->methods[i];
		if (m->is_virtual && m->vtable_index >= 0 && m->linkage && function->linkage &&
		    !strcmp(m->linkage, function->linkage))
			pointer.code = 1 + 8 * (uint64_t)m->vtable_index;
	}
	return value_of_pair(type, owner, &pointer, ret);
}

/* ---- with an object ------------------------------------------------------------------------ */

/* a in a.*b, *a in a->*b: as the pointer's class, a base of it perhaps. */
static struct cudasim_error *object_for(struct evaluation *e, const struct node *node,
					const struct type *pointer, struct value *ret)
{
	struct value value, object;
	uint64_t offset;
	struct cudasim_error *error = evaluate_object(e, node->a, &value);
	if (error)
		return error;
	if (node->op == OP_MEMBER_POINTER_ARROW)
		error = value.type && !value.is_void ? value_dereference(e, &value, &object)
						     : error_void_operand();
	else
		error = value_copy(&value, &object);
	value_fini(&value);
	if (error)
		return error;
	const struct type *type = object.type ? type_strip(object.type) : type_base("void");
	const struct type *owner = pointer->owner ? type_strip(pointer->owner) : type;
	if (type->kind != TYPE_STRUCT || !member_base_offset(type, owner, &offset)) {
		value_fini(&object);
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "The object is not a %s.",
					 owner->name ? owner->name : "structure");
	}
	struct member base = {.type = owner, .offset = offset};
	error = e->types_only ? value_copy(&object, ret) : value_member(&object, &base, ret);
	value_fini(&object);
	return error;
}

static struct cudasim_error *pointer_of(struct evaluation *e, const struct node *node,
					struct value *ret)
{
	struct cudasim_error *error = evaluate_operand(e, node->b, ret);
	if (error ||
	    (ret->type && !ret->is_void && type_strip(ret->type)->kind == TYPE_MEMBER_POINTER))
		return error;
	value_fini(ret);
	return cudasim_error_new(CUDASIM_E_ARGUMENT, "The right side of .* or ->* has to be a "
						     "pointer to a member.");
}

/* "virtual thunk to f": code without debug information that moves `this` and goes on with
 * f. What it leads to, and `this` there. */
static uint64_t behind_thunk(uint64_t code, struct value *object)
{
	static const char mark[] = "thunk to ";
	const char *name, *mangled, *file;
	const struct function *function = symbols_function_at(code);
	uint64_t offset, start;
	if ((function && function->low == code) ||
	    !symbols_symbol_at(code, &name, &mangled, &offset, &file) || offset ||
	    !(name = strstr(name, mark)) ||
	    !symbols_functions(name + sizeof mark - 1, &function, 1))
		return code;
	const struct type *owner = class_of(function),
			  *whole = symbols_dynamic_type(object->address, &start);
	if (!owner || !whole || !member_base_offset(type_strip(whole), type_strip(owner), &offset))
		return code;
	*object = value_at(owner, object->storage, start + offset);
	return function->low;
}

static struct cudasim_error *code_of(struct value *object, const struct method_pointer *pointer,
				     uint64_t *ret)
{
	uint64_t table, slot = pointer->code;
	struct cudasim_error *error = NULL;
	object->address += (uint64_t)pointer->adjust;
	if (slot & 1) {
		error = value_memory_read(object->address, &table, sizeof table);
		if (!error)
			error = value_memory_read(table + slot - 1, &slot, sizeof slot);
	}
	*ret = error ? 0 : behind_thunk(value_code_of(slot), object);
	return error;
}

struct cudasim_error *evaluate_member_function(struct evaluation *e, const struct node *node,
					       bool *found, struct value *ret_object,
					       struct value *ret)
{
	struct value pointer;
	struct method_pointer method = {0, 0};
	uint64_t code = 0;
	struct cudasim_error *error = pointer_of(e, node, &pointer);
	*found = false;
	if (error)
		return error;
	const struct type *type = type_strip(pointer.type), *function = type_strip(type->target);
	*found = function->kind == TYPE_FUNCTION;
	if (!*found) {
		value_fini(&pointer);
		return NULL;
	}
	if (!e->types_only)
		memcpy(&method, value_bytes(&pointer), pointer.n_bytes < 16 ? pointer.n_bytes : 16);
	value_fini(&pointer);
	error = object_for(e, node, type, ret_object);
	if (error)
		return error;
	if (!e->types_only && !ret_object->is_lvalue)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "Only objects in memory have functions "
					  "called through pointers.");
	if (!error && !e->types_only)
		error = code_of(ret_object, &method, &code);
	if (error) {
		value_fini(ret_object);
		return error;
	}
	*ret = value_typed_object(type->target, STORAGE_NONE);
	ret->address = code;
	return NULL;
}

struct cudasim_error *evaluate_member_pointer(struct evaluation *e, const struct node *node,
					      struct value *ret)
{
	struct value object, pointer;
	wide offset = 0;
	bool is_function;
	struct cudasim_error *error = evaluate_member_function(e, node, &is_function, &object, ret);
	if (is_function && !error)
		value_fini(&object);
	if (error || is_function)
		return error;
	if ((error = pointer_of(e, node, &pointer)))
		return error;
	const struct type *type = type_strip(pointer.type);
	error = e->types_only ? NULL : value_to_integer(&pointer, &offset);
	value_fini(&pointer);
	if (!error && (int64_t)offset < 0)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "The pointer to a member is NULL.");
	if (!error)
		error = object_for(e, node, type, &object);
	if (error)
		return error;
	if (e->types_only) {
		*ret = value_typed_object(type->target, object.storage);
	} else {
		struct member member = {.type = type->target, .offset = (uint64_t)offset};
		error = value_member(&object, &member, ret);
	}
	value_fini(&object);
	return error;
}
