/* SPDX-License-Identifier: Apache-2.0 */
/* command_breakpoints.c - commands that make, change, list and remove breakpoints. */
#include <ctype.h>
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "breakpoint_commands.h"
#include "console.h"
#include "error.h"
#include "input.h"
#include "stack.h"
#include "stops_state.h"
#include "text.h"

static struct cudasim_error *argument_error(const char *what)
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT, "Argument required (%s).", what);
}

static struct cudasim_error *command_break(const char *argument)
{
	return breakpoint_set(argument, false, NULL);
}

static struct cudasim_error *command_tbreak(const char *argument)
{
	return breakpoint_set(argument, true, NULL);
}

/* ---- rbreak ------------------------------------------------------------------------ */

static struct cudasim_error *command_rbreak(const char *argument)
{
	enum { MAX = 4096 };
	struct cudasim_error *first = NULL;
	size_t n_set = 0;
	regex_t regex;
	if (regcomp(&regex, argument, REG_EXTENDED | REG_NOSUB))
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Invalid regexp: %s", argument);
	regfree(&regex);
	const struct function **functions = calloc(MAX, sizeof *functions);
	if (!functions)
		return &cudasim_error_nomem;
	size_t n = symbols_functions_matching(*argument ? argument : ".", functions, MAX);
	for (size_t i = 0; i < n && i < MAX; i++) {
		bool again = strstr(functions[i]->name, "__device_stub__") != NULL;
		for (size_t k = 0; k < i && !again; k++)
			again = !strcmp(functions[k]->signature, functions[i]->signature);
		if (again)
			continue;
		struct cudasim_error *error = breakpoint_set(functions[i]->signature, false, NULL);
		if (error && first)
			cudasim_error_free(error);
		else if (error)
			first = error;
		if (error)
			continue;
		fprintf(console(), "%s;\n", functions[i]->signature);
		n_set++;
	}
	free(functions);
	if (n_set || !n) {
		cudasim_error_free(first);
		first = NULL;
	}
	if (!n)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "No function matches \"%s\".",
					 argument);
	return first;
}

/* ---- delete, clear -------------------------------------------------------------------- */

static struct cudasim_error *delete_one(void *user, struct breakpoint *b, int location)
{
	(void)user;
	if (location)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Locations cannot be deleted, only disabled: disable "
					 "%d.%d.",
					 b->number, location);
	breakpoint_delete(b);
	return NULL;
}

static struct cudasim_error *command_delete(const char *argument)
{
	if (*argument)
		return breakpoint_numbers(argument, delete_one, NULL);
	if (!stops_state()->breakpoints || !command_confirm("Delete all breakpoints? "))
		return NULL;
	while (stops_state()->breakpoints)
		breakpoint_delete(stops_state()->breakpoints);
	return NULL;
}

static bool is_at(const struct breakpoint *b, const struct program_location *places, size_t n)
{
	for (const struct breakpoint_location *l = b->locations; l; l = l->next)
		for (size_t i = 0; i < n; i++)
			if (l->place.site ? l->place.site == places[i].site
					  : !places[i].site && l->place.pc == places[i].pc)
				return true;
	return false;
}

static struct cudasim_error *command_clear(const char *argument)
{
	struct program_location *places = NULL;
	size_t n = 0, n_found = 0;
	char here[4200] = "";
	const struct frame *frame = frame_selected();
	if (!*argument) {
		if (!frame || !frame->file)
			return cudasim_error_new(CUDASIM_E_ARGUMENT, "No source file specified.");
		snprintf(here, sizeof here, "%s:%u", frame->file, frame->line);
		argument = here;
	}
	struct cudasim_error *error = location_find(argument, &places, &n);
	if (error)
		return error;
	for (struct breakpoint *b = stops_state()->breakpoints; b; b = b->next)
		n_found += is_at(b, places, n);
	if (!n_found) {
		free(places);
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "No breakpoint at %s.", argument);
	}
	fprintf(console(), "Deleted breakpoint%s ", n_found > 1 ? "s" : "");
	for (struct breakpoint *b = stops_state()->breakpoints, *next; b; b = next) {
		next = b->next;
		if (!is_at(b, places, n))
			continue;
		fprintf(console(), "%d ", b->number);
		breakpoint_delete(b);
	}
	fputc('\n', console());
	free(places);
	return NULL;
}

