/* SPDX-License-Identifier: Apache-2.0 */
/* wire.h - messages between the process that is debugged and its copies, over socket pairs. */
#ifndef CUDASIM_DEBUGGER_WIRE_H
#define CUDASIM_DEBUGGER_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum message_kind {
	/* To a snapshot, with the socket over which its answer comes: */
	MESSAGE_SEARCH, /* struct message_search, then the session's text */
	MESSAGE_GO,     /* struct message_go, then the session's text */
	/* From a search: */
	MESSAGE_RESULT, /* struct motion_result */
	MESSAGE_FAILED, /* a text */
	/* From the copy that the user looks at: */
	MESSAGE_ARRIVED, /* nothing */
	MESSAGE_MOVE,    /* struct message_move, then the session's text */
	MESSAGE_PRESENT, /* struct message_move, then the session's text: back to the present */
	MESSAGE_QUIT,    /* an int32_t: the exit status */
	/* To it: */
	MESSAGE_REFUSED, /* a text: why a motion cannot be made */
};

struct message {
	uint32_t kind;
	uint32_t n_bytes; /* of body */
	char *body;       /* malloc'ed, a NUL behind it; NULL where n_bytes is 0 */
	int fd;           /* that came with it, -1: none */
};

/* False where the other end is gone. a and b are sent one behind the other; fd: -1 for none. */
bool wire_send(int socket, enum message_kind kind, const void *a, size_t n_a, const void *b,
	       size_t n_b, int fd);
/* Waits for one. False where the other end is gone or what came is no message; the caller
 * frees body. */
bool wire_receive(int socket, struct message *ret);

#endif
