/* SPDX-License-Identifier: Apache-2.0 */
/* racecheck.c - the race checker's table: from events to the parts (race.h). */
#include <stdlib.h>
#include <string.h>

#include "race.h"

static const struct cudasim_observer observer;

static uint32_t want(void *tool, const struct cudasim_launch *launch)
{
	(void)tool;
	if (!checker_launch(launch))
		return 0;
	return CUDASIM_WANT_BODY | CUDASIM_WANT_FENCE | CUDASIM_WANT_BLOCK | CUDASIM_WANT_BARRIER |
	       CUDASIM_WANT_WARP | CUDASIM_WANT_THREAD | CUDASIM_WANT_LANES;
}

static bool start(void)
{
	race_segment_start();
	race_sync_start();
	return true;
}

static void launch_submit(void *tool, struct cudasim_launch *launch)
{
	(void)tool;
	race_order_launch(launch);
}

static void launch_begin(void *tool, struct cudasim_launch *launch)
{
	(void)tool;
	struct race_launch *l = race_order_find(launch);
	if (l)
		race_order_begin(l);
}

static void launch_end(void *tool, struct cudasim_launch *launch)
{
	(void)tool;
	struct race_launch *l = race_order_find(launch);
	if (l)
		race_order_end(l);
}

/* ---- blocks --------------------------------------------------------------- */

/* The observer's slot in blocks, which stays the same once it was added. */
static _Atomic int slot_number = -1;

static inline struct race_block *block_of(struct cudasim_block *block)
{
	int i = atomic_load_explicit(&slot_number, memory_order_relaxed);
	return i < 0 ? NULL : block->tool[i];
}

static void block_begin(void *tool, struct cudasim_block *block)
{
	(void)tool;
	void **slot = cudasim_block_data(block, &observer);
	struct race_launch *launch = race_order_find(block->launch);
	if (!slot || !launch)
		return;
	atomic_store_explicit(&slot_number, (int)(slot - block->tool), memory_order_relaxed);
	struct race_block *b = must(calloc(1, sizeof *b));
	b->launch = launch;
	b->block = block;
	b->n_threads = cudasim_block_size(block);
	b->n_warps = (b->n_threads + 31) / 32;
	b->id = race_block_new(launch, cudasim_block_index(block), &b->chunk);
	b->first_segment = b->epoch_first = race_segment_own_next(b);
	b->n_shared = (block->shared_bytes + 3) / 4;
	b->shared = race_shadow_block(b->n_shared);
	for (uint32_t i = 0; i < b->n_warps; i++)
		b->warps[i].sequence = 1;
	*slot = b;
}

static void block_end(void *tool, struct cudasim_block *block)
{
	(void)tool;
	struct race_block *b = block_of(block);
	if (!b)
		return;
	race_settle_block(b);
	race_sync_block_end(b);
	race_shadow_block_end(b->shared, b->n_shared);
	free(b->pending);
	free(b->arrived);
	free(b);
	*cudasim_block_data(block, &observer) = NULL;
}

/* What the thread's last event left open. */
static void settle(struct race_block *b, struct cudasim_thread *thread)
{
	if (b->threads)
		race_sync_settle(b, thread);
	if (b->pending)
		race_settle_store(b, thread);
}

/* The thread's block, in which nothing of its last event is left open; NULL where the block is
 * not checked. */
static struct race_block *settled(struct cudasim_thread *thread)
{
	struct race_block *b = block_of(thread->block);
	if (b)
		settle(b, thread);
	return b;
}

/* ---- synchronisation ------------------------------------------------------ */

static enum cudasim_verdict barrier_arrive(void *tool, struct cudasim_thread *thread,
					   const struct cudasim_barrier *barrier)
{
	(void)tool;
	struct race_block *b = settled(thread);
	if (!b)
		return CUDASIM_GO;
	if (barrier->kind == CUDASIM_BARRIER_BLOCK &&
	    (barrier->n_expected < b->n_threads || barrier->arrive_only || barrier->id ||
	     b->arrived))
		race_sync_arrive(b, thread, barrier->id & 15, !barrier->arrive_only);
	return race_verdict();
}

