/* SPDX-License-Identifier: Apache-2.0 */
/* breakpoint_set.c - making breakpoints, pending ones too. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "breakpoint_commands.h"
#include "breakpoint_commands_state.h"
#include "command_table.h"
#include "console.h"
#include "error.h"
#include "printf_format.h"
#include "setting.h"
#include "shell_state.h"
#include "stops_state.h"
#include "text.h"

const char *const breakpoint_pending_choices[] = {"auto", "on", "off", NULL};

void breakpoint_mention(const struct breakpoint *b)
{
	const struct breakpoint_location *l = b->locations;
	size_t n = 0;
	for (; l; l = l->next)
		n++;
	l = b->locations;
	fprintf(console(), "%s %d",
		b->format                  ? "Dprintf"
		: b->disposition == DELETE ? "Temporary breakpoint"
					   : "Breakpoint",
		b->number);
	if (!l)
		fprintf(console(), " (%s) pending.\n", b->text);
	else if (n > 1)
		fprintf(console(), " at 0x%" PRIx64 ": %s. (%zu locations)\n", l->pc, b->text, n);
	else if (!l->place.file)
		fprintf(console(), " at 0x%" PRIx64 "\n", l->pc);
	else if (!l->pc) /* without debug information only the line is known */
		fprintf(console(), ": file %s, line %" PRIu32 ".\n", l->place.file, l->place.line);
	else
		fprintf(console(), " at 0x%" PRIx64 ": file %s, line %" PRIu32 ".\n", l->pc,
			l->place.file, l->place.line);
}

static bool is_at(const struct breakpoint *b, uint64_t pc)
{
	for (const struct breakpoint_location *l = b->locations; l; l = l->next)
		if (l->pc == pc && pc)
			return true;
	return false;
}

/* That others are there already. */
static void note_others(const struct breakpoint *new, uint64_t pc)
{
	size_t n = 0;
	for (const struct breakpoint *b = stops_state()->breakpoints; b; b = b->next)
		n += b != new && is_at(b, pc);
	if (!n)
		return;
	fprintf(console(), "Note: breakpoint%s ", n > 1 ? "s" : "");
	for (const struct breakpoint *b = stops_state()->breakpoints; b; b = b->next) {
		if (b == new || !is_at(b, pc))
			continue;
		n--;
		fprintf(console(), "%d%s%s ", b->number, b->enabled ? "" : " (disabled)",
			n > 1    ? ","
			: n == 1 ? " and"
				 : "");
	}
	fprintf(console(), "also set at pc 0x%" PRIx64 ".\n", pc);
}

/* May it wait for code to be registered? Where the user has been asked the error has
 * been said, and *error is an empty one. */
static bool may_be_pending(struct cudasim_error **error)
{
	if ((*error)->code != CUDASIM_E_NOTFOUND ||
	    breakpoint_commands_state()->pending == BREAKPOINT_PENDING_OFF)
		return false;
	if (breakpoint_commands_state()->pending == BREAKPOINT_PENDING_ON)
		return true;
	/* A program that has loaded no device code yet is about to. */
	const struct cudasim_module *const *modules;
	size_t n;
	cudasim_modules(&modules, &n);
	if (!n) {
		fprintf(console(), "%s\n", (*error)->message);
		return true;
	}
	if (!shell_state()->confirm || shell_state()->is_batch)
		return false;
	if (command_ask("%s\nMake breakpoint pending on future module registration? ",
			(*error)->message))
		return true;
	cudasim_error_free(*error);
	*error = cudasim_error_new(CUDASIM_E_NOTFOUND, "%s", "");
	return false;
}

void breakpoint_warn(struct breakpoint *b)
{
	if (b->warning)
		fputs(b->warning, console());
	free(b->warning);
	b->warning = NULL;
}

struct cudasim_error *breakpoint_set(const char *text, bool temporary, const char *format)
{
	struct breakpoint *b;
	struct cudasim_error *error = breakpoint_make(text, temporary, format, &b);
	if (b)
		breakpoint_warn(b);
	if (error && b && !b->locations && may_be_pending(&error)) {
		cudasim_error_free(error);
		error = NULL;
	}
	if (!error) {
		breakpoint_number_tell(b);
		for (const struct breakpoint_location *l = b->locations; l; l = l->next)
			note_others(b, l->pc);
		breakpoint_mention(b);
	} else if (b) {
		breakpoint_discard(b);
	}
	return error;
}

/* ---- dprintf ------------------------------------------------------------------------- */

/* The comma before the format: none within the location's own brackets and quotes is
 * followed by a quote. */
static const char *format_comma(const char *text)
{
	char quote = 0;
	for (const char *at = text; *at; at++) {
		if (quote)
			quote = *at == quote ? 0 : quote;
		else if (*at == ',' && *text_skip(at + 1) == '"')
			return at;
		else if (*at == '\'' || *at == '"')
			quote = *at;
	}
	return NULL;
}

struct cudasim_error *command_dprintf(const char *argument)
{
	const char *comma = format_comma(argument), *arguments;
	if (!comma)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Format string required");
	const char *format = text_skip(comma + 1);
	struct cudasim_error *error = printf_format_check(format, &arguments);
	if (error)
		return error;
	char *location = strndup(argument, (size_t)(comma - argument));
	if (!location)
		return &cudasim_error_nomem;
	error = breakpoint_set(location, false, format);
	free(location);
	return error;
}

/* ---- settings ----------------------------------------------------------------------- */

static void set_breakpoint_number(void)
{
	/* Numbers only grow. */
	for (const struct breakpoint *b = stops_state()->breakpoints; b; b = b->next)
		if (b->number >= stops_state()->next_number)
			stops_state()->next_number = b->number + 1;
}

__attribute__((constructor)) static void start(void)
{
	const struct setting settings[] = {
		{.name = "breakpoint pending",
		 .kind = SETTING_CHOICE,
		 .value = &breakpoint_commands_state()->pending,
		 .choices = breakpoint_pending_choices,
		 .show = "Debugger's behavior regarding pending breakpoints is %s.",
		 .summary = "What to do with a breakpoint at an unknown location"},
		{.name = "breakpoint next-number",
		 .kind = SETTING_NUMBER,
		 .value = &stops_state()->next_number,
		 .show = "The next breakpoint gets the number %s.",
		 .summary = "Number of the next breakpoint",
		 .changed = set_breakpoint_number},
	};
	settings_add(settings, sizeof settings / sizeof *settings);
	search_saves(breakpoints_save_for_restart);
}
