/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - what a launch becomes before it is in the scheduler's list: its body and loop, its
 * blocks' shared window and stacks, how many of them the device could hold. */
#include "run_new.h"

#include <stdlib.h>

#include "device.h"
#include "device_side.h"
#include "observer.h"
#include "worker.h"

enum { ADDRESS_PERIOD = 1024 };

static uint32_t round_to(uint32_t n, uint32_t to)
{
	return (n + to - 1) / to * to;
}

/* The shared window: the reserved part, static variables, the dynamic part. A generic address has
 * the low bits of the shared one, as on hardware, where a kernel looks at them: swizzles of 128
 * bytes look at 10. Elsewhere the window begins where its last byte stands before the guard. */
static void lay_window(struct run *run)
{
	const struct cudasim_kernel *k = run->launch->pub.kernel;
	uint32_t align = k->dynamic_shared_align < 16 ? 16 : k->dynamic_shared_align;
	uint32_t statics = CUDASIM_RESERVED_SHARED_BYTES + k->static_shared_bytes;
	run->shared_align = align;
	if (k->flags & CUDASIM_KERNEL_BITS && align < ADDRESS_PERIOD)
		run->shared_align = ADDRESS_PERIOD;
	run->dynamic_offset = round_to(statics, align);
	run->shared_bytes = run->launch->pub.dynamic_shared_bytes
				    ? run->dynamic_offset + run->launch->pub.dynamic_shared_bytes
				    : statics;
}

/* Units that the device can have resident, by threads, blocks and shared memory
 * of its multiprocessors (registers are not known well enough to count). */
static uint64_t residency(const struct run *run)
{
	const struct launch *l = run->launch;
	const struct profile *p = l->device->profile;
	uint32_t threads = round_to(l->pub.block[0] * l->pub.block[1] * l->pub.block[2],
				    CUDASIM_WARP_SIZE);
	uint32_t blocks = p->max_blocks_per_sm;
	if (p->max_threads_per_sm / threads < blocks)
		blocks = p->max_threads_per_sm / threads;
	if (p->shared_per_sm / run->shared_bytes < blocks)
		blocks = p->shared_per_sm / run->shared_bytes;
	if (!blocks)
		blocks = 1;
	uint64_t units = (uint64_t)blocks * p->n_sms / run->unit_blocks;
	if (l->pub.cooperative && units < run->n_units)
		units = run->n_units;
	return units ? units : 1;
}

/* Bytes of stack that the kernel's threads may need. What the compiler
 * estimates does not count what it calls in libcudasim, nor how often a
 * function calls itself; frames are larger than a GPU's. */
static uint64_t stack_bytes(const struct run *run)
{
	const struct cudasim_kernel *k = run->launch->pub.kernel;
	uint64_t limit = device_side(run->launch->device)->stack_bytes;
	uint64_t bytes = 48 * 1024 + 2 * (uint64_t)k->local_bytes + 4 * limit;
	if (run->launch->pub.watch)
		bytes += k->watched_loop_bytes;
	if (k->flags & (CUDASIM_KERNEL_RECURSIVE | CUDASIM_KERNEL_INDIRECT))
		bytes += 192 * 1024;
	return bytes;
}

static void choose_body(struct run *run, enum cudasim_body usual)
{
	const struct cudasim_kernel *k = run->launch->pub.kernel;
	struct cudasim_launch *seen = &run->launch->pub;
	run->body = observe_body(seen, usual);
	if (run->body == CUDASIM_BODY_V4 && !k->entry[CUDASIM_BODY_V4])
		run->body = CUDASIM_BODY_V3;
	run->entry = k->entry[run->body];
	run->params = run->launch->pub.params;
	seen->body = run->body;
	run->watched = seen->watch;
	run->ordered = run->watched && observe_ordered(seen);
	run->choosing = observed(seen) & CUDASIM_WANT_CHOOSE;
	run->want = observe_thread_want(seen);
}

/* Can all observers do with what watched loops tell? */
static bool lanes_suffice(const struct run *run)
{
	const uint32_t most = CUDASIM_WANT_LANES | CUDASIM_WANT_ACCESS | CUDASIM_WANT_STACK |
			      CUDASIM_WANT_FENCE | CUDASIM_WANT_MBARRIER | CUDASIM_WANT_BODY |
			      CUDASIM_WANT_BLOCK | CUDASIM_WANT_THREAD | CUDASIM_WANT_BARRIER |
			      CUDASIM_WANT_WARP;
	const struct cudasim_watch *watch = run->launch->pub.watch;
	for (uint32_t i = 0; i < watch->n; i++) {
		uint32_t want = atomic_load_explicit(&watch->watchers[i].want,
						     memory_order_relaxed);
		if (want & ~(want & CUDASIM_WANT_LANES ? most : CUDASIM_WANT_BLOCK))
			return false;
	}
	return true;
}

/* The order of a loop is inorder, and plain ones know nothing of observers. With
 * few threads in x most lanes of a wide loop would do nothing: a single thread is five
 * times faster by itself. */
void run_choose_loop(struct run *run, const struct scheduler_config *config)
{
	enum { LEAST_LANES = 4 };
	const struct cudasim_kernel *k = run->launch->pub.kernel;
	uint64_t lanes = run->launch->pub.block[0];
	if (k->flags & CUDASIM_KERNEL_JOINED && !run->watched)
		lanes *= run->launch->pub.grid[0];
	if (k->flags & CUDASIM_KERNEL_WIDE && lanes < LEAST_LANES)
		return;
	if (config->loops &&
	    (run->watched ? lanes_suffice(run) : run->body != CUDASIM_BODY_WATCHED) &&
	    config->schedule.order == SCHEDULE_INORDER)
		run->loop = k->loop[run->body];
	run->launch->pub.looped = run->loop && run->watched;
}

/* Before a chunk has been timed: as much as surely takes no longer than one should. */
uint64_t run_first_chunk(const struct run *run)
{
	enum { FIRST_THREADS = 4096 };
	const uint32_t *n = run->launch->pub.block;
	uint64_t threads = (uint64_t)n[0] * n[1] * n[2];
	if (!(run->launch->pub.kernel->flags & CUDASIM_KERNEL_SHORT) || threads >= FIRST_THREADS)
		return 1;
	return FIRST_THREADS / threads;
}

struct run *run_new(struct launch *launch, enum cudasim_body usual)
{
	struct run *run = calloc(1, sizeof *run);
	if (!run)
		return NULL;
	uint64_t n_blocks = (uint64_t)launch->pub.grid[0] * launch->pub.grid[1] *
			    launch->pub.grid[2];
	run->launch = launch;
	run->unit_blocks = 1;
	for (int i = 0; i < 3; i++)
		run->unit_blocks *= launch->pub.cluster[i] ? launch->pub.cluster[i] : 1;
	run->n_units = n_blocks / run->unit_blocks;
	run->chunk = 1;
	run->window = launch->device->profile->n_sms / run->unit_blocks;
	if (!run->window)
		run->window = 1;
	lay_window(run);
	run->resident = residency(run);
	run->stack_class = worker_stack_class(stack_bytes(run));
	choose_body(run, usual);
	if (run->watched)
		run->ended = calloc((n_blocks + 63) / 64, sizeof *run->ended);
	return run;
}

void run_free(struct run *run)
{
	if (run)
		free(run->ended);
	free(run);
}
