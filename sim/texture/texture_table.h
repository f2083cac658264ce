/* SPDX-License-Identifier: Apache-2.0 */
/* texture_table.h - numbers of texture and surface objects: texture*.c and surface.c only. */
#ifndef CUDASIM_SIM_TEXTURE_TABLE_H
#define CUDASIM_SIM_TEXTURE_TABLE_H

#include "texture.h"

/* A GPU's handle has 20 bits for the object; others lead outside its table. */
#define MAX_OBJECTS (1ull << 20)

/* The object, or NULL where there is none: then the caller answers zeros, as an H200
 * does, and a line on stderr has said so, once per place. A handle beyond the table
 * ends the launch with cudaErrorIllegalAddress. what: "texture" or "surface". */
const struct texture *texture_open(uint64_t handle, const char *what,
				   const struct cudasim_site *site);
/* What the object is does not fit the call: the same. */
void texture_mismatch(uint64_t handle, const char *what, const struct cudasim_site *site);

/* Tell the observers of a thread that watches. */
void texture_access(const struct fetcher *who, const void *at, unsigned size, bool store);

#endif
