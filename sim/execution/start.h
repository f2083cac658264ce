/* SPDX-License-Identifier: Apache-2.0 */
/* start.h - the units that a worker has taken become blocks in its ring, and blocks that have
 * ended make room. For worker.c; what others want of it stands in worker.h. */
#ifndef CUDASIM_START_H
#define CUDASIM_START_H

#include <stdbool.h>
#include <stdint.h>

struct block;
struct chunk;
struct run;
struct worker;

/* There is no memory for another block: the run ends with an error, told once. */
void start_die_of_memory(struct run *run);

/* Start the i-th unit of the run. False without memory: the run is dead. */
bool start_unit(struct worker *worker, struct run *run, uint64_t i);

/* Start up to n more units; spare says that what is in flight cannot go on. Returns how many
 * were started. */
uint32_t start_units(struct worker *worker, uint32_t n, bool spare);

/* Units to start later. */
void start_keep_chunk(struct worker *worker, const struct chunk *chunk);
/* Start one unit of those; `at` counts chunks. False where its run is dead. */
bool start_from_chunk(struct worker *worker, uint32_t at);

/* Take ring[at] out; it has ended, or its run has died. The run may be gone afterwards. */
void start_retire(struct worker *worker, uint32_t at);
/* A block of no run is there to be started again. */
void start_keep_unused(struct worker *worker, struct block *block);

#endif
