/* SPDX-License-Identifier: Apache-2.0 */
/* message_stream.h - JSON messages on a descriptor, framed as the Debug Adapter Protocol frames
 * them: "Content-Length: N", an empty line, N bytes. Between an editor and `cudasim dap`, and
 * between that and the debugger inside the program. */
#ifndef CUDASIM_BASE_MESSAGE_STREAM_H
#define CUDASIM_BASE_MESSAGE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MESSAGE_MOST_BYTES = 16 << 20, /* of one message */
	MESSAGE_MOST_HEADER = 4096,    /* bytes in front of one */
};

/* What is read of a descriptor. One pthread uses it. */
struct message_stream {
	int fd;
	char *bytes; /* n of them, not taken yet */
	size_t n, capacity;
	uint64_t skip; /* bytes of a message that was too long */
	bool ended, failed;
};

enum message_kind {
	MESSAGE_NONE,      /* nothing whole is there yet */
	MESSAGE_TEXT,      /* a message */
	MESSAGE_TOO_LONG,  /* one of more than MESSAGE_MOST_BYTES, whose bytes are passed over */
	MESSAGE_MALFORMED, /* what came is no header of a message: nothing after it can be read */
	MESSAGE_END,       /* the descriptor is at its end; also in the middle of a message */
};

void message_stream_init(struct message_stream *stream, int fd);
void message_stream_fini(struct message_stream *stream);

/* One read() of what is there; waits where nothing is, unless the descriptor does not. */
void message_stream_read(struct message_stream *stream);

/* The next whole message of what was read: MESSAGE_TEXT with *ret malloc'ed, a zero behind its
 * *n bytes. Other headers than Content-Length and Content-Type are malformed: what a browser
 * sends to a port of this machine is no message. */
enum message_kind message_stream_next(struct message_stream *stream, char **ret, size_t *n);

/* A message of n bytes with its header, malloc'ed, of *size bytes; NULL where there is no
 * memory. */
char *message_framed(const char *text, size_t n, size_t *size);

/* Write all of it, waiting where needed, to a socket or pipe. False where the other side is gone;
 * raises no SIGPIPE on a socket. */
bool message_write(int fd, const char *text, size_t n);

#endif
