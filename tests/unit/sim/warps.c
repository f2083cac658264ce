/* SPDX-License-Identifier: Apache-2.0 */
/* Warp operations: results against a reference written from the PTX ISA's
 * pseudocode, and who meets whom. */
#define _GNU_SOURCE
#include "harness.h"

#include <string.h>

#include "warp.h"

#define EACH_WAY(way)                                                                              \
	for (const struct way *way = harness_ways; way < harness_ways + harness_n_ways; way++)

/* ---- results -------------------------------------------------------------------- */

/* PTX ISA 9.0, shfl.sync, line for line. */
static uint64_t ptx_shfl(uint32_t mode, uint32_t lane, const uint32_t *value, uint32_t b,
			 uint32_t c)
{
	int bval = b & 31, cval = c & 31, mask = c >> 8 & 31, l = (int)lane, j = 0, p = 0;
	int max = (l & mask) | (cval & ~mask), min = l & mask;
	switch (mode) {
	case CUDASIM_SHFL_UP:
		j = l - bval;
		p = j >= max;
		break;
	case CUDASIM_SHFL_DOWN:
		j = l + bval;
		p = j <= max;
		break;
	case CUDASIM_SHFL_BFLY:
		j = l ^ bval;
		p = j <= max;
		break;
	case CUDASIM_SHFL_IDX:
		j = min | (bval & ~mask);
		p = j <= max;
		break;
	}
	if (!p)
		j = l;
	return (uint64_t)p << 32 | value[j];
}

static void shuffles_follow_the_isa(void **state)
{
	(void)state;
	struct warp_operand operand[32];
	uint32_t value[32];
	uint64_t result[32], random = 5;
	for (uint32_t width = 1; width <= 32; width *= 2)
		for (uint32_t mode = 0; mode < 4; mode++)
			for (uint32_t b = 0; b < 40; b++) {
				/* As __shfl_*_sync pack them: the segment mask, and 0 or 31. */
				uint32_t c = (32 - width) << 8 | (mode == CUDASIM_SHFL_UP ? 0 : 31);
				for (uint32_t i = 0; i < 32; i++) {
					value[i] = (uint32_t)schedule_random(&random);
					operand[i] = (struct warp_operand){value[i], b, c};
				}
				warp_compute(CUDASIM_WARP_SHFL, mode, ~0u, operand, result);
				for (uint32_t i = 0; i < 32; i++)
					assert_int_equal(result[i], ptx_shfl(mode, i, value, b, c));
			}
}

static void a_shuffle_from_an_absent_lane_gives_zero(void **state)
{
	(void)state;
	struct warp_operand operand[32];
	uint64_t result[32];
	for (uint32_t i = 0; i < 32; i++)
		operand[i] = (struct warp_operand){100 + i, 16, 31};
	warp_compute(CUDASIM_WARP_SHFL, CUDASIM_SHFL_DOWN, 0xffff, operand, result);
	assert_int_equal(result[3], 1ull << 32);
}

