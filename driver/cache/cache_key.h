/* SPDX-License-Identifier: Apache-2.0 */
/* cache_key.h - the name of a translation unit in the cache. */
#ifndef CUDASIM_DRIVER_CACHE_KEY_H
#define CUDASIM_DRIVER_CACHE_KEY_H

#include "plan.h"

/* 32 hexadecimal digits of all that the unit's jobs depend on but the headers
 * that they read: command lines, current folder, tools, variables. */
void cache_key(const struct plan *plan, const struct unit *unit, const struct surroundings *here,
	       char key[33]);

/* NULL, or why the unit's result may not be kept: an option has the compiler
 * read or write files that are not known here. */
const char *cache_key_objection(const struct plan *plan, const struct unit *unit);

#endif
