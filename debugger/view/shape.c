/* SPDX-License-Identifier: Apache-2.0 */
/* shape.c - the shape of a value, and the shapes that are asked for. */
#include "shape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "container.h"
#include "error.h"
#include "expression.h"

/* What is held at once. */
#define MAX_BYTES ((uint64_t)1 << 30)

void shape_fini(struct shape *shape)
{
	for (uint32_t i = 0; i < MAX_RANK; i++)
		free(shape->axes[i].table);
	free(shape->bytes);
	memset(shape, 0, sizeof *shape);
}

/* ---- of a value -------------------------------------------------------------------------- */

static void add_axis(struct shape *shape, uint64_t n, uint64_t step)
{
	shape->axes[shape->rank++] = (struct axis){.n = n, .step = (int64_t)step, .by = 1};
}

/* The array's dimensions, each an array of arrays. */
static struct cudasim_error *take_dimensions(const struct type *type, struct shape *ret)
{
	type = type_strip(type);
	while (type->kind == TYPE_ARRAY && ret->rank < MAX_RANK) {
		const struct type *inner = type_strip(type->target);
		add_axis(ret, type->n, inner->size);
		type = inner;
	}
	if (type->kind == TYPE_ARRAY)
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "An array of more than %d dimensions cannot be viewed.",
					 MAX_RANK);
	ret->element = type;
	return NULL;
}

static struct cudasim_error *keep_bytes(const struct value *object, struct shape *ret)
{
	ret->is_memory = object->is_lvalue;
	ret->address = object->address;
	ret->storage = object->storage;
	ret->n_bytes = type_strip(object->type)->size;
	if (ret->is_memory)
		return NULL;
	ret->bytes = malloc(object->n_bytes ? object->n_bytes : 1);
	if (!ret->bytes)
		return &cudasim_error_nomem;
	memcpy(ret->bytes, value_bytes(object), object->n_bytes);
	return NULL;
}

static struct cudasim_error *of_container(const struct value *object, struct shape *ret)
{
	struct container c;
	bool is_container;
	char name[128];
	symbols_plain_name(object->type->name ? object->type->name : "struct", false, name,
			   sizeof name);
	struct cudasim_error *error = container_open(object, &c, &is_container);
	if (error || !is_container)
		return error ? error
			     : cudasim_error_new(CUDASIM_E_UNSUPPORTED,
						 "A %s has no elements to view.", name);
	if (c.kind != CONTAINER_ARRAY || !c.element || c.next) {
		error = cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"The elements of a %s do not lie one behind the other: print shows them.",
			name);
	} else {
		ret->element = type_strip(c.element);
		ret->is_memory = true;
		ret->address = c.address;
		ret->storage = c.storage;
		ret->n_bytes = c.n * ret->element->size;
		add_axis(ret, c.n, ret->element->size);
	}
	container_close(&c);
	return error;
}

static struct cudasim_error *of_pointer(const struct value *pointer, struct shape *ret)
{
	struct value pointee;
	struct cudasim_error *error = value_pointee(pointer, &pointee);
	if (error)
		return error;
	ret->is_memory = true;
	ret->address = pointee.address;
	ret->storage = pointee.storage;
	error = take_dimensions(pointee.type, ret);
	value_fini(&pointee);
	return error;
}

static bool is_number(const struct type *type)
{
	return type_is_scalar(type) || type->float_format || type->is_complex;
}

struct cudasim_error *shape_of_value(const struct value *value, struct shape *ret)
{
	struct value object;
	memset(ret, 0, sizeof *ret);
	struct cudasim_error *error = value_object(value, &object);
	if (error)
		return error;
	const struct type *type = object.type && !object.is_void ? type_strip(object.type) : NULL;
	if (!type)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "A void value cannot be viewed.");
	else if (object.is_optimized_out)
		error = cudasim_error_new(CUDASIM_E_NOTFOUND, "value has been optimized out");
	else if (type->kind == TYPE_POINTER)
		error = of_pointer(&object, ret);
	else if (type->kind == TYPE_STRUCT && !is_number(type))
		error = of_container(&object, ret);
	else if (!(error = take_dimensions(type, ret)))
		error = keep_bytes(&object, ret);
	value_fini(&object);
	if (!error && (!ret->element->size || ret->element->kind == TYPE_FUNCTION))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "Elements of type %s cannot be viewed: cast the pointer.",
					  type_text(ret->element));
	if (error)
		shape_fini(ret);
	return error;
}

