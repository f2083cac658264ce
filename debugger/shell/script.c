/* SPDX-License-Identifier: Apache-2.0 */
/* script.c - command files and what they can hold: source, define, document, if, while. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "baton.h"
#include "command_table.h"
#include "console.h"
#include "error.h"
#include "expression.h"
#include "input.h"
#include "shell_state.h"
#include "text.h"

enum { MAX_DEPTH = 200, MAX_ARGUMENTS = 32 };

struct definition {
	struct definition *next;
	char *name, **lines;
	size_t n;
	char **help;
	size_t n_help;
};

/* ---- define ---------------------------------------------------------------------- */

static bool is_name(const char *text)
{
	if (!isalpha((unsigned char)*text) && *text != '_')
		return false;
	while (isalnum((unsigned char)*text) || *text == '_' || *text == '-')
		text++;
	return !*text;
}

static struct definition *find(const char *name, size_t n)
{
	for (struct definition *d = shell_state()->scripts.definitions; d; d = d->next)
		if (strlen(d->name) == n && !strncmp(d->name, name, n))
			return d;
	return NULL;
}

void definition_each(void (*f)(void *user, const char *name), void *user)
{
	for (struct definition *d = shell_state()->scripts.definitions; d; d = d->next)
		f(user, d->name);
}

void definitions_save(FILE *out)
{
	for (struct definition *d = shell_state()->scripts.definitions; d; d = d->next) {
		fprintf(out, "define %s\n", d->name);
		for (size_t i = 0; i < d->n; i++)
			fprintf(out, "%s\n", d->lines[i]);
		fputs("end\n", out);
	}
}

static void free_lines(char **lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(lines[i]);
	free(lines);
}

static struct cudasim_error *command_define(const char *argument)
{
	struct shell_scripts *own = &shell_state()->scripts;
	if (!*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Argument required (name of command to define).");
	if (!is_name(argument))
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Junk in argument list: \"%s\"",
					 argument);
	if (input_is_terminal())
		fprintf(console(),
			"Type commands for definition of \"%s\".\nEnd with a line saying just \"end\".\n",
			argument);
	char **lines;
	size_t n;
	struct cudasim_error *error = command_read_block(">", &lines, &n);
	if (error)
		return error;
	struct definition *d = find(argument, strlen(argument));
	if (d) {
		free_lines(d->lines, d->n);
	} else {
		d = calloc(1, sizeof *d);
		if (!d)
			return &cudasim_error_nomem;
		d->name = strdup(argument);
		d->next = own->definitions;
		own->definitions = d;
	}
	d->lines = lines;
	d->n = n;
	return NULL;
}

struct cudasim_error *definition_alias(const char *name, const char *command)
{
	struct shell_scripts *own = &shell_state()->scripts;
	char *line = NULL, **lines = calloc(1, sizeof *lines);
	if (!is_name(name)) {
		free(lines);
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Invalid command name: %s", name);
	}
	struct definition *d = find(name, strlen(name));
	if (d) {
		free(lines);
		return cudasim_error_new(CUDASIM_E_TAKEN, "Alias already exists: %s", name);
	}
	d = calloc(1, sizeof *d);
	if (!lines || !d || asprintf(&line, "%s $arg*", command) < 0 || !(d->name = strdup(name))) {
		free(lines);
		free(d);
		return &cudasim_error_nomem;
	}
	lines[0] = line;
	d->lines = lines;
	d->n = 1;
	d->next = own->definitions;
	own->definitions = d;
	return NULL;
}

static struct cudasim_error *command_document(const char *argument)
{
	struct definition *d = find(argument, strlen(argument));
	char **lines;
	size_t n;
	struct cudasim_error *error = command_read_block(">", &lines, &n);
	if (error)
		return error;
	if (!d) {
		free_lines(lines, n);
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "Undefined command: \"%s\".  Try \"help\".", argument);
	}
	free_lines(d->help, d->n_help);
	d->help = lines;
	d->n_help = n;
	return NULL;
}

bool definition_help(const char *name)
{
	struct definition *d = find(name, strlen(name));
	if (!d)
		return false;
	for (size_t i = 0; i < d->n_help; i++)
		fprintf(console(), "%s\n", d->help[i]);
	if (!d->n_help)
		fputs("User-defined.\n", console());
	return true;
}

