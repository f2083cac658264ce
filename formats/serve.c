/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

extern char **environ;

static int server(void)
{
	const char *text = getenv(SERVE_VARIABLE);
	char *end;
	long fd = text && *text ? strtol(text, &end, 10) : -1;
	return fd >= 0 && fd <= INT32_MAX && !*end ? (int)fd : -1;
}

static bool add_texts(FILE *out, char *const *texts, uint32_t *n)
{
	for (; *texts; texts++) {
		fwrite(*texts, 1, strlen(*texts) + 1, out);
		++*n;
	}
	return !ferror(out);
}

/* The caller frees it; NULL where memory is out or there is too much of it. */
static char *compose(enum serve_tool tool, char *const *words, size_t *n)
{
	struct serve_header header = {.magic = SERVE_MAGIC, .tool = tool};
	char *ret = NULL;
	FILE *out = open_memstream(&ret, n);
	if (!out)
		return NULL;
	fwrite(&header, sizeof header, 1, out);
	bool whole = add_texts(out, words, &header.n_words) &&
		     add_texts(out, environ, &header.n_variables);
	if (fclose(out) || !whole || *n > SERVE_MOST_BYTES) {
		free(ret);
		return NULL;
	}
	memcpy(ret, &header, sizeof header);
	return ret;
}

bool serve_send(int to, char *bytes, size_t n, const int fds[SERVE_N_FDS])
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(SERVE_N_FDS * sizeof(int))];
	} control = {0};
	struct iovec part = {.iov_base = bytes, .iov_len = n};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof control};
	struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
	*rights = (struct cmsghdr){.cmsg_level = SOL_SOCKET,
				   .cmsg_type = SCM_RIGHTS,
				   .cmsg_len = CMSG_LEN(SERVE_N_FDS * sizeof(int))};
	memcpy(CMSG_DATA(rights), fds, SERVE_N_FDS * sizeof(int));
	ssize_t sent;
	while ((sent = sendmsg(to, &message, MSG_NOSIGNAL)) < 0 && errno == EINTR)
		;
	return sent == (ssize_t)n;
}

/* False at the pipe's end. */
static bool read_number(int fd, int32_t *ret)
{
	size_t n = 0;
	while (n < sizeof *ret) {
		ssize_t got = read(fd, (char *)ret + n, sizeof *ret - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		n += (size_t)got;
	}
	return true;
}

bool serve_begin(enum serve_tool tool, char *const *words, int out, int err, struct serve_job *ret)
{
	int to = server(), ends[2];
	size_t n;
	char *bytes = to < 0 ? NULL : compose(tool, words, &n);
	if (!bytes)
		return false;
	int folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool sent = false;
	if (folder >= 0 && !pipe2(ends, O_CLOEXEC)) {
		sent = serve_send(to, bytes, n, (int[]){ends[1], out, err, folder});
		close(ends[1]);
		*ret = (struct serve_job){.reply = ends[0]};
		int32_t pid;
		if (sent && read_number(ends[0], &pid))
			ret->pid = pid;
		else
			close(ends[0]), sent = false;
	}
	if (folder >= 0)
		close(folder);
	free(bytes);
	return sent;
}

int serve_wait(struct serve_job *job)
{
	int32_t status;
	bool ended = read_number(job->reply, &status);
	close(job->reply);
	return ended ? status : -1;
}
