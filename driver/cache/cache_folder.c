/* SPDX-License-Identifier: Apache-2.0 */
/* cache_folder.c - where the cache lies, how big it is, and what leaves it. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache.h"
#include "cache_mended.h"
#include "cache_result.h"
#include "cache_trust.h"
#include "env.h"
#include "vector.h"

struct cudasim_error *cache_folder(char **ret, uint64_t *limit)
{
	const char *own = env_get("CUDASIM_CACHE");
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	*ret = NULL;
	if (own && strcmp(own, "off") && *own != '/')
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "CUDASIM_CACHE=%s: must be off or an absolute path", own);
	struct cudasim_error *error = env_bytes("CUDASIM_CACHE_SIZE", (uint64_t)2 << 30, limit);
	if (error || (own && !strcmp(own, "off")))
		return error;
	if (own)
		*ret = text_copy(own);
	else if (cache && *cache == '/')
		*ret = text_format("%s/cudasim/objects", cache);
	else if (home && *home == '/')
		*ret = text_format("%s/.cache/cudasim/objects", home);
	return NULL;
}

char *cache_preludes_folder(const char *folder)
{
	return text_format("%s/preludes", folder);
}

uint64_t cache_preludes_limit(uint64_t limit)
{
	/* A device side's and a host side's, of 7 MB each, for two sets of options. */
	static const uint64_t least = (uint64_t)32 << 20;
	return limit / 4 < least ? 0 : limit / 4;
}

struct item {
	char *path;
	uint64_t bytes;
	struct timespec used;
};

struct items {
	struct item *at;
	size_t n, capacity;
	struct cache_size size;
};

/* Only files named as we name them: somebody may have set CUDASIM_CACHE to a
 * folder that holds more. */
static bool is_ours(const char *name)
{
	static const char *const endings[] = {".json", ".result"};
	if (strspn(name, "0123456789abcdef") != 32)
		return false;
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		if (text_starts(name + 32, endings[i]))
			return true;
	return false;
}

static struct cudasim_error *read_items(const char *folder, struct items *ret)
{
	char *paths[] = {(char *)folder, NULL};
	*ret = (struct items){0};
	if (access(folder, F_OK))
		return NULL;
	FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	if (!walk)
		return cudasim_error_errno(errno, "cannot read '%s'", folder);
	for (FTSENT *entry; (entry = fts_read(walk));) {
		if (entry->fts_level > 2)
			fts_set(walk, entry, FTS_SKIP);
		if (entry->fts_info != FTS_F || entry->fts_level != 2 || !is_ours(entry->fts_name))
			continue;
		uint64_t bytes = (uint64_t)entry->fts_statp->st_blocks * 512;
		*vector_add(ret) = (struct item){text_copy(entry->fts_path), bytes,
						 entry->fts_statp->st_mtim};
		ret->size.bytes += bytes;
		ret->size.n_results += text_ends(entry->fts_name, ".result");
	}
	fts_close(walk);
	return NULL;
}

static void free_items(struct items *items)
{
	for (size_t i = 0; i < items->n; i++)
		free(items->at[i].path);
	free(items->at);
}

struct cudasim_error *cache_measure(const char *folder, struct cache_size *ret)
{
	struct items items;
	struct cudasim_error *error = read_items(folder, &items);
	*ret = items.size;
	free_items(&items);
	return error;
}

static int by_use(const void *a, const void *b)
{
	const struct timespec *x = &((const struct item *)a)->used,
			      *y = &((const struct item *)b)->used;
	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? -1 : 1;
	return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

/* *remaining: the bytes that remain. */
static struct cudasim_error *trim(const char *folder, uint64_t limit, uint64_t left,
				  uint64_t *remaining)
{
	struct items items;
	struct cudasim_error *error = read_items(folder, &items);
	uint64_t bytes = items.size.bytes;
	if (bytes > limit)
		qsort(items.at, items.n, sizeof *items.at, by_use);
	for (size_t i = 0; i < items.n && bytes > left && items.size.bytes > limit && !error; i++) {
		if (unlink(items.at[i].path) && errno != ENOENT)
			error = cudasim_error_errno(errno, "cannot remove '%s'", items.at[i].path);
		else
			bytes -= items.at[i].bytes;
	}
	free_items(&items);
	*remaining = bytes;
	return error;
}

/* The file that says, for which limit, how many bytes may be added before the folder is to be
 * measured again, which takes 0.08 s of processor time in a cache of 25,000 files. Compilations side
 * by side may count too little there; only half of the free bytes are said. */
static char *room_path(const char *folder)
{
	return text_format("%s/room", folder);
}

static uint64_t read_room(const char *path, uint64_t limit)
{
	uint64_t of_limit = 0, room = 0;
	FILE *file = cache_file_is_own(path) ? fopen(path, "re") : NULL;
	bool known = file && fscanf(file, "%" SCNu64 " %" SCNu64, &of_limit, &room) == 2;
	if (file)
		fclose(file);
	return known && of_limit == limit && room <= limit ? room : 0;
}

/* Removes a folder and all below it. */
static void remove_folder(char *path)
{
	char *paths[] = {path, NULL};
	FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	for (FTSENT *entry; walk && (entry = fts_read(walk));) {
		if (entry->fts_info == FTS_DP)
			rmdir(entry->fts_path);
		else if (entry->fts_info != FTS_D)
			unlink(entry->fts_path);
	}
	if (walk)
		fts_close(walk);
}

/* What libnvrtc keeps there (libraries/nvrtc/prelude.c): headers, in folders named nvrtc-HASH. */
static void remove_headers(const char *folder)
{
	DIR *all = opendir(folder);
	for (struct dirent *entry; all && (entry = readdir(all));) {
		const char *hash = entry->d_name + strlen("nvrtc-");
		if (strncmp(entry->d_name, "nvrtc-", strlen("nvrtc-")) ||
		    strspn(hash, "0123456789abcdef") != 16 || hash[16])
			continue;
		char *path = text_format("%s/%s", folder, entry->d_name);
		remove_folder(path);
		free(path);
	}
	if (all)
		closedir(all);
}

struct cudasim_error *cache_trim(const char *folder, uint64_t limit, uint64_t left)
{
	uint64_t remaining;
	char *path = room_path(folder);
	struct cudasim_error *error = trim(folder, limit, left, &remaining);
	if (unlink(path) && errno != ENOENT && !error)
		error = cudasim_error_errno(errno, "cannot remove '%s'", path);
	free(path);
	if (!limit) {
		cache_mended_clear(folder);
		remove_headers(folder);
	}
	return error;
}

struct cudasim_error *cache_keep_below(const char *folder, uint64_t limit, uint64_t added)
{
	char *path = room_path(folder);
	uint64_t room = read_room(path, limit), remaining = 0;
	struct cudasim_error *error = NULL;
	if (room > added) {
		room -= added;
	} else {
		error = trim(folder, limit, limit / 10 * 9, &remaining);
		room = remaining < limit ? (limit - remaining) / 2 : 0;
	}
	char *text = text_format("%" PRIu64 " %" PRIu64 "\n", limit, room);
	if (!error)
		error = cache_write(path, text, strlen(text));
	free(text);
	free(path);
	return error;
}
