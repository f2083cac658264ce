/* SPDX-License-Identifier: Apache-2.0 */
/* run_new.h - a launch's run, before the scheduler has it. */
#ifndef CUDASIM_SIM_RUN_NEW_H
#define CUDASIM_SIM_RUN_NEW_H

#include "scheduler.h"

/* A run that is in no list; usual: the body where nobody watches. NULL without memory. */
struct run *run_new(struct launch *launch, enum cudasim_body usual);
void run_free(struct run *run); /* may be NULL */

/* Set run->loop, where its blocks may run as a loop over their threads. */
void run_choose_loop(struct run *run, const struct scheduler_config *config);

/* Units to take at first. */
uint64_t run_first_chunk(const struct run *run);

#endif
