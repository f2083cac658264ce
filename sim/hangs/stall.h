/* SPDX-License-Identifier: Apache-2.0 */
/* stall.h - tables of who waits where; hang_watch.h has that of one worker. */
#ifndef CUDASIM_SIM_STALL_H
#define CUDASIM_SIM_STALL_H

struct block;
struct run;

/* Who waits where in all workers' blocks of the run, all of which stand still; the caller
 * frees it. */
char *stall_table_of_all(const struct run *run);
/* The rows of those of a block's threads that wait, without what stands before each. */
char *stall_waits(const struct block *b);

#endif
