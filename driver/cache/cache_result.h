/* SPDX-License-Identifier: Apache-2.0 */
/* cache_result.h - one compilation's result in one file: a line
 * "cudasim-result-2 HASH OBJECT DEPEND SAID" with the parts' sizes in bytes (DEPEND
 * -1: there was no dependency file) and the hash of all that follows; then the parts. */
#ifndef CUDASIM_DRIVER_CACHE_RESULT_H
#define CUDASIM_DRIVER_CACHE_RESULT_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

/* Keeps the files object and, unless NULL, depend, and the text said, as `path`. */
struct cudasim_error *cache_result_keep(const char *path, const char *object, const char *depend,
					const char *said);

/* Writes the files again. False if the result is not there, is damaged or has no
 * dependency file where one is wanted, or if a file cannot be written; what was written
 * is removed then. *said is the caller's to free. */
bool cache_result_restore(const char *path, const char *object, const char *depend, char **said);

/* Writes n bytes as path by way of a file beside it that is renamed: nobody sees a
 * half. Errors: CUDASIM_E_SYSTEM. */
struct cudasim_error *cache_write(const char *path, const void *bytes, size_t n);

#endif
