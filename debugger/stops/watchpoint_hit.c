/* SPDX-License-Identifier: Apache-2.0 */
/* watchpoint_hit.c - accesses to what is watched: has the value changed, who did it,
 * and is that worth a stop?
 *
 * A store is told twice, before it is made and when its value can be read. Stores of
 * other threads may be told in between, so the value known is brought up to date (the
 * host may have written meanwhile) only where no store is under way. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "stack.h"
#include "watchpoint.h"

const char *watch_title(const struct watchpoint *watch)
{
	static const char *const titles[] = {
		[WATCH_WRITE] = "Hardware watchpoint",
		[WATCH_READ] = "Hardware read watchpoint",
		[WATCH_ACCESS] = "Hardware access (read/write) watchpoint",
	};
	return titles[watch->mode];
}

struct context watch_context(const struct watchpoint *w, struct cudasim_thread *thread)
{
	if (w->framed || !thread)
		return (struct context){w->thread, w->launch, w->has_frame ? &w->frame : NULL};
	return (struct context){thread, thread->block->launch, NULL};
}

/* ---- values ---------------------------------------------------------------------------- */

struct cudasim_error *watch_read(struct watch_instance *i, struct cudasim_thread *thread)
{
	const struct watchpoint *w = i->owner->watch;
	struct value value;
	if (w->fixed) {
		uint64_t n = w->object.n_bytes;
		if (cudasim_memory_read((const void *)i->address, i->bytes, n) != n)
			return cudasim_error_new(CUDASIM_E_ARGUMENT,
						 "Cannot access memory at address 0x%llx",
						 (unsigned long long)i->address);
		return NULL;
	}
	struct context context = watch_context(w, thread);
	struct cudasim_error *error = expression_evaluate(w->expression, &context, &value);
	if (error)
		return error;
	value_bytes(&value);
	value_fini(&i->value);
	i->value = value;
	return NULL;
}

/* ---- the condition -------------------------------------------------------------------------- */

/* The frame of thread's that stands in the function where the watchpoint was set. */
static struct cudasim_error *condition_frame(const struct watchpoint *w,
					     struct cudasim_thread *thread, struct frame **frames,
					     struct context *context)
{
	size_t n = 0;
	*frames = NULL;
	*context = watch_context(w, thread);
	if (w->framed || !w->has_frame)
		return NULL;
	struct cudasim_error *error = frames_of_thread(thread, frames, &n);
	for (size_t i = 0; !error && i < n; i++)
		if ((*frames)[i].function == w->frame.function) {
			context->frame = &(*frames)[i];
			return NULL;
		}
	return error ? error
		     : cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "The thread is in no frame of %s, where the condition was "
					 "given.",
					 w->frame.name);
}

static bool condition_holds(struct breakpoint *b, struct cudasim_thread *thread,
			    struct cudasim_error **error)
{
	const struct watchpoint *w = b->watch;
	struct context context;
	struct frame *frames = NULL;
	struct value value;
	int result = 1;
	*error = NULL;
	if (!w->condition)
		return true;
	*error = condition_frame(w, thread, &frames, &context);
	if (!*error)
		*error = expression_evaluate(w->condition, &context, &value);
	if (!*error) {
		memcpy(&result, value_bytes(&value), sizeof result);
		value_fini(&value);
	}
	free(frames);
	return result != 0;
}

/* ---- reports ----------------------------------------------------------------------------------- */

struct report {
	char *text;
	size_t size;
	FILE *out;
	bool has_part; /* the part of the object is named */
};

static bool report_begin(struct report *r, const struct breakpoint *b, struct stop *stop)
{
	*r = (struct report){0};
	r->out = open_memstream(&r->text, &r->size);
	if (!r->out)
		return false;
	if (stop->report)
		fputs(stop->report, r->out);
	if (b)
		fprintf(r->out, "\nCUDA thread hit %s %d: %s\n\n", watch_title(b->watch), b->number,
			b->text);
	return true;
}