/* ---- enable, disable --------------------------------------------------------------------- */

struct change {
	bool enable;
	enum disposition disposition;
	bool sets_disposition;
	uint64_t count;
};

static struct cudasim_error *change_one(void *user, struct breakpoint *b, int location)
{
	const struct change *change = user;
	if (location) {
		struct breakpoint_location *l = b->locations;
		while (l && l->number != location)
			l = l->next;
		if (!l)
			return cudasim_error_new(CUDASIM_E_NOTFOUND,
						 "Bad breakpoint location number '%d'", location);
		l->enabled = change->enable;
		return breakpoint_arm(b);
	}
	b->enabled = change->enable;
	if (change->sets_disposition) {
		b->disposition = change->disposition;
		b->enable_count = change->count;
	}
	return breakpoint_arm(b);
}

static struct cudasim_error *change_all(const char *numbers, struct change *change)
{
	struct cudasim_error *error = NULL;
	if (*numbers)
		return breakpoint_numbers(numbers, change_one, change);
	for (struct breakpoint *b = stops_state()->breakpoints; b && !error; b = b->next)
		error = change_one(change, b, 0);
	return error;
}

/* "enable breakpoints once 1" is as good as "enable once 1". */
static const char *skip_breakpoints(const char *text)
{
	const char *at = text;
	char word[32];
	if (text_word(&at, word, sizeof word) &&
	    (!strcmp(word, "breakpoints") || !strcmp(word, "breakpoint")))
		return text_skip(at);
	return text;
}

static struct cudasim_error *command_enable(const char *argument)
{
	struct change change = {.enable = true};
	return change_all(skip_breakpoints(argument), &change);
}

static struct cudasim_error *command_disable(const char *argument)
{
	struct change change = {.enable = false};
	return change_all(skip_breakpoints(argument), &change);
}

static struct cudasim_error *command_enable_once(const char *argument)
{
	struct change change = {true, DISABLE, true, 0};
	return change_all(argument, &change);
}

static struct cudasim_error *command_enable_delete(const char *argument)
{
	struct change change = {true, DELETE, true, 0};
	return change_all(argument, &change);
}

static struct cudasim_error *command_enable_count(const char *argument)
{
	struct change change = {true, DISABLE, true, 0};
	char word[64];
	int64_t count;
	if (!text_word(&argument, word, sizeof word))
		return argument_error("hit count");
	struct cudasim_error *error = evaluate_integer(word, &count);
	if (error)
		return error;
	if (count <= 0)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "The hit count must be positive, not %s.", word);
	change.count = (uint64_t)count;
	return change_all(text_skip(argument), &change);
}

/* ---- condition, ignore ---------------------------------------------------------------------- */

/* The breakpoint whose number begins *text, which is advanced behind it. */
static struct cudasim_error *one_breakpoint(const char **text, struct breakpoint **ret)
{
	char word[64], *end;
	const char *at = *text;
	int64_t number;
	if (!text_word(&at, word, sizeof word))
		return argument_error("a breakpoint number");
	if (*word == '$') {
		struct cudasim_error *error = evaluate_integer(word, &number);
		if (error)
			return error;
	} else {
		number = strtoll(word, &end, 10);
		if (end == word || *end)
			return cudasim_error_new(CUDASIM_E_ARGUMENT,
						 "Bad breakpoint argument: '%s'", word);
	}
	*ret = number > 0 && number < 1000000000 ? breakpoint_find((int)number) : NULL;
	if (!*ret)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "No breakpoint number %" PRId64 ".",
					 number);
	*text = text_skip(at);
	return NULL;
}

