/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "test_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"

static volatile sig_atomic_t interrupted; /* by this signal */

void test_set_environment(const struct test_options *options, const char *schedule,
			  enum test_process_kind kind)
{
	setenv("CUDASIM", options->gpu ? "0" : "1", 1);
	setenv("CMOCKA_MESSAGE_OUTPUT", "TAP", 1);
	unsetenv("CMOCKA_XML_FILE");
	unsetenv("CUDASIM_TEST_LIST");
	unsetenv("CUDASIM_TEST_FILTER");
	unsetenv("CUDASIM_TEST_LEFT");
	unsetenv("CUDASIM_TEST_FAILED");
	if (kind == TEST_LISTS)
		setenv("CUDASIM_TEST_LIST", "1", 1);
	if (schedule)
		setenv("CUDASIM_SCHEDULE", schedule, 1);
	if (options->check && kind != TEST_LISTS)
		setenv("CUDASIM_CHECK", options->check, 1);
	if (kind == TEST_RUNS_PLAIN) {
		/* As test.h has it: faults name their thread. */
		const char *body = getenv("CUDASIM_TEST_BODY");
		if (!options->gpu && !(body && !strcmp(body, "plain")))
			setenv("CUDASIM_BODY", "watched", 0);
	}
	/* A kernel that never ends is to be told as such, before the test's time is over. */
	char limit[32];
	double seconds = options->timeout > 4 ? options->timeout / 2 : 1;
	snprintf(limit, sizeof limit, "%.0f", seconds > 10 ? 10 : seconds);
	setenv("CUDASIM_TIMEOUT", limit, 0);
}

_Noreturn void test_become(const struct test_options *options, const char *executable, int out,
			   int err)
{
	char *path = strchr(executable, '/') ? text_copy(executable)
					     : text_format("./%s", executable);
	char *arguments[] = {path, NULL};
	char **words = options->command.n ? options->command.at : arguments;
	int null = open("/dev/null", O_RDONLY);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_DFL);
	dup2(null, 0);
	dup2(out, 1);
	dup2(err, 2);
	execvp(words[0], words);
	dprintf(2, "cannot run %s: %s\n", words[0], strerror(errno));
	_exit(127);
}

bool test_has_ended(pid_t pid)
{
	siginfo_t info = {0};
	return !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid == pid;
}

int test_reap_group(pid_t pid)
{
	kill(-pid, SIGKILL);
	return child_wait(pid);
}

static void interrupt(int number)
{
	interrupted = number;
}

void test_catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		struct sigaction was;
		if (!sigaction(signals[i], NULL, &was) && was.sa_handler == SIG_DFL)
			sigaction(signals[i], &(struct sigaction){.sa_handler = interrupt}, NULL);
	}
}

int test_interrupted(void)
{
	return interrupted;
}
