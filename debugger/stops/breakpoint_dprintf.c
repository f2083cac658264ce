/* SPDX-License-Identifier: Apache-2.0 */
/* breakpoint_dprintf.c - dprintf: a breakpoint that prints and never stops.
 *
 * It prints where its condition is asked for, on the pthread that has come there, and then
 * says that nobody stops. Commands (printf, continue) would make a stop of each hit, and so
 * end a next or a finish that passes it. */
#include <stdlib.h>
#include <string.h>

#include "breakpoint.h"
#include "error.h"
#include "front.h"
#include "printf_format.h"
#include "stack.h"

void dprintf_fini(struct breakpoint_location *l)
{
	for (size_t i = 0; i < l->n_values; i++)
		expression_free(l->values[i]);
	free(l->values);
	l->values = NULL;
	l->n_values = 0;
}

static struct cudasim_error *parse(struct breakpoint_location *l, const char *arguments)
{
	struct cudasim_error *error = NULL;
	dprintf_fini(l);
	/* A comma for each argument at least. */
	l->values = calloc(strlen(arguments) + 1, sizeof *l->values);
	if (!l->values)
		return &cudasim_error_nomem;
	while (!error && *arguments) {
		char *text = printf_format_argument(&arguments);
		if (!text)
			return &cudasim_error_nomem;
		error = expression_parse(text, l->pc, &l->values[l->n_values]);
		l->n_values += !error;
		free(text);
	}
	return error;
}

struct cudasim_error *dprintf_resolve(struct breakpoint *b)
{
	const char *arguments;
	struct cudasim_error *error = printf_format_check(b->format, &arguments);
	for (struct breakpoint_location *l = b->locations; l && !error; l = l->next)
		error = parse(l, arguments);
	return error;
}

/* ---- hits ------------------------------------------------------------------------------ */

struct hit {
	const struct breakpoint_location *location;
	const struct context *context;
	size_t next;
};

static struct cudasim_error *next_value(void *user, struct value *ret)
{
	struct hit *hit = user;
	return expression_evaluate(hit->location->values[hit->next++], hit->context, ret);
}

static void complain(FILE *out, const struct breakpoint *b, struct cudasim_error *error)
{
	fprintf(out, "Error in dprintf %d:\n%s\n", b->number, error->message);
	cudasim_error_free(error);
}

void dprintf_hit(struct breakpoint_location *l, const struct context *context)
{
	struct hit hit = {.location = l, .context = context};
	struct cudasim_error *error = l->error;
	l->error = NULL;
	if (!breakpoint_passes(l->owner)) {
		cudasim_error_free(error);
		return;
	}
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out) {
		cudasim_error_free(error);
		return;
	}
	if (error)
		complain(out, l->owner, error);
	struct cudasim_thread *before = value_thread_swap(context->thread);
	error = printf_format_write(out, l->owner->format, next_value, &hit);
	value_thread_swap(before);
	if (error)
		complain(out, l->owner, error);
	fclose(out);
	if (text)
		front_write(text, size);
	free(text);
}

void dprintf_hit_by(struct breakpoint_location *l, struct cudasim_thread *thread)
{
	struct frame *frames = NULL;
	size_t n = 0;
	struct cudasim_error *error = frames_of_thread(thread, &frames, &n);
	struct context context = {
		.thread = thread, .launch = thread->block->launch, .frame = n ? frames : NULL};
	if (error && l->error)
		cudasim_error_free(error);
	else if (error)
		l->error = error;
	dprintf_hit(l, &context);
	free(frames);
}
