/* SPDX-License-Identifier: Apache-2.0 */
/* host_tools.h - the tools of this machine that the driver runs. */
#ifndef CUDASIM_DRIVER_HOST_TOOLS_H
#define CUDASIM_DRIVER_HOST_TOOLS_H

#include <stdbool.h>

#include "error.h"

struct host_tools {
	char *clang;          /* clang++ 19's path */
	char *openmp_library; /* LLVM's libomp, NULL if there is none */
	char *openmp_include; /* a folder with omp.h, if clang 19 has none; or NULL */
	char *gcc_include;    /* gcc's folder with its omp.h; or NULL */
};

/* Errors: CUDASIM_E_NOTFOUND without clang++ 19. */
struct cudasim_error *host_tools_find(struct host_tools *ret);

/* Is path this program, which stands under the names of nvcc and ptxas in its toolkit's folder? */
bool host_tools_is_cudasim(const char *path);

/* The path of a program on PATH that is not cudasim, NULL if it is not there; the caller frees
 * it. */
char *host_tools_which(const char *name);

void host_tools_fini(struct host_tools *tools);

#endif
