/* SPDX-License-Identifier: Apache-2.0 */
/* tell.h - one event to each observer of a launch that has a callback for it, and what
 * their answers make of the thread.
 *
 * For each event of watched bodies there is tell_NAME(PARAMETERS). */
#ifndef CUDASIM_SIM_TELL_H
#define CUDASIM_SIM_TELL_H

#include "observer.h"

/* Each observer `o` of the launch that has the slot `event`, in turn; h_ is its place in the
 * list. */
#define FOR_EACH(launch, event, o)                                                                 \
	for (const struct hearer *h_ = (launch)->watch->hears.event; h_->observer; h_++)           \
		for (const struct cudasim_observer *o = h_->observer; o; o = NULL)

/* As above, those that want one of `bits`; all for 0. */
#define FOR_WANTING(launch, event, bits, o)                                                        \
	FOR_EACH(launch, event, o)                                                                 \
	if ((bits) == 0 || atomic_load_explicit(&h_->watcher->want, memory_order_relaxed) & (bits))

/* Do what the observers want, and what the watchdog wanted meanwhile. */
__attribute__((noinline)) void observer_obey(struct cudasim_thread *thread,
					     enum cudasim_verdict verdict);
static inline void obey(struct cudasim_thread *thread, enum cudasim_verdict verdict)
{
	if (__builtin_expect(verdict != CUDASIM_GO || observer_nudged, 0))
		observer_obey(thread, verdict);
}

/* Tell the observers of the thread's launch that want one of `bits` (all of them for
 * 0), with observer_frame set for cudasim_thread_frames(). */
#define TELL(thread, event, bits, ...)                                                             \
	do {                                                                                       \
		const struct cudasim_launch *launch_ = (thread)->block->launch;                    \
		enum cudasim_verdict verdict_ = CUDASIM_GO;                                        \
		if (!launch_->watch)                                                               \
			break;                                                                     \
		observer_frame = __builtin_frame_address(0);                                       \
		FOR_WANTING(launch_, event, bits, o)                                               \
		{                                                                                  \
			enum cudasim_verdict answer_ = o->event(o->tool, __VA_ARGS__);             \
			if (answer_ > verdict_)                                                    \
				verdict_ = answer_;                                                \
		}                                                                                  \
		observer_frame = NULL;                                                             \
		obey((thread), verdict_);                                                          \
	} while (0)

#define TELL_HOST(...) /* these are observer.h's */
#define TELL_LAUNCH(...)
#define TELL_BLOCK(...)
#define TELL_THREAD(...)
#define TELL_FINDING(...)
#define TELL_CODE(name, wants, parameters, arguments)                                              \
	static inline void tell_##name parameters                                                  \
	{                                                                                          \
		TELL(thread, name, wants, CUDASIM_EVENT_LIST arguments);                           \
	}
#define CUDASIM_EVENT(name, returns, about, wants, parameters, arguments)                          \
	TELL_##about(name, wants, parameters, arguments)
#include "cudasim/observer_events.def"

#endif
