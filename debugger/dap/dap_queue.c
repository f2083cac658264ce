/* SPDX-License-Identifier: Apache-2.0 */
/* dap_queue.c - requests that have come, and those that are answered out of turn. */
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "baton.h"
#include "command_table.h"
#include "dap_message.h"
#include "dap_views.h"
#include "error.h"

/* How long a request is answered before its progress is reported. */
enum { PROGRESS_MS = 500 };

int64_t dap_now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- cancel ------------------------------------------------------------------------- */

static struct cudasim_error *cancelled(void)
{
	return cudasim_error_new(CUDASIM_E_FAILED, "cancelled");
}

/* True where the request that is answered now has to end. */
static bool cancel(const json_t *request)
{
	struct dap_session *own = &dap_state()->session;
	const json_t *arguments = json_object_get(request, "arguments");
	int64_t seq = dap_integer_of(arguments, "requestId", 0);
	const char *progress = dap_string_of(arguments, "progressId");
	size_t i;
	json_t *waiting;
	json_array_foreach(own->queue, i, waiting)
	{
		if (!seq || dap_integer_of(waiting, "seq", 0) != seq)
			continue;
		dap_respond(waiting, NULL, cancelled());
		json_array_remove(own->queue, i);
		break;
	}
	/* What is over already cannot be cancelled, which the protocol calls no error. */
	dap_respond(request, NULL, NULL);
	bool is_current = own->current && (seq == own->current || (own->in_progress && progress));
	own->is_cancelled |= is_current;
	return is_current;
}

/* ---- while the program runs ----------------------------------------------------------- */

static struct cudasim_error *not_stopped(const char *command)
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT,
				 "notStopped: %s needs a stopped program, and it runs.", command);
}

/* A step goes on where it was begun, so that nothing may stop it but what it comes to. */
static bool may_stop_for_a_moment(void)
{
	return dap_state()->session.how.kind == RESUME_CONTINUE;
}

/* True where the program has to stop. */
static bool while_running(json_t *request)
{
	struct dap_session *own = &dap_state()->session;
	const char *command = dap_string_of(request, "command");
	const struct dap_row *row = command ? dap_row_of(command) : NULL;
	if (row && !strcmp(command, "pause")) {
		own->pause_wanted = true;
		dap_respond(request, NULL, NULL);
		return true;
	}
	if (row && row->need == DAP_STOPPED) {
		dap_respond(request, NULL, not_stopped(command));
		return false;
	}
	if (!row || row->need == DAP_ANYTIME) {
		/* It may come in the middle of a command that moves the program. */
		int64_t current = own->current, began = own->began;
		bool focus_moved = own->focus_moved;
		dap_answer(request);
		own->current = current;
		own->began = began;
		own->focus_moved = focus_moved;
		return own->detach_wanted;
	}
	json_array_append(own->queue, request);
	return may_stop_for_a_moment();
}

/* ---- reading --------------------------------------------------------------------------- */

/* The bounds of what is no request are `cudasim dap`'s: here only it speaks. NULL: nothing
 * whole has come, or the session is over. */
static json_t *take(void)
{
	struct dap_session *own = &dap_state()->session;
	char *text;
	size_t n;
	for (;;) {
		switch (message_stream_next(&own->stream, &text, &n)) {
		case MESSAGE_TEXT:
			break;
		case MESSAGE_NONE:
			return NULL;
		default:
			own->is_gone = true;
			return NULL;
		}
		json_t *request = json_loadb(text, n, 0, NULL);
		free(text);
		if (json_is_object(request) &&
		    !json_is_object(json_object_get(request, "arguments")))
			json_object_set_new(request, "arguments", json_object());
		if (json_is_object(request))
			return request;
		json_decref(request);
	}
}

/* Without waiting. */
static void read_more(void)
{
	struct dap_session *own = &dap_state()->session;
	struct pollfd wait = {.fd = own->fd, .events = POLLIN};
	if (!own->is_gone && poll(&wait, 1, 0) == 1)
		message_stream_read(&own->stream);
}

/* True where the program has to stop. */
static bool hear(json_t *request, bool is_running)
{
	const char *command = dap_string_of(request, "command");
	if (command && !strcmp(command, "cancel"))
		return cancel(request) && !is_running;
	if (is_running)
		return while_running(request);
	json_array_append(dap_state()->session.queue, request);
	return false;
}

static bool sort_while_running(void)
{
	struct dap_session *own = &dap_state()->session;
	bool stops = false;
	json_t *before = own->queue, *waiting;
	size_t i;
	/* A command of the debugger's own has made it run. */
	if (!own->is_running)
		dap_tell_running();
	/* What was read while a command took long comes first. */
	own->queue = json_array();
	json_array_foreach(before, i, waiting) stops |= hear(waiting, true);
	json_decref(before);
	for (json_t *request; (request = take());) {
		stops |= hear(request, true);
		json_decref(request);
	}
	if (own->is_gone && own->is_launched)
		repl_quit(128 + SIGKILL);
	/* Nobody is there any more: the run control must not ask again. */
	if (own->is_gone)
		baton_listen(&(struct listener){.fd = -1});
	return stops || own->is_gone;
}

static void report_progress(void)
{
	struct dap_session *own = &dap_state()->session;
	if (!own->client.has_progress || own->in_progress || !own->current ||
	    dap_now_ms() - own->began < PROGRESS_MS)
		return;
	own->in_progress = true;
	dap_event("progressStart",
		  json_pack("{s:o, s:s, s:I, s:b}", "progressId",
			    dap_format("%u", ++own->n_progress), "title", "Debugger command",
			    "requestId", (json_int_t)own->current, "cancellable", 1));
}

bool dap_heard(bool is_running)
{
	bool ret = false;
	read_more();
	if (is_running)
		return sort_while_running();
	report_progress();
	for (json_t *request; (request = take());) {
		ret |= hear(request, false);
		json_decref(request);
	}
	return ret || dap_state()->session.is_gone;
}

static json_t *shift(size_t i)
{
	json_t *queue = dap_state()->session.queue, *ret = json_incref(json_array_get(queue, i));
	json_array_remove(queue, i);
	return ret;
}

json_t *dap_next(void)
{
	struct dap_session *own = &dap_state()->session;
	while (!json_array_size(own->queue)) {
		json_t *request = take();
		if (request) {
			hear(request, false);
			json_decref(request);
			continue;
		}
		if (own->is_gone)
			return NULL;
		message_stream_read(&own->stream);
	}
	return shift(0);
}

json_t *dap_next_brief(void)
{
	json_t *waiting;
	size_t i;
	json_array_foreach(dap_state()->session.queue, i, waiting)
	{
		const char *command = dap_string_of(waiting, "command");
		const struct dap_row *row = command ? dap_row_of(command) : NULL;
		if (!row || row->need != DAP_STOPPED)
			return shift(i);
	}
	return NULL;
}
