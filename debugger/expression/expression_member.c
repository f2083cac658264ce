/* SPDX-License-Identifier: Apache-2.0 */
/* expression_member.c - members by name, through bases, anonymous structs and unions. */
#include <stdio.h>
#include <string.h>

#include "expression_tree.h"

static bool is_anonymous(const struct member *member)
{
	return !member->name && !member->is_base && type_strip(member->type)->kind == TYPE_STRUCT;
}

/* One step more at the path's beginning. */
static bool enter(const struct member *member, struct member_path *ret)
{
	if (ret->n_through == MAX_BASES)
		return false;
	memmove(ret->through + 1, ret->through, ret->n_through * sizeof *ret->through);
	ret->through[0] = member;
	ret->n_through++;
	ret->offset += member->is_virtual_base ? 0 : member->offset;
	ret->is_virtual_base |= member->is_virtual_base;
	return true;
}

static bool find(const struct type *type, const char *name, int depth, struct member_path *ret)
{
	if (type->kind != TYPE_STRUCT || depth >= MAX_BASES)
		return false;
	for (size_t i = 0; i < type->n_members; i++) {
		const struct member *member = &type->members[i];
		if (!member->is_base && member->name && !strcmp(member->name, name)) {
			*ret = (struct member_path){.member = member, .owner = type};
			return true;
		}
	}
	for (size_t i = 0; i < type->n_methods; i++)
		if (type->methods[i].name && !strcmp(type->methods[i].name, name)) {
			*ret = (struct member_path){.method = &type->methods[i], .owner = type};
			return true;
		}
	for (size_t i = 0; i < type->n_members; i++) {
		const struct member *member = &type->members[i];
		if (!member->is_base && !is_anonymous(member))
			continue;
		if (!find(type_strip(member->type), name, depth + 1, ret))
			continue;
		if (!enter(member, ret))
			return false;
		return true;
	}
	return false;
}

/* Is `name`, perhaps without its namespace, that of the type? */
static bool is_named(const struct type *type, const char *name, size_t n)
{
	if (!type->name)
		return false;
	size_t length = strlen(type->name);
	if (length < n || memcmp(type->name + length - n, name, n))
		return false;
	return length == n || (length > n + 1 && type->name[length - n - 1] == ':');
}

/* The base that a qualified member name starts from, Base::x, and the member there. */
static bool find_in_base(const struct type *type, const char *base, size_t n, const char *name,
			 int depth, struct member_path *ret)
{
	if (type->kind != TYPE_STRUCT || depth >= MAX_BASES)
		return false;
	if (is_named(type, base, n))
		return find(type, name, depth, ret);
	for (size_t i = 0; i < type->n_members; i++) {
		const struct member *member = &type->members[i];
		if (member->is_base &&
		    find_in_base(type_strip(member->type), base, n, name, depth + 1, ret))
			return enter(member, ret);
	}
	return false;
}

bool member_find(const struct type *type, const char *name, struct member_path *ret)
{
	const char *last = NULL;
	for (const char *c = name; (c = strstr(c, "::")); c += 2)
		last = c;
	if (!last || strchr(last, '>'))
		return find(type, name, 0, ret);
	return find_in_base(type, name, (size_t)(last - name), last + 2, 0, ret);
}

bool type_same(const struct type *a, const struct type *b)
{
	struct type x = *type_strip(a), y = *type_strip(b);
	x.is_const = y.is_const = false;
	x.is_volatile = y.is_volatile = false;
	return type_equal(&x, &y);
}

bool member_base_offset(const struct type *type, const struct type *base, uint64_t *ret)
{
	if (type_same(type, base)) {
		*ret = 0;
		return true;
	}
	if (type->kind != TYPE_STRUCT)
		return false;
	for (size_t i = 0; i < type->n_members; i++)
		if (type->members[i].is_base && !type->members[i].is_virtual_base &&
		    member_base_offset(type_strip(type->members[i].type), base, ret)) {
			*ret += type->members[i].offset;
			return true;
		}
	return false;
}

static struct cudasim_error *static_member(const struct member_path *path, struct value *ret)
{
	char name[2048];
	const struct variable *variable;
	snprintf(name, sizeof name, "%s::%s", path->owner->name ? path->owner->name : "",
		 path->member->name);
	if (!symbols_globals(name, &variable, 1))
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "static field %s has been optimized out",
					 path->member->name);
	struct cudasim_thread *thread = value_thread_swap(NULL);
	value_thread_swap(thread);
	uint32_t device = thread && thread->block ? thread->block->device : 0;
	return value_of_global(variable, device, ret);
}

/* A member function without its arguments. */
static struct cudasim_error *method_value(const struct member_path *path, struct value *ret)
{
	char name[2048];
	const struct function *function;
	snprintf(name, sizeof name, "%s::%s", path->owner->name ? path->owner->name : "",
		 path->method->name);
	if (!symbols_functions(path->method->linkage ? path->method->linkage : name, &function,
			       1) &&
	    !symbols_functions(name, &function, 1))
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "Couldn't find method %s", name);
	const struct type *type = symbols_function_type(function);
	if (!type)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "'%s' has unknown type", name);
	*ret = value_at(type, STORAGE_NONE, function->low);
	return NULL;
}

struct cudasim_error *member_owner(const struct value *object, const struct member_path *path,
				   struct value *ret)
{
	struct value outer, inner;
	struct cudasim_error *error = value_copy(object, &outer);
	for (size_t i = 0; i < path->n_through && !error; i++) {
		error = value_member(&outer, path->through[i], &inner);
		value_fini(&outer);
		outer = inner;
	}
	if (!error)
		*ret = outer;
	return error;
}

struct cudasim_error *member_of(const struct value *object, const char *name, struct value *ret)
{
	struct member_path path;
	const struct type *type = type_strip(object->type);
	if (!member_find(type, name, &path))
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "There is no member named %s.", name);
	if (!path.member)
		return method_value(&path, ret);
	if (path.member->is_static)
		return static_member(&path, ret);
	struct value owner;
	struct cudasim_error *error = member_owner(object, &path, &owner);
	if (error)
		return error;
	error = value_member(&owner, path.member, ret);
	value_fini(&owner);
	return error;
}
