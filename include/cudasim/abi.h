/* SPDX-License-Identifier: Apache-2.0 */
/* abi.h - what compiled device code and libcudasim agree on.
 *
 * The device compiler (compiler/) emits one `struct cudasim_module` per
 * translation unit (per program under -rdc=true) and code that calls the
 * __cudasim_* functions declared at the end of this file and in its parts (abi/).
 * libcudasim (sim/) defines those functions and reads those tables. Nothing else crosses the
 * border, and nothing here knows C++ or LLVM.
 *
 * Layout rules: every structure here is read by generated code through fixed
 * offsets, so a change of any field means a new CUDASIM_ABI_VERSION. */
#ifndef CUDASIM_ABI_H
#define CUDASIM_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "cudasim/mma.h"
#include "cudasim/texture.h"

#ifdef __cplusplus
extern "C" {
#endif

/* libcudasim is built with hidden symbols; these are its exports. */
#pragma GCC visibility push(default)

#define CUDASIM_ABI_VERSION 12u

/* Simulated devices in one process, at most. */
#define CUDASIM_MAX_DEVICES 16u

/* The first bytes of a block's shared window belong to the system on compute
 * capability 9.0, so the first __shared__ variable has offset 0x400 there. */
#define CUDASIM_RESERVED_SHARED_BYTES 1024u
/* Of these the first are the scratch memory of cooperative groups' tiles of several warps
 * (%reserved_smem_offset_1), which begins as zeros. */
#define CUDASIM_GROUP_SCRATCH_BYTES 288u

#define CUDASIM_WARP_SIZE 32u

/* Plain bodies add the low bits of an address that is misaligned for an access to that
 * address once more from this bit on, so that the access faults: it is not canonical then. */
#define CUDASIM_MISALIGNED_SHIFT 59u

/* The forms in which every device function exists. */
enum cudasim_body {
	CUDASIM_BODY_V3,      /* plain, optimised for x86-64-v3 */
	CUDASIM_BODY_V4,      /* plain, optimised for x86-64-v4 (AVX-512) */
	CUDASIM_BODY_WATCHED, /* variables in memory, every event announced */
	CUDASIM_N_BODIES,
};

#include "cudasim/abi/module.h"
#include "cudasim/abi/state.h"

/* ---- what device code calls ---------------------------------------------- */

/* Start-up. */
void __cudasim_module_register(const struct cudasim_module *module);
/* Under -rdc=true: what each __cudaRegisterLinkedBinary_NAME(globals, ...) that
 * the device compiler defines hands on. globals registers one translation
 * unit's kernels and variables. module need not be registered yet. */
void __cudasim_linked_register(const struct cudasim_module *module, void (*globals)(void **));

/* Before anything is registered, where the program's calls of the CUDA runtime are bound to
 * another one: let all that is loaded call libcudasim instead. Ends the process with a message
 * where that cannot be done. */
void __cudasim_adopt(void);

/* Block barriers 0..15. n_threads is the expected count, a multiple of 32, or 0
 * for all threads of the block. Exited threads count as arrived.
 * op: what __cudasim_barrier_reduce answers about pred over all threads. */
enum { CUDASIM_REDUCE_POPC, CUDASIM_REDUCE_AND, CUDASIM_REDUCE_OR };
void __cudasim_barrier(uint32_t id, uint32_t n_threads, const struct cudasim_site *);
void __cudasim_barrier_arrive(uint32_t id, uint32_t n_threads, const struct cudasim_site *);
uint32_t __cudasim_barrier_reduce(uint32_t id, uint32_t n_threads, uint32_t op, uint32_t pred,
				  const struct cudasim_site *);
/* Barriers of a thread block cluster. */
void __cudasim_cluster_arrive(const struct cudasim_site *);
void __cudasim_cluster_wait(const struct cudasim_site *);
/* Address in the shared window of block `rank` of the cluster that corresponds
 * to addr in this block's. */
void *__cudasim_cluster_map(const void *addr, uint32_t rank);

/* Warp operations; mask names the lanes that take part, as in CUDA's _sync
 * functions. Only lanes that have exited may be missing. */
void __cudasim_syncwarp(uint32_t mask, const struct cudasim_site *);
/* As PTX shfl.sync: b is the lane or offset, c packs clamp and segment mask.
 * Returns the value in the low half, the predicate in bit 32. */
enum { CUDASIM_SHFL_IDX, CUDASIM_SHFL_UP, CUDASIM_SHFL_DOWN, CUDASIM_SHFL_BFLY };
uint64_t __cudasim_shfl(uint32_t mode, uint32_t mask, uint32_t value, uint32_t b, uint32_t c,
			const struct cudasim_site *);
enum { CUDASIM_VOTE_ALL, CUDASIM_VOTE_ANY, CUDASIM_VOTE_UNI, CUDASIM_VOTE_BALLOT };
uint32_t __cudasim_vote(uint32_t kind, uint32_t mask, uint32_t pred, const struct cudasim_site *);
uint32_t __cudasim_match_any(uint32_t mask, uint64_t value, const struct cudasim_site *);
/* The mask in the low half, the predicate in bit 32. */
uint64_t __cudasim_match_all(uint32_t mask, uint64_t value, const struct cudasim_site *);
enum {
	CUDASIM_REDUX_ADD,
	CUDASIM_REDUX_MIN,
	CUDASIM_REDUX_MAX,
	CUDASIM_REDUX_UMIN,
	CUDASIM_REDUX_UMAX,
	CUDASIM_REDUX_AND,
	CUDASIM_REDUX_OR,
	CUDASIM_REDUX_XOR,
};
uint32_t __cudasim_redux(uint32_t op, uint32_t mask, uint32_t value, const struct cudasim_site *);
/* A matrix product of the warp (mma.h). registers: the lane's own, as the form tells; D is put
 * where C was. Lanes that have exited or never were bring zeros. */
void __cudasim_mma(uint32_t form, uint32_t *registers, const struct cudasim_site *);
/* The same of 32 lanes at once: words[i][lane] is register i of the lane. */
void __cudasim_mma_lanes(uint32_t form, uint32_t (*words)[CUDASIM_WARP_SIZE]);
/* The elected lane in the low half, the predicate in bit 32. */
uint64_t __cudasim_elect(uint32_t mask, const struct cudasim_site *);
/* Lanes that are converged with the caller at this site: waits until no other
 * lane of the warp can move on its own, then answers the lanes at the site. */
uint32_t __cudasim_activemask(const struct cudasim_site *);
/* Where a program relies on the lockstep of a warp (a shared store before, a
 * shared load after, no barrier between): waits as __cudasim_activemask does. */
void __cudasim_reconverge(const struct cudasim_site *);
/* Behind loads that follow a barrier where a store to the same memory comes before the
 * next one: waits until nobody else of the block can move on its own, so that all have
 * loaded, as all warps of a GPU do right behind a barrier. It orders nothing: the program
 * is at fault, and schedules drawn at random do not wait. */
void __cudasim_post_barrier(const struct cudasim_site *);

/* At a loop's back-edge when fuel has run out: others may run; refills fuel. The loop waits for
 * what lies at the address, NULL where the compiler does not know it. */
enum {
	CUDASIM_WAIT_BYTES = 0xffff, /* how much lies there; 0: unknown */
	CUDASIM_WAIT_MBARRIER = 1 << 16, /* it is an mbarrier */
	CUDASIM_WAIT_ONLY = 1 << 17, /* as long as memory stays as it is, the thread stays in
	                                   * the loop, whatever it counts there */
};
void __cudasim_yield(const void *address, uint32_t wait, const struct cudasim_site *);
void __cudasim_nanosleep(uint32_t ns, const struct cudasim_site *);
/* An mbarrier: 8 bytes, opaque to programs. Here, from the lowest bit up: the pending arrivals, those that
 * later phases expect, the transaction bytes still to come (two's complement), and the parity of the
 * current phase. A phase is complete when both the pending arrivals and the bytes are 0: then pending
 * becomes expected and the parity flips. */
enum {
	CUDASIM_MBARRIER_COUNT_BITS = 20,
	CUDASIM_MBARRIER_TX_BITS = 23,
	CUDASIM_MBARRIER_PARITY_BIT = 63,
};
/* Where no observer is told of accesses: `count` arrivals at the mbarrier at that address; with the flag, later phases expect so many less.
 * Returns the state that was there, which the caller has loaded, so that an address that is none faults in
 * the program's own code. */
#define CUDASIM_MBARRIER_DROP 0x80000000u
uint64_t __cudasim_mbarrier_arrive(uint64_t mbarrier, uint32_t count, uint64_t loaded,
				   const struct cudasim_site *);
/* Is the phase of the parity in bit 0 of `how` over? Others run where it is not, and
 * CUDASIM_MBARRIER_TRY asks once more then. Lanes of a warp that find it over go on together. */
enum { CUDASIM_MBARRIER_TRY = 2 };
uint32_t __cudasim_mbarrier_wait(uint64_t mbarrier, uint32_t how, uint64_t loaded,
				 const struct cudasim_site *);
/* The phase of the mbarrier has ended: threads of its block that wait for that leave the wait,
 * together, whatever becomes of the mbarrier before they run again. */
void __cudasim_mbarrier_wake(const void *mbarrier);
/* Did the phase end while the calling thread gave way for it (CUDASIM_WAIT_MBARRIER)? Answered
 * once. */
uint32_t __cudasim_mbarrier_woken(void);

/* Ends. exit ends the calling thread; trap and assertfail the launch. */
enum cudasim_trap {
	CUDASIM_TRAP_TRAP, /* __trap(): cudaErrorLaunchFailure */
	CUDASIM_TRAP_ILLEGAL, /* illegal instruction: cudaErrorIllegalInstruction */
	CUDASIM_TRAP_UNREACHABLE, /* control reached an unreachable place */
	CUDASIM_TRAP_MBARRIER, /* more arrivals than the phase waits for: LaunchFailure */
};
__attribute__((noreturn)) void __cudasim_exit(const struct cudasim_site *);
__attribute__((noreturn)) void __cudasim_trap(uint32_t kind, const struct cudasim_site *);
__attribute__((noreturn)) void __cudasim_assertfail(const char *message, const char *file,
						    uint32_t line, const char *function,
						    const struct cudasim_site *);
void __cudasim_brkpt(const struct cudasim_site *);

/* printf: args is the packed argument block that clang builds for vprintf. */
int32_t __cudasim_vprintf(const char *format, const void *args, const struct cudasim_site *);
/* cudaGraphSetConditional(): a handle that is none is said once and ignored. */
void __cudasim_graph_condition(uint64_t handle, uint32_t value, const struct cudasim_site *);

/* The device heap. 16-byte aligned; NULL when it is full. */
void *__cudasim_malloc(uint64_t size, const struct cudasim_site *);
void __cudasim_free(void *, const struct cudasim_site *);

/* Run what the host has registered under this name (device.h), with `work`, on the
 * worker's own stack. One name may be registered several times: by every unit that
 * holds the same inline code. */
void __cudasim_host(const char *name, void *work, const struct cudasim_site *);
int cudasim_host_register(const char *name, void (*run)(void *work));

/* Texture fetches and surface accesses (cudasim/texture.h). ret: four words, the
 * channels' bits as in the registers of PTX's tex. */
void __cudasim_texture(uint32_t op, uint64_t object, const struct cudasim_fetch *how, void *ret,
		       const struct cudasim_site *);
void __cudasim_surface(uint32_t op, uint64_t object, const struct cudasim_surface_place *where,
		       void *value, const struct cudasim_site *);

/* Clocks, advancing at the device profile's rate. */
uint64_t __cudasim_clock64(void);
uint64_t __cudasim_globaltimer(void); /* ns */

/* Special registers that the structures above do not hold. */
enum {
	CUDASIM_SREG_WARPID,
	CUDASIM_SREG_NWARPID,
	CUDASIM_SREG_NSMID,
	CUDASIM_SREG_TOTAL_SMEM,
	CUDASIM_SREG_AGGR_SMEM,
	/* Address of the launch's workspace for cooperative groups, upper and
	 * lower half; 0 when the launch is not cooperative. */
	CUDASIM_SREG_ENVREG1,
	CUDASIM_SREG_ENVREG2,
};
uint32_t __cudasim_sreg(uint32_t which);

/* Nonzero if addr lies in this thread's stack. */
uint32_t __cudasim_is_local(const void *addr);

#include "cudasim/abi/loop.h"
#include "cudasim/abi/runtime.h"
#include "cudasim/abi/watch.h"

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
