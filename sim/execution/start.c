/* SPDX-License-Identifier: Apache-2.0 */
/* start.c - see start.h. */
#define _GNU_SOURCE
#include "start.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "device.h"
#include "dispatch.h"
#include "now.h"
#include "run.h"
#include "worker.h"

enum {
	CHUNK_NS = 20000, /* how long a chunk of blocks should last */
	CHUNK_MOST = 256,
	CHUNK_MOST_LOOPS = 1 << 16,
};

/* ---- blocks -------------------------------------------------------------- */

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
	uint64_t yz = index / l->pub.grid[0];
	pub->ctaid[0] = (uint32_t)(index % l->pub.grid[0]);
	pub->ctaid[1] = (uint32_t)(yz % l->pub.grid[1]);
	pub->ctaid[2] = (uint32_t)(yz / l->pub.grid[1]);
	memcpy(pub->ntid, l->pub.block, sizeof pub->ntid);
	memcpy(pub->nctaid, l->pub.grid, sizeof pub->nctaid);
	for (int i = 0; i < 3; i++) {
		uint32_t n = l->pub.cluster[i] ? l->pub.cluster[i] : 1;
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
	b->want = run->want;
	b->n_turns = 0;
	pub->device = l->device->ordinal;
	pub->shared = b->window.base;
	pub->shared_bytes = run->shared_bytes;
	pub->dynamic_shared_offset = run->dynamic_offset;
	pub->dynamic_shared_bytes = l->pub.dynamic_shared_bytes;
	pub->smid = (uint32_t)(place % l->device->profile->n_sms);
	pub->gridid = l->pub.gridid;
	pub->launch = &run->launch->pub;
}

void start_keep_unused(struct worker *worker, struct block *b)
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
	if (block_prepare(b, run->launch->pub.block, run->shared_bytes, run->shared_align))
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
		c[i] = l->pub.cluster[i] ? l->pub.cluster[i] : 1;
	if (c[0] * c[1] * c[2] == 1)
		return unit;
	for (int i = 0; i < 3; i++)
		u[i] = l->pub.grid[i] / c[i];
	at[0] = unit % u[0] * c[0] + rank % c[0];
	at[1] = unit / u[0] % u[1] * c[1] + rank / c[0] % c[1];
	at[2] = unit / u[0] / u[1] * c[2] + rank / c[0] / c[1];
	return at[0] + l->pub.grid[0] * (at[1] + l->pub.grid[1] * at[2]);
}

void start_die_of_memory(struct run *run)
{
	if (scheduler_kill(run, ERROR_LAUNCH_OUT_OF_RESOURCES))
		fprintf(stderr, "cudasim: kernel %s: out of memory for its blocks in flight\n",
			run->launch->pub.kernel->display);
}

bool start_unit(struct worker *worker, struct run *run, uint64_t i)
{
	uint64_t unit = schedule_block(worker->schedule.order,
				       worker->schedule.seed ^ run->launch->pub.id, i, run->n_units,
				       run->window);
	uint32_t n = run->unit_blocks;
	struct cluster *cluster = calloc(1, sizeof *cluster);
	struct block *blocks[CLUSTER_MAX_BLOCKS];
	uint32_t made = 0;
	struct window *windows[CLUSTER_MAX_BLOCKS];
	for (; cluster && made < n && (blocks[made] = new_block(worker, run)); made++)
		windows[made] = &blocks[made]->window;
	if (!cluster || made < n || (n > 1 && !window_gather(windows, n, run->shared_align))) {
		while (made-- > 0) {
			start_keep_unused(worker, blocks[made]);
		}
		free(cluster);
		start_die_of_memory(run);
		return false;
	}
	cluster->n_blocks = cluster->n_live_blocks = n;
	for (uint32_t rank = 0; rank < n; rank++)
		start_block(worker, blocks[rank], run, cluster, rank,
			    block_index(run->launch, unit, rank), i * n + rank);
	return true;
}

