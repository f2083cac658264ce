/* SPDX-License-Identifier: Apache-2.0 */
/* command_stack.c - backtrace, and moving among frames; the table of the commands
 * on the stack, sources and symbols. */
#define _GNU_SOURCE
#include "command_stack.h"

#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "error.h"
#include "expression.h"
#include "frame_print.h"
#include "listing_state.h"
#include "report_state.h"
#include "setting.h"
#include "source_list.h"
#include "source_state.h"
#include "stack.h"

static struct cudasim_error *no_stack(void)
{
	return cudasim_error_new(CUDASIM_E_NOTFOUND, "No stack.");
}

struct cudasim_error *no_frame(void)
{
	return cudasim_error_new(CUDASIM_E_NOTFOUND, "No frame selected.");
}

/* ---- backtrace ------------------------------------------------------------------ */

static bool take(const char **text, const char *word)
{
	size_t n = strlen(word);
	if (strncmp(*text, word, n) || (*text)[n] > ' ')
		return false;
	*text += n;
	*text += strspn(*text, " \t");
	return true;
}

static struct cudasim_error *command_backtrace(const char *argument)
{
	const struct frame *frames;
	bool full = false;
	int64_t count = 0;
	while (take(&argument, "full") || take(&argument, "-full"))
		full = true;
	if (*argument) {
		struct cudasim_error *error = evaluate_integer(argument, &count);
		if (error)
			return error;
		if (!count)
			return NULL;
	}
	size_t n = frames_of_focus(&frames), from = 0, to = n;
	if (!n)
		return no_stack();
	if (count > 0 && (uint64_t)count < n)
		to = (size_t)count;
	if (count < 0 && (uint64_t)-count < n)
		from = n - (size_t)-count;
	for (size_t i = from; i < to; i++) {
		frame_print(console(), &frames[i], true, true);
		if (full)
			frame_print_locals(console(), &frames[i], 8);
	}
	if (to < n)
		fputs("(More stack frames follow...)\n", console());
	return NULL;
}

/* ---- moving -------------------------------------------------------------------------- */

static void show_selected(void)
{
	const struct frame *frame = frame_selected();
	frame_print(console(), frame, true, true);
	frame_print_source(console(), frame);
}

static struct cudasim_error *frame_by_function(const char *name)
{
	const struct function *functions[64];
	const struct frame *frames;
	size_t n = frames_of_focus(&frames), found = symbols_functions(name, functions, 64);
	if (!found)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "Function \"%s\" not defined.", name);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < found && k < 64; k++)
			if (frames[i].is_inlined ? !strcmp(frames[i].name, functions[k]->name)
						 : frames[i].function == functions[k])
				return frame_select((uint32_t)i);
	return cudasim_error_new(CUDASIM_E_NOTFOUND, "No frame for function \"%s\".", name);
}

static struct cudasim_error *frame_by_address(const char *text)
{
	const struct frame *frames;
	int64_t address;
	struct cudasim_error *error = evaluate_integer(text, &address);
	size_t n = error ? 0 : frames_of_focus(&frames);
	for (size_t i = 0; i < n; i++)
		if (frames[i].base == (uint64_t)address)
			return frame_select((uint32_t)i);
	return error ? error
		     : cudasim_error_new(CUDASIM_E_NOTFOUND, "No frame at address %s.", text);
}

/* The frame that is named, selected. */
static struct cudasim_error *select_named(const char *argument)
{
	int64_t level;
	if (take(&argument, "function"))
		return frame_by_function(argument);
	if (take(&argument, "address"))
		return frame_by_address(argument);
	take(&argument, "level");
	struct cudasim_error *error = evaluate_integer(argument, &level);
	if (error)
		return error;
	if (level < 0 || level > UINT32_MAX)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "No frame at level %s.", argument);
	return frame_select((uint32_t)level);
}

static struct cudasim_error *command_frame(const char *argument)
{
	if (!frame_selected())
		return no_stack();
	struct cudasim_error *error = *argument ? select_named(argument) : NULL;
	if (!error)
		show_selected();
	return error;
}

static struct cudasim_error *command_select_frame(const char *argument)
{
	if (!frame_selected())
		return no_stack();
	return *argument ? select_named(argument) : NULL;
}

/* Move by `argument` frames (1 where it is empty), outwards where sign is 1. Only a
 * move without a count says that there is no further frame. */
