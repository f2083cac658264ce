/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "cache_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache_listing.h"
#include "module_id.h"

static void add_folder(struct words *folders, const char *path, size_t n)
{
	while (n > 1 && path[n - 1] == '/')
		n--;
	char *folder = text_copy_n(path, n);
	if (n && !words_have(folders, folder))
		words_add(folders, folder);
	free(folder);
}

static void add_variable(struct words *folders, const char *name)
{
	const char *value = getenv(name);
	struct words parts = {0};
	words_split(&parts, value ? value : "", ':');
	for (size_t i = 0; i < parts.n; i++)
		add_folder(folders, parts.at[i], strlen(parts.at[i]));
	words_fini(&parts);
}

void cache_search_init(struct cache_search *search, const struct plan *plan,
		       const struct unit *unit, const struct surroundings *here)
{
	struct words *ret = &search->folders;
	static const char *const options[] = {"-I",          "-isystem",       "-iquote",
					      "-idirafter",  "-isystem-after", "-iwithprefix",
					      "-cxx-isystem"};
	static const char *const variables[] = {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"};
	static const char *const usual[] = {"/usr/local/include", "/usr/include/x86_64-linux-gnu",
					    "/usr/include"};
	for (size_t i = unit->first; i < unit->first + unit->n; i++) {
		const struct words *words = &plan->jobs[i].words;
		for (size_t j = 0; plan->jobs[i].headers && j < words->n; j++)
			for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
				size_t n = strlen(options[k]);
				if (strncmp(words->at[j], options[k], n))
					continue;
				const char *value = words->at[j][n] ? words->at[j] + n
								    : words->at[j + 1];
				if (value)
					add_folder(ret, value, strlen(value));
			}
	}
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		add_variable(ret, variables[i]);
	add_folder(ret, ".", 1);
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
		add_folder(ret, usual[i], strlen(usual[i]));
	words_addf(&search->packaged, "%s/", here->toolkit->root);
	words_addf(&search->packaged, "%s/", here->places->include);
	words_addf(&search->packaged, "%s/", here->places->compat);
	words_add(&search->packaged, "/usr/");
}

void cache_search_fini(struct cache_search *search)
{
	words_fini(&search->folders);
	words_fini(&search->packaged);
}

static bool is_packaged(const struct cache_search *search, const char *path)
{
	for (size_t i = 0; i < search->packaged.n; i++)
		if (text_starts(path, search->packaged.at[i]))
			return true;
	return false;
}

/* The part of path behind folder; NULL if it does not lie there. */
static const char *behind(const char *path, const char *folder)
{
	size_t n = strlen(folder);
	if (strncmp(path, folder, n) || path[n] != '/')
		return NULL;
	while (path[n] == '/')
		n++;
	return path + n;
}

static void look(struct module_id *id, struct cache_listing *listing, const struct words *folders,
		 const char *name)
{
	char path[4096];
	for (size_t i = 0; i < folders->n; i++) {
		int n = snprintf(path, sizeof path, "%s/%s", folders->at[i], name);
		if (n < 0 || (size_t)n >= sizeof path || !cache_listing_has(listing, path))
			continue;
		module_id_add(id, path, (size_t)n + 1);
	}
}

void cache_search_digest(const struct cache_search *search, const struct words *paths,
			 const struct words *names, char digest[33])
{
	struct words folders = {0};
	struct cache_listing listing = {0};
	words_append(&folders, &search->folders);
	for (size_t i = 0; i < paths->n; i++) {
		const char *slash = strrchr(paths->at[i], '/');
		if (slash && !is_packaged(search, paths->at[i]))
			add_folder(&folders, paths->at[i], (size_t)(slash - paths->at[i]));
	}
	struct module_id id;
	module_id_init(&id);
	for (size_t i = 0; i < paths->n; i++)
		for (size_t j = 0; j < folders.n; j++) {
			const char *name = behind(paths->at[i], folders.at[j]);
			if (name)
				look(&id, &listing, &folders, name);
		}
	for (size_t i = 0; i < names->n; i++)
		look(&id, &listing, &folders, names->at[i]);
	uint8_t bytes[16];
	module_id_text(&id, digest, bytes);
	words_fini(&folders);
	cache_listing_fini(&listing);
}