static void show_definition(const struct definition *d)
{
	fprintf(console(), "User command \"%s\":\n", d->name);
	for (size_t i = 0; i < d->n; i++)
		fprintf(console(), "  %s\n", d->lines[i]);
	fputc('\n', console());
}

static struct cudasim_error *show_user(const char *argument)
{
	if (!*argument)
		for (struct definition *d = shell_state()->scripts.definitions; d; d = d->next)
			show_definition(d);
	struct definition *d = find(argument, strlen(argument));
	if (*argument && !d)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "Not a user command.");
	if (d)
		show_definition(d);
	return NULL;
}

/* ---- running a definition ---------------------------------------------------------- */

struct arguments {
	char *all;
	char *at[MAX_ARGUMENTS];
	size_t n;
};

/* Words; quotes and parentheses keep theirs together. */
static void split(const char *text, struct arguments *ret)
{
	ret->all = strdup(text);
	for (text = text_skip(text); *text && ret->n < MAX_ARGUMENTS; text = text_skip(text)) {
		const char *from = text;
		int nested = 0;
		char quote = 0;
		for (; *text && (nested || quote || !isspace((unsigned char)*text)); text++) {
			if (quote)
				quote = *text == quote ? 0 : quote;
			else if (*text == '"' || *text == '\'')
				quote = *text;
			else
				nested += (*text == '(') - (*text == ')');
		}
		ret->at[ret->n++] = strndup(from, (size_t)(text - from));
	}
}

/* $argc, $arg0 .., $arg* in the line replaced. */
static char *substituted(const char *line, const struct arguments *a)
{
	char *ret = NULL;
	size_t size;
	FILE *out = open_memstream(&ret, &size);
	if (!out)
		return NULL;
	while (*line) {
		char *end;
		if (!strncmp(line, "$argc", 5) && !isalnum((unsigned char)line[5])) {
			fprintf(out, "%zu", a->n);
			line += 5;
		} else if (!strncmp(line, "$arg*", 5)) {
			fputs(a->all, out);
			line += 5;
		} else if (!strncmp(line, "$arg", 4) && isdigit((unsigned char)line[4])) {
			unsigned long i = strtoul(line + 4, &end, 10);
			fputs(i < a->n ? a->at[i] : "", out);
			line = end;
		} else {
			fputc(*line++, out);
		}
	}
	fclose(out);
	return ret;
}

bool definition_run(const char *line, struct cudasim_error **ret)
{
	size_t n = 0;
	while (isalnum((unsigned char)line[n]) || line[n] == '_' || line[n] == '-')
		n++;
	const struct definition *d = find(line, n);
	*ret = NULL;
	if (!d)
		return false;
	if (input_depth() > MAX_DEPTH) {
		*ret = cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Max user call depth exceeded -- command aborted.");
		return true;
	}
	struct arguments a = {0};
	split(line + n, &a);
	char **lines = calloc(d->n + 1, sizeof *lines);
	for (size_t i = 0; lines && i < d->n; i++)
		lines[i] = substituted(d->lines[i], &a);
	size_t depth = input_depth();
	input_push(d->name, (const char *const *)lines, lines ? d->n : 0);
	free_lines(lines, lines ? d->n : 0);
	for (size_t i = 0; i < a.n; i++)
		free(a.at[i]);
	free(a.all);
	*ret = repl_run_inputs(depth);
	return true;
}

/* ---- if, while ----------------------------------------------------------------------- */

static struct cudasim_error *holds(const char *text, bool *ret)
{
	int64_t value;
	struct cudasim_error *error = evaluate_integer(text, &value);
	*ret = !error && value;
	return error;
}

/* Index of the "else" of this block itself, n if there is none. */
static size_t find_else(char **lines, size_t n)
{
	static const char *const begins[] = {"if ", "while ", "commands", "define ", "document "};
	size_t depth = 0;
	for (size_t i = 0; i < n; i++) {
		const char *text = text_skip(lines[i]);
		if (!strcmp(text, "else") && !depth)
			return i;
		if (!strcmp(text, "end") && depth)
			depth--;
		for (size_t j = 0; j < sizeof begins / sizeof *begins; j++)
			depth += !strncmp(text, begins[j], strlen(begins[j]));
	}
	return n;
}

