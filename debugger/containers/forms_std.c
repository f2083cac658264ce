/* SPDX-License-Identifier: Apache-2.0 */
/* forms_std.c - libstdc++'s classes whose elements lie one behind the other, and small ones. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "forms.h"

/* ---- std::vector<bool> ------------------------------------------------------------------- */

static struct cudasim_error *next_bit(struct container *c, struct value *ret, bool *end)
{
	uint64_t bit = c->place[0] + c->index;
	unsigned char byte;
	struct cudasim_error *error = value_memory_read(c->address + bit / 8, &byte, 1);
	*end = false;
	if (!error)
		*ret = value_integer(type_base("bool"), byte >> bit % 8 & 1);
	return error;
}

/* Words of bits, each from its lowest on, which on x86-64 is bytes from the first on. */
static struct cudasim_error *open_bits(const struct value *object, struct container *ret)
{
	uint64_t last, last_bit, limit;
	struct cudasim_error *error = field_pointer(object, "_M_impl._M_start._M_p", &ret->address,
						    NULL);
	if (!error)
		error = field_number(object, "_M_impl._M_start._M_offset", &ret->place[0]);
	if (!error)
		error = field_pointer(object, "_M_impl._M_finish._M_p", &last, NULL);
	if (!error)
		error = field_number(object, "_M_impl._M_finish._M_offset", &last_bit);
	if (!error)
		error = field_pointer(object, "_M_impl._M_end_of_storage", &limit, NULL);
	if (error)
		return error;
	if (last < ret->address || limit < last || ret->place[0] > 63 || last_bit > 63 ||
	    last - ret->address > INT64_MAX / 8)
		return not_initialized("a std::vector<bool> from 0x%" PRIx64 " to 0x%" PRIx64
				       ": it may not be initialized",
				       ret->address, last);
	ret->n = 8 * (last - ret->address) + last_bit - ret->place[0];
	ret->next = next_bit;
	container_head(ret, "std::vector<bool> of length %" PRIu64 ", capacity %" PRIu64, ret->n,
		       8 * (limit - ret->address));
	return NULL;
}

static struct cudasim_error *open_vector(const struct value *object, const struct form *form,
					 struct container *ret)
{
	struct value start;
	ret->kind = CONTAINER_ARRAY;
	struct cudasim_error *error = value_field(object, "_M_impl._M_start", &start);
	if (error)
		return error;
	bool is_bits = type_strip(start.type)->kind == TYPE_STRUCT;
	value_fini(&start);
	return is_bits ? open_bits(object, ret) : open_pointers(object, form, ret);
}

/* ---- std::tuple --------------------------------------------------------------------------- */

/* The part of the object that holds the element in front, and the rest. Each is a base of the
 * class std::_Tuple_impl; the element is in a base std::_Head_base, or is that. */
static struct cudasim_error *tuple_head(const struct value *impl, struct value *ret)
{
	struct value head;
	struct cudasim_error *error = base_named(impl, "std::_Head_base", 0, &head);
	if (error)
		return error;
	error = value_field(&head, "_M_head_impl", ret);
	if (error && error->code == CUDASIM_E_FORMAT) { /* an empty class is a base */
		const struct type *type = type_strip(head.type);
		cudasim_error_free(error);
		error = type->n_members && type->members[0].is_base
				? value_member(&head, &type->members[0], ret)
				: value_copy(&head, ret);
	}
	value_fini(&head);
	return error;
}

static struct cudasim_error *next_of_tuple(struct container *c, struct value *ret, bool *end)
{
	struct value rest;
	struct cudasim_error *error = tuple_head(&c->object, ret);
	*end = false;
	snprintf(c->name, sizeof c->name, "[%" PRIu64 "]", c->index + 1);
	if (error)
		return error;
	error = base_named(&c->object, "std::_Tuple_impl", 0, &rest);
	if (error) { /* that was the last */
		cudasim_error_free(error);
		c->n = c->index + 1;
		return NULL;
	}
	value_fini(&c->object);
	c->object = rest;
	return NULL;
}

