/* SPDX-License-Identifier: Apache-2.0 */
/* What the scheduler does for observers: holding, resuming, aborting, choosing,
 * and events in their order. */
#define _GNU_SOURCE
#include "harness.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "block.h"
#include "cudasim/inspect.h"
#include "observer.h"

/* What the observer of this test does and has seen. */
static struct {
	uint32_t want;
	uint32_t hold;  /* linear index of the thread to hold at its barrier, or ~0 */
	uint32_t abort; /* of the one at whose barrier the launch is ended, or ~0 */
	bool resume_when_stalled, resume_later;
	struct cudasim_thread *held;
	struct cudasim_launch *launch;
	struct cudasim_block *blocks[8]; /* in flight, for choose() */
	atomic_uint begun, ended, threads, thread_ends, arrived, opened, held_events, stalls,
		faults;
	int fault_error, end_error;
	enum cudasim_stall stall;
	pthread_t resumer;
} saw;

static uint32_t want(void *tool, const struct cudasim_launch *launch)
{
	(void)tool, (void)launch;
	return saw.want;
}
static void launch_begin(void *tool, struct cudasim_launch *launch)
{
	(void)tool;
	saw.launch = launch;
}
static void launch_end(void *tool, struct cudasim_launch *launch)
{
	(void)tool;
	saw.end_error = launch->error;
}
static void block_begin(void *tool, struct cudasim_block *block)
{
	(void)tool;
	saw.blocks[saw.begun++ % 8] = block;
}
static void block_end(void *tool, struct cudasim_block *block)
{
	(void)tool;
	for (int i = 0; i < 8; i++)
		if (saw.blocks[i] == block)
			saw.blocks[i] = NULL;
	saw.ended++;
}
static enum cudasim_verdict thread_begin(void *tool, struct cudasim_thread *thread)
{
	(void)tool, (void)thread;
	saw.threads++;
	return CUDASIM_GO;
}
static enum cudasim_verdict thread_end(void *tool, struct cudasim_thread *thread)
{
	(void)tool, (void)thread;
	saw.thread_ends++;
	return CUDASIM_GO;
}
static enum cudasim_verdict arrive(void *tool, struct cudasim_thread *thread,
				   const struct cudasim_barrier *barrier)
{
	(void)tool, (void)barrier;
	saw.arrived++;
	if (thread->linear == saw.abort)
		return CUDASIM_ABORT;
	return thread->linear == saw.hold ? CUDASIM_HOLD : CUDASIM_GO;
}
static void opened(void *tool, struct cudasim_block *block, const struct cudasim_barrier *barrier)
{
	(void)tool, (void)block, (void)barrier;
	saw.opened++;
}
static void *resume_later(void *arg)
{
	usleep(50000);
	thread_resume(arg);
	return NULL;
}
static void held(void *tool, struct cudasim_thread *thread)
{
	(void)tool;
	saw.held = thread;
	saw.held_events++;
	saw.hold = ~0u; /* only once */
	if (saw.resume_later)
		pthread_create(&saw.resumer, NULL, resume_later, thread);
}
static void stalled(void *tool, struct cudasim_launch *launch, enum cudasim_stall why)
{
	(void)tool, (void)launch;
	saw.stalls++;
	saw.stall = why;
	if (saw.resume_when_stalled && why == CUDASIM_STALL_HELD)
		thread_resume((struct thread *)saw.held);
}
static void fault(void *tool, struct cudasim_launch *launch, struct cudasim_thread *thread,
		  const struct cudasim_fault *what)
{
	(void)tool, (void)launch, (void)thread;
	saw.faults++;
	saw.fault_error = what->error;
}
static struct cudasim_thread *last_that_can_move(struct block *b)
{
	for (uint32_t i = b ? b->n_threads : 0; i-- > 0;) {
		struct thread *t = &b->threads[i];
		if ((b->active[t->pub.warp] | b->yielded[t->pub.warp]) >> t->pub.lane & 1)
			return &t->pub;
	}
	return NULL;
}
static struct cudasim_thread *choose(void *tool, struct cudasim_launch *launch)
{
	struct cudasim_thread *t = NULL;
	(void)tool, (void)launch;
	for (int i = 0; i < 8 && !t; i++)
		t = last_that_can_move((struct block *)saw.blocks[i]);
	return t;
}

static const struct cudasim_observer observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "test",
	.want = want,
	.launch_begin = launch_begin,
	.launch_end = launch_end,
	.block_begin = block_begin,
	.block_end = block_end,
	.thread_begin = thread_begin,
	.thread_end = thread_end,
	.barrier_arrive = arrive,
	.barrier_open = opened,
	.held = held,
	.stalled = stalled,
	.fault = fault,
	.choose = choose,
};

