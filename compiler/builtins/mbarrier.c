/* SPDX-License-Identifier: Apache-2.0 */
/* mbarrier.c - the mbarrier object (PTX ISA, "mbarrier"), for the PTX translator.
 *
 * The 64 bits of the object are opaque to programs. Here, from the lowest up:
 * 20 bits of pending arrivals, 20 bits of expected arrivals (of later phases),
 * 23 bits of transaction bytes still to come (two's complement), and the parity
 * of the current phase. A phase completes when both the pending arrivals and the
 * bytes are 0: then pending becomes expected and the parity flips. */
#include "builtins.h"

#define COUNT_BITS 20
#define COUNT ((1ull << COUNT_BITS) - 1)
#define TX_SHIFT (2 * COUNT_BITS)
#define TX_MASK (((1ull << 23) - 1) << TX_SHIFT)
#define PHASE (1ull << 63)

INLINE uint64_t complete(uint64_t state)
{
	if ((state & COUNT) || (state & TX_MASK))
		return state;
	return (state ^ PHASE) | (state >> COUNT_BITS & COUNT);
}

INLINE uint64_t load(const uint64_t *bar)
{
	return __atomic_load_n(bar, __ATOMIC_ACQUIRE);
}

INLINE uint64_t add_tx(uint64_t state, uint32_t bytes)
{
	uint64_t tx = (state + ((uint64_t)bytes << TX_SHIFT)) & TX_MASK;

	return (state & ~TX_MASK) | tx;
}

void NVVM(mbarrier_set)(uint64_t *bar, uint32_t count)
{
	uint64_t n = count & COUNT;

	__atomic_store_n(bar, n << COUNT_BITS | n, __ATOMIC_RELEASE);
}

void NVVM(mbarrier_clear)(uint64_t *bar)
{
	__atomic_store_n(bar, 0, __ATOMIC_RELEASE);
}

/* Answers the state before; drop: later phases expect `count` arrivals less. */
uint64_t NVVM(mbarrier_arrive_drop_count)(uint64_t *bar, uint32_t count, bool drop)
{
	uint64_t old = load(bar), new;

	do {
		new = (old & ~COUNT) | ((old - count) & COUNT);
		if (drop)
			new -= (uint64_t)(count & COUNT) << COUNT_BITS;
		new = complete(new);
	} while (!__atomic_compare_exchange_n(bar, &old, new, false, __ATOMIC_ACQ_REL,
					      __ATOMIC_ACQUIRE));
	return old;
}

void NVVM(mbarrier_expect_tx)(uint64_t *bar, uint32_t bytes)
{
	uint64_t old = load(bar);

	while (!__atomic_compare_exchange_n(bar, &old, add_tx(old, bytes), false, __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE))
		;
}

void NVVM(mbarrier_complete_tx)(uint64_t *bar, uint32_t bytes)
{
	uint64_t old = load(bar);

	while (!__atomic_compare_exchange_n(bar, &old, complete(add_tx(old, 0u - bytes)), false,
					    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
}

uint32_t NVVM(mbarrier_pending)(uint64_t state)
{
	return (uint32_t)(state & COUNT);
}

/* Is the phase over in which `state` was current? Others run where it is not:
 * programs ask in loops. */
bool NVVM(mbarrier_test_wait_state)(uint64_t *bar, uint64_t state, SITE)
{
	bool over = ((load(bar) ^ state) & PHASE) != 0;

	if (!over)
		__cudasim_yield(site);
	return over;
}

/* Is the phase of this parity over? */
bool NVVM(mbarrier_test_wait_parity)(uint64_t *bar, uint32_t parity, SITE)
{
	bool over = load(bar) >> 63 != (parity & 1);

	if (!over)
		__cudasim_yield(site);
	return over;
}

bool NVVM(mbarrier_try_wait_state)(uint64_t *bar, uint64_t state, SITE)
{
	return NVVM(mbarrier_test_wait_state)(bar, state, site) ||
	       ((load(bar) ^ state) & PHASE) != 0;
}

bool NVVM(mbarrier_try_wait_parity)(uint64_t *bar, uint32_t parity, SITE)
{
	return NVVM(mbarrier_test_wait_parity)(bar, parity, site) ||
	       load(bar) >> 63 != (parity & 1);
}
