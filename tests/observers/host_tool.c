/* SPDX-License-Identifier: Apache-2.0 */
/* Hears cudasim_break() in host.cu, whose blocks come one after the other. */
#include <stdio.h>

#include "cudasim/inspect.h"

static uint32_t want(void *tool, const struct cudasim_launch *launch)
{
	(void)tool, (void)launch;
	return CUDASIM_WANT_ORDERED;
}

static enum cudasim_verdict brkpt(void *tool, struct cudasim_thread *thread,
				  const struct cudasim_site *site)
{
	(void)tool;
	fprintf(stderr, "break in block %u, thread %u, %s, line %u\n", thread->block->ctaid[0],
		thread->tid[0], site->function, site->line);
	return CUDASIM_GO;
}

static const struct cudasim_observer observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "host-test",
	.want = want,
	.brkpt = brkpt,
};

const struct cudasim_observer *cudasim_observer_init(void)
{
	return &observer;
}
