/* SPDX-License-Identifier: Apache-2.0 */
/* owner.c - which thread stored an element? Asked by `cudasim compare` after it has found
 * differences: it runs the simulated program once more, with questions, and only the
 * launches asked about run watched bodies. The last thread to store there is the owner. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cudasim/observer.h"
#include "env.h"
#include "recorder.h"

struct question {
	uint64_t launch, offset, bytes;
	uint32_t memory;
	uint64_t address; /* while its launch runs; else 0 */
	bool found;
	uint32_t block[3], thread[3];
	const struct cudasim_site *site;
};

static struct question *questions;
static size_t n_questions;
static atomic_bool heap; /* a thread has called malloc() */
static atomic_bool active; /* the launch that runs has been asked about */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void owner_start(void)
{
	const char *text = env_get("CUDASIM_RECORD_OWNERS");
	while (text && *text) {
		struct question q = {0};
		int used = 0;
		if (sscanf(text, "%" SCNu64 ":%" SCNu32 ":%" SCNu64 ":%" SCNu64 "%n", &q.launch,
			   &q.memory, &q.offset, &q.bytes, &used) != 4 ||
		    !used)
			record_die("CUDASIM_RECORD_OWNERS: '%s' is no question", text);
		questions = realloc(questions, (n_questions + 1) * sizeof q);
		if (!questions)
			record_die("out of memory");
		questions[n_questions++] = q;
		text += used;
		text += *text == ',';
	}
}

bool owner_is_on(void)
{
	return n_questions;
}

void owner_launch(uint64_t index)
{
	bool any = false;
	for (size_t i = 0; i < n_questions; i++) {
		struct question *q = &questions[i];
		const struct memory *m = q->launch == index ? memory_get(q->memory) : NULL;
		q->address = m && !m->freed && m->kind != RECORD_ARRAY ? m->address + q->offset : 0;
		any |= q->address != 0;
	}
	atomic_store(&active, any);
}

void owner_finish(void)
{
	for (size_t i = 0; i < n_questions; i++) {
		const struct question *q = &questions[i];
		char place[1024] = "";
		if (q->site)
			snprintf(place, sizeof place, "%s (%s:%u)", q->site->function,
				 q->site->file, q->site->line);
		write_begin(RECORD_OWNER);
		write_u32((uint32_t)i);
		write_u32(q->found);
		for (int d = 0; d < 3; d++)
			write_u32(q->block[d]);
		for (int d = 0; d < 3; d++)
			write_u32(q->thread[d]);
		write_text(place);
		write_end();
	}
}

/* ---- the observer ---------------------------------------------------------------- */

static uint32_t want(void *tool, const struct cudasim_launch *launch)
{
	(void)tool, (void)launch;
	return atomic_load(&active) ? CUDASIM_WANT_ACCESS : 0;
}

static enum cudasim_verdict on_access(void *tool, struct cudasim_thread *thread,
				      const struct cudasim_access *access)
{
	uint64_t from = (uint64_t)(uintptr_t)access->address, to = from + access->size;
	(void)tool;
	if (!(access->what & CUDASIM_ACCESS_STORE))
		return CUDASIM_GO;
	for (size_t i = 0; i < n_questions; i++) {
		struct question *q = &questions[i];
		if (!q->address || q->address >= to || q->address + q->bytes <= from)
			continue;
		pthread_mutex_lock(&lock);
		q->found = true;
		memcpy(q->block, thread->block->ctaid, sizeof q->block);
		memcpy(q->thread, thread->tid, sizeof q->thread);
		q->site = access->site;
		pthread_mutex_unlock(&lock);
	}
	return CUDASIM_GO;
}

static void on_allocated(void *tool, const struct cudasim_memory *memory)
{
	(void)tool;
	if (memory->kind == CUDASIM_MEMORY_HEAP)
		atomic_store(&heap, true);
}

bool owner_saw_heap(void)
{
	return atomic_exchange(&heap, false);
}

static const struct cudasim_observer observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "recorder",
	.want = want,
	.access = on_access,
	.allocated = on_allocated,
};

const struct cudasim_observer *cudasim_observer_init(void)
{
	return &observer;
}

void owner_watch_heap(void)
{
	struct cudasim_error *(*add)(const struct cudasim_observer *);
	*(void **)&add = dlsym(RTLD_DEFAULT, "cudasim_observer_add");
	/* Where questions are asked the simulator has loaded it already. */
	if (add && !n_questions)
		add(&observer);
}
