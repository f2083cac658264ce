/* SPDX-License-Identifier: Apache-2.0 */
/* history.h - who wrote each byte last, for the debugger's where-is.
 *
 * At work only where the debugger and initcheck both are: it takes 24 bytes for each byte
 * that is written. What the host writes into managed and pinned memory is not seen. */
#ifndef CUDASIM_CHECKERS_HISTORY_H
#define CUDASIM_CHECKERS_HISTORY_H

#include "checker.h"
#include "shadow.h"

struct history_record; /* of one byte */

/* Once the options are read. */
void history_start(void);
void history_launch(const struct cudasim_launch *launch);
void history_allocated(const struct cudasim_memory *memory);
void history_copied(const struct cudasim_copy *copy);

/* Of a block: of its shared memory. */
struct history_block;
struct history_block *history_block_begin(const struct cudasim_block *block);
void history_block_end(struct history_block *h);
/* Before thread's next access: those of its writes that waited have been made. */
void history_settle(struct history_block *h, const struct cudasim_thread *thread);
/* The thread writes, or (waits) will, once it is let go on. */
void history_write(struct history_block *h, struct cudasim_thread *thread,
		   const struct cudasim_access *access, bool waits);
/* Of a block that is being watched, or NULL (access.c). */
struct history_block *access_history(const struct cudasim_block *block);

#endif
