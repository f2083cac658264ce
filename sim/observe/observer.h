/* SPDX-License-Identifier: Apache-2.0 */
/* observer.h - the simulator's side of include/cudasim/observer.h: who watches,
 * and the functions by which the runtime and the scheduler tell them.
 *
 * Each observe_*() below is to be called exactly where the callback of the same
 * name says, and is a compare and a branch when nobody looks. Those that may
 * end in HOLD or ABORT do so themselves: they return when the thread may go on,
 * or never. */
#ifndef CUDASIM_SIM_OBSERVER_H
#define CUDASIM_SIM_OBSERVER_H

#include <stdatomic.h>

#include "cudasim/observer.h"
#include "launch.h"

/* The slots of cudasim_observer_add(), and one for the simulator's own observer. */
enum { OBSERVER_SLOTS = CUDASIM_MAX_OBSERVERS + 1 };

/* Who watches one launch: made by observe_launch_submit(), freed after
 * observe_launch_end(). Slots are constant meanwhile, wants change only through
 * cudasim_launch_want(). */
/* A list of calls without semicolons. */
/* clang-format off */
#define OBSERVER_EVENTS(X)                                                             \
	X(launch_begin) X(launch_end) X(block_begin) X(block_end) X(thread_begin)      \
	X(thread_end) X(barrier_arrive) X(barrier_open) X(warp_arrive) X(warp_meet)    \
	X(access) X(bounds) X(fence) X(line) X(call_enter) X(call_leave) X(print)      \
	X(brkpt) X(fault) X(held) X(stalled) X(choose) X(met) X(finding)  \
	X(mbarrier) X(unwritten)
/* clang-format on */

struct cudasim_watch {
	_Atomic uint32_t want;  /* of all slots together */
	/* For each event the slots that have a callback for it, as bits. */
	struct {
#define OBSERVER_MEMBER(event) uint16_t event;
		OBSERVER_EVENTS(OBSERVER_MEMBER)
#undef OBSERVER_MEMBER
	} hears;
	uint32_t n;             /* slots to look at */
	const struct cudasim_observer *slot[OBSERVER_SLOTS];
	_Atomic uint32_t wants[OBSERVER_SLOTS];
};

/* Registered observers. */
extern atomic_uint observers_n;

/* As cudasim_observer_add(), into the slot that programs and tools do not have. Such an observer
 * arms no lines and keeps no cudasim_block_data(). */
struct cudasim_error *observer_add_own(const struct cudasim_observer *observer);

/* Open the tools of CUDASIM_OBSERVER, once; later calls do nothing. Says in one
 * line what is wrong with a tool and ends the process with status 1. The
 * runtime calls this when it has chosen the simulator, before main() where it
 * can. */
void observe_start(void);
/* Every observer's finish(), and none is registered any more; at the process's end. */
void observer_finish_all(void);

/* What somebody wants to hear of the launch: CUDASIM_WANT_*, 0 for nothing. */
static inline uint32_t observed(const struct cudasim_launch *launch)
{
	return launch->watch ? atomic_load_explicit(&launch->watch->want, memory_order_relaxed) : 0;
}

/* ---- called by the runtime (sim/api, streams, memory) -------------------- */

/* A module has registered: for cudasim_modules(), and the observers' module().
 * To be called for every module, watched or not. */
void observe_module(const struct cudasim_module *module);

/* Fill launch->seen from launch and ask the observers what they want. On the
 * host thread in the API call, after launch->id is known, before the launch is
 * queued. Without observers launch->seen.watch is NULL. */
void observe_launch_submit(struct launch *launch);

/* Fill launch->seen only; for a launch that is announced to nobody. */
void observer_describe(struct launch *launch);
/* CUDASIM_WANT_* that the observers want of this launch, all together. */
uint32_t observer_wants(const struct launch *launch);
/* A direct call has died: to all that have a fault(). */
void observer_fault_of_direct(struct cudasim_launch *launch, struct cudasim_thread *thread,
			      const struct cudasim_fault *fault);

void observer_allocated(const struct cudasim_memory *memory);
void observer_freed(const struct cudasim_memory *memory);
void observer_bad_free(const struct cudasim_memory *memory);
void observer_permission(const struct cudasim_memory *memory);
void observer_copy(const struct cudasim_copy *copy);
void observer_order(const struct cudasim_order_event *order);
void observer_api_enter(const struct cudasim_api_call *call);
void observer_api_leave(const struct cudasim_api_call *call);
void observer_handle(const struct cudasim_handle *handle);

