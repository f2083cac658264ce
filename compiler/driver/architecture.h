/* SPDX-License-Identifier: Apache-2.0 */
/* architecture.h - from -arch, -code and -gencode to one architecture.
 *
 * nvcc compiles device code once for each architecture that is named; cudasim
 * once in all, for the image that a device of compute capability 9.0 would run:
 * the highest that is not above 9.0. */
#ifndef CUDASIM_DRIVER_ARCHITECTURE_H
#define CUDASIM_DRIVER_ARCHITECTURE_H

#include "command.h"

struct architecture {
	const char *name;       /* for clang: "sm_90", "sm_90a" */
	unsigned number;        /* __CUDA_ARCH__: 900 */
	struct words warnings;  /* one line each */
};

/* Errors: CUDASIM_E_ARGUMENT for names that no nvcc knows and for combinations
 * that nvcc refuses. Architectures that only other versions of nvcc know give a
 * warning. */
struct cudasim_error *architecture_choose(const struct command *command,
					  struct architecture *ret);

/* Prints what nvcc's --list-gpu-code ("sm_") or --list-gpu-arch ("compute_")
 * lists. */
void architecture_list(const char *prefix);

#endif
