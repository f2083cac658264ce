/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_event.c - `set cuda kernel_events`: a line when a kernel begins and when it has
 * ended, in cuda-gdb's form. */
#include <inttypes.h>
#include <stdio.h>

#include "events_state.h"
#include "focus.h"
#include "front.h"
#include "kernel_event.h"
#include "setting.h"

enum { NONE, APPLICATION, SYSTEM, ALL };
static const char *const choices[] = {
	[NONE] = "none", [APPLICATION] = "application", [SYSTEM] = "system", [ALL] = "all", NULL,
};

/* 1 for a launch by the host, 2 for one by a kernel of those, ... */
static uint32_t depth_of(const struct cudasim_launch *launch)
{
	uint32_t n = 1;
	while ((launch = launch->parent))
		n++;
	return n;
}

static void tell(const char *what, const struct cudasim_launch *launch)
{
	struct event_kernels *own = &events_state()->kernels;
	const uint32_t *g = launch->grid, *b = launch->block;
	/* The system has no kernels here. */
	if ((own->kernel_events != APPLICATION && own->kernel_events != ALL) ||
	    (own->depth && depth_of(launch) > own->depth) || !launch->kernel)
		return;
	front_say("[%s of CUDA Kernel %" PRIu64 " (%s<<<(%u,%u,%u),(%u,%u,%u)>>>) on Device %u]\n",
		  what, focus_kernel_number(launch), launch->kernel->display, g[0], g[1], g[2],
		  b[0], b[1], b[2], launch->device);
}

void kernel_event_begin(const struct cudasim_launch *launch)
{
	tell("Launch", launch);
}

void kernel_event_end(const struct cudasim_launch *launch)
{
	tell("Termination", launch);
}

__attribute__((constructor)) static void start(void)
{
	struct event_kernels *own = &events_state()->kernels;
	const struct setting settings[] = {
		{.name = "cuda kernel_events",
		 .kind = SETTING_CHOICE,
		 .value = &own->kernel_events,
		 .choices = choices,
		 .show = "Show CUDA kernel events is set to '%s'.",
		 .summary = "Print a line when a kernel begins and when it has ended"},
		{.name = "cuda kernel_events_depth",
		 .kind = SETTING_NUMBER,
		 .value = &own->depth,
		 .show = "Show CUDA kernel events depth is set to %s.",
		 .summary =
			 "1: of kernels that the host has launched; 2: of those that these launch, too; 0: of all"},
	};
	settings_add(settings, sizeof settings / sizeof *settings);
}
