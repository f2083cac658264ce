/* SPDX-License-Identifier: Apache-2.0 */
/* worker.c - a worker's loop: each block in flight has its turn, and when nothing moves it
 * starts more, waits, or tells of a deadlock. start.c starts and ends blocks. */
#define _GNU_SOURCE
#include "worker.h"

#include <assert.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "block.h"
#include "device.h"
#include "dispatch.h"
#include "now.h"
#include "observer.h"
#include "start.h"

enum {
	STACK_LEAST = 64 * 1024,
	SPINS_HELD = 64,          /* rounds before spinning beside held threads is a stall */
	FRUITLESS_SPIN = 200,     /* rounds before a worker that only spins sleeps a little */
	FRUITLESS_SLEEP_NS = 50000,
	TRIM_FIBERS = 4096,       /* stacks and blocks that an idle worker may keep */
	TRIM_BLOCKS = 64,
};

/* ---- stacks -------------------------------------------------------------- */

uint32_t worker_stack_class(uint64_t bytes)
{
	uint32_t class = 0;
	while (class + 1 < WORKER_POOLS && ((uint64_t)STACK_LEAST << class) < bytes)
		class ++;
	return class;
}

struct fiber_pool *worker_pool(struct worker *worker, uint32_t class)
{
	struct fiber_pool *pool = &worker->pools[class];
	if (__builtin_expect(!pool->main, 0))
		fiber_pool_init(pool, worker->engine, (size_t)STACK_LEAST << class, dispatch_main,
				worker);
	return pool;
}

/* ---- reports -------------------------------------------------------------- */

/* The launch has died at the hands of t: tell everybody. */
static void report(struct worker *worker, struct run *run, struct thread *t,
		   const struct fault *fault, const char *more)
{
	struct launch *launch = run->launch;
	if (!scheduler_kill(run, fault->error))
		return;
	char *text = fault_describe(run, t, fault, more);
	if (!fault->quiet)
		fputs(text, stderr);
	struct cudasim_fault seen = {
		.kind = fault->kind,
		.error = fault->error,
		.address = fault->address,
		.pc = fault->pc,
		.site = fault->site,
		.message = text,
	};
	if (run->watched)
		observe_fault(&launch->pub, t ? &t->pub : NULL, &seen);
	else if (run->direct)
		observer_fault_of_direct(&launch->pub, t ? &t->pub : NULL, &seen);
	free(text);
	(void)worker;
}

void worker_report(struct worker *worker, struct run *run, const struct fault *fault,
		   const char *more)
{
	report(worker, run, NULL, fault, more);
}

/* ---- running ------------------------------------------------------------- */

enum turn { TURN_ENDED, TURN_MOVED, TURN_SPUN, TURN_STUCK };

/* The thread that an observer chooses, NULL where that is none that can move. */
static struct thread *chosen(struct block *b)
{
	struct thread *t = (struct thread *)observe_choose(b->pub.launch);
	if (!t || block_of(t)->worker != b->worker)
		return NULL;
	struct block *other = block_of(t);
	uint32_t w = t->pub.warp, bit = 1u << t->pub.lane;
	if (other->post_barrier[w] & bit)
		block_end_post_barrier(other, 1u << w);
	if (warp_settling(other, w) & bit)
		warp_settle_partial(other, w, false);
	if (other->converging[w] & bit) {
		warp_resolve(other, w);
		if (!(other->active[w] & bit))
			t = block_thread(other, w, (uint32_t)__builtin_ctz(other->active[w]));
		bit = 1u << t->pub.lane;
	}
	if (atomic_load(&t->holds) || !((other->active[w] | other->yielded[w]) & bit))
		return NULL;
	other->yielded[w] &= ~bit;
	if (!other->yielded[w])
		other->yielded_warps &= ~(1u << w);
	block_activate(other, w, bit);
	return t;
}

static struct thread *next_thread(struct block *b)
{
	struct thread *rested = b->rested;
	if (rested) {
		b->rested = NULL;
		return rested;
	}
	if (b->held_warps)
		block_unhold(b);
	struct thread *t = b->run->choosing ? chosen(b) : NULL;
	if (t)
		return t;
	if (!b->active_warps && !block_settleable(b) && !b->post_barrier_warps)
		block_round(b);
	return block_pick(b);
}

/* Do what the worker was called back for. */
static void handle(struct worker *worker, struct block *b)
{
	switch (worker->event) {
	case EVENT_FAULT:
		report(worker, b->run, worker->event_thread, &worker->fault, NULL);
		break;
	case EVENT_HELD:
		observe_held(&worker->event_thread->pub);
		break;
	case EVENT_HOST:
		host_call_run(worker);
		break;
	case EVENT_MEMORY:
		start_die_of_memory(b->run);
		break;
	default:
		break;
	}
}

