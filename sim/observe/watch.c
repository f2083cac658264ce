/* SPDX-License-Identifier: Apache-2.0 */
/* watch.c - who watches one launch.
 *
 * A launch takes the registered observers when it is submitted; events of its threads look only
 * there, so that registering needs no lock against running threads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "finding.h"
#include "observer.h"

/* What the slots of an observer without want() need. */
static uint32_t default_want(const struct cudasim_observer *o)
{
	uint32_t want = 0;
#define CUDASIM_EVENT(name, returns, about, wants, parameters, arguments)                          \
	if (o->name)                                                                               \
		want |= (wants);
#include "cudasim/observer_events.def"
	return want;
}

static uint32_t ask(const struct cudasim_observer *o, const struct cudasim_launch *launch)
{
	return o->want ? o->want(o->tool, launch) : default_want(o);
}

uint32_t watch_wants(const struct launch *launch)
{
	uint32_t all = 0;
	if (!atomic_load_explicit(&observers_n, memory_order_relaxed))
		return 0;
	FOR_EACH_REGISTERED(r, o)
	all |= ask(o, &launch->pub);
	return all;
}

/* ---- making ------------------------------------------------------------------------- */

static void *room(size_t bytes)
{
	void *ret = calloc(1, bytes);
	if (!ret) {
		fputs("cudasim: out of memory for the observers of a launch\n", stderr);
		exit(1);
	}
	return ret;
}

#define COUNT_HOST(name)
#define COUNT_LAUNCH(name) n += 1 + (o->name != NULL);
#define COUNT_BLOCK COUNT_LAUNCH
#define COUNT_THREAD COUNT_LAUNCH
#define COUNT_CODE COUNT_LAUNCH
#define COUNT_FINDING COUNT_LAUNCH

/* Elements of lists that this observer and the lists' ends need, at most. */
static size_t count_hearers(const struct cudasim_observer *o)
{
	size_t n = 0;
#define CUDASIM_EVENT(name, returns, about, wants, parameters, arguments) COUNT_##about(name)
#include "cudasim/observer_events.def"
	return n;
}

#define LIST_HOST(name)
#define LIST_LAUNCH(name)                                                                          \
	watch->hears.name = end;                                                                   \
	for (uint32_t i = 0; i < watch->n; i++)                                                    \
		if (watch->watchers[i].observer->name)                                             \
			*end++ = (struct hearer){watch->watchers[i].observer,                      \
						 &watch->watchers[i]};                             \
	end++;
#define LIST_BLOCK LIST_LAUNCH
#define LIST_THREAD LIST_LAUNCH
#define LIST_CODE LIST_LAUNCH
#define LIST_FINDING LIST_LAUNCH

static void list_hearers(struct cudasim_watch *watch, struct hearer *end)
{
#define CUDASIM_EVENT(name, returns, about, wants, parameters, arguments) LIST_##about(name)
#include "cudasim/observer_events.def"
}

/* NULL where nobody is registered. */
static struct cudasim_watch *watch_new(void)
{
	uint32_t n = 0;
	size_t n_hearers = 0;
	registered_lock();
	FOR_EACH_REGISTERED(r, o)
	{
		n++;
		n_hearers += count_hearers(o);
	}
	struct cudasim_watch *watch = n ? room(sizeof *watch + n * sizeof *watch->watchers +
					       n_hearers * sizeof(struct hearer))
					: NULL;
	if (watch)
		watch->watchers = (struct watcher *)(watch + 1);
	FOR_EACH_REGISTERED(r, o)
	{
		struct watcher *w = &watch->watchers[watch->n++];
		w->observer = o;
		w->member = r;
		atomic_fetch_add(&r->in_flight, 1);
		if (r->place >= watch->n_places)
			watch->n_places = r->place + 1;
	}
	registered_unlock();
	if (watch)
		list_hearers(watch, (struct hearer *)(watch->watchers + watch->n));
	return watch;
}

void watch_begin(struct launch *launch)
{
	finding_launch(launch->pub.id);
	if (!atomic_load_explicit(&observers_n, memory_order_relaxed))
		return;
	struct cudasim_watch *watch = watch_new();
	if (!watch)
		return;
	uint32_t all = 0;
	for (uint32_t i = 0; i < watch->n; i++) {
		uint32_t want = ask(watch->watchers[i].observer, &launch->pub);
		atomic_init(&watch->watchers[i].want, want);
		all |= want;
	}
	atomic_init(&watch->want, all);
	launch->pub.watch = watch;
	observe_launch_submit(&launch->pub);
}

void watch_end(struct launch *launch)
{
	struct cudasim_watch *watch = launch->pub.watch;
	if (!watch)
		return;
	observe_launch_end(&launch->pub);
	launch->pub.watch = NULL;
	for (uint32_t i = 0; i < watch->n; i++)
		atomic_fetch_sub(&watch->watchers[i].member->in_flight, 1);
	free(watch);
}

/* ---- afterwards --------------------------------------------------------------------- */

struct watcher *watch_find(const struct cudasim_watch *watch,
			   const struct cudasim_observer *observer)
{
	for (uint32_t i = 0; watch && i < watch->n; i++)
		if (watch->watchers[i].observer == observer)
			return &watch->watchers[i];
	return NULL;
}

void watch_change(struct cudasim_watch *watch, struct watcher *watcher, uint32_t want)
{
	uint32_t all = 0;
	atomic_store(&watcher->want, want);
	for (uint32_t i = 0; i < watch->n; i++)
		all |= atomic_load(&watch->watchers[i].want);
	atomic_store(&watch->want, all);
}

void watch_make_room(struct cudasim_block *block)
{
	uint32_t n = block->launch->watch->n_places;
	if (n > block->tool_room) {
		free(block->tool);
		block->tool = room(n * sizeof *block->tool);
		block->tool_room = n;
	}
	memset(block->tool, 0, n * sizeof *block->tool);
}

void **cudasim_block_data(struct cudasim_block *block, const struct cudasim_observer *observer)
{
	const struct watcher *w = watch_find(block->launch->watch, observer);
	return w ? &block->tool[w->member->place] : NULL;
}
