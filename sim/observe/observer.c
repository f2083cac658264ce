/* SPDX-License-Identifier: Apache-2.0 */
/* observer.c - the way of an event to the observers: a function for each event of
 * observer_events.def, by what it returns and whom it is about. */
#include "observer.h"

#include "cudasim/inspect.h"
#include "finding.h"
#include "tell.h"

/* cudaErrorLaunchFailure; the number is part of CUDA's interface. */
enum { LAUNCH_FAILURE = 719 };

_Thread_local void *observer_frame __attribute__((tls_model("initial-exec")));
_Thread_local volatile sig_atomic_t observer_nudged __attribute__((tls_model("initial-exec")));

void observer_obey(struct cudasim_thread *thread, enum cudasim_verdict verdict)
{
	if (observer_nudged) {
		observer_nudged = 0;
		scheduler_end_stopped(thread);
	}
	switch (verdict) {
	case CUDASIM_GO:
		return;
	case CUDASIM_MEET:
		if (observe_ordered(thread->block->launch))
			scheduler_meet(thread);
		return;
	case CUDASIM_HOLD:
		scheduler_hold(thread);
		return;
	case CUDASIM_STOP:
		launch_of(thread->block->launch)->stopped = true;
		/* fall through */
	case CUDASIM_ABORT:
		scheduler_abort(thread, LAUNCH_FAILURE);
	}
}

/* ---- events by what they return ------------------------------------------ */

#define TO_WATCHERS_NOTHING(launch, name, wants, parameters, arguments)                            \
	void observer_##name parameters                                                            \
	{                                                                                          \
		FOR_WANTING(launch, name, wants, o)                                                \
		o->name(o->tool, CUDASIM_EVENT_LIST arguments);                                    \
	}
#define TO_WATCHERS_VERDICT(launch, name, wants, parameters, arguments)                            \
	void observer_##name parameters                                                            \
	{                                                                                          \
		TELL(thread, name, wants, CUDASIM_EVENT_LIST arguments);                           \
	}
/* Lanes that all of them name; a thread that the first one names. */
#define TO_WATCHERS_LANES(launch, name, wants, parameters, arguments)                              \
	uint32_t observer_##name parameters                                                        \
	{                                                                                          \
		uint32_t all = lanes;                                                              \
		FOR_WANTING(launch, name, wants, o)                                                \
		all &= o->name(o->tool, CUDASIM_EVENT_LIST arguments);                             \
		return all;                                                                        \
	}
#define TO_WATCHERS_THREAD(launch, name, wants, parameters, arguments)                             \
	struct cudasim_thread *observer_##name parameters                                          \
	{                                                                                          \
		struct cudasim_thread *named = NULL;                                               \
		FOR_WANTING(launch, name, wants, o)                                                \
		if (!named)                                                                        \
			named = o->name(o->tool, CUDASIM_EVENT_LIST arguments);                    \
		return named;                                                                      \
	}

#define DEFINE_HOST(name, returns, wants, parameters, arguments)                                   \
	void observer_##name parameters                                                            \
	{                                                                                          \
		FOR_EACH_REGISTERED(r, o)                                                          \
		if (o->name)                                                                       \
			o->name(o->tool, CUDASIM_EVENT_LIST arguments);                            \
	}
#define DEFINE_LAUNCH(name, returns, ...) TO_WATCHERS_##returns(launch, name, __VA_ARGS__)
#define DEFINE_BLOCK(name, returns, ...) TO_WATCHERS_##returns(block->launch, name, __VA_ARGS__)
#define DEFINE_THREAD(name, returns, ...)                                                          \
	TO_WATCHERS_##returns(thread->block->launch, name, __VA_ARGS__)
#define DEFINE_CODE(...)    /* tell.h */
#define DEFINE_FINDING(...) /* below */
#define CUDASIM_EVENT(name, returns, about, wants, parameters, arguments)                          \
	DEFINE_##about(name, returns, wants, parameters, arguments)
#include "cudasim/observer_events.def"

/* ---- by hand ------------------------------------------------------------- */

/* To the launch's observers where a thread caused it, and then the verdict is the finder's to
 * return; else to all. */
enum cudasim_verdict cudasim_finding_tell(struct cudasim_thread *thread,
					  const struct cudasim_finding *finding)
{
	enum cudasim_verdict verdict = CUDASIM_GO, answer;
	finding_count(finding);
	if (thread && thread->block->launch->watch) {
		/* observer_frame is the event's that it was found in. */
		FOR_EACH(thread->block->launch, finding, o)
		if ((answer = o->finding(o->tool, thread, finding)) > verdict)
			verdict = answer;
		return verdict;
	}
	FOR_EACH_REGISTERED(r, o)
	if (o->finding)
		o->finding(o->tool, NULL, finding);
	return verdict;
}

void observer_fault_of_direct(struct cudasim_launch *launch, struct cudasim_thread *thread,
			      const struct cudasim_fault *fault)
{
	FOR_EACH_REGISTERED(r, o)
	if (o->fault)
		o->fault(o->tool, launch, thread, fault);
}
