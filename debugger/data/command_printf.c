/* SPDX-License-Identifier: Apache-2.0 */
/* command_printf.c - printf and echo: text with escapes, and values in C's forms. */
#include <stdlib.h>

#include "command_data.h"
#include "console.h"
#include "error.h"
#include "expression.h"
#include "printf_format.h"

struct cudasim_error *command_echo(const char *argument)
{
	while (*argument) {
		if (*argument != '\\') {
			fputc(*argument++, console());
			continue;
		}
		argument++;
		if (!*argument) /* the newline was escaped */
			break;
		fputc(printf_format_unescape(&argument), console());
	}
	return NULL;
}

/* user: the text behind the format, at a comma or the end. */
static struct cudasim_error *argument_of_focus(void *user, struct value *ret)
{
	char *text = printf_format_argument(user);
	if (!text)
		return &cudasim_error_nomem;
	struct cudasim_error *error = evaluate_text(text, ret);
	free(text);
	return error;
}

struct cudasim_error *command_printf(const char *argument)
{
	const char *arguments;
	if (!*argument)
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"Argument required (format-control string and values to print).");
	struct cudasim_error *error = printf_format_check(argument, &arguments);
	return error ? error
		     : printf_format_write(console(), argument, argument_of_focus, &arguments);
}

/* The line that the format makes, as if it were typed. */
struct cudasim_error *command_eval(const char *argument)
{
	const char *arguments;
	char *line = NULL;
	size_t size;
	if (!*argument)
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"Argument required (format-control string and values to print).");
	struct cudasim_error *error = printf_format_check(argument, &arguments);
	if (error)
		return error;
	FILE *out = open_memstream(&line, &size);
	if (!out)
		return &cudasim_error_nomem;
	error = printf_format_write(out, argument, argument_of_focus, &arguments);
	fclose(out);
	if (!error)
		error = command_execute(line);
	free(line);
	return error;
}
