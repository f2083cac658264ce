/* SPDX-License-Identifier: Apache-2.0 */
/* dap_requests.c - the session's beginning and end, steps, and what an exception is. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "breakpoint_commands.h"
#include "dap_requests.h"
#include "dap_views.h"
#include "error.h"
#include "host.h"
#include "recording.h"
#include "signal_name.h"
#include "stack.h"
#include "stop_report.h"

/* ---- beginning ------------------------------------------------------------------------ */

/* What the client can do; `cudasim dap` has answered it. */
struct cudasim_error *dap_initialize(const json_t *arguments, json_t **ret)
{
	struct dap_client *client = &dap_state()->session.client;
	const char *format = dap_string_of(arguments, "pathFormat");
	(void)ret;
	client->lines_from_0 = !dap_bool_of(arguments, "linesStartAt1", true);
	client->columns_from_0 = !dap_bool_of(arguments, "columnsStartAt1", true);
	client->paths_are_uris = format && !strcmp(format, "uri");
	client->has_progress = dap_bool_of(arguments, "supportsProgressReporting", false);
	client->has_memory_events = dap_bool_of(arguments, "supportsMemoryEvent", false);
	return NULL;
}

static void run_command(const char *line)
{
	json_t *text = NULL;
	struct cudasim_error *error = dap_command(line, &text);
	dap_output("console", json_string_value(text), json_string_length(text));
	json_decref(text);
	if (!error)
		return;
	text = dap_format("%s: %s\n", line, error->message);
	dap_output("important", json_string_value(text), json_string_length(text));
	json_decref(text);
	cudasim_error_free(error);
}

/* `cudasim dap` has started the program; what else is asked for is seen to here. */
struct cudasim_error *dap_launch(const json_t *arguments, json_t **ret)
{
	struct dap_session *own = &dap_state()->session;
	const json_t *commands = json_object_get(arguments, "commands"), *command;
	size_t i;
	(void)ret;
	own->stops_at_entry = dap_bool_of(arguments, "stopOnEntry", false) ||
			      dap_bool_of(arguments, "stopAtEntry", false);
	if (dap_bool_of(arguments, "breakOnLaunch", false))
		run_settings()->break_on_launch = BREAK_ON_LAUNCH_APPLICATION;
	if (dap_bool_of(arguments, "record", false))
		run_command("record");
	json_array_foreach(commands, i, command)
	{
		const char *line = json_string_value(command);
		if (!line || strpbrk(line, "\r\n"))
			return cudasim_error_new(CUDASIM_E_ARGUMENT,
						 "\"commands\" are strings of one line.");
		run_command(line);
	}
	dap_points_tell();
	return NULL;
}

struct cudasim_error *dap_configuration_done(const json_t *arguments, json_t **ret)
{
	struct dap_session *own = &dap_state()->session;
	struct breakpoint *entry = NULL;
	(void)arguments, (void)ret;
	if (own->is_configured)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "The program runs already.");
	if (own->stops_at_entry && host_main_has_begun()) {
		static const char text[] =
			"main() has begun already: the program does not stop at its entry.\n";
		own->stops_at_entry = false;
		dap_output("important", text, sizeof text - 1);
	}
	if (own->stops_at_entry) {
		struct cudasim_error *error = breakpoint_make("main", true, NULL, &entry);
		if (error && entry)
			breakpoint_discard(entry);
		if (error)
			return error;
	}
	own->is_configured = true;
	own->goes_on = true;
	return NULL;
}

/* Ending the program is `cudasim dap`'s; what comes here is to let it go on alone. */
struct cudasim_error *dap_disconnect(const json_t *arguments, json_t **ret)
{
	(void)arguments, (void)ret;
	dap_state()->session.detach_wanted = true;
	return NULL;
}

/* ---- moving ----------------------------------------------------------------------------- */

/* While it runs the queue sees to it; it stands already. */
struct cudasim_error *dap_pause(const json_t *arguments, json_t **ret)
{
	(void)arguments, (void)ret;
	return NULL;
}

static struct cudasim_error *need_running(void)
{
	if (dap_state()->session.is_configured && program_is_running())
		return NULL;
	return cudasim_error_new(CUDASIM_E_ARGUMENT, "The program is not being run.");
}

static struct cudasim_error *go(const struct resume *how)
{
	dap_state()->session.how = *how;
	dap_state()->session.goes_on = true;
	return NULL;
}

struct cudasim_error *dap_continue(const json_t *arguments, json_t **ret)
{
	struct cudasim_error *error = need_running();
	(void)arguments;
	if (error)
		return error;
	*ret = json_pack("{s:b}", "allThreadsContinued", 1);
	return go(&(struct resume){.kind = RESUME_CONTINUE});
}