static void votes_matches_and_sums_by_hand(void **state)
{
	(void)state;
	struct warp_operand operand[32] = {0};
	uint64_t result[32];
	/* Lanes 4, 5, 6, 7 with -1, 2, 2, 7. */
	const int32_t values[4] = {-1, 2, 2, 7};
	for (uint32_t i = 0; i < 4; i++)
		operand[4 + i].value = (uint32_t)values[i];
	static const struct {
		uint32_t op, expected;
	} sums[] = {
		{CUDASIM_REDUX_ADD, 10},
		{CUDASIM_REDUX_MIN, (uint32_t)-1},
		{CUDASIM_REDUX_MAX, 7},
		{CUDASIM_REDUX_UMIN, 2},
		{CUDASIM_REDUX_UMAX, (uint32_t)-1},
		{CUDASIM_REDUX_AND, 2},
		{CUDASIM_REDUX_OR, (uint32_t)-1},
		{CUDASIM_REDUX_XOR, 0xfffffff8},
	};
	for (unsigned i = 0; i < sizeof sums / sizeof *sums; i++) {
		warp_compute(CUDASIM_WARP_REDUX, sums[i].op, 0xf0, operand, result);
		for (int lane = 4; lane < 8; lane++)
			assert_int_equal(result[lane], sums[i].expected);
	}
	warp_compute(CUDASIM_WARP_MATCH_ANY, 0, 0xf0, operand, result);
	assert_int_equal(result[4], 0x10);
	assert_int_equal(result[5], 0x60);
	assert_int_equal(result[6], 0x60);
	warp_compute(CUDASIM_WARP_MATCH_ALL, 0, 0xf0, operand, result);
	assert_int_equal(result[4], 0);
	warp_compute(CUDASIM_WARP_MATCH_ALL, 0, 0x60, operand, result);
	assert_int_equal(result[5], 1ull << 32 | 0x60);
	warp_compute(CUDASIM_WARP_ELECT, 0, 0x60, operand, result);
	assert_int_equal(result[5], 1ull << 32 | 5);
	assert_int_equal(result[6], 5);
	for (uint32_t i = 0; i < 32; i++)
		operand[i].value = i & 1;
	static const struct {
		uint32_t kind, lanes, expected;
	} votes[] = {
		{CUDASIM_VOTE_BALLOT, ~0u, 0xaaaaaaaa},
		{CUDASIM_VOTE_ALL, ~0u, 0},
		{CUDASIM_VOTE_ANY, ~0u, 1},
		{CUDASIM_VOTE_UNI, ~0u, 0},
		{CUDASIM_VOTE_ALL, 0xaa, 1},
		{CUDASIM_VOTE_ANY, 0x55, 0},
		{CUDASIM_VOTE_UNI, 0x55, 1},
		{CUDASIM_VOTE_BALLOT, 0xf, 0xa},
	};
	for (unsigned i = 0; i < sizeof votes / sizeof *votes; i++) {
		warp_compute(CUDASIM_WARP_VOTE, votes[i].kind, votes[i].lanes, operand, result);
		assert_int_equal(result[__builtin_ctz(votes[i].lanes)], votes[i].expected);
	}
}

/* ---- meeting ---------------------------------------------------------------------- */

/* A butterfly sum, again and again: a fast lane must not overwrite what a slow
 * one has yet to read. */
static void butterfly(const void *params)
{
	uint32_t *out = *(uint32_t *const *)params;
	SITE(site);
	uint32_t sum = tid();
	for (int round = 0; round < 5; round++) {
		for (uint32_t d = 16; d; d /= 2)
			sum += (uint32_t)__cudasim_shfl(CUDASIM_SHFL_BFLY, ~0u, sum, d, 31, &site);
		sum &= 0xffff;
	}
	out[tid()] = sum;
}

static void every_lane_gets_the_sum(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		uint32_t out[64], *p = out;
		harness_start(way);
		assert_int_equal(
			harness_launch(butterfly, &p, (struct shape){.grid = 1, .block = 64}), 0);
		harness_stop();
		uint32_t low = 31 * 16, high = 31 * 16 + 32 * 32;
		for (int round = 1; round < 5; round++) {
			low = low * 32 & 0xffff;
			high = high * 32 & 0xffff;
		}
		for (uint32_t i = 0; i < 64; i++)
			assert_int_equal(out[i], i < 32 ? low : high);
	}
}

/* Halves of a warp meet apart, in different places of the code. */
static void halves(const void *params)
{
	uint32_t *out = *(uint32_t *const *)params;
	SITE(one);
	SITE(other);
	uint32_t lane = tid();
	if (lane < 16)
		out[lane] = __cudasim_redux(CUDASIM_REDUX_ADD, 0xffff, lane, &one);
	else
		out[lane] = __cudasim_redux(CUDASIM_REDUX_ADD, 0xffff0000, lane, &other);
	/* And together, from different places. */
	if (lane & 1)
		__cudasim_syncwarp(~0u, &one);
	else
		__cudasim_syncwarp(~0u, &other);
	out[32 + lane] = out[31 - lane];
}

static void halves_of_a_warp_meet_apart(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		uint32_t out[64] = {0}, *p = out;
		harness_start(way);
		assert_int_equal(harness_launch(halves, &p, (struct shape){.grid = 1, .block = 32}),
				 0);
		harness_stop();
		for (uint32_t i = 0; i < 32; i++) {
			assert_int_equal(out[i], i < 16 ? 120 : 376);
			assert_int_equal(out[32 + i], i < 16 ? 376 : 120);
		}
	}
}