static bool cluster_stuck(const struct block *b)
{
	for (uint32_t i = 0; i < b->cluster->n_blocks; i++) {
		const struct block *other = b->cluster->blocks[i];
		if (other && (block_can_move(other) || block_is_kept(other)))
			return false;
	}
	return true;
}

static void die_of_deadlock(struct worker *worker, struct block *b)
{
	struct run *run = b->run;
	struct fault fault = {
		.kind = CUDASIM_FAULT_DEADLOCK,
		.error = ERROR_LAUNCH_TIMEOUT,
		.what = "deadlock: threads wait for what can never happen",
	};
	char *table = stall_table(worker, run);
	if (run->watched)
		observe_stalled(&run->launch->pub, CUDASIM_STALL_DEADLOCK);
	report(worker, run, NULL, &fault, table);
	free(table);
}

static void die_of_time(struct worker *worker, struct run *run)
{
	struct fault fault = {
		.kind = CUDASIM_FAULT_TIMEOUT,
		.error = ERROR_LAUNCH_TIMEOUT,
		.what = "has run longer than CUDASIM_TIMEOUT allows",
	};
	char *table = stall_table(worker, run);
	report(worker, run, NULL, &fault, table);
	free(table);
}

static enum turn block_turn(struct worker *worker, struct block *b)
{
	uint32_t progress = b->progress;
	bool moved = false;
	for (;;) {
		if (atomic_load_explicit(&b->run->expired, memory_order_relaxed))
			die_of_time(worker, b->run);
		if (atomic_load_explicit(&b->run->dead, memory_order_relaxed))
			return TURN_ENDED;
		struct thread *t = next_thread(b);
		if (!t)
			break;
		/* An observer's choice may be of another block, of another run even. */
		struct block *ran = block_of(t);
		moved = true;
		dispatch_run(worker, t);
		if (worker->event == EVENT_NONE && !atomic_load(&b->run->stop))
			break;
		handle(worker, ran);
	}
	if (!b->n_live)
		return TURN_ENDED;
	if (block_can_move(b))
		return b->spins && b->progress == progress ? TURN_SPUN : TURN_MOVED;
	if (!block_is_kept(b) && cluster_stuck(b)) {
		die_of_deadlock(worker, b);
		return TURN_ENDED;
	}
	return moved ? TURN_MOVED : TURN_STUCK;
}

/* Give each block in flight a turn. True if anything happened but spinning. */
static bool pass(struct worker *worker, bool *spins)
{
	bool moved = false;
	*spins = false;
	for (uint32_t i = 0; i < worker->n_ring;) {
		switch (block_turn(worker, worker->ring[i])) {
		case TURN_ENDED:
			start_retire(worker, i);
			moved = true;
			/* A block that ends makes room for the next one at once, or
			 * the others in flight would have the worker for themselves. */
			break;
		case TURN_MOVED:
			moved = true;
			i++;
			break;
		case TURN_SPUN:
			*spins = true;
			i++;
			break;
		case TURN_STUCK:
			i++;
			break;
		}
	}
	return moved;
}

/* ---- when nothing moves -------------------------------------------------- */

static struct run *held_run(const struct worker *worker)
{
	for (uint32_t i = 0; i < worker->n_ring; i++)
		if (block_is_kept(worker->ring[i]))
			return worker->ring[i]->run;
	return NULL;
}

/* All that could move is held: say so once, then wait to be woken. */
static void stall(struct worker *worker, uint64_t epoch)
{
	struct run *run = held_run(worker);
	if (run && !atomic_exchange(&run->stall_told, true)) {
		observe_stalled(&run->launch->pub, CUDASIM_STALL_HELD);
		return; /* it may have resumed somebody */
	}
	scheduler_wait(worker, epoch);
}

static void rest_a_little(struct worker *worker)
{
	if (!worker->fruitless)
		worker->fruitless_ns = now_ns();
	if (++worker->fruitless < FRUITLESS_SPIN) {
		sched_yield();
		return;
	}
	struct timespec pause = {.tv_nsec = FRUITLESS_SLEEP_NS};
	nanosleep(&pause, NULL);
}

static void start_more(struct worker *worker, bool spins, uint64_t epoch)
{
	if (start_units(worker, worker->n_ring, true)) {
		worker->fruitless = 0;
		return;
	}
	/* Spinning beside lanes that a tool keeps: it may be for them. */
	bool waits = spins && !(worker->fruitless >= SPINS_HELD && held_run(worker));
	if (waits || !worker->n_ring) {
		if (worker->fruitless >= FRUITLESS_SPIN)
			hang_look(worker);
		rest_a_little(worker);
	} else {
		stall(worker, epoch);
	}
}

