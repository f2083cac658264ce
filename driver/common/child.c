/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "child.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int child_wait(pid_t pid)
{
	int status = 0;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

int child_exit_code(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct cudasim_error *child_run(const struct words *words, FILE *out, FILE *err, int *ret)
{
	pid_t pid = fork();
	if (pid < 0)
		return cudasim_error_errno(errno, "cannot run '%s'", words->at[0]);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* as the driver ends this process alone */
		if (out)
			dup2(fileno(out), STDOUT_FILENO);
		if (err)
			dup2(fileno(err), STDERR_FILENO);
		execvp(words->at[0], words->at);
		fprintf(stderr, "cudasim: cannot run '%s': %s\n", words->at[0], strerror(errno));
		_exit(127);
	}
	*ret = child_exit_code(child_wait(pid));
	return NULL;
}
