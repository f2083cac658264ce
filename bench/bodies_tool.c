/* SPDX-License-Identifier: Apache-2.0 */
/* A tool that asks for the events that BENCH_WANT (bits of CUDASIM_WANT_*) names
 * and does next to nothing with them. */
#include <stdlib.h>

#include "cudasim/observer.h"

static _Thread_local volatile unsigned long n;

static uint32_t want(void *tool, const struct cudasim_launch *launch)
{
	const char *bits = getenv("BENCH_WANT");
	(void)tool;
	(void)launch;
	return bits ? (uint32_t)strtoul(bits, NULL, 0) : 0;
}

static enum cudasim_verdict on_access(void *tool, struct cudasim_thread *thread,
				      const struct cudasim_access *access)
{
	(void)tool;
	(void)thread;
	n += access->size;
	return CUDASIM_GO;
}

static enum cudasim_verdict on_line(void *tool, struct cudasim_thread *thread,
				    const struct cudasim_site *site)
{
	(void)tool;
	(void)thread;
	(void)site;
	n++;
	return CUDASIM_GO;
}

static const struct cudasim_observer observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "bench",
	.want = want,
	.access = on_access,
	.line = on_line,
};

const struct cudasim_observer *cudasim_observer_init(void)
{
	return &observer;
}
