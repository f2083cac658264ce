/* SPDX-License-Identifier: Apache-2.0 */
/* race_family.c - the order of what device code launches.
 *
 * The children of a launch are ordered among themselves by the streams of device code, with
 * clocks as the host's operations have (race_order.c). Two launches anywhere are ordered as
 * those of their ancestors are that are children of one launch, or launches of the host: a
 * launch is over when all that it has launched is. What a launch did itself is before a child
 * as far as it is before the thread that made it, at that point. */
#include <stdlib.h>
#include <string.h>

#include "race.h"

struct child_stream {
	uint64_t id;
	uint32_t n; /* operations so far */
	struct race_clock clock;
};

struct child_operation {
	uint64_t id;
	uint32_t stream, number;
	struct race_clock before;
	struct race_point *point; /* where it was asked for; NULL for the tail stream */
	bool tail;
};

struct race_family {
	struct child_stream *streams;
	uint32_t n_streams, max_streams;
	struct child_operation *operations;
	uint32_t n_operations, max_operations;
};

/* What was announced last on this pthread. */
static _Thread_local struct race_clock after; /* CHILD_AFTER so far */
static _Thread_local struct {
	const struct race_launch *parent; /* NULL: nothing */
	uint32_t operation;               /* of the family's */
} announced;

static struct race_family *family_of(struct race_launch *parent)
{
	if (!parent->family)
		parent->family = must(calloc(1, sizeof *parent->family));
	return parent->family;
}

static uint32_t stream_at(struct race_family *f, uint64_t id)
{
	for (uint32_t i = f->n_streams; i-- > 0;)
		if (f->streams[i].id == id)
			return i;
	if (f->n_streams == f->max_streams) {
		f->max_streams = f->max_streams ? 2 * f->max_streams : 8;
		f->streams = must(realloc(f->streams, f->max_streams * sizeof *f->streams));
	}
	f->streams[f->n_streams] = (struct child_stream){.id = id};
	return f->n_streams++;
}

static void child_after(struct race_family *f, uint64_t id)
{
	for (uint32_t i = f->n_operations; i-- > 0;) {
		const struct child_operation *o = &f->operations[i];
		if (o->id != id)
			continue;
		race_clock_join(&after, &o->before);
		race_clock_set(&after, o->stream, o->number);
		return;
	}
}

/* Where the thread stands; what it does from now on is later. */
static struct race_point *take_point(struct cudasim_thread *thread)
{
	struct race_block *b = thread ? race_block_of(thread->block) : NULL;
	if (!b)
		return NULL;
	struct race_warp *w = &b->warps[thread->warp];
	struct race_point *p = must(calloc(1, sizeof *p));
	p->block = b->id;
	p->epoch = b->epoch;
	p->warp = (uint16_t)thread->warp;
	p->lane = (uint8_t)(thread->lane & 31);
	p->sequence = w->sequence;
	p->known_all = w->known_all;
	p->has_known = w->known != NULL;
	if (w->known)
		memcpy(p->known, w->known[p->lane], sizeof p->known);
	p->synchronises = b->known.n || (b->threads && b->threads[thread->linear].known.n);
	p->segment = race_segment_next();
	w->sequence++;
	w->segment = 0;
	return p;
}

static void child(struct race_launch *parent, const struct cudasim_order_event *event)
{
	struct race_family *f = family_of(parent);
	uint32_t i = stream_at(f, event->stream);
	struct child_stream *s = &f->streams[i];
	bool tail = event->flags & 1;
	race_clock_join(&s->clock, &after);
	for (uint32_t k = 0; tail && k < f->n_streams; k++)
		race_clock_set(&s->clock, k, f->streams[k].n);
	if (f->n_operations == f->max_operations) {
		f->max_operations = f->max_operations ? 2 * f->max_operations : 16;
		f->operations =
			must(realloc(f->operations, f->max_operations * sizeof *f->operations));
	}
	struct child_operation *o = &f->operations[f->n_operations++];
	*o = (struct child_operation){
		.id = event->id,
		.stream = i,
		.number = ++s->n,
		.tail = tail,
		.point = tail ? NULL : take_point(event->launcher),
	};
	race_clock_join(&o->before, &s->clock);
	race_clock_set(&s->clock, i, s->n);
	free(after.n);
	after = (struct race_clock){0};
	announced.parent = parent;
	announced.operation = f->n_operations - 1;
}

void race_family_event(const struct cudasim_order_event *event, struct race_launch *parent)
{
	announced.parent = NULL;
	if (!parent)
		return;
	if (event->kind == CUDASIM_ORDER_CHILD_AFTER)
		child_after(family_of(parent), event->after);
	else
		child(parent, event);
}

static void place(struct race_launch *child, const struct child_operation *o)
{
	child->child_stream = o->stream;
	child->child_number = o->number;
	race_clock_join(&child->child_before, &o->before);
	child->tail = o->tail;
	child->point = o->point;
}

void race_family_launch(struct race_launch *launch, struct race_launch *parent)
{
	launch->parent = parent;
	launch->depth = parent->depth + 1;
	if (announced.parent != parent)
		return;
	place(launch, &parent->family->operations[announced.operation]);
	announced.parent = NULL;
}

struct race_launch *race_family_copy(struct race_launch *parent, uint64_t id)
{
	const struct race_family *f = parent->family;
	for (uint32_t i = f ? f->n_operations : 0; i-- > 0;) {
		if (f->operations[i].id != id)
			continue;
		struct race_launch *copy = must(calloc(1, sizeof *copy));
		copy->parent = parent;
		copy->depth = parent->depth + 1;
		copy->stream = parent->stream;
		copy->number = parent->number;
		place(copy, &f->operations[i]);
		return copy;
	}
	return NULL;
}
