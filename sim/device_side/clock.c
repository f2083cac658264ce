/* SPDX-License-Identifier: Apache-2.0 */
/* clock.c - clock64() and %globaltimer.
 *
 * They advance with real time at the profile's rate. In a repeatable run
 * (CUDASIM_SCHEDULE, or a tool that records it) time would make the run depend on the machine; there the
 * worker's own count of ticks is the clock, a fixed step for each reading and
 * more for each thread that gives way. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <time.h>

#include "cudasim/inspect.h"
#include "dispatch.h"
#include "device.h"

enum { TICKS_OF_A_READING = 40 };
#define REPEATABLE_EPOCH_NS 1700000000000000000u /* %globaltimer counts from 1970 */

static uint64_t ticks(struct worker *worker)
{
	return worker->ticks += TICKS_OF_A_READING;
}

static atomic_bool is_repeatable;

void cudasim_clock_repeatable(bool on)
{
	atomic_store(&is_repeatable, on);
}

static bool counts_ticks(const struct worker *worker)
{
	return worker->schedule.fixed || atomic_load_explicit(&is_repeatable, memory_order_relaxed);
}

static uint64_t ns_of(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct block *own_block(void)
{
	return block_of(thread_self());
}

/* In a loop that no clock ends, reading one is nothing. */
static void note_reading(struct block *b)
{
	if (!thread_self()->stays)
		b->worker->hang.reads_clock = true;
}

uint64_t __cudasim_clock64(void)
{
	struct block *b = own_block();
	note_reading(b);
	if (counts_ticks(b->worker))
		return ticks(b->worker);
	uint64_t ns = ns_of(CLOCK_MONOTONIC), khz = b->run->launch->device->profile->clock_khz;
	return ns / 1000000u * khz + ns % 1000000u * khz / 1000000u;
}

uint64_t __cudasim_globaltimer(void)
{
	struct block *b = own_block();
	note_reading(b);
	if (counts_ticks(b->worker))
		return REPEATABLE_EPOCH_NS +
		       ticks(b->worker) * 1000000u / b->run->launch->device->profile->clock_khz;
	return ns_of(CLOCK_REALTIME);
}

/* Shared memory is given out in pieces of 128 bytes. */
static uint32_t round_up(uint32_t bytes)
{
	return (bytes + 127) / 128 * 128;
}

static uint64_t grid_workspace(struct launch *launch)
{
	return launch->pub.cooperative ? (uintptr_t)launch->grid_workspace : 0;
}

uint32_t __cudasim_sreg(uint32_t which)
{
	struct thread *t = thread_self();
	struct block *b = block_of(t);
	const struct profile *profile = b->run->launch->device->profile;
	switch (which) {
	case CUDASIM_SREG_WARPID:
		return t->pub.warp;
	case CUDASIM_SREG_NWARPID:
		return profile->max_threads_per_sm / CUDASIM_WARP_SIZE;
	case CUDASIM_SREG_NSMID:
		return profile->n_sms;
	case CUDASIM_SREG_TOTAL_SMEM:
		return round_up(b->pub.shared_bytes - CUDASIM_RESERVED_SHARED_BYTES);
	case CUDASIM_SREG_AGGR_SMEM:
		return round_up(b->pub.shared_bytes);
	case CUDASIM_SREG_ENVREG1:
		return (uint32_t)(grid_workspace(b->run->launch) >> 32);
	case CUDASIM_SREG_ENVREG2:
		return (uint32_t)grid_workspace(b->run->launch);
	}
	return 0;
}
