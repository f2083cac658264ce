/* SPDX-License-Identifier: Apache-2.0 */
/* session.c - what comes of the client, of the program's debugger and of the program, one after
 * the other. */
#define _GNU_SOURCE
#include "session.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* ---- requests ---------------------------------------------------------------------------- */

static void initialize(struct session *s, const json_t *request)
{
	if (s->initialize) {
		client_respond(s, request, NULL,
			       cudasim_error_new(CUDASIM_E_ARGUMENT,
						 "the session is initialized already"));
		return;
	}
	const json_t *arguments = json_object_get(request, "arguments");
	s->initialize = json_is_object(arguments) ? json_deep_copy(arguments) : json_object();
	client_respond(s, request, client_capabilities(), NULL);
}

/* Ending the program is not left to it: it may be stuck. */
static void disconnect(struct session *s, const json_t *request)
{
	const json_t *arguments = json_object_get(request, "arguments");
	const json_t *choice = json_object_get(arguments, "terminateDebuggee");
	bool kills = json_is_boolean(choice) ? json_is_true(choice) : s->is_launched;
	if (!kills && s->link >= 0) {
		link_request(s, request);
		return;
	}
	if (kills)
		program_kill(s);
	client_respond(s, request, NULL, NULL);
	s->is_over = true;
}

static struct cudasim_error *nobody(const struct session *s, const char *command)
{
	if (!s->initialize)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "%s: the session begins with \"initialize\"", command);
	if (s->has_ended)
		return cudasim_error_new(CUDASIM_E_FAILED, "%s: the program has ended", command);
	if (s->is_begun && !s->has_debugger && !s->launch)
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "%s: the program runs without a debugger (\"noDebug\")",
					 command);
	return cudasim_error_new(
		CUDASIM_E_ARGUMENT,
		"%s: there is no program yet; \"launch\" or \"attach\" comes first", command);
}

static bool is_request(const json_t *message)
{
	const char *type = json_string_value(json_object_get(message, "type"));
	const json_t *arguments = json_object_get(message, "arguments");
	return type && !strcmp(type, "request") &&
	       json_is_string(json_object_get(message, "command")) &&
	       json_is_integer(json_object_get(message, "seq")) &&
	       (!arguments || json_is_object(arguments) || json_is_null(arguments));
}

static void on_request(struct session *s, json_t *request)
{
	const char *command = json_string_value(json_object_get(request, "command"));
	if (!strcmp(command, "initialize"))
		initialize(s, request);
	else if (!strcmp(command, "disconnect"))
		disconnect(s, request);
	else if (s->initialize && !strcmp(command, "launch"))
		session_launch(s, request);
	else if (s->initialize && !strcmp(command, "attach"))
		session_attach(s, request);
	else if (s->link >= 0)
		link_request(s, request);
	else if (!strcmp(command, "cancel")) /* what is over is no error */
		client_respond(s, request, NULL, NULL);
	else
		client_respond(s, request, NULL, nobody(s, command));
}

/* A request whose only fault is a zero in a string is answered by its number. */
static void answer_no_json(struct session *s, const char *text, size_t n, const char *why)
{
	json_t *message = json_loadb(text, n, JSON_ALLOW_NUL, NULL);
	client_respond(s, message, NULL, cudasim_error_new(CUDASIM_E_FORMAT, "no JSON: %s", why));
	json_decref(message);
}

static void on_message(struct session *s, const char *text, size_t n)
{
	json_error_t why;
	json_t *message = json_loadb(text, n, 0, &why);
	const char *type = json_string_value(json_object_get(message, "type"));
	if (type && !strcmp(type, "response"))
		session_terminal_answer(s, message);
	else if (is_request(message))
		on_request(s, message);
	else if (!message)
		answer_no_json(s, text, n, why.text);
	else
		client_respond(s, message, NULL,
			       cudasim_error_new(CUDASIM_E_FORMAT,
						 "no request: it needs \"seq\" (an integer), "
						 "\"type\", \"command\" and, if there are any, "
						 "\"arguments\" as an object"));
	json_decref(message);
}

