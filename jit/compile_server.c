/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "compile_server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "env.h"

extern char **environ;

/* The number that the server has its end by. */
enum { SERVER_FD = 3 };

/* `cudasim cc-server` starts the server and ends: the server is nobody's child here, so that a program that waits
 * for any of its children does not meet it. Out of the terminal's process group: Ctrl-C is not for it. */
static bool start(const char *cudasim, int end)
{
	char number[16];
	snprintf(number, sizeof number, "%d", SERVER_FD);
	char *words[] = {(char *)cudasim, (char *)"cc-server", number, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	if (posix_spawn_file_actions_init(&actions))
		return false;
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
	int error = posix_spawn_file_actions_adddup2(&actions, end, SERVER_FD);
	for (int fd = 0; fd < SERVER_FD && !error; fd++)
		error = posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
	pid_t pid;
	if (!error)
		error = posix_spawnp(&pid, words[0], &actions, &attributes, words, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	int status = 1;
	while (!error && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return !error && status == 0;
}

static int start_new(const char *cudasim)
{
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -1;
	bool started = start(cudasim, ends[1]);
	close(ends[1]);
	if (started)
		return ends[0];
	close(ends[0]);
	return -1;
}

/* The server of this process. */
static struct {
	int socket; /* -1: none */
	struct stat is; /* what the number stood for */
	bool failed;
} server = {.socket = -1};

/* A program may close what it does not know (closefrom()) and have the number for a file of its own. */
static bool is_ours(void)
{
	struct stat now;
	return server.socket >= 0 && !fstat(server.socket, &now) &&
	       now.st_dev == server.is.st_dev && now.st_ino == server.is.st_ino;
}

/* Ended, after a while without jobs or by somebody. */
static bool is_gone(void)
{
	struct pollfd at = {.fd = server.socket};
	return poll(&at, 1, 0) != 0;
}

int compile_server_socket(const char *cudasim)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	const char *wanted = env_get("CUDASIM_COMPILE_SERVER");
	if (wanted && *wanted == '0')
		return -1;
	pthread_mutex_lock(&lock);
	if (!is_ours())
		server.socket = -1;
	if (server.socket >= 0 && is_gone()) {
		close(server.socket);
		server.socket = -1;
	}
	if (server.socket < 0 && !server.failed) {
		server.socket = start_new(cudasim);
		server.failed = server.socket < 0 || fstat(server.socket, &server.is);
	}
	int ret = server.failed ? -1 : server.socket;
	pthread_mutex_unlock(&lock);
	return ret;
}
