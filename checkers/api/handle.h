/* SPDX-License-Identifier: Apache-2.0 */
/* handle.h - streams, events, graphs, arrays, textures that the program has destroyed, with
 * where, and calls that were given one of them. */
#ifndef CUDASIM_CHECKERS_HANDLE_H
#define CUDASIM_CHECKERS_HANDLE_H

#include "checker.h"

/* Observers' slot handle. */
void handle_seen(void *tool, const struct cudasim_handle *handle);
/* The call of this thread ends: report the destroyed handle that it was given. */
void handle_report(const struct cudasim_api_call *call);

#endif
