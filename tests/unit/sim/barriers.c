/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers, warp operations and waiting in memory, on every engine and order. */
#define _GNU_SOURCE
#include "harness.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define EACH_WAY(way)                                                                              \
	for (const struct way *way = harness_ways; way < harness_ways + harness_n_ways; way++)

/* ---- block barriers ----------------------------------------------------------- */

struct sums {
	uint32_t *out; /* per block */
	uint32_t rounds;
};

/* The usual reduction in shared memory. */
static void reduce(const void *params)
{
	const struct sums *p = params;
	SITE(site);
	uint32_t *shared = (uint32_t *)(__cudasim_self->block->shared +
					__cudasim_self->block->dynamic_shared_offset);
	uint32_t n = __cudasim_self->block->ntid[0];
	for (uint32_t round = 0; round < p->rounds; round++) {
		shared[tid()] = gid() + round;
		__cudasim_barrier(0, 0, &site);
		for (uint32_t half = n / 2; half; half /= 2) {
			if (tid() < half)
				shared[tid()] += shared[tid() + half];
			__cudasim_barrier(0, 0, &site);
		}
		if (!tid())
			p->out[bid()] += shared[0];
		__cudasim_barrier(0, 0, &site);
	}
}

static void a_reduction_adds_up(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		uint32_t out[6] = {0};
		struct sums p = {out, 3};
		harness_start(way);
		assert_int_equal(
			harness_launch(
				reduce, &p,
				(struct shape){.grid = 6, .block = 128, .dynamic_shared = 512}),
			0);
		harness_stop();
		for (uint32_t b = 0; b < 6; b++) {
			uint32_t first = b * 128;
			assert_int_equal(out[b], 3 * (128 * first + 128 * 127 / 2) + 128 * 3);
		}
	}
}

/* A thread that returns early must not strand its siblings at the barrier. */
static void leave_early(const void *params)
{
	uint32_t *out = *(uint32_t *const *)params;
	SITE(site);
	if (tid() % 3 == 0)
		return;
	if (tid() % 5 == 0)
		__cudasim_exit(&site);
	__cudasim_barrier(0, 0, &site);
	out[tid()] = 1;
}

static void early_exit_opens_the_barrier(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		uint32_t out[100] = {0}, *p = out;
		harness_start(way);
		assert_int_equal(
			harness_launch(leave_early, &p, (struct shape){.grid = 1, .block = 100}),
			0);
		harness_stop();
		for (uint32_t i = 0; i < 100; i++)
			assert_int_equal(out[i], i % 3 && i % 5);
	}
}

/* A producer warp arrives, a consumer warp waits: bar.arrive and bar.sync. */
static void produce_consume(const void *params)
{
	uint32_t *out = *(uint32_t *const *)params;
	uint32_t *shared = (uint32_t *)(__cudasim_self->block->shared + 1024);
	SITE(site);
	if (tid() < 32) {
		shared[tid()] = 100 + tid();
		__cudasim_barrier_arrive(1, 64, &site);
	} else {
		__cudasim_barrier(1, 64, &site);
		out[tid() - 32] = shared[63 - tid()];
	}
}

static void arriving_is_enough_for_a_producer(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		uint32_t out[32] = {0}, *p = out;
		harness_start(way);
		assert_int_equal(
			harness_launch(
				produce_consume, &p,
				(struct shape){.grid = 1, .block = 64, .dynamic_shared = 256}),
			0);
		harness_stop();
		for (uint32_t i = 0; i < 32; i++)
			assert_int_equal(out[i], 100 + 31 - i);
	}
}

/* Barriers with a count, used by different warps at the same time. */
static void pairs_of_warps(const void *params)
{
	uint32_t *out = *(uint32_t *const *)params;
	uint32_t *shared = (uint32_t *)(__cudasim_self->block->shared + 1024);
	uint32_t pair = tid() / 64;
	SITE(site);
	for (uint32_t k = 0; k < 4; k++) {
		shared[tid()] = tid() + k;
		__cudasim_barrier(1 + pair, 64, &site);
		uint32_t other = shared[tid() ^ 32];
		__cudasim_barrier(1 + pair, 64, &site);
		out[tid()] += other;
	}
}

static void counted_barriers_do_not_mix(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		/* 112 threads: the last warp is half, and counts as a whole one. */
		uint32_t out[112] = {0}, *p = out;
		harness_start(way);
		assert_int_equal(
			harness_launch(
				pairs_of_warps, &p,
				(struct shape){.grid = 1, .block = 112, .dynamic_shared = 512}),
			0);
		harness_stop();
		for (uint32_t i = 0; i < 112; i++)
			if ((i ^ 32) < 112)
				assert_int_equal(out[i], 4 * (i ^ 32) + 6);
	}
}

