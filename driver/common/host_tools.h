/* SPDX-License-Identifier: Apache-2.0 */
/* host_tools.h - the tools of this machine that the driver runs. */
#ifndef CUDASIM_DRIVER_HOST_TOOLS_H
#define CUDASIM_DRIVER_HOST_TOOLS_H

#include <stdbool.h>

#include "error.h"

struct host_tools {
	char *clang;          /* path of clang++ of the version that cudasim was built with */
	char *host_c, *host_cxx; /* gcc and g++, or that clang */
	char *openmp_library; /* LLVM's libomp, NULL if there is none */
	char *openmp_include; /* a folder with omp.h, if this clang has none; or NULL */
	char *gcc_include;    /* gcc's folder with its omp.h; or NULL */
};

/* bundle is the folder of tools that cudasim brings along, which need not be there. Its clang++
 * goes first, since libraries of the same build are beside it. Errors: CUDASIM_E_NOTFOUND without
 * one. */
struct cudasim_error *host_tools_find(const char *bundle, struct host_tools *ret);

/* Puts the bundle last on this process's PATH: its ld, ar and objcopy are for machines without. Takes `cudasim run`'s
 * auditor out of LD_AUDIT: compilers open nothing of NVIDIA's, and before glibc 2.35 audited ones take 13 times
 * as long. */
void host_tools_enter(const char *bundle);

/* Is path this program, which stands under the names of nvcc and ptxas in its toolkit's folder? */
bool host_tools_is_cudasim(const char *path);

/* The path of a program on PATH that is not cudasim, NULL if it is not there; the caller frees
 * it. */
char *host_tools_which(const char *name);

void host_tools_fini(struct host_tools *tools);

#endif
