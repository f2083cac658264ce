/* SPDX-License-Identifier: Apache-2.0 */
/* machine.h - what a peer has to do to run the rows of rows.c: hold memory and start
 * kernels. There is one machine for each of cudasim (and any other CUDA), OpenCL, HIP-CPU
 * and plain C. A machine that fails says why on stderr and ends the process: nothing that
 * failed is timed. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum kernel {
#define KERNEL(name) KERNEL_##name,
#include "kernels.def"
#undef KERNEL
	N_KERNELS
};

enum {
	BLOCK = 256,      /* threads of a flat block */
	TILE = 16,        /* side of the product's blocks */
	WARP = 32,
	BINS = 256,       /* of the histogram */
	SORTED = 512,     /* elements that a block of half as many threads sorts */
	MOST_ARGUMENTS = 8,
};

/* A kernel's argument, in the order of its parameters. */
struct argument {
	enum { MEMORY, INT, FLOAT } kind;
	void *memory; /* as memory_new() gave it */
	int i;
	float f;
};

struct machine {
	const char *name;
	/* The kernels are C functions that do the work of a whole grid, in C's own way:
	 * a scan is one loop, not three launches. */
	int is_plain;
	void *(*memory_new)(size_t bytes);
	void (*memory_free)(void *memory);
	void (*write)(void *memory, const void *from, size_t bytes);
	void (*read)(const void *memory, void *to, size_t bytes); /* waits for launches */
	/* grid and block count blocks and threads in x, y, z. */
	void (*launch)(enum kernel kernel, const unsigned grid[3], const unsigned block[3],
		       const struct argument *arguments, int n_arguments);
	void (*wait)(void);
};

/* The machine that this program was linked with, made ready, and the one whose results
 * are right (plain.c without optimisations that change arithmetic). */
const struct machine *machine_open(void);
extern const struct machine reference_machine;

#ifdef __cplusplus
}
#endif
