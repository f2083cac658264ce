/* SPDX-License-Identifier: Apache-2.0 */
/* control_watch.c - accesses to watched ranges.
 *
 * A store is told before it happens; what it has written is there at the thread's next
 * event of any kind, which all callbacks report to watch_event(). */
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "error.h"
#include "run_state.h"

/* Where watchers are added now. */
static struct run_watch *table(void)
{
	return run_state()->search.searcher ? &run_state()->search.watch : &run_state()->watch;
}

static void measure(struct run_watch *own)
{
	own->lowest = ~0ull;
	own->highest = 0;
	own->any_local = false;
	for (uint32_t i = 0; i < own->n_watchers; i++) {
		if (own->watchers[i]->low < own->lowest)
			own->lowest = own->watchers[i]->low;
		if (own->watchers[i]->high > own->highest)
			own->highest = own->watchers[i]->high;
		own->any_local |= own->watchers[i]->frame || own->watchers[i]->thread;
	}
}

struct cudasim_error *watcher_add(struct watcher *watcher)
{
	struct run_watch *own = table();
	if (own->n_watchers == own->capacity) {
		uint32_t bigger = own->capacity ? 2 * own->capacity : 16;
		struct watcher **list = realloc(own->watchers, bigger * sizeof *list);
		if (!list)
			return &cudasim_error_nomem;
		own->watchers = list;
		own->capacity = bigger;
	}
	own->watchers[own->n_watchers++] = watcher;
	measure(own);
	wants_update();
	return NULL;
}

void watcher_remove(struct watcher *watcher)
{
	struct run_watch *own = table();
	for (uint32_t i = 0; i < own->n_stores; i++)
		if (own->stores[i].watcher == watcher)
			own->stores[i].watcher = NULL;
	for (uint32_t i = 0; i < own->n_watchers; i++)
		if (own->watchers[i] == watcher) {
			own->watchers[i] = own->watchers[--own->n_watchers];
			break;
		}
	measure(own);
}

struct watcher *const *watchers_now(uint32_t *n)
{
	struct run_watch *own = table();
	*n = own->n_watchers;
	return own->watchers;
}

bool watching(void)
{
	return run_state()->watch.n_watchers;
}

bool watching_local(void)
{
	return run_state()->watch.any_local;
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
	struct run_watch *own = &run_state()->watch;
	uint64_t low = (uint64_t)access->address;
	struct stop stop = {.kind = STOP_WATCHPOINT};
	bool stops = false;
	if (low >= own->highest || low + access->size <= own->lowest)
		return CUDASIM_GO;
	for (uint32_t i = 0; i < own->n_watchers; i++) {
		struct watcher *w = own->watchers[i];
		if (!concerns(w, thread, access))
			continue;
		stops |= w->hit(w, thread, access, false, &stop);
		if (access->what & CUDASIM_ACCESS_STORE && own->n_stores < MOST_STORES)
			own->stores[own->n_stores++] = (struct store){w, thread, *access};
	}
	return stops ? stop_soon(thread, &stop) : CUDASIM_GO;
}

enum cudasim_verdict watch_event(struct cudasim_thread *thread)
{
	struct run_watch *own = &run_state()->watch;
	struct stop stop = {.kind = STOP_WATCHPOINT};
	bool stops = false;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < own->n_stores; i++) {
		struct store *s = &own->stores[i];
		if (s->thread != thread)
			own->stores[kept++] = *s;
		else if (s->watcher)
			stops |= s->watcher->hit(s->watcher, thread, &s->access, true, &stop);
	}
	own->n_stores = kept;
	return stops ? stop_soon(thread, &stop) : CUDASIM_GO;
}

/* ---- ends ------------------------------------------------------------------------ */

enum cudasim_verdict watch_leave(struct cudasim_thread *thread, uint64_t frame)
{
	struct run_watch *own = &run_state()->watch;
	struct stop stop = {.kind = STOP_WATCHPOINT};
	bool stops = false;
	for (uint32_t i = 0; i < own->n_watchers; i++) {
		struct watcher *w = own->watchers[i];
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
	struct run_watch *own = &run_state()->watch;
	bool stops = false;
	for (uint32_t i = 0; i < own->n_watchers; i++) {
		struct watcher *w = own->watchers[i];
		if (w->block == block && !w->frame && w->gone)
			stops |= w->gone(w, NULL, stop);
	}
	return stops;
}
