/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "cache.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache_file.h"
#include "cache_key.h"
#include "cache_known.h"
#include "cache_mended.h"
#include "cache_result.h"
#include "cache_search.h"
#include "cache_trust.h"
#include "module_id.h"

/* A record's entries: as many states of the headers are remembered. */
enum { MAX_ENTRIES = 4 };

struct cache {
	const struct surroundings *here;
	char *folder;
	uint64_t limit; /* bytes */
	bool verbose;
	/* Of the unit between cache_fetch() and cache_end(): */
	char key[33];
	struct timespec begun;
	json_t *entry; /* the one that was taken or made; or NULL */
};

/* Opens the cache, or its part for precompiled headers. *why is the caller's to free: why it is not used. */
static struct cudasim_error *open_part(const struct surroundings *here, bool verbose, bool preludes,
				       struct cache **ret, char **why)
{
	char *folder;
	uint64_t limit;
	struct cudasim_error *error = cache_folder(&folder, &limit);
	*ret = NULL;
	*why = NULL;
	if (error || !folder)
		return error;
	uint64_t part = cache_preludes_limit(limit);
	limit = preludes ? part : limit - part;
	if (preludes) {
		char *within = cache_preludes_folder(folder);
		free(folder);
		folder = within;
	}
	if (!limit || !cache_folder_is_own(folder, why)) {
		free(folder);
		return NULL;
	}
	struct cache *cache = calloc(1, sizeof *cache);
	if (!cache) {
		free(folder);
		return &cudasim_error_nomem;
	}
	*cache = (struct cache){.here = here, .folder = folder, .limit = limit, .verbose = verbose};
	*ret = cache;
	return NULL;
}

struct cudasim_error *cache_open(const struct surroundings *here, bool verbose, struct cache **ret)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	char *why;
	struct cudasim_error *error = open_part(here, verbose, false, ret, &why);
	if (why && !atomic_flag_test_and_set(&said))
		fprintf(stderr,
			"cudasim cc: note: the compile cache is not used: %s; "
			"set CUDASIM_CACHE to another folder or to off\n",
			why);
	free(why);
	return error;
}

struct cudasim_error *cache_open_preludes(const struct surroundings *here, bool verbose,
					  struct cache **ret)
{
	/* Why not is the same as of the folder around it, or there is a file of that name. */
	char *why;
	struct cudasim_error *error = open_part(here, verbose, true, ret, &why);
	free(why);
	return error;
}

void cache_close(struct cache *cache)
{
	if (!cache)
		return;
	json_decref(cache->entry);
	free(cache->folder);
	free(cache);
}

__attribute__((format(printf, 3, 4))) static void
say(const struct cache *cache, const struct unit *unit, const char *format, ...)
{
	if (!cache->verbose)
		return;
	va_list values;
	va_start(values, format);
	fprintf(stderr, "cudasim cc: cache: %s: ", unit->source);
	vfprintf(stderr, format, values);
	fputc('\n', stderr);
	va_end(values);
}

/* The caller frees it. */
static char *path_of(const struct cache *cache, const char *name, const char *ending)
{
	return text_format("%s/%.2s/%s%s", cache->folder, name, name, ending);
}

/* ---- records ---------------------------------------------------------------- */

/* {"result": NAME, "digest": TEXT, "names": [TEXT...], "macros": [TEXT...], "files": [FILE...]}, see
 * cache_file.h for FILE, names and macros, cache_search.h for the digest. */
static bool entry_holds(const json_t *entry, const struct unit *unit,
			const struct cache_search *search)
{
	const json_t *files = json_object_get(entry, "files"), *item;
	const char *digest = json_string_value(json_object_get(entry, "digest"));
	struct words paths = {0}, names = {0};
	bool holds = digest && (json_array_size(files) > 0 || unit->by_content);
	size_t i;
	json_array_foreach((json_t *)files, i, item)
	{
		holds = holds && cache_file_is_same(item);
		if (!holds)
			break;
		words_add(&paths, cache_file_path(item));
	}
	json_array_foreach(json_object_get(entry, "names"), i, item) if (json_is_string(item))
		words_add(&names, json_string_value(item));
	if (holds) {
		char now[33];
		cache_search_digest(search, &paths, &names, now);
		holds = !strcmp(now, digest);
	}
	words_fini(&paths);
	words_fini(&names);
	return holds;
}

/* Takes the entry over from the one before; NULL: there is none. */
static void set_entry(struct cache *cache, json_t *entry)
{
	json_decref(cache->entry);
	cache->entry = entry;
}

bool cache_entry_write(const struct cache *cache, const char *path)
{
	return cache->entry && !json_dump_file(cache->entry, path, JSON_COMPACT);
}

/* Used now: cache_trim() goes by the time of change. */
static void touch(const char *path)
{
	utimensat(AT_FDCWD, path, NULL, 0);
}

