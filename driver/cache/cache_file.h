/* SPDX-License-Identifier: Apache-2.0 */
/* cache_file.h - one file that a compilation read, as a record remembers it. */
#ifndef CUDASIM_DRIVER_CACHE_FILE_H
#define CUDASIM_DRIVER_CACHE_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <time.h>

#include "words.h"

/* What is remembered of the file; names gets the
 * names that its text gives to __has_include(), and macros the macros that stand for it
 * (cache_names.h). The compilation has begun at
 * `begun`, on the clock that files' times are taken from.
 *
 * NULL if it cannot be remembered, and then *why says so, in words that last: it is
 * gone, it is so young that it may have been changed while it was read, or its text
 * asks for what is not in it (__DATE__, .incbin, a computed __has_include). */
json_t *cache_file_remember(const char *path, struct timespec begun, struct words *names,
			    struct words *macros, const char **why);

/* Adds the names that the file's text gives to macros that stand for __has_include(), and further
 * such macros. Returns why the file cannot be remembered, or NULL. */
const char *cache_file_names(const char *path, struct words *macros, struct words *names);

/* The path in what is remembered; NULL if it is damaged. */
const char *cache_file_path(const json_t *remembered);

/* The digest of its text, 32 digits. */
const char *cache_file_content(const json_t *remembered);

/* Whether the file is what it was. */
bool cache_file_is_same(const json_t *remembered);

/* The time by which files are stamped now. */
struct timespec cache_file_now(void);

#endif