static void told_again(struct worker *worker)
{
	for (uint32_t i = 0; i < worker->n_ring; i++)
		if (worker->ring[i]->run->watched)
			atomic_store(&worker->ring[i]->run->stall_told, false);
}

static void run_blocks(struct worker *worker)
{
	while (worker->n_ring) {
		uint64_t epoch = scheduler_epoch();
		bool spins;
		if (__builtin_expect(atomic_load_explicit(&hang_stops, memory_order_relaxed), 0))
			hang_park();
		if (pass(worker, &spins)) {
			worker->fruitless = 0;
			hang_moved(&worker->hang);
			told_again(worker);
		} else if (worker->n_ring) {
			start_more(worker, spins, epoch);
		}
	}
}

static void free_blocks(struct worker *worker)
{
	while (worker->unused) {
		struct block *b = worker->unused;
		worker->unused = b->next;
		block_fini(b);
		free(b);
	}
	worker->n_unused = 0;
}

/* Nothing has happened for a while: give back what a launch with very many
 * threads in flight has left. */
static void trim(struct worker *worker)
{
	for (uint32_t i = 0; i < WORKER_POOLS; i++)
		if (worker->pools[i].n_all > TRIM_FIBERS)
			fiber_pool_fini(&worker->pools[i]);
	if (worker->n_unused > TRIM_BLOCKS)
		free_blocks(worker);
}

static void worker_fini(struct worker *worker)
{
	free_blocks(worker);
	for (uint32_t i = 0; i < WORKER_POOLS; i++)
		if (worker->pools[i].main)
			fiber_pool_fini(&worker->pools[i]);
	hang_watch_fini(&worker->hang);
	free(worker->frame);
	free(worker->ring);
	free(worker->chunks);
	fiber_unadopt(&worker->main);
}

/* Blocks to begin with: a random order needs several to choose from. */
#define AT_ONCE(worker) ((worker)->schedule.order == SCHEDULE_RANDOM ? 4u : 1u)

_Thread_local bool worker_running __attribute__((tls_model("initial-exec")));

void *worker_main(void *arg)
{
	struct worker *worker = arg;
	worker_running = true;
	fiber_signal_stack();
	fiber_adopt(&worker->main, worker->engine);
	while (!__atomic_load_n(&worker->stop, __ATOMIC_ACQUIRE)) {
		uint64_t epoch = scheduler_epoch();
		if (start_units(worker, AT_ONCE(worker), false))
			run_blocks(worker);
		else if (!worker->n_chunks && !scheduler_wait(worker, epoch))
			trim(worker);
	}
	worker_fini(worker);
	return NULL;
}

/* ---- a host thread as a worker -------------------------------------------- */

void worker_init_alone(struct worker *worker)
{
	worker->pthread = pthread_self();
	worker->index = 0;
	worker->engine = FIBER_STACK;
	worker->schedule.order = SCHEDULE_INORDER;
	fiber_signal_stack();
	fiber_adopt(&worker->main, worker->engine);
}

void worker_fini_alone(struct worker *worker)
{
	worker_fini(worker);
}

void worker_run_chunk(struct worker *worker, const struct chunk *chunk)
{
	worker->chunk_start_ns = now_ns();
	start_keep_chunk(worker, chunk);
	while (worker->n_chunks) {
		start_from_chunk(worker, 0);
		run_blocks(worker);
	}
}

bool worker_start_alone(struct worker *worker, struct run *run, struct block **ret)
{
	if (!start_unit(worker, run, 0))
		return false;
	*ret = worker->ring[0];
	return true;
}

/* Somebody has got on, or the call is over: the next one is to be explained, too. */
static void move_alone(struct worker *worker, struct run *run)
{
	if (!worker->fruitless)
		return;
	worker->fruitless = 0;
	hang_moved(&worker->hang);
	atomic_store(&run->stall_explained, false);
}

void worker_run_alone(struct worker *worker, struct block *b)
{
	for (;;) {
		switch (block_turn(worker, b)) {
		case TURN_ENDED:
			if (b->n_live)
				dispatch_drop(b);
			move_alone(worker, b->run);
			return;
		case TURN_SPUN:
			if (worker->fruitless >= FRUITLESS_SPIN)
				hang_look(worker);
			rest_a_little(worker);
			break;
		default:
			move_alone(worker, b->run);
			break;
		}
	}
}

void worker_retire_alone(struct worker *worker)
{
	struct block *b = worker->ring[0];
	worker->n_ring = 0;
	b->cluster->blocks[0] = NULL;
	free(b->cluster);
	b->cluster = NULL;
	b->run = NULL;
	start_keep_unused(worker, b);
}