static struct cudasim_error *command_condition(const char *argument)
{
	struct breakpoint *b;
	struct cudasim_error *error = one_breakpoint(&argument, &b);
	if (!error)
		error = breakpoint_condition_set(b, *argument ? argument : NULL);
	if (error)
		return error;
	breakpoint_warn(b);
	if (!*argument)
		fprintf(console(), "Breakpoint %d now unconditional.\n", b->number);
	return NULL;
}

static struct cudasim_error *command_ignore(const char *argument)
{
	struct breakpoint *b;
	int64_t count;
	struct cudasim_error *error = one_breakpoint(&argument, &b);
	if (error)
		return error;
	if (!*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Second argument (specified ignore-count) is missing.");
	error = evaluate_integer(argument, &count);
	if (error)
		return error;
	b->ignore = count > 0 ? (uint64_t)count : 0;
	if (!b->ignore)
		fprintf(console(), "Will stop next time breakpoint %d is reached.\n", b->number);
	else if (b->ignore == 1)
		fprintf(console(), "Will ignore next crossing of breakpoint %d.\n", b->number);
	else
		fprintf(console(), "Will ignore next %" PRIu64 " crossings of breakpoint %d.\n",
			b->ignore, b->number);
	return NULL;
}

/* ---- commands ----------------------------------------------------------------------------------- */

struct lines {
	char **lines;
	size_t n;
};

static struct cudasim_error *give_lines(void *user, struct breakpoint *b, int location)
{
	const struct lines *lines = user;
	(void)location;
	if (b->format)
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"Breakpoint %d is a dprintf, which has no commands: use break.", b->number);
	char **copy = calloc(lines->n + 1, sizeof *copy);
	for (size_t i = 0; copy && i < lines->n; i++)
		copy[i] = strdup(lines->lines[i]);
	if (!copy)
		return &cudasim_error_nomem;
	for (size_t i = 0; i < b->n_commands; i++)
		free(b->commands[i]);
	free(b->commands);
	b->commands = copy;
	b->n_commands = lines->n;
	return NULL;
}

static struct cudasim_error *nothing(void *user, struct breakpoint *b, int location)
{
	(void)user, (void)b, (void)location;
	return NULL;
}

static struct cudasim_error *command_commands(const char *argument)
{
	struct lines lines = {0};
	char last[16], *numbers;
	if (!*argument) {
		const struct breakpoint *b = stops_state()->breakpoints;
		while (b && b->next)
			b = b->next;
		if (!b)
			return cudasim_error_new(CUDASIM_E_ARGUMENT, "No breakpoints specified.");
		snprintf(last, sizeof last, "%d", b->number);
		argument = last;
	}
	/* The text is the line's, which reading further lines replaces. */
	numbers = strdup(argument);
	if (!numbers)
		return &cudasim_error_nomem;
	struct cudasim_error *error = breakpoint_numbers(numbers, nothing, NULL), *read;
	if (input_is_terminal())
		fprintf(console(),
			"Type commands for breakpoint(s) %s, one per line.\n"
			"End with a line saying just \"end\".\n",
			numbers);
	/* The block is read even for a wrong number, or its lines would run as commands. */
	read = command_read_block(">", &lines.lines, &lines.n);
	if (!error && !read)
		error = breakpoint_numbers(numbers, give_lines, &lines);
	for (size_t i = 0; i < lines.n; i++)
		free(lines.lines[i]);
	free(lines.lines);
	free(numbers);
	if (error)
		cudasim_error_free(read);
	return error ? error : read;
}

/* ---- the table ------------------------------------------------------------------------------------ */

