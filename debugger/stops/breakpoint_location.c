/* SPDX-License-Identifier: Apache-2.0 */
/* breakpoint_location.c - the places where a breakpoint stops: sites of device code,
 * int3 in host code, and the condition as it reads in each of them. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "breakpoint.h"
#include "condition.h"
#include "error.h"
#include "front.h"
#include "host_unwind.h"
#include "stops_state.h"
#include "symbols.h"

/* ---- hits --------------------------------------------------------------------------- */

/* A million times a second: no lookup, no allocation on the way to false. */
static bool holds_for(struct breakpoint_location *l, struct cudasim_thread *thread)
{
	struct cudasim_frame frame;
	bool holds = true;
	if (!l->condition || !cudasim_thread_frames(thread, &frame, 1))
		return true;
	struct cudasim_error *error = expression_test(l->condition, thread, frame.frame, &holds);
	if (!error)
		return holds;
	if (l->error)
		cudasim_error_free(error);
	else
		l->error = error;
	return true;
}

static bool device_hit(struct breaker *breaker, struct cudasim_thread *thread,
		       const struct cudasim_site *site)
{
	struct breakpoint_location *l = breaker->user;
	(void)site;
	if (!filter_accepts(&l->owner->filter, thread))
		return false;
	return holds_for(l, thread);
}

/* With a condition ignore counts the threads for which it holds; without, the stops: all
 * threads of a grid come to a line, and that is one crossing. */
static bool device_counts(struct breaker *breaker, struct cudasim_thread *thread)
{
	struct breakpoint_location *l = breaker->user;
	struct breakpoint *b = l->owner;
	if (b->format) {
		dprintf_hit_by(l, thread);
		return false;
	}
	if (!b->ignore || !l->condition || l->error)
		return true;
	b->ignore--;
	b->hits++;
	return false;
}

static bool counts(struct breakpoint_location *l, struct stop *stop)
{
	struct breakpoint *b = l->owner;
	struct cudasim_error *error = l->error;
	l->error = NULL;
	if (!breakpoint_counts(b, b->locations->next ? l->number : 0, stop)) {
		cudasim_error_free(error);
		return false;
	}
	if (error)
		breakpoint_condition_failed(b, error, stop);
	return true;
}

static bool device_stopped(struct breaker *breaker, struct cudasim_thread *thread,
			   struct stop *stop)
{
	(void)thread;
	return counts(breaker->user, stop);
}

/* In the signal handler of a host thread that stands at a statement of the program's
 * own, so that the allocator is not in use below. */
static bool host_hit(void *user, const struct registers *registers, struct stop *stop)
{
	struct breakpoint_location *l = user;
	struct frame *frames = NULL;
	size_t n = 0;
	bool holds = true;
	struct context context = {0};
	if (l->condition || l->owner->format) {
		l->error = host_frames(registers, &frames, &n);
		context.frame = n ? frames : NULL;
	}
	if (l->condition && !l->error) {
		struct value value;
		l->error = expression_evaluate(l->condition, &context, &value);
		if (!l->error) {
			/* The text was wrapped to give an int. */
			int result = 0;
			memcpy(&result, value_bytes(&value), sizeof result);
			holds = result != 0;
			value_fini(&value);
		}
	}
	if (holds && l->owner->format) {
		dprintf_hit(l, &context);
		holds = false;
	}
	free(frames);
	return holds && counts(l, stop);
}

bool locations_hit_at(const struct registers *registers, struct stop *stop)
{
	bool hit = false;
	for (struct breakpoint *b = stops_state()->breakpoints; b; b = b->next)
		for (struct breakpoint_location *l = b->locations; l; l = l->next)
			if (l->host && l->pc == registers->value[16] &&
			    host_hit(l, registers, stop))
				hit = true;
	return hit;
}

/* ---- arming --------------------------------------------------------------------------- */

static struct cudasim_error *arm(struct breakpoint_location *l)
{
	if (l->place.site) {
		struct cudasim_error *error = breaker_add(&l->breaker, l->place.site);
		l->armed = !error;
		return error;
	}
	struct cudasim_error *error = host_breakpoint_add(l->pc, host_hit, l, &l->host);
	l->armed = !error;
	return error;
}