#define OBSERVE_GLOBAL(event, type)                                                                \
	static inline void observe_##event(const type *what)                                       \
	{                                                                                          \
		if (atomic_load_explicit(&observers_n, memory_order_relaxed))                      \
			observer_##event(what);                                                    \
	}
OBSERVE_GLOBAL(allocated, struct cudasim_memory)
OBSERVE_GLOBAL(freed, struct cudasim_memory)
OBSERVE_GLOBAL(bad_free, struct cudasim_memory)
OBSERVE_GLOBAL(permission, struct cudasim_memory)
OBSERVE_GLOBAL(copy, struct cudasim_copy)
OBSERVE_GLOBAL(order, struct cudasim_order_event)
OBSERVE_GLOBAL(api_enter, struct cudasim_api_call)
OBSERVE_GLOBAL(api_leave, struct cudasim_api_call)
OBSERVE_GLOBAL(handle, struct cudasim_handle)
#undef OBSERVE_GLOBAL

/* A call was given a handle that is none, or has destroyed it. */
static inline void observe_handle_of(enum cudasim_handle_kind kind, uint64_t value, bool destroyed)
{
	struct cudasim_handle handle = {kind, value, destroyed};
	observe_handle(&handle);
}

/* ---- called by the scheduler --------------------------------------------- */

/* The body that the launch has to run, given the plain form this machine has:
 * the watched one where somebody wants what only it tells. */
static inline enum cudasim_body observe_body(const struct cudasim_launch *launch,
					     enum cudasim_body plain)
{
	return observed(launch) & CUDASIM_WANT_WATCHED ? CUDASIM_BODY_WATCHED : plain;
}

/* What a fresh thread's `want` has to hold: 0 in plain bodies. */
static inline uint32_t observe_thread_want(const struct cudasim_launch *launch)
{
	return launch->body == CUDASIM_BODY_WATCHED
		       ? observed(launch) &
				 (CUDASIM_WANT_LINE | CUDASIM_WANT_ACCESS | CUDASIM_WANT_LOCAL |
				  CUDASIM_WANT_CALL | CUDASIM_WANT_FENCE | CUDASIM_WANT_MBARRIER)
		       : 0;
}

void observer_launch_begin(struct launch *launch);
void observer_launch_end(struct launch *launch);
void observer_block(struct cudasim_block *block, bool begin);
void observer_thread(struct cudasim_thread *thread, bool begin);
void observer_barrier_arrive(struct cudasim_thread *thread, const struct cudasim_barrier *);
void observer_barrier_open(struct cudasim_block *block, const struct cudasim_barrier *);
void observer_warp_arrive(struct cudasim_thread *thread, const struct cudasim_warp_op *);
void observer_warp_meet(struct cudasim_block *block, uint32_t warp, const struct cudasim_warp_op *);
void observer_print(struct cudasim_thread *thread, const char *text, size_t n,
		    const struct cudasim_site *site);
void observer_brkpt(struct cudasim_thread *thread, const struct cudasim_site *site);
void observer_fault(struct cudasim_launch *launch, struct cudasim_thread *thread,
		    const struct cudasim_fault *fault);
void observer_held(struct cudasim_thread *thread);
void observer_stalled(struct cudasim_launch *launch, enum cudasim_stall why);
uint32_t observer_met(struct cudasim_block *block, uint32_t warp, uint32_t lanes);
struct cudasim_thread *observer_choose(struct cudasim_launch *launch);

