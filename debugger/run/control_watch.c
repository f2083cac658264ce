/* SPDX-License-Identifier: Apache-2.0 */
/* control_watch.c - accesses to watched ranges.
 *
 * A store is told before it happens; what it has written is there at the thread's next
 * event of any kind, which all callbacks report to watch_event(). */
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "error.h"

static struct watcher **watchers;
static uint32_t n_watchers, capacity;
static uint64_t lowest, highest; /* hull of all ranges */
static bool any_local;

/* Stores that have been told and are not over yet. */
struct store {
	struct watcher *watcher; /* NULL: it has been removed meanwhile */
	struct cudasim_thread *thread;
	struct cudasim_access access;
};
enum { MOST_STORES = 256 };
static struct store stores[MOST_STORES];
static uint32_t n_stores;

static void measure(void)
{
	lowest = ~0ull;
	highest = 0;
	any_local = false;
	for (uint32_t i = 0; i < n_watchers; i++) {
		if (watchers[i]->low < lowest)
			lowest = watchers[i]->low;
		if (watchers[i]->high > highest)
			highest = watchers[i]->high;
		any_local |= watchers[i]->frame || watchers[i]->thread;
	}
}

struct cudasim_error *watcher_add(struct watcher *watcher)
{
	if (n_watchers == capacity) {
		uint32_t bigger = capacity ? 2 * capacity : 16;
		struct watcher **list = realloc(watchers, bigger * sizeof *list);
		if (!list)
			return &cudasim_error_nomem;
		watchers = list;
		capacity = bigger;
	}
	watchers[n_watchers++] = watcher;
	measure();
	wants_update();
	return NULL;
}

void watcher_remove(struct watcher *watcher)
{
	for (uint32_t i = 0; i < n_stores; i++)
		if (stores[i].watcher == watcher)
			stores[i].watcher = NULL;
	for (uint32_t i = 0; i < n_watchers; i++)
		if (watchers[i] == watcher) {
			watchers[i] = watchers[--n_watchers];
			break;
		}
	measure();
}

bool watching(void)
{
	return n_watchers;
}

bool watching_local(void)
{
	return any_local;
}

/* ---- accesses ------------------------------------------------------------------- */

static bool concerns(const struct watcher *w, const struct cudasim_thread *thread,
		     const struct cudasim_access *access)
{
	uint64_t low = (uint64_t)access->address, high = low + access->size;
	return low < w->high && high > w->low && w->what & access->what &&
	       (!w->thread || w->thread == thread) && (!w->block || w->block == thread->block);
}

enum cudasim_verdict watch_access(struct cudasim_thread *thread,
				  const struct cudasim_access *access)
{
	uint64_t low = (uint64_t)access->address;
	struct stop stop = {.kind = STOP_WATCHPOINT};
	bool stops = false;
	if (low >= highest || low + access->size <= lowest)
		return CUDASIM_GO;
	for (uint32_t i = 0; i < n_watchers; i++) {
		struct watcher *w = watchers[i];
		if (!concerns(w, thread, access))
			continue;
		stops |= w->hit(w, thread, access, false, &stop);
		if (access->what & CUDASIM_ACCESS_STORE && n_stores < MOST_STORES)
			stores[n_stores++] = (struct store){w, thread, *access};
	}
	return stops ? stop_soon(thread, &stop) : CUDASIM_GO;
}

enum cudasim_verdict watch_event(struct cudasim_thread *thread)
{
	struct stop stop = {.kind = STOP_WATCHPOINT};
	bool stops = false;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n_stores; i++) {
		struct store *s = &stores[i];
		if (s->thread != thread)
			stores[kept++] = *s;
		else if (s->watcher)
			stops |= s->watcher->hit(s->watcher, thread, &s->access, true, &stop);
	}
	n_stores = kept;
	return stops ? stop_soon(thread, &stop) : CUDASIM_GO;
}

/* ---- ends ------------------------------------------------------------------------ */

enum cudasim_verdict watch_leave(struct cudasim_thread *thread, uint64_t frame)
{
	struct stop stop = {.kind = STOP_WATCHPOINT};
	bool stops = false;
	for (uint32_t i = 0; i < n_watchers; i++) {
		struct watcher *w = watchers[i];
		if (w->frame == frame && w->thread == thread && w->gone)
			stops |= w->gone(w, thread, &stop);
	}
	if (!stops)
		return CUDASIM_GO;
	enum cudasim_verdict verdict = stop_soon(thread, &stop);
	if (verdict != CUDASIM_GO)
		lane_of(thread)->stand = STAND_RETURNED;
	return verdict;
}

bool watch_block_end(struct cudasim_block *block, struct stop *stop)
{
	bool stops = false;
	for (uint32_t i = 0; i < n_watchers; i++) {
		struct watcher *w = watchers[i];
		if (w->block == block && !w->frame && w->gone)
			stops |= w->gone(w, NULL, stop);
	}
	return stops;
}
