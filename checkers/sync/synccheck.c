/* SPDX-License-Identifier: Apache-2.0 */
/* synccheck.c - barriers and warp-wide operations used against their rules.
 *
 * The rules (CUDA C++ Programming Guide, "Synchronization Functions", "Warp Vote",
 * "Warp Shuffle"): all threads of a block come to the same __syncthreads(); all threads
 * that a mask names, and the caller among them, come to the same operation with the same
 * mask. A GPU forgives much of this, and hangs at the rest: a hang's report says who
 * waits for whom. */
#include <stdarg.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "finding.h"
#include "mbarrier.h"
#include "must.h"

enum { N_BARRIERS = 16 };

/* Block data. All events of a block come from one pthread. */
struct sync_block {
	struct {
		const struct cudasim_site *site; /* where the first one of this round came */
		uint32_t n;                      /* arrivals of this round */
		uint32_t warps;                  /* that they came from, as a mask */
		uint32_t expected;               /* threads, as the first one has it */
		bool told;
	} barrier[N_BARRIERS];
	struct mbarriers *mbarriers;
};

static const struct cudasim_observer observer;

static uint32_t want(void *tool, const struct cudasim_launch *launch)
{
	(void)tool;
	/* Watched bodies: sites are the source's own, and nobody waits in loops. */
	return checker_launch(launch)
		       ? CUDASIM_WANT_BLOCK | CUDASIM_WANT_BARRIER | CUDASIM_WANT_WARP |
				 CUDASIM_WANT_BODY | CUDASIM_WANT_MBARRIER | CUDASIM_WANT_LANES
		       : 0;
}

/* The observer's slot in blocks, which stays the same once it was added. */
static _Atomic int slot_number = -1;

static void block_begin(void *tool, struct cudasim_block *block)
{
	(void)tool;
	void **slot = cudasim_block_data(block, &observer);
	if (!slot)
		return;
	*slot = must(calloc(1, sizeof(struct sync_block)));
	atomic_store_explicit(&slot_number, (int)(slot - block->tool), memory_order_relaxed);
}

static void block_end(void *tool, struct cudasim_block *block)
{
	(void)tool;
	void **slot = cudasim_block_data(block, &observer);
	if (slot && *slot) {
		mbarriers_free(((struct sync_block *)*slot)->mbarriers);
		free(*slot);
		*slot = NULL;
	}
}

static struct sync_block *block_of(struct cudasim_block *block)
{
	int i = atomic_load_explicit(&slot_number, memory_order_relaxed);
	return i < 0 ? NULL : block->tool[i];
}

static __attribute__((format(printf, 3, 4))) void detail(struct finding *f, size_t *n,
							 const char *format, ...)
{
	va_list args;
	if (*n >= sizeof f->detail - 1)
		return;
	va_start(args, format);
	int k = vsnprintf(f->detail + *n, sizeof f->detail - *n, format, args);
	va_end(args);
	*n += k > 0 ? (size_t)k : 0;
	if (*n >= sizeof f->detail)
		*n = sizeof f->detail - 1;
}

static enum cudasim_verdict report(struct finding *f, struct cudasim_thread *thread,
				   const struct cudasim_site *site)
{
	f->tool = CHECKER_SYNCCHECK;
	f->launch = thread->block->launch;
	f->thread = thread;
	finding_side_of(&f->side, thread);
	f->side.site = site;
	return finding_report(f);
}

/* ---- barriers of a block --------------------------------------------------- */

static bool same_place(const struct cudasim_site *a, const struct cudasim_site *b)
{
	return a == b || (a && b && a->line == b->line && a->column == b->column &&
			  !strcmp(a->file, b->file));
}

/* PTX ISA, bar: all threads of a barrier's round name the same number. */
static enum cudasim_verdict wrong_count(struct cudasim_thread *thread,
					const struct cudasim_barrier *barrier, struct sync_block *b)
{
	struct finding f = {.severity = FINDING_ERROR, .kind = "barrier-misuse"};
	uint32_t id = barrier->id & (N_BARRIERS - 1);
	const struct cudasim_site *first = b->barrier[id].site;
	size_t n = 0;
	b->barrier[id].told = true;
	snprintf(f.title, sizeof f.title,
		 "Barrier error: different numbers of threads for one barrier");
	detail(&f, &n, "Barrier %u is for %u threads here", id, barrier->n_expected);
	if (first)
		detail(&f, &n, ", for %u at %s:%u", b->barrier[id].expected, first->file,
		       first->line);
	return report(&f, thread, barrier->site);
}

