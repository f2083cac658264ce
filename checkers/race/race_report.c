/* SPDX-License-Identifier: Apache-2.0 */
/* race_report.c - from two conflicting accesses to a finding.
 *
 * A racy loop conflicts in millions of places. Each pair of sites of a launch is
 * reported at most REPEATS times, and again whenever threads with lower indices show
 * it, so that the example that is printed does not depend on who came first.
 *
 * Two plain stores of one value are a race that no result depends on, and a warning.
 * Events come before the store happens, so the bytes are looked at again in the
 * thread's next event. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "finding.h"
#include "race.h"
#include "variable.h"

enum { REPEATS = 32, MAX_PAIRS = 1 << 14, VALUE = 16 };

struct race_pending {
	bool open;
	bool happened; /* race_sync_happened() */
	struct race_record me, earlier;
	uint64_t race_address;
	const void *address;
	uint8_t size, before[VALUE];
	uint64_t access_size;
	uint32_t what;
};

/* ---- how often ------------------------------------------------------------ */

struct pair {
	uint64_t key;  /* launch, sites, kinds; 0: free */
	uint64_t least; /* block and thread of the example */
	uint32_t n;
};

static struct pair pairs[MAX_PAIRS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CHECKER_TLS enum cudasim_verdict verdict;
_Atomic bool race_any;

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
	return x ^ x >> 29;
}

/* Whether one more report of this pair is worth it: `most` are, and those of lower threads. */
static bool again(uint64_t key, uint64_t who, uint32_t most)
{
	bool yes = true;
	key |= 1;
	pthread_mutex_lock(&lock);
	for (uint32_t i = (uint32_t)mix(key), n = 0; n < 64; i++, n++) {
		struct pair *p = &pairs[i & (MAX_PAIRS - 1)];
		if (p->key && p->key != key)
			continue;
		if (!p->key)
			*p = (struct pair){.key = key, .least = who};
		yes = ++p->n <= most || (most > 1 && who < p->least);
		if (who < p->least)
			p->least = who;
		break;
	}
	pthread_mutex_unlock(&lock);
	return yes;
}

/* ---- sides ---------------------------------------------------------------- */

static void side_of(struct finding_side *ret, struct race_record record)
{
	const struct race_segment *s = race_segment(record.segment);
	const struct race_block_name *name = race_block_name(s->block);
	const struct race_launch *launch = race_launch_at(name->launch);
	uint32_t linear = s->warp * 32u + record.lane;
	*ret = (struct finding_side){
		.launch_id = launch->id,
		.kernel = launch->kernel,
		.site = race_site_at(record.site),
		.what = (record.write ? CUDASIM_ACCESS_STORE : CUDASIM_ACCESS_LOAD) |
			(record.scope && !record.is_volatile ? CUDASIM_ACCESS_ATOMIC : 0u) |
			(record.is_volatile ? CUDASIM_ACCESS_VOLATILE : 0u),
	};
	uint64_t index = name->index;
	for (int i = 0; i < 3; i++) {
		ret->block[i] = (uint32_t)(index % launch->grid[i]);
		index /= launch->grid[i];
		ret->thread[i] = (uint32_t)(linear % launch->ntid[i]);
		linear /= (uint32_t)launch->ntid[i];
	}
}

static const char *verb(const struct finding_side *side)
{
	bool atomic = side->what & CUDASIM_ACCESS_ATOMIC;
	if (side->what & CUDASIM_ACCESS_STORE)
		return atomic ? "atomic write" : "write";
	return atomic ? "atomic read" : "read";
}

static const char *kind(const struct finding_side *a, const struct finding_side *b)
{
	if (!a->what || !b->what)
		return "race-free";
	bool first = a->what & CUDASIM_ACCESS_STORE, second = b->what & CUDASIM_ACCESS_STORE;
	if ((a->what | b->what) & CUDASIM_ACCESS_ATOMIC)
		return (a->what & b->what) & CUDASIM_ACCESS_ATOMIC ? "race-scope" : "race-atomic";
	return first && second ? "race-write-write" : "race-read-write";
}