static void count_odd(const void *params)
{
	uint32_t(*out)[3] = *(uint32_t(*const *)[3])params;
	SITE(site);
	out[tid()][0] = __cudasim_barrier_reduce(0, 0, CUDASIM_REDUCE_POPC, tid() & 1, &site);
	out[tid()][1] = __cudasim_barrier_reduce(0, 0, CUDASIM_REDUCE_AND, tid() < 80, &site);
	out[tid()][2] = __cudasim_barrier_reduce(0, 0, CUDASIM_REDUCE_OR, tid() == 77, &site);
}

static void a_barrier_reduces_predicates(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		uint32_t out[96][3], (*p)[3] = out;
		memset(out, 0xff, sizeof out);
		harness_start(way);
		assert_int_equal(
			harness_launch(count_odd, &p, (struct shape){.grid = 1, .block = 96}), 0);
		harness_stop();
		for (uint32_t i = 0; i < 96; i++) {
			assert_int_equal(out[i][0], 48);
			assert_int_equal(out[i][1], 0);
			assert_int_equal(out[i][2], 1);
		}
	}
}

/* ---- clusters ------------------------------------------------------------------ */

static void ring(const void *params)
{
	uint32_t *out = *(uint32_t *const *)params;
	uint32_t *own = (uint32_t *)(__cudasim_self->block->shared + 1024);
	SITE(site);
	own[tid()] = gid();
	__cudasim_cluster_arrive(&site);
	__cudasim_cluster_wait(&site);
	uint32_t next = (__cudasim_self->block->cluster_ctaid[0] + 1) % 4;
	out[gid()] = ((uint32_t *)__cudasim_cluster_map(own, next))[tid()];
	__cudasim_cluster_arrive(&site);
	__cudasim_cluster_wait(&site);
}

static void blocks_of_a_cluster_read_each_other(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		uint32_t out[12 * 32] = {0}, *p = out;
		harness_start(way);
		assert_int_equal(harness_launch(ring, &p,
						(struct shape){.grid = 12,
							       .block = 32,
							       .dynamic_shared = 128,
							       .cluster = 4}),
				 0);
		harness_stop();
		for (uint32_t i = 0; i < 12 * 32; i++) {
			uint32_t block = i / 32;
			assert_int_equal(out[i], (block / 4 * 4 + (block + 1) % 4) * 32 + i % 32);
		}
	}
}

/* ---- waiting in memory ---------------------------------------------------------- */

static atomic_uint lock_word, protected_value;

/* Every thread takes a lock in turn, the holder giving way in the middle. */
static void take_lock(const void *params)
{
	(void)params;
	SITE(site);
	unsigned expected = 0;
	while (!atomic_compare_exchange_strong(&lock_word, &expected, 1)) {
		expected = 0;
		BACK_EDGE(&site);
	}
	unsigned value = atomic_load(&protected_value);
	__cudasim_yield(NULL, 0, &site);
	atomic_store(&protected_value, value + 1);
	atomic_store(&lock_word, 0);
}

static void a_lock_taken_within_a_warp_is_passed_on(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		lock_word = protected_value = 0;
		harness_start(way);
		assert_int_equal(
			harness_launch(take_lock, NULL, (struct shape){.grid = 4, .block = 64}), 0);
		harness_stop();
		assert_int_equal(protected_value, 4 * 64);
	}
}

struct grid {
	atomic_uint arrived;
	uint32_t *out;
};

/* Barriers of the whole grid, made of an atomic counter. */
static void meet_all(const void *params)
{
	struct grid *g = *(struct grid *const *)params;
	uint32_t n_blocks = __cudasim_self->block->nctaid[0];
	SITE(site);
	for (uint32_t round = 1; round <= 4; round++) {
		g->out[gid()] += round;
		__cudasim_barrier(0, 0, &site);
		if (!tid()) {
			atomic_fetch_add(&g->arrived, 1);
			while (atomic_load(&g->arrived) < round * n_blocks)
				BACK_EDGE(&site);
		}
		__cudasim_barrier(0, 0, &site);
		/* Every other block must have done this round, too. */
		uint32_t other = (gid() + 64) % (n_blocks * 64);
		if (g->out[other] < round * (round + 1) / 2)
			g->out[gid()] += 1000;
		__cudasim_barrier(0, 0, &site);
	}
}

static void a_grid_barrier_of_atomics_opens(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		/* 4 multiprocessors hold 128 blocks of 64 threads. */
		uint32_t *out = calloc(100 * 64, sizeof *out);
		struct grid g = {.out = out}, *p = &g;
		harness_start(way);
		assert_int_equal(
			harness_launch(meet_all, &p, (struct shape){.grid = 100, .block = 64}), 0);
		harness_stop();
		for (uint32_t i = 0; i < 100 * 64; i++)
			assert_int_equal(out[i], 10);
		free(out);
	}
}

static atomic_uint chain[300];

