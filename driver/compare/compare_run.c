/* SPDX-License-Identifier: Apache-2.0 */
/* compare_run.c - a program with the recorder in it, as a process. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compare.h"
#include "places.h"

/* Beside libcudasim.so in PREFIX/lib/cudasim, or in its own room of the build tree. */
static struct cudasim_error *find_recorder(char **ret)
{
	static const char *const at[] = {"cudasim", "../recorder", "."};
	struct places places;
	struct cudasim_error *error = places_find(&places);
	*ret = NULL;
	if (error)
		return error;
	for (size_t i = 0; i < sizeof at / sizeof *at && !*ret; i++) {
		char *path = text_format("%s/%s/libcudasim-recorder.so", places.library, at[i]);
		*ret = realpath(path, NULL);
		free(path);
	}
	if (!*ret)
		error = cudasim_error_new(
			CUDASIM_E_NOTFOUND,
			"libcudasim-recorder.so is not where libcudasim.so is, in '%s'",
			places.library);
	places_fini(&places);
	return error;
}

/* Between fork() and exec(). */
static void prepend(const char *name, const char *value, const char *separator)
{
	const char *old = getenv(name);
	char *all = old && *old ? text_format("%s%s%s", value, separator, old) : text_copy(value);
	setenv(name, all, 1);
}

/* Blanks separate the list's names: a path with one is found by its folder. */
static void preload(const char *path)
{
	const char *name = strrchr(path, '/');
	if (name && strchr(path, ' ')) {
		char *folder = text_copy_n(path, (size_t)(name - path));
		prepend("LD_LIBRARY_PATH", folder, ":");
		path = name + 1;
	}
	prepend("LD_PRELOAD", path, " ");
}

static void set_environment(const struct run *run, const char *recorder, int socket)
{
	char where[32];
	snprintf(where, sizeof where, "fd:%d", socket);
	if (run->mode)
		setenv("CUDASIM", run->mode, 1);
	for (size_t i = 0; i < run->variables.n; i++)
		putenv(run->variables.at[i]);
	setenv("CUDASIM_RECORD", run->file ? run->file : where, 1);
	if (run->kernel)
		setenv("CUDASIM_RECORD_KERNEL", run->kernel, 1);
	if (run->owners) {
		setenv("CUDASIM_RECORD_OWNERS", run->owners, 1);
		prepend("CUDASIM_OBSERVER", recorder, ":");
	}
	preload(recorder);
}

/* Each run reads a file on stdin from its beginning; of anything else only one could have
 * what there is, so nobody gets it. */
static void set_streams(const struct run *run)
{
	int in = -1, nowhere = open("/dev/null", O_RDWR);
	off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
	if (at >= 0)
		in = open("/proc/self/fd/0", O_RDONLY);
	if (in >= 0)
		lseek(in, at, SEEK_SET);
	dup2(in >= 0 ? in : nowhere, STDIN_FILENO);
	dup2(run->out >= 0 ? run->out : nowhere, STDOUT_FILENO);
}

static void in_child(const struct run *run, const char *recorder, int socket, int report)
{
	if (socket >= 0)
		fcntl(socket, F_SETFD, 0);
	set_environment(run, recorder, socket);
	set_streams(run);
	execvp(run->arguments[0], run->arguments);
	int number = errno;
	if (write(report, &number, sizeof number) < 0)
		_exit(127);
	_exit(127);
}

struct cudasim_error *run_start(const struct run *run, struct side *ret)
{
	int sockets[2] = {-1, -1}, report[2], number = 0;
	char *recorder;
	side_init(ret, run->label, -1, !run->file, run->label);
	struct cudasim_error *error = find_recorder(&recorder);
	if (error)
		return error;
	if (pipe2(report, O_CLOEXEC) ||
	    (!run->file && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))) {
		free(recorder);
		return cudasim_error_errno(errno, "cannot start '%s'", run->arguments[0]);
	}
	fflush(NULL);
	ret->pid = fork();
	if (!ret->pid)
		in_child(run, recorder, sockets[1], report[1]);
	close(report[1]);
	if (sockets[1] >= 0)
		close(sockets[1]);
	ret->file = sockets[0];
	if (ret->pid < 0) {
		ret->pid = 0;
		error = cudasim_error_errno(errno, "cannot start '%s'", run->arguments[0]);
	} else if (read(report[0], &number, sizeof number) == sizeof number) {
		error = cudasim_error_errno(number, "cannot run '%s'", run->arguments[0]);
	}
	close(report[0]);
	free(recorder);
	return error;
}

void run_wait(struct side *side)
{
	while (side->pid && waitpid(side->pid, &side->status, 0) < 0 && errno == EINTR)
		;
	side->pid = 0;
}

void run_end(struct side *side)
{
	if (side->pid)
		kill(side->pid, SIGKILL);
	run_wait(side);
}

char *run_status(const struct side *side)
{
	if (WIFSIGNALED(side->status))
		return text_format("was ended by signal %d (%s)", WTERMSIG(side->status),
				   strsignal(WTERMSIG(side->status)));
	return text_format("exited with status %d", WEXITSTATUS(side->status));
}
