/* SPDX-License-Identifier: Apache-2.0 */
/* race_order.c - the order of operations, as the host asked for it.
 *
 * Each stream counts its operations; an operation's clock says how many of each
 * stream are before it. The host is one more party, whose clock grows where it
 * waits. (CUDA C++ Programming Guide, "Streams", "Default Stream", "Events".)
 * Host threads are taken for one: what orders them is not known here. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "race_order.h"

struct stream {
	uint32_t device;
	uint64_t id; /* 0: the legacy stream of the device */
	bool blocking;
	bool lane;  /* holds nodes of graphs that `id` runs, one after the other; no clock */
	uint32_t n; /* operations so far */
	struct race_clock clock;
};

struct event {
	uint64_t id;
	struct race_clock clock;
};

pthread_mutex_t race_order_lock = PTHREAD_MUTEX_INITIALIZER;
static struct stream *streams;
static uint32_t n_streams;
static struct event *events;
static uint32_t n_events;
static struct race_operation *operations; /* submitted, not yet carried out or not to be known of */
static uint32_t n_operations, max_operations;
static struct race_launch **open; /* that the host has not waited for */
static uint32_t n_open, max_open;
static struct race_clock host;

/* ---- clocks --------------------------------------------------------------- */

static uint32_t at(const struct race_clock *clock, uint32_t stream)
{
	return race_clock_at(clock, stream);
}

void race_clock_set(struct race_clock *clock, uint32_t stream, uint32_t n)
{
	if (stream >= clock->n_streams) {
		clock->n = must(realloc(clock->n, (stream + 1) * sizeof *clock->n));
		memset(clock->n + clock->n_streams, 0,
		       (stream + 1 - clock->n_streams) * sizeof *clock->n);
		clock->n_streams = stream + 1;
	}
	if (clock->n[stream] < n)
		clock->n[stream] = n;
}

void race_clock_join(struct race_clock *to, const struct race_clock *from)
{
	for (uint32_t i = from->n_streams; i-- > 0;)
		if (from->n[i])
			race_clock_set(to, i, from->n[i]);
}

void race_clock_drop(struct race_clock *clock)
{
	free(clock->n);
	*clock = (struct race_clock){0};
}

/* ---- streams and events --------------------------------------------------- */

static uint32_t stream_at(uint32_t device, uint64_t id)
{
	for (uint32_t i = 0; i < n_streams; i++)
		if (streams[i].id == id && !streams[i].lane && (id || streams[i].device == device))
			return i;
	streams = must(realloc(streams, (n_streams + 1) * sizeof *streams));
	streams[n_streams] = (struct stream){.device = device, .id = id, .blocking = true};
	return n_streams++;
}

static struct event *event_at(uint64_t id)
{
	for (uint32_t i = 0; i < n_events; i++)
		if (events[i].id == id)
			return &events[i];
	events = must(realloc(events, (n_events + 1) * sizeof *events));
	events[n_events] = (struct event){.id = id};
	return &events[n_events++];
}

/* What an operation of the stream waits for besides the stream's own. */
static void join_default(struct race_clock *clock, uint32_t stream)
{
	const struct stream *s = &streams[stream];
	if (!s->blocking)
		return;
	for (uint32_t i = 0; i < n_streams; i++)
		if (i != stream && streams[i].device == s->device &&
		    (s->id ? !streams[i].id : streams[i].blocking))
			race_clock_join(clock, &streams[i].clock);
}

static _Thread_local uint64_t submitted;
static _Thread_local uint64_t within; /* CUDASIM_ORDER_WITHIN */
static _Thread_local struct race_clock after; /* CUDASIM_ORDER_NODE_AFTER so far */

static void add_operation(uint64_t id, uint32_t stream, uint32_t number,
			  const struct race_clock *before)
{
	if (n_operations == max_operations) {
		max_operations = max_operations ? max_operations * 2 : 64;
		operations = must(realloc(operations, max_operations * sizeof *operations));
	}
	struct race_operation *o = &operations[n_operations++];
	*o = (struct race_operation){.id = id, .stream = stream, .number = number};
	race_clock_join(&o->before, before);
}

static const struct race_operation *find_operation(uint64_t id)
{
	for (uint32_t i = n_operations; id && i-- > 0;)
		if (operations[i].id == id)
			return &operations[i];
	return NULL;
}

/* What comes next is after the operation. One that is not known any more the host has
 * waited for. */
