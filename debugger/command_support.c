/* SPDX-License-Identifier: Apache-2.0 */
/* command_support.c - help, set, show, quit, and what concerns the shell. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command_table.h"
#include "control.h"
#include "debugger.h"
#include "error.h"
#include "expression.h"
#include "input.h"
#include "lineedit.h"

/* ---- help ------------------------------------------------------------------------- */

static const struct {
	const char *name, *what;
	const struct command *commands;
} classes[] = {
	{"running", "Running and stepping the program", commands_running},
	{"breakpoints", "Making the program stop at certain points", commands_breakpoints},
	{"data", "Looking at data", commands_data},
	{"stack", "Looking at the stack, sources and symbols", commands_stack},
	{"cuda", "The focus, and kernels, blocks, warps and threads", commands_cuda},
	{"host", "The x86-64 code, registers and files of the process", commands_host},
	{"scripts", "Command files and definitions", commands_script},
	{"support", "The debugger itself", commands_support},
};
enum { N_CLASSES = sizeof classes / sizeof *classes };

static void print_help(const struct command *c)
{
	fputs(c->name, console);
	for (const char *alias = c->aliases; alias && *alias; alias += strcspn(alias, ",")) {
		alias += *alias == ',';
		alias = text_skip(alias);
		fprintf(console, ", %.*s", (int)strcspn(alias, ","), alias);
	}
	fputc('\n', console);
	size_t n = c->summary ? strlen(c->summary) : 0;
	if (n)
		fprintf(console, "%s%s\n", c->summary, c->summary[n - 1] == '.' ? "" : ".");
	if (c->text)
		fprintf(console, "%s%s", c->text, c->text[0] && c->text[strlen(c->text) - 1] == '\n' ? "" : "\n");
	if (c->usage)
		fprintf(console, "Usage: %s\n", c->usage);
	if (c->example)
		fprintf(console, "Example: %s\n", c->example);
}

static void print_summary(const struct command *c)
{
	size_t n = c->summary ? strlen(c->summary) : 0;
	fprintf(console, "%s -- %.*s\n", c->name, (int)(n && c->summary[n - 1] == '.' ? n - 1 : n),
		c->summary ? c->summary : "");
}

/* Commands whose first words are these: "help info". */
static bool print_group(const char *words)
{
	bool any = false;
	for (size_t t = 0; command_tables[t]; t++)
		for (const struct command *c = command_tables[t]; c->name; c++)
			if (command_after_words(c->name, words, strlen(words))) {
				print_summary(c);
				any = true;
			}
	return any;
}

static struct cudasim_error *command_help(const char *argument)
{
	const struct command *command;
	const char *rest;
	if (!*argument) {
		fputs("List of classes of commands:\n\n", console);
		for (int i = 0; i < N_CLASSES; i++)
			fprintf(console, "%s -- %s\n", classes[i].name, classes[i].what);
		fputs("\nType \"help\" followed by a class name for a list of commands in that class, or by a\n"
		      "command name for its help. Command name abbreviations are allowed if unambiguous.\n"
		      "Type \"apropos word\" to search for commands related to \"word\".\n", console);
		return NULL;
	}
	for (int i = 0; i < N_CLASSES; i++)
		if (!strcmp(argument, classes[i].name)) {
			fprintf(console, "%s.\n\n", classes[i].what);
			for (const struct command *c = classes[i].commands; c->name; c++)
				print_summary(c);
			return NULL;
		}
	if (definition_help(argument))
		return NULL;
	struct cudasim_error *error = command_find(argument, &command, &rest);
	if (!error && !*rest) {
		print_help(command);
		if (!strchr(argument, ' ')) {
			char *words = strdup(command->name);
			if (words)
				print_group(words);
			free(words);
		}
		return NULL;
	}
	if (print_group(argument)) {
		cudasim_error_free(error);
		return NULL;
	}
	if (!error)
		error = cudasim_error_new(CUDASIM_E_NOTFOUND, "Undefined command: \"%s\".  Try \"help\".",
					  argument);
	return error;
}

static bool mentions(const regex_t *wanted, const struct command *c)
{
	const char *const texts[] = {c->name, c->summary, c->text, c->usage};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (texts[i] && !regexec(wanted, texts[i], 0, NULL, 0))
			return true;
	return false;
}

static struct cudasim_error *command_apropos(const char *argument)
{
	regex_t wanted;
	if (!*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "REGEXP string is empty");
	if (regcomp(&wanted, argument, REG_EXTENDED | REG_ICASE | REG_NOSUB))
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Error in regular expression: %s", argument);
	for (size_t t = 0; command_tables[t]; t++)
		for (const struct command *c = command_tables[t]; c->name; c++)
			if (mentions(&wanted, c))
				print_summary(c);
	regfree(&wanted);
	return NULL;
}

/* ---- set, show -------------------------------------------------------------------- */

static struct cudasim_error *assign(const char *text)
{
	struct value value;
	struct cudasim_error *error = evaluate_text(text, &value);
	if (!error)
		value_fini(&value);
	return error;
}