/* A result's name, as a record has it; NULL if it is none. */
static const char *result_of(const json_t *entry)
{
	const char *name = json_string_value(json_object_get(entry, "result"));
	return name && strlen(name) == 32 && strspn(name, "0123456789abcdef") == 32 ? name : NULL;
}

static bool own(const struct cache *cache, const struct unit *unit, const char *path)
{
	bool is = cache_file_is_own(path);
	if (!is)
		say(cache, unit, "not used: %s is not private to this user", path);
	return is;
}

static bool restore(const struct cache *cache, const struct unit *unit, const char *name,
		    char **said)
{
	char *path = path_of(cache, name, ".result");
	bool done = own(cache, unit, path) &&
		    cache_result_restore(path, unit->object, unit->depend, said);
	if (done)
		touch(path);
	free(path);
	return done;
}

bool cache_fetch(struct cache *cache, const struct plan *plan, const struct unit *unit, char **said)
{
	struct cache_search search = {0};
	cache_key(plan, unit, cache->here, cache->key);
	cache_search_init(&search, plan, unit, cache->here);
	char *path = path_of(cache, cache->key, ".json");
	json_t *record = own(cache, unit, path) ? json_load_file(path, 0, NULL) : NULL, *entry;
	bool done = false;
	size_t i;
	set_entry(cache, NULL);
	json_array_foreach(record, i, entry)
	{
		const char *name = result_of(entry);
		done = name && entry_holds(entry, unit, &search) &&
		       restore(cache, unit, name, said);
		if (done) {
			set_entry(cache, json_incref(entry));
			break;
		}
	}
	if (done) {
		touch(path);
		say(cache, unit, "reused from %s", cache->folder);
	}
	json_decref(record);
	free(path);
	cache_search_fini(&search);
	return done;
}

/* ---- keeping ---------------------------------------------------------------- */

bool cache_begin(struct cache *cache, const struct plan *plan, const struct unit *unit)
{
	const char *why = cache_key_objection(plan, unit);
	if (why)
		say(cache, unit, "not stored: %s", why);
	cache->begun = cache_file_now();
	if (!unit->anywhere)
		cache_mended_fetch(cache->folder, cache->here->temporary);
	return !why;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds the lines of the file; false without one. */
static bool read_lines(const char *path, struct words *ret)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	while (file && getline(&line, &size, file) > 0) {
		line[strcspn(line, "\n")] = 0;
		words_add(ret, line);
	}
	free(line);
	if (file)
		fclose(file);
	return file != NULL;
}

/* The files that the unit read, each once. False if a list of them is missing. */
static bool read_files(const struct plan *plan, const struct unit *unit, struct words *ret)
{
	struct words all = {0};
	bool done = true;
	words_add(&all, unit->source);
	for (size_t i = unit->first; i < unit->first + unit->n; i++) {
		const struct job *job = &plan->jobs[i];
		if (job->headers)
			done &= read_lines(job->headers, &all);
		if (job->prelude && !access(job->prelude, F_OK)) {
			char *list = text_format("%s.headers", job->prelude);
			done &= read_lines(list, &all);
			free(list);
		}
	}
	qsort(all.at, all.n, sizeof *all.at, by_text);
	for (size_t i = 0; i < all.n; i++)
		if (!i || strcmp(all.at[i], all.at[i - 1]))
			words_add(ret, all.at[i]);
	words_fini(&all);
	return done;
}

/* What is known of the headers that the unit's precompiled headers hold. */
static void know_preludes(const struct plan *plan, const struct unit *unit,
			  struct cache_known *known)
{
	for (size_t i = unit->first; i < unit->first + unit->n; i++) {
		if (!plan->jobs[i].prelude)
			continue;
		char *path = text_format("%s" CACHE_ENTRY_ENDING, plan->jobs[i].prelude);
		cache_known_add(known, path);
		free(path);
	}
}

/* The names that are given to macros which stand for __has_include(): any of the files may use those
 * of any other. */
static bool find_names(struct cache *cache, const struct unit *unit,
		       const struct cache_known *known, const struct words *paths,
		       struct words *macros, struct words *names)
{
	size_t n;
	do {
		n = macros->n;
		for (size_t i = 0; i < paths->n; i++) {
			/* Read before any macro that it does not know was there. */
			if (cache_known_get(known, paths->at[i]))
				continue;
			const char *why = cache_file_names(paths->at[i], macros, names);
			if (why) {
				say(cache, unit, "not stored: %s: %s", paths->at[i], why);
				return false;
			}
		}
	} while (macros->n > n);
	return true;
}

/* As an array of strings. */
static json_t *array_of(const struct words *words)
{
	json_t *ret = json_array();
	for (size_t i = 0; i < words->n; i++)
		json_array_append_new(ret, json_string(words->at[i]));
	return ret;
}