static void disarm(struct breakpoint_location *l)
{
	if (!l->armed)
		return;
	l->armed = false;
	if (l->place.site) {
		breaker_remove(&l->breaker, l->place.site);
	} else {
		host_breakpoint_remove(l->host);
		l->host = NULL;
	}
}

static bool wants_arming(const struct breakpoint_location *l)
{
	const struct breakpoint *b = l->owner;
	/* A thread of the host is in no block. */
	bool never = !l->place.site && (b->filter.has_thread || b->filter.has_block);
	/* What is set after the end is for the next run, which is another process. */
	bool over = stop_current()->kind == STOP_EXITED;
	return b->enabled && l->enabled && !l->no_condition && !never && !over;
}

void locations_arm(struct breakpoint *b, struct cudasim_error **error)
{
	for (struct breakpoint_location *l = b->locations; l; l = l->next) {
		struct cudasim_error *new = NULL;
		if (!wants_arming(l))
			disarm(l);
		else if (!l->armed)
			new = arm(l);
		if (new && *error)
			cudasim_error_free(new);
		else if (new)
			*error = new;
	}
}

static void location_free(struct breakpoint_location *l)
{
	disarm(l);
	expression_free(l->condition);
	dprintf_fini(l);
	cudasim_error_free(l->error);
	free(l);
}

void locations_free(struct breakpoint *b)
{
	while (b->locations) {
		struct breakpoint_location *l = b->locations;
		b->locations = l->next;
		location_free(l);
	}
}

/* ---- conditions -------------------------------------------------------------------------- */

static struct cudasim_error *condition_parse(const struct breakpoint_location *l, const char *text,
					     struct expression **ret)
{
	*ret = NULL;
	if (l->place.site)
		return expression_parse(text, l->pc, ret);
	return expression_parse_truth(text, l->pc, ret); /* for host_hit() */
}

static char *warning_of(const struct breakpoint *b, const struct cudasim_error *error)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	for (const struct breakpoint_location *l = b->locations; l; l = l->next)
		if (l->no_condition)
			fprintf(out,
				"warning: failed to validate condition at location "
				"%d.%d, disabling:\n  %s\n",
				b->number, l->number, error->message);
	fclose(out);
	return text;
}

/* Parse text in every location from `first` on. Where it means nothing in all of them
 * that is the error; in some: those are switched off, as gdb does, and
 * the breakpoint has a warning. */
static struct cudasim_error *conditions_set(struct breakpoint *b, const char *text)
{
	size_t n = 0, n_bad = 0;
	struct cudasim_error *first = NULL;
	for (struct breakpoint_location *l = b->locations; l; l = l->next, n++) {
		struct expression *expression = NULL;
		struct cudasim_error *error = text ? condition_parse(l, text, &expression) : NULL;
		expression_free(l->condition);
		l->condition = expression;
		l->no_condition = error != NULL;
		n_bad += error != NULL;
		if (first)
			cudasim_error_free(error);
		else
			first = error;
	}
	free(b->warning);
	b->warning = NULL;
	if (n && n == n_bad)
		return first;
	if (first)
		b->warning = warning_of(b, first);
	cudasim_error_free(first);
	return NULL;
}

struct cudasim_error *locations_condition(struct breakpoint *b, const char *text)
{
	struct cudasim_error *error = conditions_set(b, text), *again;
	if (error) {
		/* It stays as it was. */
		again = conditions_set(b, b->condition);
		cudasim_error_free(again);
	} else {
		locations_arm(b, &error);
	}
	return error;
}

/* ---- resolving ------------------------------------------------------------------------------ */

/* A place in device code that was given by address: only where a statement begins can
 * a thread be stopped. A function's own address means its first one. */
static struct cudasim_error *site_at(struct program_location *place)
{
	const struct cudasim_module *const *modules;
	const struct cudasim_site *found = NULL;
	uint64_t found_pc = 0;
	size_t n;
	struct line line;
	if (place->site || !place->function || !place->function->is_device)
		return NULL;
	bool entry = place->pc == place->function->low;
	bool known = symbols_line_at(place->pc, &line);
	cudasim_modules(&modules, &n);
	for (size_t m = 0; known && m < n; m++)
		for (uint64_t i = 0; i < modules[m]->n_sites; i++) {
			const struct cudasim_site *site = &modules[m]->sites[i];
			if (site->kind != CUDASIM_SITE_LINE || (!entry && site->line != line.line))
				continue;
			uint64_t pc = site_address(place->function, site);
			if (entry ? pc && (!found || pc < found_pc) : pc == place->pc) {
				found = site;
				found_pc = pc;
			}
		}
	if (!found)
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"No statement begins at 0x%llx, and in device code only the "
			"beginning of one can be a breakpoint.",
			(unsigned long long)place->pc);
	place->site = found;
	place->pc = found_pc;
	place->file = found->file;
	place->line = found->line;
	return NULL;
}

