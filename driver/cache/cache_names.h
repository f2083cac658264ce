/* SPDX-License-Identifier: Apache-2.0 */
/* cache_names.h - which headers a text asks for by __has_include(): one that comes to be changes the
 * result without being among the files that were read. */
#ifndef CUDASIM_DRIVER_CACHE_NAMES_H
#define CUDASIM_DRIVER_CACHE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "words.h"

/* Adds to names what the text's n bytes give to `macro`: __has_include or a macro that stands for it.
 * Adds to macros those that the text defines to hand on their only parameter, as libraries do for
 * compilers without it (#define LIB_HAS_INCLUDE(X) __has_include(X)). False if a name is computed
 * in another way. */
bool cache_names_find(const char *text, size_t n, const char *macro, struct words *names,
		      struct words *macros);

#endif