/* Remembers each of paths; name gets the result's name. NULL if one cannot be. */
static json_t *make_entry(struct cache *cache, const struct unit *unit,
			  const struct cache_search *search, const struct cache_known *known,
			  const struct words *paths, char name[33])
{
	json_t *files = json_array();
	struct words names = {0}, macros = {0};
	struct module_id id;
	char digest[33];
	uint8_t bytes[16];
	bool all = true;
	module_id_init(&id);
	module_id_add(&id, cache->key, 32);
	words_append(&names, &known->names);
	words_append(&macros, &known->macros);
	for (size_t i = 0; i < paths->n && all; i++) {
		const char *why = NULL;
		json_t *file = json_incref(cache_known_get(known, paths->at[i]));
		if (!file)
			file = cache_file_remember(paths->at[i], cache->begun, &names, &macros,
						   &why);
		all = file && !json_array_append_new(files, file);
		if (why)
			say(cache, unit, "not stored: %s: %s", paths->at[i], why);
		if (all)
			module_id_add(&id, cache_file_content(file), 32);
	}
	all = all && (!macros.n || find_names(cache, unit, known, paths, &macros, &names));
	json_t *name_list = array_of(&names), *macro_list = array_of(&macros);
	cache_search_digest(search, paths, &names, digest);
	module_id_add(&id, digest, 32);
	module_id_text(&id, name, bytes);
	words_fini(&names);
	words_fini(&macros);
	if (all)
		return json_pack("{ss ss so so so}", "result", name, "digest", digest, "names",
				 name_list, "macros", macro_list, "files", files);
	json_decref(files);
	json_decref(name_list);
	json_decref(macro_list);
	return NULL;
}

/* Makes the folder in which the file is to lie. */
static struct cudasim_error *make_folders(const char *path)
{
	char *folder = text_copy(path);
	struct cudasim_error *error = NULL;
	for (char *slash = folder + 1; !error && (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		/* One that lies in a folder that may not be written may still be there. */
		if (mkdir(folder, 0700) && errno != EEXIST && access(folder, F_OK))
			error = cudasim_error_errno(errno, "cannot make the folder '%s'", folder);
		*slash = '/';
	}
	free(folder);
	return error;
}

/* Puts the entry before those of the record, of which the last may go. */
static struct cudasim_error *add_entry(const struct cache *cache, json_t *entry)
{
	char *path = path_of(cache, cache->key, ".json");
	struct cudasim_error *error = make_folders(path);
	json_t *old = cache_file_is_own(path) ? json_load_file(path, 0, NULL) : NULL,
	       *record = json_array(), *item;
	size_t i;
	json_array_append(record, entry);
	json_array_foreach(old, i, item)
	{
		const char *name = result_of(item);
		if (name && strcmp(name, result_of(entry)) && json_array_size(record) < MAX_ENTRIES)
			json_array_append(record, item);
	}
	char *text = json_dumps(record, JSON_COMPACT);
	if (!error)
		error = text ? cache_write(path, text, strlen(text)) : &cudasim_error_nomem;
	free(text);
	json_decref(old);
	json_decref(record);
	free(path);
	return error;
}

static uint64_t stored_bytes(const char *path)
{
	struct stat found;
	return stat(path, &found) ? 0 : (uint64_t)found.st_blocks * 512;
}

static struct cudasim_error *keep(struct cache *cache, const struct unit *unit, json_t *entry,
				  const char *said)
{
	char *path = path_of(cache, result_of(entry), ".result"),
	     *record = path_of(cache, cache->key, ".json");
	struct cudasim_error *error = make_folders(path);
	if (!error)
		error = cache_result_keep(path, unit->object, unit->depend, said);
	if (!error)
		error = add_entry(cache, entry);
	if (!error)
		error = cache_keep_below(cache->folder, cache->limit,
					 stored_bytes(path) + stored_bytes(record));
	free(path);
	free(record);
	return error;
}

void cache_end(struct cache *cache, const struct plan *plan, const struct unit *unit,
	       const char *said)
{
	struct words paths = {0};
	struct cache_search search = {0};
	char name[33];
	cache_search_init(&search, plan, unit, cache->here);
	json_t *entry = NULL;
	bool ready;
	if (unit->by_content) {
		/* The key has all that they hold, if they still do. */
		char now[33];
		cache_key(plan, unit, cache->here, now);
		ready = !strcmp(now, cache->key);
	} else {
		ready = read_files(plan, unit, &paths);
	}
	struct cache_known known = {0};
	know_preludes(plan, unit, &known);
	if (ready)
		entry = make_entry(cache, unit, &search, &known, &paths, name);
	if (entry) {
		struct cudasim_error *error = keep(cache, unit, entry, said);
		if (error)
			say(cache, unit, "not stored: %s", error->message);
		else
			say(cache, unit, "stored in %s", cache->folder);
		cudasim_error_free(error);
	}
	if (!unit->anywhere)
		cache_mended_keep(cache->folder, cache->here->temporary);
	set_entry(cache, entry);
	cache_known_fini(&known);
	words_fini(&paths);
	cache_search_fini(&search);
}
