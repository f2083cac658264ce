/* SPDX-License-Identifier: Apache-2.0 */
/* race_copy.c - copies and sets, and frees in a stream's order, against what kernels access. */
#include <stdatomic.h>
#include <stdlib.h>

#include "race_order.h"

struct copy {
	struct race_operation operation;
	uint64_t to, to_end, from, from_end;
	bool whole; /* without gaps between rows */
	bool frees; /* [to, to_end) */
	const char *function; /* of the runtime's text */
};

static struct copy *copies; /* asynchronous ones that the host has not waited for */
static uint32_t n_copies, max_copies;
_Atomic uint64_t race_copy_state = 1;

/* With race_order_lock. */
static void set_n(uint32_t n)
{
	n_copies = n;
	atomic_fetch_add(&race_copy_state, 1);
}

void race_copy_prune(const struct race_clock *host)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < n_copies; i++)
		if (race_clock_at(host, copies[i].operation.stream) < copies[i].operation.number)
			copies[n++] = copies[i];
		else
			race_clock_drop(&copies[i].operation.before);
	if (n != n_copies)
		set_n(n);
}

bool race_copy_any(void)
{
	pthread_mutex_lock(&race_order_lock);
	bool any = n_copies;
	pthread_mutex_unlock(&race_order_lock);
	return any;
}

void race_copy_each(void (*each)(void *data, const struct race_copy *copy), void *data)
{
	pthread_mutex_lock(&race_order_lock);
	for (uint32_t i = 0; i < n_copies; i++) {
		const struct copy *c = &copies[i];
		if (!c->whole || c->frees)
			continue;
		struct race_copy seen = {c->to, c->to_end, c->from, c->from_end, c->function};
		each(data, &seen);
	}
	pthread_mutex_unlock(&race_order_lock);
}

/* ---- a copy against earlier accesses -------------------------------------- */

struct looking {
	const struct copy *copy;
	bool writes;
};

static enum race_copy_does does(const struct copy *c, bool writes)
{
	return c->frees ? RACE_COPY_FREES : writes ? RACE_COPY_WRITES : RACE_COPY_READS;
}

/* Whether what a segment's lane did is before the copy. */
static bool before_copy(const struct race_launch *a, uint32_t segment, uint32_t lane,
			const struct copy *c)
{
	const struct race_launch *child = c->operation.child;
	return child ? race_order_before(a, child) ||
			       race_order_before_child(a, segment, lane, child)
		     : race_clock_at(&c->operation.before, a->stream) >= a->number;
}

static bool look(void *data, struct race_record record, uint64_t address)
{
	const struct looking *l = data;
	if (race_segment_released(record.segment))
		return true;
	const struct race_launch *a =
		race_launch_at(race_block_name(race_segment(record.segment)->block)->launch);
	if (!before_copy(a, record.segment, record.lane, l->copy))
		race_found_by_copy(l->copy->function, does(l->copy, l->writes), record, address);
	return true;
}

static uint64_t extent(uint64_t width, uint64_t height, uint64_t depth, uint64_t pitch,
		       uint64_t slice)
{
	return width ? (depth - 1) * slice + (height - 1) * pitch + width : 0;
}

/* Each access is compared with all that are kept: those above are compared with what was
 * before them only. */
enum { MAX_CHILD_COPIES = 64 };

static uint32_t n_child_copies(void)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < n_copies; i++)
		n += copies[i].operation.child != NULL;
	return n;
}

/* A loop's body makes the same copy again in the same place. */
static bool seen_before(const struct copy *c)
{
	for (uint32_t i = 0; i < n_copies; i++) {
		const struct copy *o = &copies[i];
		if (o->operation.stream == c->operation.stream &&
		    o->operation.number == c->operation.number && o->to == c->to &&
		    o->to_end == c->to_end && o->from == c->from && o->from_end == c->from_end)
			return true;
	}
	return false;
}

static void keep(const struct copy *c)
{
	uint32_t n = n_copies;
	if (n == max_copies) {
		max_copies = max_copies ? max_copies * 2 : 64;
		copies = must(realloc(copies, max_copies * sizeof *copies));
	}
	copies[n] = *c;
	copies[n].operation.before = (struct race_clock){0};
	race_clock_join(&copies[n].operation.before, &c->operation.before);
	set_n(n + 1);
}

