/* SPDX-License-Identifier: Apache-2.0 */
/* control_step.h - what the files of a step share; nobody else includes it. */
#ifndef CUDASIM_DEBUGGER_CONTROL_STEP_H
#define CUDASIM_DEBUGGER_CONTROL_STEP_H

#include "run_state.h"

enum { WIDER_NOBODY, WIDER_WARP, WIDER_BLOCK, WIDER_CLUSTER, WIDER_GRID, WIDER_NEW };
/* Turns that lanes get which only spin before more of the others move (and which they
 * get once the focused one is where it was to go); moves after
 * which those who were only to catch up are left where they are. */
enum { SPINS = 8, PATIENCE = 1000000 };

/* ---- control_step_others.c --------------------------------------------------------- */

struct cudasim_warp_lanes lanes_state(struct cudasim_block *block, uint32_t warp);
bool thread_is_live(struct cudasim_thread *thread);
/* Lanes of the warp that move for this. */
uint32_t lanes_moving(struct cudasim_block *block, uint32_t warp, enum moving what);
void lanes_set_moving(struct cudasim_block *block, uint32_t warp, uint32_t lanes, enum moving what);
/* All lanes of all blocks move for nothing. */
void forget_moves(void);

/* Who moves next, NULL where none of these can.
 * A lane out of these that can go on, and does not only spin. */
struct cudasim_thread *pick_lane(struct cudasim_block *block, uint32_t warp, uint32_t lanes);
struct cudasim_thread *pick_of_block(struct cudasim_block *block, enum moving what);
struct cudasim_thread *pick_of_grid(enum moving what);
/* Nobody can do more than spin: the next one's turn to do that. NULL when each has had
 * SPINS turns. */
struct cudasim_thread *pick_spinning(void);
/* A lane that converges and that moves for the step. */
struct cudasim_thread *pick_converging(void);

/* Let more of the others move; false where all do already. */
bool widen(void);

#endif
