/* SPDX-License-Identifier: Apache-2.0 */
/* variable.h - the names of the program's variables, for reports. */
#ifndef CUDASIM_CHECKERS_VARIABLE_H
#define CUDASIM_CHECKERS_VARIABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "cudasim/observer.h"

enum { VARIABLE_WORDS = 200 };

struct variable {
	char words[VARIABLE_WORDS]; /* "the __shared__ variable tile"; cut where it is longer */
	uint64_t begin, size; /* bytes; begin is an offset in the window for shared memory */
};

/* The block's __shared__ variable that holds the byte at that offset of the window or, where
 * none does, the one that begins last before it. False where none begins there or before, and
 * where an extern __shared__ array would be it that has several names. */
bool variable_shared(const struct cudasim_block *block, uint64_t offset, struct variable *ret);

/* The __device__, __constant__ or __managed__ variable that holds the byte. False: none. */
bool variable_global(const void *address, struct variable *ret);

#endif
