/* SPDX-License-Identifier: Apache-2.0 */
/* watched_loops.c - what loops over a block's threads call where tools watch them: accesses of many
 * threads at once. An observer looks at all lanes; of those in which it may find something it is then
 * told one by one, as if each thread ran by itself. */
#include <string.h>

#include "block.h"
#include "observer.h"
#include "tell.h"
#include "watched.h"

struct cudasim_thread *__cudasim_loop_watched(struct cudasim_block *block, uint32_t linear)
{
	struct cudasim_thread *thread = __cudasim_loop_thread(block, linear);
	thread->want = observe_thread_want(block->launch);
	return thread;
}

/* One lane's access to one observer. What lanes store is stored at once where one of them is told alone, as if
 * their threads came one after the other: the code does so again. */
static void tell_one(const struct hearer *to, struct cudasim_block *block, uint32_t linear,
		     const void *address, uint64_t size, uint32_t flags,
		     const struct cudasim_site *site)
{
	struct cudasim_thread *thread = __cudasim_loop_watched(block, linear);
	struct cudasim_access access = access_describe(thread, address, size, flags, site);
	thread->site = site;
	if (!(atomic_load_explicit(&to->watcher->want, memory_order_relaxed) &
	      access_wanted(&access)))
		return;
	observer_frame = __builtin_frame_address(0);
	enum cudasim_verdict verdict = to->observer->access(to->observer->tool, thread, &access);
	observer_frame = NULL;
	obey(thread, verdict);
	/* If it ends the launch, no lane behind has made its own. */
	volatile char *at = (volatile char *)(uintptr_t)access.address;
	if (flags & CUDASIM_ACCESS_STORE)
		__atomic_fetch_or(at, 0, __ATOMIC_RELAXED);
	else
		(void)*at;
}

/* Lanes by where their addresses lie; none is in two of them. */
struct places {
	uint32_t misaligned, shared, global;
	uint32_t live; /* on the stack, in frames of functions that have not returned */
};

static void add_place(struct places *ret, uint32_t lane, uint64_t address, uint64_t wrong_bits,
		      const struct cudasim_block *block, const struct fiber *own, uint64_t live)
{
	if (address & wrong_bits)
		ret->misaligned |= lane;
	else if (address - (uintptr_t)block->shared < block->shared_bytes)
		ret->shared |= lane;
	else if (address - (uintptr_t)own->low >= (uintptr_t)(own->top - own->low))
		ret->global |= lane;
	else if (address >= live)
		ret->live |= lane;
}

static bool meets(uint64_t low, uint64_t end, const void *from, uint64_t bytes)
{
	return low < (uintptr_t)from + bytes && end > (uintptr_t)from;
}

/* live: where frames begin that are in use. */
static struct places places_of(uint32_t lanes, const struct cudasim_lanes *accesses,
			       const struct cudasim_block *block, uint64_t live)
{
	const struct fiber *own = ((const struct thread *)__cudasim_self)->fiber;
	uint64_t mask = accesses->alignment - 1, wrong = mask | ~0ull << CUDASIM_MISALIGNED_SHIFT;
	struct places ret = {0};
	if (!accesses->addresses && !((uint64_t)accesses->stride & mask)) {
		uint64_t a = cudasim_lane_address(accesses, (uint32_t)__builtin_ctz(lanes)),
			 z = cudasim_lane_address(accesses, 31 - (uint32_t)__builtin_clz(lanes));
		uint64_t low = a < z ? a : z, last = a < z ? z : a, end = last + accesses->size;
		bool aligned = !((low | end) & wrong & ~mask) && !(low & mask);
		/* Mostly they lie together. */
		if (aligned && low >= live && end <= (uintptr_t)own->top) {
			return (struct places){.live = lanes};
		} else if (meets(low, end, block->shared, block->shared_bytes)) {
			if (aligned && low >= (uintptr_t)block->shared &&
			    last - (uintptr_t)block->shared < block->shared_bytes)
				return (struct places){.shared = lanes};
		} else if (aligned && accesses->declared_space < SPACE_NVVM_SHARED &&
			   !meets(low, end, own->low, (uint64_t)(own->top - own->low))) {
			return (struct places){.global = lanes};
		}
	}
	for (uint32_t left = lanes; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);
		add_place(&ret, 1u << lane, cudasim_lane_address(accesses, lane), wrong, block, own,
			  live);
	}
	/* Those are told as what the code says of them. */
	if (accesses->declared_space >= SPACE_NVVM_SHARED)
		ret.global = 0;
	return ret;
}