static void join_operation(struct race_clock *clock, uint64_t id)
{
	const struct race_operation *o = find_operation(id);
	if (!o)
		return;
	race_clock_join(clock, &o->before);
	race_clock_set(clock, o->stream, o->number);
}

/* A lane of the stream all of whose nodes are before. */
static uint32_t free_lane(const struct cudasim_order_event *event)
{
	for (uint32_t i = 0; i < n_streams; i++)
		if (streams[i].lane && streams[i].id == event->stream &&
		    streams[i].device == event->device && at(&after, i) >= streams[i].n)
			return i;
	streams = must(realloc(streams, (n_streams + 1) * sizeof *streams));
	streams[n_streams] = (struct stream){
		.device = event->device,
		.id = event->stream,
		.lane = true,
	};
	return n_streams++;
}

/* Branches of a graph are in different lanes. */
static void enter_node(const struct cudasim_order_event *event)
{
	race_clock_join(&after, &host);
	uint32_t lane = free_lane(event);
	add_operation(event->id, lane, ++streams[lane].n, &after);
	operations[n_operations - 1].node = true;
	submitted = event->id;
	race_clock_drop(&after);
}

static void submit(const struct cudasim_order_event *event)
{
	uint32_t i = stream_at(event->device, event->stream);
	struct stream *s = &streams[i];
	race_clock_join(&s->clock, &host);
	join_default(&s->clock, i);
	add_operation(event->id, i, ++s->n, &s->clock);
	race_clock_set(&s->clock, i, s->n);
	submitted = event->id;
}

/* What the host has waited for is before all that comes later. */
static void prune(void)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < n_open; i++)
		if (at(&host, open[i]->stream) < open[i]->number)
			open[n++] = open[i];
	n_open = n;
	race_copy_prune(&host);
	n = 0;
	for (uint32_t i = 0; i < n_operations; i++)
		if (at(&host, operations[i].stream) < operations[i].number)
			operations[n++] = operations[i];
		else
			race_clock_drop(&operations[i].before);
	n_operations = n;
}

static struct race_launch *find_open(uint64_t id)
{
	for (uint32_t i = n_open; i-- > 0;)
		if (open[i]->id == id)
			return open[i];
	return NULL;
}

void race_order_event(const struct cudasim_order_event *event)
{
	pthread_mutex_lock(&race_order_lock);
	uint32_t i;
	switch (event->kind) {
	case CUDASIM_ORDER_SUBMIT:
		submit(event);
		break;
	case CUDASIM_ORDER_STREAM_CREATE:
		i = stream_at(event->device, event->stream);
		streams[i].blocking = !(event->flags & 1); /* cudaStreamNonBlocking */
		break;
	case CUDASIM_ORDER_STREAM_DESTROY:
		break;
	case CUDASIM_ORDER_EVENT_RECORD:
		i = stream_at(event->device, event->stream);
		struct event *e = event_at(event->event);
		race_clock_drop(&e->clock);
		race_clock_join(&e->clock, &streams[i].clock);
		join_default(&e->clock, i);
		break;
	case CUDASIM_ORDER_STREAM_WAIT:
		i = stream_at(event->device, event->stream);
		race_clock_join(&streams[i].clock, &event_at(event->event)->clock);
		break;
	case CUDASIM_ORDER_EVENT_SYNC:
		race_clock_join(&host, &event_at(event->event)->clock);
		prune();
		break;
	case CUDASIM_ORDER_STREAM_SYNC:
		i = stream_at(event->device, event->stream);
		race_clock_join(&host, &streams[i].clock);
		if (!streams[i].id)
			join_default(&host, i);
		prune();
		break;
	case CUDASIM_ORDER_HOST_FUNCTION:
		/* How it tells the host's threads is not known here: it does. */
		for (i = n_operations; i-- > 0;)
			if (operations[i].id == event->id) {
				race_clock_join(&host, &operations[i].before);
				race_clock_set(&host, operations[i].stream, operations[i].number);
				break;
			}
		prune();
		break;
	case CUDASIM_ORDER_NODE_AFTER:
		if (!within)
			join_operation(&after, event->after);
		break;
	case CUDASIM_ORDER_NODE:
		if (!within)
			enter_node(event);
		break;
	case CUDASIM_ORDER_STREAM_AFTER:
		join_operation(&streams[stream_at(event->device, event->stream)].clock,
			       event->after);
		break;
	case CUDASIM_ORDER_WITHIN:
		within = event->id;
		break;
	case CUDASIM_ORDER_CHILD:
	case CUDASIM_ORDER_CHILD_AFTER:
		race_family_event(event, find_open(event->launch));
		break;
	case CUDASIM_ORDER_DEVICE_SYNC:
		for (i = 0; i < n_streams; i++)
			if (streams[i].device == event->device)
				race_clock_join(&host, &streams[i].clock);
		prune();
		break;
	}
	pthread_mutex_unlock(&race_order_lock);
}

