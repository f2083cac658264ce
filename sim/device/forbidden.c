/* SPDX-License-Identifier: Apache-2.0 */
/* forbidden.c - memory of the host's pools to which no device was given access. Nothing in the
 * machine keeps a kernel from it, so while there is such memory all launches run in the watched
 * body, which tells of each access. Rejected: closing the pages (the host uses them meanwhile). */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "error.h"
#include "log.h"
#include "observer.h"
#include "pool.h"

/* Between these lies all such memory that there ever was. */
static _Atomic uint64_t lowest = UINT64_MAX, highest;

static uint32_t want(void *tool, const struct cudasim_launch *launch)
{
	(void)tool;
	(void)launch;
	return pool_any_forbidden() ? CUDASIM_WANT_ACCESS : 0;
}

static enum cudasim_verdict look(void *tool, struct cudasim_thread *thread,
				 const struct cudasim_access *access)
{
	uint64_t address = (uint64_t)(uintptr_t)access->address;
	struct allocation a;
	(void)tool;
	if (address < atomic_load_explicit(&lowest, memory_order_relaxed) ||
	    address >= atomic_load_explicit(&highest, memory_order_relaxed))
		return CUDASIM_GO;
	if (!memory_lookup(access->address, &a) || !pool_forbids_memory(&a))
		return CUDASIM_GO;
	observer_frame = NULL; /* the event is over */
	scheduler_forbidden(thread, access->address, access->what & CUDASIM_ACCESS_STORE,
			    access->site);
}

static const struct cudasim_observer observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "forbidden memory",
	.want = want,
	.access = look,
};

static void start(void)
{
	struct cudasim_error *error = cudasim_observer_add(&observer);
	if (error)
		log_error(error);
}

static void widen(uint64_t start, uint64_t end)
{
	uint64_t old = atomic_load(&lowest);
	while (start < old && !atomic_compare_exchange_weak(&lowest, &old, start)) {}
	old = atomic_load(&highest);
	while (end > old && !atomic_compare_exchange_weak(&highest, &old, end)) {}
}

void forbidden_watch(const void *address, uint64_t size)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	widen((uint64_t)(uintptr_t)address, (uint64_t)(uintptr_t)address + size);
	pthread_once(&once, start);
}

/* ---- a change ---------------------------------------------------------------------- */

struct list {
	const struct pool *pool;
	struct cudasim_memory *memory;
	size_t n, room;
};

static void collect(const struct allocation *a, void *arg)
{
	struct list *list = arg;
	if ((const struct pool *)a->pool != list->pool)
		return;
	if (list->n == list->room) {
		size_t room = list->room ? 2 * list->room : 16;
		struct cudasim_memory *more = realloc(list->memory, room * sizeof *more);
		if (!more)
			return;
		list->memory = more;
		list->room = room;
	}
	list->memory[list->n++] = memory_describe(a, a->function);
}

void forbidden_changed(const struct pool *pool)
{
	struct list list = {.pool = pool};
	memory_each(collect, &list);
	for (size_t i = 0; i < list.n; i++) {
		if (list.memory[i].forbidden)
			forbidden_watch(list.memory[i].address, list.memory[i].size);
		observe_permission(&list.memory[i]);
	}
	free(list.memory);
}
