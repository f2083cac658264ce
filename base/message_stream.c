/* SPDX-License-Identifier: Apache-2.0 */
/* message_stream.c - JSON messages on a descriptor. */
#define _GNU_SOURCE
#include "message_stream.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

void message_stream_init(struct message_stream *stream, int fd)
{
	*stream = (struct message_stream){.fd = fd};
}

void message_stream_fini(struct message_stream *stream)
{
	free(stream->bytes);
	*stream = (struct message_stream){.fd = -1, .ended = true};
}

void message_stream_read(struct message_stream *stream)
{
	enum { PIECE = 1 << 16 };
	if (stream->capacity - stream->n < PIECE) {
		char *more = realloc(stream->bytes, stream->n + 2 * (size_t)PIECE);
		if (!more) {
			stream->failed = true;
			return;
		}
		stream->bytes = more;
		stream->capacity = stream->n + 2 * (size_t)PIECE;
	}
	ssize_t n = read(stream->fd, stream->bytes + stream->n, PIECE);
	if (n > 0)
		stream->n += (size_t)n;
	else if (!n || (errno != EINTR && errno != EAGAIN))
		stream->ended = true;
}

static void take(struct message_stream *stream, size_t n)
{
	stream->n -= n;
	memmove(stream->bytes, stream->bytes + n, stream->n);
}

/* The number behind "Content-Length:"; at most 18 digits. */
static bool read_length(const char *text, const char *end, uint64_t *ret)
{
	unsigned digits = 0;
	*ret = 0;
	while (text < end && *text == ' ')
		text++;
	for (; text < end && *text >= '0' && *text <= '9'; text++) {
		*ret = *ret * 10 + (uint64_t)(*text - '0');
		if (++digits > 18)
			return false;
	}
	return digits && text == end;
}

/* The lines [text, end), each ending with CR LF. */
static bool read_header(const char *text, const char *end, uint64_t *length)
{
	static const char name[] = "Content-Length:", type[] = "Content-Type:";
	bool known = false;
	while (text < end) {
		const char *line = memmem(text, (size_t)(end - text), "\r\n", 2);
		if (!line)
			return false;
		size_t n = (size_t)(line - text);
		if (n >= sizeof name - 1 && !strncasecmp(text, name, sizeof name - 1)) {
			if (known || !read_length(text + sizeof name - 1, line, length))
				return false;
			known = true;
		} else if (n < sizeof type - 1 || strncasecmp(text, type, sizeof type - 1) != 0) {
			return false;
		}
		text = line + 2;
	}
	return known;
}

static enum message_kind nothing(const struct message_stream *stream)
{
	return stream->ended ? MESSAGE_END : MESSAGE_NONE;
}

/* What cannot become a header any more, though its end has not come. */
static bool is_hopeless(const struct message_stream *stream)
{
	static const char start[] = "content-";
	size_t n = stream->n < sizeof start - 1 ? stream->n : sizeof start - 1;
	return stream->n > MESSAGE_MOST_HEADER || strncasecmp(stream->bytes, start, n) != 0;
}

enum message_kind message_stream_next(struct message_stream *stream, char **ret, size_t *n)
{
	uint64_t length = 0;
	*ret = NULL;
	*n = 0;
	if (stream->failed)
		return MESSAGE_MALFORMED;
	if (stream->skip) {
		size_t skipped = stream->skip < stream->n ? (size_t)stream->skip : stream->n;
		if (skipped)
			take(stream, skipped);
		stream->skip -= skipped;
	}
	if (stream->skip || !stream->n)
		return nothing(stream);
	const char *end = memmem(stream->bytes, stream->n, "\r\n\r\n", 4);
	if (!end || (size_t)(end - stream->bytes) > MESSAGE_MOST_HEADER) {
		stream->failed = is_hopeless(stream);
		return stream->failed ? MESSAGE_MALFORMED : nothing(stream);
	}
	size_t header = (size_t)(end + 4 - stream->bytes);
	if (!read_header(stream->bytes, end + 2, &length)) {
		stream->failed = true;
		return MESSAGE_MALFORMED;
	}
	if (length > MESSAGE_MOST_BYTES) {
		take(stream, header);
		stream->skip = length;
		return MESSAGE_TOO_LONG;
	}
	if (stream->n - header < length)
		return nothing(stream);
	char *text = malloc((size_t)length + 1);
	if (!text) {
		stream->failed = true;
		return MESSAGE_MALFORMED;
	}
	memcpy(text, stream->bytes + header, (size_t)length);
	text[length] = 0;
	take(stream, header + (size_t)length);
	*ret = text;
	*n = (size_t)length;
	return MESSAGE_TEXT;
}

char *message_framed(const char *text, size_t n, size_t *size)
{
	char header[64];
	int length = snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", n);
	char *ret = malloc((size_t)length + n);
	if (!ret)
		return NULL;
	memcpy(ret, header, (size_t)length);
	memcpy(ret + length, text, n);
	*size = (size_t)length + n;
	return ret;
}

bool message_write(int fd, const char *text, size_t n)
{
	while (n) {
		ssize_t done = send(fd, text, n, MSG_NOSIGNAL);
		if (done < 0 && errno == ENOTSOCK)
			done = write(fd, text, n);
		if (done < 0 && errno == EAGAIN) {
			struct pollfd wait = {.fd = fd, .events = POLLOUT};
			poll(&wait, 1, -1);
			continue;
		}
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		text += done;
		n -= (size_t)done;
	}
	return true;
}
