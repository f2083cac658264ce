/* SPDX-License-Identifier: Apache-2.0 */
/* cache_known.h - what the entry of a precompiled header (cache.c) remembers of its hundreds of headers, so
 * that units which use it need not read them again. */
#ifndef CUDASIM_DRIVER_CACHE_KNOWN_H
#define CUDASIM_DRIVER_CACHE_KNOWN_H

#include <jansson.h>
#include <stdbool.h>

#include "hash.h"
#include "words.h"

/* {0} knows nothing. */
struct cache_known {
	json_t *entries; /* an array, or NULL */
	struct hash files; /* paths to files as cache_file_remember() makes them */
	struct words names, macros; /* of these files' texts (cache_file.h) */
};

/* Adds an entry that a file holds; without such a file nothing. */
void cache_known_add(struct cache_known *known, const char *path);

/* What is known of the file, owned by known, if it is what it was then; or NULL. */
json_t *cache_known_get(const struct cache_known *known, const char *path);

void cache_known_fini(struct cache_known *known);

#endif
