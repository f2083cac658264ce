/* SPDX-License-Identifier: Apache-2.0 */
/* Locks: what the order of critical sections orders, and what it does not.
 *
 * By CUDA's memory model a release of a lock and the next acquire of it are an edge of
 * happens-before, but which thread comes first is nobody's choice. A pair of accesses
 * that only this edge orders is a race in another run of the same program, so it is to
 * be found in each. Where the later section reads what the earlier one wrote, it cannot
 * have come first and do what it did: that order is the program's own. */
#include <cuda/atomic>
#include <cuda/barrier>

#include "../cases.h"

/* ---- kinds of locks ------------------------------------------------------- */

struct by_cas {
	static __device__ void take(int *lock)
	{
		while (atomicCAS(lock, 0, 1))
			;
		__threadfence();
	}
	static __device__ void give(int *lock)
	{
		__threadfence();
		atomicExch(lock, 0);
	}
};

/* The holder puts its block's number there, and takes itself out again. */
struct by_owner {
	static __device__ void take(int *lock)
	{
		while (atomicCAS(lock, 0, (int)blockIdx.x + 1))
			;
		__threadfence();
	}
	static __device__ void give(int *lock)
	{
		__threadfence();
		atomicCAS(lock, (int)blockIdx.x + 1, 0);
	}
};

struct by_exchange {
	static __device__ void take(int *lock)
	{
		while (atomicExch(lock, 1))
			;
		__threadfence();
	}
	static __device__ void give(int *lock)
	{
		__threadfence();
		atomicExch(lock, 0);
	}
};

struct by_order {
	typedef cuda::atomic_ref<int, cuda::thread_scope_device> ref;
	static __device__ void take(int *lock)
	{
		int free = 0;
		while (!ref(*lock).compare_exchange_strong(free, 1, cuda::memory_order_acquire))
			free = 0;
	}
	static __device__ void give(int *lock) { ref(*lock).store(0, cuda::memory_order_release); }
};

struct by_flag {
	typedef cuda::atomic_ref<int, cuda::thread_scope_device> ref;
	static __device__ void take(int *lock)
	{
		while (ref(*lock).exchange(1, cuda::memory_order_acquire))
			;
	}
	static __device__ void give(int *lock) { ref(*lock).store(0, cuda::memory_order_release); }
};

/* ---- accesses after and before a section ---------------------------------- */

/* Each block reads *data under the lock. Block 0 writes it behind its section: nothing keeps
 * the others' sections from coming then. What they all write under the lock, *seen, is
 * read by none of them. Innocent: it writes under the lock, too. */