/* Lanes that have exited are missing from a full mask; so are those that a
 * short block never had. */
static void some_leave(const void *params)
{
	uint32_t *out = *(uint32_t *const *)params;
	SITE(site);
	if (tid() >= 8 && tid() < 12)
		return;
	out[tid()] = __cudasim_vote(CUDASIM_VOTE_BALLOT, ~0u, 1, &site);
}

static void exited_lanes_leave_the_masks(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		uint32_t out[20] = {0}, *p = out;
		harness_start(way);
		assert_int_equal(
			harness_launch(some_leave, &p, (struct shape){.grid = 1, .block = 20}), 0);
		harness_stop();
		for (uint32_t i = 0; i < 20; i++)
			if (way->config.schedule.order != SCHEDULE_RANDOM && (i < 8 || i >= 12))
				assert_int_equal(out[i] & 0xff0ff, 0xff0ff);
	}
}

/* ---- converging ---------------------------------------------------------------------- */

/* The aggregated atomic: the lanes of a branch find each other. */
static void aggregate(const void *params)
{
	uint32_t *out = *(uint32_t *const *)params;
	SITE(site);
	if (tid() % 3 == 0) {
		uint32_t mask = __cudasim_activemask(&site);
		out[tid()] = mask;
		uint32_t leader = (uint32_t)__builtin_ctz(mask);
		out[32 + tid()] = (uint32_t)__cudasim_shfl(CUDASIM_SHFL_IDX, mask, tid() + 7,
							   leader, 31, &site);
	}
}

static void lanes_of_a_branch_find_each_other(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		uint32_t out[64] = {0}, *p = out;
		harness_start(way);
		assert_int_equal(
			harness_launch(aggregate, &p, (struct shape){.grid = 1, .block = 32}), 0);
		harness_stop();
		for (uint32_t i = 0; i < 32; i++) {
			assert_int_equal(out[i], i % 3 ? 0 : 0x49249249);
			assert_int_equal(out[32 + i], i % 3 ? 0 : 7);
		}
	}
}

/* A lane that spins does not keep the others from converging, though it only
 * goes on when they have. */
static void converge_beside_a_spinner(const void *params)
{
	volatile uint32_t *out = *(uint32_t *volatile *)params;
	SITE(site);
	if (tid() == 5) {
		while (!out[0])
			BACK_EDGE(&site);
		out[1] = 1;
	} else {
		uint32_t mask = __cudasim_activemask(&site);
		if (tid() == 0)
			out[0] = mask;
	}
}

static void a_spinning_lane_does_not_count(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		uint32_t out[2] = {0}, *p = out;
		harness_start(way);
		assert_int_equal(harness_launch(converge_beside_a_spinner, &p,
						(struct shape){.grid = 1, .block = 32}),
				 0);
		harness_stop();
		assert_int_equal(out[0], ~(1u << 5));
		assert_int_equal(out[1], 1);
	}
}

/* The warp-synchronous reduction that has no __syncwarp. */
static void lockstep(const void *params)
{
	uint32_t *out = *(uint32_t *const *)params;
	volatile uint32_t *s = (uint32_t *)(__cudasim_self->block->shared + 1024);
	SITE(store);
	SITE(load);
	s[tid()] = tid() + 1;
	__cudasim_reconverge(&store);
	for (uint32_t d = 16; d; d /= 2) {
		uint32_t other = tid() < d ? s[tid() + d] : 0;
		__cudasim_reconverge(&load);
		s[tid()] = s[tid()] + other;
		__cudasim_reconverge(&load);
	}
	out[tid()] = s[0];
}

static void reconvergence_points_keep_a_warp_together(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		uint32_t out[32] = {0}, *p = out;
		harness_start(way);
		assert_int_equal(
			harness_launch(
				lockstep, &p,
				(struct shape){.grid = 1, .block = 32, .dynamic_shared = 256}),
			0);
		harness_stop();
		for (uint32_t i = 0; i < 32; i++)
			assert_int_equal(out[i], 32 * 33 / 2);
	}
}

/* All lanes of a warp come with a mask that lacks half of them: all take part, and so they do
 * where some have given way before. */
