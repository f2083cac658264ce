/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "cache_listing.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "must.h"
#include "words.h"

enum { MAX_NAMES = 20000 /* in a folder that is listed */ };

struct folder {
	char *path;
	bool is_listed; /* else each file is asked for */
	struct words names;
	struct hash known; /* names */
};

static struct folder *list(char *path)
{
	struct folder *ret = must(calloc(1, sizeof *ret));
	DIR *all = opendir(path);
	*ret = (struct folder){.path = path,
			       .is_listed = all || errno == ENOENT || errno == ENOTDIR};
	errno = 0;
	for (struct dirent *entry; all && (entry = readdir(all)); errno = 0) {
		if (ret->names.n == MAX_NAMES) {
			ret->is_listed = false;
			break;
		}
		words_add(&ret->names, entry->d_name);
	}
	ret->is_listed &= !all || !errno;
	for (size_t i = 0; ret->is_listed && i < ret->names.n; i++)
		ret->is_listed = hash_text_put(&ret->known, ret->names.at[i], ret);
	if (all)
		closedir(all);
	return ret;
}

bool cache_listing_has(struct cache_listing *listing, const char *path)
{
	const char *slash = strrchr(path, '/');
	if (!slash || slash == path || !slash[1])
		return !access(path, F_OK);
	char *parent = text_copy_n(path, (size_t)(slash - path));
	struct folder *folder = hash_text_get(&listing->folders, parent);
	if (folder) {
		free(parent);
	} else {
		folder = list(parent);
		must(hash_text_put(&listing->folders, folder->path, folder) ? folder : NULL);
	}
	/* A link may lead nowhere. */
	return (!folder->is_listed || hash_text_get(&folder->known, slash + 1)) &&
	       !access(path, F_OK);
}

void cache_listing_fini(struct cache_listing *listing)
{
	for (size_t i = 0; i < listing->folders.n_slots; i++) {
		struct folder *folder = listing->folders.slots[i].value;
		if (!listing->folders.slots[i].key)
			continue;
		words_fini(&folder->names);
		hash_fini(&folder->known);
		free(folder->path);
		free(folder);
	}
	hash_fini(&listing->folders);
}
