/* SPDX-License-Identifier: Apache-2.0 */
/* inputs.c - read lines of the inputs, run them, print what went wrong.
 *
 * Errors end in text here. After an error in a command file the file goes on, unless
 * `set script-errors stop`. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "baton.h"
#include "command_table.h"
#include "console.h"
#include "error.h"
#include "input.h"
#include "lineedit.h"
#include "shell_state.h"
#include "text.h"

__attribute__((noreturn)) void repl_quit(int status)
{
	if (shell_state()->quits)
		shell_state()->quits(status);
	lineedit_save();
	fflush(console());
	/* A program that goes on without the debugger ends by itself. */
	if (program_is_detached())
		pthread_exit(NULL);
	/* Not through _exit(), which tells the debugger. */
	for (;;)
		syscall(SYS_exit_group, status);
}

bool repl_has_failed(void)
{
	return shell_state()->report.last_failed;
}

void repl_forget_failure(void)
{
	shell_state()->report.last_failed = false;
}

void repl_report(struct cudasim_error *error)
{
	shell_state()->report.last_failed = error;
	if (!error)
		return;
	/* An empty one has been said by whoever made it. */
	if (*error->message)
		fprintf(console(), "%s%s\n", input_place(), error->message);
	cudasim_error_free(error);
}

struct cudasim_error *repl_run_line(const char *line)
{
	static char *last;
	const struct command *command;
	const char *argument, *text = text_skip(line);
	console_new_command();
	if (*text && *text != '#') {
		free(last);
		last = NULL;
		struct cudasim_error *error = command_find(text, &command, &argument);
		if (!error && command->repeats && !input_depth())
			last = strdup(text);
		cudasim_error_free(error);
		return command_execute(text);
	}
	if (*text || !last || input_depth())
		return NULL;
	/* list goes on where it was, x too: without their arguments. */
	struct cudasim_error *error = command_find(last, &command, &argument);
	if (error)
		return error;
	bool bare = !strcmp(command->name, "list") || !strcmp(command->name, "x");
	return command_execute(bare ? command->name : last);
}

struct cudasim_error *repl_run_inputs(size_t depth)
{
	while (input_depth() > depth) {
		size_t at = input_depth();
		char *line = input_line("");
		if (!line)
			continue;
		struct cudasim_error *error = repl_run_line(line);
		free(line);
		if (!error && (error = interrupt_quits())) {
			input_drop(depth);
			return error;
		}
		if (error && (shell_state()->stops_scripts || input_depth() < at)) {
			const char *place = input_place();
			struct cudasim_error *whole =
				*place ? cudasim_error_new(error->code,
							   "%sError in sourced command file:\n%s",
							   place, error->message)
				       : NULL;
			if (whole)
				cudasim_error_free(error);
			input_drop(depth);
			return whole ? whole : error;
		}
		repl_report(error);
		if (script_skips())
			input_drop(depth);
	}
	return NULL;
}