static void cluster_open(struct race_block *by)
{
	struct cudasim_block *all[1024];
	struct race_block *blocks[64];
	uint32_t n = 0;
	const uint32_t *size = by->block->cluster_nctaid;
	size_t n_all = cudasim_blocks(by->block->launch, all, 1024);
	for (size_t i = 0; i < n_all && i < 1024 && n < 64; i++) {
		bool same = true;
		for (int k = 0; k < 3; k++)
			same = same && all[i]->ctaid[k] / size[k] == by->block->ctaid[k] / size[k];
		struct race_block *b = same ? block_of(all[i]) : NULL;
		if (b)
			blocks[n++] = b;
	}
	race_sync_cluster(blocks, n);
}

static bool some_only_arrived(const struct race_block *b, uint32_t id)
{
	for (uint32_t i = 0; b->arrived && i < b->n_threads; i++)
		if (b->arrived[id][i] && !(b->arrived[id][i] & 1))
			return true;
	return false;
}

static void barrier_open(void *tool, struct cudasim_block *block,
			 const struct cudasim_barrier *barrier)
{
	(void)tool;
	struct race_block *b = block_of(block);
	if (!b)
		return;
	if (barrier->kind == CUDASIM_BARRIER_CLUSTER)
		cluster_open(b);
	else if (barrier->n_expected >= b->n_threads && !some_only_arrived(b, barrier->id & 15)) {
		race_sync_barrier(b);
		if (b->arrived)
			memset(b->arrived[barrier->id & 15], 0, sizeof b->arrived[0]);
	} else if (b->arrived)
		race_sync_named(b, barrier->id & 15);
}

static enum cudasim_verdict warp_arrive(void *tool, struct cudasim_thread *thread,
					const struct cudasim_warp_op *op)
{
	(void)tool;
	(void)op;
	settled(thread);
	return race_verdict();
}

/* Of the warp-wide operations only __syncwarp() orders memory. */
static void warp_meet(void *tool, struct cudasim_block *block, uint32_t warp,
		      const struct cudasim_warp_op *op)
{
	(void)tool;
	struct race_block *b = block_of(block);
	if (b && op->kind == CUDASIM_WARP_SYNC)
		race_sync_warp(b, warp, op->mask);
}

static enum cudasim_verdict fence(void *tool, struct cudasim_thread *thread,
				  const struct cudasim_fence *what)
{
	(void)tool;
	struct race_block *b = settled(thread);
	if (!b)
		return CUDASIM_GO;
	if (what->scope == CUDASIM_SCOPE_SYSTEM)
		atomic_store_explicit(&b->launch->talks, true, memory_order_relaxed);
	race_sync_fence(b, thread, what);
	return race_verdict();
}

static enum cudasim_verdict thread_end(void *tool, struct cudasim_thread *thread)
{
	(void)tool;
	settled(thread);
	return race_verdict();
}

/* ---- accesses ------------------------------------------------------------- */

static enum race_scope scope_of(const struct cudasim_access *access)
{
	switch (access->scope) {
	case CUDASIM_SCOPE_DEVICE:
	case CUDASIM_SCOPE_SYSTEM:
		return RACE_DEVICE;
	case CUDASIM_SCOPE_CLUSTER:
		return RACE_CLUSTER;
	default:
		return RACE_BLOCK;
	}
}

struct race_block *race_block_of(struct cudasim_block *block)
{
	return block_of(block);
}

