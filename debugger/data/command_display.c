/* SPDX-License-Identifier: Apache-2.0 */
/* command_display.c - expressions that are printed at each stop.
 *
 * A display that needs a frame's variables belongs to the function it was made in, and
 * is left out elsewhere, as in gdb; one of globals and numbers is shown everywhere. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command_data.h"
#include "console.h"
#include "data_state.h"
#include "error.h"
#include "expression.h"
#include "setting.h"
#include "stack.h"
#include "text.h"

struct display {
	struct display *next;
	uint32_t number;
	char *text;
	int64_t count;
	char format, size;
	bool is_enabled;
	char *function; /* where it belongs, NULL: everywhere */
};

static bool is_memory(const struct display *display)
{
	return display->format == 'i' || display->format == 's' ||
	       (display->size && display->format);
}

/* ---- showing ---------------------------------------------------------------------- */

static void print_format(FILE *out, const struct display *display)
{
	if (!display->format && !display->size)
		return;
	fputc('/', out);
	if (display->count != 1)
		fprintf(out, "%" PRId64, display->count);
	if (display->format)
		fputc(display->format, out);
	if (display->size)
		fputc(display->size, out);
	fputc(' ', out);
}

static struct cudasim_error *show_memory(FILE *out, struct display *display)
{
	struct value value;
	uint64_t address, window = 0, size, end;
	enum storage storage = STORAGE_NONE;
	char unit = display->size ? display->size : display->format == 's' ? 'b' : 'w';
	struct cudasim_error *error = evaluate_text(display->text, &value);
	if (error)
		return error;
	error = value_to_address(&value, &address, &storage);
	value_fini(&value);
	if (error)
		return error;
	if (storage == STORAGE_SHARED)
		window = value_window(&size);
	return memory_dump(out, address, window, display->count, display->format, unit, &end);
}

static struct cudasim_error *show_value(FILE *out, struct display *display)
{
	struct value value;
	struct cudasim_error *error = evaluate_text(display->text, &value);
	if (error)
		return error;
	value_print(out, &value, display->format, 0, true);
	fputc('\n', out);
	value_fini(&value);
	return NULL;
}

static void show(FILE *out, struct display *display)
{
	struct cudasim_error *error;
	fprintf(out, "%u: ", display->number);
	if (is_memory(display)) {
		fputc('x', out);
		print_format(out, display);
		fprintf(out, "%s\n", display->text);
		error = show_memory(out, display);
	} else {
		print_format(out, display);
		fprintf(out, "%s = ", display->text);
		error = show_value(out, display);
	}
	if (error)
		fprintf(out, "<error: %s>\n", error->message);
	cudasim_error_free(error);
}

static bool belongs_here(const struct display *display)
{
	const struct frame *frame = frame_selected();
	return !display->function || (frame && !strcmp(frame->name, display->function));
}

void displays_show(FILE *out)
{
	for (struct display *display = data_state()->displays.displays; display;
	     display = display->next)
		if (display->is_enabled && belongs_here(display))
			show(out, display);
}

/* ---- making -------------------------------------------------------------------------- */

/* Where the expression belongs: everywhere if it means something without a frame. */
static struct cudasim_error *find_scope(const char *text, char **ret)
{
	struct expression *expression;
	const struct frame *frame = frame_selected();
	struct cudasim_error *error = expression_parse_in(text, NULL, &expression);
	*ret = NULL;
	if (!error) {
		expression_free(expression);
		return NULL;
	}
	if (!frame)
		return error;
	cudasim_error_free(error);
	error = expression_parse_in(text, frame, &expression);
	if (error)
		return error;
	expression_free(expression);
	*ret = strdup(frame->name);
	return *ret ? NULL : &cudasim_error_nomem;
}

static struct display *display_add(const char *text)
{
	struct data_displays *own = &data_state()->displays;
	struct display *display = calloc(1, sizeof *display), **at = &own->displays;
	if (!display || !(display->text = strdup(text))) {
		free(display);
		return NULL;
	}
	display->number = ++own->n_made;
	display->is_enabled = true;
	while (*at)
		at = &(*at)->next;
	*at = display;
	return display;
}

struct cudasim_error *command_display(const char *argument)
{
	int64_t count;
	char format, size, *function;
	struct cudasim_error *error = text_format(&argument, &count, &format, &size);
	if (error)
		return error;
	if (!*argument) {
		displays_show(console());
		return NULL;
	}
	if ((error = find_scope(argument, &function)))
		return error;
	struct display *display = display_add(argument);
	if (!display) {
		free(function);
		return &cudasim_error_nomem;
	}
	display->count = count;
	display->format = format ? format : size ? 'x' : 0;
	display->size = size;
	display->function = function;
	show(console(), display);
	return NULL;
}

