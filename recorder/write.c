/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - frames to a file or a socket. Frames are put together in memory, and go out
 * when the buffer is full, when the reader is to answer, and at the end. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder.h"

enum { BUFFER = 256 << 10 };

static int out = -1;
static bool live;
static unsigned char *buffer;
static size_t n, capacity, frame; /* the frame being built begins at `frame` */
static uint64_t total;

void write_open(const char *where)
{
	if (!strncmp(where, "fd:", 3)) {
		struct stat about;
		out = atoi(where + 3);
		if (fstat(out, &about))
			record_die("CUDASIM_RECORD=%s: this file descriptor is not open", where);
		live = S_ISSOCK(about.st_mode);
		fcntl(out, F_SETFD, FD_CLOEXEC);
	} else {
		out = open(where, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (out < 0)
			record_die("cannot write '%s': %s", where, strerror(errno));
	}
	/* Programs use low numbers as they like. */
	int high = fcntl(out, F_DUPFD_CLOEXEC, 100);
	if (high >= 0) {
		close(out);
		out = high;
	}
}

bool write_is_open(void)
{
	return out >= 0;
}

bool write_is_live(void)
{
	return live;
}

uint64_t write_total(void)
{
	return total + n;
}

/* A reader that has seen enough closes its end; then the program runs on unrecorded. */
void write_flush(void)
{
	size_t at = 0;
	while (at < n && out >= 0) {
		ssize_t done = live ? send(out, buffer + at, n - at, MSG_NOSIGNAL)
				    : write(out, buffer + at, n - at);
		if (done > 0)
			at += (size_t)done;
		else if (live && (errno == EPIPE || errno == ECONNRESET))
			write_close();
		else if (errno != EINTR)
			record_die("cannot write the recording: %s", strerror(errno));
	}
	total += n;
	n = 0;
}

void write_bytes(const void *bytes, size_t size)
{
	if (n + size > capacity) {
		capacity = 2 * (n + size) > BUFFER ? 2 * (n + size) : BUFFER;
		buffer = realloc(buffer, capacity);
		if (!buffer)
			record_die("out of memory");
	}
	memcpy(buffer + n, bytes, size);
	n += size;
}

void write_u32(uint32_t number)
{
	write_bytes(&number, sizeof number);
}

void write_u64(uint64_t number)
{
	write_bytes(&number, sizeof number);
}

void write_text(const char *text)
{
	size_t length = strnlen(text, RECORD_MAX_TEXT);
	write_u32((uint32_t)length);
	write_bytes(text, length);
}

void write_begin(enum record_kind kind)
{
	frame = n;
	write_u32(kind);
	write_u32(0);
}

void write_end(void)
{
	uint32_t size = (uint32_t)(n - frame - 8);
	memcpy(buffer + frame + 4, &size, sizeof size);
	if (n >= BUFFER)
		write_flush();
}

struct record_request write_wait(void)
{
	struct record_request request;
	size_t at = 0;
	write_flush();
	while (at < sizeof request && out >= 0) {
		ssize_t done = recv(out, (char *)&request + at, sizeof request - at, 0);
		if (done > 0)
			at += (size_t)done;
		else if (!done || errno != EINTR)
			write_close();
	}
	return out >= 0 ? request : (struct record_request){.kind = RECORD_GO};
}

void write_close(void)
{
	if (out < 0)
		return;
	int file = out;
	if (n)
		write_flush();
	if (out == file)
		close(out);
	out = -1;
	n = 0;
}

void write_abandon(void)
{
	if (out >= 0)
		close(out);
	out = -1;
	n = 0;
}
