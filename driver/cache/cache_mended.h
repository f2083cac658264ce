/* SPDX-License-Identifier: Apache-2.0 */
/* cache_mended.h - the headers whose deduction guides compilations had to mend, so that the next
 * device pass mends them before clang reads them for the first time, not after: the second reading
 * of a large library takes seconds. FOLDER/mended has a path a line, the latest first. It is a hint:
 * what is missing there, or is no longer so, is found out by the device pass. */
#ifndef CUDASIM_DRIVER_CACHE_MENDED_H
#define CUDASIM_DRIVER_CACHE_MENDED_H

/* From the cache's folder to that of a command's device passes (headers.h). */
void cache_mended_fetch(const char *folder, const char *temporary);
/* And back what is new there. */
void cache_mended_keep(const char *folder, const char *temporary);
void cache_mended_clear(const char *folder);

#endif
