/* SPDX-License-Identifier: Apache-2.0 */
/* command_print.c - print, output, call, set var; the table of the commands on data. */

#include <string.h>

#include "command_data.h"
#include "console.h"
#include "error.h"
#include "expression.h"
#include "history.h"
#include "text.h"

/* ---- formats -------------------------------------------------------------------- */

struct cudasim_error *format_of_value(const char **argument, const char *what, char *ret)
{
	int64_t count;
	char size;
	const char *text = *argument;
	struct cudasim_error *error = text_format(argument, &count, ret, &size);
	if (error)
		return error;
	if (*text == '/' && size)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Size letters are meaningless in \"%s\" command.", what);
	if (count != 1)
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"Item count other than 1 is meaningless in \"%s\" command.", what);
	if (*ret == 'i')
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Format letter \"i\" is meaningless in \"%s\" command.",
					 what);
	return NULL;
}

/* ---- print -------------------------------------------------------------------------- */

static void print_numbered(const struct value *value, char format)
{
	uint32_t number = history_add(value);
	fprintf(console(), "$%u = ", number);
	value_print(console(), value, format, 0, true);
	fputc('\n', console());
}

static struct cudasim_error *print_one(const char *expression, char format)
{
	struct value value;
	struct cudasim_error *error = evaluate_text(*expression ? expression : "$", &value);
	if (error)
		return error;
	print_numbered(&value, format);
	value_fini(&value);
	return NULL;
}

static struct cudasim_error *print_with(struct print_options *options, const char *argument,
					char format)
{
	struct cudasim_error *error = NULL;
	if (*argument == '/')
		error = format_of_value(&argument, "print", &format);
	if (error)
		return error;
	if (options->each_thread || options->each_lane || options->each_block)
		return print_each(options->each_lane    ? EACH_LANE
				  : options->each_block ? EACH_BLOCK
							: EACH_THREAD,
				  argument, format);
	return print_one(argument, format);
}

struct cudasim_error *command_print(const char *argument)
{
	struct print_options options;
	char format = 0;
	struct cudasim_error *error = format_of_value(&argument, "print", &format);
	if (!error)
		error = print_options_begin(&argument, &options);
	if (error)
		return error;
	error = print_with(&options, argument, format);
	print_options_end(&options);
	return error;
}

struct cudasim_error *command_output(const char *argument)
{
	struct value value;
	char format = 0;
	struct cudasim_error *error = format_of_value(&argument, "output", &format);
	if (!error && !*argument)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "Argument required (expression to compute).");
	if (!error)
		error = evaluate_text(argument, &value);
	if (error)
		return error;
	value_print(console(), &value, format, 0, true);
	value_fini(&value);
	return NULL;
}

/* print, but a call that gives nothing says nothing; without an expression the last value. */
struct cudasim_error *command_call(const char *argument)
{
	struct value value;
	char format = 0;
	struct cudasim_error *error = format_of_value(&argument, "call", &format);
	if (!error)
		error = evaluate_text(*argument ? argument : "$", &value);
	if (error)
		return error;
	if (!value.is_void && type_strip(value.type)->kind != TYPE_VOID)
		print_numbered(&value, format);
	value_fini(&value);
	return NULL;
}

struct cudasim_error *command_set_variable(const char *argument)
{
	struct value value;
	if (!*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Argument required (expression to compute).");
	struct cudasim_error *error = evaluate_text(argument, &value);
	if (!error)
		value_fini(&value);
	return error;
}

struct cudasim_error *command_init(const char *argument)
{
	char name[128];
	struct value value;
	size_t n = strcspn(argument + (*argument == '$'), " \t=");
	if (*argument != '$' || !n || n >= sizeof name || *text_skip(argument + 1 + n) != '=')
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "The first argument to init-if-undefined should be an "
					 "assignment to a variable: $x = 5.");
	memcpy(name, argument + 1, n);
	name[n] = 0;
	if (convenience_get(name, &value)) {
		bool is_void = value.is_void;
		value_fini(&value);
		if (!is_void)
			return NULL;
	}
	return command_set_variable(argument);
}

/* ---- the table -------------------------------------------------------------------------- */

