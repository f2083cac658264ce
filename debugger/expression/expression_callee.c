/* SPDX-License-Identifier: Apache-2.0 */
/* expression_callee.c - the functions that a call may mean: those of a name, member and virtual
 * functions, operators, what a pointer points at. */
#include <stdlib.h>
#include <string.h>

#include "expression_call.h"

/* ---- candidates ------------------------------------------------------------------------- */

static bool takes_this(const struct type *type)
{
	const struct member *first = type->n_members ? type->members : NULL;
	return first && (first->is_artificial || (first->name && !strcmp(first->name, "this")));
}

void callee_add(struct calling *c, const struct function *function)
{
	const struct type *type = symbols_function_type(function);
	if (!type || c->n_candidates == MAX_CANDIDATES)
		return;
	/* The same function stands in every module that uses it. */
	for (size_t i = 0; i < c->n_candidates; i++)
		if (!strcmp(c->candidates[i].name,
			    function->signature ? function->signature : function->name))
			return;
	c->candidates[c->n_candidates++] = (struct candidate){
		.type = type,
		.code = function->low,
		.has_this = takes_this(type),
		.name = function->signature ? function->signature : function->name,
	};
}

/* All functions of exactly this qualified name. */
static void add_named(struct calling *c, const char *name)
{
	const struct function *found[MAX_CANDIDATES];
	size_t n = symbols_functions(name, found, MAX_CANDIDATES);
	for (size_t i = 0; i < n && i < MAX_CANDIDATES; i++)
		if (found[i]->name && (!strcmp(found[i]->name, name) ||
				       (found[i]->linkage && !strcmp(found[i]->linkage, name))))
			callee_add(c, found[i]);
}

static struct cudasim_error *add_pointer(struct calling *c, const struct value *value)
{
	const struct type *type = type_strip(value->type);
	uint64_t code = value->address;
	if (type->kind == TYPE_POINTER) {
		wide held = 0;
		struct cudasim_error *error = c->e->types_only ? NULL
							       : value_to_integer(value, &held);
		if (error)
			return error;
		code = (uint64_t)held;
		type = type_strip(type->target);
	}
	code = c->e->types_only ? code : value_code_of(code);
	const struct function *function = c->e->types_only ? NULL : symbols_function_at(code);
	if (!c->e->types_only && (!function || function->low != code))
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Cannot call 0x%llx: no function begins there.",
					 (unsigned long long)code);
	c->candidates[c->n_candidates++] = (struct candidate){
		.type = type,
		.code = code,
		.name = !function             ? ""
			: function->signature ? function->signature
					      : function->name,
	};
	return NULL;
}

/* ---- member functions -------------------------------------------------------------------- */

static bool is_overridden(const struct type *type, const char *name)
{
	for (size_t i = 0; i < type->n_methods; i++)
		if (type->methods[i].is_virtual && type->methods[i].name &&
		    !strcmp(type->methods[i].name, name))
			return true;
	return false;
}

/* The class whose function is meant: that of the whole object where it is virtual. */
static struct cudasim_error *dispatch(struct calling *c, const char *name, struct member_path *path)
{
	uint64_t start;
	const struct type *whole;
	if (!is_overridden(path->owner, name) || c->e->types_only || !c->object.is_lvalue)
		return NULL;
	struct value owner;
	struct cudasim_error *error = member_owner(&c->object, path, &owner);
	if (error)
		return error;
	whole = symbols_dynamic_type(owner.address, &start);
	value_fini(&owner);
	if (!whole)
		return NULL;
	whole = type_strip(whole);
	struct member_path found;
	if (!member_find(whole, name, &found) || !found.method)
		return NULL;
	value_fini(&c->object);
	c->object = value_at(whole, c->object.storage, start);
	*path = found;
	return NULL;
}

struct cudasim_error *callee_add_methods(struct calling *c, const char *name,
					 const struct member_path *path)
{
	char full[2048];
	const char *last = strrchr(name, ':');
	snprintf(full, sizeof full, "%s::%s", path->owner->name ? path->owner->name : "",
		 last && strchr(name, '<') == NULL ? last + 1 : name);
	add_named(c, full);
	for (size_t i = 0; i < path->owner->n_methods && !c->n_candidates; i++) {
		const struct method *method = &path->owner->methods[i];
		if (method->linkage && method->name && !strcmp(method->name, path->method->name))
			add_named(c, method->linkage);
	}
	if (!c->n_candidates)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "Couldn't find method %s", full);
	struct value owner;
	struct cudasim_error *error = c->e->types_only ? NULL
						       : member_owner(&c->object, path, &owner);
	if (error || c->e->types_only)
		return error;
	value_fini(&c->object);
	c->object = owner;
	return NULL;
}

