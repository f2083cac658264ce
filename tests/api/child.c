/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "child.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void become(const char *part, const char *const variables[])
{
	static const char *const cleared[] = {
		"CUDASIM", "CUDASIM_DEVICE", "CUDASIM_DEVICES", "CUDASIM_MEMORY",
		"CUDASIM_SUMMARY", "CUDASIM_OBSERVER", "CUDASIM_ENGINE", "CUDASIM_SCHEDULE",
		"CUDA_VISIBLE_DEVICES", "CUDA_LAUNCH_BLOCKING", "CUDASIM_LIBCUDART",
		"NVTX_INJECTION64_PATH",
	};
	for (size_t i = 0; i < sizeof cleared / sizeof *cleared; i++)
		unsetenv(cleared[i]);
	for (; variables && *variables; variables++)
		putenv((char *)*variables);
	execl("/proc/self/exe", "test", part, (char *)NULL);
	_exit(126);
}

/* Read until both pipes are closed. */
static void drain(int fds[2], struct child *ret)
{
	char *to[2] = {ret->out, ret->err};
	size_t n[2] = {0, 0};
	int open_pipes = 2;
	struct pollfd polls[2] = {{fds[0], POLLIN, 0}, {fds[1], POLLIN, 0}};
	while (open_pipes && poll(polls, 2, 60000) > 0) {
		for (int i = 0; i < 2; i++) {
			char buffer[4096];
			if (!polls[i].revents)
				continue;
			ssize_t got = read(fds[i], buffer, sizeof buffer);
			if (got <= 0) {
				polls[i].fd = -1;
				open_pipes--;
				continue;
			}
			size_t room = sizeof ret->out - 1 - n[i];
			size_t kept = (size_t)got < room ? (size_t)got : room;
			memcpy(to[i] + n[i], buffer, kept);
			n[i] += kept;
		}
	}
	to[0][n[0]] = to[1][n[1]] = '\0';
}

void child_run(struct child *ret, const char *part, const char *const variables[])
{
	int out[2], err[2];
	double start = now();
	if (pipe(out) || pipe(err))
		abort();
	pid_t child = fork();
	if (!child) {
		dup2(out[1], 1);
		dup2(err[1], 2);
		close(out[0]);
		close(err[0]);
		close(out[1]);
		close(err[1]);
		become(part, variables);
	}
	close(out[1]);
	close(err[1]);
	drain((int[]){out[0], err[0]}, ret);
	close(out[0]);
	close(err[0]);
	int status = 0;
	waitpid(child, &status, 0);
	ret->status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
	ret->seconds = now() - start;
}
