/* SPDX-License-Identifier: Apache-2.0 */
/* listen.c - a port of the loopback.
 *
 * A client starts programs as this user. Every user of the machine can connect to the port, so a
 * connection is served only if the kernel's table of connections says that this user made it. */
#define _GNU_SOURCE
#include "listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session.h"

static struct cudasim_error *read_where(const char *where, struct sockaddr_in *ret)
{
	const char *colon = strrchr(where, ':'), *port = colon ? colon + 1 : where;
	char *end;
	unsigned long number = strtoul(port, &end, 10);
	if (end == port || *end || *port == '-' || number > 65535)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "'%s' is no port from 0 to 65535",
					 port);
	size_t n = colon ? (size_t)(colon - where) : 0;
	if (n && !(n == 9 && (!strncmp(where, "127.0.0.1", n) || !strncmp(where, "localhost", n))))
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "'%.*s' is not this machine alone: only 127.0.0.1 is "
					 "listened to, since a client starts programs",
					 (int)n, where);
	*ret = (struct sockaddr_in){.sin_family = AF_INET,
				    .sin_port = htons((uint16_t)number),
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	return NULL;
}

/* An IPv4 address as the kernel's tables write it, also within one of IPv6: what a client's socket
 * of that kind has. */
static bool is_address(const char *text, const struct in_addr *address)
{
	static const char mapped[] = "0000000000000000FFFF0000";
	char wanted[9];
	size_t n = strlen(text);
	snprintf(wanted, sizeof wanted, "%08X", address->s_addr);
	if (n == 32 && !strncmp(text, mapped, sizeof mapped - 1))
		text += sizeof mapped - 1;
	return !strcmp(text, wanted);
}

/* Does the table say that this user made the connection from there to here? */
static bool is_in(const char *table, const struct sockaddr_in *there,
		  const struct sockaddr_in *here)
{
	FILE *in = fopen(table, "re");
	char *line = NULL, local[33], remote[33];
	size_t size = 0;
	bool ret = false;
	while (in && !ret && getline(&line, &size, in) > 0) {
		unsigned local_port, remote_port, uid;
		if (sscanf(line, " %*u: %32[0-9A-F]:%x %32[0-9A-F]:%x %*x %*x:%*x %*x:%*x %*x %u",
			   local, &local_port, remote, &remote_port, &uid) == 5)
			ret = local_port == ntohs(there->sin_port) &&
			      remote_port == ntohs(here->sin_port) && uid == geteuid() &&
			      is_address(local, &there->sin_addr) &&
			      is_address(remote, &here->sin_addr);
	}
	free(line);
	if (in)
		fclose(in);
	return ret;
}

/* Did a process of this user make the connection? */
static bool is_own(int fd)
{
	struct sockaddr_in here, there;
	socklen_t n = sizeof here, m = sizeof there;
	if (getsockname(fd, (struct sockaddr *)&here, &n) ||
	    getpeername(fd, (struct sockaddr *)&there, &m))
		return false;
	return is_in("/proc/net/tcp", &there, &here) || is_in("/proc/net/tcp6", &there, &here);
}

static void serve(int listening, int fd)
{
	pid_t pid = fork();
	if (!pid) {
		close(listening);
		struct cudasim_error *error = session_run(fd, fd);
		if (error)
			fprintf(stderr, "cudasim: %s\n", error->message);
		_exit(error ? 1 : 0);
	}
	if (pid < 0)
		fprintf(stderr, "cudasim: cannot serve a client: %s\n", strerror(errno));
	close(fd);
}

struct cudasim_error *listen_serve(const char *where)
{
	struct sockaddr_in name;
	socklen_t n = sizeof name;
	struct cudasim_error *error = read_where(where, &name);
	if (error)
		return error;
	int one = 1, listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listening >= 0)
		setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (listening < 0 || bind(listening, (struct sockaddr *)&name, n) || listen(listening, 8) ||
	    getsockname(listening, (struct sockaddr *)&name, &n))
		return cudasim_error_errno(errno, "cannot listen to '%s'", where);
	printf("cudasim dap listens to 127.0.0.1:%d\n", ntohs(name.sin_port));
	fflush(stdout);
	for (;;) {
		int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (fd < 0)
			return cudasim_error_errno(errno, "cannot listen to '%s'", where);
		if (is_own(fd)) {
			serve(listening, fd);
			continue;
		}
		fprintf(stderr, "cudasim: refused a connection that is not this user's\n");
		close(fd);
	}
}
