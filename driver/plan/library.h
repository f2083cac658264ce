/* SPDX-License-Identifier: Apache-2.0 */
/* library.h - the CUDA toolkit's libraries, as -l names them. */
#ifndef CUDASIM_DRIVER_LIBRARY_H
#define CUDASIM_DRIVER_LIBRARY_H

#include "words.h"

enum library_kind {
	LIBRARY_OTHER,   /* not the toolkit's: the linker finds it, or does not */
	LIBRARY_OURS,    /* libcudasim.so stands in its place */
	LIBRARY_BESIDE,  /* a library beside libcudasim does */
	LIBRARY_MISSING, /* not simulated: left out, and the link fails if it is used */
};

/* name as after -l. */
enum library_kind library_kind(const char *name);

/* Which: libcudasim-NAME.so. NULL for other kinds than LIBRARY_BESIDE. */
const char *library_beside(const char *name);

/* One line for each library in missing that an undefined symbol in the linker's
 * output may belong to. The caller frees the text; "" if there is nothing. */
char *library_advice(const struct words *missing, const char *linker_output);

#endif
