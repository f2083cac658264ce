/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h - threads that have left a loop with meetings; see struct cudasim_loop. */
#ifndef CUDASIM_SIM_LOOP_H
#define CUDASIM_SIM_LOOP_H

struct thread;

/* Run t, whose block's threads have left their loop (block->left), from the cut where
 * it stands to its end. */
void loop_resume(struct thread *t);

#endif
