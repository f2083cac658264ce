/* SPDX-License-Identifier: Apache-2.0 */
/* server.c - cudasim-compile-server SOCKET: does what comes from the socket until its end, or until nothing has come
 * for a while. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "devcc.h"
#include "front.h"
#include "request.h"

enum {
	MAX_FRONTS = 4, /* each some 40 MB */
	MOST_IDLE_MS = 300000,
};

static struct front {
	char *key; /* NULL: free */
	int socket;
	uint64_t used; /* the number of the last request */
} fronts[MAX_FRONTS];

static void front_end(struct front *front)
{
	close(front->socket);
	free(front->key);
	*front = (struct front){0};
}

/* The one with the key, or else the one to be given up for it. */
static struct front *front_of(const char *key)
{
	struct front *ret = &fronts[0];
	for (struct front *f = fronts; f < fronts + MAX_FRONTS; f++) {
		if (f->key && !strcmp(f->key, key))
			return f;
		if (f->used < ret->used)
			ret = f;
	}
	if (ret->key)
		front_end(ret);
	return ret;
}

/* Starts the front's process. */
static bool front_start(struct front *front, const struct request *first, int server)
{
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return false;
	pid_t pid = fork();
	if (!pid) {
		close(server);
		close(ends[0]);
		for (struct front *f = fronts; f < fronts + MAX_FRONTS; f++)
			if (f->key && f != front)
				close(f->socket);
		front_run(first, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	if (pid < 0)
		close(ends[0]);
	else
		front->socket = ends[0];
	return pid > 0;
}

/* Nobody answers where it cannot be done, and the pipe's end says so. */
static void do_clang(const struct request *request, int server)
{
	static uint64_t n_requests;
	char *key = front_key(request);
	if (!key)
		return;
	struct front *front = front_of(key);
	if (!front->key && front_start(front, request, server))
		front->key = strdup(key);
	front->used = ++n_requests;
	if (front->key && !request_forward(request, front->socket))
		front_end(front);
	free(key);
}

static void do_devcc(const struct request *request, int server)
{
	pid_t pid = fork();
	if (pid)
		return; /* a failure, too: the pipe's end says so */
	close(server);
	for (struct front *f = fronts; f < fronts + MAX_FRONTS; f++)
		if (f->key)
			close(f->socket);
	request_begin(request);
	request_end(request, devcc_run((int)request->n_words, request->words));
}

int main(int argc, char **argv)
{
	char *end;
	long fd = argc == 2 ? strtol(argv[1], &end, 10) : -1;
	if (fd < 0 || fd > INT32_MAX || *end || fcntl((int)fd, F_SETFD, FD_CLOEXEC)) {
		fputs("usage: cudasim-compile-server SOCKET\n", stderr);
		return 2;
	}
	signal(SIGCHLD, SIG_IGN); /* no job is waited for */
	signal(SIGPIPE, SIG_IGN);
	front_prepare();
	struct pollfd socket = {.fd = (int)fd, .events = POLLIN};
	for (;;) {
		int n = poll(&socket, 1, MOST_IDLE_MS);
		if (n < 0 && errno == EINTR)
			continue;
		struct request request;
		if (n <= 0 || !request_receive(socket.fd, &request))
			return 0;
		if (request.tool == SERVE_CLANG)
			do_clang(&request, socket.fd);
		else
			do_devcc(&request, socket.fd);
		request_fini(&request);
	}
}
