/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - from a typed line to a command.
 *
 * A command's name is one or more words, each of which may be cut short. Of the
 * commands whose words a line begins with, those with most words win, then one that is
 * written out (or is named by an alias); what is left must be a single one. */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "command_table.h"
#include "console.h"
#include "error.h"
#include "input.h"
#include "lineedit.h"
#include "shell_state.h"
#include "text.h"

/* ---- matching --------------------------------------------------------------------- */

struct match {
	const char *rest; /* NULL: no match */
	size_t words;
	bool exact;
};

/* Does the line begin with the words of name[0..n)? */
static struct match match(const char *name, size_t n, const char *line, bool format)
{
	struct match ret = {NULL, 0, true};
	const char *end = name + n, *at = line;
	while (name < end) {
		size_t word = strcspn(name, " ,");
		if (name + word > end)
			word = (size_t)(end - name);
		at = text_skip(at);
		size_t typed = text_word_length(at);
		if (!typed || typed > word || strncmp(name, at, typed) != 0)
			return ret;
		ret.exact = ret.exact && typed == word;
		ret.words++;
		at += typed;
		name += word;
		while (name < end && *name == ' ')
			name++;
	}
	if (*at && !isspace((unsigned char)*at) && !(format && *at == '/') && line[0] != '!' &&
	    strchr("=.[(:,?", *at))
		return ret; /* x = 3: an expression, not a command */
	ret.rest = text_skip(at);
	return ret;
}

/* The best match of a command's name and aliases. */
static struct match match_command(const struct command *c, const char *line)
{
	struct match best = match(c->name, strlen(c->name), line, c->takes_format);
	for (const char *alias = c->aliases; alias && *alias;) {
		size_t n = strcspn(alias, ",");
		struct match m = match(alias, n, line, c->takes_format);
		if (m.rest && (!best.rest || m.words > best.words ||
			       (m.words == best.words && m.exact && !best.exact)))
			best = m;
		alias += n + (alias[n] == ',');
		alias = text_skip(alias);
	}
	return best;
}

static bool is_better(const struct match *a, const struct match *b)
{
	if (!b->rest || a->words != b->words)
		return !b->rest || a->words > b->words;
	return a->exact && !b->exact;
}

struct candidates {
	const struct command *best;
	struct match match;
	size_t n;
	char names[512];
};

static void gather(const char *line, struct candidates *c)
{
	*c = (struct candidates){0};
	for (size_t t = 0; shell_state()->tables[t]; t++)
		for (const struct command *command = shell_state()->tables[t]; command->name;
		     command++) {
			struct match m = match_command(command, line);
			if (!m.rest || (c->n && is_better(&c->match, &m)))
				continue;
			if (!c->n || is_better(&m, &c->match)) {
				c->n = 0;
				c->names[0] = 0;
				c->best = command;
				c->match = m;
			}
			size_t used = strlen(c->names);
			snprintf(c->names + used, sizeof c->names - used, "%s%s",
				 c->n++ ? ", " : "", command->name);
		}
}

/* The command whose name has more words than the line's first, which begin it: `info`. */
static const struct command *longer(const char *line, size_t n)
{
	for (size_t t = 0; n && shell_state()->tables[t]; t++)
		for (const struct command *c = shell_state()->tables[t]; c->name; c++)
			if (text_after_words(c->name, line, n))
				return c;
	return NULL;
}

/* The command's word without a format, or its first two words. */
static size_t absent_length(const char *line)
{
	size_t n = strcspn(line, " \t/");
	if (line[n] == '/')
		return n;
	return n + strspn(line + n, " \t") + strcspn(line + n + strspn(line + n, " \t"), " \t");
}

static struct cudasim_error *absent(const char *line, const char *why)
{
	return cudasim_error_new(CUDASIM_E_UNSUPPORTED, "There is no \"%.*s\" here: %s.",
				 (int)absent_length(line), line, why);
}

static struct cudasim_error *undefined(const char *line)
{
	size_t n = text_word_length(line);
	const char *why = command_absent(line);
	if (why)
		return absent(line, why);
	const struct command *group = longer(line, n);
	const char *rest = text_skip(line + n);
	int length = group ? (int)strcspn(group->name, " ") : 0;
	if (!group)
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "Undefined command: \"%.*s\".  Try \"help\".",
					 (int)(n ? n : strcspn(line, " ")), line);
	if (!*rest)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "\"%.*s\" is the first word of several commands.  "
					 "Try \"help %.*s\".",
					 length, group->name, length, group->name);
	return cudasim_error_new(CUDASIM_E_NOTFOUND,
				 "Undefined %.*s command: \"%.*s\".  Try \"help %.*s\".", length,
				 group->name, (int)strcspn(rest, " "), rest, length, group->name);
}

