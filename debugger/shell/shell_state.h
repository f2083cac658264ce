/* SPDX-License-Identifier: Apache-2.0 */
/* shell_state.h - what the command line keeps, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_SHELL_STATE_H
#define CUDASIM_DEBUGGER_SHELL_STATE_H

#include <stdio.h>

#include "command.h"

/* console.c */
struct shell_console {
	int descriptor, log_descriptor, other_descriptor;
	bool overwrite, redirect;
	char *log_file;
	uint32_t lines_shown;
	bool page_off, page_quit;
};

/* input.c */
struct shell_inputs {
	struct input *top;
	size_t depth;
	int lowest;
};

/* inputs.c */
struct shell_report {
	bool last_failed;
};

/* lineedit.c */
struct shell_editor {
	struct editline *editor; /* libedit's */
	struct history *past;
	const char *prompt_now;
	bool is_dropped, is_question;
	bool has_listed; /* Tab was pressed before, on this text */
};

/* script.c */
struct shell_scripts {
	struct definition *definitions;
	bool broken, continued; /* loop_break and loop_continue have been run */
	int loops;
};

/* settings.c */
struct shell_settings {
	int script_errors;
	bool history_save;
};

struct shell_state {
	/* All arrays of commands; ends with NULL. Set once, before the first command is looked
	 * for. */
	const struct command *const *tables;
	FILE *stream; /* the console */
	bool is_batch; /* nobody is asked */
	void (*quits)(int status); /* told before the process ends; NULL: nothing */
	/* Settings of the REPL's own. */
	bool confirm, pagination, stops_scripts;
	uint32_t width, height;
	char *prompt;
	struct shell_console console;
	struct shell_inputs inputs;
	struct shell_report report;
	struct shell_editor editor;
	struct shell_scripts scripts;
	struct shell_settings settings;
};
#define SHELL_STATE_INITIAL                                                                        \
	{                                                                                          \
		.confirm = true, .pagination = true,                                               \
		.console = {.descriptor = -1, .log_descriptor = -1, .other_descriptor = -1},       \
		.editor = {.prompt_now = ""}, .settings = {                                        \
			.history_save = true                                                       \
		}                                                                                  \
	}
/* The debugger's own: its address never changes. */
__attribute__((const)) struct shell_state *shell_state(void);

#endif