static void client_read(struct session *s)
{
	char *text;
	size_t n;
	message_stream_read(&s->client);
	while (!s->is_over) {
		switch (message_stream_next(&s->client, &text, &n)) {
		case MESSAGE_TEXT:
			on_message(s, text, n);
			free(text);
			break;
		case MESSAGE_TOO_LONG:
			client_respond(s, NULL, NULL,
				       cudasim_error_new(CUDASIM_E_ARGUMENT,
							 "a message has at most %d bytes",
							 MESSAGE_MOST_BYTES));
			break;
		case MESSAGE_MALFORMED:
			client_respond(
				s, NULL, NULL,
				cudasim_error_new(CUDASIM_E_FORMAT,
						  "no header of a message: the session ends"));
			s->is_over = true;
			break;
		case MESSAGE_END:
			s->is_over = true;
			break;
		case MESSAGE_NONE:
			return;
		}
	}
}

/* ---- the program's end ---------------------------------------------------------------------- */

static void tell_end(struct session *s)
{
	if (s->has_ended || !s->is_begun || s->link >= 0 || s->launch || (s->is_child && s->pid))
		return;
	program_output(s, true);
	link_fail_pending(s);
	s->has_ended = true;
	if (s->exit_code >= 0)
		client_event(s, "exited", json_pack("{s:i}", "exitCode", s->exit_code));
	client_event(s, "terminated", NULL);
}

static void on_child(struct session *s)
{
	struct signalfd_siginfo info;
	while (read(s->signals, &info, sizeof info) == sizeof info)
		;
	if (!program_ended(s))
		return;
	/* What it has said before it ended is in the socket, which a child of its own may hold. */
	struct pollfd wait = {.fd = s->link, .events = POLLIN};
	while (s->link >= 0 && poll(&wait, 1, 0) == 1)
		link_read(s);
	link_close(s);
}

/* ---- waiting ---------------------------------------------------------------------------------- */

enum { CLIENT, LINK, OUT, ERR, CHILD, TERMINAL, N_WAITS };

static void wait_once(struct session *s)
{
	struct pollfd wait[N_WAITS] = {
		[CLIENT] = {.fd = s->client.fd, .events = POLLIN},
		[LINK] = {.fd = s->link, .events = (short)(POLLIN | (s->n_unsent ? POLLOUT : 0))},
		[OUT] = {.fd = s->streams[0], .events = POLLIN},
		[ERR] = {.fd = s->streams[1], .events = POLLIN},
		[CHILD] = {.fd = s->signals, .events = POLLIN},
		[TERMINAL] = {.fd = s->waiting, .events = POLLIN},
	};
	int came = poll(wait, N_WAITS, s->waiting >= 0 ? 1000 : -1);
	session_terminal_late(s);
	if (came <= 0)
		return;
	if (wait[OUT].revents || wait[ERR].revents)
		program_output(s, false);
	if (wait[TERMINAL].revents && s->waiting >= 0)
		session_terminal_connects(s);
	if (wait[LINK].revents & POLLOUT)
		link_flush(s);
	if (wait[LINK].revents & (POLLIN | POLLHUP | POLLERR))
		link_read(s);
	if (wait[CHILD].revents)
		on_child(s);
	tell_end(s);
	if (wait[CLIENT].revents)
		client_read(s);
}

static struct cudasim_error *watch_children(int *ret)
{
	sigset_t child;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_BLOCK, &child, NULL);
	*ret = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	return *ret < 0 ? cudasim_error_errno(errno, "cannot watch the program") : NULL;
}

/* A launched program ends with its client, one that was attached to goes on. */
static void end(struct session *s)
{
	link_close(s);
	if (s->is_launched && !s->client_left_it)
		program_kill(s);
	else if (s->is_child)
		program_leave(s);
	program_output(s, true);
	if (s->waiting >= 0)
		close(s->waiting);
	close(s->signals);
	message_stream_fini(&s->client);
	json_decref(s->initialize);
	json_decref(s->launch);
	json_decref(s->pending);
}

struct cudasim_error *session_run(int in, int out)
{
	struct session s = {.client_out = out,
			    .next_seq = 1,
			    .link = -1,
			    .streams = {-1, -1},
			    .exit_code = -1,
			    .waiting = -1,
			    .pending = json_array()};
	struct cudasim_error *error = watch_children(&s.signals);
	if (error)
		return error;
	message_stream_init(&s.client, in);
	while (!s.is_over)
		wait_once(&s);
	end(&s);
	return NULL;
}
