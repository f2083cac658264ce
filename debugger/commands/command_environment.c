/* SPDX-License-Identifier: Apache-2.0 */
/* command_environment.c - what a program begins with: environment and terminal. The
 * environment is that of this process, and goes on to the next run. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "console.h"
#include "error.h"
#include "setting.h"
#include "text.h"

extern char **environ;

static struct cudasim_error *set_environment(const char *argument)
{
	size_t n = strcspn(argument, "= \t");
	if (!n)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Argument required (environment variable and value).");
	char *name = strndup(argument, n);
	const char *value = text_skip(argument + n);
	if (*value == '=')
		value = text_skip(value + 1);
	if (!name)
		return &cudasim_error_nomem;
	if (!*value)
		fprintf(console(), "Setting environment variable \"%s\" to null value.\n", name);
	bool failed = setenv(name, value, 1);
	free(name);
	return failed ? &cudasim_error_nomem : NULL;
}

static struct cudasim_error *unset_environment(const char *argument)
{
	if (!*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Argument required (environment variable to remove).");
	if (unsetenv(argument))
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "%s is not the name of a variable.",
					 argument);
	return NULL;
}

static struct cudasim_error *show_environment(const char *argument)
{
	const char *value = *argument ? getenv(argument) : NULL;
	if (value)
		fprintf(console(), "%s = %s\n", argument, value);
	else if (*argument)
		fprintf(console(), "Environment variable \"%s\" not defined.\n", argument);
	for (char **one = environ; !*argument && one && *one; one++)
		fprintf(console(), "%s\n", *one);
	return NULL;
}

static struct cudasim_error *command_tty(const char *argument)
{
	char *line = NULL;
	if (!*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Argument required (terminal or file).");
	if (asprintf(&line, "inferior-tty %s", argument) < 0)
		return &cudasim_error_nomem;
	bool found;
	struct cudasim_error *error = setting_assign(line, &found);
	free(line);
	return error;
}

const struct command commands_environment[] = {
	{.name = "tty",
	 .run = command_tty,
	 .completer = COMPLETE_FILE,
	 .usage = "tty FILE",
	 .summary = "The program's standard streams are on that terminal from the next run on.",
	 .text = "The same as `set inferior-tty FILE`; redirections of `run` come after it.",
	 .example = "tty /dev/pts/3"},
	{.name = "set environment",
	 .run = set_environment,
	 .usage = "set environment NAME=VALUE",
	 .summary = "Set an environment variable of the program.",
	 .text = "What the program has read of it before stays as it is: run again.",
	 .example = "set environment OMP_NUM_THREADS=1"},
	{.name = "unset environment",
	 .run = unset_environment,
	 .usage = "unset environment NAME",
	 .summary = "Remove an environment variable of the program.",
	 .example = "unset environment LD_PRELOAD"},
	{.name = "show environment",
	 .run = show_environment,
	 .usage = "show environment [NAME]",
	 .summary = "Show the program's environment.",
	 .example = "show environment HOME"},
	{0},
};
