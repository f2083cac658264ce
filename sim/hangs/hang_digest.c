/* SPDX-License-Identifier: Apache-2.0 */
/* hang_digest.c - the state of blocks as one number.
 *
 * A thread that stands still has its registers on its stack, so its stack is all there is of
 * it. What only counts (rounds, fuel, epochs of barriers) is left out: it grows for ever in
 * threads that do the same for ever. Nor does it matter where in a loop a thread stands that only
 * memory lets out (compiler/spin_loops/stay_loop.h). */
#include "block.h"
#include "hang.h"
#include "run.h"
#include "worker.h"

enum { LANES = 4 };

typedef uint64_t __attribute__((may_alias, aligned(1))) word_anywhere;

static uint64_t round_of(uint64_t digest, uint64_t word)
{
	digest = (digest ^ word) * 0x9e3779b97f4a7c15u;
	return digest ^ digest >> 29;
}

/* Other stacks, too, with what AddressSanitizer has marked there: without memcpy(), which it
 * watches in every function. */
__attribute__((no_sanitize_address)) uint64_t hang_mix(uint64_t digest, const void *data,
						       uint64_t n)
{
	const unsigned char *at = data;
	uint64_t rest[LANES] = {0}, lanes[LANES] = {digest, 1, 2, 3};
	for (; n >= sizeof lanes; n -= sizeof lanes, at += sizeof lanes)
		for (int i = 0; i < LANES; i++)
			lanes[i] = round_of(lanes[i], ((const word_anywhere *)at)[i]);
	for (uint64_t i = 0; i < n; i++)
		rest[i / 8] |= (uint64_t)at[i] << i % 8 * 8;
	for (int i = 0; i < LANES; i++)
		digest = round_of(digest, round_of(lanes[i], rest[i]));
	return digest;
}

static uint64_t thread_digest(uint64_t digest, const struct thread *t, bool exact)
{
	const unsigned char *sp = t->sp;
	bool gave_way = t->state == THREAD_YIELDED || t->state == THREAD_SLEEPING;
	bool only_waits = t->state == THREAD_YIELDED && t->wait & CUDASIM_WAIT_ONLY;
	digest = round_of(digest, t->pub.linear);
	/* It may have gone on to another place of its loop. */
	if (gave_way && t->stays)
		return round_of(digest, 2);
	if (!exact && (only_waits || t->polls))
		return round_of(digest, only_waits ? (uintptr_t)t->wait_address : 1);
	digest = round_of(digest, t->state);
	if (t->state == THREAD_EXITED || !t->fiber || !sp)
		return digest;
	/* Above that a pthread has what belongs to the system. */
	const unsigned char *end = t->fiber->baton ? t->fiber->baton_frame : t->fiber->top;
	return hang_mix(digest, sp, (uint64_t)(end - sp));
}

void hang_digest(const struct worker *worker, bool exact, void (*see)(uint64_t digest, void *arg),
		 void *arg)
{
	for (uint32_t i = 0; i < worker->n_ring; i++) {
		const struct block *b = worker->ring[i];
		uint64_t own = round_of(b->run->launch->pub.id, b->index);
		uint64_t whole = round_of(own, b->n_live);
		for (uint32_t j = 0; j < b->n_threads; j++)
			see(thread_digest(own, &b->threads[j], exact), arg);
		see(hang_mix(whole, b->pub.shared, b->pub.shared_bytes), arg);
	}
}
