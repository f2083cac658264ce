/* SPDX-License-Identifier: Apache-2.0 */
/* caller.h - small launches on the host thread that makes them: over before a worker
 * could be woken. */
#ifndef CUDASIM_SIM_CALLER_H
#define CUDASIM_SIM_CALLER_H

#include <stdbool.h>

struct run;

/* Whether the calling thread may run a launch of its own now: it is no worker, and runs
 * none already. Makes ready what it needs; false without memory. */
bool caller_may(void);

/* Run all units of the run, which nobody else takes, to their end: the run is gone
 * afterwards. Only after caller_may(). */
void caller_run(struct run *run);

#endif
