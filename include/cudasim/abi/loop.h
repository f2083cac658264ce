/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h - loops over the threads of a block, with and without cuts. A part of abi.h: include that. */
#ifndef CUDASIM_ABI_LOOP_H
#define CUDASIM_ABI_LOOP_H

/* For the loops over a block's threads (struct cudasim_kernel.loop), which keep
 * a thread's indices in registers. Before a call of anything that may look at
 * __cudasim_self, it becomes the thread with that linear index; the result is
 * that thread. By the call the threads may have left the loop: those before it
 * have ended, this one goes on by itself, the others have not begun. Then
 * __cudasim_loop_goes_on answers 0, and the loop returns at the thread's end. */
struct cudasim_thread *__cudasim_loop_thread(struct cudasim_block *, uint32_t linear);
/* The same in watched loops, before an event of that thread alone. */
struct cudasim_thread *__cudasim_loop_watched(struct cudasim_block *, uint32_t linear);
uint32_t __cudasim_loop_goes_on(const struct cudasim_block *);
/* Memory for what the block's threads keep across barriers, until the loop returns;
 * 64-byte aligned, not cleared. */
void *__cudasim_loop_frame(struct cudasim_block *, uint64_t bytes);

/* Kernels whose threads meet are cut at the places where they do. A continuation runs one
 * thread from one cut to the next (compiler/regions/region_formation.h) and returns the number of the
 * region that begins there. What a thread keeps meanwhile lies in the frame: for each
 * warp of the block, 32 * thread_bytes bytes; in there, arrays over its 32 lanes, one
 * after the other. Behind all of them, a word for each warp: see CUDASIM_AT_*. */
enum cudasim_region_op_kind {
	CUDASIM_REGION_LEAVE, /* behind it is what a thread can only do on a fiber */
	CUDASIM_REGION_BARRIER,
	CUDASIM_REGION_BARRIER_REDUCE,
	CUDASIM_REGION_SYNCWARP,
	CUDASIM_REGION_SHFL,
	CUDASIM_REGION_VOTE,
	CUDASIM_REGION_MATCH_ANY,
	CUDASIM_REGION_MATCH_ALL,
	CUDASIM_REGION_REDUX,
	CUDASIM_REGION_ELECT,
	CUDASIM_REGION_MMA,
	CUDASIM_REGION_ACTIVEMASK,
	CUDASIM_REGION_CONVERGE,
	CUDASIM_REGION_POST_BARRIER,
	CUDASIM_REGION_ARRIVE, /* at a barrier, without waiting */
	CUDASIM_REGION_MBARRIER, /* waits for the end of a phase */
	CUDASIM_REGION_MBARRIER_ARRIVE,
	CUDASIM_REGION_CLUSTER_ARRIVE,
	CUDASIM_REGION_CLUSTER_WAIT,
	CUDASIM_REGION_YIELD, /* behind it a loop that may wait gives way */
};
/* An argument of an operation: an array of the frame, size bytes (4 or 8) a lane, which
 * begins 32 * offset bytes into a warp's part; or, where size is 0, that constant. */
struct cudasim_region_value {
	uint64_t constant;
	uint32_t offset, size;
};
/* An operation of libcudasim (__cudasim_shfl, ...) with its arguments in their order. Of a
 * matrix product: the form, and the first of the arrays of its registers, which lie one
 * behind the other.
 * low and high: arrays of words for the halves of its result, as offset above;
 * UINT32_MAX where that half is not wanted. */
struct cudasim_region_op {
	struct cudasim_region_value arg[5];
	const struct cudasim_site *site;
	uint32_t kind; /* enum cudasim_region_op_kind */
	uint32_t low, high;
	uint32_t
		by_lanes; /* a cut's first: struct cudasim_loop's lanes() does all that are there */
};
/* The operations at a cut, in their order: ops[first], ... */
struct cudasim_region {
	uint32_t first, n;
};
/* A thread's state, in the array of words at thread_at: the region that it stands
 * before in the low half, how many of the operations there are done in the high one.
 * A warp's word: the region that all its 32 lanes stand before, with nothing done;
 * or one of these two. */
#define CUDASIM_AT_EXIT UINT32_MAX /* has ended (all have) */
#define CUDASIM_AT_MIXED (UINT32_MAX - 1u) /* a warp's: what its threads' states say */
struct cudasim_loop {
	uint32_t (*continuation)(const void *params, const struct cudasim_block *, void *warp_frame,
				 uint32_t x, uint32_t y, uint32_t z, uint32_t linear, uint32_t n,
				 uint32_t lane, uint32_t region);
	const struct cudasim_region *cuts; /* [n_regions]; that of region 0 has no operation */
	const struct cudasim_region_op *ops;
	uint64_t thread_bytes;
	uint32_t n_regions;
	uint32_t thread_at; /* offset of the array of states */
	/* What the lanes in the mask, which stand before a region, do together, as vectors: the
	 * operations of its cut (CUDASIM_LANES_MEET), then the region (CUDASIM_LANES_RUN), which
	 * sets their states. x, y, z and linear are lane 0's; the lanes of the warp follow each
	 * other in x, or only meet. */
	void (*lanes)(const void *params, const struct cudasim_block *, void *warp_frame,
		      uint32_t x, uint32_t y, uint32_t z, uint32_t linear, uint32_t mask,
		      uint32_t region, uint32_t what);
};
enum { CUDASIM_LANES_MEET = 1, CUDASIM_LANES_RUN = 2 };
/* Take all 32 lanes of a warp, one by one, through a region that they may begin. For
 * blocks whose rows do not hold whole warps. Returns the region that all have come to
 * (UINT32_MAX: their end), or CUDASIM_AT_MIXED: their states say. */
uint32_t __cudasim_loop_lanes(const struct cudasim_loop *, struct cudasim_block *,
			      const void *params, void *frame, uint32_t warp, uint32_t region);
/* Take the lanes of a warp, one by one, as far as they can go without other warps.
 * The warp's lanes stand before `region` (CUDASIM_AT_MIXED: where their states say);
 * `ready`: what they wait for there has happened. Returns the region that all 32 lanes
 * may begin together, CUDASIM_AT_MIXED if the warp waits for others or has ended, which
 * its word tells; or CUDASIM_AT_EXIT: the block's threads have left the loop, which
 * returns. */
uint32_t __cudasim_loop_warp(const struct cudasim_loop *, struct cudasim_block *,
			     const void *params, void *frame, uint32_t warp, uint32_t region,
			     uint32_t ready);
/* All warps wait for others or have ended: open the barrier that they wait at. 0 where
 * the loop returns: all have ended, or the threads have left it. */
uint32_t __cudasim_loop_open(const struct cudasim_loop *, struct cudasim_block *, void *frame);

#endif