void __cudasim_on_lanes(struct cudasim_block *block, uint32_t first, uint32_t lanes,
			const void *base, int64_t stride, const uint64_t *addresses, uint64_t size,
			uint32_t flags, const uint64_t *values, uint64_t value,
			const struct cudasim_site *site)
{
	struct cudasim_lanes accesses = {
		.first = first,
		.base = base,
		.stride = stride,
		.addresses = addresses,
		.size = size,
		.alignment = 1u << (flags >> CUDASIM_ACCESS_ALIGN_SHIFT & 0xf),
		.what = flags & 0xff,
		.declared_space = flags >> CUDASIM_ACCESS_SPACE_SHIFT & 0xf,
		.scope = (enum cudasim_scope)(flags >> CUDASIM_ACCESS_SCOPE_SHIFT & 0xf),
		.order = (enum cudasim_order)(flags >> CUDASIM_ACCESS_ORDER_SHIFT & 0xf),
		.op = (enum cudasim_atomic_op)(flags >> CUDASIM_ACCESS_OP_SHIFT & 0xff),
		.site = site,
	};
	if (!size || !block->launch->watch)
		return;
	/* The code stands above our frame pointer and return address. */
	struct places places =
		places_of(lanes, &accesses, block,
			  (uintptr_t)__builtin_frame_address(0) + 2 * sizeof(void *));
	uint32_t wrong = places.misaligned;
	lanes &= ~places.live;
	FOR_WANTING(block->launch, access, CUDASIM_WANT_ACCESS | CUDASIM_WANT_LOCAL, o)
	{
		uint32_t left = lanes;
		observer_frame = __builtin_frame_address(0);
		if (o->access_lanes && places.global) {
			accesses.space = CUDASIM_SPACE_GLOBAL;
			left &= ~places.global |
				o->access_lanes(o->tool, block, places.global, &accesses);
		}
		if (o->access_lanes && places.shared) {
			accesses.space = CUDASIM_SPACE_SHARED;
			left &= ~places.shared |
				o->access_lanes(o->tool, block, places.shared, &accesses);
		}
		observer_frame = NULL;
		obey(__cudasim_self, CUDASIM_GO);
		bool stores = flags & CUDASIM_ACCESS_STORE && !(flags & CUDASIM_ACCESS_ATOMIC) &&
			      size <= sizeof value && !wrong;
		for (uint32_t rest = left && stores ? lanes : left; rest; rest &= rest - 1) {
			uint32_t lane = (uint32_t)__builtin_ctz(rest);
			uint64_t at = cudasim_lane_address(&accesses, lane);
			if (left >> lane & 1)
				tell_one(h_, block, first + lane, (const void *)(uintptr_t)at, size,
					 flags, site);
			if (!stores)
				continue;
			memcpy((void *)(uintptr_t)at, values ? &values[lane] : &value, size);
			if (left >> lane & 1 && o->access_lanes) {
				struct cudasim_lanes done = accesses;
				done.first = first + lane;
				observer_frame = __builtin_frame_address(0);
				o->access_lanes(o->tool, block, 0, &done);
				observer_frame = NULL;
			}
		}
	}
	if (wrong) {
		uint32_t lane = (uint32_t)__builtin_ctz(wrong);
		struct cudasim_thread *thread = __cudasim_loop_watched(block, first + lane);
		thread->site = site;
		const void *at = (const void *)(uintptr_t)cudasim_lane_address(&accesses, lane);
		struct cudasim_access access = access_describe(thread, at, size, flags, site);
		scheduler_misaligned(thread, access.address, flags & CUDASIM_ACCESS_STORE, site);
	}
}

/* Some have ended: of the others each is told. */
static void tell_arrivals(struct block *b, const struct cudasim_barrier *barrier,
			  const unsigned char *alive)
{
	struct cudasim_barrier seen = *barrier;
	uint32_t n_ended = 0;
	for (uint32_t i = 0; i < b->n_threads; i++)
		n_ended += !alive[i];
	seen.n_arrived = n_ended;
	for (uint32_t i = 0; n_ended && i < b->n_threads; i++) {
		if (!alive[i])
			continue;
		struct cudasim_thread *thread = __cudasim_loop_watched(&b->pub, i);
		thread->site = seen.site;
		observe_barrier_arrive(thread, &seen);
		seen.n_arrived++;
	}
}

void __cudasim_on_loop_barrier(struct cudasim_block *pub, const struct cudasim_site *site,
			       const unsigned char *alive)
{
	struct block *b = (struct block *)pub;
	struct cudasim_barrier barrier = {
		.kind = CUDASIM_BARRIER_BLOCK,
		.n_expected = b->n_threads,
		.n_arrived = b->n_threads,
		.epoch = b->n_loop_barriers++,
		.site = site,
	};
	if (alive)
		tell_arrivals(b, &barrier, alive);
	observer_frame = __builtin_frame_address(0);
	observe_barrier_open(pub, &barrier);
	observer_frame = NULL;
	obey(__cudasim_self, CUDASIM_GO);
}
