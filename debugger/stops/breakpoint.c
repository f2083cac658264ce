/* SPDX-License-Identifier: Apache-2.0 */
/* breakpoint.c - the list of breakpoints, and what a hit counts for. */
#include "breakpoint.h"

#include <stdlib.h>
#include <string.h>

#include "console.h"
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

/* ---- numbers ------------------------------------------------------------------ */

static struct cudasim_error *bad_number(const char *word)
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT, "Bad breakpoint number '%s'", word);
}

/* A positive number at *text, which is advanced; 0 where there is none. $name is the
 * convenience variable's value. */
static int number_at(const char **text)
{
	char *end;
	if (**text == '$') {
		char name[64];
		size_t n = 1 + strspn(*text + 1, "abcdefghijklmnopqrstuvwxyz"
						 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
		int64_t value = 0;
		if (n >= sizeof name)
			return 0;
		memcpy(name, *text, n);
		name[n] = 0;
		struct cudasim_error *error = evaluate_integer(name, &value);
		if (error) {
			cudasim_error_free(error);
			return 0;
		}
		*text += n;
		return value > 0 && value < 1000000000 ? (int)value : 0;
	}
	long value = **text >= '0' && **text <= '9' ? strtol(*text, &end, 10) : 0;
	if (value <= 0 || value >= 1000000000)
		return 0;
	*text = end;
	return (int)value;
}

/* "3", "3-5" or "2.1" */
struct range {
	int first, last, location;
};

/* *ret is all 0 where word is none. */
static struct cudasim_error *range_parse(const char *word, struct range *ret)
{
	const char *at = word;
	struct range r = {0};
	*ret = r;
	r.first = r.last = number_at(&at);
	if (!r.first)
		return bad_number(word);
	if (*at == '-') {
		at++;
		r.last = number_at(&at);
		if (!r.last || r.last < r.first)
			return bad_number(word);
	} else if (*at == '.') {
		at++;
		r.location = number_at(&at);
		if (!r.location)
			return cudasim_error_new(CUDASIM_E_ARGUMENT,
						 "Bad breakpoint location number '%s'", at);
	}
	if (*at)
		return bad_number(word);
	*ret = r;
	return NULL;
}

/* Keep the first error; say the others, as gdb does, and go on with the rest. */
static void collect(struct cudasim_error **first, struct cudasim_error *error)
{
	if (*first && error) {
		fprintf(console(), "%s\n", error->message);
		cudasim_error_free(error);
	} else if (error) {
		*first = error;
	}
}

struct cudasim_error *breakpoint_numbers(const char *text,
					 struct cudasim_error *(*f)(void *user, struct breakpoint *,
								    int location),
					 void *user)
{
	enum { MANY = 100 };
	char word[64];
	struct cudasim_error *first = NULL;
	while (text_word(&text, word, sizeof word)) {
		struct range range;
		bool any = false;
		collect(&first, range_parse(word, &range));
		if (!range.first)
			continue;
		for (int i = range.first; i <= range.last; i++) {
			struct breakpoint *b = breakpoint_find(i);
			any = any || b;
			if (b)
				collect(&first, f(user, b, range.location));
			else if (range.last - range.first < MANY)
				collect(&first, cudasim_error_new(CUDASIM_E_NOTFOUND,
								  "No breakpoint number %d.", i));
			else if (i >= stops_state()->next_number)
				break;
		}
		if (!any && range.last - range.first >= MANY)
			collect(&first, cudasim_error_new(CUDASIM_E_NOTFOUND,
							  "No breakpoint number %s.", word));
	}
	return first;
}
