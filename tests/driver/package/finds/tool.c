/* SPDX-License-Identifier: Apache-2.0 */
/* An observer that says how many launches there were. */
#include <cudasim/observer.h>
#include <stdio.h>

static int n;

static void begin(void *tool, struct cudasim_launch *launch)
{
	(void)tool;
	(void)launch;
	n++;
}

static void finish(void *tool)
{
	(void)tool;
	printf("%d launch\n", n);
}

static const struct cudasim_observer observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "launches",
	.launch_begin = begin,
	.finish = finish,
};

const struct cudasim_observer *cudasim_observer_init(void)
{
	return &observer;
}