/* ---- numbers -------------------------------------------------------------------------- */

static struct display *find(uint32_t number)
{
	struct display *display = data_state()->displays.displays;
	while (display && display->number != number)
		display = display->next;
	return display;
}

static void display_free(struct display *display)
{
	struct display **at = &data_state()->displays.displays;
	while (*at != display)
		at = &(*at)->next;
	*at = display->next;
	free(display->text);
	free(display->function);
	free(display);
}

static void enable(struct display *display)
{
	display->is_enabled = true;
}

static void disable(struct display *display)
{
	display->is_enabled = false;
}

static struct cudasim_error *one_range(const char *word, void (*f)(struct display *))
{
	struct data_displays *own = &data_state()->displays;
	char *end;
	unsigned long from = strtoul(word, &end, 10), to = from;
	if (end != word && *end == '-')
		to = strtoul(end + 1, &end, 10);
	if (!isdigit((unsigned char)*word) || *end || from > to || to > UINT32_MAX)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Arguments must be display numbers.");
	for (unsigned long number = from; number <= to && number <= own->n_made; number++) {
		struct display *display = find((uint32_t)number);
		if (display)
			f(display);
		else
			fprintf(console(), "Could not find display number %lu.\n", number);
	}
	if (from > own->n_made)
		fprintf(console(), "Could not find display number %lu.\n", from);
	return NULL;
}

static struct cudasim_error *each_number(const char *argument, void (*f)(struct display *))
{
	char word[64];
	while (text_word(&argument, word, sizeof word)) {
		struct cudasim_error *error = one_range(word, f);
		if (error)
			return error;
	}
	return NULL;
}

static void all(void (*f)(struct display *))
{
	for (struct display *display = data_state()->displays.displays, *next; display;
	     display = next) {
		next = display->next;
		f(display);
	}
}

struct cudasim_error *command_undisplay(const char *argument)
{
	if (*argument)
		return each_number(argument, display_free);
	if (data_state()->displays.displays &&
	    command_confirm("Delete all auto-display expressions? "))
		all(display_free);
	return NULL;
}

struct cudasim_error *command_enable_display(const char *argument)
{
	if (*argument)
		return each_number(argument, enable);
	all(enable);
	return NULL;
}

struct cudasim_error *command_disable_display(const char *argument)
{
	if (*argument)
		return each_number(argument, disable);
	all(disable);
	return NULL;
}

struct cudasim_error *command_info_display(const char *argument)
{
	struct data_displays *own = &data_state()->displays;
	(void)argument;
	if (!own->displays) {
		fputs("There are no auto-display expressions now.\n", console());
		return NULL;
	}
	fputs("Auto-display expressions now in effect:\nNum Enb Expression\n", console());
	for (struct display *display = own->displays; display; display = display->next) {
		fprintf(console(), "%u:   %c  ", display->number, display->is_enabled ? 'y' : 'n');
		print_format(console(), display);
		fputs(display->text, console());
		if (!belongs_here(display))
			fputs("\n(cannot be evaluated in the current context)", console());
		fputc('\n', console());
	}
	return NULL;
}

/* ---- over a restart -------------------------------------------------------------------- */

/* The session that is executed anew has no frame to find names in: it is told the
 * function and the number. */
struct cudasim_error *command_redisplay(const char *argument)
{
	char number[16], enabled[8], format[32], function[1024];
	const char *spec = format;
	if (!text_word(&argument, number, sizeof number) ||
	    !text_word(&argument, enabled, sizeof enabled) ||
	    !text_word(&argument, format, sizeof format) || *argument++ != '"')
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "not a saved display");
	size_t n = strcspn(argument, "\"");
	if (n >= sizeof function || argument[n] != '"')
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "not a saved display");
	memcpy(function, argument, n);
	function[n] = 0;
	struct display *display = display_add(text_skip(argument + n + 1));
	if (!display)
		return &cudasim_error_nomem;
	display->number = data_state()->displays.n_made = (uint32_t)strtoul(number, NULL, 10);
	display->is_enabled = *enabled == 'y';
	display->function = *function ? strdup(function) : NULL;
	return text_format(&spec, &display->count, &display->format, &display->size);
}

static void save(FILE *out)
{
	for (struct display *display = data_state()->displays.displays; display;
	     display = display->next) {
		fprintf(out, "maintenance redisplay %u %c /%" PRId64, display->number,
			display->is_enabled ? 'y' : 'n', display->count);
		if (display->format)
			fputc(display->format, out);
		if (display->size)
			fputc(display->size, out);
		fprintf(out, " \"%s\" %s\n", display->function ? display->function : "",
			display->text);
	}
}

__attribute__((constructor)) static void start(void)
{
	restart_saves(save);
}