/* Block b waits for block b + 1, within what the device can hold. */
static void wait_for_next(const void *params)
{
	(void)params;
	SITE(site);
	uint32_t b = bid(), last = __cudasim_self->block->nctaid[0] - 1;
	if (b < last)
		while (!atomic_load(&chain[b + 1]))
			BACK_EDGE(&site);
	atomic_store(&chain[b], (b < last ? chain[b + 1] : 0) + 1);
}

static void blocks_wait_for_later_ones(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		for (int i = 0; i < 300; i++)
			chain[i] = 0;
		harness_start(way);
		assert_int_equal(harness_launch(wait_for_next, NULL,
						(struct shape){.grid = 128, .block = 1}),
				 0);
		harness_stop();
		assert_int_equal(chain[0], 128);
	}
}

/* Block b waits for block b - 1, with many more blocks than can be resident. */
static void wait_for_previous(const void *params)
{
	(void)params;
	SITE(site);
	uint32_t b = bid();
	if (b)
		while (!atomic_load(&chain[b - 1]))
			BACK_EDGE(&site);
	atomic_store(&chain[b], (b ? chain[b - 1] : 0) + 1);
}

static void looking_back_needs_no_residency(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		for (int i = 0; i < 300; i++)
			chain[i] = 0;
		harness_start(way);
		assert_int_equal(harness_launch(wait_for_previous, NULL,
						(struct shape){.grid = 300, .block = 1}),
				 0);
		harness_stop();
		assert_int_equal(chain[299], 300);
	}
}

static atomic_uint flag;

static void wait_for_flag(const void *params)
{
	(void)params;
	SITE(site);
	while (!atomic_load(&flag))
		__cudasim_nanosleep(100, &site);
}

static void set_flag(const void *params)
{
	(void)params;
	atomic_store(&flag, 1);
}

static void a_kernel_waits_for_a_later_kernel(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		flag = 0;
		harness_start(way);
		struct launch *a = harness_begin(wait_for_flag, NULL,
						 (struct shape){.grid = 2, .block = 32});
		struct launch *b = harness_begin(set_flag, NULL,
						 (struct shape){.grid = 1, .block = 1});
		assert_int_equal(harness_end(b), 0);
		assert_int_equal(harness_end(a), 0);
		harness_stop();
	}
}

/* Every block of a cooperative launch is resident, however many there are. */
static void cooperative_blocks_are_all_resident(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		for (int i = 0; i < 300; i++)
			chain[i] = 0;
		harness_start(way);
		assert_int_equal(
			harness_launch(
				wait_for_next, NULL,
				(struct shape){.grid = 250, .block = 1, .cooperative = true}),
			0);
		harness_stop();
		assert_int_equal(chain[0], 250);
	}
}

/* ---- order ----------------------------------------------------------------------- */

static atomic_uint turn;

static void note_order(const void *params)
{
	uint32_t *out = *(uint32_t *const *)params;
	SITE(site);
	out[gid()] = atomic_fetch_add(&turn, 1);
	__cudasim_yield(NULL, 0, &site);
	out[256 + gid()] = atomic_fetch_add(&turn, 1);
}

static void same_seed_same_order(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		uint32_t first[512], second[512], *p;
		if (!way->config.schedule.fixed)
			continue;
		for (int k = 0; k < 2; k++) {
			p = k ? second : first;
			turn = 0;
			harness_start(way);
			/* The launch's number is part of the seed: start from the same. */
			assert_int_equal(harness_launch(note_order, &p,
							(struct shape){.grid = 4, .block = 64}),
					 0);
			harness_stop();
		}
		if (way->config.schedule.order != SCHEDULE_RANDOM) {
			assert_memory_equal(first, second, sizeof first);
		} else {
			uint32_t moved = 0;
			for (uint32_t i = 0; i < 256; i++)
				moved += first[i] != i;
			assert_true(moved > 128);
		}
		if (way->config.schedule.order == SCHEDULE_INORDER)
			assert_true(first[0] == 0 && first[63] == 63);
		if (way->config.schedule.order == SCHEDULE_REVERSE)
			assert_true(first[255] == 0 && first[192] == 63);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reduction_adds_up),
		cmocka_unit_test(early_exit_opens_the_barrier),
		cmocka_unit_test(arriving_is_enough_for_a_producer),
		cmocka_unit_test(counted_barriers_do_not_mix),
		cmocka_unit_test(a_barrier_reduces_predicates),
		cmocka_unit_test(blocks_of_a_cluster_read_each_other),
		cmocka_unit_test(a_lock_taken_within_a_warp_is_passed_on),
		cmocka_unit_test(a_grid_barrier_of_atomics_opens),
		cmocka_unit_test(blocks_wait_for_later_ones),
		cmocka_unit_test(looking_back_needs_no_residency),
		cmocka_unit_test(a_kernel_waits_for_a_later_kernel),
		cmocka_unit_test(cooperative_blocks_are_all_resident),
		cmocka_unit_test(same_seed_same_order),
	};
	return cmocka_run_group_tests_name("barriers", tests, NULL, NULL);
}
