/* SPDX-License-Identifier: Apache-2.0 */
/* mbarrier.c - the mbarrier object (PTX ISA, "mbarrier"), for the PTX translator.
 *
 * The 64 bits of the object are opaque to programs. Here, from the lowest up:
 * 20 bits of pending arrivals, 20 bits of expected arrivals (of later phases),
 * 23 bits of transaction bytes still to come (two's complement), and the parity
 * of the current phase. A phase completes when both the pending arrivals and the
 * bytes are 0: then pending becomes expected and the parity flips.
 *
 * The end of a phase wakes those who wait for it. On hardware all lanes of a warp leave the
 * wait at once, so one of them may destroy the mbarrier behind it, or put other data into
 * its place; here the others would look at that and wait on. For the
 * same reason lanes that find a phase over go on together. */
#include "builtins.h"

#define COUNT_BITS 20
#define COUNT ((1ull << COUNT_BITS) - 1)
#define TX_SHIFT (2 * COUNT_BITS)
#define TX_MASK (((1ull << 23) - 1) << TX_SHIFT)
#define PHASE (1ull << 63)

/* `before` is the state that the operation found, for INIT the one that it made. */
INLINE void tell(uint32_t kind, const uint64_t *bar, uint32_t count, uint64_t before, bool ends,
		 SITE)
{
	if (__builtin_expect(__cudasim_context()->want & CUDASIM_WANT_MBARRIER, 0))
		__cudasim_on_mbarrier(kind, bar, count, (uint32_t)(before & COUNT),
				      (uint32_t)(before >> COUNT_BITS & COUNT), ends, site);
}

INLINE uint64_t complete(uint64_t state)
{
	if ((state & COUNT) || (state & TX_MASK))
		return state;
	return (state ^ PHASE) | (state >> COUNT_BITS & COUNT);
}

/* After an operation that has changed the state from old to new. */
INLINE bool wake(const uint64_t *bar, uint64_t old, uint64_t new)
{
	bool ends = ((old ^ new) & PHASE) != 0;

	if (ends)
		__cudasim_mbarrier_wake(bar);
	return ends;
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

void NVVM(mbarrier_set)(uint64_t *bar, uint32_t count, SITE)
{
	uint64_t n = count & COUNT;

	__atomic_store_n(bar, n << COUNT_BITS | n, __ATOMIC_RELEASE);
	tell(CUDASIM_MBARRIER_INIT, bar, count, n << COUNT_BITS | n, false, site);
}

/* The object keeps its state, as on an H200: a warp that has not seen the end of the last phase
 * yet still finds it over. */
void NVVM(mbarrier_clear)(uint64_t *bar, SITE)
{
	tell(CUDASIM_MBARRIER_INVALIDATE, bar, 0, load(bar), false, site);
}

/* Answers the state before; drop: later phases expect `count` arrivals less. */
uint64_t NVVM(mbarrier_arrive_drop_count)(uint64_t *bar, uint32_t count, bool drop, SITE)
{
	uint64_t old = load(bar), new;

	do {
		/* As an H200 does it; memory that nobody has set up is let pass there. */
		if (__builtin_expect(count > (old & COUNT) && (old >> COUNT_BITS & COUNT), 0))
			__cudasim_trap(CUDASIM_TRAP_MBARRIER, site);
		new = (old & ~COUNT) | ((old - count) & COUNT);
		if (drop)
			new -= (uint64_t)(count & COUNT) << COUNT_BITS;
		new = complete(new);
	} while (!__atomic_compare_exchange_n(bar, &old, new, false, __ATOMIC_ACQ_REL,
					      __ATOMIC_ACQUIRE));
	tell(CUDASIM_MBARRIER_ARRIVE, bar, count, old, wake(bar, old, new), site);
	return old;
}

void NVVM(mbarrier_expect_tx)(uint64_t *bar, uint32_t bytes)
{
	uint64_t old = load(bar);

	while (!__atomic_compare_exchange_n(bar, &old, add_tx(old, bytes), false, __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE))
		;
}

void NVVM(mbarrier_complete_tx)(uint64_t *bar, uint32_t bytes, SITE)
{
	uint64_t old = load(bar), new;

	do {
		new = complete(add_tx(old, 0u - bytes));
	} while (!__atomic_compare_exchange_n(bar, &old, new, false, __ATOMIC_ACQ_REL,
					      __ATOMIC_ACQUIRE));
	tell(CUDASIM_MBARRIER_COPIED, bar, bytes, old, wake(bar, old, new), site);
}

uint32_t NVVM(mbarrier_pending)(uint64_t state)
{
	return (uint32_t)(state & COUNT);
}

INLINE void leave(const uint64_t *bar, bool woken, uint64_t now, SITE)
{
	tell(CUDASIM_MBARRIER_WAITED, bar, woken, now, true, site);
	__cudasim_reconverge(site);
}

/* Is a phase of parity `odd` current? Then the one before it is over. */
INLINE bool over_now(const uint64_t *bar, bool odd, SITE)
{
	uint64_t now = load(bar);

	if (now >> 63 != odd)
		return false;
	leave(bar, false, now, site);
	return true;
}

/* Is the phase of parity `odd` over? Others run where it is not: programs ask in loops. */
INLINE bool over_soon(const uint64_t *bar, bool odd, SITE)
{
	uint64_t now = load(bar);
	bool over = now >> 63 != odd, woken = false;

	if (!over) {
		__cudasim_yield(bar, CUDASIM_WAIT_MBARRIER | 8, site);
		woken = __cudasim_mbarrier_woken() != 0;
	}
	if (over || woken)
		leave(bar, woken, now, site);
	return over || woken;
}

/* Is the phase over in which `state` was current? */
bool NVVM(mbarrier_test_wait_state)(uint64_t *bar, uint64_t state, SITE)
{
	return over_soon(bar, (state & PHASE) != 0, site);
}

/* Is the phase of this parity over? */
bool NVVM(mbarrier_test_wait_parity)(uint64_t *bar, uint32_t parity, SITE)
{
	return over_soon(bar, parity & 1, site);
}

bool NVVM(mbarrier_try_wait_state)(uint64_t *bar, uint64_t state, SITE)
{
	/* Once more after others ran. */
	return NVVM(mbarrier_test_wait_state)(bar, state, site) ||
	       over_now(bar, (state & PHASE) == 0, site);
}

bool NVVM(mbarrier_try_wait_parity)(uint64_t *bar, uint32_t parity, SITE)
{
	return NVVM(mbarrier_test_wait_parity)(bar, parity, site) ||
	       over_now(bar, (parity & 1) == 0, site);
}