static void made(const struct cudasim_copy *copy, bool frees)
{
	struct copy c = {
		.frees = frees,
		.whole = copy->height == 1 && copy->depth == 1,
		.to = (uint64_t)(uintptr_t)copy->to,
		.from = (uint64_t)(uintptr_t)copy->from,
		.function = copy->function,
	};
	c.to_end = c.to +
		   extent(copy->width, copy->height, copy->depth, copy->to_pitch, copy->to_slice);
	c.from_end = c.from ? c.from + extent(copy->width, copy->height, copy->depth,
					      copy->from_pitch, copy->from_slice)
			    : 0;
	pthread_mutex_lock(&race_order_lock);
	bool known = race_operation_find(copy, &c.operation);
	bool beside = known && race_operation_beside(&c.operation);
	if (known && !copy->async)
		race_operation_waited(&c.operation);
	else if (known &&
		 (c.operation.child ? n_child_copies() < MAX_CHILD_COPIES : !seen_before(&c)))
		keep(&c);
	pthread_mutex_unlock(&race_order_lock);
	if (!known)
		return;
	if (beside) {
		struct looking l = {&c, true};
		race_shadow_each(copy->to, c.to_end - c.to, false, look, &l);
		l.writes = false;
		if (copy->from)
			race_shadow_each(copy->from, c.from_end - c.from, true, look, &l);
	}
	race_clock_drop(&c.operation.before);
}

void race_copy_made(const struct cudasim_copy *copy)
{
	made(copy, false);
}

void race_copy_freed(const struct cudasim_memory *memory)
{
	struct cudasim_copy as = {
		.to = memory->address,
		.width = memory->size,
		.height = 1,
		.depth = 1,
		.id = memory->free_id,
		.async = true,
		.function = memory->function,
	};
	made(&as, true);
}

void race_copy_allocated(const struct cudasim_memory *memory)
{
	uint64_t from = (uint64_t)(uintptr_t)memory->address, end = from + memory->size;
	uint32_t n = 0;
	pthread_mutex_lock(&race_order_lock);
	for (uint32_t i = 0; i < n_copies; i++)
		if (copies[i].frees && from < copies[i].to_end && end > copies[i].to)
			race_clock_drop(&copies[i].operation.before);
		else
			copies[n++] = copies[i];
	if (n != n_copies)
		set_n(n);
	pthread_mutex_unlock(&race_order_lock);
}

static bool after_copy(const struct race_launch *l, const struct copy *c)
{
	return c->operation.child
		       ? race_order_before(c->operation.child, l)
		       : race_clock_at(&l->before, c->operation.stream) >= c->operation.number;
}

/* Whether the access is before the copy, or after it. */
static bool ordered_with_copy(const struct race_me *me, const struct copy *c)
{
	const struct race_launch *l = me->block->launch;
	return after_copy(l, c) || before_copy(l, me->record.segment, me->record.lane, c);
}

bool race_copy_look(struct race_launch *l)
{
	pthread_mutex_lock(&race_order_lock);
	uint64_t state = atomic_load(&race_copy_state);
	bool beside = false;
	/* What a launch from device code is before, only its accesses tell. */
	for (uint32_t i = 0; i < n_copies && !beside; i++)
		beside = !after_copy(l, &copies[i]) &&
			 (copies[i].operation.child || !before_copy(l, 0, 0, &copies[i]));
	atomic_store_explicit(&l->copies, state << 1 | beside, memory_order_release);
	pthread_mutex_unlock(&race_order_lock);
	return beside;
}

void race_copy_access(const struct race_me *me)
{
	uint64_t from = (uint64_t)(uintptr_t)me->access->address, end = from + me->access->size;
	const char *function = NULL;
	enum race_copy_does what = RACE_COPY_READS;
	bool found = false;
	pthread_mutex_lock(&race_order_lock);
	for (uint32_t i = 0; i < n_copies && !found; i++) {
		const struct copy *c = &copies[i];
		bool to = from < c->to_end && end > c->to;
		bool of = me->record.write && from < c->from_end && end > c->from;
		if ((!to && !of) || ordered_with_copy(me, c))
			continue;
		found = true;
		what = does(c, to);
		function = c->function;
	}
	pthread_mutex_unlock(&race_order_lock);
	if (found)
		race_found_copy(me, function, what);
}