static struct cudasim_error *move(const char *argument, int sign)
{
	const struct frame *frames, *frame = frame_selected();
	int64_t count = 1;
	if (!frame)
		return no_stack();
	if (*argument) {
		struct cudasim_error *error = evaluate_integer(argument, &count);
		if (error)
			return error;
	}
	int64_t last = (int64_t)frames_of_focus(&frames) - 1;
	int64_t room = count * sign < 0 ? frame->level : last - frame->level;
	int64_t way = count < -room ? -room : count > room ? room : count;
	if (!way && !*argument)
		return cudasim_error_new(
			CUDASIM_E_NOTFOUND,
			sign > 0 ? "Initial frame selected; you cannot go up."
				 : "Bottom (innermost) frame selected; you cannot go down.");
	return frame_select((uint32_t)((int64_t)frame->level + way * sign));
}

static struct cudasim_error *command_up(const char *argument)
{
	struct cudasim_error *error = move(argument, 1);
	if (!error)
		show_selected();
	return error;
}

static struct cudasim_error *command_down(const char *argument)
{
	struct cudasim_error *error = move(argument, -1);
	if (!error)
		show_selected();
	return error;
}

static struct cudasim_error *command_up_silently(const char *argument)
{
	return move(argument, 1);
}

static struct cudasim_error *command_down_silently(const char *argument)
{
	return move(argument, -1);
}

/* ---- the table -------------------------------------------------------------------------- */

const struct command commands_stack[] = {
	{.name = "backtrace",
	 .aliases = "bt,where,info stack",
	 .run = command_backtrace,
	 .usage = "backtrace [full] [N | -N]",
	 .summary = "Print the frames of the focused thread, innermost first",
	 .text = "Inlined calls have frames of their own. Below a kernel's frame are the host's\n"
		 "frames that launched it. N: the innermost N frames, -N: the outermost N;\n"
		 "full: with the locals of each.",
	 .example = "backtrace full 2"},
	{.name = "frame",
	 .aliases = "f",
	 .run = command_frame,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "frame [[level] N | function NAME | address ADDR]",
	 .summary = "Select a frame and print it; without argument, print the selected one",
	 .example = "frame 1"},
	{.name = "select-frame",
	 .run = command_select_frame,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "select-frame [level] N | function NAME | address ADDR",
	 .summary = "frame without printing the frame",
	 .example = "select-frame 1"},
	{.name = "up",
	 .run = command_up,
	 .repeats = true,
	 .usage = "up [N]",
	 .summary = "Select the caller's frame, or the Nth one outwards",
	 .example = "up 2"},
	{.name = "down",
	 .aliases = "dow",
	 .run = command_down,
	 .repeats = true,
	 .usage = "down [N]",
	 .summary = "Select the called frame, or the Nth one inwards",
	 .example = "down"},
	{.name = "up-silently",
	 .run = command_up_silently,
	 .usage = "up-silently [N]",
	 .summary = "up without printing the frame",
	 .example = "up-silently"},
	{.name = "down-silently",
	 .run = command_down_silently,
	 .usage = "down-silently [N]",
	 .summary = "down without printing the frame",
	 .example = "down-silently"},
	{.name = "info frame",
	 .aliases = "info f",
	 .run = command_info_frame,
	 .usage = "info frame",
	 .summary = "All about the selected frame",
	 .example = "info frame"},
	{.name = "info args",
	 .run = command_info_args,
	 .usage = "info args [REGEX]",
	 .summary = "Arguments of the selected frame",
	 .example = "info args"},
	{.name = "info locals",
	 .run = command_info_locals,
	 .usage = "info locals [-q] [REGEX]",
	 .summary = "Local variables of the selected frame, those of the innermost scope first",
	 .example = "info locals"},
	{.name = "list",
	 .aliases = "l",
	 .run = command_list,
	 .repeats = true,
	 .completer = COMPLETE_LOCATION,
	 .usage = "list [- | . | LOCATION | FIRST,LAST | FIRST, | ,LAST]",
	 .summary = "Print source lines",
	 .text = "Without argument: around the selected frame's line, then on from there; `list -`\n"
		 "goes backwards, `list .` returns to the frame's line. A location is a line number,\n"
		 "FILE:N, a function, FILE:FUNCTION or *ADDRESS.",
	 .example = "list advance"},
	{.name = "forward-search",
	 .aliases = "search,fo",
	 .run = command_search,
	 .repeats = true,
	 .usage = "forward-search REGEX",
	 .summary = "The next source line that matches, behind those listed last",
	 .text = "$_ is its number.",
	 .example = "search atomicAdd"},
	{.name = "reverse-search",
	 .aliases = "rev",
	 .run = command_reverse_search,
	 .repeats = true,
	 .usage = "reverse-search REGEX",
	 .summary = "The last source line that matches, before those listed last",
	 .example = "reverse-search __shared__"},
	{.name = "demangle",
	 .run = command_demangle,
	 .usage = "demangle [--] NAME",
	 .summary = "A mangled name as C++ writes it",
	 .example = "demangle _Z4pullPfi"},
	{.name = "info line",
	 .run = command_info_line,
	 .completer = COMPLETE_LOCATION,
	 .usage = "info line [LOCATION]",
	 .summary = "The code of a source line",
	 .example = "info line tour.cu:28"},
	{.name = "info source",
	 .run = command_info_source,
	 .usage = "info source",
	 .summary = "About the current source file",
	 .example = "info source"},
	{.name = "info sources",
	 .run = command_info_sources,
	 .usage = "info sources [REGEX]",
	 .summary = "Source files of the program",
	 .example = "info sources tour"},
	{.name = "directory",
	 .aliases = "dir",
	 .run = command_directory,
	 .completer = COMPLETE_FILE,
	 .usage = "directory [DIR[:DIR...]]",
	 .summary = "Where else to look for source files; without argument, nowhere else",
	 .example = "directory ../src"},
	{.name = "info symbol",
	 .run = command_info_symbol,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "info symbol ADDR",
	 .summary = "The symbol that contains an address",
	 .example = "info symbol $pc"},
	{.name = "info address",
	 .run = command_info_address,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "info address NAME",
	 .summary = "Where a variable or function lies",
	 .example = "info address tile"},
	{.name = "info scope",
	 .run = command_info_scope,
	 .completer = COMPLETE_LOCATION,
	 .usage = "info scope LOCATION",
	 .summary = "The variables that are there at a place",
	 .example = "info scope tour.cu:23"},
	{.name = "info functions",
	 .run = command_info_functions,
	 .usage = "info functions [REGEX]",
	 .summary = "Functions by file",
	 .example = "info functions ^geo::"},
	{.name = "info variables",
	 .run = command_info_variables,
	 .usage = "info variables [REGEX]",
	 .summary = "Global variables by file",
	 .example = "info variables"},
	{.name = "info vtbl",
	 .run = command_info_vtbl,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "info vtbl EXPR",
	 .summary = "The virtual tables of an object",
	 .text = "Those of its class and of its bases; `set print object on` does not matter here.",
	 .example = "info vtbl *shape"},
	{.name = "info types",
	 .run = command_info_types,
	 .usage = "info types [REGEX]",
	 .summary = "Types of the program by file",
	 .example = "info types Tile"},
	{0},
};

