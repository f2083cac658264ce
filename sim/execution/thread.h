/* SPDX-License-Identifier: Apache-2.0 */
/* thread.h - a CUDA thread as the scheduler knows it. */
#ifndef CUDASIM_SIM_THREAD_H
#define CUDASIM_SIM_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cudasim/observer.h"

struct block;
struct fiber;

/* What a thread does, or waits for. */
enum thread_state {
	THREAD_FRESH,    /* not begun */
	THREAD_READY,    /* runs or could run */
	THREAD_YIELDED,  /* gave way at a back-edge; ready again in the next round */
	THREAD_SLEEPING, /* the same, in nanosleep */
	THREAD_BARRIER,  /* waits at the block barrier `barrier` */
	THREAD_CLUSTER,  /* waits at the cluster's barrier */
	THREAD_MEET,     /* waits at a warp operation for the lanes `mask` */
	THREAD_CONVERGE, /* waits until its warp has nobody else to run */
	THREAD_POST_BARRIER,   /* waits until its block has nobody else to run */
	THREAD_MET,      /* an observer said MEET */
	THREAD_EXITED,
	THREAD_FAULTED,  /* has ended the launch; its frames still stand */
};

/* In pub.want, alone: a tool runs device functions as this thread on a pthread of
 * its own (cudasim_self_swap()). No event is told, and nothing may be scheduled. */
#define THREAD_BORROWED (1u << 31)

enum { THREAD_POLLS = 8 };

struct thread {
	/* The first cache line is all that a switch touches. */
	struct cudasim_thread pub; /* first: device code sees this. pub.site is
	                            * where it waits, while it waits */
	/* FIBER_STACK: its saved stack pointer while it stands still. NULL before
	 * it begins. */
	void *sp;
	uint8_t state;       /* enum thread_state */
	uint8_t warp_kind;   /* THREAD_MEET, THREAD_CONVERGE: enum cudasim_warp_kind */
	uint8_t warp_sub;
	uint8_t barrier;     /* THREAD_BARRIER: its id */
	atomic_uint holds;   /* times it is held; it runs only at 0 */

	struct fiber *fiber; /* where it stands; NULL before it begins, after it ends */
	uint64_t result;     /* of the operation that it waits for */
	uint64_t footprint;  /* of its registers and stack when it gave way last */
	/* Innermost frame of libcudasim while it stands still: device frames are found from
	 * there by frame pointers. NULL also where thread_stop_frame() finds it at sp. */
	void *stop_frame;
	/* Of the innermost device frame, where a signal has told it; else 0. */
	uint64_t fault_pc, fault_frame, fault_sp;
	uint32_t mask;       /* THREAD_MEET: the lanes that it names */
	/* Of the loop in which it gave way last, as __cudasim_yield() was told. */
	uint32_t wait;       /* CUDASIM_WAIT_* */
	const void *wait_address;
	/* It gives way until this mbarrier's phase ends; NULL: for nothing or something else. */
	const void *sleeps_at;
	bool woken;          /* the phase has ended since */
	/* It has asked an mbarrier in vain: THREAD_POLLS, less 1 for each 50 ms since (hang.c). */
	uint8_t polls;
	bool spins; /* it gave way last with nothing done since the time before */
	bool stays; /* and that at a CUDASIM_SITE_STAYS */
};
_Static_assert(offsetof(struct thread, fiber) == 64, "a switch touches one cache line");

/* What CUDA's runtime in device code keeps of a thread. */
struct thread_runtime {
	int error; /* cudaGetLastError(): a cudaError_t */
	uint32_t n_launches; /* that it has made, but for those of the tail stream */
};

static inline struct thread *thread_self(void)
{
	return (struct thread *)__cudasim_self;
}

/* As stop_frame says. What fiber_exchange() leaves at a stack pointer holds the frame
 * pointer of who called it; a thread that was switched away from by dispatch_suspend()
 * waits for something as long as that is so. */
static inline void *thread_stop_frame(const struct thread *t)
{
	enum { SAVED_FRAME = 5 }; /* words above: fiber_x86_64.S */
	bool waits = t->state == THREAD_BARRIER || t->state == THREAD_CLUSTER ||
		     t->state == THREAD_MEET || t->state == THREAD_CONVERGE ||
		     t->state == THREAD_POST_BARRIER || t->state == THREAD_YIELDED ||
		     t->state == THREAD_SLEEPING;
	if (t->stop_frame || !waits || !t->sp)
		return t->stop_frame;
	return ((void *const *)t->sp)[SAVED_FRAME];
}

/* Hold or resume a thread; from any pthread, see cudasim_thread_hold(). */
void thread_hold(struct thread *thread);
void thread_resume(struct thread *thread);

#endif
