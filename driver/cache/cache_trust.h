/* SPDX-License-Identifier: Apache-2.0 */
/* cache_trust.h - is what lies in the cache what this user put there? What it holds is linked into
 * programs, so nobody else may have been able to write it. */
#ifndef CUDASIM_DRIVER_CACHE_TRUST_H
#define CUDASIM_DRIVER_CACHE_TRUST_H

#include <stdbool.h>

/* The cache's folder, or where it is to be made: it is the user's, nobody else can write to it, and
 * nobody but the system can put another one in its place. False, and *why says so: the caller's to
 * free. */
bool cache_folder_is_own(const char *folder, char **why);

/* The same of a file in that folder, and of the folder that it lies in, which must not be links.
 * True also where there is no such file. */
bool cache_file_is_own(const char *path);

#endif
