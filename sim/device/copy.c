/* SPDX-License-Identifier: Apache-2.0 */
#include "copy.h"

#include "memory.h"

struct cudasim_copy copy_1d(void *to, const void *from, size_t width)
{
	return copy_2d(to, width, from, width, width, 1);
}

struct cudasim_copy copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch,
			    size_t width, size_t height)
{
	return (struct cudasim_copy){
		.kind = CUDASIM_COPY,
		.to = to,
		.from = from,
		.width = width,
		.height = height,
		.depth = 1,
		.to_pitch = to_pitch,
		.from_pitch = from_pitch,
		.value_bytes = 1,
	};
}

bool copy_pageable(const void *address)
{
	struct allocation a;
	return !memory_lookup(address, &a);
}

bool copy_waits(const struct cudasim_copy *what)
{
	return what->kind == CUDASIM_COPY && copy_pageable(what->to);
}
