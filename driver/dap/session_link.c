/* SPDX-License-Identifier: Apache-2.0 */
/* session_link.c - the socket to the program's debugger. What it has not read yet is kept here:
 * the client is listened to in any case, and neither side waits for the other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "session.h"

static void queue(struct session *s, const json_t *message)
{
	char *text = json_dumps(message, JSON_COMPACT), *framed = NULL, *more = NULL;
	size_t size = 0;
	if (text)
		framed = message_framed(text, strlen(text), &size);
	if (framed)
		more = realloc(s->unsent, s->n_unsent + size);
	if (more) {
		memcpy(more + s->n_unsent, framed, size);
		s->unsent = more;
		s->n_unsent += size;
	}
	free(text);
	free(framed);
	link_flush(s);
}

void link_open(struct session *s, int fd)
{
	s->link = fd;
	message_stream_init(&s->link_stream, fd);
	/* Without a number of the client's: the answer stays here. */
	json_t *first = json_pack("{s:i, s:s, s:s, s:O}", "seq", 0, "type", "request", "command",
				  "initialize", "arguments", s->initialize);
	queue(s, first);
	json_decref(first);
}

void link_close(struct session *s)
{
	if (s->link < 0)
		return;
	close(s->link);
	message_stream_fini(&s->link_stream);
	s->link = -1;
	free(s->unsent);
	s->unsent = NULL;
	s->n_unsent = 0;
}

void link_request(struct session *s, const json_t *request)
{
	json_array_append_new(s->pending,
			      json_pack("{s:O, s:O}", "seq", json_object_get(request, "seq"),
					"command", json_object_get(request, "command")));
	queue(s, request);
}

void link_flush(struct session *s)
{
	while (s->link >= 0 && s->n_unsent) {
		ssize_t n = send(s->link, s->unsent, s->n_unsent, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		/* An end is seen when it is read. */
		if (n <= 0)
			return;
		s->n_unsent -= (size_t)n;
		memmove(s->unsent, s->unsent + n, s->n_unsent);
	}
}

static void forget_pending(struct session *s, const json_t *response)
{
	json_int_t seq = json_integer_value(json_object_get(response, "request_seq"));
	json_t *waiting;
	size_t i;
	json_array_foreach(s->pending, i,
			   waiting) if (json_integer_value(json_object_get(waiting, "seq")) == seq)
	{
		json_array_remove(s->pending, i);
		return;
	}
}

void link_fail_pending(struct session *s)
{
	json_t *waiting;
	size_t i;
	json_array_foreach(s->pending, i, waiting) client_respond(
		s, waiting, NULL, cudasim_error_new(CUDASIM_E_FAILED, "the program has ended"));
	json_array_clear(s->pending);
}

/* Takes message. */
static void hand_on(struct session *s, json_t *message)
{
	const char *type = json_string_value(json_object_get(message, "type"));
	const char *event = json_string_value(json_object_get(message, "event"));
	const char *command = json_string_value(json_object_get(message, "command"));
	/* What the program has printed before stands before it. */
	program_output(s, false);
	if (type && !strcmp(type, "response")) {
		forget_pending(s, message);
		if (!json_integer_value(json_object_get(message, "request_seq"))) {
			json_decref(message);
			return;
		}
		/* It has let the program go. */
		if (command && !strcmp(command, "disconnect"))
			s->is_over = s->client_left_it = true;
	} else if (event && !strcmp(event, "exited")) {
		/* Said when all of its output has been. */
		const json_t *body = json_object_get(message, "body");
		s->exit_code = (int)json_integer_value(json_object_get(body, "exitCode"));
		json_decref(message);
		return;
	}
	client_send(s, message);
}

void link_read(struct session *s)
{
	char *text;
	size_t n;
	message_stream_read(&s->link_stream);
	for (;;) {
		enum message_kind kind = message_stream_next(&s->link_stream, &text, &n);
		if (kind == MESSAGE_NONE)
			return;
		if (kind == MESSAGE_TOO_LONG)
			continue;
		if (kind != MESSAGE_TEXT) {
			link_close(s);
			return;
		}
		json_t *message = json_loadb(text, n, 0, NULL);
		free(text);
		if (json_is_object(message))
			hand_on(s, message);
		else
			json_decref(message);
	}
}
