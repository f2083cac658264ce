/* SPDX-License-Identifier: Apache-2.0 */
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
#include "observer.h"

enum {
	STACK_LEAST = 64 * 1024,
	SPINS_HELD = 64,          /* rounds before spinning beside held threads is a stall */
	FRUITLESS_SPIN = 200,     /* rounds before a worker that only spins sleeps a little */
	FRUITLESS_SLEEP_NS = 50000,
	CHUNK_NS = 20000,         /* how long a chunk of blocks should last */
	CHUNK_MOST = 256,
	CHUNK_MOST_LOOPS = 1 << 16,
	TRIM_FIBERS = 4096,       /* stacks and blocks that an idle worker may keep */
	TRIM_BLOCKS = 64,
};

/* ---- stacks -------------------------------------------------------------- */

uint32_t worker_stack_class(uint64_t bytes)
{
	uint32_t class = 0;
	while (class + 1 < WORKER_POOLS && ((uint64_t)STACK_LEAST << class) < bytes)
		class++;
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

/* ---- starting blocks ----------------------------------------------------- */

static void *grown(void *array, uint32_t *capacity, size_t size)
{
	uint32_t bigger = *capacity ? *capacity * 2 : 16;
	void *ret = realloc(array, bigger * size);
	if (!ret) {
		fputs("cudasim: out of memory for the scheduler\n", stderr);
		exit(1);
	}
	*capacity = bigger;
	return ret;
}

static void set_geometry(struct block *b, const struct launch *l, uint64_t index)
{
	struct cudasim_block *pub = &b->pub;
	uint64_t yz = index / l->grid[0];
	pub->ctaid[0] = (uint32_t)(index % l->grid[0]);
	pub->ctaid[1] = (uint32_t)(yz % l->grid[1]);
	pub->ctaid[2] = (uint32_t)(yz / l->grid[1]);
	memcpy(pub->ntid, l->block, sizeof pub->ntid);
	memcpy(pub->nctaid, l->grid, sizeof pub->nctaid);
	for (int i = 0; i < 3; i++) {
		uint32_t n = l->cluster[i] ? l->cluster[i] : 1;
		pub->cluster_nctaid[i] = n;
		pub->cluster_ctaid[i] = pub->ctaid[i] % n;
	}
	b->index = index;
}

static void set_run(struct block *b, struct run *run, uint64_t place)
{
	const struct launch *l = run->launch;
	struct cudasim_block *pub = &b->pub;
	b->run = run;
	pub->device = l->device->ordinal;
	pub->shared = b->window.base;
	pub->shared_bytes = run->shared_bytes;
	pub->dynamic_shared_offset = run->dynamic_offset;
	pub->dynamic_shared_bytes = l->dynamic_shared_bytes;
	pub->smid = (uint32_t)(place % l->device->profile->n_sms);
	pub->gridid = l->gridid;
	pub->launch = &run->launch->seen;
}

static void keep_unused(struct worker *worker, struct block *b)
{
	b->next = worker->unused;
	worker->unused = b;
	worker->n_unused++;
}

static struct block *new_block(struct worker *worker, const struct run *run)
{
	struct block *b = worker->unused;
	if (b) {
		worker->unused = b->next;
		worker->n_unused--;
		b->next = NULL;
	} else {
		b = aligned_alloc(64, (sizeof *b + 63) / 64 * 64);
		if (!b)
			return NULL;
		memset(b, 0, sizeof *b);
	}
	b->worker = worker;
	if (block_prepare(b, run->launch->block, run->shared_bytes, run->shared_align))
		return b;
	block_fini(b);
	free(b);
	return NULL;
}

static void start_block(struct worker *worker, struct block *b, struct run *run,
			struct cluster *cluster, uint32_t rank, uint64_t index, uint64_t place)
{
	set_geometry(b, run->launch, index);
	set_run(b, run, place);
	b->cluster = cluster;
	b->loop = run->loop;
	b->rest_lo = b->rest_hi = b->n_looped = 0;
#ifdef CUDASIM_PARANOID
	b->special = true;
#else
	b->special = worker->engine == FIBER_PTHREAD || run->ordered || run->choosing ||
		     worker->schedule.order != SCHEDULE_INORDER;
#endif
	cluster->blocks[rank] = b;
	block_reset(b);
	if (worker->n_ring == worker->ring_capacity)
		worker->ring = grown(worker->ring, &worker->ring_capacity, sizeof *worker->ring);
	worker->ring[worker->n_ring++] = b;
	if (__builtin_expect(run->watched, 0))
		scheduler_block_begins(b);
}

/* Index of the block of that rank in cluster `unit`. Ranks count x first. */
static uint64_t block_index(const struct launch *l, uint64_t unit, uint32_t rank)
{
	uint32_t c[3], u[3];
	uint64_t at[3];
	for (int i = 0; i < 3; i++)
		c[i] = l->cluster[i] ? l->cluster[i] : 1;
	if (c[0] * c[1] * c[2] == 1)
		return unit;
	for (int i = 0; i < 3; i++)
		u[i] = l->grid[i] / c[i];
	at[0] = unit % u[0] * c[0] + rank % c[0];
	at[1] = unit / u[0] % u[1] * c[1] + rank / c[0] % c[1];
	at[2] = unit / u[0] / u[1] * c[2] + rank / c[0] / c[1];
	return at[0] + l->grid[0] * (at[1] + l->grid[1] * at[2]);
}

static void die_of_memory(struct run *run)
{
	if (scheduler_kill(run, ERROR_LAUNCH_OUT_OF_RESOURCES))
		fprintf(stderr, "cudasim: kernel %s: out of memory for its blocks in flight\n",
			run->launch->kernel->display);
}

/* Start the i-th unit of the run. False without memory: the run is dead. */
static bool start_unit(struct worker *worker, struct run *run, uint64_t i)
{
	uint64_t unit = schedule_block(worker->schedule.order, worker->schedule.seed ^
				       run->launch->id, i, run->n_units, run->window);
	uint32_t n = run->unit_blocks;
	struct cluster *cluster = calloc(1, sizeof *cluster);
	struct block *blocks[CLUSTER_MAX_BLOCKS];
	uint32_t made = 0;
	while (cluster && made < n && (blocks[made] = new_block(worker, run)))
		made++;
	if (!cluster || made < n) {
		while (made-- > 0) {
			keep_unused(worker, blocks[made]);
		}
		free(cluster);
		die_of_memory(run);
		return false;
	}
	cluster->n_blocks = cluster->n_live_blocks = n;
	for (uint32_t rank = 0; rank < n; rank++)
		start_block(worker, blocks[rank], run, cluster, rank,
			    block_index(run->launch, unit, rank), i * n + rank);
	return true;
}

static void drop_chunk(struct worker *worker, uint32_t at)
{
	memmove(&worker->chunks[at], &worker->chunks[at + 1],
		(--worker->n_chunks - at) * sizeof *worker->chunks);
}

/* Learn how many units make a chunk of the right length, from one of n units (0: of as many
 * as there should be). */
static void adapt(struct worker *worker, struct run *run, uint64_t n)
{
	uint64_t now = scheduler_now_ns(), took = now - worker->chunk_start_ns;
	worker->chunk_start_ns = now;
	uint64_t chunk = run->chunk, most = run->loop ? CHUNK_MOST_LOOPS : CHUNK_MOST;
	if (took > CHUNK_NS * 2 && chunk > 1) {
		run->chunk = chunk / 2;
	} else if (took < CHUNK_NS / 2 && chunk < most && (!n || n >= chunk)) {
		uint64_t times = n && took < CHUNK_NS / 16 ? 8 : 2;
		run->chunk = chunk * times < most ? chunk * times : most;
	}
}

static void keep_chunk(struct worker *worker, const struct chunk *chunk)
{
	if (worker->n_chunks == worker->chunks_capacity)
		worker->chunks = grown(worker->chunks, &worker->chunks_capacity,
				       sizeof *worker->chunks);
	worker->chunks[worker->n_chunks++] = *chunk;
}

/* Start one unit of what the worker has taken already; `at` counts chunks. */
static bool start_from_chunk(struct worker *worker, uint32_t at)
{
	struct chunk *c = &worker->chunks[at];
	struct run *run = c->run;
	if (atomic_load_explicit(&run->dead, memory_order_relaxed)) {
		uint64_t n = c->hi - c->lo;
		drop_chunk(worker, at);
		scheduler_finish(run, n);
		return false;
	}
	uint64_t n = c->hi - c->lo, i = c->lo++, lo = c->lo, hi = run->loop ? c->hi : c->lo;
	if (c->lo == c->hi || run->loop)
		drop_chunk(worker, at);
	if (start_unit(worker, run, i)) {
		struct block *b = worker->ring[worker->n_ring - 1];
		b->rest_lo = lo;
		b->rest_hi = hi;
		b->n_chunk = n;
		return true;
	}
	scheduler_finish(run, 1 + hi - lo);
	return false;
}

void worker_keep_rest(struct block *b)
{
	struct chunk rest = {b->run, b->rest_lo, b->rest_hi};
	b->rest_lo = b->rest_hi;
	if (rest.lo < rest.hi)
		keep_chunk(b->worker, &rest);
}

void worker_move_block(struct worker *worker, struct block *b, uint32_t n)
{
	const struct launch *l = b->run->launch;
	uint32_t n_sms = l->device->profile->n_sms;
	(void)worker;
	b->pub.ctaid[0] += n;
	if (b->pub.ctaid[0] == l->grid[0]) {
		b->pub.ctaid[0] = 0;
		if (++b->pub.ctaid[1] == l->grid[1]) {
			b->pub.ctaid[1] = 0;
			b->pub.ctaid[2]++;
		}
	}
	b->index += n;
	b->pub.smid += n < n_sms ? n : n % n_sms;
	if (b->pub.smid >= n_sms)
		b->pub.smid -= n_sms;
	if (b->run->shared_bytes > CUDASIM_RESERVED_SHARED_BYTES)
		window_clear(&b->window);
}

bool worker_next_chunk(struct worker *worker, struct block *b)
{
	struct run *run = b->run;
	struct chunk chunk;
	if (worker->n_chunks || worker->n_ring > 1 || run->unit_blocks > 1)
		return false;
	adapt(worker, run, b->n_chunk);
	b->n_chunk = 0; /* it is learned from */
	if (!scheduler_take_next(worker, run, 1 + b->n_looped, &chunk))
		return false;
	b->n_looped = 0;
	b->n_chunk = chunk.hi - chunk.lo;
	b->rest_lo = chunk.lo + 1;
	b->rest_hi = chunk.hi;
	set_geometry(b, run->launch, chunk.lo);
	b->pub.smid = (uint32_t)(chunk.lo % run->launch->device->profile->n_sms);
	if (run->shared_bytes > CUDASIM_RESERVED_SHARED_BYTES)
		window_clear(&b->window);
	return true;
}

/* Start up to n more units; spare says that what is in flight cannot go on.
 * Returns how many were started. */
static uint32_t worker_start(struct worker *worker, uint32_t n, bool spare)
{
	uint32_t started = 0;
	while (started < n) {
		struct chunk chunk;
		/* With blocks that only spin, other launches get their chance, too. */
		bool fresh = !worker->n_chunks || (spare && started % 2);
		if (fresh && scheduler_take(worker, spare, &chunk)) {
			if (!spare)
				worker->chunk_start_ns = scheduler_now_ns();
			keep_chunk(worker, &chunk);
			started += start_from_chunk(worker, worker->n_chunks - 1);
		} else if (worker->n_chunks) {
			started += start_from_chunk(worker, 0);
		} else {
			break;
		}
	}
	return started;
}

uint32_t worker_begin(struct run *run, uint32_t n)
{
	uint32_t n_workers, before;
	struct worker *worker = scheduler_workers(&n_workers); /* the first: see may_take() */
	struct chunk chunk;
	before = worker->n_ring;
	while (n-- > 0 && scheduler_take_of(worker, run, &chunk)) {
		keep_chunk(worker, &chunk);
		start_from_chunk(worker, worker->n_chunks - 1);
	}
	return worker->n_ring - before;
}

/* ---- ending blocks ------------------------------------------------------- */

/* Take ring[at] out; it has ended, or its run has died. */
static void retire(struct worker *worker, uint32_t at)
{
	struct block *b = worker->ring[at];
	struct run *run = b->run;
	struct cluster *cluster = b->cluster;
	/* What is left of a loop's chunk dies with the run. */
	uint64_t n_units = 1 + b->n_looped + (b->rest_hi - b->rest_lo), n_chunk = b->n_chunk;
	memmove(&worker->ring[at], &worker->ring[at + 1],
		(--worker->n_ring - at) * sizeof *worker->ring);
	if (b->n_live)
		dispatch_drop(b);
	if (__builtin_expect(run->watched, 0))
		scheduler_block_ends(b);
	for (uint32_t rank = 0; rank < cluster->n_blocks; rank++)
		if (cluster->blocks[rank] == b)
			cluster->blocks[rank] = NULL;
	b->run = NULL;
	keep_unused(worker, b);
	if (--cluster->n_live_blocks)
		return;
	free(cluster);
	if (!worker->n_chunks && run->n_units > 1 && (n_chunk || !run->loop))
		adapt(worker, run, run->loop ? n_chunk : 0);
	scheduler_finish(run, n_units);
}

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
		.kind = fault->kind, .error = fault->error, .address = fault->address,
		.pc = fault->pc, .site = fault->site, .message = text,
	};
	if (run->watched)
		observe_fault(&launch->seen, t ? &t->pub : NULL, &seen);
	else if (run->direct)
		observer_fault_of_direct(&launch->seen, t ? &t->pub : NULL, &seen);
	free(text);
	(void)worker;
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
	if (b->held_warps)
		block_unhold(b);
	struct thread *t = b->run->choosing ? chosen(b) : NULL;
	if (t)
		return t;
	if (!b->active_warps && !block_settleable(b))
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
		die_of_memory(b->run);
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
		.kind = CUDASIM_FAULT_DEADLOCK, .error = ERROR_LAUNCH_TIMEOUT,
		.what = "deadlock: threads wait for what can never happen",
	};
	char *table = stall_table(worker, run);
	if (run->watched)
		observe_stalled(&run->launch->seen, CUDASIM_STALL_DEADLOCK);
	report(worker, run, NULL, &fault, table);
	free(table);
}