template <typename LOCK, bool INSIDE> __global__ void write_after(int *lock, int *data, int *seen)
{
	LOCK::take(lock);
	*seen = *data;                   /* FINDS(write_after_guilty): race */ /* FINDS(owner_guilty): race */ /* FINDS(exchange_guilty): race */ /* FINDS(order_guilty): race */ /* FINDS(flag_guilty): race */
	if (INSIDE && blockIdx.x == 0)
		*data = 1;
	LOCK::give(lock);
	if (!INSIDE && blockIdx.x == 0)
		*data = 1;               /* FINDS(write_after_guilty): race */ /* FINDS(owner_guilty): race */ /* FINDS(exchange_guilty): race */ /* FINDS(order_guilty): race */ /* FINDS(flag_guilty): race */
}
#define WRITE_AFTER(NAME, LOCK)                                                               \
	CASE(NAME##_guilty) { device_array<int> a(3); write_after<LOCK, false><<<4, 1>>>(a, a + 1, a + 2); } \
	CASE(NAME##_innocent) { device_array<int> a(3); write_after<LOCK, true><<<4, 1>>>(a, a + 1, a + 2); }
WRITE_AFTER(write_after, by_cas)
WRITE_AFTER(owner, by_owner)
WRITE_AFTER(exchange, by_exchange)
WRITE_AFTER(order, by_order)
WRITE_AFTER(flag, by_flag)

/* All write *last under the lock, the last one wins: no race. Block 0 looks at it behind its
 * section, when another may be in there. */
template <bool INSIDE> __global__ void read_after(int *lock, int *last, int *out)
{
	int seen = 0;
	by_cas::take(lock);
	*last = blockIdx.x;                                      /* FINDS(read_after_guilty): race */
	if (INSIDE && blockIdx.x == 0)
		seen = *last;
	by_cas::give(lock);
	if (!INSIDE && blockIdx.x == 0)
		seen = *last;                                    /* FINDS(read_after_guilty): race */
	out[blockIdx.x] = seen;
}
CASE(read_after_guilty) { device_array<int> a(6); read_after<false><<<4, 1>>>(a, a + 1, a + 2); }
CASE(read_after_innocent) { device_array<int> a(6); read_after<true><<<4, 1>>>(a, a + 1, a + 2); }

/* Block 0 prepares *data before its section, and nobody else knows whether it has been there:
 * the sections only write. Innocent: they ask a counter that they keep under the lock, and
 * look at *data only if block 0's section has been. */
template <bool ASKS> __global__ void write_before(int *lock, int *data, int *ready, int *out)
{
	bool there = !ASKS;
	if (blockIdx.x == 0)
		*data = 7;                                       /* FINDS(write_before_guilty): race */
	by_cas::take(lock);
	if (ASKS && *ready)
		there = true;
	if (blockIdx.x == 0 || !ASKS)
		*ready = 1;
	by_cas::give(lock);
	if (there && blockIdx.x)
		out[blockIdx.x] = *data;                         /* FINDS(write_before_guilty): race */
}
CASE(write_before_guilty) { device_array<int> a(7); write_before<false><<<4, 1>>>(a, a + 1, a + 2, a + 3); }
CASE(write_before_innocent) { device_array<int> a(7); write_before<true><<<4, 1>>>(a, a + 1, a + 2, a + 3); }

/* Two locks: whoever has one may meet who has the other. */
__global__ void other_lock(int *locks, int *last, int mask)
{
	int *lock = &locks[blockIdx.x & mask];
	by_cas::take(lock);
	*last = blockIdx.x;                                      /* FINDS(other_lock_guilty): race */
	by_cas::give(lock);
}
CASE(other_lock_guilty) { device_array<int> a(3); other_lock<<<4, 1>>>(a, a + 2, 1); }
CASE(other_lock_innocent) { device_array<int> a(3); other_lock<<<4, 1>>>(a, a + 2, 0); }

/* The inner lock is released before *last is written: the outer one, which is one for each
 * block, guards nothing. */
template <bool INNER> __global__ void nested(int *outer, int *inner, int *last, int *n)
{
	by_cas::take(&outer[blockIdx.x]);
	by_cas::take(inner);
	*n = blockIdx.x;
	if (INNER)
		*last = blockIdx.x;
	by_cas::give(inner);
	if (!INNER)
		*last = blockIdx.x;                              /* FINDS(nested_guilty): race */
	by_cas::give(&outer[blockIdx.x]);
}
CASE(nested_guilty) { device_array<int> a(7); nested<false><<<4, 1>>>(a, a + 4, a + 5, a + 6); }
CASE(nested_innocent) { device_array<int> a(7); nested<true><<<4, 1>>>(a, a + 4, a + 5, a + 6); }

/* A lock in shared memory, of the block's scope, between warps. */
template <bool INSIDE> __global__ void warps(int *out)
{
	__shared__ int lock, last;
	if (threadIdx.x == 0)
		lock = last = 0;
	__syncthreads();
	int seen = 0;
	if (threadIdx.x % 32 == 0) {
		while (atomicCAS_block(&lock, 0, 1))
			;
		__threadfence_block();
		last = threadIdx.x;                              /* FINDS(warps_guilty): race */
		if (INSIDE)
			seen = last;
		__threadfence_block();
		atomicExch_block(&lock, 0);
		if (!INSIDE)
			seen = last;                             /* FINDS(warps_guilty): race */
		out[threadIdx.x] = seen;
	}
}
CASE(warps_guilty) { device_array<int> a(128); warps<false><<<1, 128>>>(a); }
CASE(warps_innocent) { device_array<int> a(128); warps<true><<<1, 128>>>(a); }

/* ---- order that sections make --------------------------------------------- */

/* Each block adds itself to a counter under the lock; who finds that it is the last one adds
 * up what all wrote before their sections: it has read what each of them left in the
 * counter. Guilty: the counter is none of the lock's, and the sections only write; an atomic
 * without a fence before it hands nothing on. */
template <bool COUNTED> __global__ void last_in(int *lock, int *n, int *partial, int *latest, int *sum)
{
	partial[blockIdx.x] = blockIdx.x;                        /* FINDS(last_in_guilty): race */
	bool last = !COUNTED && atomicAdd(n, 1) == (int)gridDim.x - 1;
	by_cas::take(lock);
	if (COUNTED)
		last = ++*n == (int)gridDim.x;
	*latest = blockIdx.x;
	by_cas::give(lock);
	if (last)
		for (int i = 0; i < (int)gridDim.x; i++)
			*sum += partial[i];                      /* FINDS(last_in_guilty): race */
}
CASE(last_in_guilty) { device_array<int> a(12); last_in<false><<<8, 1>>>(a, a + 1, a + 2, a + 10, a + 11); }
CASE(last_in_innocent) { device_array<int> a(12); last_in<true><<<8, 1>>>(a, a + 1, a + 2, a + 10, a + 11); }

/* A list: nodes are filled, then published under the lock. Block 0 waits until all are there
 * (the counter orders nothing), takes the list under the lock and reads outside. Guilty:
 * half of a node is filled in behind the section. */
struct node {
	node *next;
	int value, more;
};
template <bool LATE> __global__ void list(int *lock, int *n, node **head, node *nodes, int *out)
{
	node *mine = &nodes[blockIdx.x];
	mine->value = blockIdx.x;
	if (!LATE)
		mine->more = 1;
	by_cas::take(lock);
	mine->next = *head;
	*head = mine;
	++*n;
	by_cas::give(lock);
	if (LATE)
		mine->more = 1;                                  /* FINDS(list_guilty): race */
	int there = 0;
	node *one = nullptr;
	while (blockIdx.x == 0 && there != (int)gridDim.x) {
		by_cas::take(lock);
		there = *n;
		one = *head;
		by_cas::give(lock);
	}
	for (; one; one = one->next)
		out[one - nodes] = one->value + one->more;       /* FINDS(list_guilty): race */
}
template <bool LATE> static void lists()
{
	device_array<int> a(10);
	device_array<node *> head(1);
	device_array<node> nodes(8);
	list<LATE><<<8, 1>>>(a, a + 1, head, nodes, a + 2);
}
CASE(list_guilty) { lists<true>(); }
CASE(list_innocent) { lists<false>(); }

/* Free places: a stack of numbers under the lock; who takes one out may write there until it
 * puts it back. The stack's top hands the place on. Guilty: it is written once more. */
template <bool LATE> __global__ void places(int *lock, int *top, int *next, int *data)
{
	by_cas::take(lock);
	int mine = *top;
	*top = next[mine];
	by_cas::give(lock);
	data[mine] = blockIdx.x;                                 /* FINDS(places_guilty): race */
	by_cas::take(lock);
	next[mine] = *top;
	*top = mine;
	by_cas::give(lock);
	if (LATE)
		data[mine] = -1;                                 /* FINDS(places_guilty): race */
}
__global__ void places_make(int *next)
{
	for (int i = 0; i < 8; i++)
		next[i] = i + 1;
}
template <bool LATE> static void stack_of_places()
{
	device_array<int> a(18);
	places_make<<<1, 1>>>(a + 2);
	places<LATE><<<8, 1>>>(a, a + 1, a + 2, a + 10);
}
CASE(places_guilty) { stack_of_places<true>(); }
CASE(places_innocent) { stack_of_places<false>(); }

/* Made once, by whoever comes first; the others read under the lock that it has been.
 * Guilty: that is said in one section, the table is made in the next. */
template <bool EARLY> __global__ void once(int *lock, int *made, int *table, int *out)
{
	by_cas::take(lock);
	bool mine = !*made;
	if (mine && !EARLY)
		*table = 7;
	*made = 1;
	by_cas::give(lock);
	if (EARLY && mine) {
		by_cas::take(lock);
		*table = 7;                                      /* FINDS(once_guilty): race */
		by_cas::give(lock);
	}
	out[blockIdx.x] = *table;                                /* FINDS(once_guilty): race */
}
CASE(once_guilty) { device_array<int> a(11); once<true><<<8, 1>>>(a, a + 1, a + 2, a + 3); }
CASE(once_innocent) { device_array<int> a(11); once<false><<<8, 1>>>(a, a + 1, a + 2, a + 3); }

/* The same with a look at the flag before the lock is taken: an atomic one, behind a fence, so
 * that it is release and acquire of its own. Guilty: a plain look. */
template <bool ATOMIC> __global__ void checked_twice(int *lock, int *made, int *table, int *out)
{
	int there = ATOMIC ? atomicAdd(made, 0) : *made;         /* FINDS(checked_twice_guilty): race */
	__threadfence();
	if (!there) {
		by_cas::take(lock);
		if (!(ATOMIC ? atomicAdd(made, 0) : *made)) {
			*table = 7;
			__threadfence();
			if (ATOMIC)
				atomicExch(made, 1);
			else
				*made = 1;                       /* FINDS(checked_twice_guilty): race */
		}
		by_cas::give(lock);
	}
	out[blockIdx.x] = *table;
}
CASE(checked_twice_guilty) { device_array<int> a(11); checked_twice<false><<<8, 1>>>(a, a + 1, a + 2, a + 3); }
CASE(checked_twice_innocent) { device_array<int> a(11); checked_twice<true><<<8, 1>>>(a, a + 1, a + 2, a + 3); }

/* ---- a lock for many threads ---------------------------------------------- */

/* One thread takes the lock for its block: the barriers make all of them hold it. Guilty: it
 * gives it back while the others still write. */
template <bool WAITS> __global__ void for_block(int *lock, int *data)
{
	if (threadIdx.x == 0)
		by_cas::take(lock);
	__syncthreads();
	data[threadIdx.x] = blockIdx.x;                          /* FINDS(for_block_guilty): race */
	__threadfence();
	if (WAITS)
		__syncthreads();
	if (threadIdx.x == 0)
		by_cas::give(lock);
}
CASE(for_block_guilty) { device_array<int> a(65); for_block<false><<<4, 64>>>(a, a + 1); }
CASE(for_block_innocent) { device_array<int> a(65); for_block<true><<<4, 64>>>(a, a + 1); }

/* The same with a barrier object, and with a flag in shared memory for one helper. */
template <bool WAITS> __global__ void for_barrier(int *lock, int *data)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> bar;
	if (threadIdx.x == 0)
		init(&bar, blockDim.x);
	__syncthreads();
	if (threadIdx.x == 0)
		by_cas::take(lock);
	bar.arrive_and_wait();
	data[threadIdx.x] = blockIdx.x;                          /* FINDS(for_barrier_guilty): race */
	__threadfence();
	if (WAITS)
		bar.arrive_and_wait();
	if (threadIdx.x == 0)
		by_cas::give(lock);
}
CASE(for_barrier_guilty) { device_array<int> a(65); for_barrier<false><<<4, 64>>>(a, a + 1); }
CASE(for_barrier_innocent) { device_array<int> a(65); for_barrier<true><<<4, 64>>>(a, a + 1); }

template <bool WAITS> __global__ void for_helper(int *lock, int *data)
{
	__shared__ int go, done;
	if (threadIdx.x == 0)
		go = done = 0;
	__syncthreads();
	if (threadIdx.x == 0) {
		by_cas::take(lock);
		atomicExch(&go, 1);
		while (WAITS && !atomicAdd(&done, 0))
			;
		by_cas::give(lock);
	} else if (threadIdx.x == 32) {
		while (!atomicAdd(&go, 0))
			;
		*data = blockIdx.x;                              /* FINDS(for_helper_guilty): race */
		__threadfence();
		atomicExch(&done, 1);
	}
}
CASE(for_helper_guilty) { device_array<int> a(2); for_helper<false><<<4, 64>>>(a, a + 1); }
CASE(for_helper_innocent) { device_array<int> a(2); for_helper<true><<<4, 64>>>(a, a + 1); }

/* What a thread has heard by the block's scope it may hand on by the device's (PTX ISA,
 * "Causality order"): the data of the second warp go by the first one's word. Guilty: the
 * first one's word is for the block, too. */
template <bool WIDE> __global__ void handed_on(int *data, int *ready, int *out)
{
	__shared__ int done;
	if (threadIdx.x == 0)
		done = 0;
	__syncthreads();
	if (blockIdx.x == 0 && threadIdx.x == 32) {
		*data = 7;                                       /* FINDS(handed_on_guilty): race */
		__threadfence_block();
		atomicExch_block(&done, 1);
	} else if (blockIdx.x == 0 && threadIdx.x == 0) {
		while (!atomicAdd_block(&done, 0))
			;
		if (WIDE)
			__threadfence();
		else
			__threadfence_block();
		atomicExch(ready, 1);
	} else if (blockIdx.x == 1 && threadIdx.x == 0) {
		while (!atomicAdd(ready, 0))
			;
		__threadfence();
		*out = *data;                                    /* FINDS(handed_on_guilty): race */
	}
}
CASE(handed_on_guilty) { device_array<int> a(3); handed_on<false><<<2, 64>>>(a, a + 1, a + 2); }
CASE(handed_on_innocent) { device_array<int> a(3); handed_on<true><<<2, 64>>>(a, a + 1, a + 2); }

/* The same for a warp. */
template <bool WAITS> __global__ void for_warp(int *lock, int *data)
{
	if (threadIdx.x == 0)
		by_cas::take(lock);
	__syncwarp();
	data[threadIdx.x] = blockIdx.x;                          /* FINDS(for_warp_guilty): race */
	__threadfence();
	if (WAITS)
		__syncwarp();
	if (threadIdx.x == 0)
		by_cas::give(lock);
}
CASE(for_warp_guilty) { device_array<int> a(33); for_warp<false><<<4, 32>>>(a, a + 1); }
CASE(for_warp_innocent) { device_array<int> a(33); for_warp<true><<<4, 32>>>(a, a + 1); }

/* Each lane in its turn. What the sections write is read by none; then the warp meets. */
template <bool LOCKED> __global__ void lanes(int *lock, int *last, int *out)
{
	for (int i = 0; i < 32; i++)
		if (i == (int)threadIdx.x) {
			if (LOCKED)
				by_cas::take(lock);
			*last = blockIdx.x;                      /* FINDS(lanes_guilty): race */
			if (LOCKED)
				by_cas::give(lock);
		}
	__syncwarp();
	out[blockIdx.x * 32 + threadIdx.x] = threadIdx.x;
}
CASE(lanes_guilty) { device_array<int> a(66); lanes<false><<<2, 32>>>(a, a + 1, a + 2); }
CASE(lanes_innocent) { device_array<int> a(66); lanes<true><<<2, 32>>>(a, a + 1, a + 2); }

/* ---- what looks like a lock, and is none ---------------------------------- */

/* A turn: who has it hands it to the next one, by value. Each part is written in its block's
 * turn; the last one reads all of them behind its turn. Guilty: written behind the turn. */
template <bool INSIDE> __global__ void turns(int *turn, int *part, int *out)
{
	int me = blockIdx.x * 2, n = gridDim.x;
	while (atomicCAS(turn, me, me + 1) != me)
		;
	__threadfence();
	if (INSIDE)
		part[blockIdx.x] = 1;
	__threadfence();
	atomicExch(turn, me + 2);
	if (!INSIDE)
		part[blockIdx.x] = 1;                            /* FINDS(turns_guilty): race */
	for (int i = 0; (int)blockIdx.x == n - 1 && i < n; i++)
		*out += part[i];                                 /* FINDS(turns_guilty): race */
}
CASE(turns_guilty) { device_array<int> a(6); turns<false><<<4, 1>>>(a, a + 1, a + 5); }
CASE(turns_innocent) { device_array<int> a(6); turns<true><<<4, 1>>>(a, a + 1, a + 5); }

/* Two turns that come back: 0 is the one's, 2 the other's, 1 and 3 mean busy. So the one takes
 * the value 0, and it is the other that restores it. */
template <bool INSIDE> __global__ void ping_pong(int *turn, int *data, int *out)
{
	int mine = blockIdx.x * 2, seen = 0;
	for (int i = 0; i < 3; i++) {
		while (atomicCAS(turn, mine, mine + 1) != mine)
			;
		__threadfence();
		seen = *data;                                    /* FINDS(ping_pong_guilty): race */
		if (INSIDE)
			*data = mine;
		__threadfence();
		atomicExch(turn, 2 - mine);
		if (!INSIDE)
			*data = mine;                            /* FINDS(ping_pong_guilty): race */
	}
	out[blockIdx.x] = seen;
}
CASE(ping_pong_guilty) { device_array<int> a(4); ping_pong<false><<<2, 1>>>(a, a + 1, a + 2); }
CASE(ping_pong_innocent) { device_array<int> a(4); ping_pong<true><<<2, 1>>>(a, a + 1, a + 2); }

/* A semaphore that is taken from the start: block 0 has it free when its data are there, and
 * never held it. The others read them behind their sections, which do nothing. */
template <bool READY> __global__ void posted(int *lock, int *data, int *out)
{
	if (blockIdx.x == 0) {
		if (READY)
			*data = 7;
		__threadfence();
		atomicExch(lock, 0);
		if (!READY)
			*data = 7;                               /* FINDS(posted_guilty): race */
		return;
	}
	by_cas::take(lock);
	by_cas::give(lock);
	out[blockIdx.x] = *data;                                 /* FINDS(posted_guilty): race */
}
template <bool READY> static void post()
{
	device_array<int> a(10);
	int taken = 1;
	cudaMemcpy(a, &taken, sizeof taken, cudaMemcpyHostToDevice);
	posted<READY><<<8, 1>>>(a, a + 1, a + 2);
}
CASE(posted_guilty) { post<false>(); }
CASE(posted_innocent) { post<true>(); }

/* A stack of places without a lock: its top has place 0 again whenever place 0 has been put
 * back, as if it were a lock that is free. A block takes two places, so that the second
 * one's compare-and-swap comes while it seems to hold the first one's. What others wrote
 * there is before, by the top's releases. (One block after the other, by turns: a stack
 * like this breaks where one is put back while another is being taken.) */
template <bool FENCE> __global__ void two_places(int *turn, int *top, int *next, int *data, int *out)
{
	int place[2];
	while (atomicAdd(turn, 0) != (int)blockIdx.x)
		;
	for (int k = 0; k < 2; k++) {
		int first = atomicAdd(top, 0), old;
		while ((old = atomicCAS(top, first, atomicAdd(&next[first], 0))) != first)
			first = old;
		__threadfence();
		place[k] = first;
	}
	for (int k = 0; k < 2; k++)
		data[place[k]] = blockIdx.x;                     /* FINDS(two_places_guilty): race */
	for (int k = 1; k >= 0; k--) {
		int first = atomicAdd(top, 0), old;
		do {
			atomicExch(&next[place[k]], old = first);
			if (FENCE)
				__threadfence();
		} while ((first = atomicCAS(top, old, place[k])) != old);
	}
	atomicAdd(turn, 1);
}
template <bool FENCE> static void stack_without_lock()
{
	device_array<int> a(19);
	places_make<<<1, 1>>>(a + 2);
	two_places<FENCE><<<4, 1>>>(a, a + 1, a + 2, a + 10, a + 18);
}
CASE(two_places_guilty) { stack_without_lock<false>(); }
CASE(two_places_innocent) { stack_without_lock<true>(); }

/* Who does not get the lock at once does something else. Guilty: who gets it writes when it
 * has given it back. */
template <bool INSIDE> __global__ void tries(int *lock, int *last, int *missed)
{
	bool got = atomicCAS(lock, 0, 1) == 0;
	__threadfence();
	if (got && INSIDE)
		*last = blockIdx.x;
	if (got)
		by_cas::give(lock);
	else
		atomicAdd(missed, 1);
	if (got && !INSIDE)
		*last = blockIdx.x;                              /* FINDS(tries_guilty): race */
}
CASE(tries_guilty) { device_array<int> a(3); tries<false><<<8, 1>>>(a, a + 1, a + 2); }
CASE(tries_innocent) { device_array<int> a(3); tries<true><<<8, 1>>>(a, a + 1, a + 2); }

/* More words under a lock than are remembered: then its order counts as it was. */
__global__ void many_words(int *lock, int *data, int n, int *count, bool locked)
{
	if (locked)
		by_cas::take(lock);
	for (int i = 0; i < n; i++)
		data[i] = blockIdx.x;                            /* FINDS(many_words_guilty): race */
	if (locked)
		by_cas::give(lock);
	if (locked)
		by_cas::take(lock);
	++*count;
	if (locked)
		by_cas::give(lock);
}
CASE(many_words_guilty) { device_array<int> a(6002); many_words<<<3, 1>>>(a, a + 2, 6000, a + 1, false); }
CASE(many_words_innocent) { device_array<int> a(6002); many_words<<<3, 1>>>(a, a + 2, 6000, a + 1, true); }