static enum cudasim_verdict barrier_arrive(void *tool, struct cudasim_thread *thread,
					   const struct cudasim_barrier *barrier)
{
	(void)tool;
	struct sync_block *b = block_of(thread->block);
	uint32_t id = barrier->id & (N_BARRIERS - 1);
	if (!b || barrier->kind != CUDASIM_BARRIER_BLOCK)
		return CUDASIM_GO;
	b->barrier[id].warps |= 1u << (thread->warp & 31);
	mbarriers_arrive(b->mbarriers, thread, id, !barrier->arrive_only);
	if (!b->barrier[id].n++) {
		b->barrier[id].site = barrier->site;
		b->barrier[id].expected = barrier->n_expected;
		return CUDASIM_GO;
	}
	if (id && barrier->n_expected != b->barrier[id].expected && !b->barrier[id].told)
		return wrong_count(thread, barrier, b);
	/* Producers arrive at a numbered barrier at one place and consumers wait at
	 * another: only __syncthreads() has to be one for all. */
	if (id || b->barrier[id].told || same_place(b->barrier[id].site, barrier->site) ||
	    !barrier->site || !b->barrier[id].site)
		return CUDASIM_GO;
	b->barrier[id].told = true;
	struct finding f = {.severity = FINDING_ERROR, .kind = "divergent-barrier"};
	size_t n = 0;
	snprintf(f.title, sizeof f.title,
		 "Barrier error: threads of a block at different barriers");
	detail(&f, &n, "Others wait at %s:%u", b->barrier[id].site->file,
	       b->barrier[id].site->line);
	return report(&f, thread, barrier->site);
}

static void barrier_open(void *tool, struct cudasim_block *block,
			 const struct cudasim_barrier *barrier)
{
	(void)tool;
	struct sync_block *b = block_of(block);
	uint32_t id = barrier->id & (N_BARRIERS - 1);
	if (!b || barrier->kind != CUDASIM_BARRIER_BLOCK)
		return;
	uint32_t arrived = b->barrier[id].n, warps = b->barrier[id].warps;
	const struct cudasim_site *site = b->barrier[id].site;
	mbarriers_open(b->mbarriers, id);
	memset(&b->barrier[id], 0, sizeof b->barrier[id]);
	if (id || arrived >= barrier->n_expected || !arrived)
		return;

	/* The rest has left the kernel: counted as arrived by the hardware, but not by CUDA's
	 * rules. Where that splits a warp it is worse: a GPU before compute capability 7.0
	 * hangs or goes on too early. */
	uint32_t n_threads = cudasim_block_size(block), lanes = 0;
	for (uint32_t w = 0; w * 32 < n_threads; w++)
		if (warps >> w & 1)
			lanes += n_threads - w * 32 < 32 ? n_threads - w * 32 : 32;
	struct finding f = {
		.tool = CHECKER_SYNCCHECK,
		.launch = block->launch,
		.severity = lanes > arrived ? FINDING_ERROR : FINDING_WARNING,
		.kind = lanes > arrived ? "divergent-warp" : "divergent-block",
	};
	size_t n = 0;
	snprintf(f.title, sizeof f.title, "Barrier error: divergent threads in %s",
		 lanes > arrived ? "a warp" : "a block");
	detail(&f, &n, "%u of %u threads had left the kernel when the others met",
	       barrier->n_expected - arrived, barrier->n_expected);
	f.side = (struct finding_side){
		.launch_id = block->launch->id,
		.kernel = block->launch->kernel,
		.site = site,
	};
	memcpy(f.side.block, block->ctaid, sizeof f.side.block);
	finding_report(&f);
}

/* ---- mbarriers -------------------------------------------------------------- */