enum {
	EVENTS = CUDASIM_WANT_BLOCK | CUDASIM_WANT_THREAD | CUDASIM_WANT_BARRIER,
};

static uint32_t order[256];
static atomic_uint turn;

static void two_barriers(const void *params)
{
	(void)params;
	SITE(site);
	__cudasim_barrier(0, 0, &site);
	order[gid()] = atomic_fetch_add(&turn, 1);
	__cudasim_barrier(0, 0, &site);
}

static void fresh(uint32_t bits)
{
	memset(&saw, 0, sizeof saw);
	saw.want = bits;
	saw.hold = saw.abort = ~0u;
	turn = 0;
}

static int watch(const struct way *way, struct shape shape)
{
	harness_start(way);
	assert_null(cudasim_observer_add(&observer));
	int error = harness_launch(two_barriers, NULL, shape);
	assert_null(cudasim_observer_remove(&observer));
	harness_stop();
	return error;
}

#define EACH_WAY(way)                                                                              \
	for (const struct way *way = harness_ways; way < harness_ways + harness_n_ways; way++)

static void every_event_is_told_once(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		fresh(EVENTS);
		assert_int_equal(watch(way, (struct shape){.grid = 5, .block = 40}), 0);
		assert_int_equal(saw.begun, 5);
		assert_int_equal(saw.ended, 5);
		assert_int_equal(saw.threads, 200);
		assert_int_equal(saw.thread_ends, 200);
		assert_int_equal(saw.arrived, 400);
		assert_int_equal(saw.opened, 10);
		assert_int_equal(saw.end_error, 0);
	}
}

/* A held thread keeps its barrier shut; the stall is told; resuming there goes on. */
static void a_stall_is_told_and_ended(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		fresh(EVENTS);
		saw.hold = 17;
		saw.resume_when_stalled = true;
		assert_int_equal(watch(way, (struct shape){.grid = 1, .block = 40}), 0);
		assert_int_equal(saw.held_events, 1);
		assert_int_equal(saw.stalls, 1);
		assert_int_equal(saw.stall, CUDASIM_STALL_HELD);
		assert_int_equal(saw.thread_ends, 40);
	}
}

static void another_pthread_resumes(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		fresh(EVENTS);
		saw.hold = 3;
		saw.resume_later = true;
		assert_int_equal(watch(way, (struct shape){.grid = 1, .block = 40}), 0);
		pthread_join(saw.resumer, NULL);
		assert_int_equal(saw.held_events, 1);
		assert_int_equal(saw.thread_ends, 40);
	}
}

static void an_observer_ends_a_launch(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		fresh(EVENTS);
		saw.abort = 20;
		assert_int_equal(watch(way, (struct shape){.grid = 3, .block = 40}), 719);
		atomic_store(&harness_device.sticky, 0);
		assert_int_equal(saw.faults, 1);
		assert_int_equal(saw.fault_error, 719);
		assert_int_equal(saw.end_error, 719);
		assert_int_equal(saw.begun, saw.ended);
		/* Nothing is left behind that would disturb the next one. */
		fresh(EVENTS);
		assert_int_equal(watch(way, (struct shape){.grid = 3, .block = 40}), 0);
		assert_int_equal(saw.thread_ends, 120);
	}
}

static void a_chooser_decides(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		fresh(EVENTS | CUDASIM_WANT_CHOOSE);
		assert_int_equal(watch(way, (struct shape){.grid = 2, .block = 64}), 0);
		/* Whatever the schedule is: last thread first. */
		for (uint32_t i = 0; i + 1 < 64; i++)
			assert_true(order[i] > order[i + 1]);
	}
}

static void an_ordered_run_is_the_same_each_time(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		uint32_t first[256];
		if (way->config.schedule.order == SCHEDULE_RANDOM)
			continue; /* the seed counts launches */
		for (int round = 0; round < 2; round++) {
			fresh(EVENTS | CUDASIM_WANT_ORDERED);
			memset(order, 0, sizeof order);
			assert_int_equal(watch(way, (struct shape){.grid = 4, .block = 64}), 0);
			if (!round)
				memcpy(first, order, sizeof order);
		}
		assert_memory_equal(first, order, sizeof order);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_is_told_once),
		cmocka_unit_test(a_stall_is_told_and_ended),
		cmocka_unit_test(another_pthread_resumes),
		cmocka_unit_test(an_observer_ends_a_launch),
		cmocka_unit_test(a_chooser_decides),
		cmocka_unit_test(an_ordered_run_is_the_same_each_time),
	};
	return cmocka_run_group_tests_name("observed", tests, NULL, NULL);
}
