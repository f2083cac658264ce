/* SPDX-License-Identifier: Apache-2.0 */
/* dap_sources.c - sources and modules.
 *
 * The modules are the files that are mapped as code. They are read of /proc/self/maps: the
 * loader's own list is behind a lock that a program which stands may hold. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command_cuda.h"
#include "dap_views.h"
#include "error.h"
#include "restart.h"
#include "source_list.h"

/* ---- sources ------------------------------------------------------------------------------ */

static json_t *source_at(const char *file, const char *path)
{
	json_t *ret = json_pack("{s:o}", "name", dap_text(file_base_name(file)));
	if (*path == '/')
		json_object_set_new(ret, "path",
				    dap_state()->session.client.paths_are_uris
					    ? dap_format("file://%s", path)
					    : dap_text(path));
	return ret;
}

json_t *dap_source_of(const char *file)
{
	const char *found = source_found(file), *path = found ? found : source_path(file);
	char *whole = *path == '/' ? NULL : realpath(path, NULL);
	json_t *ret = source_at(file, whole ? whole : path);
	if (!found)
		json_object_set_new(ret, "presentationHint", json_string("deemphasize"));
	free(whole);
	return ret;
}

static void add_source(void *user, const char *file, const char *path)
{
	json_array_append_new(user, source_at(file, path));
}

struct cudasim_error *dap_loaded_sources(const json_t *arguments, json_t **ret)
{
	json_t *list = json_array();
	(void)arguments;
	symbols_each_file(add_source, list);
	*ret = json_pack("{s:o}", "sources", list);
	return NULL;
}

struct cudasim_error *dap_source(const json_t *arguments, json_t **ret)
{
	char *path;
	struct dap_buffer buffer;
	struct cudasim_error *error = dap_path_of(json_object_get(arguments, "source"), &path);
	if (error)
		return error;
	/* Of the program's own files only: no way to read any other. */
	bool is_ambiguous = false;
	const char *file = symbols_file(path, &is_ambiguous);
	if (!file || !source_found(file))
		error = cudasim_error_new(CUDASIM_E_NOTFOUND,
					  "%s cannot be read, or is no source of the program.",
					  path);
	free(path);
	FILE *out = error ? NULL : dap_open(&buffer);
	if (!out)
		return error ? error : &cudasim_error_nomem;
	for (uint32_t i = 1; i <= source_n_lines(file); i++) {
		size_t n;
		const char *text = source_line(file, i, &n);
		if (text)
			fwrite(text, 1, n, out);
		fputc('\n', out);
	}
	*ret = json_pack("{s:o}", "content", dap_close(&buffer));
	return NULL;
}

/* ---- modules --------------------------------------------------------------------------------- */

struct mapping {
	uint64_t low, high;
	char path[4096];
	bool is_code;
};

/* Calls f for each mapping of a file, until it returns false. */
static void each_mapping(bool (*f)(void *user, const struct mapping *), void *user)
{
	FILE *in = fopen("/proc/self/maps", "re");
	char *line = NULL;
	size_t size = 0;
	bool goes_on = true;
	while (in && goes_on && getline(&line, &size, in) > 0) {
		struct mapping m;
		char rights[8];
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %*s %4095[^\n]", &m.low,
			   &m.high, rights, m.path) != 4 ||
		    m.path[0] != '/')
			continue;
		m.is_code = strchr(rights, 'x') != NULL;
		goes_on = f(user, &m);
	}
	free(line);
	if (in)
		fclose(in);
}

struct module_search {
	uint64_t pc;
	json_t *found;
};

static bool holds(void *user, const struct mapping *m)
{
	struct module_search *search = user;
	if (search->pc < m->low || search->pc >= m->high)
		return true;
	search->found = dap_text(m->path);
	return false;
}

json_t *dap_module_id(uint64_t pc)
{
	struct module_search search = {.pc = pc};
	each_mapping(holds, &search);
	return search.found;
}

static bool add_module(void *user, const struct mapping *m)
{
	json_t *list = user, *module;
	size_t i;
	if (!m->is_code)
		return true;
	json_array_foreach(list, i,
			   module) if (!strcmp(dap_string_of(module, "path"), m->path)) return true;
	json_array_append_new(
		list, json_pack("{s:o, s:o, s:o, s:b, s:o}", "id", dap_text(m->path), "name",
				dap_text(file_base_name(m->path)), "path", dap_text(m->path),
				"isUserCode", !strcmp(m->path, program_path()), "addressRange",
				dap_format("0x%" PRIx64 "-0x%" PRIx64, m->low, m->high)));
	return true;
}

struct cudasim_error *dap_modules(const json_t *arguments, json_t **ret)
{
	json_t *all = json_array(), *some = json_array();
	int64_t start = dap_integer_of(arguments, "startModule", 0);
	int64_t count = dap_integer_of(arguments, "moduleCount", 0);
	each_mapping(add_module, all);
	int64_t n = (int64_t)json_array_size(all);
	for (int64_t i = start < 0 ? 0 : start; i < n && (!count || i - start < count); i++)
		json_array_append(some, json_array_get(all, (size_t)i));
	json_decref(all);
	*ret = json_pack("{s:o, s:I}", "modules", some, "totalModules", (json_int_t)n);
	return NULL;
}