/* Before the first block begins; seen.body must be set. */
static inline void observe_launch_begin(struct launch *launch)
{
	if (launch->seen.watch)
		observer_launch_begin(launch);
}
/* After the last block's end and launch->error, before done(). */
static inline void observe_launch_end(struct launch *launch)
{
	if (launch->seen.watch)
		observer_launch_end(launch);
}
/* Clears block->tool; block->launch must be set. Always call it. */
static inline void observe_block_begin(struct cudasim_block *block)
{
	if (block->launch->watch)
		observer_block(block, true);
}
static inline void observe_block_end(struct cudasim_block *block)
{
	if (block->launch->watch)
		observer_block(block, false);
}
static inline void observe_thread_begin(struct cudasim_thread *thread)
{
	if (observed(thread->block->launch) & CUDASIM_WANT_THREAD)
		observer_thread(thread, true);
}
/* Also for threads that leave by __cudasim_exit. */
static inline void observe_thread_end(struct cudasim_thread *thread)
{
	if (observed(thread->block->launch) & CUDASIM_WANT_THREAD)
		observer_thread(thread, false);
}
static inline void observe_barrier_arrive(struct cudasim_thread *thread,
					  const struct cudasim_barrier *barrier)
{
	if (observed(thread->block->launch) & CUDASIM_WANT_BARRIER)
		observer_barrier_arrive(thread, barrier);
}
static inline void observe_barrier_open(struct cudasim_block *block,
					const struct cudasim_barrier *barrier)
{
	if (observed(block->launch) & CUDASIM_WANT_BARRIER)
		observer_barrier_open(block, barrier);
}
static inline void observe_warp_arrive(struct cudasim_thread *thread,
				       const struct cudasim_warp_op *op)
{
	if (observed(thread->block->launch) & CUDASIM_WANT_WARP)
		observer_warp_arrive(thread, op);
}
static inline void observe_warp_meet(struct cudasim_block *block, uint32_t warp,
				     const struct cudasim_warp_op *op)
{
	if (observed(block->launch) & CUDASIM_WANT_WARP)
		observer_warp_meet(block, warp, op);
}
static inline void observe_print(struct cudasim_thread *thread, const char *text, size_t n,
				 const struct cudasim_site *site)
{
	if (thread->block->launch->watch)
		observer_print(thread, text, n, site);
}
static inline void observe_brkpt(struct cudasim_thread *thread, const struct cudasim_site *site)
{
	if (thread->block->launch->watch)
		observer_brkpt(thread, site);
}
static inline void observe_fault(struct cudasim_launch *launch, struct cudasim_thread *thread,
				 const struct cudasim_fault *fault)
{
	if (launch->watch)
		observer_fault(launch, thread, fault);
}
static inline void observe_held(struct cudasim_thread *thread)
{
	observer_held(thread);
}
/* While held threads remain and nobody else can move the scheduler calls this
 * with HELD, once; if still nobody can move afterwards it waits to be woken by
 * scheduler_wake(). */
static inline void observe_stalled(struct cudasim_launch *launch, enum cudasim_stall why)
{
	if (launch->watch)
		observer_stalled(launch, why);
}
static inline struct cudasim_thread *observe_choose(struct cudasim_launch *launch)
{
	return observed(launch) & CUDASIM_WANT_CHOOSE ? observer_choose(launch) : NULL;
}
/* True where one block at a time must move. */
static inline bool observe_ordered(const struct cudasim_launch *launch)
{
	return observed(launch) & (CUDASIM_WANT_ORDERED | CUDASIM_WANT_CHOOSE);
}

/* ---- provided by the scheduler ------------------------------------------- */

/* Park the calling CUDA thread until it has been resumed as often as held. The
 * scheduler calls observe_held() from the worker's stack. */
void scheduler_hold(struct cudasim_thread *thread);
/* Park the calling CUDA thread until observer_met() or cudasim_warp_release() lets
 * it go. */
void scheduler_meet(struct cudasim_thread *thread);
/* End the launch of the calling CUDA thread, which is about to access addr, with
 * cudaErrorMisalignedAddress. */
__attribute__((noreturn)) void scheduler_misaligned(struct cudasim_thread *thread, const void *addr,
						    bool write, const struct cudasim_site *site);
/* The same with cudaErrorIllegalAddress: devices have no access to addr. */
__attribute__((noreturn)) void scheduler_forbidden(struct cudasim_thread *thread, const void *addr,
						   bool write, const struct cudasim_site *site);
/* End the launch of the calling CUDA thread with error (a cudaError_t). */
__attribute__((noreturn)) void scheduler_abort(struct cudasim_thread *thread, int error);

/* ---- for inspect.c ------------------------------------------------------- */

/* Innermost libcudasim frame of the event that this pthread's CUDA thread is
 * delivering, NULL outside events: cudasim_thread_frames() starts there, for
 * tools need not keep frame pointers. */
extern _Thread_local void *observer_frame __attribute__((tls_model("initial-exec")));

/* The slot of a registered observer, -1 where it is not. */
int observer_slot(const struct cudasim_observer *observer);

/* A tool's call has come to what cannot be done in it, or to a signal: cudasim_call_guard(). */
void observer_refuse(void);
void observer_guard(int number, const void *address);

#endif
