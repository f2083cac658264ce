/* SPDX-License-Identifier: Apache-2.0 */
/* places.h - where cudasim's own parts lie.
 *
 * In a build tree they lie beside the executable, installed in the folders
 * that meson was configured with, relative to the executable's. */
#ifndef CUDASIM_DRIVER_PLACES_H
#define CUDASIM_DRIVER_PLACES_H

#include <stdbool.h>

#include "error.h"

/* Absolute paths; whether the files exist is not checked but for `self`. */
struct places {
	bool installed;
	char *self;           /* the executable, links resolved */
	char *devcc;          /* cudasim-devcc */
	char *server;         /* cudasim-compile-server */
	char *builtins;       /* builtins.bc */
	char *attach;         /* attach.o */
	char *library;        /* the folder of libcudasim.so */
	char *libraries;      /* as places_beside() takes it */
	char *names;          /* the folder of libcuda.so.1 and its kin; names.h makes it */
	char *stubs;          /* libraries to link with: NVIDIA's names, cudasim's symbols */
	char *tools;          /* clang and its kin, brought along (wheels); or not there */
	char *wheels; /* a toolkit of the vendor's wheels beside cudasim's; or not there */
	char *include; /* the folder of cudasim's headers folder cudasim/ */
	char *compat; /* the folder of headers that the toolkit lacks */
	char *toolkit_tree; /* the folder that looks like a CUDA toolkit */
	char *fetch; /* the script that fetches the vendor's wheels */
	char *python; /* the folder of the Python package */
};

struct cudasim_error *places_find(struct places *ret);

/* From the executable's path alone; installed says which layout. */
void places_from(const char *self, bool installed, struct places *ret);

/* The folder of libcudasim-NAME.so, a library beside libcudasim (cublas, nvrtc); the caller
 * frees it. */
char *places_beside(const struct places *places, const char *name);

void places_fini(struct places *places);

#endif
