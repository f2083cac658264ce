/* SPDX-License-Identifier: Apache-2.0 */
/* observer.c - registered observers, and the way of an event to them.
 *
 * Observers stand in numbered slots for as long as they are registered, so
 * that a slot's number can be a bit in `armed` and an index into block->tool.
 * A launch takes a copy of the slots when it is submitted; events of its
 * threads look only there, so registering needs no lock against running
 * threads. Events of the host look at the registry itself. */
#define _GNU_SOURCE
#include "observer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudasim/inspect.h"
#include "finding.h"
#include "error.h"
#include "tell.h"

/* cudaErrorLaunchFailure; the number is part of CUDA's interface. */
enum { LAUNCH_FAILURE = 719 };

atomic_uint observers_n;
_Thread_local void *observer_frame __attribute__((tls_model("initial-exec")));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(const struct cudasim_observer *) slots[OBSERVER_SLOTS];
/* Launches in flight that watch slot i. */
static atomic_uint in_flight[OBSERVER_SLOTS];

static const struct cudasim_observer *slot_get(unsigned i)
{
	return atomic_load_explicit(&slots[i], memory_order_acquire);
}

int observer_slot(const struct cudasim_observer *observer)
{
	for (unsigned i = 0; i < OBSERVER_SLOTS; i++)
		if (observer && slot_get(i) == observer)
			return (int)i;
	return -1;
}

/* ---- registering --------------------------------------------------------- */

static struct cudasim_error *check(const struct cudasim_observer *observer, unsigned from,
				   unsigned end, int *ret)
{
	*ret = -1;
	if (observer->version != CUDASIM_OBSERVER_VERSION)
		return cudasim_error_new(
			CUDASIM_E_FORMAT,
			"built for version %u of cudasim/observer.h, this libcudasim has version %u",
			observer->version, CUDASIM_OBSERVER_VERSION);
	if (!observer->name)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "an observer without a name");
	for (unsigned i = 0; i < OBSERVER_SLOTS; i++) {
		const struct cudasim_observer *other = slot_get(i);
		if (!other && *ret < 0 && i >= from && i < end)
			*ret = (int)i;
		else if (other && (other == observer || !strcmp(other->name, observer->name)))
			return cudasim_error_new(CUDASIM_E_TAKEN,
						 "an observer named %s is there already",
						 observer->name);
	}
	if (*ret < 0)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "more than %u observers",
					 CUDASIM_MAX_OBSERVERS);
	return NULL;
}

static struct cudasim_error *add(const struct cudasim_observer *observer, unsigned from,
				 unsigned end)
{
	pthread_mutex_lock(&lock);
	int slot;
	struct cudasim_error *error = check(observer, from, end, &slot);
	if (!error) {
		atomic_store_explicit(&slots[slot], observer, memory_order_release);
		atomic_fetch_add(&observers_n, 1);
	}
	pthread_mutex_unlock(&lock);
	if (!error && observer->module) {
		const struct cudasim_module *const *modules;
		size_t n;
		cudasim_modules(&modules, &n);
		for (size_t i = 0; i < n; i++)
			observer->module(observer->tool, modules[i]);
	}
	return error;
}

struct cudasim_error *cudasim_observer_add(const struct cudasim_observer *observer)
{
	if (!observer)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "no observer given");
	return add(observer, 0, CUDASIM_MAX_OBSERVERS);
}

struct cudasim_error *observer_add_own(const struct cudasim_observer *observer)
{
	return add(observer, CUDASIM_MAX_OBSERVERS, OBSERVER_SLOTS);
}

struct cudasim_error *cudasim_observer_remove(const struct cudasim_observer *observer)
{
	struct cudasim_error *error = NULL;
	pthread_mutex_lock(&lock);
	int slot = observer_slot(observer);
	if (slot < 0) {
		error = cudasim_error_new(CUDASIM_E_NOTFOUND, "this observer was never added");
	} else if (atomic_load(&in_flight[slot])) {
		error = cudasim_error_new(CUDASIM_E_BUSY, "a launch that %s watches is in flight",
					  observer->name);
	} else {
		atomic_store_explicit(&slots[slot], NULL, memory_order_release);
		atomic_fetch_sub(&observers_n, 1);
	}
	pthread_mutex_unlock(&lock);
	if (!error && observer->finish)
		observer->finish(observer->tool);
	return error;
}

