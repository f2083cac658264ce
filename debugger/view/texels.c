/* SPDX-License-Identifier: Apache-2.0 */
/* texels.c - textures, surfaces and CUDA arrays as arrays of their texels. */
#include "texels.h"

#include <inttypes.h>
#include <string.h>

#include "cudasim/inspect.h"
#include "error.h"

/* The type as the program names it: the handles are integers without their names. */
static bool is_handle(const struct type *type)
{
	static const char *const names[] = {"cudaTextureObject_t", "cudaSurfaceObject_t",
					    "CUtexObject", "CUsurfObject"};
	for (int depth = 0; type && type->kind == TYPE_TYPEDEF && depth < 16; depth++) {
		for (size_t i = 0; type->name && i < sizeof names / sizeof *names; i++)
			if (!strcmp(type->name, names[i]))
				return true;
		type = type->target;
	}
	return false;
}

static bool is_array(const struct type *type)
{
	const struct type *target;
	type = type_strip(type);
	if (type->kind != TYPE_POINTER || !type->target)
		return false;
	target = type_strip(type->target);
	return target->kind == TYPE_STRUCT && target->name && !strcmp(target->name, "cudaArray");
}

static const struct type *channel_type(const struct cudasim_image *image)
{
	if (image->channel != CUDASIM_CHANNEL_FLOAT)
		return type_integer(image->bits / 8, image->channel == CUDASIM_CHANNEL_SIGNED);
	return image->bits == 16 ? type_base("__half") : type_float(image->bits / 8);
}

static void add_axis(struct shape *shape, uint64_t n, uint64_t step)
{
	shape->axes[shape->rank++] = (struct axis){.n = n, .step = (int64_t)step, .by = 1};
}

static struct cudasim_error *shape_of(const struct cudasim_image *image, struct shape *ret)
{
	memset(ret, 0, sizeof *ret);
	ret->element = channel_type(image);
	if (!ret->element)
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "Channels of %" PRIu32 " bits cannot be viewed.",
					 image->bits);
	ret->is_memory = true;
	ret->address = (uintptr_t)image->base;
	ret->storage = STORAGE_GLOBAL;
	if (image->depth > 1)
		add_axis(ret, image->depth, image->slice);
	if (image->depth > 1 || image->height > 1)
		add_axis(ret, image->height, image->pitch);
	add_axis(ret, image->width, image->n_channels * ret->element->size);
	if (image->n_channels > 1)
		add_axis(ret, image->n_channels, ret->element->size);
	return NULL;
}

struct cudasim_error *texels_shape(const struct value *value, uint32_t level, bool *is_image,
				   struct shape *ret)
{
	struct cudasim_image image;
	wide handle;
	bool array = value->type && is_array(value->type);
	*is_image = value->type && (array || is_handle(value->type));
	if (!*is_image)
		return NULL;
	struct cudasim_error *error = value_to_integer(value, &handle);
	if (error)
		return error;
	bool found = array ? cudasim_array_describe((const void *)(uintptr_t)handle, &image)
			   : cudasim_image_find((uint64_t)handle, level, &image);
	if (found)
		return shape_of(&image, ret);
	if (!array && level && cudasim_image_find((uint64_t)handle, 0, &image))
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "The texture has %" PRIu32 " level%s of detail.",
					 image.n_levels, image.n_levels == 1 ? "" : "s");
	return cudasim_error_new(CUDASIM_E_NOTFOUND, "0x%" PRIx64 " is no %s.", (uint64_t)handle,
				 array ? "CUDA array" : "texture or surface object");
}
