/* SPDX-License-Identifier: Apache-2.0 */
/* command_skip.c - skip and its kin, in gdb's words. */
#define _GNU_SOURCE

#include <limits.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "breakpoint_commands.h"
#include "console.h"
#include "error.h"
#include "setting.h"
#include "skip.h"
#include "stack.h"
#include "text.h"

/* ---- making --------------------------------------------------------------------------- */

static void mention(const struct skip *s)
{
	if (s->function)
		fprintf(console(), "Function%s %s", s->is_regex ? "(s)" : "", s->function);
	if (s->function && s->file)
		fprintf(console(), " in file%s %s", s->is_glob ? "(s)" : "", s->file);
	else if (s->file)
		fprintf(console(), "File%s %s", s->is_glob ? "(s)" : "", s->file);
	fprintf(console(), " will be skipped when stepping.\n");
}

/* Texts are copied; NULL: any. */
static struct cudasim_error *add(const char *file, const char *function)
{
	struct skip *s = calloc(1, sizeof *s);
	if (s && file)
		s->file = strdup(file);
	if (s && function)
		s->function = strdup(function);
	if (!s || (file && !s->file) || (function && !s->function)) {
		if (s)
			skip_free(s);
		return &cudasim_error_nomem;
	}
	skip_append(s);
	mention(s);
	return NULL;
}

static struct cudasim_error *command_skip_function(const char *argument)
{
	const struct frame *frame = frame_selected();
	if (*argument)
		return add(NULL, argument);
	if (!frame || !frame->function)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "No default function now.");
	return add(NULL, frame->function->name);
}

static struct cudasim_error *command_skip_file(const char *argument)
{
	const struct frame *frame = frame_selected();
	if (*argument)
		return add(argument, NULL);
	if (!frame || !frame->file)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "No default file now.");
	return add(frame->file, NULL);
}

/* ---- with options ------------------------------------------------------------------------ */

/* A word, or what stands in quotes; malloc'ed, NULL at the end. */
static char *option_value(const char **text)
{
	const char *at = text_skip(*text);
	char quote = *at == '"' || *at == '\'' ? *at++ : 0;
	size_t n = quote ? strcspn(at, quote == '"' ? "\"" : "'") : strcspn(at, " \t");
	if (!n)
		return NULL;
	*text = text_skip(at + n + (quote && at[n]));
	return strndup(at, n);
}

static struct cudasim_error *set_once(char **at, char *value, const char *a, const char *b)
{
	if (*at) {
		free(value);
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Cannot specify both %s and %s.", a,
					 b);
	}
	*at = value;
	return NULL;
}

static bool is_option(const char *word, const char *brief, const char *full)
{
	return !strcmp(word, brief) || !strcmp(word, full);
}

static struct cudasim_error *take_option(struct skip *s, const char *word, const char **text)
{
	bool file = is_option(word, "-fi", "-file"), glob = is_option(word, "-gfi", "-gfile");
	bool regex = is_option(word, "-rfu", "-rfunction"), number = !strcmp(word, "-number");
	if (!file && !glob && !regex && !number && !is_option(word, "-fu", "-function"))
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			*word == '-' ? "Invalid skip option: %s" : "Invalid argument: %s", word);
	char *value = option_value(text);
	if (!value)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Missing value for %s option.", word);
	if (number) { /* what a restart writes */
		s->number = atoi(value);
		free(value);
		return NULL;
	}
	if (file || glob) {
		s->is_glob = glob;
		return set_once(&s->file, value, "-file", "-gfile");
	}
	struct cudasim_error *error = set_once(&s->function, value, "-function", "-rfunction");
	if (error || !regex)
		return error;
	int code = regcomp(&s->regex, value, REG_EXTENDED | REG_NOSUB);
	if (code)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Invalid regexp: %s", value);
	s->is_regex = true;
	return NULL;
}

static struct cudasim_error *command_skip(const char *argument)
{
	char word[32];
	struct cudasim_error *error = NULL;
	if (*argument != '-')
		return command_skip_function(argument);
	struct skip *s = calloc(1, sizeof *s);
	if (!s)
		return &cudasim_error_nomem;
	while (!error && text_word(&argument, word, sizeof word))
		error = take_option(s, word, &argument);
	if (error) {
		skip_free(s);
		return error;
	}
	skip_append(s);
	mention(s);
	return NULL;
}

/* ---- numbers ------------------------------------------------------------------------------- */

static struct cudasim_error *range_of(const char *word, long *first, long *last)
{
	char *end;
	*first = *last = strtol(word, &end, 10);
	if (*end == '-' && end != word)
		*last = strtol(end + 1, &end, 10);
	if (*end || *first <= 0 || *last < *first)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Bad skip number '%s'", word);
	return NULL;
}