static void die_of_time(struct worker *worker, struct run *run)
{
	struct fault fault = {
		.kind = CUDASIM_FAULT_TIMEOUT, .error = ERROR_LAUNCH_TIMEOUT,
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
			retire(worker, i);
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
		observe_stalled(&run->launch->seen, CUDASIM_STALL_HELD);
		return; /* it may have resumed somebody */
	}
	scheduler_wait(worker, epoch);
}

static void rest_a_little(struct worker *worker)
{
	if (++worker->fruitless < FRUITLESS_SPIN) {
		sched_yield();
		return;
	}
	struct timespec pause = {.tv_nsec = FRUITLESS_SLEEP_NS};
	nanosleep(&pause, NULL);
}

static void start_more(struct worker *worker, bool spins, uint64_t epoch)
{
	if (worker_start(worker, worker->n_ring, true)) {
		worker->fruitless = 0;
		return;
	}
	/* Spinning beside lanes that a tool keeps: it may be for them. */
	bool waits = spins && !(worker->fruitless >= SPINS_HELD && held_run(worker));
	if (waits || !worker->n_ring)
		rest_a_little(worker);
	else
		stall(worker, epoch);
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
		if (pass(worker, &spins)) {
			worker->fruitless = 0;
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
		if (worker_start(worker, AT_ONCE(worker), false))
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
	worker->chunk_start_ns = scheduler_now_ns();
	keep_chunk(worker, chunk);
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

void worker_run_alone(struct worker *worker, struct block *b)
{
	for (;;) {
		switch (block_turn(worker, b)) {
		case TURN_ENDED:
			if (b->n_live)
				dispatch_drop(b);
			return;
		case TURN_SPUN:
			rest_a_little(worker);
			break;
		default:
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
	keep_unused(worker, b);
}
