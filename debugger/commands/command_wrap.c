/* SPDX-License-Identifier: Apache-2.0 */
/* command_wrap.c - commands that run another one: pipe, with, alias. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command_table.h"
#include "commands.h"
#include "error.h"
#include "setting.h"
#include "text.h"

/* ---- pipe ---------------------------------------------------------------------------- */

/* A shell's command that reads what is written to *to. */
static struct cudasim_error *start_shell(const char *command, pid_t *child, int *to)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC))
		return cudasim_error_errno(errno, "Cannot make a pipe");
	*child = vfork();
	if (!*child) {
		dup2(ends[0], 0);
		dup2(console_descriptor(), 1);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		syscall(SYS_exit_group, 127);
	}
	close(ends[0]);
	*to = ends[1];
	if (*child > 0)
		return NULL;
	close(ends[1]);
	return cudasim_error_errno(errno, "Cannot run a shell");
}

static struct cudasim_error *run_piped(const char *command, const char *shell)
{
	pid_t child;
	int to, status;
	struct cudasim_error *error = start_shell(shell, &child, &to);
	if (error)
		return error;
	/* A reader that ends early (head) must not take the program with it. */
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	sigaction(SIGPIPE, &ignore, &before);
	console_to(to);
	error = command_execute(command);
	console_to(-1);
	close(to);
	sigaction(SIGPIPE, &before, NULL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return error;
}

static struct cudasim_error *command_pipe(const char *argument)
{
	char delimiter[32] = "|", option[8];
	const char *text = argument, *rest = argument;
	if (text_word(&rest, option, sizeof option) && !strcmp(option, "-d")) {
		if (!text_word(&rest, delimiter, sizeof delimiter))
			return cudasim_error_new(CUDASIM_E_ARGUMENT,
						 "-d requires an argument: a delimiter");
		text = text_skip(rest);
	}
	const char *bar = strstr(text, delimiter);
	char *command = bar ? strndup(text, (size_t)(bar - text)) : NULL;
	const char *shell = bar ? text_skip(bar + strlen(delimiter)) : "";
	struct cudasim_error *error = NULL;
	if (!*text)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "Missing COMMAND");
	else if (!bar)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "Missing delimiter before SHELL_COMMAND.");
	else if (!command)
		error = &cudasim_error_nomem;
	else if (!*text_skip(command))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "Missing COMMAND");
	else if (!*shell)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "Missing SHELL_COMMAND");
	else
		error = run_piped(command, shell);
	free(command);
	return error;
}

/* ---- with ---------------------------------------------------------------------------- */

/* The "--" before the command, as a word; or NULL. */
static const char *find_dashes(const char *text)
{
	for (const char *at = strstr(text, "--"); at; at = strstr(at + 2, "--"))
		if (at > text && at[-1] == ' ' && (!at[2] || at[2] == ' '))
			return at;
	return NULL;
}

static struct cudasim_error *command_with(const char *argument)
{
	const char *dashes = find_dashes(argument);
	const char *command = dashes ? text_skip(dashes + 2) : "";
	bool found;
	if (!*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Missing arguments.");
	if (!*command)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Missing nested command after '--'.");
	char *setting = strndup(argument, (size_t)(dashes - argument)), *before = NULL;
	if (!setting)
		return &cudasim_error_nomem;
	for (size_t n = strlen(setting); n && setting[n - 1] == ' '; n--)
		setting[n - 1] = 0;
	struct cudasim_error *error = setting_text(setting, &before);
	if (!error && before)
		error = setting_assign(setting, &found);
	else if (!error && !(error = setting_fixed_assign(setting, &found)) && !found)
		error = cudasim_error_new(CUDASIM_E_NOTFOUND,
					  "Undefined set command: \"%s\".  Try \"show\".", setting);
	if (!error)
		error = command_execute(command);
	if (before) {
		/* It was a value once, so it is one now. */
		struct cudasim_error *again = setting_assign(before, &found);
		cudasim_error_free(again);
	}
	free(before);
	free(setting);
	return error;
}

/* ---- alias --------------------------------------------------------------------------- */

static struct cudasim_error *command_alias(const char *argument)
{
	char name[64];
	const char *text = argument, *meant;
	const struct command *command;
	while (!strncmp(text, "-a ", 3) || !strncmp(text, "-- ", 3))
		text = text_skip(text + 3);
	const char *is = strchr(text, '=');
	size_t n = is ? (size_t)(is - text) : 0;
	while (n && text[n - 1] == ' ')
		n--;
	const char *target = is ? text_skip(is + 1) : "";
	if (!n || n >= sizeof name || !*target)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Usage: alias [-a] [--] ALIAS = COMMAND");
	snprintf(name, sizeof name, "%.*s", (int)n, text);
	const char *old;
	struct cudasim_error *error = command_find(name, &command, &old);
	if (!error && !*old && !strcmp(command->name, name))
		return cudasim_error_new(CUDASIM_E_TAKEN, "Alias already exists: %s", name);
	cudasim_error_free(error);
	error = command_find(target, &command, &meant);
	return error ? error : definition_alias(name, target);
}

const struct command commands_wrap[] = {
	{.name = "pipe",
	 .aliases = "|",
	 .run = command_pipe,
	 .usage = "pipe [-d DELIMITER] COMMAND | SHELL_COMMAND",
	 .summary = "Hand what a command prints to a command of the shell.",
	 .example = "pipe info cuda threads | grep tour.cu"},
	{.name = "with",
	 .aliases = "w",
	 .run = command_with,
	 .usage = "with SETTING [VALUE] -- COMMAND",
	 .summary = "Run a command with another value of a setting.",
	 .example = "with print pretty on -- print me"},
	{.name = "alias",
	 .run = command_alias,
	 .usage = "alias [-a] [--] ALIAS = COMMAND",
	 .summary = "Give a command, with its first arguments, another name.",
	 .text = "Words after the alias follow the command.",
	 .example = "alias ct = info cuda threads"},
	{0},
};