static const char *const argument_choices[] = {"all", "scalars", "none", "presence", NULL};

static void directories_changed(void)
{
	source_directories_set(listing_state()->directories.directories_shown);
}

/* Where the program was compiled, and where it runs: always searched, last. */
static const char always[] = "$cdir:$cwd";

struct cudasim_error *command_directory(const char *argument)
{
	struct listing_directories *own = &listing_state()->directories;
	/* What is named comes before what was named earlier. */
	char *all = NULL;
	if (asprintf(&all, "%s%s%s", argument, *argument ? ":" : "",
		     *argument ? own->directories_shown : always) < 0)
		return &cudasim_error_nomem;
	for (char *at = all; *at; at++)
		if (*at == ' ')
			*at = ':';
	free(own->directories_shown);
	own->directories_shown = all;
	directories_changed();
	fprintf(console(), "Source directories searched: %s\n", own->directories_shown);
	return NULL;
}

__attribute__((constructor)) static void start(void)
{
	struct listing_directories *own = &listing_state()->directories;
	own->directories_shown = strdup(always);
	const struct setting settings[] = {
		{.name = "listsize",
		 .kind = SETTING_NUMBER,
		 .value = &source_state()->list_size,
		 .show = "Number of source lines list shows at once is %s.",
		 .summary = "Lines that list shows at once"},
		{.name = "print frame-arguments",
		 .kind = SETTING_CHOICE,
		 .value = &report_state()->frame_arguments,
		 .choices = argument_choices,
		 .show = "Printing of non-scalar frame arguments is \"%s\".",
		 .summary = "How a frame's line shows the arguments"},
		{.name = "print short-names",
		 .kind = SETTING_BOOL,
		 .value = &report_state()->short_names,
		 .show = "Short names of functions of libraries are %s.",
		 .summary =
			 "names of libraries' functions without versions and long template arguments"},
		{.name = "directories",
		 .kind = SETTING_TEXT,
		 .value = &own->directories_shown,
		 .show = "Source directories searched: %s",
		 .changed = directories_changed,
		 .summary = "Where else to look for source files"},
	};
	settings_add(settings, sizeof settings / sizeof *settings);
}
