/* SPDX-License-Identifier: Apache-2.0 */
/* observer.h - the simulator's side of include/cudasim/observer.h: who watches a launch,
 * and the functions by which the runtime and the scheduler report events.
 *
 * For each event of observer_events.def but those of watched bodies there is
 *	observe_NAME(PARAMETERS)
 * to be called exactly where the table says. It is a compare and a branch when nobody
 * looks. Those that may end in HOLD or ABORT do so themselves: they return when the thread
 * may go on, or never. What watched bodies report is tell.h's. */
#ifndef CUDASIM_SIM_OBSERVER_H
#define CUDASIM_SIM_OBSERVER_H

#include <signal.h>
#include <stdatomic.h>

#include "cudasim/observer.h"
#include "launch.h"
#include "registered.h"

/* Registered observers. */
extern atomic_uint observers_n;

/* ---- who watches a launch ------------------------------------------------ */

/* One observer of a launch. */
struct watcher {
	const struct cudasim_observer *observer;
	struct registered *member;
	_Atomic uint32_t want; /* CUDASIM_WANT_*; changes only through cudasim_launch_want() */
};

/* One that has a callback for an event. */
struct hearer {
	const struct cudasim_observer *observer; /* NULL ends a list */
	struct watcher *watcher;
};

/* The observers of one launch: those that were registered when it was submitted. All of it is
 * one allocation, made by watch_begin() and freed by watch_end(); constant meanwhile, but
 * for wants. */
struct cudasim_watch {
	_Atomic uint32_t want;    /* of all together */
	uint32_t n;               /* observers */
	uint32_t n_places;        /* pointers in block->tool */
	struct watcher *watchers; /* [n] */
	/* For each event of a launch those that hear it, in the order of registration. */
	struct {
#define OBSERVER_LIST_HOST(name) /* goes to all that are registered */
#define OBSERVER_LIST_LAUNCH(name) const struct hearer *name;
#define OBSERVER_LIST_BLOCK(name) const struct hearer *name;
#define OBSERVER_LIST_THREAD(name) const struct hearer *name;
#define OBSERVER_LIST_CODE(name) const struct hearer *name;
#define OBSERVER_LIST_FINDING(name) const struct hearer *name;
#define CUDASIM_EVENT(name, returns, about, wants, parameters, arguments)                          \
	OBSERVER_LIST_##about(name)
#include "cudasim/observer_events.def"
	} hears;
};

/* What somebody wants to hear of the launch: CUDASIM_WANT_*, 0 for nothing. */
static inline uint32_t observed(const struct cudasim_launch *launch)
{
	return launch->watch ? atomic_load_explicit(&launch->watch->want, memory_order_relaxed) : 0;
}

/* Ask the observers what they want of the launch, and report launch_submit. On the host thread
 * in the API call, after launch->pub is complete, before the launch is queued. Without observers
 * launch->pub.watch remains NULL. */
void watch_begin(struct launch *launch);
/* After the last block's end and launch->pub.error, before done(): reports launch_end. */
void watch_end(struct launch *launch);

/* The observer among those of the launch, NULL where it is not. */
struct watcher *watch_find(const struct cudasim_watch *watch,
			   const struct cudasim_observer *observer);
/* Change what it wants. */
void watch_change(struct cudasim_watch *watch, struct watcher *watcher, uint32_t want);

void watch_make_room(struct cudasim_block *block);
/* Before block_begin, for each block: a pointer for each observer, which are NULL.
 * block->launch must be set. */
static inline void watch_block(struct cudasim_block *block)
{
	if (block->launch->watch)
		watch_make_room(block);
}

/* CUDASIM_WANT_* that the observers want of this launch, all together. */
uint32_t watch_wants(const struct launch *launch);

/* Open the tools of CUDASIM_OBSERVER, once; later calls do nothing. Says in one
 * line what is wrong with a tool and ends the process with status 1. The
 * runtime calls this when it has chosen the simulator, before main() where it
 * can. */
void observe_start(void);

/* ---- events -------------------------------------------------------------- */

/* What is returned to whoever reports an event: a verdict has been obeyed by then. */
#define OBSERVER_GIVES_VERDICT void
#define OBSERVER_GIVES_NOTHING void
#define OBSERVER_GIVES_LANES uint32_t
#define OBSERVER_GIVES_THREAD struct cudasim_thread *
#define OBSERVER_RETURN_VERDICT
#define OBSERVER_RETURN_NOTHING
#define OBSERVER_RETURN_LANES return
#define OBSERVER_RETURN_THREAD return
/* The same where nobody is asked. */
#define OBSERVER_ELSE_VERDICT
#define OBSERVER_ELSE_NOTHING
#define OBSERVER_ELSE_LANES return lanes;
#define OBSERVER_ELSE_THREAD return NULL;

