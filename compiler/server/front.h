/* SPDX-License-Identifier: Apache-2.0 */
/* front.h - clang's device pass with the precompiled header read already. */
#ifndef CUDASIM_COMPILER_SERVER_FRONT_H
#define CUDASIM_COMPILER_SERVER_FRONT_H

#include <stdbool.h>
#include <stddef.h>

#include "request.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What requests of one front have in common: words, folder, variables, and what the precompiled header holds. The
 * caller frees it; NULL where the request is not one for a front. */
char *front_key(const struct request *request);

/* In a process of its own: reads the header that the request names, then does the requests that come from the socket,
 * each in a process forked from this one, which differ from the first in what front_key() leaves out. Returns at the
 * socket's end, or where clang refuses the command. */
void front_run(const struct request *first, int socket);

/* LLVM's targets, once. */
void front_prepare(void);

/* The words' parts that differ between a front's requests; false where one is missing. */
struct front_words {
	size_t output,
		header; /* where "-o" and "-include-pch" stand; the source is the last word */
};
bool front_find(const struct request *request, struct front_words *ret);

#ifdef __cplusplus
}
#endif

#endif
