/* SPDX-License-Identifier: Apache-2.0 */
/* debug_socket.c - sockets by the number of a process. */
#define _GNU_SOURCE
#include "debug_socket.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "error.h"

/* An abstract name: sun_path begins with a zero. */
static socklen_t name_of(pid_t pid, struct sockaddr_un *ret)
{
	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	int n = snprintf(ret->sun_path + 1, sizeof ret->sun_path - 1, "cudasim-debug.%d", (int)pid);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static bool is_own(int fd, pid_t *ret)
{
	struct ucred peer;
	socklen_t n = sizeof peer;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n))
		return false;
	*ret = peer.pid;
	return peer.uid == geteuid();
}

struct cudasim_error *debug_socket_listen(pid_t pid, int *ret)
{
	struct sockaddr_un name;
	socklen_t n = name_of(pid, &name);
	*ret = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*ret >= 0 && !bind(*ret, (struct sockaddr *)&name, n) && !listen(*ret, 1))
		return NULL;
	int number = errno;
	if (*ret >= 0)
		close(*ret);
	*ret = -1;
	return cudasim_error_errno(number, "cannot wait for a debugger's connection");
}

int debug_socket_accept(int listening)
{
	pid_t pid;
	int fd;
	do
		fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	if (fd < 0 || is_own(fd, &pid))
		return fd;
	close(fd);
	return -1;
}

struct cudasim_error *debug_socket_connect(pid_t pid, int *ret)
{
	struct sockaddr_un name;
	pid_t other;
	socklen_t n = name_of(pid, &name);
	*ret = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*ret < 0)
		return cudasim_error_errno(errno, "cannot make a socket");
	if (connect(*ret, (struct sockaddr *)&name, n)) {
		close(*ret);
		*ret = -1;
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "process %d does not wait for a debugger: start it with "
					 "CUDASIM_DEBUG=wait",
					 (int)pid);
	}
	if (is_own(*ret, &other))
		return NULL;
	close(*ret);
	*ret = -1;
	return cudasim_error_new(CUDASIM_E_SYSTEM, "process %d is another user's", (int)pid);
}

pid_t debug_socket_peer(int fd)
{
	pid_t pid = 0;
	return is_own(fd, &pid) ? pid : 0;
}