/* What is not quick. */
static __attribute__((noinline)) enum cudasim_verdict
access_slowly(struct race_block *b, struct cudasim_thread *thread,
	      const struct cudasim_access *access)
{
	settle(b, thread);

	bool writes = access->what & CUDASIM_ACCESS_STORE;
	bool reads = access->what & CUDASIM_ACCESS_LOAD;
	bool atomic = access->what & CUDASIM_ACCESS_ATOMIC;
	bool is_volatile = access->what & CUDASIM_ACCESS_VOLATILE;
	bool spins = is_volatile && !writes && access->what & CUDASIM_ACCESS_SPIN;
	struct race_me me = {
		.block = b,
		.warp = &b->warps[thread->warp],
		.thread = thread,
		.access = access,
		.record =
			{
				.segment = race_segment_now(b, thread->warp),
				.lane = thread->lane & 31,
				.scope = atomic  ? scope_of(access)
					 : spins ? RACE_DEVICE
						 : RACE_PLAIN,
				.write = writes,
				.is_volatile = is_volatile,
				.site = race_site(access->site),
			},
	};
	if (!atomic && b->threads && b->threads[thread->linear].n_taken)
		race_sync_plain(&me);
	if (writes && !atomic && access->space == CUDASIM_SPACE_GLOBAL)
		b->dirty[thread->linear] = 1;
	if (b->n_held && b->threads[thread->linear].n_held)
		race_lock_touch(&me, reads, writes);
	race_shadow_access(&me);
	if ((is_volatile || access->scope == CUDASIM_SCOPE_SYSTEM) &&
	    access->space == CUDASIM_SPACE_GLOBAL)
		atomic_store_explicit(&b->launch->talks, true, memory_order_relaxed);
	if (atomic || is_volatile)
		race_sync_strong(&me, reads, writes);
	if (access->space == CUDASIM_SPACE_GLOBAL && race_copy_beside(b->launch))
		race_copy_access(&me);
	return race_verdict();
}

enum cudasim_verdict race_access(struct race_block *b, struct cudasim_thread *thread,
				 const struct cudasim_access *access, struct shadow_page *page)
{
	if (__builtin_expect(race_shadow_quick(b, thread, access, page), 1))
		return CUDASIM_GO;
	return access_slowly(b, thread, access);
}

void race_lane_stored(struct race_block *b, struct cudasim_thread *thread)
{
	if (b->pending)
		race_settle_store(b, thread);
}

/* ---- the host ------------------------------------------------------------- */

static void allocated(void *tool, const struct cudasim_memory *memory)
{
	(void)tool;
	if (memory->kind != CUDASIM_MEMORY_VARIABLE)
		race_shadow_forget(memory->address, memory->size);
	race_copy_allocated(memory);
}

/* Nothing runs that could still look at it. */
static void freed(void *tool, const struct cudasim_memory *memory)
{
	(void)tool;
	if (memory->free_id)
		race_copy_freed(memory);
	if (memory->kind != CUDASIM_MEMORY_VARIABLE && memory->kind != CUDASIM_MEMORY_HEAP &&
	    checker_idle())
		race_shadow_forget(memory->address, memory->size);
}

static void copy(void *tool, const struct cudasim_copy *what)
{
	(void)tool;
	race_copy_made(what);
}

static void order(void *tool, const struct cudasim_order_event *event)
{
	(void)tool;
	race_order_event(event);
}

static const struct cudasim_observer observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "racecheck",
	.want = want,
	.launch_submit = launch_submit,
	.launch_begin = launch_begin,
	.launch_end = launch_end,
	.block_begin = block_begin,
	.block_end = block_end,
	.thread_end = thread_end,
	.barrier_arrive = barrier_arrive,
	.barrier_open = barrier_open,
	.warp_arrive = warp_arrive,
	.warp_meet = warp_meet,
	.fence = fence,
	.allocated = allocated,
	.freed = freed,
	.copy = copy,
	.order = order,
};

const struct checker racecheck = {
	.tool = CHECKER_RACECHECK,
	.name = "racecheck",
	.observer = &observer,
	.start = start,
};
