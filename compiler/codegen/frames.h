/* SPDX-License-Identifier: Apache-2.0 */
/* frames.h - how large the stack frames of compiled functions are. */
#ifndef CUDASIM_COMPILER_FRAMES_H
#define CUDASIM_COMPILER_FRAMES_H

#include "device.h"

/* The frame of one function, in bytes. */
struct frame {
	char *name;
	uint64_t size;
};

struct frames {
	struct frame *list; /* sorted by name */
	size_t n;
};

/* Read the .stack_sizes section of a relocatable ELF64 object that LLVM wrote
 * for this machine. */
struct cudasim_error *frames_read(const char *path, struct frames *ret);
void frames_free(struct frames *frames);

/* The frame's size, 0 for a function without one in the object. */
uint64_t frames_size(const struct frames *frames, const char *name);

#endif
