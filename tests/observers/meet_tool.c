/* SPDX-License-Identifier: Apache-2.0 */
/* Arms lines of meet.cu, lets lanes meet there, keeps and begins blocks, and reads what
 * functions return. meet.expected follows from meet.cu by hand. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cudasim/inspect.h"

static const struct cudasim_observer observer;
static bool keep;

static bool is(const struct cudasim_launch *launch, const char *kernel)
{
	return !strcmp(launch->kernel->display, kernel);
}

static uint32_t want(void *tool, const struct cudasim_launch *launch)
{
	(void)tool;
	return CUDASIM_WANT_BODY | CUDASIM_WANT_ORDERED | CUDASIM_WANT_BLOCK |
	       (is(launch, "values") ? CUDASIM_WANT_CALL : 0);
}

/* The sites of lines on which meet.cu says so: its line numbers are known here only. */
enum { LINE_LOOPS = 14, LINE_SPINS = 25, LINE_BLOCKS = 30 };

static void module(void *tool, const struct cudasim_module *m)
{
	(void)tool;
	for (uint64_t i = 0; i < m->n_sites; i++) {
		uint32_t line = m->sites[i].line;
		if (m->sites[i].kind == CUDASIM_SITE_LINE &&
		    (line == LINE_LOOPS || line == LINE_SPINS || line == LINE_BLOCKS))
			cudasim_error_free(cudasim_site_arm(&observer, &m->sites[i], true));
	}
}

static void launch_begin(void *tool, struct cudasim_launch *launch)
{
	(void)tool;
	if (!is(launch, "blocks"))
		return;
	keep = true;
	cudasim_launch_limit(launch, 2);
}

static enum cudasim_verdict line(void *tool, struct cudasim_thread *thread,
				 const struct cudasim_site *site)
{
	(void)tool, (void)thread, (void)site;
	return CUDASIM_MEET;
}

static uint32_t met(void *tool, struct cudasim_block *block, uint32_t warp, uint32_t lanes)
{
	struct cudasim_warp_lanes now;
	(void)tool;
	cudasim_warp_lanes(block, warp, &now);
	fprintf(stderr, "%s: met %x, live %x, active %x\n", block->launch->kernel->display, lanes,
		now.live, now.active);
	return keep ? 0 : lanes;
}

static void stalled(void *tool, struct cudasim_launch *launch, enum cudasim_stall why)
{
	struct cudasim_block *blocks[8];
	struct cudasim_warp_lanes now;
	(void)tool;
	size_t n = cudasim_blocks(launch, blocks, 8);
	/* Longer than CUDASIM_TIMEOUT, which is 4 s here. */
	struct timespec rest = {.tv_sec = 4, .tv_nsec = 300000000};
	cudasim_timeout_hold(true);
	nanosleep(&rest, NULL);
	cudasim_timeout_hold(false);
	fprintf(stderr, "%s: %zu blocks in flight\n", why == CUDASIM_STALL_HELD ? "held" : "dead", n);
	cudasim_launch_limit(launch, 3);
	uint32_t more = cudasim_launch_begin_blocks(launch, 5);
	n = cudasim_blocks(launch, blocks, 8);
	fprintf(stderr, "%u more, %zu in flight\n", more, n);
	cudasim_warp_lanes(blocks[2], 0, &now);
	fprintf(stderr, "the new one: active %x, met %x\n", now.active, now.met);
	cudasim_launch_limit(launch, 0);
	keep = false;
	for (size_t i = 0; i < n; i++)
		cudasim_warp_release(blocks[i], 0, ~0u);
}

static enum cudasim_verdict call_leave(void *tool, struct cudasim_thread *thread,
				       const struct cudasim_call *call)
{
	const int *value = call->value;
	(void)tool, (void)thread;
	fprintf(stderr, "%s: %llu bytes", call->entry->function, (unsigned long long)call->size);
	if (value)
		fprintf(stderr, ", first %d, last %d", value[0], value[call->size / 4 - 1]);
	fputc('\n', stderr);
	return CUDASIM_GO;
}

static const struct cudasim_observer observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "meet-test",
	.want = want,
	.module = module,
	.launch_begin = launch_begin,
	.line = line,
	.met = met,
	.stalled = stalled,
	.call_leave = call_leave,
};

const struct cudasim_observer *cudasim_observer_init(void)
{
	return &observer;
}
