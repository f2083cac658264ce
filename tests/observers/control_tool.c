/* SPDX-License-Identifier: Apache-2.0 */
/* Steers control.cu: chooses who runs, holds and resumes, asks for more events
 * in flight, ends launches. control.expected is what the program prints then. */
#include <stdio.h>
#include <stdlib.h>

#include "cudasim/inspect.h"

static const struct cudasim_observer observer;
static unsigned long n_lines;

static uint32_t want(void *tool, const struct cudasim_launch *launch)
{
	(void)tool;
	switch (launch->id) {
	case 1: return CUDASIM_WANT_CHOOSE;
	case 2: return CUDASIM_WANT_THREAD | CUDASIM_WANT_ORDERED;
	case 3: return CUDASIM_WANT_FENCE | CUDASIM_WANT_BODY | CUDASIM_WANT_THREAD;
	default: return CUDASIM_WANT_ACCESS;
	}
}

/* The highest thread that can move. */
static struct cudasim_thread *choose(void *tool, struct cudasim_launch *launch)
{
	struct cudasim_block *block;
	(void)tool;
	if (!cudasim_blocks(launch, &block, 1))
		return NULL;
	for (uint32_t i = cudasim_block_size(block); i-- > 0;) {
		struct cudasim_thread *thread = cudasim_block_thread(block, i);
		struct cudasim_thread_status status;
		cudasim_thread_status(thread, &status);
		if (status.state == CUDASIM_THREAD_WAITING || status.state == CUDASIM_THREAD_READY)
			return thread;
	}
	return NULL;
}

static struct cudasim_thread *waiting;

static enum cudasim_verdict thread_begin(void *tool, struct cudasim_thread *thread)
{
	(void)tool;
	if (thread->block->launch->id == 3) {
		struct cudasim_error *error = cudasim_launch_want(
			&observer, thread->block->launch, CUDASIM_WANT_THREAD | CUDASIM_WANT_LINE);
		if (error)
			fprintf(stderr, "launch_want: %s\n", error->message);
		cudasim_error_free(error);
		return CUDASIM_GO;
	}
	if (thread->linear != 3)
		return CUDASIM_GO;
	waiting = thread;
	return CUDASIM_HOLD;
}

static void stalled(void *tool, struct cudasim_launch *launch, enum cudasim_stall why)
{
	(void)tool;
	fprintf(stderr, "launch %llu stalled: %s\n", (unsigned long long)launch->id,
		why == CUDASIM_STALL_HELD ? "held" : "deadlock");
	if (waiting)
		cudasim_thread_resume(waiting);
	waiting = NULL;
}

static enum cudasim_verdict line(void *tool, struct cudasim_thread *thread,
				 const struct cudasim_site *site)
{
	(void)tool;
	(void)site;
	if (++n_lines == 1000)
		cudasim_launch_abort(thread->block->launch);
	return CUDASIM_GO;
}

static enum cudasim_verdict on_access(void *tool, struct cudasim_thread *thread,
				      const struct cudasim_access *access)
{
	(void)tool;
	(void)thread;
	return access->what & CUDASIM_ACCESS_ATOMIC ? CUDASIM_ABORT : CUDASIM_GO;
}

static void finish(void *tool)
{
	(void)tool;
	fprintf(stderr, "%s\n", n_lines >= 1000 ? "spun" : "never spun");
}

static const struct cudasim_observer observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "control-test",
	.want = want,
	.finish = finish,
	.choose = choose,
	.thread_begin = thread_begin,
	.stalled = stalled,
	.line = line,
	.access = on_access,
};

const struct cudasim_observer *cudasim_observer_init(void)
{
	return &observer;
}