/* observer_NAME() is observe_NAME() when somebody may look. */
#define OBSERVE(name, returns, asked, parameters, arguments)                                       \
	OBSERVER_GIVES_##returns observer_##name parameters;                                       \
	static inline OBSERVER_GIVES_##returns observe_##name parameters                           \
	{                                                                                          \
		if (asked)                                                                         \
			OBSERVER_RETURN_##returns observer_##name arguments;                       \
		OBSERVER_ELSE_##returns                                                            \
	}
#define OBSERVE_IN(launch, name, returns, wants, parameters, arguments)                            \
	OBSERVE(name, returns,                                                                     \
		(wants) ? (observed(launch) & (wants)) != 0 : (launch)->watch != NULL, parameters, \
		arguments)

#define OBSERVE_HOST(name, returns, wants, parameters, arguments)                                  \
	OBSERVE(name, returns, atomic_load_explicit(&observers_n, memory_order_relaxed),           \
		parameters, arguments)
#define OBSERVE_LAUNCH(...) OBSERVE_IN(launch, __VA_ARGS__)
#define OBSERVE_BLOCK(...) OBSERVE_IN(block->launch, __VA_ARGS__)
#define OBSERVE_THREAD(...) OBSERVE_IN(thread->block->launch, __VA_ARGS__)
#define OBSERVE_CODE(...)    /* tell.h */
#define OBSERVE_FINDING(...) /* cudasim_finding_tell(): a finder does what its verdict says */
#define CUDASIM_EVENT(name, returns, about, wants, parameters, arguments)                          \
	OBSERVE_##about(name, returns, wants, parameters, arguments)
#include "cudasim/observer_events.def"

/* A call was given a handle that is none, or has destroyed it. */
static inline void observe_handle_of(enum cudasim_handle_kind kind, uint64_t value, bool destroyed)
{
	struct cudasim_handle handle = {kind, value, destroyed};
	observe_handle(&handle);
}

/* A direct call has died, which is no launch that anybody watches: to all that have a fault(). */
void observer_fault_of_direct(struct cudasim_launch *launch, struct cudasim_thread *thread,
			      const struct cudasim_fault *fault);

/* ---- what the scheduler does for observers ------------------------------- */

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

/* True where one block at a time must move. */
static inline bool observe_ordered(const struct cudasim_launch *launch)
{
	return observed(launch) & (CUDASIM_WANT_ORDERED | CUDASIM_WANT_CHOOSE);
}

/* ---- provided by the scheduler ------------------------------------------- */

/* Park the calling CUDA thread until it has been resumed as often as held. The
 * scheduler calls observe_held() from the worker's stack. While held threads remain and
 * nobody else can move it calls observe_stalled() with HELD, once; if still nobody can move
 * afterwards it waits to be woken by scheduler_wake(). */
void scheduler_hold(struct cudasim_thread *thread);
/* Park the calling CUDA thread until observe_met() or cudasim_warp_release() lets
 * it go. */
void scheduler_meet(struct cudasim_thread *thread);
/* End the launch of the calling CUDA thread, which is about to access addr, with
 * cudaErrorMisalignedAddress. */
__attribute__((noreturn)) void scheduler_misaligned(struct cudasim_thread *thread, const void *addr,
						    bool write, const struct cudasim_site *site);
/* The same with cudaErrorIllegalAddress: devices have no access to addr. */
__attribute__((noreturn)) void scheduler_forbidden(struct cudasim_thread *thread, const void *addr,
						   bool write, const struct cudasim_site *site);
/* The same, as the thread's stack has no room left for tools. */
__attribute__((noreturn)) void scheduler_stack_full(struct cudasim_thread *thread,
						    const struct cudasim_site *site);
/* End the launch of the calling CUDA thread with error (a cudaError_t). */
__attribute__((noreturn)) void scheduler_abort(struct cudasim_thread *thread, int error);

/* End the calling CUDA thread where its launch has been stopped; returns where it has not. */
void scheduler_end_stopped(struct cudasim_thread *thread);

/* ---- for inspect.c ------------------------------------------------------- */

/* Innermost libcudasim frame of the event that this pthread's CUDA thread is
 * delivering, NULL outside events: cudasim_thread_frames() starts there, for
 * tools need not keep frame pointers. */
extern _Thread_local void *observer_frame __attribute__((tls_model("initial-exec")));
/* The watchdog's signal came in such an event: a tool may hold locks then, so that the thread ends when it
 * has returned (observer_obey()). */
extern _Thread_local volatile sig_atomic_t observer_nudged
	__attribute__((tls_model("initial-exec")));

/* A tool's call has come to what cannot be done in it, or to a signal: cudasim_call_guard(). */
void observer_refuse(void);
void observer_guard(int number, const void *address);

#endif
