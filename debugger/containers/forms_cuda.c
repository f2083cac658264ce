/* SPDX-License-Identifier: Apache-2.0 */
/* forms_cuda.c - libcu++'s classes. */
#include <inttypes.h>
#include <stdio.h>

#include "error.h"
#include "forms.h"

/* Each element is in a base of its own: as a member, or where its class is empty as a base. */
static struct cudasim_error *next_leaf(struct container *c, struct value *ret, bool *end)
{
	struct value leaf;
	*end = false;
	snprintf(c->name, sizeof c->name, "[%" PRIu64 "]", c->index + 1);
	struct cudasim_error *error = base_named(&c->object, "cuda::std::__tuple_leaf", c->index,
						 &leaf);
	if (error)
		return error;
	error = value_field(&leaf, "__value_", ret);
	const struct type *type = type_strip(leaf.type);
	if (error && error->code == CUDASIM_E_FORMAT && type->n_members &&
	    type->members[0].is_base) {
		cudasim_error_free(error);
		error = value_member(&leaf, &type->members[0], ret);
	}
	value_fini(&leaf);
	return error;
}

static struct cudasim_error *open_tuple(const struct value *object, const struct form *form,
					struct container *ret)
{
	struct value leaf;
	ret->kind = CONTAINER_FIELDS;
	ret->next = next_leaf;
	struct cudasim_error *error = value_field(object, form->paths[0], &ret->object);
	while (!error &&
	       !(error = base_named(&ret->object, "cuda::std::__tuple_leaf", ret->n, &leaf))) {
		value_fini(&leaf);
		ret->n++;
	}
	if (!error || error->code != CUDASIM_E_FORMAT || !ret->n)
		return error;
	cudasim_error_free(error); /* no base more */
	container_head(ret, "%s containing", form->name);
	return NULL;
}

/* Elements lie in the object, in an array of them or of bytes. */
static struct cudasim_error *open_inplace(const struct value *object, const struct form *form,
					  struct container *ret)
{
	struct cudasim_error *error = open_array(object, form, ret);
	uint64_t capacity = ret->n * (ret->element ? type_strip(ret->element)->size : 0);
	if (!error)
		error = argument_type(object->type, 0, &ret->element);
	if (!error)
		error = field_number(object, form->paths[1], &ret->n);
	if (error)
		return error;
	uint64_t size = type_strip(ret->element)->size;
	ret->next = NULL;
	if (!size || !object->is_lvalue || ret->n > capacity / size)
		return not_initialized("a %s of %" PRIu64 " elements in %" PRIu64
				       " bytes: it may not be initialized",
				       form->name, ret->n, capacity);
	container_head(ret, "%s of length %" PRIu64 ", capacity %" PRIu64, form->name, ret->n,
		       capacity / size);
	return NULL;
}

const struct form forms_cuda[] = {
	{"cuda::std::array", open_array, {"__elems_"}},
	{"cuda::std::span", open_span, {"__data_", "__size_"}},
	{"cuda::std::inplace_vector", open_inplace, {"__elems_", "__size_"}},
	{"cuda::std::basic_string_view", open_text, {"__data_", "__size_"}},
	{"cuda::std::pair", open_members, {"first", "second"}},
	{"cuda::std::tuple", open_tuple, {"__base_"}},
	{"cuda::std::complex", open_complex, {"__re_", "__im_"}},
	{"cuda::complex", open_complex, {"__re_", "__im_"}},
	{"cuda::std::optional", open_optional, {"__storage_.__val_", "__engaged_"}},
	{"cuda::std::optional", open_optional, {"__val_", "__engaged_"}},
	{"cuda::atomic", open_atomic, {"__a.__a_value"}},
	{"cuda::std::atomic", open_atomic, {"__a.__a_value"}},
	{NULL, NULL, {NULL}},
};
