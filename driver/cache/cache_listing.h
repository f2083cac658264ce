/* SPDX-License-Identifier: Apache-2.0 */
/* cache_listing.h - which files there are, by one look into each folder: a header of a library with
 * many folders might be taken from 70 of them, which makes 200,000 questions for one source. */
#ifndef CUDASIM_DRIVER_CACHE_LISTING_H
#define CUDASIM_DRIVER_CACHE_LISTING_H

#include <stdbool.h>

#include "hash.h"

/* {0} before; ended by cache_listing_fini(). */
struct cache_listing {
	struct hash folders; /* a path to its struct folder */
};

/* Whether there is such a file: what access(path, F_OK) says, as of the first look into its folder. */
bool cache_listing_has(struct cache_listing *listing, const char *path);
void cache_listing_fini(struct cache_listing *listing);

#endif
