/* SPDX-License-Identifier: Apache-2.0 */
/* schedule.c - orders as pure functions.
 *
 * The random order of the blocks in a window is a Feistel permutation of the
 * next power of four, walked until it falls into the window (Black, Rogaway:
 * Ciphers with arbitrary finite domains, 2002), so nothing has to be stored. */
#include "schedule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "error.h"

static uint64_t seed_from_clock(void)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	uint64_t state = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	return schedule_random(&state) >> 32; /* short enough to type */
}

struct cudasim_error *schedule_parse(const char *text, struct schedule *ret)
{
	*ret = (struct schedule){0};
	if (!text || !*text)
		return NULL;
	ret->fixed = true;
	if (!strcmp(text, "inorder"))
		return NULL;
	if (!strcmp(text, "reverse")) {
		ret->order = SCHEDULE_REVERSE;
		return NULL;
	}
	if (!strcmp(text, "random")) {
		ret->order = SCHEDULE_RANDOM;
		ret->seed = seed_from_clock();
		return NULL;
	}
	if (!strncmp(text, "random:", 7) && text[7] >= '0' && text[7] <= '9') {
		char *end;
		errno = 0;
		ret->order = SCHEDULE_RANDOM;
		ret->seed = strtoull(text + 7, &end, 0);
		if (!*end && !errno)
			return NULL;
	}
	return cudasim_error_new(
		CUDASIM_E_ARGUMENT,
		"CUDASIM_SCHEDULE=%s: must be inorder, reverse, random or random:SEED, "
		"SEED being a number below 2^64",
		text);
}

static uint32_t nth_bit(uint32_t mask, uint32_t n)
{
	while (n--)
		mask &= mask - 1;
	return (uint32_t)__builtin_ctz(mask);
}

uint32_t schedule_bit(enum schedule_order order, uint64_t *state, uint32_t mask)
{
	switch (order) {
	case SCHEDULE_REVERSE:
		return 31 - (uint32_t)__builtin_clz(mask);
	case SCHEDULE_RANDOM:
		return nth_bit(mask, schedule_below(state, (uint32_t)__builtin_popcount(mask)));
	case SCHEDULE_INORDER:
		break;
	}
	return (uint32_t)__builtin_ctz(mask);
}

static uint32_t feistel(uint64_t seed, uint32_t x, uint32_t half_bits)
{
	uint32_t mask = (1u << half_bits) - 1;
	uint32_t left = x >> half_bits, right = x & mask;
	for (uint32_t round = 0; round < 4; round++) {
		uint64_t state = seed ^ (uint64_t)round << 56 ^ (uint64_t)right << 20;
		uint32_t next = left ^ ((uint32_t)schedule_random(&state) & mask);
		left = right;
		right = next;
	}
	return left << half_bits | right;
}

static uint32_t shuffled(uint64_t seed, uint32_t i, uint32_t n)
{
	uint32_t half_bits = 1;
	while (1ull << 2 * half_bits < n)
		half_bits++;
	do
		i = feistel(seed, i, half_bits);
	while (i >= n);
	return i;
}

uint64_t schedule_block(enum schedule_order order, uint64_t seed, uint64_t i, uint64_t n,
			uint32_t window)
{
	uint64_t start = i - i % window;
	uint32_t size = n - start < window ? (uint32_t)(n - start) : window;
	uint32_t place = (uint32_t)(i - start);
	switch (order) {
	case SCHEDULE_REVERSE:
		return start + size - 1 - place;
	case SCHEDULE_RANDOM:
		return start + shuffled(seed ^ start * 0x9e3779b97f4a7c15u, place, size);
	case SCHEDULE_INORDER:
		break;
	}
	return i;
}
