/* SPDX-License-Identifier: Apache-2.0 */
/* A tool that is busy most of the time. Says in the end how many of its callbacks have not come to their
 * end: what a real one holds then, a lock or the heap's, would be held for good. */
#include <stdio.h>
#include <time.h>

#include "cudasim/observer.h"

static unsigned entered, left;

static uint32_t want(void *tool, const struct cudasim_launch *launch)
{
	(void)tool;
	(void)launch;
	return CUDASIM_WANT_ACCESS | CUDASIM_WANT_LANES;
}

static void work(void)
{
	struct timespec begin, now;
	__atomic_fetch_add(&entered, 1, __ATOMIC_RELAXED);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 1000000);
	__atomic_fetch_add(&left, 1, __ATOMIC_RELAXED);
}

static uint32_t on_lanes(void *tool, struct cudasim_block *block, uint32_t lanes,
			 const struct cudasim_lanes *a)
{
	(void)tool;
	(void)block;
	(void)lanes;
	(void)a;
	work();
	return 0;
}

static enum cudasim_verdict on_access(void *tool, struct cudasim_thread *thread,
				      const struct cudasim_access *a)
{
	(void)tool;
	(void)thread;
	(void)a;
	work();
	return CUDASIM_GO;
}

static void finish(void *tool)
{
	(void)tool;
	fprintf(stderr, "%s, %u not come to an end\n", entered ? "called" : "never called", entered - left);
}

static const struct cudasim_observer observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "nudge-test",
	.want = want,
	.access = on_access,
	.access_lanes = on_lanes,
	.finish = finish,
};

const struct cudasim_observer *cudasim_observer_init(void)
{
	return &observer;
}
