/* SPDX-License-Identifier: Apache-2.0 */
/* dap_breakpoints.c - breakpoints at lines, functions, instructions and events. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "breakpoint_commands.h"
#include "cudasim/check.h"
#include "dap_views.h"
#include "error.h"

/* Pending where no code is there yet. */
static struct cudasim_error *make_at(const char *location, const char *format,
				     struct breakpoint **ret)
{
	struct cudasim_error *error = breakpoint_make(location, false, format, ret);
	if (!error || !*ret)
		return error;
	if (error->code == CUDASIM_E_NOTFOUND && !(*ret)->locations) {
		cudasim_error_free(error);
		return NULL;
	}
	breakpoint_discard(*ret);
	*ret = NULL;
	return error;
}

/* What a request's list asks for, one after the other. */
static struct cudasim_error *
set_all(const json_t *items, enum dap_point_kind kind, const char *group,
	struct cudasim_error *(*make)(const json_t *, struct breakpoint **), json_t **ret)
{
	size_t n = json_array_size(items);
	struct dap_wish *wishes = calloc(n + 1, sizeof *wishes);
	if (!wishes)
		return &cudasim_error_nomem;
	for (size_t i = 0; i < n; i++)
		wishes[i] = (struct dap_wish){kind, group, json_array_get(items, i), make};
	struct cudasim_error *error = dap_points_set(wishes, n, kind, group, ret);
	free(wishes);
	return error;
}

/* ---- log messages -------------------------------------------------------------------------- */

/* "x is {x}" as the format and arguments of a dprintf: "x is %V\n",x; malloc'ed. */
static struct cudasim_error *log_format(const char *text, char **ret)
{
	struct dap_buffer format, arguments;
	struct cudasim_error *error = NULL;
	FILE *out = dap_open(&format), *rest = dap_open(&arguments);
	if (!out || !rest)
		return &cudasim_error_nomem;
	fputc('"', out);
	for (const char *at = text; *at && !error; at++) {
		const char *end = *at == '{' ? strchr(at, '}') : NULL;
		if (*at == '{' && !end) {
			error = cudasim_error_new(CUDASIM_E_ARGUMENT,
						  "The log message has a { without }.");
		} else if (end) {
			fputs("%V", out);
			fprintf(rest, ",%.*s", (int)(end - at - 1), at + 1);
			if (!memcmp(at, "{}", 2))
				error = cudasim_error_new(
					CUDASIM_E_ARGUMENT,
					"The log message has no expression between { and }.");
			at = end;
		} else if (*at == '\n') {
			fputs("\\n", out);
		} else {
			if (*at == '%')
				fputc('%', out);
			if (*at == '"' || *at == '\\')
				fputc('\\', out);
			fputc(*at, out);
		}
	}
	fputs("\\n\"", out);
	fclose(out);
	fclose(rest);
	if (!error && asprintf(ret, "%s%s", format.text, arguments.text) < 0)
		error = &cudasim_error_nomem;
	free(format.text);
	free(arguments.text);
	return error;
}

/* ---- lines ------------------------------------------------------------------------------------ */

/* The name that the debugger knows the file by, or the client's own. */
static const char *file_of(const char *path)
{
	bool is_ambiguous = false;
	const char *name = symbols_file(path, &is_ambiguous);
	return name ? name : path;
}

/* item has the file beside what the client said. */
static struct cudasim_error *make_line(const json_t *item, struct breakpoint **ret)
{
	const char *log = dap_string_of(item, "logMessage"), *file = dap_string_of(item, "file");
	char *location = NULL, *format = NULL;
	struct cudasim_error *error = NULL;
	uint32_t line = dap_line_of(dap_integer_of(item, "line", -1));
	if (!line)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "A breakpoint needs \"line\".");
	if (log && *log)
		error = log_format(log, &format);
	if (!error && asprintf(&location, "%s:%" PRIu32, file_of(file), line) < 0)
		error = &cudasim_error_nomem;
	if (!error)
		error = make_at(location, format, ret);
	free(location);
	free(format);
	return error;
}

struct cudasim_error *dap_set_breakpoints(const json_t *arguments, json_t **ret)
{
	char *path;
	struct cudasim_error *error = dap_path_of(json_object_get(arguments, "source"), &path);
	if (error)
		return error;
	json_t *items = json_array(), *item;
	const json_t *given = json_object_get(arguments, "breakpoints");
	size_t i;
	json_array_foreach(given, i, item)
	{
		json_t *copy = json_is_object(item) ? json_copy(item) : json_object();
		json_object_set_new(copy, "file", dap_text(path));
		json_array_append_new(items, copy);
	}
	/* The older form. */
	if (!given)
		json_array_foreach(json_object_get(arguments, "lines"), i, item)
			json_array_append_new(items, json_pack("{s:O, s:o}", "line", item, "file",
							       dap_text(path)));
	error = set_all(items, DAP_POINT_SOURCE, path, make_line, ret);
	json_decref(items);
	free(path);
	return error;
}