static void report_place(FILE *out, const char *verb, const struct cudasim_thread *thread,
			 const struct cudasim_access *access)
{
	const uint32_t *b = thread->block->ctaid, *t = thread->tid;
	fprintf(out, "%s by block (%u,%u,%u), thread (%u,%u,%u)", verb, b[0], b[1], b[2], t[0],
		t[1], t[2]);
	if (access && access->site)
		fprintf(out, " in %s at %s:%u", access->site->function, access->site->file,
			access->site->line);
	fputc('\n', out);
}

static void report_end(struct report *r, struct stop *stop)
{
	fclose(r->out);
	free(stop->report);
	stop->report = r->text;
}

/* The thread's access counts: decide, and move what was reported into the stop. */
static bool finish(struct breakpoint *b, struct cudasim_thread *thread, struct report *r,
		   struct stop *stop)
{
	struct cudasim_error *error;
	bool stops = condition_holds(b, thread, &error) && breakpoint_counts(b, 0, stop);
	if (!stops) {
		cudasim_error_free(error);
		fclose(r->out);
		free(r->text);
		return false;
	}
	report_end(r, stop);
	if (error)
		breakpoint_condition_failed(b, error, stop);
	return true;
}

/* ---- accesses ------------------------------------------------------------------------------------ */

/* What of the object the access touches, in bytes from its start. */
static bool overlap(const struct watch_instance *i, const struct cudasim_access *access,
		    uint64_t *low, uint64_t *high)
{
	uint64_t n = i->owner->watch->object.n_bytes, from = (uint64_t)access->address;
	*low = from > i->address ? from - i->address : 0;
	*high = from + access->size > i->address ? from + access->size - i->address : 0;
	*high = *high < n ? *high : n;
	return *low < *high;
}

/* What is known of the value, as much of it as the access touches. */
static void print_value(struct report *r, const struct watch_instance *i,
			const struct cudasim_access *access, const char *title)
{
	const struct breakpoint *b = i->owner;
	struct watch_part part;
	uint64_t low, high;
	if (!b->watch->fixed || !overlap(i, access, &low, &high)) {
		fprintf(r->out, "%s = ", title);
		value_print(r->out, &i->value, 0, 0, true);
		fputc('\n', r->out);
		return;
	}
	watch_part_find(b->watch, low, high, &part);
	if (part.path && *part.path && !r->has_part)
		fprintf(r->out, "%s%s:\n", expression_text(b->watch->expression), part.path);
	r->has_part = true;
	fprintf(r->out, "%s = ", title);
	watch_part_print(r->out, b->watch, &part, i->bytes);
	fputc('\n', r->out);
	free(part.path);
}

static bool read_hit(struct watch_instance *i, struct cudasim_thread *thread,
		     const struct cudasim_access *access, struct stop *stop)
{
	struct report r;
	if (!i->pending)
		cudasim_error_free(watch_read(i, thread));
	if (!report_begin(&r, i->owner, stop))
		return false;
	print_value(&r, i, access, "Value");
	report_place(r.out, "Read", thread, access);
	return finish(i->owner, thread, &r, stop);
}

static bool stored(struct watch_instance *i, struct cudasim_thread *thread,
		   const struct cudasim_access *access, bool changed, struct report *r,
		   struct stop *stop)
{
	print_value(r, i, access, changed ? "New value" : "Value");
	report_place(r->out, "Stored", thread, access);
	return finish(i->owner, thread, r, stop);
}

static bool stored_fixed(struct watch_instance *i, struct cudasim_thread *thread,
			 const struct cudasim_access *access, struct stop *stop)
{
	const struct watchpoint *w = i->owner->watch;
	uint64_t low, high;
	struct report r;
	if (!overlap(i, access, &low, &high))
		return false;
	unsigned char small[64], *now = small;
	if (high - low > sizeof small && !(now = malloc(high - low)))
		return false;
	bool changed = cudasim_memory_read((const void *)(i->address + low), now, high - low) ==
			       high - low &&
		       memcmp(now, i->bytes + low, high - low) != 0;
	uint64_t before = w->object.bit_size ? watch_bits(&w->object, i->bytes) : 0;
	bool told = (changed || w->mode == WATCH_ACCESS) && report_begin(&r, i->owner, stop);
	if (told && changed)
		print_value(&r, i, access, "Old value");
	memcpy(i->bytes + low, now, high - low);
	if (now != small)
		free(now);
	if (!told)
		return false;
	/* Of a bitfield's storage other bits may have changed. */
	if (w->object.bit_size && watch_bits(&w->object, i->bytes) == before &&
	    w->mode == WATCH_WRITE) {
		fclose(r.out);
		free(r.text);
		return false;
	}
	return stored(i, thread, access, changed, &r, stop);
}