/* The thread that a step is of becomes the focus. */
static struct cudasim_error *choose(const json_t *arguments)
{
	int64_t id;
	struct cudasim_error *error = need_running();
	if (!error)
		error = dap_need_integer(arguments, "threadId", &id);
	if (!error && id == DAP_HOST_THREAD && stop_current()->launch && stop_current()->thread)
		error = cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"The host waits for the kernel: continue, or step a CUDA thread.");
	return error ? error : dap_thread_focus(id);
}

static struct cudasim_error *step(const json_t *arguments, enum resume_kind line,
				  enum resume_kind instruction)
{
	const char *granularity = dap_string_of(arguments, "granularity");
	struct cudasim_error *error = choose(arguments);
	if (error)
		return error;
	bool is_fine = granularity && !strcmp(granularity, "instruction");
	return go(&(struct resume){.kind = is_fine ? instruction : line});
}

struct cudasim_error *dap_next_line(const json_t *arguments, json_t **ret)
{
	(void)ret;
	return step(arguments, RESUME_NEXT, RESUME_NEXTI);
}

struct cudasim_error *dap_step_in(const json_t *arguments, json_t **ret)
{
	(void)ret;
	return step(arguments, RESUME_STEP, RESUME_STEPI);
}

static struct cudasim_error *need_recorded(void)
{
	if (record_is_past() || record_has_any())
		return NULL;
	return cudasim_error_new(
		CUDASIM_E_ARGUMENT,
		"Nothing is recorded: launch with \"record\": true, or give `record' in "
		"the debug console before a kernel begins.");
}

/* As `next' goes forward. */
struct cudasim_error *dap_step_back(const json_t *arguments, json_t **ret)
{
	const char *granularity = dap_string_of(arguments, "granularity");
	struct cudasim_error *error = choose(arguments);
	(void)ret;
	if (!error)
		error = need_recorded();
	if (!error && granularity && !strcmp(granularity, "instruction"))
		error = cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					  "What is recorded is gone through by lines, not by "
					  "instructions.");
	return error ? error : go(&(struct resume){.kind = RESUME_NEXT, .backward = true});
}

struct cudasim_error *dap_reverse_continue(const json_t *arguments, json_t **ret)
{
	struct cudasim_error *error = need_running();
	(void)arguments, (void)ret;
	if (!error)
		error = need_recorded();
	return error ? error : go(&(struct resume){.kind = RESUME_CONTINUE, .backward = true});
}

struct cudasim_error *dap_step_out(const json_t *arguments, json_t **ret)
{
	const struct frame *frames;
	struct cudasim_error *error = choose(arguments);
	(void)ret;
	if (error)
		return error;
	size_t n = frames_of_focus(&frames);
	if (!n)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "No stack.");
	if (frames[0].is_kernel && !frames[0].is_inlined)
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"A kernel returns to nobody: continue, with a breakpoint behind its launch "
			"or at \"Kernel end\".");
	if (n < 2)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "The outermost frame returns to nobody.");
	/* What was inlined has no frame to return from: lines, until its calls are fewer. */
	dap_state()->session.leaves = frames[0].is_inlined ? n : 0;
	return go(&(struct resume){.kind = frames[0].is_inlined ? RESUME_NEXT : RESUME_FINISH,
				   .frame = frames[0].base});
}

/* ---- exceptionInfo -------------------------------------------------------------------------- */

static const char *exception_id(const struct stop *stop)
{
	const char *name;
	switch (stop->kind) {
	case STOP_FAULT:
		name = fault_name(stop);
		return strcmp(name, "None") ? name : "SIGTRAP";
	case STOP_BRKPT:
		return "SIGTRAP";
	case STOP_CATCH:
		return "catchpoint";
	default:
		name = signal_abbreviation(stop->signal);
		return name ? name : "signal";
	}
}

struct cudasim_error *dap_exception_info(const json_t *arguments, json_t **ret)
{
	const struct stop *stop = stop_current();
	(void)arguments;
	if (!dap_is_exception(stop) || !program_is_running())
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "The program was not stopped by an exception.");
	const char *id = exception_id(stop);
	bool is_signal = stop->kind == STOP_SIGNAL;
	bool is_final = stop->kind == STOP_FAULT;
	json_t *text = dap_stop_text();
	*ret = json_pack("{s:o, s:O, s:s, s:{s:O, s:s}}", "exceptionId",
			 is_signal ? dap_format("SIG%s", id) : dap_text(id), "description", text,
			 "breakMode", is_final ? "unhandled" : "always", "details", "message", text,
			 "typeName",
			 is_final    ? "CUDA exception"
			 : is_signal ? "signal"
				     : "event");
	json_decref(text);
	return NULL;
}
