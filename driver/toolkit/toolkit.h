/* SPDX-License-Identifier: Apache-2.0 */
/* toolkit.h - the CUDA toolkit's headers and libdevice, and how they are found.
 *
 * In this order: CUDASIM_TOOLKIT, CUDA_HOME (and CUDA_PATH), the nvcc on PATH,
 * /usr/local/cuda, the vendor's Python wheels beside a wheel of cudasim, and the
 * folders in the user's cache where `cudasim fetch-toolkit` puts such wheels. CUDA 12.4 to 13 will do: include/compat and
 * sim/api/runtime_12.c know what differs between the two majors. */
#ifndef CUDASIM_DRIVER_TOOLKIT_H
#define CUDASIM_DRIVER_TOOLKIT_H

#include "error.h"
#include "places.h"
#include "words.h"

/* As CUDA_VERSION: the first that will do, the first that will not, and the one whose headers
 * libcudasim is compiled with. */
enum { TOOLKIT_FIRST = 12040, TOOLKIT_END = 14000, TOOLKIT_DEFAULT = 13000 };
#define TOOLKIT_RANGE "12.4 to 13.x"

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
	const char *cudasim_toolkit; /* a folder, or the version of one in the cache: "12.4" */
	const char *cuda_home, *cuda_path, *path;
	const char *usual;  /* "/usr/local/cuda" */
	const char *wheels; /* what a wheel of cudasim depends on */
	const char *cache; /* holds toolkit-13.0 and its like */
};

/* From the process's environment. The cache's text is the caller's to free. */
struct toolkit_hints toolkit_hints_here(const struct places *places);

/* Finds the first usable one. notes, if not NULL, gets one line for each place
 * that was looked at in vain. A CUDASIM_TOOLKIT that will not do is an error
 * (others are passed over). Errors: CUDASIM_E_NOTFOUND. */
struct cudasim_error *toolkit_find(const struct toolkit_hints *hints, struct words *notes,
				   struct toolkit *ret);

/* The folder of the folders for the vendor's wheels: $XDG_CACHE_HOME/cudasim, else
 * ~/.cache/cudasim; NULL without a home. The caller frees it. */
char *toolkit_cache_folder(void);

/* CUDA_VERSION of "12.4" (12040), 0 for anything that is no MAJOR.MINOR. */
unsigned toolkit_version(const char *text);

/* Whether cudasim's tests were run with this version (docs/versions.md). */
bool toolkit_is_tried(unsigned version);

/* The third number of that version's nvcc (131 of 12.4.131), 0 where it is not known. */
unsigned toolkit_build(unsigned version);

/* Prints what a tool says of its version: about, and the version of the toolkit that is found here,
 * else of the default one, as build systems look for it ("release 13.0, V13.0.88"). */
struct cudasim_error *toolkit_print_release(const char *about);

void toolkit_fini(struct toolkit *toolkit);

#endif