/* The object before . or ->, in memory: one that is not gets a copy there. */
struct cudasim_error *callee_take_object(struct calling *c, const struct value *value)
{
	c->has_object = true;
	if (value->is_lvalue || c->e->types_only)
		return value_copy(value, &c->object);
	unsigned char *memory = malloc(value->n_bytes ? value->n_bytes : 1);
	if (!memory)
		return &cudasim_error_nomem;
	memcpy(memory, value_bytes(value), value->n_bytes);
	if (!expression_keep(memory)) {
		free(memory);
		return &cudasim_error_nomem;
	}
	c->object = value_at(value->type, STORAGE_NONE, (uintptr_t)memory);
	return NULL;
}

static struct cudasim_error *object_value(struct evaluation *e, const struct node *node,
					  struct value *ret)
{
	struct value value;
	struct cudasim_error *error = evaluate_operand(e, node, &value);
	if (error)
		return error;
	if (value.type && type_strip(value.type)->kind == TYPE_POINTER) {
		error = value_dereference(e, &value, ret);
		value_fini(&value);
		return error;
	}
	*ret = value;
	return NULL;
}

/* a.f(...): *ret_done is false where f is a data member, a pointer perhaps. */
static struct cudasim_error *member_callee(struct calling *c, const struct node *node,
					   bool *ret_found)
{
	struct value object;
	struct member_path path;
	struct cudasim_error *error = object_value(c->e, node->a, &object);
	*ret_found = false;
	if (error)
		return error;
	const struct type *type = object.type ? type_strip(object.type) : NULL;
	if (type && type->kind == TYPE_STRUCT && member_find(type, node->name, &path) &&
	    path.method) {
		*ret_found = true;
		c->name = node->name;
		error = callee_take_object(c, &object);
		if (!error && !strchr(node->name, ':'))
			error = dispatch(c, node->name, &path);
		if (!error)
			error = callee_add_methods(c, node->name, &path);
	} else if (type && type->kind == TYPE_STRUCT && !member_find(type, node->name, &path)) {
		error = cudasim_error_new(CUDASIM_E_NOTFOUND, "Couldn't find method %s::%s",
					  type->name ? type->name : "", node->name);
	}
	value_fini(&object);
	return error;
}

/* f(...) where f is an object: its operator(). */
static struct cudasim_error *functor(struct calling *c, const struct value *value)
{
	struct member_path path;
	if (!member_find(type_strip(value->type), "operator()", &path) || !path.method)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Cannot perform a call on a non-function value.");
	c->name = "operator()";
	struct cudasim_error *error = callee_take_object(c, value);
	return error ? error : callee_add_methods(c, "operator()", &path);
}

/* (a.*f)(...), (a->*f)(...): *ret_found is false where f points at a data member. */
static struct cudasim_error *member_pointer_callee(struct calling *c, const struct node *node,
						   bool *ret_found)
{
	struct value object, function;
	struct cudasim_error *error = evaluate_member_function(c->e, node, ret_found, &object,
							       &function);
	if (error || !*ret_found)
		return error;
	c->name = "the function";
	error = callee_take_object(c, &object);
	value_fini(&object);
	if (!error)
		error = add_pointer(c, &function);
	if (!error)
		c->candidates[c->n_candidates - 1].has_this = true;
	value_fini(&function);
	return error;
}

struct cudasim_error *callee_find(struct calling *c, const struct node *callee)
{
	struct value value;
	bool found;
	struct cudasim_error *error;
	if (callee->kind == NODE_FUNCTION) {
		c->name = callee->name;
		for (size_t i = 0; i < callee->n_functions; i++)
			callee_add(c, callee->functions[i]);
		return c->n_candidates
			       ? NULL
			       : cudasim_error_new(
					 CUDASIM_E_NOTFOUND,
					 "'%s' has unknown type; cast it to its declared type",
					 callee->name);
	}
	if (callee->kind == NODE_MEMBER) {
		error = member_callee(c, callee, &found);
		if (error || found)
			return error;
	}
	if (callee->kind == NODE_BINARY &&
	    (callee->op == OP_MEMBER_POINTER || callee->op == OP_MEMBER_POINTER_ARROW)) {
		error = member_pointer_callee(c, callee, &found);
		if (error || found)
			return error;
	}
	if ((error = node_evaluate(c->e, callee, &value)))
		return error;
	struct value object;
	error = value.type && type_strip(value.type)->kind == TYPE_REFERENCE && !c->e->types_only
			? value_object(&value, &object)
			: value_copy(&value, &object);
	value_fini(&value);
	if (error)
		return error;
	const struct type *type = object.type ? type_strip(object.type) : type_base("void");
	c->name = "the function";
	if (type->kind == TYPE_FUNCTION ||
	    (type->kind == TYPE_POINTER && type_strip(type->target)->kind == TYPE_FUNCTION))
		error = add_pointer(c, &object);
	else if (type->kind == TYPE_STRUCT)
		error = functor(c, &object);
	else
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "Cannot perform a call on a non-function value.");
	value_fini(&object);
	return error;
}
