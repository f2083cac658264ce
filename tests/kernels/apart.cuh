/* SPDX-License-Identifier: Apache-2.0 */
/* apart.cuh - cases in processes of their own: what one does to its context is nobody else's.
 * The process that calls apart() must not have used CUDA. */
#ifndef APART_CUH
#define APART_CUH

#include <sys/wait.h>
#include <unistd.h>

#include "case.cuh"

static int apart_running;

/* Wait for the children until no more than so many are left. */
static inline void apart_wait(int left)
{
	while (apart_running > left && wait(NULL) > 0)
		apart_running--;
}

/* Up to eight run at a time; main() ends with apart_wait(0). */
template <typename F> static void apart(const char *name, F body)
{
	fflush(stdout);
	apart_wait(7);
	if (!fork()) {
		/* What ends the case is its answer. */
		int status = 0;
		pid_t child = fork();
		if (!child) {
			alarm(100);
			body();
			fflush(stdout);
			_exit(0);
		}
		waitpid(child, &status, 0);
		if (status)
			say(name, "ended with status %x", (unsigned)status);
		_exit(0);
	}
	apart_running++;
}

#endif