/* ---- launches ------------------------------------------------------------- */

static bool take(uint64_t id, struct race_operation *ret)
{
	for (uint32_t i = n_operations; i-- > 0;)
		if (operations[i].id == id) {
			*ret = operations[i];
			if (ret->node) {
				ret->before = (struct race_clock){0};
				race_clock_join(&ret->before, &operations[i].before);
				return true;
			}
			operations[i] = operations[--n_operations];
			return true;
		}
	return false;
}

/* An operation in the body of a conditional node has the node's place: what the bodies do
 * is one after the other. */
static bool part_of(uint64_t id, struct race_operation *ret)
{
	const struct race_operation *whole = find_operation(id);
	if (!whole)
		return false;
	*ret = (struct race_operation){.stream = whole->stream, .number = whole->number};
	race_clock_join(&ret->before, &whole->before);
	race_clock_set(&ret->before, ret->stream, ret->number);
	return true;
}

struct race_launch *race_order_launch(const struct cudasim_launch *of)
{
	struct race_launch *launch = must(calloc(1, sizeof *launch));
	launch->id = of->id;
	launch->kernel = of->kernel;
	launch->launch = of;
	for (int i = 0; i < 3; i++) {
		launch->grid[i] = of->grid[i];
		launch->ntid[i] = of->block[i];
	}
	pthread_mutex_lock(&race_order_lock);
	struct race_operation o;
	struct race_launch *parent = of->parent ? find_open(of->parent->id) : NULL;
	if (parent) {
		o = (struct race_operation){.stream = parent->stream, .number = parent->number};
		race_clock_join(&o.before, &parent->before);
		race_family_launch(launch, parent);
	} else if (!part_of(within, &o) && !take(submitted, &o)) {
		struct cudasim_order_event event = {
			.kind = CUDASIM_ORDER_SUBMIT,
			.device = of->device,
			.stream = of->stream,
			.id = UINT64_MAX,
		};
		submit(&event);
		take(UINT64_MAX, &o);
	}
	launch->stream = o.stream;
	launch->number = o.number;
	launch->before = o.before;
	race_launch_add(launch);
	if (n_open == max_open) {
		max_open = max_open ? max_open * 2 : 64;
		open = must(realloc(open, max_open * sizeof *open));
	}
	open[n_open++] = launch;
	pthread_mutex_unlock(&race_order_lock);
	return launch;
}

/* The ancestor of the launch, or itself, with that many above it. */
static const struct race_launch *at_depth(const struct race_launch *launch, uint32_t depth)
{
	while (launch->depth > depth)
		launch = launch->parent;
	return launch;
}

bool race_order_before(const struct race_launch *a, const struct race_launch *b)
{
	uint32_t depth = a->depth < b->depth ? a->depth : b->depth;
	const struct race_launch *x = at_depth(a, depth), *y = at_depth(b, depth);
	if (x == y) /* one is the other, or has made it */
		return a->depth < b->depth && at_depth(b, depth + 1)->tail;
	while (x->parent != y->parent) {
		x = x->parent;
		y = y->parent;
	}
	/* A launch is over when all that it has launched is. */
	return x->parent ? at(&y->child_before, x->child_stream) >= x->child_number
			 : at(&y->before, x->stream) >= x->number;
}

bool race_order_before_child(const struct race_launch *a, uint32_t segment, uint32_t lane,
			     const struct race_launch *b)
{
	if (a->depth >= b->depth || at_depth(b, a->depth) != a)
		return false;
	const struct race_point *p = at_depth(b, a->depth + 1)->point;
	const struct race_segment *s = race_segment(segment);
	if (!p)
		return true;
	/* What the thread has heard through memory is not kept: all that came before counts. */
	if (p->synchronises)
		return segment < p->segment;
	if (s->block != p->block)
		return false;
	if (s->epoch != p->epoch)
		return s->epoch < p->epoch;
	if (s->warp != p->warp)
		return false;
	return lane == p->lane ? s->sequence <= p->sequence
			       : s->sequence < p->known_all ||
					 (p->has_known && s->sequence < p->known[lane]);
}

