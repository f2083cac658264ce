/* SPDX-License-Identifier: Apache-2.0 */
/* tell.h - one event to each observer of a launch that has a callback for it, and what
 * their answers make of the thread. */
#ifndef CUDASIM_SIM_TELL_H
#define CUDASIM_SIM_TELL_H

#include "observer.h"

/* Each observer of the launch that has the slot `event`, in turn. */
#define FOR_EACH(launch, event, o)                                                                 \
	for (uint32_t rest_ = (launch)->watch->hears.event, i_; rest_; rest_ &= rest_ - 1)         \
		for (const struct cudasim_observer *o =                                            \
			     (launch)->watch->slot[i_ = (uint32_t)__builtin_ctz(rest_)];           \
		     o; o = NULL)

/* As above, those that want `bits`. */
#define FOR_WANTING(launch, event, bits, o)                                                        \
	FOR_EACH(launch, event, o)                                                                 \
	if (atomic_load_explicit(&(launch)->watch->wants[i_], memory_order_relaxed) & (bits))

/* Do what the observers want. */
__attribute__((noinline)) void observer_obey(struct cudasim_thread *thread,
					     enum cudasim_verdict verdict);
static inline void obey(struct cudasim_thread *thread, enum cudasim_verdict verdict)
{
	if (__builtin_expect(verdict != CUDASIM_GO, 0))
		observer_obey(thread, verdict);
}

/* Tell the observers of the thread's launch that want `bits` (all of them for
 * ~0u), with observer_frame set for cudasim_thread_frames(). */
#define TELL(thread, event, bits, ...)                                                             \
	do {                                                                                       \
		struct cudasim_launch *launch_ = (thread)->block->launch;                          \
		enum cudasim_verdict verdict_ = CUDASIM_GO;                                        \
		if (!launch_->watch)                                                               \
			break;                                                                     \
		observer_frame = __builtin_frame_address(0);                                       \
		FOR_EACH(launch_, event, o)                                                        \
		{                                                                                  \
			uint32_t wants_ = atomic_load_explicit(&launch_->watch->wants[i_],         \
							       memory_order_relaxed);              \
			if ((bits) != ~0u && !(wants_ & (bits)))                                   \
				break;                                                             \
			enum cudasim_verdict answer_ = o->event(o->tool, (thread), __VA_ARGS__);   \
			if (answer_ > verdict_)                                                    \
				verdict_ = answer_;                                                \
		}                                                                                  \
		observer_frame = NULL;                                                             \
		obey((thread), verdict_);                                                          \
	} while (0)

#endif
