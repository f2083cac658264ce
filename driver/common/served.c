/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "served.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "serve.h"

bool served_is(const struct words *words)
{
	return getenv(SERVE_VARIABLE) && text_ends(words->at[0], "/cudasim-devcc");
}

static volatile pid_t served; /* the job of this process */

static void end(int number)
{
	if (served)
		kill(served, number);
	_exit(128 + number);
}

/* As the driver's handlers are inherited, which note the signal and go on. */
static void catch_ends(void)
{
	static const int ending[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = end};
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		sigaction(ending[i], &action, NULL);
}

pid_t served_start(const struct words *words, FILE *err)
{
	pid_t driver = getpid(), pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	catch_ends();
	if (getppid() != driver)
		_exit(1);
	struct serve_job job;
	if (serve_begin(SERVE_DEVCC, words->at, STDOUT_FILENO, fileno(err), &job)) {
		served = job.pid;
		int status = serve_wait(&job);
		if (status >= 0)
			_exit(status);
	}
	served = 0;
	rewind(err);
	if (ftruncate(fileno(err), 0) || dup2(fileno(err), STDERR_FILENO) < 0)
		_exit(1);
	execvp(words->at[0], words->at);
	fprintf(stderr, "cudasim: cannot run '%s': %s\n", words->at[0], strerror(errno));
	_exit(127);
}

bool served_front(const struct words *words, FILE *err)
{
	struct serve_job job;
	if (!getenv(SERVE_VARIABLE) ||
	    !serve_begin(SERVE_CLANG, words->at, STDOUT_FILENO, fileno(err), &job))
		return false;
	return serve_wait(&job) == 0;
}
