/* SPDX-License-Identifier: Apache-2.0 */
/* command_search.c - lines of the source by a regular expression, as gdb's search; demangle. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "baton.h"
#include "command_stack.h"
#include "console.h"
#include "error.h"
#include "history.h"
#include "source_list.h"
#include "stack.h"
#include "text.h"

/* The file and line that list has shown last, or the selected frame's. */
static struct cudasim_error *start_of(int direction, const char **ret_file, int64_t *ret_line)
{
	const struct list_place *place = list_place();
	const struct frame *frame = frame_selected();
	*ret_file = place->file ? place->file : frame ? frame->file : NULL;
	if (!*ret_file)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "No default source file: list a place "
							     "first.");
	uint32_t shown = direction > 0 ? place->last : place->first;
	*ret_line = place->file && shown ? shown : frame ? frame->line : 0;
	*ret_line += direction;
	return NULL;
}

static bool matches(const regex_t *regex, const char *file, uint32_t line)
{
	size_t n;
	const char *text = source_line(file, line, &n);
	char *copy = text ? strndup(text, n) : NULL;
	bool found = copy && !regexec(regex, copy, 0, NULL, 0);
	free(copy);
	return found;
}

/* $_ is the line that was found. */
static struct cudasim_error *show(const char *file, uint32_t line)
{
	struct value number = value_integer(type_base("int"), line);
	convenience_set("_", &number);
	value_fini(&number);
	return list_lines(console(), file, line, line);
}

static struct cudasim_error *search(const char *pattern, int direction)
{
	const char *file;
	int64_t line = 0;
	regex_t regex;
	char why[256];
	struct cudasim_error *error = start_of(direction, &file, &line);
	if (error)
		return error;
	int code = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
	if (code) {
		regerror(code, &regex, why, sizeof why);
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Invalid regexp: %s", why);
	}
	int64_t last = source_n_lines(file);
	while (line > 0 && line <= last && !matches(&regex, file, (uint32_t)line) &&
	       !(error = interrupt_quits()))
		line += direction;
	regfree(&regex);
	if (error)
		return error;
	return line > 0 && line <= last
		       ? show(file, (uint32_t)line)
		       : cudasim_error_new(CUDASIM_E_NOTFOUND, "Expression not found");
}

struct cudasim_error *command_search(const char *argument)
{
	return search(argument, 1);
}

struct cudasim_error *command_reverse_search(const char *argument)
{
	return search(argument, -1);
}

struct cudasim_error *command_demangle(const char *argument)
{
	if (!strncmp(argument, "--", 2) && strchr(" \t", argument[2]))
		argument = text_skip(argument + 2);
	if (!*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Usage: demangle [--] NAME");
	const char *name = symbols_demangle(argument);
	if (name == argument || !strcmp(name, argument))
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "Can't demangle \"%s\"", argument);
	fprintf(console(), "%s\n", name);
	return NULL;
}
