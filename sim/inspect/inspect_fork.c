/* SPDX-License-Identifier: Apache-2.0 */
/* inspect_fork.c - a copy of the process that goes on with its launch. */
#include <errno.h>
#include <unistd.h>

#include "arena.h"
#include "cudasim/inspect.h"
#include "process.h"
#include "scheduler.h"

/* Other workers look for work now and then: none of them may hold the scheduler's lock, for in the
 * copy nobody would give it back. */
pid_t cudasim_fork(void)
{
	if (arena_has_shared()) {
		errno = EOPNOTSUPP;
		return -1;
	}
	scheduler_lock();
	process_is_copying = true;
	pid_t ret = fork();
	process_is_copying = false;
	scheduler_unlock();
	return ret;
}
