/* SPDX-License-Identifier: Apache-2.0 */
/* mbarrier.c - the mbarrier object (PTX ISA, "mbarrier"), for the PTX translator.
 *
 * What its 64 bits are stands in cudasim/abi.h. Arrivals and waits are libcudasim's
 * (sim/loops/mbarrier.c) where no observer asks: loops over warps do them for all lanes at once.
 *
 * The end of a phase wakes those who wait for it. On hardware all lanes of a warp leave the
 * wait at once, so one of them may destroy the mbarrier behind it, or put other data into
 * its place; here the others would look at that and wait on. */
#include "builtins.h"

#define COUNT_BITS CUDASIM_MBARRIER_COUNT_BITS
#define COUNT ((1ull << COUNT_BITS) - 1)
#define TX_SHIFT (2 * COUNT_BITS)
#define TX_MASK (((1ull << CUDASIM_MBARRIER_TX_BITS) - 1) << TX_SHIFT)
#define PHASE (1ull << CUDASIM_MBARRIER_PARITY_BIT)

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

/* Where observers want anything, each access to the object is one that they see. */
INLINE bool is_observed(void)
{
	return __builtin_expect(__cudasim_context()->want != 0, 0);
}

INLINE uint64_t arrive_observed(uint64_t *bar, uint32_t count, bool drop, SITE)
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

/* Answers the state before; drop: later phases expect `count` arrivals less. */
uint64_t NVVM(mbarrier_arrive_drop_count)(uint64_t *bar, uint32_t count, bool drop, SITE)
{
	uint32_t n = count < CUDASIM_MBARRIER_DROP ? count : CUDASIM_MBARRIER_DROP - 1;

	if (is_observed())
		return arrive_observed(bar, count, drop, site);
	n |= drop ? CUDASIM_MBARRIER_DROP : 0;
	return __cudasim_mbarrier_arrive((uint64_t)bar, n, *bar, site);
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

	if (now >> CUDASIM_MBARRIER_PARITY_BIT != odd)
		return false;
	leave(bar, false, now, site);
	return true;
}

/* Is the phase of parity `odd` over? Others run where it is not: programs ask in loops. */
INLINE bool over_observed(const uint64_t *bar, bool odd, SITE)
{
	uint64_t now = load(bar);
	bool over = now >> CUDASIM_MBARRIER_PARITY_BIT != odd, woken = false;

	if (!over) {
		__cudasim_yield(bar, CUDASIM_WAIT_MBARRIER | 8, site);
		woken = __cudasim_mbarrier_woken() != 0;
	}
	if (over || woken)
		leave(bar, woken, now, site);
	return over || woken;
}

/* Is the phase of that parity over? */
INLINE bool is_over(const uint64_t *bar, uint32_t how, SITE)
{
	bool odd = how & 1;

	if (is_observed()) /* once more after others ran */
		return over_observed(bar, odd, site) ||
		       (how & CUDASIM_MBARRIER_TRY && over_now(bar, !odd, site));
	return __cudasim_mbarrier_wait((uint64_t)bar, how, *bar, site) != 0;
}

/* Is the phase over in which `state` was current? */
bool NVVM(mbarrier_test_wait_state)(uint64_t *bar, uint64_t state, SITE)
{
	return is_over(bar, (state & PHASE) != 0, site);
}

/* Is the phase of this parity over? */
bool NVVM(mbarrier_test_wait_parity)(uint64_t *bar, uint32_t parity, SITE)
{
	return is_over(bar, parity & 1, site);
}

bool NVVM(mbarrier_try_wait_state)(uint64_t *bar, uint64_t state, SITE)
{
	return is_over(bar, (state & PHASE ? 1 : 0) | CUDASIM_MBARRIER_TRY, site);
}

bool NVVM(mbarrier_try_wait_parity)(uint64_t *bar, uint32_t parity, SITE)
{
	return is_over(bar, (parity & 1) | CUDASIM_MBARRIER_TRY, site);
}