static struct cudasim_error *command_set(const char *argument)
{
	bool found;
	if (!*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
			"\"set\" must be followed by a setting or an assignment; \"show\" lists settings.");
	struct cudasim_error *error = setting_assign(argument, &found);
	if (found)
		return error;
	/* set $x = 5, set x = 3, set x[1].y = 2 */
	if (strchr(argument, '=') || *argument == '$')
		return assign(argument);
	size_t n = strcspn(argument, " ");
	const char *rest = text_skip(argument + n);
	if (!setting_is_group(argument, n))
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "No symbol \"%.*s\" in current context.",
					 (int)n, argument);
	if (!*rest)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "\"set %.*s\" must be followed by the name of a setting; "
					 "\"show %.*s\" lists them.", (int)n, argument, (int)n, argument);
	return cudasim_error_new(CUDASIM_E_NOTFOUND,
				 "Undefined set %.*s command: \"%s\".  Try \"show %.*s\".", (int)n,
				 argument, rest, (int)n, argument);
}

static struct cudasim_error *command_show(const char *argument)
{
	return setting_show(argument);
}

static void print_convenience(void *user, const char *name, const struct value *value)
{
	(void)user;
	fprintf(console, "$%s = ", name);
	value_print(console, value, 0, 0, true);
	fputc('\n', console);
}

static struct cudasim_error *show_convenience(const char *argument)
{
	(void)argument;
	convenience_each(print_convenience, NULL);
	return NULL;
}

static struct cudasim_error *show_version(const char *argument)
{
	(void)argument;
	fputs("cudasim " CUDASIM_VERSION "\n", console);
	return NULL;
}

static struct cudasim_error *show_commands(const char *argument)
{
	(void)argument;
	lineedit_list(console, 10);
	return NULL;
}

/* ---- leaving ------------------------------------------------------------------------ */

static struct cudasim_error *command_quit(const char *argument)
{
	int64_t status = 0;
	if (*argument) {
		struct cudasim_error *error = evaluate_integer(argument, &status);
		if (error)
			return error;
	}
	if (program_is_running() && !command_confirm("A debugging session is active.\n\n"
						     "\tInferior 1 [process %d] will be killed.\n\n"
						     "Quit anyway? ", (int)getpid()))
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Not confirmed.");
	repl_quit((int)(status & 0xff));
}

/* ---- the shell ------------------------------------------------------------------------ */

static struct cudasim_error *command_shell(const char *argument)
{
	fflush(console);
	pid_t child = vfork();
	if (!child) {
		dup2(console_descriptor(), 1);
		if (*argument)
			execl("/bin/sh", "sh", "-c", argument, (char *)NULL);
		else
			execl("/bin/sh", "sh", (char *)NULL);
		_exit(127);
	}
	int status = 0;
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (child < 0)
		return cudasim_error_errno(errno, "Cannot run a shell");
	return NULL;
}

static struct cudasim_error *command_cd(const char *argument)
{
	const char *to = *argument ? argument : getenv("HOME");
	char path[PATH_MAX];
	if (!to || chdir(to))
		return cudasim_error_new(CUDASIM_E_SYSTEM, "%s: %s.", to ? to : "~", strerror(errno));
	fprintf(console, "Working directory %s.\n", getcwd(path, sizeof path) ? path : to);
	return NULL;
}

static struct cudasim_error *command_pwd(const char *argument)
{
	char path[PATH_MAX];
	(void)argument;
	if (getcwd(path, sizeof path))
		fprintf(console, "Working directory %s.\n", path);
	return NULL;
}

static struct cudasim_error *command_make(const char *argument)
{
	char *line = NULL;
	if (asprintf(&line, "make %s", argument) < 0)
		return &cudasim_error_nomem;
	struct cudasim_error *error = command_shell(line);
	free(line);
	return error;
}

const struct command commands_support[] = {
	{.name = "help", .aliases = "h", .run = command_help, .completer = COMPLETE_COMMAND,
	 .usage = "help [COMMAND | CLASS]", .summary = "Show what commands there are, and what they do.",
	 .example = "help break"},
	{.name = "apropos", .run = command_apropos, .usage = "apropos REGEX",
	 .summary = "Search for commands whose help matches.", .example = "apropos warp"},
	{.name = "set", .run = command_set, .completer = COMPLETE_EXPRESSION,
	 .usage = "set SETTING VALUE | set EXPR = VALUE",
	 .summary = "Change a setting of the debugger, or a variable.", .example = "set step-unit thread"},
	{.name = "show", .run = command_show, .usage = "show [SETTING]",
	 .summary = "Show a setting, or all.", .example = "show step-unit"},
	{.name = "show convenience", .aliases = "show conv", .run = show_convenience,
	 .usage = "show convenience", .summary = "Show convenience variables.",
	 .example = "show convenience"},
	{.name = "show version", .run = show_version, .usage = "show version",
	 .summary = "Show cudasim's version.", .example = "show version"},
	{.name = "show commands", .run = show_commands, .usage = "show commands",
	 .summary = "Show the last commands typed.", .example = "show commands"},
	{.name = "quit", .aliases = "q,exit", .run = command_quit, .usage = "quit [STATUS]",
	 .summary = "Leave the debugger; a running program is killed.", .example = "quit"},
	{.name = "shell", .aliases = "!", .run = command_shell, .usage = "shell [COMMAND]",
	 .summary = "Run a command of the shell.", .example = "!ls"},
	{.name = "cd", .run = command_cd, .completer = COMPLETE_FILE, .usage = "cd [FOLDER]",
	 .summary = "Change the working folder of the debugger and the program.", .example = "cd src"},
	{.name = "pwd", .run = command_pwd, .usage = "pwd", .summary = "Show the working folder.",
	 .example = "pwd"},
	{.name = "make", .run = command_make, .usage = "make [ARGUMENTS]", .summary = "Run make.",
	 .example = "make"},
	{0},
};
