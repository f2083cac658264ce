/* SPDX-License-Identifier: Apache-2.0 */
/* cache_search.h - what lies where a unit's headers are looked for. A header that
 * appears in a folder before the one that was read would be read instead. */
#ifndef CUDASIM_DRIVER_CACHE_SEARCH_H
#define CUDASIM_DRIVER_CACHE_SEARCH_H

#include "plan.h"

struct cache_search {
	struct words folders;  /* of the clang passes' command lines and variables, the system's,
	                        * and the current one; without '/' at the end */
	struct words packaged; /* what begins so came with a package: nobody adds headers there
	                        * between two compilations but by installing one */
};

/* {0} before; ended by cache_search_fini(). */
void cache_search_init(struct cache_search *search, const struct plan *plan,
		       const struct unit *unit, const struct surroundings *here);
void cache_search_fini(struct cache_search *search);

/* 32 digits of which files exist where files might be taken for these: for each of
 * paths, under all folders and the folders of unpackaged paths, the part of its path
 * behind each folder that it lies in; and likewise each of names. It changes when one
 * comes or goes. */
void cache_search_digest(const struct cache_search *search, const struct words *paths,
			 const struct words *names, char digest[33]);

#endif