static struct cudasim_error *open_tuple(const struct value *object, const struct form *form,
					struct container *ret)
{
	ret->kind = CONTAINER_FIELDS;
	ret->next = next_of_tuple;
	ret->n = UINT64_MAX;
	struct cudasim_error *error = base_named(object, "std::_Tuple_impl", 0, &ret->object);
	container_head(ret, "%s containing", form->name);
	if (!error || error->code != CUDASIM_E_FORMAT || type_strip(object->type)->n_members)
		return error;
	cudasim_error_free(error);
	ret->n = 0;
	container_head(ret, "empty %s", form->name);
	return NULL;
}

/* ---- smart pointers ----------------------------------------------------------------------- */

static struct cudasim_error *next_owned(struct container *c, struct value *ret, bool *end)
{
	*end = false;
	snprintf(c->name, sizeof c->name, "get()");
	return tuple_head(&c->object, ret);
}

/* std::unique_ptr: the first of a tuple of pointer and deleter. */
static struct cudasim_error *open_unique(const struct value *object, const struct form *form,
					 struct container *ret)
{
	struct value tuple;
	ret->kind = CONTAINER_FIELDS;
	ret->n = 1;
	ret->next = next_owned;
	struct cudasim_error *error = value_field(object, form->paths[0], &tuple);
	if (error)
		return error;
	error = base_named(&tuple, "std::_Tuple_impl", 0, &ret->object);
	value_fini(&tuple);
	container_instance(ret, object, form->name);
	return error;
}

static struct cudasim_error *count_owners(const struct value *object, char *to, size_t size)
{
	struct value pointer, block;
	uint64_t address, uses, weak;
	struct cudasim_error *error = field_pointer(object, "_M_refcount._M_pi", &address, NULL);
	if (error)
		return error;
	if (!address) {
		snprintf(to, size, " (empty)");
		return NULL;
	}
	error = value_field(object, "_M_refcount._M_pi", &pointer);
	if (error)
		return error;
	error = value_pointee(&pointer, &block);
	value_fini(&pointer);
	if (!error)
		error = field_number(&block, "_M_use_count", &uses);
	if (!error)
		error = field_number(&block, "_M_weak_count", &weak);
	if (!error && uses)
		snprintf(to, size, " (use count %" PRIu64 ", weak count %" PRIu64 ")", uses,
			 weak - 1);
	else if (!error)
		snprintf(to, size, " (expired, weak count %" PRIu64 ")", weak);
	return error;
}

static struct cudasim_error *open_shared(const struct value *object, const struct form *form,
					 struct container *ret)
{
	char owners[96] = "";
	struct cudasim_error *error = open_handle(object, form, ret);
	if (!error)
		error = count_owners(object, owners, sizeof owners);
	size_t n = strlen(ret->head);
	snprintf(ret->head + n, sizeof ret->head - n, "%s", owners);
	return error;
}

#define VECTOR "_M_impl._M_start", "_M_impl._M_finish", "_M_impl._M_end_of_storage"

const struct form forms_std[] = {
	{"std::vector", open_vector, {VECTOR}},
	{"std::array", open_array, {"_M_elems"}},
	{"std::basic_string", open_text, {"_M_dataplus", "_M_string_length"}},
	{"std::basic_string_view", open_text, {"_M_str", "_M_len"}},
	{"std::span", open_span, {"_M_ptr", "_M_extent._M_extent_value"}},
	{"std::initializer_list", open_counted, {"_M_array", "_M_len"}},
	{"std::pair", open_members, {"first", "second"}},
	{"std::tuple", open_tuple, {NULL}},
	{"std::complex", open_only, {"_M_value"}},
	{"std::optional",
	 open_optional,
	 {"_M_payload._M_payload._M_value", "_M_payload._M_engaged"}},
	{"std::unique_ptr", open_unique, {"_M_t._M_t"}},
	{"std::shared_ptr", open_shared, {"_M_ptr"}},
	{"std::weak_ptr", open_shared, {"_M_ptr"}},
	{NULL, NULL, {NULL}},
};