void **cudasim_block_data(struct cudasim_block *block, const struct cudasim_observer *observer)
{
	int slot = observer_slot(observer);
	return slot < 0 || slot >= (int)CUDASIM_MAX_OBSERVERS ? NULL : &block->tool[slot];
}

void observer_finish_all(void)
{
	for (unsigned i = 0; i < OBSERVER_SLOTS; i++) {
		const struct cudasim_observer *observer =
			atomic_exchange(&slots[i], (const struct cudasim_observer *)NULL);
		if (!observer)
			continue;
		atomic_fetch_sub(&observers_n, 1);
		if (observer->finish)
			observer->finish(observer->tool);
	}
}

/* ---- events of the host -------------------------------------------------- */

#define TO_ALL(event, type)                                                                        \
	void observer_##event(const type *what)                                                    \
	{                                                                                          \
		for (unsigned i = 0; i < OBSERVER_SLOTS; i++) {                                    \
			const struct cudasim_observer *o = slot_get(i);                            \
			if (o && o->event)                                                         \
				o->event(o->tool, what);                                           \
		}                                                                                  \
	}
TO_ALL(allocated, struct cudasim_memory)
TO_ALL(freed, struct cudasim_memory)
TO_ALL(bad_free, struct cudasim_memory)
TO_ALL(permission, struct cudasim_memory)
TO_ALL(copy, struct cudasim_copy)
TO_ALL(order, struct cudasim_order_event)
TO_ALL(api_enter, struct cudasim_api_call)
TO_ALL(api_leave, struct cudasim_api_call)
TO_ALL(handle, struct cudasim_handle)

void observe_module(const struct cudasim_module *module)
{
	for (unsigned i = 0; i < OBSERVER_SLOTS; i++) {
		const struct cudasim_observer *o = slot_get(i);
		if (o && o->module)
			o->module(o->tool, module);
	}
}

/* ---- launches ------------------------------------------------------------ */

/* What the slots of an observer without want() need. */
static uint32_t default_want(const struct cudasim_observer *o)
{
	uint32_t want = 0;
	if (o->line)
		want |= CUDASIM_WANT_LINE;
	if (o->access)
		want |= CUDASIM_WANT_ACCESS;
	if (o->fence)
		want |= CUDASIM_WANT_FENCE;
	if (o->mbarrier)
		want |= CUDASIM_WANT_MBARRIER;
	if (o->call_enter || o->call_leave)
		want |= CUDASIM_WANT_CALL;
	if (o->block_begin || o->block_end)
		want |= CUDASIM_WANT_BLOCK;
	if (o->thread_begin || o->thread_end)
		want |= CUDASIM_WANT_THREAD;
	if (o->barrier_arrive || o->barrier_open)
		want |= CUDASIM_WANT_BARRIER;
	if (o->warp_arrive || o->warp_meet)
		want |= CUDASIM_WANT_WARP;
	if (o->choose)
		want |= CUDASIM_WANT_CHOOSE;
	return want;
}

void observer_describe(struct launch *launch)
{
	launch->seen = (struct cudasim_launch){
		.id = launch->id,
		.gridid = launch->gridid,
		.stream = launch->stream_id,
		.device = launch->seen.device,
		.cooperative = launch->cooperative,
		.module = launch->module,
		.kernel = launch->kernel,
		.dynamic_shared_bytes = launch->dynamic_shared_bytes,
		.params = launch->params,
		.host_pc = launch->host_site,
		.workspace = launch->cooperative ? launch->grid_workspace : NULL,
		.workspace_bytes = launch->cooperative ? sizeof launch->grid_workspace : 0,
	};
	if (launch->parent) {
		launch->seen.parent = &launch->parent->seen;
		launch->seen.parent_site = launch->made.site;
		launch->seen.launcher = launch->made.now;
		memcpy(launch->seen.parent_block, launch->made.block, sizeof launch->made.block);
		memcpy(launch->seen.parent_thread, launch->made.thread, sizeof launch->made.thread);
	}
	memcpy(launch->seen.grid, launch->grid, sizeof launch->grid);
	memcpy(launch->seen.block, launch->block, sizeof launch->block);
	memcpy(launch->seen.cluster, launch->cluster, sizeof launch->cluster);
}

