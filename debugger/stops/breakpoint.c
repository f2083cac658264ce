/* SPDX-License-Identifier: Apache-2.0 */
/* breakpoint.c - the list of breakpoints, and what a hit counts for. */
#include "breakpoint.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "history.h"
#include "stops_state.h"
#include "text.h"

struct cudasim_error *breakpoint_new(enum breakpoint_kind kind, const char *text,
				     struct breakpoint **ret)
{
	struct breakpoint *b = calloc(1, sizeof *b);
	char *copy = strdup(text);
	struct breakpoint **at = &stops_state()->breakpoints;
	if (!b || !copy) {
		free(b);
		free(copy);
		return &cudasim_error_nomem;
	}
	b->kind = kind;
	b->text = copy;
	b->enabled = true;
	b->number = stops_state()->next_number++;
	while (*at && (*at)->number < b->number)
		at = &(*at)->next;
	b->next = *at;
	*at = b;
	*ret = b;
	return NULL;
}

void breakpoint_delete(struct breakpoint *b)
{
	for (struct breakpoint **at = &stops_state()->breakpoints; *at; at = &(*at)->next)
		if (*at == b) {
			*at = b->next;
			break;
		}
	locations_free(b);
	watchpoint_free(b);
	catchpoint_free(b);
	for (size_t i = 0; i < b->n_commands; i++)
		free(b->commands[i]);
	free(b->commands);
	free(b->condition);
	free(b->warning);
	free(b->format);
	free(b->text);
	free(b);
}

struct breakpoint *breakpoint_find(int number)
{
	struct breakpoint *b = stops_state()->breakpoints;
	while (b && b->number != number)
		b = b->next;
	return b;
}

struct cudasim_error *breakpoint_arm(struct breakpoint *b)
{
	struct cudasim_error *error = NULL;
	switch (b->kind) {
	case KIND_BREAKPOINT:
		locations_arm(b, &error);
		break;
	case KIND_WATCHPOINT:
		error = watchpoint_arm(b);
		break;
	case KIND_CATCHPOINT:
		catchpoint_arm(b);
		break;
	}
	return error;
}

struct cudasim_error *breakpoint_condition_set(struct breakpoint *b, const char *text)
{
	char *copy = text ? strdup(text) : NULL;
	struct cudasim_error *error = NULL;
	if (text && !copy)
		return &cudasim_error_nomem;
	switch (b->kind) {
	case KIND_BREAKPOINT:
		error = locations_condition(b, text);
		break;
	case KIND_WATCHPOINT:
		error = watchpoint_condition(b, text);
		break;
	case KIND_CATCHPOINT:
		error = catchpoint_condition(b, text);
		break;
	}
	if (error) {
		free(copy);
		return error;
	}
	free(b->condition);
	b->condition = copy;
	return NULL;
}

/* Enter number into the stop's list, which ascends and ends with 0. */
static void enter(struct breakpoint *b, int location, struct stop *stop)
{
	enum { MAX = sizeof stop->numbers / sizeof *stop->numbers - 1 };
	int at = 0, n = 0;
	while (n < MAX && stop->numbers[n])
		n++;
	while (at < n && stop->numbers[at] < b->number)
		at++;
	if ((at < n && stop->numbers[at] == b->number) || n == MAX)
		return;
	memmove(stop->numbers + at + 1, stop->numbers + at, (size_t)(n - at) * sizeof(int));
	stop->numbers[at] = b->number;
	if (at)
		return;
	stop->location = location;
	stop->temporary = b->disposition == DELETE;
}

void breakpoint_spend(struct breakpoint *b)
{
	b->spent = stops_state()->counted.any_spent = true;
}

static void use_up(struct breakpoint *b)
{
	if (b->disposition == DELETE ||
	    (b->disposition == DISABLE && (!b->enable_count || !--b->enable_count)))
		breakpoint_spend(b);
}

bool breakpoint_passes(struct breakpoint *b)
{
	if (b->spent)
		return false;
	b->hits++;
	if (b->ignore) {
		b->ignore--;
		return false;
	}
	use_up(b);
	return true;
}

bool breakpoint_counts(struct breakpoint *b, int location, struct stop *stop)
{
	struct stops_counted *own = &stops_state()->counted;
	if (b->last_stop != own->stop_number) {
		b->last_stop = own->stop_number;
		b->hits++;
		if (b->ignore) {
			b->ignore--;
			/* What comes next is another stop. */
			b->last_stop = 0;
			return false;
		}
		use_up(b);
	}
	enter(b, location, stop);
	return true;
}

void breakpoint_condition_failed(struct breakpoint *b, struct cudasim_error *error,
				 struct stop *stop)
{
	char *report = NULL;
	size_t size;
	FILE *out = open_memstream(&report, &size);
	if (out) {
		if (stop->report)
			fputs(stop->report, out);
		fprintf(out, "Error in testing condition for breakpoint %d:\n%s\n", b->number,
			error->message);
		fclose(out);
		free(stop->report);
		stop->report = report;
	}
	cudasim_error_free(error);
}

void breakpoints_resume(void)
{
	stops_state()->counted.stop_number++;
}

void breakpoints_settle(void)
{
	struct stops_counted *own = &stops_state()->counted;
	if (!own->any_spent)
		return;
	own->any_spent = false;
	for (struct breakpoint *b = stops_state()->breakpoints, *next; b; b = next) {
		next = b->next;
		if (!b->spent)
			continue;
		b->spent = false;
		if (b->disposition == DISABLE && !watchpoint_is_gone(b)) {
			b->enabled = false;
			cudasim_error_free(breakpoint_arm(b));
		} else {
			breakpoint_delete(b);
		}
	}
}

void breakpoint_number_tell(const struct breakpoint *b)
{
	struct value value = {.type = type_base("int"), .n_bytes = sizeof b->number};
	memcpy(value.bytes.small, &b->number, sizeof b->number);
	if (value.type)
		convenience_set("bpnum", &value);
}