static void lacking(const void *params)
{
	uint32_t *out = *(uint32_t *const *)params;
	SITE(site);
	if (tid() % 3 == 0)
		BACK_EDGE(&site);
	out[tid()] = __cudasim_vote(CUDASIM_VOTE_BALLOT, 0xffff, tid() % 2, &site);
	out[32 + tid()] = tid() < 16 ? __cudasim_vote(CUDASIM_VOTE_BALLOT, 0xffff, 1, &site)
				     : __cudasim_vote(CUDASIM_VOTE_BALLOT, 0xffff0000, 1, &site);
}

static void all_with_one_mask_meet_whatever_it_names(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		uint32_t out[64] = {0}, *p = out;
		harness_start(way);
		assert_int_equal(
			harness_launch(lacking, &p, (struct shape){.grid = 1, .block = 32}), 0);
		harness_stop();
		for (uint32_t i = 0; i < 32; i++) {
			assert_int_equal(out[i], 0xaaaaaaaa);
			assert_int_equal(out[32 + i], i < 16 ? 0xffff : 0xffff0000);
		}
	}
}

/* The last lane of a warp comes when it has given way, and the warp stops again behind it. */
static void come_late(const void *params)
{
	volatile uint32_t *out = *(uint32_t *volatile *)params;
	SITE(site);
	if (tid() == 31)
		out[32] = 1;
	while (tid() == 5 && !out[32])
		BACK_EDGE(&site);
	out[tid()] = __cudasim_vote(CUDASIM_VOTE_BALLOT, ~0u, tid() % 2, &site);
	__cudasim_barrier(0, 0, &site);
}

static void a_warp_waits_for_one_that_has_given_way(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		uint32_t out[33] = {0}, *p = out;
		harness_start(way);
		assert_int_equal(
			harness_launch(come_late, &p, (struct shape){.grid = 1, .block = 32}), 0);
		harness_stop();
		for (uint32_t i = 0; i < 32; i++)
			assert_int_equal(out[i], 0xaaaaaaaa);
	}
}

/* Those who linger go on when the others wait at the barrier that they have yet to come to,
 * and one that spins for them does not hold them up. */
static void post_barrier(const void *params)
{
	volatile uint32_t *out = *(uint32_t *volatile *)params;
	volatile uint32_t *s = (uint32_t *)(__cudasim_self->block->shared + 1024);
	SITE(site);
	if (tid() == 0)
		s[0] = 7;
	__cudasim_barrier(0, 0, &site);
	if (tid() < 48) {
		out[tid()] = s[0];
		__cudasim_post_barrier(&site);
		s[0] = 1000 + tid();
		if (tid() == 1)
			s[1] = 1;
	} else if (tid() == 60) {
		while (!s[1])
			BACK_EDGE(&site);
	}
	__cudasim_barrier(0, 0, &site);
	out[64 + tid()] = s[1];
}

static void ordered_lanes_have_all_loaded(void **state)
{
	(void)state;
	EACH_WAY(way)
	{
		uint32_t out[128] = {0}, *p = out;
		harness_start(way);
		assert_int_equal(
			harness_launch(
				post_barrier, &p,
				(struct shape){.grid = 1, .block = 64, .dynamic_shared = 256}),
			0);
		bool drawn = way->config.schedule.order == SCHEDULE_RANDOM;
		harness_stop();
		for (uint32_t i = 0; i < 48 && !drawn; i++)
			assert_int_equal(out[i], 7);
		for (uint32_t i = 0; i < 64; i++)
			assert_int_equal(out[64 + i], 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shuffles_follow_the_isa),
		cmocka_unit_test(a_shuffle_from_an_absent_lane_gives_zero),
		cmocka_unit_test(votes_matches_and_sums_by_hand),
		cmocka_unit_test(every_lane_gets_the_sum),
		cmocka_unit_test(halves_of_a_warp_meet_apart),
		cmocka_unit_test(exited_lanes_leave_the_masks),
		cmocka_unit_test(lanes_of_a_branch_find_each_other),
		cmocka_unit_test(a_spinning_lane_does_not_count),
		cmocka_unit_test(reconvergence_points_keep_a_warp_together),
		cmocka_unit_test(a_warp_waits_for_one_that_has_given_way),
		cmocka_unit_test(ordered_lanes_have_all_loaded),
		cmocka_unit_test(all_with_one_mask_meet_whatever_it_names),
	};
	return cmocka_run_group_tests_name("warps", tests, NULL, NULL);
}
