/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - settings of the shell's own, and those of printing. */
#include <stdlib.h>
#include <string.h>

#include "command_table.h"
#include "setting.h"
#include "shell_state.h"
#include "value.h"

static void script_errors_changed(void)
{
	shell_state()->stops_scripts = shell_state()->settings.script_errors;
}

#define PRINT(member, name_, text)                                                                 \
	{"print " name_, SETTING_BOOL, &print_settings()->member, NULL, text " is %s.", text, NULL}
static const char *const script_choices[] = {"continue", "stop", NULL};
__attribute__((constructor(200))) static void add_own(void)
{
	struct shell_settings *own = &shell_state()->settings;
	shell_state()->prompt = strdup("(cudasim) ");
	const struct setting settings[] = {
		{"confirm", SETTING_BOOL, &shell_state()->confirm, NULL,
		 "Whether to confirm potentially dangerous operations is %s.",
		 "ask before actions that cannot be undone", NULL},
		{"pagination", SETTING_BOOL, &shell_state()->pagination, NULL,
		 "State of pagination is %s.", "stop after each page on a terminal", NULL},
		{"height", SETTING_NUMBER, &shell_state()->height, NULL,
		 "Number of lines the debugger thinks are in a page is %s.", "lines of a page",
		 NULL},
		{"width", SETTING_NUMBER, &shell_state()->width, NULL,
		 "Number of characters the debugger thinks are in a line is %s.",
		 "characters of a line", NULL},
		{"prompt", SETTING_TEXT, &shell_state()->prompt, NULL,
		 "The debugger's prompt is \"%s\".", "the prompt", NULL},
		{"history save", SETTING_BOOL, &own->history_save, NULL,
		 "Saving of the history record on exit is %s.",
		 "keep the history of commands between runs", NULL},
		{"script-errors", SETTING_CHOICE, &own->script_errors, script_choices,
		 "After an error a command file continues or stops: %s.",
		 "what a command file does after an error", script_errors_changed},
	};
	settings_add(settings, sizeof settings / sizeof *settings);
	const struct setting print[] = {
		PRINT(pretty, "pretty", "Pretty formatting of structures"),
		PRINT(symbol, "symbol", "Printing of symbol names when printing pointers"),
		PRINT(address, "address", "Printing of addresses"),
		PRINT(array, "array", "Pretty formatting of arrays"),
		PRINT(array_indexes, "array-indexes", "Printing of array indexes"),
		PRINT(object, "object", "Printing of objects by their most derived type"),
		PRINT(unions, "union", "Printing of unions interior to structures"),
		PRINT(static_members, "static-members", "Printing of C++ static members"),
		{"print elements", SETTING_NUMBER, &print_settings()->elements, NULL,
		 "Limit on string chars or array elements to print is %s.",
		 "elements of arrays to print", NULL},
		{"print repeats", SETTING_NUMBER, &print_settings()->repeats, NULL,
		 "Threshold for repeated print elements is %s.",
		 "equal elements are folded from so many on", NULL},
		{"print max-depth", SETTING_NUMBER, &print_settings()->max_depth, NULL,
		 "Maximum print depth is %s.", "structures nested deeper are {...}", NULL},
	};
	settings_add(print, sizeof print / sizeof *print);
}