/* ---- functions and instructions ------------------------------------------------------------------ */

static struct cudasim_error *make_function(const json_t *item, struct breakpoint **ret)
{
	const char *name;
	struct cudasim_error *error = dap_need_string(item, "name", &name);
	if (!error && (!*name || strpbrk(name, "\r\n")))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "\"%s\" is no name of a function.",
					  name);
	return error ? error : make_at(name, NULL, ret);
}

struct cudasim_error *dap_set_function_breakpoints(const json_t *arguments, json_t **ret)
{
	const json_t *items;
	struct cudasim_error *error = dap_need_array(arguments, "breakpoints", &items);
	return error ? error : set_all(items, DAP_POINT_FUNCTION, "", make_function, ret);
}

static struct cudasim_error *make_instruction(const json_t *item, struct breakpoint **ret)
{
	uint64_t address;
	char *location = NULL;
	struct cudasim_error *error = dap_need_address(item, "instructionReference", &address);
	if (error)
		return error;
	address += (uint64_t)dap_integer_of(item, "offset", 0);
	if (asprintf(&location, "*0x%" PRIx64, address) < 0)
		return &cudasim_error_nomem;
	error = breakpoint_make(location, false, NULL, ret);
	if (error && *ret) {
		breakpoint_discard(*ret);
		*ret = NULL;
	}
	free(location);
	return error;
}

struct cudasim_error *dap_set_instruction_breakpoints(const json_t *arguments, json_t **ret)
{
	const json_t *items;
	struct cudasim_error *error = dap_need_array(arguments, "breakpoints", &items);
	return error ? error : set_all(items, DAP_POINT_INSTRUCTION, "", make_instruction, ret);
}

/* ---- events ----------------------------------------------------------------------------------------- */

/* The filter's name is the catchpoint's event. */
static struct cudasim_error *make_exception(const json_t *item, struct breakpoint **ret)
{
	const char *event;
	struct cudasim_error *error = dap_need_string(item, "filterId", &event);
	if (!error && strspn(event, "abcdefghijklmnopqrstuvwxyz") != strlen(event))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "\"%s\" is no event.", event);
	return error ? error : catchpoint_set(event, false, ret);
}

struct cudasim_error *dap_set_exception_breakpoints(const json_t *arguments, json_t **ret)
{
	const json_t *filters;
	json_t *items = json_array(), *item;
	size_t i;
	struct cudasim_error *error = dap_need_array(arguments, "filters", &filters);
	json_array_foreach(filters, i, item)
		json_array_append_new(items, json_pack("{s:O}", "filterId", item));
	json_array_foreach(json_object_get(arguments, "filterOptions"), i, item)
		json_array_append(items, item);
	if (!error)
		error = set_all(items, DAP_POINT_EXCEPTION, "", make_exception, ret);
	json_decref(items);
	return error;
}

/* ---- where a breakpoint may be ------------------------------------------------------------------------ */

/* Is there a place at the line itself? */
static bool has_place(const char *file, uint32_t line)
{
	struct program_location *places = NULL;
	size_t n = 0;
	char *text;
	bool ret = false;
	if (asprintf(&text, "%s:%" PRIu32, file, line) < 0)
		return false;
	cudasim_error_free(location_find(text, &places, &n));
	for (size_t i = 0; i < n; i++)
		ret |= places[i].line == line;
	free(places);
	free(text);
	return ret;
}

struct cudasim_error *dap_breakpoint_locations(const json_t *arguments, json_t **ret)
{
	enum { MOST_LINES = 1000 };
	char *path;
	int64_t first;
	struct cudasim_error *error = dap_need_integer(arguments, "line", &first);
	if (!error)
		error = dap_path_of(json_object_get(arguments, "source"), &path);
	if (error)
		return error;
	uint32_t line = dap_line_of(first);
	uint32_t end = dap_line_of(dap_integer_of(arguments, "endLine", first));
	json_t *list = json_array();
	if (end > line && end - line >= MOST_LINES)
		end = line + MOST_LINES - 1;
	for (const char *file = file_of(path); line && line <= end; line++)
		if (has_place(file, line))
			json_array_append_new(list, json_pack("{s:o}", "line", dap_line(line)));
	free(path);
	*ret = json_pack("{s:o}", "breakpoints", list);
	return NULL;
}
