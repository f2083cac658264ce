/* SPDX-License-Identifier: Apache-2.0 */
/* watch.h - events of watched bodies. A part of abi.h: include that. */
#ifndef CUDASIM_ABI_WATCH_H
#define CUDASIM_ABI_WATCH_H

/* Events of watched bodies. Called only when wanted (`want`, `armed`), before
 * the thing happens. */
enum {
	/* low byte: what */
	CUDASIM_ACCESS_LOAD = 1u << 0,
	CUDASIM_ACCESS_STORE = 1u << 1,
	CUDASIM_ACCESS_ATOMIC = 1u << 2, /* with LOAD, STORE or both */
	CUDASIM_ACCESS_VOLATILE = 1u << 3,
	/* A volatile load whose value decides whether a loop around it goes on. */
	CUDASIM_ACCESS_SPIN = 1u << 4,
	/* Of a copy of bytes (memcpy, a structure's assignment), padding included. */
	CUDASIM_ACCESS_COPY = 1u << 5,
	/* With COPY, of code in the toolkit's headers, which copies structures in parts and
	 * hands values on without looking at them: may be nothing but padding. */
	CUDASIM_ACCESS_PART = 1u << 6,
	/* Of code in the toolkit's headers, to shared memory as far as the compiler can tell. */
	CUDASIM_ACCESS_TOOLKIT = 1u << 7,
	/* bits 8..11: address space as far as the compiler knows: 0 generic,
	 * 1 global, 3 shared, 4 constant, 5 local (as in NVVM IR) */
	CUDASIM_ACCESS_SPACE_SHIFT = 8,
	/* bits 12..15: enum cudasim_scope */
	CUDASIM_ACCESS_SCOPE_SHIFT = 12,
	/* bits 16..19: enum cudasim_order */
	CUDASIM_ACCESS_ORDER_SHIFT = 16,
	/* bits 20..23: the alignment that the GPU needs for it, 0..4 for 1..16 bytes;
	 * also called, whoever wants, when the address does not have it */
	CUDASIM_ACCESS_ALIGN_SHIFT = 20,
	/* bits 24..31: enum cudasim_atomic_op, of atomics */
	CUDASIM_ACCESS_OP_SHIFT = 24,
};
enum cudasim_scope {
	CUDASIM_SCOPE_THREAD,
	CUDASIM_SCOPE_BLOCK,
	CUDASIM_SCOPE_CLUSTER,
	CUDASIM_SCOPE_DEVICE,
	CUDASIM_SCOPE_SYSTEM,
};
enum cudasim_order {
	CUDASIM_ORDER_WEAK,
	CUDASIM_ORDER_RELAXED,
	CUDASIM_ORDER_ACQUIRE,
	CUDASIM_ORDER_RELEASE,
	CUDASIM_ORDER_ACQ_REL,
	CUDASIM_ORDER_SEQ_CST,
};
enum cudasim_atomic_op {
	CUDASIM_ATOMIC_NONE,
	CUDASIM_ATOMIC_LOAD,
	CUDASIM_ATOMIC_STORE,
	CUDASIM_ATOMIC_XCHG,
	CUDASIM_ATOMIC_CAS,
	CUDASIM_ATOMIC_ADD,
	CUDASIM_ATOMIC_SUB,
	CUDASIM_ATOMIC_AND,
	CUDASIM_ATOMIC_OR,
	CUDASIM_ATOMIC_XOR,
	CUDASIM_ATOMIC_MIN,
	CUDASIM_ATOMIC_MAX,
	CUDASIM_ATOMIC_INC,
	CUDASIM_ATOMIC_DEC,
};
void __cudasim_on_access(const void *addr, uint64_t size, uint32_t flags,
			 const struct cudasim_site *);
/* The same of several threads of a block at once, in the watched loops over them
 * (struct cudasim_kernel.loop): of thread first + i where bit i of lanes is set, which accesses
 * size bytes at base + i * stride; or, where addresses is not NULL, at addresses[i]. Of a store that
 * is not atomic, of 8 bytes at most: what it stores, value or, where values is not NULL, values[i]. */
void __cudasim_on_lanes(struct cudasim_block *, uint32_t first, uint32_t lanes, const void *base,
			int64_t stride, const uint64_t *addresses, uint64_t size, uint32_t flags,
			const uint64_t *values, uint64_t value, const struct cudasim_site *);
/* All threads of the block that have not ended have come to __syncthreads(), and go on, in a watched
 * loop: those whose byte in alive is not 0, or, where that is NULL, all. */
void __cudasim_on_loop_barrier(struct cudasim_block *, const struct cudasim_site *,
			       const unsigned char *alive);
/* All lanes of a warp have come to the operations at the cut before a region of a watched loop; frame is
 * the block's. */
struct cudasim_loop;
void __cudasim_on_loop_meet(const struct cudasim_loop *, struct cudasim_block *, void *frame,
			    uint32_t warp, uint32_t region);
/* Before __cudasim_on_access of the same access, where its address was computed from a
 * variable of `bytes` bytes at `variable` and its bytes are not all of them that variable's. */
void __cudasim_on_bounds(const void *addr, uint64_t size, uint32_t flags, const void *variable,
			 uint64_t bytes, const struct cudasim_site *);
/* Before a read of size bytes of a local variable, of which none was written since its scope
 * was entered. */
void __cudasim_on_unwritten(const void *addr, uint64_t size, const char *name,
			    const struct cudasim_site *);
void __cudasim_on_line(const struct cudasim_site *);
/* frame is the callee's or returning function's frame address. */
void __cudasim_on_call(const struct cudasim_site *entry, const void *frame);
/* value: what is returned, size bytes, as it lies in memory; NULL and 0 for void. */
void __cudasim_on_return(const struct cudasim_site *entry, const void *frame, const void *value,
			 uint64_t size);
void __cudasim_on_fence(uint32_t scope, uint32_t order, const struct cudasim_site *);
/* After something was done to an mbarrier: see struct cudasim_mbarrier of observer.h. */
enum cudasim_mbarrier_kind {
	CUDASIM_MBARRIER_INIT,
	CUDASIM_MBARRIER_ARRIVE, /* count arrivals */
	CUDASIM_MBARRIER_COPIED, /* count bytes that the phase waited for have come */
	CUDASIM_MBARRIER_WAITED, /* a test or wait answered that its phase is over */
	CUDASIM_MBARRIER_INVALIDATE,
};
void __cudasim_on_mbarrier(uint32_t kind, const void *address, uint32_t count, uint32_t pending,
			   uint32_t expected, uint32_t ends, const struct cudasim_site *);

#endif
