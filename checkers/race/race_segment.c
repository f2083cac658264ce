/* SPDX-License-Identifier: Apache-2.0 */
/* race_segment.c - names of pieces of runs, small enough for a cell.
 *
 * Segments, blocks, sites are numbered as they come, in tables of reserved
 * address space that memory follows as it is used. Pthreads take numbers of
 * segments in runs of CHUNK, a new run for each launch, so that no segment of a
 * launch has a lower number than the counter had when the launch began. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "address_space.h"
#include "race.h"

enum { CHUNK = 256, LEAST = 1 << 12, MAX_LAUNCHES = 1 << 26, MAX_MODULES = 4096 };
/* Numbers stay below this, so that a counter of 32 bits cannot wrap unseen. */
#define LIMIT 0xf0000000u

struct race_segment *race_segments;
static struct race_block_name *names;
static struct race_launch **launches;
static _Atomic uint32_t n_segments = 1, n_blocks = 1, n_launches = 1;

/* Where the blocks that a pthread has begun take their segments' numbers from, whatever
 * pthread their threads run on (CUDASIM_ENGINE=pthreads): they take turns. */
struct race_chunk {
	uint32_t next, end, launch;
};
CHECKER_TLS struct race_chunk own;

/* How many of what is numbered there is room for. */
static uint32_t max_segments, max_blocks, max_launches;

/* Room for `most` objects, for fewer where address space is limited. */
static void *reserve(uint64_t most, size_t size, uint32_t *n)
{
	uint64_t bytes;
	void *p = address_space_reserve(most * size, LEAST * size, 32, PROT_READ | PROT_WRITE,
					&bytes);
	must(p);
	*n = (uint32_t)(bytes / size);
	return p;
}

void race_segment_start(void)
{
	race_segments = reserve(LIMIT, sizeof *race_segments, &max_segments);
	names = reserve(LIMIT, sizeof *names, &max_blocks);
	launches = reserve(MAX_LAUNCHES, sizeof *launches, &max_launches);
}

static _Noreturn void too_many(uint32_t n, const char *what)
{
	fprintf(stderr,
		"cudasim: the race checker cannot number more than %u %s of one process; "
		"check fewer launches (--launch-skip, --launch-count, --kernel-name)\n",
		n, what);
	_Exit(1);
}

const struct race_block_name *race_block_name(uint32_t block)
{
	return &names[block];
}

struct race_launch *race_launch_at(uint32_t index)
{
	return launches[index];
}

void race_launch_add(struct race_launch *launch)
{
	launch->index = atomic_fetch_add(&n_launches, 1);
	if (launch->index >= max_launches)
		too_many(max_launches, "launches");
	launches[launch->index] = launch;
}

uint32_t race_block_new(const struct race_launch *launch, uint64_t index, struct race_chunk **chunk)
{
	uint32_t id = atomic_fetch_add_explicit(&n_blocks, 1, memory_order_relaxed);
	if (id >= max_blocks)
		too_many(max_blocks, "blocks");
	names[id] = (struct race_block_name){.index = index, .launch = launch->index};
	*chunk = &own;
	if (own.launch != launch->index)
		own = (struct race_chunk){.launch = launch->index};
	return id;
}

static void refill(struct race_chunk *c)
{
	c->next = atomic_fetch_add(&n_segments, CHUNK);
	c->end = c->next + CHUNK;
	if (c->end >= max_segments)
		too_many(max_segments, "pieces of runs");
}

uint32_t race_segment_now(struct race_block *block, uint32_t warp)
{
	struct race_warp *w = &block->warps[warp];
	if (w->segment)
		return w->segment;
	struct race_chunk *c = block->chunk;
	/* Blocks of two launches may take turns on one pthread. */
	if (c->launch != block->launch->index) {
		c->launch = block->launch->index;
		refill(c);
	}
	if (c->next == c->end)
		refill(c);
	race_segments[c->next] = (struct race_segment){
		.block = block->id,
		.epoch = block->epoch,
		.sequence = w->sequence,
		.warp = (uint16_t)warp,
	};
	return w->segment = c->next++;
}

uint32_t race_segment_next(void)
{
	return atomic_load(&n_segments);
}

_Atomic uint32_t race_segment_kept;

void race_segment_release(uint32_t below)
{
	enum { PIECE = (1 << 16) / sizeof *race_segments };
	static uint32_t from; /* what is below is given back */
	uint32_t to = below / PIECE * PIECE;
	if (below > atomic_load(&race_segment_kept))
		atomic_store(&race_segment_kept, below);
	if (to <= from)
		return;
	madvise(&race_segments[from], (to - from) * sizeof *race_segments, MADV_DONTNEED);
	from = to;
}

uint32_t race_segment_own_next(const struct race_block *block)
{
	struct race_chunk *c = block->chunk;
	if (c->next == c->end)
		refill(c);
	return c->next;
}

/* ---- sites ---------------------------------------------------------------- */

/* Modules by the addresses of their sites, each with the number of its first. Only
 * grows; readers need no lock. */
static struct {
	const struct cudasim_site *first;
	uint32_t n, base;
} modules[MAX_MODULES];
static _Atomic uint32_t n_modules;
static uint32_t n_sites = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

_Thread_local struct race_site_range race_site_last __attribute__((tls_model("initial-exec")));

static uint32_t find(const struct cudasim_site *site)
{
	uint32_t n = atomic_load_explicit(&n_modules, memory_order_acquire);
	for (uint32_t i = 0; i < n; i++)
		if ((uint64_t)((const char *)site - (const char *)modules[i].first) <
		    (uint64_t)modules[i].n * sizeof *site) {
			race_site_last = (struct race_site_range){
				modules[i].first,
				(uint64_t)modules[i].n * sizeof *site,
				modules[i].base,
			};
			return modules[i].base + (uint32_t)(site - modules[i].first);
		}
	return 0;
}

uint32_t race_site_find(const struct cudasim_site *site)
{
	uint32_t index = site ? find(site) : 0;
	if (index || !site)
		return index;
	const struct cudasim_module *module = cudasim_site_module(site);
	if (!module)
		return 0;
	pthread_mutex_lock(&lock);
	uint32_t n = atomic_load(&n_modules);
	if (!find(site) && n < MAX_MODULES && n_sites + module->n_sites < 1u << 22) {
		modules[n].first = module->sites;
		modules[n].n = (uint32_t)module->n_sites;
		modules[n].base = n_sites;
		n_sites += (uint32_t)module->n_sites;
		atomic_store_explicit(&n_modules, n + 1, memory_order_release);
	}
	pthread_mutex_unlock(&lock);
	return find(site);
}

const struct cudasim_site *race_site_at(uint32_t index)
{
	uint32_t n = atomic_load_explicit(&n_modules, memory_order_acquire);
	for (uint32_t i = 0; index && i < n; i++)
		if (index - modules[i].base < modules[i].n)
			return modules[i].first + (index - modules[i].base);
	return NULL;
}