/* ---- chunks -------------------------------------------------------------- */

static void drop_chunk(struct worker *worker, uint32_t at)
{
	memmove(&worker->chunks[at], &worker->chunks[at + 1],
		(--worker->n_chunks - at) * sizeof *worker->chunks);
}

/* Learn how many units make a chunk of the right length, from one of n units (0: of as many
 * as there should be). */
static void adapt(struct worker *worker, struct run *run, uint64_t n)
{
	uint64_t now = now_ns(), took = now - worker->chunk_start_ns;
	worker->chunk_start_ns = now;
	uint64_t chunk = run->chunk, most = run->loop ? CHUNK_MOST_LOOPS : CHUNK_MOST;
	if (took > CHUNK_NS * 2 && chunk > 1) {
		run->chunk = chunk / 2;
	} else if (took < CHUNK_NS / 2 && chunk < most && (!n || n >= chunk)) {
		uint64_t times = n && took < CHUNK_NS / 16 ? 8 : 2;
		run->chunk = chunk * times < most ? chunk * times : most;
	}
}

void start_keep_chunk(struct worker *worker, const struct chunk *chunk)
{
	if (worker->n_chunks == worker->chunks_capacity)
		worker->chunks = grown(worker->chunks, &worker->chunks_capacity,
				       sizeof *worker->chunks);
	worker->chunks[worker->n_chunks++] = *chunk;
}

bool start_from_chunk(struct worker *worker, uint32_t at)
{
	struct chunk *c = &worker->chunks[at];
	struct run *run = c->run;
	if (atomic_load_explicit(&run->dead, memory_order_relaxed)) {
		uint64_t n = c->hi - c->lo;
		drop_chunk(worker, at);
		scheduler_finish(run, n);
		return false;
	}
	uint64_t n = c->hi - c->lo, i = c->lo++, lo = c->lo, hi = c->lo;
	/* Observers are told of each block by itself. */
	bool whole = run->loop && !run->watched && run->unit_blocks == 1;
	if (whole)
		hi = c->hi;
	if (c->lo == c->hi || whole)
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
		start_keep_chunk(b->worker, &rest);
}

void worker_move_block(struct worker *worker, struct block *b, uint32_t n)
{
	const struct launch *l = b->run->launch;
	uint32_t n_sms = l->device->profile->n_sms;
	(void)worker;
	b->pub.ctaid[0] += n;
	if (b->pub.ctaid[0] == l->pub.grid[0]) {
		b->pub.ctaid[0] = 0;
		if (++b->pub.ctaid[1] == l->pub.grid[1]) {
			b->pub.ctaid[1] = 0;
			b->pub.ctaid[2]++;
		}
	}
	b->index += n;
	b->rounds = b->n_alone = b->asleep = b->paused = 0;
	b->turns = BLOCK_LEAST_TURNS;
	b->waited = false;
	block_reset_barriers(b);
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

uint32_t start_units(struct worker *worker, uint32_t n, bool spare)
{
	uint32_t started = 0;
	while (started < n) {
		struct chunk chunk;
		/* With blocks that only spin, other launches get their chance, too. */
		bool fresh = !worker->n_chunks || (spare && started % 2);
		if (fresh && scheduler_take(worker, spare, &chunk)) {
			if (!spare)
				worker->chunk_start_ns = now_ns();
			start_keep_chunk(worker, &chunk);
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
		start_keep_chunk(worker, &chunk);
		start_from_chunk(worker, worker->n_chunks - 1);
	}
	return worker->n_ring - before;
}

/* ---- ending blocks ------------------------------------------------------- */

void start_retire(struct worker *worker, uint32_t at)
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
	start_keep_unused(worker, b);
	if (--cluster->n_live_blocks)
		return;
	free(cluster);
	bool looped = run->loop && !run->watched;
	if (!worker->n_chunks && run->n_units > 1 && (n_chunk || !looped))
		adapt(worker, run, looped ? n_chunk : 0);
	scheduler_finish(run, n_units);
}
