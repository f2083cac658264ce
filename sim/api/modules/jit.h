/* SPDX-License-Identifier: Apache-2.0 */
/* jit.h - the options of loads and links: where the compiler's words go. The driver API's
 * CU_JIT_* have the runtime's numbers. */
#ifndef CUDASIM_SIM_API_JIT_H
#define CUDASIM_SIM_API_JIT_H

#include <driver_types.h>
#include <stdbool.h>

struct loaded;

/* The caller's: options[n], values[n]. */
struct jit {
	unsigned n;
	const enum cudaJitOption *options;
	void **values;
};

/* What the compiler said of PTX into the buffers that the options name, as errors where it failed;
 * said NULL: nothing, as nothing was compiled. The rooms' values become the bytes written. */
void jit_fill_logs(const struct jit *jit, const char *said, bool failed);

/* Loads what lies at image or, where that is NULL, in the file; jit may be NULL. Errors as of
 * loaded_new() and loaded_read_file(). */
cudaError_t jit_load(const void *image, const char *path, const struct jit *jit,
		     struct loaded **ret);

#endif
