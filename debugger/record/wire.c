/* SPDX-License-Identifier: Apache-2.0 */
/* wire.c - see wire.h. A header with the socket that goes along, then the bytes. */
#define _GNU_SOURCE
#include "wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_BYTES = 256 << 20 };

union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int))];
};

static bool send_all(int socket, const void *bytes, size_t n)
{
	const char *at = bytes;
	while (n) {
		ssize_t done = send(socket, at, n, MSG_NOSIGNAL);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		at += done;
		n -= (size_t)done;
	}
	return true;
}

bool wire_send(int socket, enum message_kind kind, const void *a, size_t n_a, const void *b,
	       size_t n_b, int fd)
{
	uint32_t head[2] = {kind, (uint32_t)(n_a + n_b)};
	struct iovec piece = {.iov_base = head, .iov_len = sizeof head};
	struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
	union control control = {.room = {0}};
	ssize_t done;
	if (fd >= 0) {
		message.msg_control = control.room;
		message.msg_controllen = sizeof control.room;
		struct cmsghdr *c = CMSG_FIRSTHDR(&message);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof fd);
		memcpy(CMSG_DATA(c), &fd, sizeof fd);
	}
	while ((done = sendmsg(socket, &message, MSG_NOSIGNAL)) < 0 && errno == EINTR)
		;
	return done == sizeof head && send_all(socket, a, n_a) && send_all(socket, b, n_b);
}

static bool receive_all(int socket, char *to, size_t n)
{
	while (n) {
		ssize_t done = recv(socket, to, n, 0);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		to += done;
		n -= (size_t)done;
	}
	return true;
}

bool wire_receive(int socket, struct message *ret)
{
	uint32_t head[2];
	struct iovec piece = {.iov_base = head, .iov_len = sizeof head};
	union control control;
	struct msghdr message = {.msg_iov = &piece,
				 .msg_iovlen = 1,
				 .msg_control = control.room,
				 .msg_controllen = sizeof control.room};
	ssize_t done;
	*ret = (struct message){.fd = -1};
	while ((done = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL)) < 0 &&
	       errno == EINTR)
		;
	struct cmsghdr *c = done == sizeof head ? CMSG_FIRSTHDR(&message) : NULL;
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		memcpy(&ret->fd, CMSG_DATA(c), sizeof ret->fd);
	if (done != sizeof head || head[1] > MOST_BYTES)
		return false;
	ret->kind = head[0];
	ret->n_bytes = head[1];
	ret->body = malloc((size_t)head[1] + 1);
	if (!ret->body || !receive_all(socket, ret->body, head[1])) {
		free(ret->body);
		ret->body = NULL;
		return false;
	}
	ret->body[head[1]] = 0;
	return true;
}