/* ---- asked for ---------------------------------------------------------------------------- */

static struct cudasim_error *check_inside(const struct shape *shape)
{
	int64_t low = 0, high = (int64_t)shape->element->size;
	for (uint32_t d = 0; d < shape->rank; d++) {
		const struct axis *axis = &shape->axes[d];
		int64_t last;
		if (!axis->n)
			return NULL;
		if (__builtin_mul_overflow((int64_t)axis->n - 1, axis->step, &last) ||
		    __builtin_add_overflow(last < 0 ? low : high, last, last < 0 ? &low : &high))
			return cudasim_error_new(CUDASIM_E_ARGUMENT,
						 "The shape is larger than memory.");
	}
	if (shape->n_bytes && (low < 0 || (uint64_t)high > shape->n_bytes))
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "The shape needs elements %" PRId64 " to %" PRId64
					 ", and there are %" PRIu64
					 ": view a pointer, as &a[0], to go beyond.",
					 low / (int64_t)shape->element->size,
					 high / (int64_t)shape->element->size - 1,
					 shape->n_bytes / shape->element->size);
	return NULL;
}

struct cudasim_error *shape_set(struct shape *shape, uint32_t rank, const uint64_t *sizes,
				const int64_t *strides)
{
	int64_t step = (int64_t)shape->element->size;
	shape->rank = rank;
	for (uint32_t d = rank; d-- > 0;) {
		free(shape->axes[d].table);
		shape->axes[d] = (struct axis){.n = sizes[d], .step = step, .by = 1};
		if (strides && __builtin_mul_overflow(strides[d], (int64_t)shape->element->size,
						      &shape->axes[d].step))
			return cudasim_error_new(CUDASIM_E_ARGUMENT,
						 "The shape is larger than memory.");
		if (!strides && __builtin_mul_overflow(step, (int64_t)sizes[d], &step))
			return cudasim_error_new(CUDASIM_E_ARGUMENT,
						 "The shape is larger than memory.");
	}
	return check_inside(shape);
}

void shape_transpose(struct shape *shape)
{
	for (uint32_t d = 0; d < shape->rank / 2; d++) {
		struct axis axis = shape->axes[d];
		shape->axes[d] = shape->axes[shape->rank - 1 - d];
		shape->axes[shape->rank - 1 - d] = axis;
	}
}

struct cudasim_error *shape_count(const struct shape *shape, uint64_t *ret)
{
	uint64_t bytes = shape->element->size;
	*ret = 1;
	for (uint32_t d = 0; d < shape->rank; d++)
		if (!shape->axes[d].n)
			*ret = 0;
	for (uint32_t d = 0; d < shape->rank && *ret; d++) {
		if (__builtin_mul_overflow(*ret, shape->axes[d].n, ret) ||
		    __builtin_mul_overflow(bytes, shape->axes[d].n, &bytes) || bytes > MAX_BYTES)
			return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
						 "More than %" PRIu64
						 " bytes would have to be read: choose a part "
						 "of them with --slice.",
						 MAX_BYTES);
	}
	return NULL;
}

struct cudasim_error *list_number(const char **text, int64_t *ret)
{
	size_t n = 0;
	int depth = 0;
	for (; (*text)[n] && ((*text)[n] != ',' || depth); n++)
		depth += strchr("([", (*text)[n]) ? 1 : strchr(")]", (*text)[n]) ? -1 : 0;
	char *part = strndup(*text, n);
	if (!part)
		return &cudasim_error_nomem;
	struct cudasim_error *error = evaluate_integer(part, ret);
	free(part);
	*text += n + ((*text)[n] == ',');
	return error;
}