static enum cudasim_verdict mbarrier(void *tool, struct cudasim_thread *thread,
				     const struct cudasim_mbarrier *event)
{
	(void)tool;
	struct sync_block *b = block_of(thread->block);
	enum mbarrier_fault fault = b ? mbarriers_event(&b->mbarriers, thread, event)
				      : MBARRIER_RIGHT;
	if (fault == MBARRIER_RIGHT)
		return CUDASIM_GO;
	struct finding f = {
		.severity = FINDING_ERROR,
		.kind = "barrier-misuse",
		.address = event->address,
	};
	size_t n = 0;
	snprintf(f.title, sizeof f.title, "Barrier error: %s",
		 fault == MBARRIER_NONE ? "an mbarrier that was not initialized"
					: "more arrivals at an mbarrier than it expects");
	if (fault == MBARRIER_NONE)
		detail(&f, &n, "Nobody has initialized it, or it has been invalidated since");
	else
		detail(&f, &n,
		       "It expects %u for each phase; this one counts for the next phase, but "
		       "its thread has not waited for the end of the previous phase",
		       event->expected);
	return report(&f, thread, event->site);
}

/* ---- masks ------------------------------------------------------------------- */

/* A GPU goes on where all lanes come with one mask, whatever that names, and so do we; CUDA
 * leaves it undefined. */
static enum cudasim_verdict warp_arrive(void *tool, struct cudasim_thread *thread,
					const struct cudasim_warp_op *op)
{
	(void)tool;
	if (op->mask >> thread->lane & 1 || op->kind == CUDASIM_WARP_ACTIVEMASK ||
	    op->kind == CUDASIM_WARP_CONVERGE)
		return CUDASIM_GO;
	struct finding f = {.severity = FINDING_ERROR, .kind = "invalid-mask"};
	size_t n = 0;
	snprintf(f.title, sizeof f.title, "Barrier error: invalid mask of a warp-wide operation");
	detail(&f, &n,
	       "lane %u calls a warp operation with the mask 0x%08x, which lacks the lane "
	       "itself",
	       thread->lane, op->mask);
	return report(&f, thread, op->site);
}

/* ---- shuffles --------------------------------------------------------------- */

static const struct {
	const char *name;
	/* Code that only some lanes' results count in asks all lanes all the same: a tree
	 * of __shfl_down_sync() ends with lane 0. Nobody asks for one lane's value, or for a
	 * partner's, without counting on it. */
	bool edges;
} shuffles[] = {
	[CUDASIM_SHFL_IDX] = {"__shfl_sync", false},
	[CUDASIM_SHFL_UP] = {"__shfl_up_sync", true},
	[CUDASIM_SHFL_DOWN] = {"__shfl_down_sync", true},
	[CUDASIM_SHFL_BFLY] = {"__shfl_xor_sync", false},
};

/* What a lane reads that no lane has brought is undefined (PTX ISA, shfl.sync). Whether
 * the program uses it is not known here: an error is only where nobody got a value. */
static void warp_meet(void *tool, struct cudasim_block *block, uint32_t warp,
		      const struct cudasim_warp_op *op)
{
	(void)tool;
	struct sync_block *b = block_of(block);
	if (b && op->kind != CUDASIM_WARP_ACTIVEMASK && op->kind != CUDASIM_WARP_CONVERGE)
		mbarriers_meet(b->mbarriers, warp, op->mask);
	if (!op->absent || op->sub >= sizeof shuffles / sizeof *shuffles)
		return;
	bool all = op->absent == op->mask;
	struct finding f = {
		.tool = CHECKER_SYNCCHECK,
		.launch = block->launch,
		.kind = "inactive-lane",
		.severity = !all                      ? FINDING_INFO
			    : shuffles[op->sub].edges ? FINDING_WARNING
						      : FINDING_ERROR,
	};
	uint32_t lane = (uint32_t)__builtin_ctz(op->absent), linear = warp * 32 + lane;
	size_t n = 0;
	snprintf(f.title, sizeof f.title, "Shuffle error: %s reads from absent lanes",
		 shuffles[op->sub].name);
	detail(&f, &n,
	       "Lanes 0x%08x of warp %u have met; lanes 0x%08x of them read from others, whose "
	       "value is undefined",
	       op->mask, warp, op->absent);
	f.side = (struct finding_side){
		.launch_id = block->launch->id,
		.kernel = block->launch->kernel,
		.site = op->site,
	};
	memcpy(f.side.block, block->ctaid, sizeof f.side.block);
	struct cudasim_thread *t = cudasim_block_thread(block, linear);
	if (t) {
		memcpy(f.side.thread, t->tid, sizeof f.side.thread);
		if (!f.side.site)
			f.side.site = t->site;
	}
	finding_report(&f);
}

