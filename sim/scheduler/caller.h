/* SPDX-License-Identifier: Apache-2.0 */
/* caller.h - a host thread as a worker: for small launches of its own, over before a worker
 * could be woken, and beside the workers while it waits (scheduler_help()). */
#ifndef CUDASIM_SIM_CALLER_H
#define CUDASIM_SIM_CALLER_H

#include <stdbool.h>

struct chunk;
struct worker;

/* Whether the calling thread may run a launch of its own now: it is no worker, and runs
 * none already. Makes ready what it needs; false without memory. */
bool caller_may(void);

/* Run the units of a chunk to their end; its run may be gone afterwards. Only after
 * caller_may(). */
void caller_run(const struct chunk *chunk);

/* What it runs them on; only after caller_may(). */
struct worker *caller_worker(void);

#endif