void observe_launch_submit(struct launch *launch)
{
	observer_describe(launch);
	finding_launch(launch->id);
	if (!atomic_load_explicit(&observers_n, memory_order_relaxed))
		return;
	struct cudasim_watch *watch = calloc(1, sizeof *watch);
	if (!watch) {
		fputs("cudasim: out of memory for the observers of a launch\n", stderr);
		exit(1);
	}
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < OBSERVER_SLOTS; i++) {
		watch->slot[i] = slot_get(i);
		if (!watch->slot[i])
			continue;
		watch->n = i + 1;
		atomic_fetch_add(&in_flight[i], 1);
	}
	pthread_mutex_unlock(&lock);

	uint32_t all = 0;
	for (unsigned i = 0; i < watch->n; i++) {
		const struct cudasim_observer *o = watch->slot[i];
		if (!o)
			continue;
#define HEARS(event) watch->hears.event |= (uint16_t)((o->event != NULL) << i);
		OBSERVER_EVENTS(HEARS)
#undef HEARS
		uint32_t want = o->want ? o->want(o->tool, &launch->seen) : default_want(o);
		atomic_init(&watch->wants[i], want);
		all |= want;
	}
	atomic_init(&watch->want, all);
	launch->seen.watch = watch;
	for (unsigned i = 0; i < watch->n; i++)
		if (watch->slot[i] && watch->slot[i]->launch_submit)
			watch->slot[i]->launch_submit(watch->slot[i]->tool, &launch->seen);
	launch->seen.launcher = NULL;
}

uint32_t observer_wants(const struct launch *launch)
{
	uint32_t all = 0;
	unsigned n = atomic_load_explicit(&observers_n, memory_order_acquire);
	for (unsigned i = 0; n && i < OBSERVER_SLOTS; i++) {
		const struct cudasim_observer *o = slot_get(i);
		if (!o)
			continue;
		n--;
		all |= o->want ? o->want(o->tool, &launch->seen) : default_want(o);
	}
	return all;
}

void observer_fault_of_direct(struct cudasim_launch *launch, struct cudasim_thread *thread,
			      const struct cudasim_fault *fault)
{
	for (unsigned i = 0; i < OBSERVER_SLOTS; i++) {
		const struct cudasim_observer *o = slot_get(i);
		if (o && o->fault)
			o->fault(o->tool, launch, thread, fault);
	}
}

void observer_launch_begin(struct launch *launch)
{
	FOR_EACH(&launch->seen, launch_begin, o)
	o->launch_begin(o->tool, &launch->seen);
}

void observer_launch_end(struct launch *launch)
{
	struct cudasim_watch *watch = launch->seen.watch;
	launch->seen.error = launch->error;
	FOR_EACH(&launch->seen, launch_end, o)
	o->launch_end(o->tool, &launch->seen);
	launch->seen.watch = NULL;
	for (unsigned i = 0; i < watch->n; i++)
		if (watch->slot[i])
			atomic_fetch_sub(&in_flight[i], 1);
	free(watch);
}

/* ---- blocks and threads -------------------------------------------------- */

void observer_block(struct cudasim_block *block, bool begin)
{
	struct cudasim_launch *launch = block->launch;
	if (begin)
		memset(block->tool, 0, sizeof block->tool);
	if (!(observed(launch) & CUDASIM_WANT_BLOCK))
		return;
	if (begin) {
		FOR_WANTING(launch, block_begin, CUDASIM_WANT_BLOCK, o)
		o->block_begin(o->tool, block);
	} else {
		FOR_WANTING(launch, block_end, CUDASIM_WANT_BLOCK, o)
		o->block_end(o->tool, block);
	}
}

void observer_obey(struct cudasim_thread *thread, enum cudasim_verdict verdict)
{
	switch (verdict) {
	case CUDASIM_GO:
		return;
	case CUDASIM_MEET:
		if (observe_ordered(thread->block->launch))
			scheduler_meet(thread);
		return;
	case CUDASIM_HOLD:
		scheduler_hold(thread);
		return;
	case CUDASIM_STOP:
		launch_of(thread->block->launch)->stopped = true;
		/* fall through */
	case CUDASIM_ABORT:
		scheduler_abort(thread, LAUNCH_FAILURE);
	}
}

