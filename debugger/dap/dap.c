/* SPDX-License-Identifier: Apache-2.0 */
/* dap.c - a session of the Debug Adapter Protocol: its beginning, its requests one after the
 * other, its end. */
#define _GNU_SOURCE
#include "dap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "command_table.h"
#include "console.h"
#include "dap_message.h"
#include "dap_session.h"
#include "dap_views.h"
#include "debug_socket.h"
#include "error.h"
#include "front.h"
#include "recording.h"
#include "run.h"

bool dap_is_started(void)
{
	const struct dap_session *own = &dap_state()->session;
	return own->fd >= 0 || own->listening >= 0;
}

/* ---- what is said outside of requests -------------------------------------------------- */

static void say(const char *text, size_t n)
{
	dap_output("console", text, n);
}

static ssize_t console_write(void *cookie, const char *text, size_t n)
{
	(void)cookie;
	dap_output("console", text, n);
	return (ssize_t)n;
}

/* ---- beginning -------------------------------------------------------------------------- */

static struct cudasim_error *start_listening(void)
{
	struct dap_session *own = &dap_state()->session;
	struct cudasim_error *error = debug_socket_listen(getpid(), &own->listening);
	if (error)
		return error;
	fprintf(stderr,
		"cudasim: process %d waits for a debugger: attach to it with an editor and `cudasim "
		"dap`\n",
		(int)getpid());
	return NULL;
}

/* A child of the program does not keep the session open. */
static void in_child(void)
{
	if (baton_is_forking())
		return;
	if (dap_state()->session.fd >= 0)
		close(dap_state()->session.fd);
	if (dap_state()->session.listening >= 0)
		close(dap_state()->session.listening);
}

struct cudasim_error *dap_start(int fd, bool is_launched)
{
	struct dap_session *own = &dap_state()->session;
	own->queue = json_array();
	own->is_launched = is_launched;
	if (!own->queue)
		return &cudasim_error_nomem;
	if (fd < 0) {
		struct cudasim_error *error = start_listening();
		if (error)
			return error;
	} else {
		/* What the program starts does not keep the session open. */
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		own->fd = fd;
		message_stream_init(&own->stream, fd);
	}
	pthread_atfork(NULL, NULL, in_child);
	/* Lines come as they are printed, and not by 4 KiB. */
	if (is_launched && !isatty(1))
		setvbuf(stdout, NULL, _IOLBF, 0);
	FILE *console_stream = fopencookie(NULL, "w",
					   (cookie_io_functions_t){.write = console_write});
	if (!console_stream)
		return cudasim_error_errno(errno, "cannot open the console");
	setvbuf(console_stream, NULL, _IOFBF, 1 << 14);
	console_set(console_stream);
	front_end_set(&(struct front_end){.say = say});
	return NULL;
}

/* Until somebody attaches; Ctrl-C ends the program. */
static void await_client(void)
{
	struct dap_session *own = &dap_state()->session;
	while (own->fd < 0) {
		if (interrupt_or_input(own->listening))
			repl_quit(128 + SIGINT);
		own->fd = debug_socket_accept(own->listening);
	}
	close(own->listening);
	own->listening = -1;
	message_stream_init(&own->stream, own->fd);
}

/* ---- requests ------------------------------------------------------------------------------ */

static struct cudasim_error *unknown(const char *command)
{
	const char *why = dap_absent(command);
	if (why)
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED, "There is no \"%s\" here: %s.",
					 command, why);
	return cudasim_error_new(CUDASIM_E_UNSUPPORTED, "There is no request \"%s\" here.",
				 command);
}

static void begin(const json_t *request)
{
	struct dap_session *own = &dap_state()->session;
	own->current = dap_integer_of(request, "seq", 0);
	own->began = dap_now_ms();
	own->is_cancelled = false;
	own->focus_moved = false;
}

static void end_progress(void)
{
	struct dap_session *own = &dap_state()->session;
	if (own->in_progress)
		dap_event("progressEnd",
			  json_pack("{s:o}", "progressId", dap_format("%u", own->n_progress)));
	own->in_progress = false;
}

void dap_answer(const json_t *request)
{
	struct dap_session *own = &dap_state()->session;
	const char *command = dap_string_of(request, "command");
	const struct dap_row *row = command ? dap_row_of(command) : NULL;
	json_t *body = NULL;
	struct cudasim_error *error;
	begin(request);
	bool was_running = own->is_running;
	error = row ? row->run(json_object_get(request, "arguments"), &body)
		    : unknown(command ? command : "");
	own->current = 0;
	end_progress();
	/* A script says so itself and ends well. */
	if (!error && own->is_cancelled)
		error = cudasim_error_new(CUDASIM_E_FAILED, "cancelled");
	/* A command may have run the program to its end, which has been told. */
	bool is_ok = !error;
	dap_respond(request, body, error);
	own->is_cancelled = false;
	if (!row || was_running)
		return;
	if (is_ok && (!strcmp(command, "launch") || !strcmp(command, "attach")))
		dap_event("initialized", NULL);
	if (own->is_running)
		dap_arrive();
	else if (own->focus_moved)
		dap_event("stopped",
			  json_pack("{s:s, s:s, s:I, s:b}", "reason", "cuda focus", "description",
				    "CUDA focus", "threadId", (json_int_t)dap_focused_thread(),
				    "allThreadsStopped", 1));
}

/* ---- the end ------------------------------------------------------------------------------- */

static void detach(void)
{
	struct dap_session *own = &dap_state()->session;
	struct resume how = {.kind = RESUME_DETACH};
	baton_listen(&(struct listener){.fd = -1});
	cudasim_error_free(program_resume(&how));
	pthread_mutex_lock(&own->sending);
	close(own->fd);
	own->fd = -1;
	pthread_mutex_unlock(&own->sending);
}

static void end_session(void)
{
	struct dap_session *own = &dap_state()->session;
	/* The process that was started ends it, in its present. */
	if (record_is_past())
		cudasim_error_free(travel_to_present());
	/* A launched program does not outlive its client, one that was attached to does. */
	if (own->is_launched && !own->detach_wanted)
		repl_quit(128 + SIGKILL);
	detach();
}

static void go_on(void)
{
	struct dap_session *own = &dap_state()->session;
	if (stop_current()->kind == STOP_START)
		dap_begin();
	else
		dap_go_on();
	own->goes_on = false;
}

static void answer_requests(void)
{
	struct dap_session *own = &dap_state()->session;
	while (!own->detach_wanted && !own->is_gone) {
		json_t *request = dap_next();
		if (!request)
			break;
		/* A Ctrl-C that came before is not for this one. */
		interrupt_forget();
		dap_answer(request);
		json_decref(request);
		fflush(console());
		if (own->goes_on)
			go_on();
	}
	end_session();
}

void dap_main(bool is_again)
{
	struct dap_session *own = &dap_state()->session;
	if (own->fd < 0)
		await_client();
	baton_listen(&(struct listener){.fd = own->fd, .heard = dap_heard});
	if (is_again) {
		own->is_configured = true;
		dap_points_tell();
		go_on();
	}
	answer_requests();
}

void dap_serve(void)
{
	struct dap_session *own = &dap_state()->session;
	own->current = 0;
	own->in_progress = own->goes_on = false;
	answer_requests();
	repl_quit(0);
}
