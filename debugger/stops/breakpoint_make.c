/* SPDX-License-Identifier: Apache-2.0 */
/* breakpoint_make.c - a breakpoint of what the user writes: LOCATION, filter, condition. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "breakpoint.h"
#include "error.h"
#include "source.h"
#include "stack.h"
#include "stops_state.h"

/* The default place, so that the text still means the same later. */
static struct cudasim_error *default_text(char **text)
{
	uint32_t line;
	const char *file;
	char *new = NULL;
	const struct frame *frame = frame_selected();
	if (**text && strspn(*text, "0123456789+-") != strlen(*text))
		return NULL;
	if (!**text && frame && frame->file && frame->line) {
		if (asprintf(&new, "%s:%" PRIu32, frame->file, frame->line) < 0)
			return &cudasim_error_nomem;
	} else if (**text) {
		file = source_place(&line);
		if (!file)
			return NULL;
		long number = strtol(*text + strspn(*text, "+"), NULL, 10);
		if (**text == '+' || **text == '-')
			number += line;
		if (number <= 0)
			return NULL;
		if (asprintf(&new, "%s:%ld", file, number) < 0)
			return &cudasim_error_nomem;
	} else {
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "No default breakpoint address now.");
	}
	free(*text);
	*text = new;
	return NULL;
}

struct cudasim_error *breakpoint_make(const char *text, bool temporary, const char *format,
				      struct breakpoint **ret)
{
	struct breakpoint_spec spec;
	struct breakpoint *b = NULL;
	*ret = NULL;
	struct cudasim_error *error = spec_parse(text, &spec);
	if (error)
		return error;
	error = default_text(&spec.location);
	if (!error)
		error = breakpoint_new(KIND_BREAKPOINT, spec.location, &b);
	if (!error && format && !(b->format = strdup(format)))
		error = &cudasim_error_nomem;
	if (!error) {
		b->disposition = temporary ? DELETE : KEEP;
		b->condition = spec.condition;
		b->filter = spec.filter;
		spec.condition = NULL;
		error = locations_resolve(b);
	}
	spec_fini(&spec);
	*ret = b;
	return error;
}

void breakpoint_discard(struct breakpoint *b)
{
	stops_state()->next_number = b->number;
	breakpoint_delete(b);
}