static bool stored_evaluated(struct watch_instance *i, struct cudasim_thread *thread,
			     const struct cudasim_access *access, struct stop *stop)
{
	struct watchpoint *w = i->owner->watch;
	struct context context = watch_context(w, thread);
	struct value now;
	struct report r;
	struct cudasim_error *error = expression_evaluate(w->expression, &context, &now);
	if (error) {
		/* A pointer on the way has become bad: that is a change, too. */
		bool told = report_begin(&r, i->owner, stop);
		if (told) {
			fputs("Old value = ", r.out);
			value_print(r.out, &i->value, 0, 0, true);
			fprintf(r.out, "\nNew value = <error: %s>\n", error->message);
			report_place(r.out, "Stored", thread, access);
		}
		cudasim_error_free(error);
		return told && finish(i->owner, thread, &r, stop);
	}
	bool changed = now.n_bytes != i->value.n_bytes ||
		       memcmp(value_bytes(&now), value_bytes(&i->value), now.n_bytes) != 0;
	bool told = (changed || w->mode == WATCH_ACCESS) && report_begin(&r, i->owner, stop);
	if (told && changed)
		print_value(&r, i, access, "Old value");
	value_fini(&i->value);
	i->value = now;
	return told && stored(i, thread, access, changed, &r, stop);
}

bool watch_hit(struct watcher *watcher, struct cudasim_thread *thread,
	       const struct cudasim_access *access, bool after, struct stop *stop)
{
	struct watch_piece *piece = watcher->user;
	struct watch_instance *i = piece->instance;
	struct breakpoint *b = i->owner;
	const struct watchpoint *w = b->watch;
	bool store = access->what & CUDASIM_ACCESS_STORE;
	bool mine = filter_accepts(&b->filter, thread);
	if (w->gone)
		return false;
	if (!after && store) {
		if (!i->pending++ && !w->fixed)
			cudasim_error_free(watch_read(i, thread));
		else if (i->pending == 1) {
			uint64_t low, high;
			if (overlap(i, access, &low, &high))
				cudasim_memory_read((const void *)(i->address + low),
						    i->bytes + low, high - low);
		}
		return mine && w->mode == WATCH_READ && access->what & CUDASIM_ACCESS_LOAD &&
		       read_hit(i, thread, access, stop);
	}
	if (!after)
		return mine && w->mode != WATCH_WRITE && read_hit(i, thread, access, stop);
	if (i->pending)
		i->pending--;
	if (w->mode == WATCH_READ)
		return false;
	if (w->fixed && mine)
		return stored_fixed(i, thread, access, stop);
	bool stops = mine && stored_evaluated(i, thread, access, stop);
	if (!mine) /* it changes what is known all the same */
		cudasim_error_free(watch_read(i, thread));
	if (!w->fixed)
		watch_follow(i, thread); /* watcher is gone after this */
	return stops;
}

bool watch_gone(struct watcher *watcher, struct cudasim_thread *thread, struct stop *stop)
{
	struct watch_piece *piece = watcher->user;
	struct breakpoint *b = piece->instance->owner;
	struct report r;
	(void)thread;
	if (b->watch->all_blocks) {
		piece->instance->block = NULL;
		return false;
	}
	if (b->watch->gone)
		return false;
	b->watch->gone = true;
	breakpoint_spend(b);
	if (!report_begin(&r, NULL, stop))
		return false;
	fprintf(r.out,
		"\nWatchpoint %d deleted because the program has left the block in\n"
		"which its expression is valid.\n",
		b->number);
	report_end(&r, stop);
	return true;
}
