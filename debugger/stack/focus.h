/* SPDX-License-Identifier: Apache-2.0 */
/* focus.h - the thread that commands speak of.
 *
 * Kernels are numbered from 0 in the order of their launches. sm, warp and lane
 * are the simulator's own: sm is block->smid, warp the number within the block. */
#ifndef CUDASIM_DEBUGGER_FOCUS_H
#define CUDASIM_DEBUGGER_FOCUS_H

#include <stdio.h>

#include "cudasim/inspect.h"

struct focus {
	bool is_device;                /* else the host thread of the stop, if any */
	struct cudasim_launch *launch;
	struct cudasim_block *block;
	struct cudasim_thread *thread;
	uint64_t kernel;               /* number */
	/* Copies: those of a focus that was kept while the program went on can be read when
	 * its thread is gone. */
	uint32_t block_index[3], thread_index[3];
};
/* is_device false and launch NULL where there is nothing. */
const struct focus *focus_get(void);
/* Focus a thread of a block in flight. */
void focus_set(struct cudasim_launch *launch, struct cudasim_thread *thread);
void focus_clear(void); /* to the host */
uint64_t focus_kernel_number(const struct cudasim_launch *launch);
/* "CUDA kernel 0, grid 1, block (0,0,0), thread (0,0,0), device 0, sm 0, warp 0, lane 0" */
void focus_print(FILE *out, const struct focus *focus);
/* Is it the same thread of the same kernel, or the host both times? */
bool focus_same(const struct focus *a, const struct focus *b);
/* Is this thread of the block alive and begun, so that it can be looked at? */
bool focus_can_see(struct cudasim_thread *thread);

/* "[Switching focus to ...]" where the focus is on another device thread than before. */
void focus_announce(FILE *out, const struct focus *before);

#endif