static uint64_t order_of(const struct finding_side *s)
{
	return s->block[0] + 4096u * (uint64_t)(s->block[1] + 64u * s->block[2]) +
	       ((uint64_t)(s->thread[0] + 1024u * (s->thread[1] + 64u * s->thread[2])) << 40);
}

/* The side that stands first in the source comes first in the report, whoever was first. */
static void sort(struct finding *f)
{
	const struct cudasim_site *a = f->side.site, *b = f->other.site;
	bool swap = f->two && !f->side.host && !f->other.host &&
		    (a && b && a != b ? a > b : order_of(&f->side) > order_of(&f->other));
	if (swap) {
		struct finding_side s = f->side;
		f->side = f->other;
		f->other = s;
		/* The device backtrace would be of the wrong side. */
		if (f->thread)
			f->stands = f->thread;
		f->thread = NULL;
	}
}

/* ---- words ---------------------------------------------------------------- */

static uint32_t thread_warp(const struct cudasim_launch *launch, const uint32_t thread[3])
{
	const uint32_t *n = launch->block;
	return (thread[0] + n[0] * (thread[1] + n[1] * thread[2])) / 32;
}

static bool same(const uint32_t a[3], const uint32_t b[3])
{
	return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* What would have ordered the two threads: the further they are apart, the more it takes. */
static void set_remedy(struct finding *f)
{
	const struct finding_side *a = &f->side, *b = &f->other;
	bool one_line = a->site && b->site && a->site->line == b->site->line &&
			!strcmp(a->site->file, b->site->file);
	bool stores = a->what & b->what & CUDASIM_ACCESS_STORE;
	enum { LANES = 1, WARPS, BLOCKS, LAUNCHES };
	f->reach = a->host || b->host || a->launch_id != b->launch_id ? LAUNCHES
		   : !same(a->block, b->block)                        ? BLOCKS
		   : f->launch && thread_warp(f->launch, a->thread) ==
					   thread_warp(f->launch, b->thread)
			   ? LANES
			   : WARPS;
	if (f->reach == LAUNCHES)
		f->remedy =
			"Nothing orders the two: one stream would, or an event that one of them "
			"waits for";
	else if (one_line && stores)
		f->remedy =
			"Several threads write there: let one do it, or use an atomic operation";
	else if (f->reach == BLOCKS)
		f->remedy =
			one_line ? "Threads of several blocks do this there: use an atomic "
				   "operation, or a launch for each step"
				 : "Blocks run in any order: only another launch, or atomics with "
				   "fences, would order these";
	else if (one_line)
		f->remedy = "A barrier between the read and the write would order them, or an "
			    "atomic operation instead of both";
	else if (f->reach == WARPS)
		f->remedy =
			"A __syncthreads() between the two would order them, in a loop also from "
			"one round to the next";
	else
		f->remedy = "Threads of a warp do not run in step: a __syncwarp() between the two "
			    "would order them";
}

/* block: whose shared memory it is, where it is that. */
static void name_variable(struct finding *f, const struct cudasim_block *block, bool shared)
{
	struct variable v;
	uint64_t address = (uint64_t)(uintptr_t)f->address;
	uint64_t at = shared ? address - (uint64_t)(uintptr_t)block->shared : address;
	if (shared ? variable_shared(block, at, &v) && at - v.begin < v.size
		   : variable_global(f->address, &v)) {
		size_t n = strlen(f->detail);
		snprintf(f->detail + n, sizeof f->detail - n,
			 "%sIn %s, %" PRIu64 " bytes from its start", n ? "\n" : "", v.words,
			 at - v.begin);
	}
}

/* block: as for name_variable(); may be NULL where it is not shared memory. */
static void tell(struct finding *f, const struct cudasim_block *block, bool shared)
{
	sort(f);
	f->tool = CHECKER_RACECHECK;
	f->kind = kind(&f->side, &f->other);
	snprintf(f->title, sizeof f->title, "Race between %s and %s access to %s memory",
		 verb(&f->side), verb(&f->other), shared ? "__shared__" : "__global__");
	if (f->severity == FINDING_ERROR && !*f->detail)
		set_remedy(f);
	if (!f->other.what)
		snprintf(f->title, sizeof f->title,
			 "Race between %s access to __global__ memory and "
			 "its free",
			 verb(&f->side));
	uint64_t key = f->side.launch_id << 44 ^ (uint64_t)(uintptr_t)f->side.site << 20 ^
		       mix((uint64_t)(uintptr_t)f->other.site) ^ f->severity << 3 ^ f->reach << 5 ^
		       (uint64_t)(uintptr_t)f->kind;
	bool each = checker_options.race_report != RACE_REPORT_ANALYSIS;
	if (each) { /* no two are alike then */
		size_t n = strlen(f->title);
		snprintf(
			f->title + n, sizeof f->title - n,
			" at %p: block (%u,%u,%u) thread (%u,%u,%u) and block (%u,%u,%u) thread (%u,%u,%u)",
			f->address, f->side.block[0], f->side.block[1], f->side.block[2],
			f->side.thread[0], f->side.thread[1], f->side.thread[2], f->other.block[0],
			f->other.block[1], f->other.block[2], f->other.thread[0],
			f->other.thread[1], f->other.thread[2]);
	}
	/* What a launch that is over is told of comes at once, and is printed at once. */
	if (each || again(key, order_of(&f->side), f->launch ? REPEATS : 1)) {
		name_variable(f, block, shared);
		enum cudasim_verdict v = finding_report(f);
		atomic_store_explicit(&race_any, true, memory_order_relaxed);
		if (v > verdict)
			verdict = v;
	}
}

#define ACCIDENT "They are ordered only by the accident of which thread took the lock first"

/* Why a race is one though the sides came one after the other, or are atomic. */
static void explain(struct finding *f, const struct race_me *me, struct race_record earlier)
{
	if (race_sync_happened(me, earlier.segment, earlier.lane))
		snprintf(f->detail, sizeof f->detail, ACCIDENT);
	else if (me->record.scope && earlier.scope)
		snprintf(f->detail, sizeof f->detail,
			 "Both are atomic, but not for each other: the narrower scope is %s",
			 (me->record.scope < earlier.scope ? me->record.scope : earlier.scope) ==
					 RACE_BLOCK
				 ? "the block"
				 : "the cluster");
}

/* What is known of a race before its other side. */
static struct finding finding_of(const struct race_me *me, const void *address)
{
	struct finding f = {
		.severity = FINDING_ERROR,
		.launch = me->thread->block->launch,
		.thread = me->thread,
		.two = true,
		.address = address,
	};
	side_of(&f.side, me->record);
	f.side.size = me->access->size;
	return f;
}

static void report(const struct race_me *me, struct race_record earlier, uint64_t address)
{
	struct finding f = finding_of(me, (const void *)(uintptr_t)address);
	side_of(&f.other, earlier);
	explain(&f, me, earlier);
	tell(&f, me->thread->block, me->access->space == CUDASIM_SPACE_SHARED);
}

void race_found(const struct race_me *me, struct race_record earlier, uint64_t address)
{
	struct race_block *b = me->block;
	bool stores = me->record.write && earlier.write && !me->record.scope && !earlier.scope;
	if (!stores || me->access->size > VALUE) {
		report(me, earlier, address);
		return;
	}
	if (!b->pending)
		b->pending = must(calloc(b->n_threads, sizeof *b->pending));
	struct race_pending *p = &b->pending[me->thread->linear];
	if (p->open)
		return; /* another word of the same store */
	*p = (struct race_pending){
		.open = true,
		.happened = race_sync_happened(me, earlier.segment, earlier.lane),
		.me = me->record,
		.earlier = earlier,
		.race_address = address,
		.address = me->access->address,
		.size = (uint8_t)me->access->size,
		.access_size = me->access->size,
		.what = (uint32_t)me->access->space,
	};
	p->size = (uint8_t)cudasim_memory_read(p->address, p->before, p->size);
}

static void settle_one(struct race_block *b, struct race_pending *p, struct cudasim_thread *thread)
{
	uint8_t now[VALUE];
	size_t n = cudasim_memory_read(p->address, now, p->size);
	p->open = false;
	struct finding f = {
		.severity = n && n == p->size && !memcmp(now, p->before, n) ? FINDING_WARNING
									    : FINDING_ERROR,
		.launch = b->block->launch,
		.two = true,
		.stands = thread,
		.address = (const void *)(uintptr_t)p->race_address,
	};
	side_of(&f.side, p->me);
	f.side.size = p->access_size;
	side_of(&f.other, p->earlier);
	if (f.severity == FINDING_WARNING)
		snprintf(f.detail, sizeof f.detail, "Both write the same value (benign)");
	else if (p->happened)
		snprintf(f.detail, sizeof f.detail, ACCIDENT);
	tell(&f, b->block, p->what == CUDASIM_SPACE_SHARED);
}

void race_settle_store(struct race_block *b, struct cudasim_thread *thread)
{
	if (b->pending[thread->linear].open)
		settle_one(b, &b->pending[thread->linear], thread);
}

void race_settle_block(struct race_block *b)
{
	for (uint32_t i = 0; b->pending && i < b->n_threads; i++)
		if (b->pending[i].open)
			settle_one(b, &b->pending[i], NULL);
}

/* ---- copies --------------------------------------------------------------- */

static void copy_side(struct finding_side *side, const char *function, enum race_copy_does does)
{
	*side = (struct finding_side){
		.host = true,
		.function = function,
		.what = does == RACE_COPY_FREES    ? 0
			: does == RACE_COPY_WRITES ? CUDASIM_ACCESS_STORE
						   : CUDASIM_ACCESS_LOAD,
	};
}

void race_found_copy(const struct race_me *me, const char *function, enum race_copy_does does)
{
	struct finding f = finding_of(me, me->access->address);
	copy_side(&f.other, function, does);
	tell(&f, me->thread->block, me->access->space == CUDASIM_SPACE_SHARED);
}

void race_found_by_copy(const char *function, enum race_copy_does does, struct race_record earlier,
			uint64_t address)
{
	const struct race_block_name *name = race_block_name(race_segment(earlier.segment)->block);
	struct finding f = {
		.severity = FINDING_ERROR,
		.two = true,
		.address = (const void *)(uintptr_t)address,
		.launch = race_launch_at(name->launch)->launch,
	};
	side_of(&f.side, earlier);
	copy_side(&f.other, function, does);
	tell(&f, NULL, false);
}

void race_found_by_host(bool host_writes, const uint64_t *frames, struct race_record earlier,
			uint64_t address)
{
	struct finding f = {
		.tool = CHECKER_RACECHECK,
		.severity = FINDING_ERROR,
		.kind = "race-host",
		.two = true,
		.address = (const void *)(uintptr_t)address,
		.host_frames = frames,
	};
	copy_side(&f.side, NULL, host_writes ? RACE_COPY_WRITES : RACE_COPY_READS);
	side_of(&f.other, earlier);
	snprintf(f.title, sizeof f.title,
		 "Race: the host %s memory that a kernel %s, without having waited for it",
		 host_writes ? "writes" : "reads", earlier.write ? "writes" : "reads");
	finding_report(&f);
}

enum cudasim_verdict race_verdict_found(void)
{
	enum cudasim_verdict v = verdict;
	verdict = CUDASIM_GO;
	return v;
}
