/* SPDX-License-Identifier: Apache-2.0 */
/* mbarrier.h - a block's mbarriers (cuda::barrier in shared memory), for synccheck. */
#ifndef CUDASIM_CHECKERS_MBARRIER_H
#define CUDASIM_CHECKERS_MBARRIER_H

#include "checker.h"

/* Of a block; NULL until an mbarrier is used there. All events of a block come from one
 * pthread. */
struct mbarriers;

/* What is wrong with an operation on an mbarrier. More arrivals at once than the phase waits
 * for end the launch instead (CUDASIM_FAULT_BARRIER). */
enum mbarrier_fault {
	MBARRIER_RIGHT,
	MBARRIER_NONE,   /* it was never set up, or has been invalidated */
	MBARRIER_LATER,  /* nothing orders the arrival after the end of the phase before: it
	                  * would be that phase's, had others come later */
};

/* Something was done to an mbarrier by a thread of the block: enters it into *all, which
 * is made where it is NULL. */
enum mbarrier_fault mbarriers_event(struct mbarriers **all, const struct cudasim_thread *thread,
				    const struct cudasim_mbarrier *event);

/* How threads come to know of phases' ends by other means; all may be NULL. A thread comes
 * to a barrier of the block; it opens; lanes of a warp meet. */
void mbarriers_arrive(struct mbarriers *all, const struct cudasim_thread *thread, uint32_t id,
		      bool waits);
void mbarriers_open(struct mbarriers *all, uint32_t id);
void mbarriers_meet(struct mbarriers *all, uint32_t warp, uint32_t lanes);

void mbarriers_free(struct mbarriers *all);

#endif