static struct cudasim_error *change_numbers(enum skip_change what, const char *argument)
{
	char word[64];
	const char *text = argument;
	struct cudasim_error *error = NULL;
	size_t n = *argument ? 0 : skips_change(what, 1, INT_MAX);
	while (!error && text_word(&text, word, sizeof word)) {
		long first, last;
		error = range_of(word, &first, &last);
		if (!error)
			n += skips_change(what, first, last);
	}
	if (!error && !n)
		return *argument ? cudasim_error_new(CUDASIM_E_NOTFOUND,
						     "No skiplist entries found with number %s.",
						     argument)
				 : cudasim_error_new(CUDASIM_E_NOTFOUND,
						     "No skiplist entries found.");
	return error;
}

static struct cudasim_error *command_skip_delete(const char *argument)
{
	return change_numbers(SKIP_DELETE, argument);
}

static struct cudasim_error *command_skip_enable(const char *argument)
{
	return change_numbers(SKIP_ENABLE, argument);
}

static struct cudasim_error *command_skip_disable(const char *argument)
{
	return change_numbers(SKIP_DISABLE, argument);
}

static bool is_named(const char *numbers, int number)
{
	char word[64];
	long first, last;
	if (!*numbers)
		return true;
	while (text_word(&numbers, word, sizeof word)) {
		struct cudasim_error *error = range_of(word, &first, &last);
		if (!error && number >= first && number <= last)
			return true;
		cudasim_error_free(error);
	}
	return false;
}

static struct cudasim_error *command_info_skip(const char *argument)
{
	size_t n = 0;
	for (const struct skip *s = skips_first(); s; s = s->next) {
		if (!is_named(argument, s->number))
			continue;
		if (!n++)
			fputs("Num   Enb Glob                 File RE Function\n", console());
		fprintf(console(), "%-5d %-3s %4s %20s %2s %s\n", s->number, s->enabled ? "y" : "n",
			s->is_glob ? "y" : "n", s->file ? s->file : "<none>",
			s->is_regex ? "y" : "n", s->function ? s->function : "<none>");
	}
	if (!n && *argument)
		fprintf(console(), "No skiplist entries found with number %s.\n", argument);
	else if (!n)
		fputs("Not skipping any files or functions.\n", console());
	return NULL;
}

/* ---- the table ------------------------------------------------------------------------------- */

static void save(FILE *out)
{
	for (const struct skip *s = skips_first(); s; s = s->next) {
		fprintf(out, "skip -number %d", s->number);
		if (s->file)
			fprintf(out, " -%sfile \"%s\"", s->is_glob ? "g" : "", s->file);
		if (s->function)
			fprintf(out, " -%sfunction \"%s\"", s->is_regex ? "r" : "", s->function);
		fprintf(out, "\n");
		if (!s->enabled)
			fprintf(out, "skip disable %d\n", s->number);
	}
}

const struct command commands_skip[] = {
	{.name = "skip",
	 .run = command_skip,
	 .completer = COMPLETE_LOCATION,
	 .usage = "skip [FUNCTION | -fi FILE | -gfi GLOB] [-fu FUNCTION | -rfu REGEX]",
	 .summary = "Functions that step does not enter, but passes as next does",
	 .text = "Without FUNCTION the selected frame's. -fi and -gfi: all functions of a file, of files\n"
		 "whose name matches; -rfu: functions whose name with parameters matches the POSIX\n"
		 "extended regular expression. Both: those functions of those files.",
	 .example = "skip geo::area"},
	{.name = "skip function",
	 .run = command_skip_function,
	 .completer = COMPLETE_LOCATION,
	 .usage = "skip function [FUNCTION]",
	 .summary = "Have step pass a function",
	 .example = "skip function geo::area"},
	{.name = "skip file",
	 .run = command_skip_file,
	 .completer = COMPLETE_FILE,
	 .usage = "skip file [FILE]",
	 .summary = "Have step pass the functions of a file",
	 .example = "skip file vector.cuh"},
	{.name = "skip delete",
	 .run = command_skip_delete,
	 .usage = "skip delete [NUMBER...]",
	 .summary = "Delete what skip has made, or all of it",
	 .example = "skip delete 1"},
	{.name = "skip enable",
	 .run = command_skip_enable,
	 .usage = "skip enable [NUMBER...]",
	 .summary = "Have step pass these again",
	 .example = "skip enable 1-3"},
	{.name = "skip disable",
	 .run = command_skip_disable,
	 .usage = "skip disable [NUMBER...]",
	 .summary = "Have step enter these again",
	 .example = "skip disable 2"},
	{.name = "info skip",
	 .run = command_info_skip,
	 .usage = "info skip [NUMBER...]",
	 .summary = "List what step passes",
	 .example = "info skip"},
	{0},
};

__attribute__((constructor)) static void start(void)
{
	restart_saves(save);
}
