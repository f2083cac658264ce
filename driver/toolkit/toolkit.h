/* SPDX-License-Identifier: Apache-2.0 */
/* toolkit.h - the CUDA toolkit's headers and libdevice, and how they are found.
 *
 * In this order: CUDASIM_TOOLKIT, CUDA_HOME (and CUDA_PATH), the nvcc on PATH,
 * /usr/local/cuda, the vendor's Python wheels beside a wheel of cudasim, and the
 * folder in the user's cache where the set-up puts such wheels. Only CUDA 13 will do: structures and signatures
 * differ between major versions. */
#ifndef CUDASIM_DRIVER_TOOLKIT_H
#define CUDASIM_DRIVER_TOOLKIT_H

#include "error.h"
#include "places.h"
#include "words.h"

enum { TOOLKIT_MAJOR = 13 };

/* Absolute paths with all links resolved. */
struct toolkit {
	char *root;      /* holds bin/ and include/, as clang's --cuda-path wants it */
	char *include;
	char *cccl;      /* holds cuda/std, thrust, cub */
	char *libdevice; /* libdevice.10.bc */
	unsigned version; /* as CUDA_VERSION: 13000 */
	char *found_by;  /* for people: "CUDA_HOME" */
};

/* What the search reads of its surroundings; each may be NULL. */
struct toolkit_hints {
	const char *cudasim_toolkit, *cuda_home, *cuda_path, *path;
	const char *usual;  /* "/usr/local/cuda" */
	const char *wheels; /* what a wheel of cudasim depends on */
	const char *cache; /* the wheels' folder */
};

/* From the process's environment. The cache's text is the caller's to free. */
struct toolkit_hints toolkit_hints_here(const struct places *places);

/* Finds the first usable one. notes, if not NULL, gets one line for each place
 * that was looked at in vain. A CUDASIM_TOOLKIT that will not do is an error
 * (others are passed over). Errors: CUDASIM_E_NOTFOUND. */
struct cudasim_error *toolkit_find(const struct toolkit_hints *hints, struct words *notes,
				   struct toolkit *ret);

/* The folder for the vendor's wheels: $XDG_CACHE_HOME/cudasim/toolkit-13.0,
 * else below ~/.cache; NULL without a home. The caller frees it. */
char *toolkit_cache_folder(void);

void toolkit_fini(struct toolkit *toolkit);

#endif