/* ---- what hangs ------------------------------------------------------------ */

enum { MAX_GROUPS = 32, MAX_BLOCKS = 64 };

/* Threads of a block that wait at one place for the same. */
struct group {
	struct cudasim_block *block;
	enum cudasim_thread_state state;
	const struct cudasim_site *site;
	uint32_t id, mask, warp;
	uint32_t threads[32]; /* as bits, by linear index */
	uint32_t n, waits_for; /* the group that it waits for, or MAX_GROUPS */
};

static bool in(const struct group *g, uint32_t linear)
{
	return g->threads[linear / 32] >> (linear % 32) & 1;
}

static void collect(struct cudasim_block *block, struct group *groups, uint32_t *n)
{
	for (uint32_t i = 0; i < cudasim_block_size(block); i++) {
		struct cudasim_thread *t = cudasim_block_thread(block, i);
		struct cudasim_thread_status s;
		if (!t)
			continue;
		cudasim_thread_status(t, &s);
		if (s.state == CUDASIM_THREAD_EXITED || s.state == CUDASIM_THREAD_WAITING)
			continue;
		uint32_t id = s.state == CUDASIM_THREAD_BARRIER ? s.barrier.id : 0;
		uint32_t mask = s.state == CUDASIM_THREAD_WARP ? s.warp.mask : 0;
		uint32_t warp = s.state == CUDASIM_THREAD_WARP ? i / 32 : 0, k = 0;
		while (k < *n && !(groups[k].block == block && groups[k].state == s.state &&
				   groups[k].site == s.site && groups[k].id == id &&
				   groups[k].mask == mask && groups[k].warp == warp))
			k++;
		if (k == MAX_GROUPS)
			continue;
		if (k == *n)
			groups[(*n)++] = (struct group){
				.block = block,
				.state = s.state,
				.site = s.site,
				.id = id,
				.mask = mask,
				.warp = warp,
				.waits_for = MAX_GROUPS,
			};
		groups[k].threads[i / 32] |= 1u << (i % 32);
		groups[k].n++;
	}
}

/* Does g wait for thread `linear` of its block? */
static bool waits(const struct group *g, uint32_t linear)
{
	if (g->state == CUDASIM_THREAD_BARRIER)
		return !in(g, linear);
	return g->state == CUDASIM_THREAD_WARP && linear / 32 == g->warp &&
	       g->mask >> (linear % 32) & 1 && !in(g, linear);
}

static void tell_threads(struct finding *f, size_t *n, const struct group *g)
{
	uint32_t end = cudasim_block_size(g->block);
	const char *between = "";
	for (uint32_t i = 0; i < end; i++) {
		if (!in(g, i))
			continue;
		uint32_t last = i;
		while (last + 1 < end && in(g, last + 1))
			last++;
		if (last == i)
			detail(f, n, "%s%u", between, i);
		else
			detail(f, n, "%s%u-%u", between, i, last);
		between = ",";
		i = last;
	}
}

static void tell_place(struct finding *f, size_t *n, const struct group *g)
{
	if (g->state == CUDASIM_THREAD_BARRIER)
		detail(f, n, "barrier %u", g->id);
	else if (g->state == CUDASIM_THREAD_WARP)
		detail(f, n, "an operation of warp %u with mask 0x%08x", g->warp, g->mask);
	else if (g->state == CUDASIM_THREAD_SLEEPING)
		detail(f, n, "__nanosleep");
	else
		detail(f, n, "a loop");
	if (g->site)
		detail(f, n, " at %s:%u", g->site->file, g->site->line);
}