const struct command commands_breakpoints[] = {
	{.name = "break",
	 .aliases = "b,br,bre,brea",
	 .run = command_break,
	 .completer = COMPLETE_LOCATION,
	 .usage = "break [LOCATION] [thread (X,Y,Z)] [block (X,Y,Z)] [if EXPR]",
	 .summary = "Stop where a line, function or kernel is reached",
	 .text = "LOCATION is a line (28, +2, tour.cu:28), a function or kernel (pull, geo::area,\n"
		 "all instances of a template; tour<double> for one), or *ADDRESS, in device or\n"
		 "host code. With `thread` and `block` only those CUDA threads stop, with `if`\n"
		 "those for which EXPR is not zero; each thread evaluates it in its own scope.\n"
		 "Without LOCATION: at the line of the selected frame.",
	 .example = "break tour.cu:28 block (2,0,0) if i == 77"},
	{.name = "tbreak",
	 .aliases = "tb,tbr",
	 .run = command_tbreak,
	 .completer = COMPLETE_LOCATION,
	 .usage = "tbreak [LOCATION] [thread (X,Y,Z)] [block (X,Y,Z)] [if EXPR]",
	 .summary = "Stop at a place once: a breakpoint that its first stop deletes",
	 .example = "tbreak matmul.cu:27"},
	{.name = "rbreak",
	 .run = command_rbreak,
	 .completer = COMPLETE_NONE,
	 .usage = "rbreak REGEX",
	 .summary = "Set a breakpoint on each function whose name matches",
	 .text = "REGEX is a POSIX extended regular expression, matched anywhere in the name.",
	 .example = "rbreak ^sum_"},
	{.name = "dprintf",
	 .run = command_dprintf,
	 .completer = COMPLETE_LOCATION,
	 .usage = "dprintf LOCATION [thread (X,Y,Z)] [block (X,Y,Z)],\"FORMAT\"[,EXPR...]",
	 .summary = "Print where a line is reached, without stopping",
	 .text = "Prints for each thread that comes there, as a printf in front of that line would;\n"
		 "`thread`, `block` and `condition NUMBER EXPR` choose among them. FORMAT as for\n"
		 "printf. next, step and finish pass it.",
	 .example = "dprintf tour.cu:28,\"i = %d\\n\",i"},
	{.name = "watch",
	 .run = command_watch,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "watch [-l] [-all-blocks] EXPR [thread (X,Y,Z)] [if COND]",
	 .summary = "Stop when device code changes the value of an expression",
	 .text = "Reports who wrote, where, the old and the new value. EXPR may be a variable, a\n"
		 "member, an element, a whole array, in global, shared, constant or local memory.\n"
		 "Stores of all threads count, or those of one with `thread`. In shared memory the\n"
		 "focused block's instance is watched, with -all-blocks that of every block. -l\n"
		 "watches the memory that EXPR means now. Stores by host code are not seen.",
	 .example = "watch tile.count"},
	{.name = "rwatch",
	 .run = command_rwatch,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "rwatch [-l] [-all-blocks] EXPR [thread (X,Y,Z)] [if COND]",
	 .summary = "Stop when device code reads the value of an expression",
	 .example = "rwatch tile.p[3].pos.x"},
	{.name = "awatch",
	 .run = command_awatch,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "awatch [-l] [-all-blocks] EXPR [thread (X,Y,Z)] [if COND]",
	 .summary = "Stop when device code reads or writes the value of an expression",
	 .example = "awatch updates"},
	{.name = "catch",
	 .run = command_catch,
	 .completer = COMPLETE_NONE,
	 .usage = "catch launch|exit|barrier|printf|assert|fault [KERNEL] [if COND]",
	 .summary = "Stop at an event: a launch, a kernel's end, a barrier, a printf, a fault",
	 .text = "launch, exit: a kernel begins or has ended; only KERNEL if it is named. barrier:\n"
		 "the first thread of a block reaches a barrier. printf: device code prints.\n"
		 "assert, fault: these always stop; as catchpoints they are counted and can have\n"
		 "commands.",
	 .example = "catch launch sum_blocks"},
	{.name = "tcatch",
	 .run = command_tcatch,
	 .completer = COMPLETE_NONE,
	 .usage = "tcatch launch|exit|barrier|printf|assert|fault [KERNEL] [if COND]",
	 .summary = "Stop at an event once",
	 .example = "tcatch barrier"},
	{.name = "delete",
	 .aliases = "d,del,delete breakpoints",
	 .run = command_delete,
	 .usage = "delete [NUMBER...]",
	 .summary = "Delete breakpoints, or all of them",
	 .example = "delete 2 4-6"},
	{.name = "clear",
	 .aliases = "cl",
	 .run = command_clear,
	 .completer = COMPLETE_LOCATION,
	 .usage = "clear [LOCATION]",
	 .summary = "Delete the breakpoints at a place",
	 .example = "clear tour.cu:28"},
	{.name = "enable",
	 .aliases = "en",
	 .run = command_enable,
	 .usage = "enable [breakpoints] [NUMBER...]",
	 .summary = "Enable breakpoints, or locations like 1.2",
	 .example = "enable 1"},
	{.name = "enable once",
	 .aliases = "enable breakpoints once",
	 .run = command_enable_once,
	 .usage = "enable once NUMBER...",
	 .summary = "Enable breakpoints; the next stop disables them again",
	 .example = "enable once 3"},
	{.name = "enable delete",
	 .aliases = "enable breakpoints delete",
	 .run = command_enable_delete,
	 .usage = "enable delete NUMBER...",
	 .summary = "Enable breakpoints; the next stop deletes them",
	 .example = "enable delete 3"},
	{.name = "enable count",
	 .aliases = "enable breakpoints count",
	 .run = command_enable_count,
	 .usage = "enable count N NUMBER...",
	 .summary = "Enable breakpoints for N stops, then disable them",
	 .example = "enable count 2 3"},
	{.name = "disable",
	 .aliases = "dis,disa",
	 .run = command_disable,
	 .usage = "disable [breakpoints] [NUMBER...]",
	 .summary = "Disable breakpoints, or locations like 1.2",
	 .example = "disable 1.2"},
	{.name = "condition",
	 .aliases = "cond",
	 .run = command_condition,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "condition NUMBER [EXPR]",
	 .summary = "Give a breakpoint a condition, or take it away",
	 .example = "condition 1 k == 3"},
	{.name = "ignore",
	 .run = command_ignore,
	 .usage = "ignore NUMBER COUNT",
	 .summary = "Pass a breakpoint COUNT times without stopping",
	 .example = "ignore 1 10"},
	{.name = "commands",
	 .run = command_commands,
	 .usage = "commands [NUMBER...]",
	 .summary = "Commands that run when a breakpoint is hit",
	 .text = "The lines up to `end` are executed at each stop of the breakpoint (default: the "
		 "last\n"
		 "one that was created). With `silent` as the first line the stop itself is not\n"
		 "reported. Lines after one that resumes the program are not executed.",
	 .example = "commands 1"},
	{.name = "info breakpoints",
	 .aliases = "info b,info br,info break",
	 .run = command_info_breakpoints,
	 .usage = "info breakpoints [NUMBER...]",
	 .summary = "List breakpoints, watchpoints and catchpoints with their hits",
	 .example = "info breakpoints"},
	{.name = "info watchpoints",
	 .run = command_info_watchpoints,
	 .usage = "info watchpoints [NUMBER...]",
	 .summary = "List watchpoints",
	 .example = "info watchpoints"},
	{.name = "save breakpoints",
	 .run = command_save_breakpoints,
	 .completer = COMPLETE_FILE,
	 .usage = "save breakpoints FILE",
	 .summary = "Write the breakpoints as commands that `source` can read",
	 .example = "save breakpoints bugs.gdb"},
	{0},
};
