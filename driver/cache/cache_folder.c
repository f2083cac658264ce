/* SPDX-License-Identifier: Apache-2.0 */
/* cache_folder.c - where the cache lies, how big it is, and what leaves it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache.h"
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

struct cudasim_error *cache_trim(const char *folder, uint64_t limit, uint64_t left)
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
	return error;
}
