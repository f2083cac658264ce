/* SPDX-License-Identifier: Apache-2.0 */
/* Writes each event of lanes.cu's accesses, barriers and warp operations; of threads 0 and 33 it asks for the accesses
 * one by one. */
#include <stdio.h>

#include "cudasim/observer.h"

static uint32_t want(void *tool, const struct cudasim_launch *launch)
{
	(void)tool;
	(void)launch;
	return CUDASIM_WANT_ACCESS | CUDASIM_WANT_BARRIER | CUDASIM_WANT_WARP | CUDASIM_WANT_LANES;
}

static char of_space(enum cudasim_space space)
{
	return space == CUDASIM_SPACE_SHARED ? 's' : space == CUDASIM_SPACE_GLOBAL ? 'g' : '?';
}

static uint32_t on_lanes(void *tool, struct cudasim_block *block, uint32_t lanes,
			 const struct cudasim_lanes *a)
{
	(void)tool;
	(void)block;
	uint32_t asked = 0;
	if (!lanes) {
		fprintf(stderr, "%u: stored by thread %u\n", a->site->line, a->first);
		return 0;
	}
	fprintf(stderr, "%u: %c %s %llu lanes %08x from %u, ", a->site->line, of_space(a->space),
		a->what & CUDASIM_ACCESS_STORE ? "store" : "load", (unsigned long long)a->size, lanes,
		a->first);
	if (a->addresses)
		fprintf(stderr, "second - first %lld\n",
			(long long)(cudasim_lane_address(a, 3) - cudasim_lane_address(a, 1)));
	else
		fprintf(stderr, "stride %lld\n", (long long)a->stride);
	for (uint32_t i = 0; i < 32; i++)
		if (lanes >> i & 1 && (a->first + i == 0 || a->first + i == 33))
			asked |= 1u << i;
	return asked;
}

static enum cudasim_verdict on_access(void *tool, struct cudasim_thread *thread,
				      const struct cudasim_access *a)
{
	(void)tool;
	fprintf(stderr, "%u: %c %s %llu thread %u\n", a->site->line, of_space(a->space),
		a->what & CUDASIM_ACCESS_STORE ? "store" : "load", (unsigned long long)a->size,
		thread->tid[0]);
	return CUDASIM_GO;
}

static void on_barrier(void *tool, struct cudasim_block *block, const struct cudasim_barrier *b)
{
	(void)tool;
	(void)block;
	fprintf(stderr, "%u: barrier of %u\n", b->site->line, b->n_expected);
}

static enum cudasim_verdict on_arrival(void *tool, struct cudasim_thread *thread,
				       const struct cudasim_barrier *b)
{
	(void)tool;
	fprintf(stderr, "%u: thread %u arrives, %u of %u have\n", b->site->line, thread->tid[0],
		b->n_arrived, b->n_expected);
	return CUDASIM_GO;
}

static void on_meeting(void *tool, struct cudasim_block *block, uint32_t warp,
		       const struct cudasim_warp_op *op)
{
	(void)tool;
	(void)block;
	fprintf(stderr, "%u: warp %u: %s %08x, absent to %08x\n", op->site->line, warp,
		op->kind == CUDASIM_WARP_SHFL ? "shuffle" : op->kind == CUDASIM_WARP_SYNC ? "sync" : "?",
		op->mask, op->absent);
}

static const struct cudasim_observer observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "lanes-test",
	.want = want,
	.access = on_access,
	.access_lanes = on_lanes,
	.barrier_arrive = on_arrival,
	.barrier_open = on_barrier,
	.warp_meet = on_meeting,
};

const struct cudasim_observer *cudasim_observer_init(void)
{
	return &observer;
}
