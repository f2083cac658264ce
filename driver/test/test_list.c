/* SPDX-License-Identifier: Apache-2.0 */
/* test_list.c - the names of an executable's tests, which it prints when asked. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "must.h"
#include "now.h"
#include "test_process.h"

static void add_name(struct words *names, const char *line)
{
	size_t index;
	const char *name;
	if (test_read_name(line, &index, &name) && index == names->n)
		words_add(names, name);
}

/* All that the process prints until it ends or the time is over; NULL in that case. */
static char *read_all(pid_t pid, int out, double seconds)
{
	char *text = NULL, data[65536];
	size_t size = 0;
	double began = now_seconds();
	for (bool ended = false;;) {
		struct pollfd polls = {.fd = out, .events = POLLIN};
		if (poll(&polls, 1, ended ? 0 : TEST_LOOK_MS) > 0) {
			ssize_t n = read(out, data, sizeof data);
			if (n <= 0)
				return text ? text : text_copy("");
			text = must(realloc(text, size + (size_t)n + 1));
			for (ssize_t i = 0; i < n; i++)
				text[size++] = data[i] ? data[i] : '?';
			text[size] = 0;
		} else if (ended) {
			return text ? text : text_copy("");
		}
		ended = test_has_ended(pid);
		if (now_seconds() - began > seconds || test_interrupted()) {
			free(text);
			return NULL;
		}
	}
}

struct cudasim_error *test_list(const char *executable, const struct test_options *options,
				struct words *ret)
{
	int pipes[2];
	if (pipe2(pipes, O_CLOEXEC))
		return cudasim_error_errno(errno, "test: cannot make a pipe");
	pid_t pid = fork();
	if (!pid) {
		test_set_environment(options, NULL, TEST_LISTS);
		test_become(options, executable, pipes[1], 2);
	}
	close(pipes[1]);
	if (pid < 0)
		return cudasim_error_errno(errno, "test: cannot start a process");
	char *text = read_all(pid, pipes[0], options->timeout);
	/* It may have closed its stdout and go on. */
	for (double began = now_seconds();
	     text && !test_has_ended(pid) && now_seconds() - began < options->timeout;)
		poll(NULL, 0, 1);
	bool in_time = text && test_has_ended(pid);
	int status = test_reap_group(pid);
	close(pipes[0]);
	char *rest = text;
	for (char *line; rest && (line = strsep(&rest, "\n"));)
		add_name(ret, line);
	free(text);
	if (!in_time)
		return cudasim_error_new(CUDASIM_E_FAILED,
					 "test: '%s' does not list its tests within %g s",
					 executable, options->timeout);
	if (WIFSIGNALED(status))
		return cudasim_error_new(
			CUDASIM_E_FAILED,
			"test: '%s' died of signal %d (%s) when asked for its tests", executable,
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status))
		return cudasim_error_new(
			CUDASIM_E_FAILED,
			"test: '%s' exited with status %d when asked for its tests", executable,
			WEXITSTATUS(status));
	if (!ret->n && options->command.n)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "test: '%s' finds no tests",
					 executable);
	if (!ret->n)
		return cudasim_error_new(
			CUDASIM_E_FAILED,
			"test: '%s' lists no tests: does its main() call cudasim_run_tests(), and was it "
			"built with this version's cudasim/test.h?",
			executable);
	return NULL;
}