static struct cudasim_error *run_lines(const char *name, char **lines, size_t n)
{
	size_t depth = input_depth();
	input_push(name, (const char *const *)lines, n);
	return repl_run_inputs(depth);
}

static struct cudasim_error *command_if(const char *argument)
{
	char **lines;
	size_t n;
	bool yes;
	struct cudasim_error *error = command_read_block(">", &lines, &n);
	if (!error && !*argument)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "if/while commands require arguments.");
	if (!error)
		error = holds(argument, &yes);
	if (!error) {
		size_t other = find_else(lines, n);
		if (yes)
			error = run_lines("if", lines, other);
		else if (other < n)
			error = run_lines("else", lines + other + 1, n - other - 1);
	}
	free_lines(lines, n);
	return error;
}

static struct cudasim_error *command_while(const char *argument)
{
	struct shell_scripts *own = &shell_state()->scripts;
	char **lines;
	size_t n;
	bool yes = true;
	struct cudasim_error *error = command_read_block(">", &lines, &n);
	if (!error && !*argument)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "if/while commands require arguments.");
	own->loops++;
	while (!error && !own->broken && !(error = holds(argument, &yes)) && yes) {
		own->continued = false;
		error = run_lines("while", lines, n);
		if (!error)
			error = interrupt_quits();
	}
	own->loops--;
	own->broken = own->continued = false;
	free_lines(lines, n);
	return error;
}

static struct cudasim_error *leave_loop(bool end)
{
	struct shell_scripts *own = &shell_state()->scripts;
	if (!own->loops)
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"loop_break and loop_continue are only allowed in a while.");
	own->broken = end;
	own->continued = true;
	return NULL;
}

static struct cudasim_error *command_loop_break(const char *argument)
{
	(void)argument;
	return leave_loop(true);
}

static struct cudasim_error *command_loop_continue(const char *argument)
{
	(void)argument;
	return leave_loop(false);
}

bool script_skips(void)
{
	return shell_state()->scripts.continued;
}

/* ---- source ---------------------------------------------------------------------------- */

static struct cudasim_error *command_source(const char *argument)
{
	if (!strncmp(argument, "-v ", 3))
		argument = text_skip(argument + 3);
	if (!*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "source command requires file name of file to source.");
	if (input_depth() > MAX_DEPTH)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Too many files source each other.");
	size_t depth = input_depth();
	struct cudasim_error *error = input_push_file(argument);
	return error ? error : repl_run_inputs(depth);
}

const struct command commands_script[] = {
	{.name = "source",
	 .run = command_source,
	 .completer = COMPLETE_FILE,
	 .usage = "source FILE",
	 .summary = "Run the commands of a file.",
	 .text = "After an error the file continues, unless `set script-errors stop`.",
	 .example = "source bug.gdb"},
	{.name = "define",
	 .run = command_define,
	 .usage = "define NAME",
	 .summary = "Define a command; its lines follow, up to end.",
	 .text = "In the lines $argc is the number of words given, $arg0, $arg1 ... are the words.",
	 .example = "define tile"},
	{.name = "document",
	 .run = command_document,
	 .usage = "document NAME",
	 .summary = "Write the help of a defined command; lines follow, up to end.",
	 .example = "document tile"},
	{.name = "show user",
	 .run = show_user,
	 .usage = "show user [NAME]",
	 .summary = "Show defined commands.",
	 .example = "show user tile"},
	{.name = "if",
	 .run = command_if,
	 .usage = "if EXPR",
	 .completer = COMPLETE_EXPRESSION,
	 .summary = "Run the lines up to else or end where EXPR is not 0.",
	 .example = "if threadIdx.x == 0"},
	{.name = "while",
	 .run = command_while,
	 .usage = "while EXPR",
	 .completer = COMPLETE_EXPRESSION,
	 .summary = "Run the lines up to end as long as EXPR is not 0.",
	 .example = "while $i < 4"},
	{.name = "loop_break",
	 .run = command_loop_break,
	 .usage = "loop_break",
	 .summary = "Leave the innermost while.",
	 .example = "loop_break"},
	{.name = "loop_continue",
	 .run = command_loop_continue,
	 .usage = "loop_continue",
	 .summary = "Go on with the innermost while's next round.",
	 .example = "loop_continue"},
	{0},
};
