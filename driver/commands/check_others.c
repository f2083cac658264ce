/* SPDX-License-Identifier: Apache-2.0 */
/* check_others.c - the processes that are checked append lines (formats/check_session.h) to a
 * file in memory of this one, which they reach by its number here. */
#define _GNU_SOURCE
#include "check_others.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_run.h"
#include "check_session.h"

static size_t count(const char *text, const char *line)
{
	size_t n = 0, length = strlen(line);
	for (const char *at = text; at && *at; at = strchr(at, '\n'), at += at != NULL)
		n += !strncmp(at, line, length);
	return n;
}

static struct cudasim_error *read_file(int file, size_t *n_checked, size_t *n_found)
{
	struct stat about;
	if (fstat(file, &about))
		return cudasim_error_errno(errno, "cannot read the reports of the processes");
	char *text = malloc((size_t)about.st_size + 1);
	if (!text)
		return &cudasim_error_nomem;
	ssize_t n = pread(file, text, (size_t)about.st_size, 0);
	text[n < 0 ? 0 : n] = 0;
	*n_checked = count(text, CHECK_SESSION_CHECKED);
	*n_found = count(text, CHECK_SESSION_FOUND);
	free(text);
	return NULL;
}

/* Keys that interrupt go to the whole group, and what this one alone is sent goes on: the
 * program ends, and then this process with its status. */
static volatile pid_t child;

static void pass_on(int number)
{
	if (child > 0)
		kill(child, number);
}

static struct cudasim_error *start_and_wait(const char *program, char **arguments, int *ret)
{
	int status, report[2], number;
	struct sigaction ignore = {.sa_handler = SIG_IGN}, pass = {.sa_handler = pass_on},
			 before[2];
	if (pipe2(report, O_CLOEXEC))
		return cudasim_error_errno(errno, "cannot start '%s'", program);
	sigaction(SIGINT, &ignore, &before[0]);
	sigaction(SIGQUIT, &ignore, &before[1]);
	fflush(NULL);
	child = fork();
	if (!child) {
		sigaction(SIGINT, &before[0], NULL);
		sigaction(SIGQUIT, &before[1], NULL);
		execv(program, arguments);
		number = errno;
		_exit(write(report[1], &number, sizeof number) == sizeof number ? 127 : 126);
	}
	close(report[1]);
	if (child < 0) {
		close(report[0]);
		return cudasim_error_errno(errno, "cannot start '%s'", program);
	}
	sigaction(SIGTERM, &pass, NULL);
	sigaction(SIGHUP, &pass, NULL);
	bool failed = read(report[0], &number, sizeof number) == sizeof number;
	close(report[0]);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	child = 0;
	if (failed)
		return cudasim_error_errno(number, "cannot run '%s'", program);
	*ret = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return NULL;
}

struct cudasim_error *check_others_run(const char *program, char **arguments,
				       unsigned error_exitcode, bool quiet, const char *sarif,
				       int *ret)
{
	int file;
	size_t n_checked = 0, n_found = 0;
	struct cudasim_error *error = check_run_session(sarif, &file);
	if (!error)
		error = start_and_wait(program, arguments, ret);
	if (!error)
		error = read_file(file, &n_checked, &n_found);
	if (file >= 0)
		close(file);
	if (error)
		return error;
	if (!n_checked)
		return cudasim_error_new(
			CUDASIM_E_NOTFOUND,
			"nothing was checked: '%s' is not linked with libcudasim.so, and started no program "
			"that is (build with cudasim cc instead of nvcc)",
			program);
	if (!quiet)
		fprintf(stderr, "cudasim: %zu process%s checked, %zu with errors\n", n_checked,
			n_checked == 1 ? " was" : "es were", n_found);
	if (n_found && error_exitcode)
		*ret = (int)error_exitcode;
	return NULL;
}
