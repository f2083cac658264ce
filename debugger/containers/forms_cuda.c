/* SPDX-License-Identifier: Apache-2.0 */
/* forms_cuda.c - libcu++'s classes. */
#include <inttypes.h>
#include <stdio.h>

#include "error.h"
#include "forms.h"

/* A span of fixed extent has its length in its type. */
static struct cudasim_error *open_span(const struct value *object, const struct form *form,
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

const struct form forms_cuda[] = {
	{"cuda::std::array", open_array, {"__elems_"}},
	{"cuda::std::span", open_span, {"__data_", "__size_"}},
	{"cuda::std::inplace_vector", open_counted, {"__begin_", "__size_"}},
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
