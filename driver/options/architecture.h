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
	char *name;             /* for clang: "sm_90", "sm_90a" */
	unsigned number;        /* __CUDA_ARCH__: 900 */
	struct words warnings;  /* one line each */
};

/* Errors: CUDASIM_E_ARGUMENT for names that no nvcc knows and for combinations
 * that nvcc refuses. Architectures that only other versions of nvcc know give a
 * warning. */
struct cudasim_error *architecture_choose(const struct command *command, struct architecture *ret);

void architecture_fini(struct architecture *architecture);

/* Reads sm_90, compute_90, lto_90a: the version, 75 for those that CUDA 13.0 no
 * longer knows, and the letter behind it or 0. Errors: CUDASIM_E_ARGUMENT. */
struct cudasim_error *architecture_parse(const char *name, unsigned *ret, char *suffix);

/* native, all, all-major. */
bool architecture_is_group(const char *name);

/* Adds sm_75 and so on; major: the first of each generation. */
void architecture_all(struct words *words, bool major);

/* clang 19's name for the highest version that it knows up to this one, at most
 * 90; is_specific: sm_90a. The caller frees it. */
char *architecture_clang_name(unsigned version, bool is_specific);

/* Prints what nvcc's --list-gpu-code ("sm_") or --list-gpu-arch ("compute_")
 * lists. */
void architecture_list(const char *prefix);

#endif
