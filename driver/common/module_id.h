/* SPDX-License-Identifier: Apache-2.0 */
/* module_id.h - the name of a compiled translation unit. */
#ifndef CUDASIM_DRIVER_MODULE_ID_H
#define CUDASIM_DRIVER_MODULE_ID_H

#include <stdint.h>
#include <stdio.h>

#include "error.h"

struct module_id {
	__extension__ unsigned __int128 hash;
};

/* Begins; then module_id_add* and module_id_text. The hash is FNV-1a with 128
 * bits (Fowler, Noll, Vo; draft-eastlake-fnv), which is no defence against
 * malice and needs none: both hashes of a program come from its own build. */
void module_id_init(struct module_id *id);

void module_id_add(struct module_id *id, const void *bytes, size_t n);

/* Adds a file's content. */
struct cudasim_error *module_id_add_file(struct module_id *id, const char *path);

/* 32 hexadecimal digits, and the 16 bytes they stand for, in reading order. */
void module_id_text(const struct module_id *id, char text[33], uint8_t bytes[16]);

#endif
