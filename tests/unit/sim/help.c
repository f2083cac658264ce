/* SPDX-License-Identifier: Apache-2.0 */
/* Host threads that run blocks of what they wait for (scheduler_help()). */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "harness.h"

enum { UNITS = 64, PATIENCE_S = 60 };

static const struct way two_workers = {
	.name = "loops, 2 workers",
	.config = {.n_workers = 2, .engine = FIBER_STACK, .loops = true},
};

/* ---- kernels ------------------------------------------------------------------ */

static pthread_t host;
static atomic_int runs_of[UNITS], by_host;
static atomic_bool is_hosts[UNITS]; /* ran last on the host thread */

static void note(const void *params, struct cudasim_block *block, uint32_t n_blocks)
{
	(void)params;
	bool is_host = pthread_equal(pthread_self(), host);
	for (uint32_t i = 0; i < n_blocks; i++) {
		atomic_fetch_add(&runs_of[block->ctaid[0] + i], 1);
		atomic_store(&is_hosts[block->ctaid[0] + i], is_host);
	}
	if (is_host)
		atomic_fetch_add(&by_host, 1);
}

static void entry(const void *params)
{
	(void)params;
	atomic_fetch_add(&runs_of[bid()], 1);
}

static sem_t began, may_end;

/* Keeps its worker. */
static void stay(const void *params)
{
	(void)params;
	sem_post(&began);
	sem_wait(&may_end);
}

static const struct shape noting = {.grid = UNITS, .block = 32, .loop = note};

static bool any(const struct run *run, const void *arg)
{
	(void)run;
	(void)arg;
	return true;
}

static bool none(const struct run *run, const void *arg)
{
	(void)run;
	(void)arg;
	return false;
}

static void begin_test(void)
{
	host = pthread_self();
	by_host = 0;
	memset(runs_of, 0, sizeof runs_of);
	harness_start(&two_workers);
}

static void check_units(int times)
{
	for (int i = 0; i < UNITS; i++)
		assert_int_equal(runs_of[i], times);
}

/* ---- tests -------------------------------------------------------------------- */

/* Workers may be quicker once, but not always. */
static void a_waiting_host_thread_helps(void **state)
{
	(void)state;
	begin_test();
	time_t end = time(NULL) + PATIENCE_S;
	int times = 0;
	while (!by_host && time(NULL) < end) {
		struct launch *launch = harness_begin(entry, NULL, noting);
		scheduler_help(any, NULL);
		assert_int_equal(harness_end(launch), 0);
		times++;
	}
	assert_true(by_host > 0);
	check_units(times);
	harness_stop();
}

/* First unit from `from` on that the host thread has run, or that it has not; UNITS of none. */
static int first_unit(int from, bool of_host)
{
	while (from < UNITS && is_hosts[from] != of_host)
		from++;
	return from;
}

/* So that each finds its part of the data in its processor's cache when a kernel is launched
 * again: the host's units are one piece, whoever came first. Of launches that both have run
 * blocks of, and of others. */
static void the_host_thread_begins_at_the_front(void **state)
{
	(void)state;
	begin_test();
	time_t end = time(NULL) + PATIENCE_S;
	bool both = false;
	for (int n = 0; n < 20 || (!both && time(NULL) < end); n++) {
		struct launch *launch = harness_begin(entry, NULL, noting);
		scheduler_help(any, NULL);
		assert_int_equal(harness_end(launch), 0);
		int first = first_unit(0, true), past = first_unit(first, false);
		assert_int_equal(first_unit(past, true), UNITS);
		both = first < UNITS && past < UNITS;
	}
	harness_stop();
}

/* As on a GPU: what counts on order is not turned round by one worker. */
static atomic_int last_unit;
static atomic_bool is_out_of_order;

static void note_order(const void *params, struct cudasim_block *block, uint32_t n_blocks)
{
	(void)params;
	int unit = (int)block->ctaid[0];
	if (atomic_exchange(&last_unit, unit + (int)n_blocks - 1) >= unit)
		atomic_store(&is_out_of_order, true);
}

static void a_worker_alone_takes_blocks_in_order(void **state)
{
	(void)state;
	static const struct way one_worker = {
		.name = "loops, 1 worker",
		.config = {.n_workers = 1, .engine = FIBER_STACK, .loops = true},
	};
	static const struct shape ordering = {.grid = UNITS, .block = 32, .loop = note_order};
	harness_start(&one_worker);
	for (int n = 0; n < 20; n++) {
		last_unit = -1;
		assert_int_equal(harness_launch(entry, NULL, ordering), 0);
		assert_false(is_out_of_order);
		assert_int_equal(last_unit, UNITS - 1);
	}
	harness_stop();
}

static void other_launches_are_left_to_workers(void **state)
{
	(void)state;
	begin_test();
	struct launch *launch = harness_begin(entry, NULL, noting);
	assert_false(scheduler_help(none, NULL));
	assert_int_equal(harness_end(launch), 0);
	assert_int_equal(by_host, 0);
	check_units(1);
	harness_stop();
}

/* Only loops that call nobody: others might wait for what the host does next. */
static void kernels_that_may_wait_are_left_to_workers(void **state)
{
	(void)state;
	begin_test();
	struct shape shape = {.grid = UNITS, .block = 1};
	struct launch *launch = harness_begin(entry, NULL, shape);
	assert_false(scheduler_help(any, NULL));
	assert_int_equal(harness_end(launch), 0);
	check_units(1);
	harness_stop();
}

/* As many threads run blocks as there are workers; when one is free again, the launch goes
 * on without the host. */
static void busy_workers_leave_no_place(void **state)
{
	(void)state;
	begin_test();
	sem_init(&began, 0, 0);
	sem_init(&may_end, 0, 0);
	struct shape shape = {.grid = 2, .block = 1};
	struct launch *both = harness_begin(stay, NULL, shape);
	sem_wait(&began);
	sem_wait(&began);
	struct launch *launch = harness_begin(entry, NULL, noting);
	assert_false(scheduler_help(any, NULL));
	check_units(0);
	sem_post(&may_end);
	assert_int_equal(harness_end(launch), 0);
	check_units(1);
	sem_post(&may_end);
	assert_int_equal(harness_end(both), 0);
	harness_stop();
}

/* Nobody waits: workers do it all. */
static void launches_end_without_help(void **state)
{
	(void)state;
	begin_test();
	for (int i = 1; i <= 50; i++) {
		assert_int_equal(harness_launch(entry, NULL, noting), 0);
		check_units(i);
	}
	assert_int_equal(by_host, 0);
	harness_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_waiting_host_thread_helps),
		cmocka_unit_test(the_host_thread_begins_at_the_front),
		cmocka_unit_test(a_worker_alone_takes_blocks_in_order),
		cmocka_unit_test(other_launches_are_left_to_workers),
		cmocka_unit_test(kernels_that_may_wait_are_left_to_workers),
		cmocka_unit_test(busy_workers_leave_no_place),
		cmocka_unit_test(launches_end_without_help),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