static void tell_cycle(struct finding *f, size_t *n, const struct group *groups, uint32_t n_groups)
{
	for (uint32_t from = 0; from < n_groups; from++) {
		uint32_t at = from, steps = 0;
		while (at != MAX_GROUPS && steps++ <= n_groups && groups[at].waits_for != from)
			at = groups[at].waits_for;
		if (at == MAX_GROUPS || groups[at].waits_for != from)
			continue;
		detail(f, n, "\nCycle: ");
		at = from;
		do {
			tell_place(f, n, &groups[at]);
			detail(f, n, ", whose threads wait for those at ");
			at = groups[at].waits_for;
		} while (at != from);
		tell_place(f, n, &groups[from]);
		return;
	}
}

/* The table of who waits for whom. Threads are told by linear index. */
static void tell_waiting(struct finding *f, size_t *n, struct cudasim_launch *launch)
{
	static struct group groups[MAX_GROUPS];
	struct cudasim_block *blocks[MAX_BLOCKS];
	uint32_t n_groups = 0;
	size_t n_blocks = cudasim_blocks(launch, blocks, MAX_BLOCKS);
	for (size_t i = 0; i < n_blocks && i < MAX_BLOCKS; i++)
		collect(blocks[i], groups, &n_groups);
	for (uint32_t i = 0; i < n_groups; i++)
		for (uint32_t k = 0; k < n_groups && groups[i].waits_for == MAX_GROUPS; k++)
			for (uint32_t t = 0; k != i && groups[k].block == groups[i].block &&
					     t < cudasim_block_size(groups[k].block);
			     t++)
				if (in(&groups[k], t) && waits(&groups[i], t)) {
					groups[i].waits_for = k;
					break;
				}
	for (uint32_t i = 0; i < n_groups; i++) {
		const struct group *g = &groups[i];
		detail(f, n, "%sBlock (%u,%u,%u): threads ", i ? "\n" : "", g->block->ctaid[0],
		       g->block->ctaid[1], g->block->ctaid[2]);
		tell_threads(f, n, g);
		bool waits = g->state == CUDASIM_THREAD_BARRIER || g->state == CUDASIM_THREAD_WARP;
		detail(f, n, waits ? " wait at " : " spin in ");
		tell_place(f, n, g);
		if (g->waits_for != MAX_GROUPS) {
			detail(f, n, " for threads ");
			tell_threads(f, n, &groups[g->waits_for]);
		}
	}
	tell_cycle(f, n, groups, n_groups);
}

static void fault(void *tool, struct cudasim_launch *launch, struct cudasim_thread *thread,
		  const struct cudasim_fault *what)
{
	(void)tool;
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	bool hangs = what->kind == CUDASIM_FAULT_DEADLOCK;
	if ((!hangs && what->kind != CUDASIM_FAULT_BARRIER) || !checker_launch(launch))
		return;
	struct finding f = {
		.tool = CHECKER_SYNCCHECK,
		.severity = FINDING_ERROR,
		.launch = launch,
		.thread = thread,
		.kind = hangs ? "deadlock" : "barrier-misuse",
	};
	size_t n = 0;
	pthread_mutex_lock(&lock);
	if (thread)
		finding_side_of(&f.side, thread);
	else
		f.side = (struct finding_side){.launch_id = launch->id, .kernel = launch->kernel};
	if (what->site)
		f.side.site = what->site;
	snprintf(f.title, sizeof f.title,
		 hangs ? "Deadlock: no thread can continue"
		       : "Barrier error: used against its rules");
	if (hangs)
		tell_waiting(&f, &n, launch);
	else
		detail(&f, &n, "%.400s", what->message ? what->message : "");
	finding_report(&f);
	pthread_mutex_unlock(&lock);
}

static const struct cudasim_observer observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "synccheck",
	.want = want,
	.block_begin = block_begin,
	.block_end = block_end,
	.barrier_arrive = barrier_arrive,
	.barrier_open = barrier_open,
	.warp_arrive = warp_arrive,
	.warp_meet = warp_meet,
	.fault = fault,
	.mbarrier = mbarrier,
};

const struct checker synccheck = {
	.tool = CHECKER_SYNCCHECK,
	.name = "synccheck",
	.observer = &observer,
};
