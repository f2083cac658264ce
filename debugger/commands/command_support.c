/* SPDX-License-Identifier: Apache-2.0 */
/* command_support.c - help, set, show, quit, and what concerns the shell. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "baton.h"
#include "command_table.h"
#include "commands.h"
#include "complete.h"
#include "console.h"
#include "error.h"
#include "expression.h"
#include "history.h"
#include "lineedit.h"
#include "setting.h"
#include "text.h"

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
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"\"set\" must be followed by a setting or an assignment; \"show\" lists settings.");
	struct cudasim_error *error = setting_assign(argument, &found);
	if (found)
		return error;
	/* set $x = 5, set x = 3, set x[1].y = 2 */
	if (strchr(argument, '=') || *argument == '$')
		return assign(argument);
	error = setting_fixed_assign(argument, &found);
	if (found)
		return error;
	size_t n = strcspn(argument, " ");
	const char *rest = text_skip(argument + n);
	if (!setting_is_group(argument, n))
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "No symbol \"%.*s\" in current context.", (int)n,
					 argument);
	if (!*rest)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "\"set %.*s\" must be followed by the name of a setting; "
					 "\"show %.*s\" lists them.",
					 (int)n, argument, (int)n, argument);
	return cudasim_error_new(CUDASIM_E_NOTFOUND,
				 "Undefined set %.*s command: \"%s\".  Try \"show %.*s\".", (int)n,
				 argument, rest, (int)n, argument);
}

static struct cudasim_error *command_show(const char *argument)
{
	return *argument && setting_fixed_show(argument) ? NULL : setting_show(console(), argument);
}

static void print_convenience(void *user, const char *name, const struct value *value)
{
	*(bool *)user = true;
	fprintf(console(), "$%s = ", name);
	value_print(console(), value, 0, 0, true);
	fputc('\n', console());
}

static struct cudasim_error *show_convenience(const char *argument)
{
	bool any = false;
	(void)argument;
	convenience_each(print_convenience, &any);
	if (!any)
		fputs("No convenience variables are set: set $NAME = EXPR sets one.\n", console());
	return NULL;
}

/* Ten values around N; behind those shown last with +; the last ten. */
static struct cudasim_error *show_values(const char *argument)
{
	static int64_t next;
	int64_t n = history_length(), first = n - 9;
	if (!strcmp(argument, "+")) {
		first = next;
	} else if (*argument) {
		struct cudasim_error *error = evaluate_integer(argument, &first);
		if (error)
			return error;
		first -= 5;
	}
	if (first < 1)
		first = 1;
	for (next = first; next <= n && next < first + 10; next++) {
		struct value value;
		struct cudasim_error *error = history_at(next, &value);
		if (error)
			return error;
		fprintf(console(), "$%lld = ", (long long)next);
		value_print(console(), &value, 0, 0, true);
		fputc('\n', console());
		value_fini(&value);
	}
	return NULL;
}

static struct cudasim_error *show_version(const char *argument)
{
	(void)argument;
	fputs("cudasim " CUDASIM_VERSION "\n", console());
	return NULL;
}

static struct cudasim_error *show_commands(const char *argument)
{
	(void)argument;
	lineedit_list(console(), 10);
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
						     "Quit anyway? ",
						     (int)getpid()))
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Not confirmed.");
	repl_quit((int)(status & 0xff));
}

/* ---- the shell ------------------------------------------------------------------------ */

static struct cudasim_error *command_shell(const char *argument)
{
	fflush(console());
	pid_t child = vfork();
	if (!child) {
		dup2(console_descriptor(), 1);
		if (*argument)
			execl("/bin/sh", "sh", "-c", argument, (char *)NULL);
		else
			execl("/bin/sh", "sh", (char *)NULL);
		syscall(SYS_exit_group, 127);
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
		return cudasim_error_new(CUDASIM_E_SYSTEM, "%s: %s.", to ? to : "~",
					 strerror(errno));
	fprintf(console(), "Working directory %s.\n", getcwd(path, sizeof path) ? path : to);
	return NULL;
}

static struct cudasim_error *command_pwd(const char *argument)
{
	char path[PATH_MAX];
	(void)argument;
	if (getcwd(path, sizeof path))
		fprintf(console(), "Working directory %s.\n", path);
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

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct cudasim_error *command_complete(const char *argument)
{
	struct completions all;
	complete_line(argument, &all);
	if (all.n)
		qsort(all.words, all.n, sizeof *all.words, by_text);
	for (size_t i = 0; i < all.n; i++)
		fprintf(console(), "%.*s%s\n", (int)all.start, argument, all.words[i]);
	completions_fini(&all);
	return NULL;
}

const struct command commands_support[] = {
	{.name = "complete",
	 .run = command_complete,
	 .completer = COMPLETE_COMMAND,
	 .usage = "complete TEXT",
	 .summary = "What Tab would offer behind TEXT, one line each",
	 .example = "complete info cuda b"},
	{.name = "help",
	 .aliases = "h",
	 .run = command_help,
	 .completer = COMPLETE_COMMAND,
	 .usage = "help [COMMAND | CLASS | set SETTING | all]",
	 .summary = "Show what commands there are, and what they do.",
	 .example = "help break"},
	{.name = "apropos",
	 .run = command_apropos,
	 .usage = "apropos REGEX",
	 .summary = "Search for commands and settings whose help matches.",
	 .example = "apropos warp"},
	{.name = "set",
	 .run = command_set,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "set SETTING VALUE | set EXPR = VALUE",
	 .summary = "Change a setting of the debugger, or a variable.",
	 .example = "set step-unit thread"},
	{.name = "show",
	 .run = command_show,
	 .usage = "show [SETTING]",
	 .summary = "Show a setting, or all.",
	 .example = "show step-unit"},
	{.name = "show convenience",
	 .aliases = "show conv",
	 .run = show_convenience,
	 .usage = "show convenience",
	 .summary = "Show convenience variables.",
	 .example = "show convenience"},
	{.name = "show values",
	 .run = show_values,
	 .usage = "show values [N | +]",
	 .summary = "Show the last ten values of the history, those around N, or those after.",
	 .example = "show values 12"},
	{.name = "show version",
	 .run = show_version,
	 .usage = "show version",
	 .summary = "Show cudasim's version.",
	 .example = "show version"},
	{.name = "show commands",
	 .run = show_commands,
	 .usage = "show commands",
	 .summary = "Show the last commands typed.",
	 .example = "show commands"},
	{.name = "quit",
	 .aliases = "q,exit",
	 .run = command_quit,
	 .usage = "quit [STATUS]",
	 .summary = "Leave the debugger; a running program is killed.",
	 .example = "quit"},
	{.name = "shell",
	 .aliases = "!",
	 .run = command_shell,
	 .usage = "shell [COMMAND]",
	 .summary = "Run a command of the shell.",
	 .example = "!ls"},
	{.name = "cd",
	 .run = command_cd,
	 .completer = COMPLETE_FILE,
	 .usage = "cd [FOLDER]",
	 .summary = "Change the working folder of the debugger and the program.",
	 .example = "cd src"},
	{.name = "pwd",
	 .run = command_pwd,
	 .usage = "pwd",
	 .summary = "Show the working folder.",
	 .example = "pwd"},
	{.name = "make",
	 .run = command_make,
	 .usage = "make [ARGUMENTS]",
	 .summary = "Run make.",
	 .example = "make"},
	{0},
};
