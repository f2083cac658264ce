/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "request.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

union control {
	struct cmsghdr header;
	char space[CMSG_SPACE(SERVE_N_FDS * sizeof(int))];
};

/* The descriptors that came with a message; false if there are not as many as there should be. */
static bool take_fds(struct msghdr *message, int fds[SERVE_N_FDS])
{
	struct cmsghdr *c = CMSG_FIRSTHDR(message);
	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		return false;
	size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	if (n == SERVE_N_FDS) {
		memcpy(fds, CMSG_DATA(c), SERVE_N_FDS * sizeof(int));
		return true;
	}
	for (size_t i = 0; i < n; i++) {
		int fd;
		memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
		close(fd);
	}
	return false;
}

/* n texts from *at on, as an array ended by NULL; NULL if they do not end before `end`. */
static char **take_texts(char **at, const char *end, uint32_t n)
{
	char **ret = calloc((size_t)n + 1, sizeof *ret);
	for (uint32_t i = 0; ret && i < n; i++) {
		size_t left = (size_t)(end - *at), length = strnlen(*at, left);
		if (length == left) {
			free(ret);
			return NULL;
		}
		ret[i] = *at;
		*at += length + 1;
	}
	return ret;
}

static bool parse(struct request *request)
{
	struct serve_header header;
	if (request->n_bytes < sizeof header)
		return false;
	memcpy(&header, request->bytes, sizeof header);
	size_t most = request->n_bytes; /* each text has a byte at least */
	if (header.magic != SERVE_MAGIC || header.tool > SERVE_CLANG || !header.n_words ||
	    header.n_words > most || header.n_variables > most)
		return false;
	char *at = request->bytes + sizeof header;
	const char *end = request->bytes + request->n_bytes;
	request->tool = (enum serve_tool)header.tool;
	request->n_words = header.n_words;
	request->words = take_texts(&at, end, header.n_words);
	request->variables = request->words ? take_texts(&at, end, header.n_variables) : NULL;
	return request->variables != NULL;
}

bool request_receive(int from, struct request *ret)
{
	static char buffer[SERVE_MOST_BYTES];
	for (;;) {
		union control control;
		struct iovec part = {.iov_base = buffer, .iov_len = sizeof buffer};
		struct msghdr message = {.msg_iov = &part,
					 .msg_iovlen = 1,
					 .msg_control = &control,
					 .msg_controllen = sizeof control};
		ssize_t n = recvmsg(from, &message, MSG_CMSG_CLOEXEC);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		*ret = (struct request){.n_bytes = (size_t)n};
		if (!take_fds(&message, ret->fds))
			continue;
		ret->bytes = malloc((size_t)n);
		if (ret->bytes)
			memcpy(ret->bytes, buffer, (size_t)n);
		if (ret->bytes && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) && parse(ret))
			return true;
		request_fini(ret);
	}
}

bool request_forward(const struct request *request, int to)
{
	return serve_send(to, request->bytes, request->n_bytes, request->fds);
}

void request_fini(struct request *request)
{
	for (int i = 0; i < SERVE_N_FDS; i++)
		close(request->fds[i]);
	free(request->words);
	free(request->variables);
	free(request->bytes);
	*request = (struct request){0};
}

/* A pipe takes as little whole or not at all. */
static void answer(const struct request *request, int32_t number)
{
	ssize_t n = write(request->fds[SERVE_REPLY], &number, sizeof number);
	if (n != (ssize_t)sizeof number)
		_exit(1); /* nobody waits */
}

void request_begin(const struct request *request)
{
	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	if (fchdir(request->fds[SERVE_FOLDER]) ||
	    dup2(request->fds[SERVE_OUT], STDOUT_FILENO) < 0 ||
	    dup2(request->fds[SERVE_ERR], STDERR_FILENO) < 0)
		_exit(1);
	environ = request->variables;
	answer(request, (int32_t)getpid());
}

void request_end(const struct request *request, int status)
{
	fflush(NULL);
	answer(request, status);
	_exit(0);
}
