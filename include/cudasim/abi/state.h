/* SPDX-License-Identifier: Apache-2.0 */
/* state.h - blocks and threads, as device code reads them. A part of abi.h: include that. */
#ifndef CUDASIM_ABI_STATE_H
#define CUDASIM_ABI_STATE_H

/* A thread block in flight. Constant while the block runs. */
struct cudasim_block {
	uint32_t ctaid[3];
	uint32_t ntid[3];
	uint32_t nctaid[3];
	uint32_t device; /* ordinal */
	unsigned char *shared; /* start of the shared window, 1 KiB aligned */
	uint32_t shared_bytes; /* of the window, reserved part included */
	uint32_t dynamic_shared_offset; /* in the window */
	uint32_t dynamic_shared_bytes;
	uint32_t smid;
	uint64_t gridid;
	uint32_t cluster_nctaid[3]; /* 1,1,1 without clusters */
	uint32_t cluster_ctaid[3];
	/* Not read by device code. */
	struct cudasim_launch *launch; /* observer.h */
	void **tool; /* observer.h: cudasim_block_data() */
	uint32_t tool_room; /* pointers that `tool` has room for: kept from launch to launch */
};

/* What device code announces when a bit of `want` below is set. Observers ask
 * for these and more with CUDASIM_WANT_* of observer.h. */
enum {
	CUDASIM_WANT_LINE = 1u << 0, /* every line, armed or not */
	CUDASIM_WANT_ACCESS = 1u << 1, /* accesses that may leave the thread's stack */
	CUDASIM_WANT_LOCAL = 1u << 2, /* accesses to the thread's own variables */
	CUDASIM_WANT_CALL = 1u << 3, /* calls and returns */
	CUDASIM_WANT_FENCE = 1u << 4, /* fences */
	CUDASIM_WANT_MBARRIER = 1u << 5, /* what is done to mbarriers */
};

/* A CUDA thread, as far as device code reads it. The simulator's own thread
 * state begins with this. */
struct cudasim_thread {
	uint32_t tid[3];
	uint32_t lane; /* 0..31 */
	uint32_t warp; /* within the block */
	uint32_t want; /* CUDASIM_WANT_*; 0 in plain bodies */
	int32_t fuel; /* back-edges left until __cudasim_yield */
	uint32_t linear; /* tid.x + ntid.x * (tid.y + ntid.y * tid.z) */
	struct cudasim_block *block;
	const struct cudasim_site *site; /* last one announced */
};

/* The CUDA thread that runs on this pthread, NULL on host threads. A block's
 * threads never change pthreads, so device code may keep what it reads here
 * across waits. Device code does not name it directly but calls
 * __cudasim_context(), a memory(none) function that the device compiler lowers
 * to this load last of all. */
extern
#ifdef __cplusplus
	thread_local
#else
	_Thread_local
#endif
	struct cudasim_thread *__cudasim_self __attribute__((tls_model("initial-exec")));

#endif
