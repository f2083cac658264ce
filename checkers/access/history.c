/* SPDX-License-Identifier: Apache-2.0 */
#include "history.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudasim/inspect.h"

/* All 0: nobody. */
struct history_record {
	const struct cudasim_site *site; /* NULL for copies and sets */
	union {
		uint64_t block;       /* linear, in the grid */
		const char *function; /* of copies and sets */
	};
	uint32_t launch; /* its index in `launches`; 0 for copies and sets */
	uint32_t thread; /* linear, in the block */
};

struct launch {
	uint64_t id;
	uint32_t grid[3], ntid[3];
};

/* A write that has been announced, by a thread that was held before it made it: there. */
struct waiting {
	struct history_block *h;
	struct cudasim_thread *thread;
	uint64_t pc, frame;
	struct history_record record;
	uint64_t address, size;
};

struct history_block {
	uint64_t shared, n_shared;
	uint32_t launch;
	struct history_record records[]; /* [n_shared] */
};

enum { N_LOCKS = 256 };

/* Can be at work. */
static _Atomic bool able;
static pthread_mutex_t locks[N_LOCKS]; /* of records, by their page */
static pthread_mutex_t launches_lock = PTHREAD_MUTEX_INITIALIZER;
static struct launch *launches; /* from 1 */
static uint32_t n_launches;
static pthread_mutex_t waiting_lock = PTHREAD_MUTEX_INITIALIZER;
static struct waiting *waiting;
static _Atomic size_t n_waiting;

static bool at_work(void)
{
	return atomic_load(&able) && cudasim_last_write_wanted();
}

/* ---- records -------------------------------------------------------------- */

/* Nothing can be told any more, but the program goes on. */
static void give_up(void)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	atomic_store(&able, false);
	cudasim_last_write_handle(NULL);
	if (!atomic_flag_test_and_set(&said))
		fputs("cudasim check: out of memory: where-is cannot report who wrote\n", stderr);
}

static void enter_range(struct history_record *records, const struct history_record *record,
			uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		records[i] = *record;
}

/* An empty record where nobody has written yet needs no memory. */
static void enter_global(uint64_t at, uint64_t n, const struct history_record *record)
{
	static const struct history_record nobody;
	bool is_nobody = !memcmp(record, &nobody, sizeof nobody);
	while (n) {
		uint64_t offset = at & (SHADOW_PAGE_BYTES - 1), k = SHADOW_PAGE_BYTES - offset;
		struct shadow_page *page = shadow_page_find(at, !is_nobody);
		if (k > n)
			k = n;
		if (page) {
			pthread_mutex_t *lock = &locks[page->number % N_LOCKS];
			pthread_mutex_lock(lock);
			if (!page->history && !is_nobody)
				page->history = shadow_reserve(SHADOW_PAGE_BYTES * sizeof *record);
			if (page->history && is_nobody && k == SHADOW_PAGE_BYTES)
				shadow_clear(page->history, SHADOW_PAGE_BYTES * sizeof *record);
			else if (page->history)
				enter_range(page->history + offset, record, k);
			pthread_mutex_unlock(lock);
		}
		at += k;
		n -= k;
	}
}

static void enter(struct history_block *h, uint64_t at, uint64_t n,
		  const struct history_record *record)
{
	if (at - h->shared >= h->n_shared)
		enter_global(at, n, record);
	else if (n <= h->n_shared - (at - h->shared))
		enter_range(h->records + (at - h->shared), record, n);
}

/* ---- events --------------------------------------------------------------- */

void history_launch(const struct cudasim_launch *launch)
{
	if (!at_work())
		return;
	pthread_mutex_lock(&launches_lock);
	/* Room grows at powers of two. */
	if (!(n_launches & (n_launches + 1))) {
		struct launch *more = realloc(launches, 2 * (n_launches + 1) * sizeof *more);
		if (!more) {
			pthread_mutex_unlock(&launches_lock);
			give_up();
			return;
		}
		launches = more;
	}
	struct launch *l = &launches[++n_launches];
	l->id = launch->id;
	memcpy(l->grid, launch->grid, sizeof l->grid);
	memcpy(l->ntid, launch->block, sizeof l->ntid);
	pthread_mutex_unlock(&launches_lock);
}

/* Launches begin soon after they were submitted. */
static uint32_t index_of(const struct cudasim_launch *launch)
{
	uint32_t i;
	pthread_mutex_lock(&launches_lock);
	for (i = n_launches; i && launches[i].id != launch->id; i--) {}
	pthread_mutex_unlock(&launches_lock);
	return i;
}

void history_allocated(const struct cudasim_memory *memory)
{
	if (at_work())
		enter_global((uint64_t)(uintptr_t)memory->address, memory->size,
			     &(struct history_record){0});
}

void history_copied(const struct cudasim_copy *copy)
{
	struct history_record record = {.function = copy->function};
	uint64_t to = (uint64_t)(uintptr_t)copy->to;
	if (!at_work() || copy->direction == 2 /* cudaMemcpyDeviceToHost */)
		return;
	for (uint64_t z = 0; z < copy->depth; z++)
		for (uint64_t y = 0; y < copy->height; y++)
			enter_global(to + z * copy->to_slice + y * copy->to_pitch, copy->width,
				     &record);
}

