/* SPDX-License-Identifier: Apache-2.0 */
/* cache.h - compiled translation units, kept by content between commands.
 *
 * A unit (plan.h) is known by its jobs' command lines, the current folder, the
 * tools and the variables that clang reads; that names a record. A record lists
 * the results of earlier compilations, each with every file that it read. One
 * whose files are all what they were is taken: size, times and inode number, or
 * else the content, must be the same, and no file may have come to lie, or have
 * gone, where one of them, or a name given to __has_include(), is looked for.
 * This is what ccache calls its direct mode.
 *
 *   FOLDER/ab/ab...ef.json     a record (cache_record.h)
 *   FOLDER/cd/cd...01.result   object, dependency file, diagnostics (cache_result.h)
 *   FOLDER/preludes/...        the same of precompiled headers (prelude_make.h)
 *
 * Each file is written under another name and renamed, so that processes side
 * by side see whole ones. Nothing here fails a compilation: what cannot be read
 * or written is passed over, and said with -v.
 *
 * Rejected: keeping results by the preprocessed text, which needs both passes of
 * the preprocessor at each hit, a third of the time that a compilation takes. */
#ifndef CUDASIM_DRIVER_CACHE_H
#define CUDASIM_DRIVER_CACHE_H

#include <stdint.h>

#include "plan.h"

struct cache;

/* The cache that CUDASIM_CACHE and CUDASIM_CACHE_SIZE name, for a command in these
 * surroundings, which are borrowed. *ret is NULL where it is turned off or there is
 * no home. verbose: what becomes of each unit is said on stderr.
 * Errors: CUDASIM_E_ARGUMENT for what the variables hold. */
struct cudasim_error *cache_open(const struct surroundings *here, bool verbose, struct cache **ret);

/* The part of it that holds precompiled headers, which are large, so that they do not push results
 * out. *ret is NULL also where the cache is too small for any. */
struct cudasim_error *cache_open_preludes(const struct surroundings *here, bool verbose,
					  struct cache **ret);

/* True if the unit's object (and dependency file) have been put in place;
 * *said is what the compilation said on stderr then, the caller's to free. */
bool cache_fetch(struct cache *cache, const struct plan *plan, const struct unit *unit,
		 char **said);

/* Called before a unit's jobs run, where cache_fetch() said false. Returns whether
 * they are to list the headers that they read (struct job). */
bool cache_begin(struct cache *cache, const struct plan *plan, const struct unit *unit);

/* Called after cache_begin() said true and all jobs of the unit have succeeded:
 * keeps what they made, and what they said on stderr. */
void cache_end(struct cache *cache, const struct plan *plan, const struct unit *unit,
	       const char *said);

/* Writes the record's entry of the unit that the last cache_fetch() has found or the last cache_end() kept, as
 * cache_end() looks for it beside a precompiled header, with that ending. False if there is none. */
bool cache_entry_write(const struct cache *cache, const char *path);
#define CACHE_ENTRY_ENDING ".entry"

/* cache may be NULL. */
void cache_close(struct cache *cache);

/* ---- the folder as a whole (cache_folder.c) --------------------------------- */

/* *ret: the folder, absolute, the caller's to free; NULL where the cache is off or
 * there is no home. *limit: the size in bytes above which it is trimmed. Errors:
 * CUDASIM_E_ARGUMENT. */
struct cudasim_error *cache_folder(char **ret, uint64_t *limit);

/* The folder of precompiled headers in that one, the caller's to free, and what of its limit is theirs;
 * 0: it is too small for them. */
char *cache_preludes_folder(const char *folder);
uint64_t cache_preludes_limit(uint64_t limit);

struct cache_size {
	uint64_t n_results, bytes; /* bytes: as the disk counts */
};

/* A folder that is not there is empty. Errors: CUDASIM_E_SYSTEM. */
struct cudasim_error *cache_measure(const char *folder, struct cache_size *ret);

/* Where the folder holds more than limit bytes, removes what was used least lately
 * until at most `left` bytes remain. Files that are not a cache's stay. */
struct cudasim_error *cache_trim(const char *folder, uint64_t limit, uint64_t left);

/* Keeps the folder, to which so many bytes have been added, below the limit. It is measured only
 * when half of what was left the last time has been added. */
struct cudasim_error *cache_keep_below(const char *folder, uint64_t limit, uint64_t added);

#endif