void observer_thread(struct cudasim_thread *thread, bool begin)
{
	struct cudasim_launch *launch = thread->block->launch;
	enum cudasim_verdict verdict = CUDASIM_GO, answer;
	observer_frame = __builtin_frame_address(0);
	if (begin) {
		FOR_WANTING(launch, thread_begin, CUDASIM_WANT_THREAD, o)
		if ((answer = o->thread_begin(o->tool, thread)) > verdict)
			verdict = answer;
	} else {
		FOR_WANTING(launch, thread_end, CUDASIM_WANT_THREAD, o)
		if ((answer = o->thread_end(o->tool, thread)) > verdict)
			verdict = answer;
	}
	observer_frame = NULL;
	obey(thread, verdict);
}

void observer_barrier_arrive(struct cudasim_thread *thread, const struct cudasim_barrier *barrier)
{
	TELL(thread, barrier_arrive, CUDASIM_WANT_BARRIER, barrier);
}

void observer_barrier_open(struct cudasim_block *block, const struct cudasim_barrier *barrier)
{
	FOR_WANTING(block->launch, barrier_open, CUDASIM_WANT_BARRIER, o)
	o->barrier_open(o->tool, block, barrier);
}

void observer_warp_arrive(struct cudasim_thread *thread, const struct cudasim_warp_op *op)
{
	TELL(thread, warp_arrive, CUDASIM_WANT_WARP, op);
}

void observer_warp_meet(struct cudasim_block *block, uint32_t warp,
			const struct cudasim_warp_op *op)
{
	FOR_WANTING(block->launch, warp_meet, CUDASIM_WANT_WARP, o)
	o->warp_meet(o->tool, block, warp, op);
}

void observer_print(struct cudasim_thread *thread, const char *text, size_t n,
		    const struct cudasim_site *site)
{
	TELL(thread, print, ~0u, text, n, site);
}

enum cudasim_verdict cudasim_finding_tell(struct cudasim_thread *thread,
					  const struct cudasim_finding *finding)
{
	enum cudasim_verdict verdict = CUDASIM_GO, answer;
	finding_count(finding);
	if (thread && thread->block->launch->watch) {
		/* observer_frame is the event's that it was found in. */
		FOR_EACH(thread->block->launch, finding, o)
		if ((answer = o->finding(o->tool, thread, finding)) > verdict)
			verdict = answer;
		return verdict;
	}
	for (unsigned i = 0; i < OBSERVER_SLOTS; i++) {
		const struct cudasim_observer *o = slot_get(i);
		if (o && o->finding)
			o->finding(o->tool, NULL, finding);
	}
	return verdict;
}

void observer_brkpt(struct cudasim_thread *thread, const struct cudasim_site *site)
{
	TELL(thread, brkpt, ~0u, site);
}

/* ---- on the worker's stack ----------------------------------------------- */

void observer_fault(struct cudasim_launch *launch, struct cudasim_thread *thread,
		    const struct cudasim_fault *fault)
{
	FOR_EACH(launch, fault, o)
	o->fault(o->tool, launch, thread, fault);
}

void observer_held(struct cudasim_thread *thread)
{
	struct cudasim_launch *launch = thread->block->launch;
	if (!launch->watch)
		return;
	FOR_EACH(launch, held, o)
	o->held(o->tool, thread);
}

void observer_stalled(struct cudasim_launch *launch, enum cudasim_stall why)
{
	FOR_EACH(launch, stalled, o)
	o->stalled(o->tool, launch, why);
}

uint32_t observer_met(struct cudasim_block *block, uint32_t warp, uint32_t lanes)
{
	struct cudasim_launch *launch = block->launch;
	uint32_t all = lanes;
	FOR_EACH(launch, met, o)
	all &= o->met(o->tool, block, warp, lanes);
	return all;
}

struct cudasim_thread *observer_choose(struct cudasim_launch *launch)
{
	FOR_WANTING(launch, choose, CUDASIM_WANT_CHOOSE, o)
	{
		struct cudasim_thread *thread = o->choose(o->tool, launch);
		if (thread)
			return thread;
	}
	return NULL;
}
