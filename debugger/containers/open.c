/* SPDX-License-Identifier: Apache-2.0 */
/* open.c - the forms that several families have. */
#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "forms.h"

/* ---- elements one behind the other ----------------------------------------------------- */

/* No object is larger than the half of what can be addressed. */
static struct cudasim_error *check_count(const char *name, uint64_t n, uint64_t size)
{
	if (!size || n > INT64_MAX / size)
		return not_initialized("a %s of %" PRIu64 " elements: it may not be initialized",
				       name, n);
	return NULL;
}

struct cudasim_error *open_pointers(const struct value *object, const struct form *form,
				    struct container *ret)
{
	uint64_t end = 0, limit = 0;
	ret->kind = CONTAINER_ARRAY;
	struct cudasim_error *error = field_pointer(object, form->paths[0], &ret->address,
						    &ret->element);
	if (!error)
		error = field_pointer(object, form->paths[1], &end, NULL);
	if (!error)
		error = field_pointer(object, form->paths[2], &limit, NULL);
	if (error)
		return error;
	uint64_t size = type_strip(ret->element)->size, bytes = end - ret->address;
	if (!size || end < ret->address || limit < end || bytes % size)
		return not_initialized("a %s from 0x%" PRIx64 " to 0x%" PRIx64
				       " in memory up to 0x%" PRIx64 ": it may not be initialized",
				       form->name, ret->address, end, limit);
	ret->n = bytes / size;
	container_head(ret, "%s of length %" PRIu64 ", capacity %" PRIu64, form->name, ret->n,
		       (limit - ret->address) / size);
	return NULL;
}

struct cudasim_error *open_counted(const struct value *object, const struct form *form,
				   struct container *ret)
{
	uint64_t capacity = 0;
	ret->kind = CONTAINER_ARRAY;
	ret->storage = object->storage ? STORAGE_GENERIC : STORAGE_NONE;
	struct cudasim_error *error = field_pointer(object, form->paths[0], &ret->address,
						    &ret->element);
	if (!error)
		error = field_number(object, form->paths[1], &ret->n);
	if (!error && form->paths[2])
		error = field_number(object, form->paths[2], &capacity);
	if (!error)
		error = check_count(form->name, ret->n, type_strip(ret->element)->size);
	if (error)
		return error;
	if (form->paths[2] && capacity < ret->n)
		return not_initialized("a %s of %" PRIu64 " elements in memory for %" PRIu64
				       ": it may not be initialized",
				       form->name, ret->n, capacity);
	if (form->paths[2])
		container_head(ret, "%s of length %" PRIu64 ", capacity %" PRIu64, form->name,
			       ret->n, capacity);
	else
		container_head(ret, "%s of length %" PRIu64, form->name, ret->n);
	return NULL;
}

/* A span of fixed extent has its length in its type. */
struct cudasim_error *open_span(const struct value *object, const struct form *form,
				struct container *ret)
{
	const struct type *type = type_strip(object->type);
	struct cudasim_error *error = open_counted(object, form, ret);
	if (!error || error->code != CUDASIM_E_FORMAT || type->n_arguments < 2 ||
	    !type->arguments[1].is_value || type->arguments[1].value < 0)
		return error;
	cudasim_error_free(error);
	error = field_pointer(object, form->paths[0], &ret->address, &ret->element);
	ret->n = (uint64_t)type->arguments[1].value;
	container_head(ret, "%s of length %" PRIu64, form->name, ret->n);
	return error;
}

static struct cudasim_error *next_element(struct container *c, struct value *ret, bool *end)
{
	*end = false;
	return value_element(&c->object, (int64_t)c->index, ret);
}

struct cudasim_error *open_array(const struct value *object, const struct form *form,
				 struct container *ret)
{
	ret->kind = CONTAINER_ARRAY;
	struct cudasim_error *error = value_field(object, form->paths[0], &ret->object);
	if (error)
		return error;
	const struct type *type = type_strip(ret->object.type);
	if (type->kind != TYPE_ARRAY) { /* of no elements: an empty struct */
		ret->n = 0;
		return NULL;
	}
	ret->n = type->n;
	ret->element = type->target;
	ret->storage = ret->object.storage;
	ret->address = ret->object.address;
	/* One that is no object in memory has its elements with it. */
	if (!ret->object.is_lvalue)
		ret->next = next_element;
	return NULL;
}

