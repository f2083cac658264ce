/* SPDX-License-Identifier: Apache-2.0 */
/* inspect_image.c - inspect.h over CUDA arrays, textures and surfaces. */
#include "array.h"
#include "cudasim/inspect.h"
#include "texture.h"

static enum cudasim_channel channel_of(int kind)
{
	return kind == cudaChannelFormatKindFloat    ? CUDASIM_CHANNEL_FLOAT
	       : kind == cudaChannelFormatKindSigned ? CUDASIM_CHANNEL_SIGNED
						     : CUDASIM_CHANNEL_UNSIGNED;
}

bool cudasim_image_find(uint64_t handle, uint32_t level, struct cudasim_image *ret)
{
	const struct texture *texture = texture_find(handle);
	if (!texture || level >= texture->n_levels)
		return false;
	const struct texture_level *l = &texture->levels[level];
	*ret = (struct cudasim_image){.base = l->base,
				      .width = l->width,
				      .height = l->height,
				      .depth = l->depth,
				      .pitch = l->pitch,
				      .slice = l->slice,
				      .n_levels = texture->n_levels,
				      .bits = texture->format.bits,
				      .n_channels = texture->format.n_channels,
				      .channel = channel_of(texture->format.kind),
				      .is_surface = texture->is_surface};
	return true;
}

bool cudasim_array_describe(const void *array, struct cudasim_image *ret)
{
	const struct array *a = array_find((cudaArray_const_t)array);
	if (!a)
		return false;
	uint32_t n = 1 + (a->format.y > 0) + (a->format.z > 0) + (a->format.w > 0);
	*ret = (struct cudasim_image){.base = a->base,
				      .width = (uint32_t)a->width,
				      .height = (uint32_t)a->height,
				      .depth = (uint32_t)a->depth,
				      .pitch = array_pitch(a),
				      .slice = array_slice(a),
				      .n_levels = 1,
				      .bits = (uint32_t)a->format.x,
				      .n_channels = n,
				      .channel = channel_of(a->format.f)};
	return true;
}