struct cudasim_error *command_find(const char *line, const struct command **ret,
				   const char **argument)
{
	struct candidates c;
	gather(line, &c);
	if (!c.n)
		return undefined(line);
	if (c.n > 1 && !c.match.exact)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Ambiguous command \"%s\": %s.", line,
					 c.names);
	const char *why = c.match.words < 2 ? command_absent_pair(line) : NULL;
	if (why)
		return absent(line, why);
	*ret = c.best;
	*argument = c.match.rest;
	return NULL;
}

const struct command *command_find_typed(const char *text, const char **argument)
{
	struct candidates c;
	gather(text, &c);
	*argument = c.match.rest;
	return c.n == 1 || c.match.exact ? c.best : NULL;
}

/* ---- running ------------------------------------------------------------------------ */

struct cudasim_error *command_execute(const char *line)
{
	const struct command *command;
	const char *argument;
	struct cudasim_error *error;
	line = text_skip(line);
	if (!*line || *line == '#')
		return NULL;
	if (definition_run(line, &error))
		return error;
	error = command_find(line, &command, &argument);
	if (error)
		return error;
	char *own = strdup(argument);
	if (!own)
		return &cudasim_error_nomem;
	for (size_t n = strlen(own); n && isspace((unsigned char)own[n - 1]);)
		own[--n] = 0;
	error = command->run(own);
	free(own);
	return error;
}

struct cudasim_error *commands_execute(const char *const *lines, size_t n)
{
	size_t depth = input_depth();
	input_push("commands", lines, n);
	return repl_run_inputs(depth);
}

/* Commands that begin a block of their own. */
static bool begins_block(const char *line)
{
	static const char *const words[] = {"if", "while", "commands", "define", "document"};
	size_t n = text_word_length(line);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (n == strlen(words[i]) && !strncmp(line, words[i], n))
			return true;
	return false;
}

struct cudasim_error *command_read_block(const char *prompt, char ***ret, size_t *n)
{
	size_t depth = 0;
	*ret = NULL;
	*n = 0;
	/* What stands before the prompt's last line is said once, to people only. */
	const char *last = strrchr(prompt, '\n');
	if (last && input_is_terminal())
		fprintf(console(), "%.*s", (int)(last + 1 - prompt), prompt);
	prompt = last ? last + 1 : prompt;
	for (char *line; (line = input_line(prompt));) {
		const char *text = text_skip(line);
		if (!strcmp(text, "end") && !depth--) {
			free(line);
			return NULL;
		}
		depth += begins_block(text);
		char **more = realloc(*ret, (*n + 1) * sizeof **ret);
		if (!more) {
			free(line);
			return &cudasim_error_nomem;
		}
		*ret = more;
		(*ret)[(*n)++] = line;
	}
	/* The input's end ends the block, too. */
	return lineedit_quits() ? cudasim_error_new(CUDASIM_E_FAILED, "Quit") : NULL;
}

/* ---- questions ------------------------------------------------------------------------ */

static bool ask(const char *format, va_list arguments, bool otherwise)
{
	if (shell_state()->is_batch || !input_is_terminal()) {
		if (!shell_state()->is_batch) {
			vfprintf(console(), format, arguments);
			fprintf(console(), "(y or n) [answered %c; input not from terminal]\n",
				otherwise ? 'Y' : 'N');
		}
		return otherwise;
	}
	vfprintf(console(), format, arguments);
	fflush(console());
	for (;;) {
		char *line = input_line("(y or n) ");
		if (lineedit_quits()) {
			fputs("Quit\n", console());
			free(line);
			return false;
		}
		char c = line ? (char)tolower((unsigned char)*text_skip(line)) : 'y';
		free(line);
		if (c == 'y' || c == 'n')
			return c == 'y';
		fputs("Please answer y or n.\n", console());
	}
}

bool command_confirm(const char *format, ...)
{
	va_list arguments;
	if (!shell_state()->confirm)
		return true;
	va_start(arguments, format);
	bool ret = ask(format, arguments, true);
	va_end(arguments);
	return ret;
}

bool command_ask(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	bool ret = ask(format, arguments, false);
	va_end(arguments);
	return ret;
}