struct cudasim_error *open_text(const struct value *object, const struct form *form,
				struct container *ret)
{
	struct value pointer;
	ret->kind = CONTAINER_TEXT;
	struct cudasim_error *error = argument_type(object->type, 0, &ret->element);
	if (!error)
		error = value_field(object, form->paths[0], &pointer);
	if (error)
		return error;
	/* libstdc++'s std::string keeps it in a class that debug information may leave out. */
	if (type_strip(pointer.type)->kind != TYPE_POINTER) {
		uint64_t address = pointer.address;
		value_fini(&pointer);
		if (!object->is_lvalue)
			return not_initialized("a %s that is not in memory", form->name);
		pointer = value_at(type_pointer(ret->element, STORAGE_NONE), object->storage,
				   address);
	}
	error = value_to_address(&pointer, &ret->address, NULL);
	value_fini(&pointer);
	if (!error)
		error = field_number(object, form->paths[1], &ret->n);
	return error ? error : check_count("string", ret->n, type_strip(ret->element)->size);
}

/* ---- members --------------------------------------------------------------------------- */

static struct cudasim_error *next_member(struct container *c, struct value *ret, bool *end)
{
	const char *path = ((const struct form *)(uintptr_t)c->place[0])->paths[c->index];
	const char *dot = strrchr(path, '.');
	snprintf(c->name, sizeof c->name, "%s", dot ? dot + 1 : path);
	*end = false;
	return value_field(&c->object, path, ret);
}

static struct cudasim_error *open_paths(const struct value *object, const struct form *form,
					uint64_t n, struct container *ret)
{
	ret->n = n;
	ret->next = next_member;
	ret->place[0] = (uintptr_t)form;
	/* They are looked for now, so that another version is noticed. */
	for (uint64_t i = 0; i < n; i++) {
		struct value field;
		struct cudasim_error *error = value_field(object, form->paths[i], &field);
		if (error)
			return error;
		value_fini(&field);
	}
	return container_keep(ret, object);
}

struct cudasim_error *open_members(const struct value *object, const struct form *form,
				   struct container *ret)
{
	uint64_t n = 0;
	while (n < 3 && form->paths[n])
		n++;
	ret->kind = CONTAINER_FIELDS;
	return open_paths(object, form, n, ret);
}

struct cudasim_error *open_complex(const struct value *object, const struct form *form,
				   struct container *ret)
{
	ret->kind = CONTAINER_COMPLEX;
	return open_paths(object, form, 2, ret);
}

struct cudasim_error *open_only(const struct value *object, const struct form *form,
				struct container *ret)
{
	ret->kind = CONTAINER_VALUE;
	return open_paths(object, form, 1, ret);
}

static struct cudasim_error *next_contained(struct container *c, struct value *ret, bool *end)
{
	snprintf(c->name, sizeof c->name, "[contained value]");
	*end = false;
	return value_field(&c->object, ((const struct form *)(uintptr_t)c->place[0])->paths[0],
			   ret);
}

struct cudasim_error *open_optional(const struct value *object, const struct form *form,
				    struct container *ret)
{
	uint64_t engaged = 0;
	ret->kind = CONTAINER_FIELDS;
	struct cudasim_error *error = open_paths(object, form, 2, ret);
	if (!error)
		error = field_number(object, form->paths[1], &engaged);
	if (error)
		return error;
	container_instance(ret, object, form->name);
	ret->n = engaged != 0;
	ret->next = next_contained;
	if (engaged)
		return NULL;
	size_t n = strlen(ret->head);
	snprintf(ret->head + n, sizeof ret->head - n, " [no contained value]");
	return NULL;
}

static struct cudasim_error *next_handle(struct container *c, struct value *ret, bool *end)
{
	snprintf(c->name, sizeof c->name, "get()");
	*end = false;
	return value_field(&c->object, ((const struct form *)(uintptr_t)c->place[0])->paths[0],
			   ret);
}

struct cudasim_error *open_handle(const struct value *object, const struct form *form,
				  struct container *ret)
{
	ret->kind = CONTAINER_FIELDS;
	struct cudasim_error *error = open_paths(object, form, 1, ret);
	container_instance(ret, object, form->name);
	ret->next = next_handle;
	return error;
}

struct cudasim_error *open_pointee(const struct value *object, const struct form *form,
				   struct container *ret)
{
	ret->kind = CONTAINER_VALUE;
	ret->n = 1;
	struct cudasim_error *error = field_pointer(object, form->paths[0], &ret->address,
						    &ret->element);
	if (!error && !ret->address)
		return not_initialized("an iterator that points at nothing");
	return error;
}

struct cudasim_error *open_atomic(const struct value *object, const struct form *form,
				  struct container *ret)
{
	struct cudasim_error *error = open_only(object, form, ret);
	if (error)
		return error;
	container_instance(ret, object, form->name);
	size_t n = strlen(ret->head);
	snprintf(ret->head + n, sizeof ret->head - n, " = { ");
	ret->tail = " }";
	return NULL;
}