struct history_block *history_block_begin(const struct cudasim_block *block)
{
	uint64_t n = block->shared_bytes;
	uint32_t launch = at_work() ? index_of(block->launch) : 0;
	struct history_block *h = launch ? calloc(1, sizeof *h + n * sizeof *h->records) : NULL;
	if (launch && !h)
		give_up();
	if (!h)
		return NULL;
	h->shared = (uint64_t)(uintptr_t)block->shared;
	h->n_shared = n;
	h->launch = launch;
	return h;
}

/* Those of the thread, or (NULL) of the block. */
static void settle(struct history_block *h, const struct cudasim_thread *thread)
{
	if (!atomic_load_explicit(&n_waiting, memory_order_relaxed))
		return;
	pthread_mutex_lock(&waiting_lock);
	for (size_t i = n_waiting; i--;) {
		struct waiting *w = &waiting[i];
		if (w->h != h || (thread && w->thread != thread))
			continue;
		enter(h, w->address, w->size, &w->record);
		*w = waiting[--n_waiting];
	}
	pthread_mutex_unlock(&waiting_lock);
}

void history_block_end(struct history_block *h)
{
	if (h)
		settle(h, NULL);
	free(h);
}

void history_settle(struct history_block *h, const struct cudasim_thread *thread)
{
	settle(h, thread);
}

void history_write(struct history_block *h, struct cudasim_thread *thread,
		   const struct cudasim_access *access, bool waits)
{
	const struct cudasim_block *block = thread->block;
	const uint32_t *ntid = block->launch->block;
	struct history_record record = {
		.site = access->site,
		.block = cudasim_block_index(block),
		.launch = h->launch,
		.thread = (thread->tid[2] * ntid[1] + thread->tid[1]) * ntid[0] + thread->tid[0],
	};
	uint64_t at = (uint64_t)(uintptr_t)access->address;
	if (!waits) {
		enter(h, at, access->size, &record);
		return;
	}
	struct cudasim_thread_status status;
	cudasim_thread_status(thread, &status);
	pthread_mutex_lock(&waiting_lock);
	struct waiting *more = realloc(waiting, (n_waiting + 1) * sizeof *more);
	if (more) {
		waiting = more;
		waiting[n_waiting++] = (struct waiting){h,      thread, status.pc,   status.frame,
							record, at,     access->size};
	}
	pthread_mutex_unlock(&waiting_lock);
	if (!more)
		give_up();
}

/* ---- the question --------------------------------------------------------- */

static void fill(const struct history_record *record, struct cudasim_last_write *ret)
{
	ret->written = record->site || record->function;
	ret->site = record->site;
	if (!record->launch) {
		ret->function = record->function;
		return;
	}
	pthread_mutex_lock(&launches_lock);
	const struct launch l = launches[record->launch];
	pthread_mutex_unlock(&launches_lock);
	ret->launch = l.id;
	uint64_t block = record->block, thread = record->thread;
	for (int i = 0; i < 3; i++) {
		ret->ctaid[i] = (uint32_t)(block % l.grid[i]);
		ret->tid[i] = (uint32_t)(thread % l.ntid[i]);
		block /= l.grid[i];
		thread /= l.ntid[i];
	}
}

/* Of writes that waited: one that has been made since, as its thread has gone on. */
static bool made_since(uint64_t at, struct history_record *ret)
{
	bool found = false;
	pthread_mutex_lock(&waiting_lock);
	for (size_t i = 0; i < n_waiting; i++) {
		struct cudasim_thread_status status;
		const struct waiting *w = &waiting[i];
		if (at - w->address >= w->size)
			continue;
		cudasim_thread_status(w->thread, &status);
		if (status.pc == w->pc && status.frame == w->frame)
			continue;
		*ret = w->record;
		found = true;
	}
	pthread_mutex_unlock(&waiting_lock);
	return found;
}

static bool ask(const struct cudasim_block *block, const void *address,
		struct cudasim_last_write *ret)
{
	uint64_t at = (uint64_t)(uintptr_t)address;
	struct history_record record = {0};
	struct cudasim_memory memory;
	bool inside, freed;
	*ret = (struct cudasim_last_write){0};
	if (!at_work())
		return false;
	if (block && at - (uint64_t)(uintptr_t)block->shared < block->shared_bytes) {
		const struct history_block *h = access_history(block);
		if (!h)
			return false;
		if (!made_since(at, &record))
			record = h->records[at - h->shared];
		fill(&record, ret);
		return true;
	}
	struct shadow_page *page = shadow_page_find(at, false);
	if (page) {
		pthread_mutex_lock(&locks[page->number % N_LOCKS]);
		if (page->history)
			record = page->history[at & (SHADOW_PAGE_BYTES - 1)];
		pthread_mutex_unlock(&locks[page->number % N_LOCKS]);
	}
	made_since(at, &record);
	fill(&record, ret);
	if (ret->written)
		return true;
	/* Variables have values to begin with; others the host may have written. */
	return cudasim_memory_find(address, &memory, &inside, &freed) && inside &&
	       (memory.kind == CUDASIM_MEMORY_DEVICE || memory.kind == CUDASIM_MEMORY_HEAP);
}

void history_start(void)
{
	/* All launches tell of their accesses then, also those that are not to be checked. */
	if (!checker_options.tools[CHECKER_INITCHECK])
		return;
	for (int i = 0; i < N_LOCKS; i++)
		pthread_mutex_init(&locks[i], NULL);
	atomic_store(&able, true);
	cudasim_last_write_handle(ask);
}
