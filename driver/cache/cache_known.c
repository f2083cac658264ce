/* SPDX-License-Identifier: Apache-2.0 */
#include "cache_known.h"

#include <string.h>

#include "cache_file.h"
#include "must.h"

static void add_words(struct words *words, const json_t *list)
{
	size_t i;
	json_t *item;
	json_array_foreach((json_t *)list, i, item) if (json_is_string(item))
		words_add(words, json_string_value(item));
}

void cache_known_add(struct cache_known *known, const char *path)
{
	json_t *entry = json_load_file(path, 0, NULL), *file;
	if (!entry)
		return;
	if (!known->entries)
		known->entries = must(json_array());
	json_array_append_new(known->entries, entry);
	size_t i;
	json_array_foreach(json_object_get(entry, "files"), i, file)
	{
		const char *name = cache_file_path(file);
		if (name)
			must(hash_text_put(&known->files, name, file) ? file : NULL);
	}
	add_words(&known->names, json_object_get(entry, "names"));
	add_words(&known->macros, json_object_get(entry, "macros"));
}

json_t *cache_known_get(const struct cache_known *known, const char *path)
{
	json_t *file = hash_text_get(&known->files, path);
	if (!file || !cache_file_is_same(file))
		return NULL;
	const char *content = cache_file_content(file);
	return content && strlen(content) == 32 ? file : NULL; /* else the record is damaged */
}

void cache_known_fini(struct cache_known *known)
{
	json_decref(known->entries);
	hash_fini(&known->files);
	words_fini(&known->names);
	words_fini(&known->macros);
	*known = (struct cache_known){0};
}