struct race_launch *race_order_find(const struct cudasim_launch *of)
{
	struct race_launch *found = NULL;
	pthread_mutex_lock(&race_order_lock);
	found = find_open(of->id);
	pthread_mutex_unlock(&race_order_lock);
	return found;
}

/* What the host has waited for is before all that runs: nobody asks for its segments. */
static void release(void)
{
	uint32_t least = race_segment_next();
	for (uint32_t i = 0; i < n_open; i++) {
		if (!open[i]->begun)
			continue;
		uint32_t floor = atomic_load(&open[i]->floor);
		if (open[i]->first_segment < least)
			least = open[i]->first_segment;
		if (open[i]->launch && floor < least)
			least = floor;
	}
	race_segment_release(least);
}

void race_order_begin(struct race_launch *launch)
{
	pthread_mutex_lock(&race_order_lock);
	uint32_t floor = race_segment_next();
	bool others = false;
	launch->first_segment = floor;
	for (uint32_t i = 0; i < n_open; i++) {
		struct race_launch *a = open[i];
		others = others || (a != launch && a->begun && a->launch);
		if (a != launch && a->begun && a->launch) {
			atomic_store(&a->beside, true);
			atomic_store(&launch->beside, true);
		}
		if (a != launch && a->begun && !race_order_before(a, launch) &&
		    a->first_segment < floor)
			floor = a->first_segment;
	}
	if (!others)
		race_sync_reset();
	for (struct race_launch *l = launch->parent ? launch : NULL; l; l = l->parent)
		atomic_store(&l->beside, true);
	launch->begun = true;
	atomic_store(&launch->floor, floor);
	release();
	pthread_mutex_unlock(&race_order_lock);
}

void race_order_end(struct race_launch *launch)
{
	pthread_mutex_lock(&race_order_lock);
	launch->launch = NULL;
	pthread_mutex_unlock(&race_order_lock);
}

bool race_order_waited(const struct race_launch *launch)
{
	pthread_mutex_lock(&race_order_lock);
	bool yes = at(&host, launch->stream) >= launch->number;
	pthread_mutex_unlock(&race_order_lock);
	return yes;
}

bool race_order_any_open(void)
{
	bool any = false;
	pthread_mutex_lock(&race_order_lock);
	for (uint32_t i = 0; i < n_open && !any; i++)
		any = open[i]->begun && !atomic_load(&open[i]->talks);
	pthread_mutex_unlock(&race_order_lock);
	return any;
}

/* ---- for race_copy.c ------------------------------------------------------ */

/* A copy that was made within the call itself: it takes its place in the stream now. */
static uint64_t submit_now(const struct cudasim_copy *copy)
{
	static uint64_t n;
	struct cudasim_memory memory = {.device = -1};
	bool inside, freed;
	struct cudasim_order_event event = {
		.kind = CUDASIM_ORDER_SUBMIT,
		.stream = copy->stream,
		.id = --n,
	};
	if (!copy->stream) /* else the stream's number says which device */
		for (int i = 0; i < 2 && memory.device < 0; i++) {
			const void *address = i ? copy->from : copy->to;
			if (!address || !cudasim_memory_find(address, &memory, &inside, &freed))
				memory.device = -1;
		}
	event.device = memory.device < 0 ? 0 : (uint32_t)memory.device;
	submit(&event);
	return event.id;
}

bool race_operation_find(const struct cudasim_copy *copy, struct race_operation *ret)
{
	uint64_t id = copy->id ? copy->id : submit_now(copy);
	*ret = (struct race_operation){0};
	if (!copy->height || !copy->depth)
		return false;
	if (copy->stream <= CUDASIM_DEVICE_STREAMS)
		return copy->part_of ? part_of(copy->part_of, ret) : take(id, ret);
	for (uint32_t i = n_open; i-- > 0 && !ret->child;)
		ret->child = race_family_copy(open[i], id);
	if (ret->child) {
		ret->stream = ret->child->stream;
		ret->number = ret->child->number;
	}
	return ret->child != NULL;
}

bool race_operation_beside(const struct race_operation *o)
{
	for (uint32_t i = 0; i < n_open; i++)
		if (open[i]->begun &&
		    (o->child || at(&o->before, open[i]->stream) < open[i]->number))
			return true;
	return false;
}

void race_operation_waited(const struct race_operation *o)
{
	race_clock_set(&host, o->stream, o->number);
	race_clock_join(&host, &o->before);
	prune();
}