const struct command commands_data[] = {
	{.name = "print",
	 .aliases = "p,inspect",
	 .run = command_print,
	 .takes_format = true,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "print [-each-thread | -each-lane | -each-block | -pretty ...] [/FMT] [EXPR]",
	 .summary = "Print the value of an expression, and keep it as $1, $2, ...",
	 .text = "/x /d /u /o /t /a /c /f /s /z select a format. -each-thread evaluates EXPR\n"
		 "for every thread of the focused kernel that is in flight, -each-lane for those\n"
		 "of the focused warp, -each-block once for each block. Equal values and\n"
		 "arithmetic series are one row; the last lines give the places of the minimum\n"
		 "and the maximum, the number of NaNs, and the threads that differ from the rest.\n"
		 "Settings of `set print` may be given as options for this command: -pretty,\n"
		 "-elements 20; -- ends them.",
	 .example = "print -each-thread sum"},
	{.name = "output",
	 .run = command_output,
	 .takes_format = true,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "output [/FMT] EXPR",
	 .summary = "print without $N and newline, and without keeping the value",
	 .example = "output/x tid"},
	{.name = "call",
	 .run = command_call,
	 .takes_format = true,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "call [/FMT] EXPR",
	 .summary = "Call a function; print its result unless it is void",
	 .example = "call factorial(4)"},
	{.name = "set variable",
	 .aliases = "set var",
	 .run = command_set_variable,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "set variable EXPR",
	 .summary = "Evaluate an assignment without printing",
	 .example = "set var tid = 0"},
	{.name = "init-if-undefined",
	 .run = command_init,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "init-if-undefined $NAME = EXPR",
	 .summary = "Set a convenience variable that is not set yet",
	 .example = "init-if-undefined $limit = 100"},
	{.name = "ptype",
	 .aliases = "pt",
	 .run = command_ptype,
	 .takes_format = true,
	 .completer = COMPLETE_TYPE,
	 .usage = "ptype[/o] TYPE | EXPR",
	 .summary = "Print a type with its members; /o with their offsets and sizes",
	 .example = "ptype/o Particle"},
	{.name = "whatis",
	 .run = command_whatis,
	 .completer = COMPLETE_TYPE,
	 .usage = "whatis TYPE | EXPR",
	 .summary = "Print the name of an expression's type",
	 .example = "whatis tile"},
	{.name = "x",
	 .run = command_x,
	 .repeats = true,
	 .takes_format = true,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "x[/NFU] [ADDR]",
	 .summary = "Print memory: N units of size U (b h w g) in form F (x d u o t a c f s i)",
	 .text = "Without ADDR it continues after what was printed last. /i prints the x86-64 code "
		 "of\n"
		 "the instrumented body. $_ is the last address printed, $__ its contents.",
	 .example = "x/4fw &me.pos"},
	{.name = "find",
	 .run = command_find_memory,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "find [/SIZE][/MAX] START, +LENGTH | END, VALUE...",
	 .summary = "Search memory for a sequence of values",
	 .text = "A value has the size of its type, or SIZE (b h w g); a string means its\n"
		 "characters. At most MAX places are printed.",
	 .example = "find points, +64, 1.5f"},
	{.name = "display",
	 .run = command_display,
	 .takes_format = true,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "display[/FMT] [EXPR]",
	 .summary = "Print an expression at each stop; without argument, all that are shown",
	 .example = "display me.pos.x"},
	{.name = "undisplay",
	 .aliases = "delete display",
	 .run = command_undisplay,
	 .usage = "undisplay [N ...]",
	 .summary = "Remove displays; without argument, all",
	 .example = "undisplay 1 3-4"},
	{.name = "info display",
	 .run = command_info_display,
	 .usage = "info display",
	 .summary = "The expressions that are printed at each stop",
	 .example = "info display"},
	{.name = "enable display",
	 .run = command_enable_display,
	 .usage = "enable display [N ...]",
	 .summary = "Print them again at each stop",
	 .example = "enable display 2"},
	{.name = "disable display",
	 .run = command_disable_display,
	 .usage = "disable display [N ...]",
	 .summary = "Keep them without printing them",
	 .example = "disable display 2"},
	{.name = "maintenance redisplay",
	 .run = command_redisplay,
	 .usage = "maintenance redisplay N y|n /FMT \"FUNCTION\" EXPR",
	 .summary = "A display as it was before the program was run again",
	 .example = "maintenance redisplay 1 y /1 \"\" updates"},
	{.name = "printf",
	 .run = command_printf,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "printf \"FORMAT\", EXPR, ...",
	 .summary = "Print values as C's printf does",
	 .text = "%V prints a value as print does; %s takes arrays and pointers of the program.",
	 .example = "printf \"%d %5.2f\\n\", i, sum"},
	{.name = "eval",
	 .run = command_eval,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "eval \"FORMAT\", EXPR, ...",
	 .summary = "Make a line as printf does, and run it as a command",
	 .example = "eval \"print a[%d]\", $i"},
	{.name = "echo",
	 .run = command_echo,
	 .usage = "echo TEXT",
	 .summary = "Print text; C's escapes are understood",
	 .example = "echo here\\n"},
	{.name = "heat",
	 .run = command_heat,
	 .takes_format = true,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "heat EXPR",
	 .summary = "A colour map of an expression over the threads of the focused block",
	 .text = "One cell a thread: x to the right, y downwards, a map for each z. Blocks of one\n"
		 "row are drawn with one warp per line. Without colours (NO_COLOR, a pipe) "
		 "characters from\n"
		 "' ' for the least to '@' for the greatest value are used. N is NaN, I\n"
		 "infinite, ? a thread where the expression has no value.",
	 .example = "heat tile[threadIdx.y][threadIdx.x]"},
	{.name = "where-is",
	 .run = command_where_is,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "where-is ADDR",
	 .summary = "What lies at an address",
	 .text = "The allocation (size, kind, device, where it was made), and the element and\n"
		 "member as seen from typed pointers and variables of the focused thread. With\n"
		 "CUDASIM_CHECK=all also who wrote there last.",
	 .example = "where-is &ps[12].vel.y"},
	{0},
};