/* The host's stub of a kernel has its name, but is no place to stop. */
static bool is_stub(const struct program_location *places, size_t n,
		    const struct program_location *place)
{
	if (place->site || !place->function || place->function->is_device)
		return false;
	if (strstr(place->function->name, "__device_stub__"))
		return true;
	for (size_t i = 0; i < n; i++)
		if (places[i].function && places[i].function->is_kernel &&
		    !strcmp(places[i].function->name, place->function->name))
			return true;
	return false;
}

static struct breakpoint_location *location_new(struct breakpoint *b,
						const struct program_location *place)
{
	struct breakpoint_location *l = calloc(1, sizeof *l);
	if (!l)
		return NULL;
	l->owner = b;
	l->place = *place;
	l->pc = place->pc;
	l->enabled = true;
	l->breaker = (struct breaker){device_hit, device_counts, device_stopped, l};
	return l;
}

static bool is_same(const struct breakpoint_location *l, const struct program_location *place)
{
	return l->place.site == place->site && (place->site || l->place.pc == place->pc);
}

/* Add what is new in places behind what is there. */
static struct cudasim_error *append(struct breakpoint *b, const struct program_location *places,
				    size_t n)
{
	struct breakpoint_location **end = &b->locations;
	int number = 1;
	for (; *end; end = &(*end)->next)
		number = (*end)->number + 1;
	for (size_t i = 0; i < n; i++) {
		struct breakpoint_location *l = b->locations;
		while (l && !is_same(l, &places[i]))
			l = l->next;
		if (l || is_stub(places, n, &places[i]))
			continue;
		*end = location_new(b, &places[i]);
		if (!*end)
			return &cudasim_error_nomem;
		(*end)->number = number++;
		end = &(*end)->next;
	}
	return NULL;
}

struct cudasim_error *locations_resolve(struct breakpoint *b)
{
	struct program_location *places = NULL;
	size_t n = 0;
	struct cudasim_error *error = location_find(b->text, &places, &n);
	for (size_t i = 0; !error && i < n; i++)
		error = site_at(&places[i]);
	if (!error)
		error = append(b, places, n);
	free(places);
	if (!error && !b->locations)
		error = cudasim_error_new(CUDASIM_E_NOTFOUND, "No code at \"%s\".", b->text);
	if (!error)
		error = conditions_set(b, b->condition);
	if (!error && b->format)
		error = dprintf_resolve(b);
	if (!error)
		locations_arm(b, &error);
	return error;
}

/* ---- pending ones ----------------------------------------------------------------- */

/* FILE:LINE where the host has no code at that line, and so stops at a later one: a kernel
 * may be there whose module had not registered. */
static bool has_slid(const struct breakpoint *b)
{
	const char *colon = strrchr(b->text, ':');
	unsigned long line = strtoul(colon ? colon + 1 : b->text, NULL, 10);
	return line && !b->locations->place.site && (unsigned long)b->locations->place.line != line;
}

/* On the host thread that registers the module; the REPL waits. */
static void resolve_pending(const struct cudasim_module *module)
{
	bool loaded = false;
	(void)module;
	symbols_expect_more();
	for (struct breakpoint *b = stops_state()->breakpoints; b; b = b->next) {
		if (b->kind != KIND_BREAKPOINT || (b->locations && !has_slid(b)))
			continue;
		locations_free(b);
		if (!loaded)
			cudasim_error_free(symbols_load(NULL));
		loaded = true;
		struct cudasim_error *error = locations_resolve(b);
		if (b->warning)
			front_say("%s", b->warning);
		free(b->warning);
		b->warning = NULL;
		if (error && error->code != CUDASIM_E_NOTFOUND)
			front_say("Error in re-setting breakpoint %d: %s\n", b->number,
				  error->message);
		cudasim_error_free(error);
	}
}

__attribute__((constructor)) static void start(void)
{
	run_hooks()->module_registered = resolve_pending;
}
