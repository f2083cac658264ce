/* SPDX-License-Identifier: Apache-2.0 */
/* one_thread.h - a launch of one thread, as observers see it, without a scheduler: whom it would call
 * is stood in for. */
#ifndef ONE_THREAD_H
#define ONE_THREAD_H

#include <setjmp.h>

#include "observer.h"
#include "thread.h"

extern const struct cudasim_module module_of_sites;
extern const struct cudasim_site sites[2]; /* both of lines */
extern struct one {
	struct launch launch;
	struct cudasim_block block;
	struct thread thread; /* a thread as observers see it begins one of the scheduler's */
} one;
extern unsigned char window[128]; /* the block's shared memory */
extern char stack[64]; /* the thread's own */

/* Submit the launch and begin it and its block; end both. The launch's id is 7. */
void begin(void);
void end(void);

/* What has been asked of the scheduler since begin(). It goes on from an abort and from a
 * misaligned access by longjmp(abort_to). */
extern int holds, aborts;
extern const void *misaligned;
extern jmp_buf abort_to;

#endif
