/* SPDX-License-Identifier: Apache-2.0 */
/* dap_move.c - the program goes on, and its stops are told. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "breakpoint_commands.h"
#include "command_data.h"
#include "command_table.h"
#include "console.h"
#include "dap_message.h"
#include "dap_views.h"
#include "error.h"
#include "dap.h"
#include "recording.h"
#include "signal_name.h"
#include "stack.h"
#include "stop_report.h"
#include "stops_state.h"

/* ---- commands of the debugger ---------------------------------------------------------- */

struct cudasim_error *dap_command(const char *line, json_t **ret)
{
	struct dap_buffer buffer;
	FILE *real = console(), *out = dap_open(&buffer);
	if (!out)
		return &cudasim_error_nomem;
	console_set(out);
	console_new_command();
	record_hold(true);
	struct cudasim_error *error = command_execute(line);
	record_hold(false);
	console_set(real);
	*ret = dap_close(&buffer);
	return error;
}

/* What commands of breakpoints print goes to the debug console. */
static void run_actions(void)
{
	struct dap_buffer buffer;
	FILE *real = console(), *out = dap_open(&buffer);
	if (!out)
		return;
	console_set(out);
	record_hold(true);
	struct cudasim_error *error = actions_run();
	record_hold(false);
	if (error)
		fprintf(out, "%s\n", error->message);
	cudasim_error_free(error);
	console_set(real);
	json_t *text = dap_close(&buffer);
	dap_output("console", json_string_value(text), json_string_length(text));
	json_decref(text);
}

/* ---- what a stop is ---------------------------------------------------------------------- */

static bool is_at_function(const struct stop *stop)
{
	for (int i = 0; i < 8 && stop->numbers[i]; i++)
		if (dap_point_kind(stop->numbers[i]) == DAP_POINT_FUNCTION)
			return true;
	return false;
}

static const char *reason_of(const struct stop *stop)
{
	switch (stop->kind) {
	case STOP_BREAKPOINT:
		if (dap_state()->session.stops_at_entry && stop->temporary)
			return "entry";
		return is_at_function(stop) ? "function breakpoint" : "breakpoint";
	case STOP_WATCHPOINT:
		return "data breakpoint";
	case STOP_STEP:
	case STOP_FINISH:
		return "step";
	case STOP_LAUNCH:
	case STOP_START:
		return "entry";
	case STOP_INTERRUPT:
		return "pause";
	default:
		return "exception";
	}
}

bool dap_is_exception(const struct stop *stop)
{
	return !strcmp(reason_of(stop), "exception");
}

/* In a few words. */
static json_t *description_of(const struct stop *stop)
{
	const char *name;
	switch (stop->kind) {
	case STOP_FAULT:
		return dap_format("CUDA exception: %s", fault_name(stop));
	case STOP_SIGNAL:
		name = signal_abbreviation(stop->signal);
		return name ? dap_format("Signal SIG%s", name)
			    : dap_format("Signal %d", stop->signal);
	case STOP_BRKPT:
		return dap_text("Breakpoint in device code (SIGTRAP)");
	case STOP_CATCH:
		return dap_format("Catchpoint %d", stop->numbers[0]);
	case STOP_WATCHPOINT:
		return dap_text("Data breakpoint");
	case STOP_LAUNCH:
		return dap_text("Kernel entry");
	default:
		return NULL;
	}
}

/* The whole report, as a command line would show it, up to its last line break. */
json_t *dap_stop_text(void)
{
	struct dap_buffer buffer;
	FILE *out = dap_open(&buffer);
	struct focus focus = *focus_get();
	if (!out)
		return NULL;
	stop_report(out, stop_current(), &focus);
	json_t *whole = dap_close(&buffer);
	const char *text = json_string_value(whole);
	size_t n = json_string_length(whole);
	while (n && text[n - 1] == '\n')
		n--;
	while (n && *text == '\n') {
		text++;
		n--;
	}
	json_t *ret = dap_string(text ? text : "", n);
	json_decref(whole);
	return ret;
}

static json_t *hit_of(const struct stop *stop)
{
	json_t *ret = json_array();
	for (int i = 0; i < 8 && stop->numbers[i]; i++)
		json_array_append_new(ret, json_integer(stop->numbers[i]));
	return ret;
}

void dap_tell_stop(void)
{
	struct dap_session *own = &dap_state()->session;
	const struct stop *stop = stop_current();
	json_t *description = description_of(stop), *text = NULL;
	own->is_running = false;
	own->pause_wanted = false;
	if (description)
		text = dap_stop_text();
	json_t *body = json_pack("{s:s, s:I, s:b, s:b}", "reason", reason_of(stop), "threadId",
				 (json_int_t)dap_focused_thread(), "allThreadsStopped", 1,
				 "preserveFocusHint", 0);
	if (description)
		json_object_set_new(body, "description", description);
	if (text)
		json_object_set_new(body, "text", text);
	if (stop->numbers[0])
		json_object_set_new(body, "hitBreakpointIds", hit_of(stop));
	dap_event("stopped", body);
}

/* What a stop has to say beside its event: values of a watchpoint, displays. The report makes its
 * place the one for `list` as well. */
static void say_stop(bool is_silent)
{
	struct dap_buffer buffer;
	FILE *out = dap_open(&buffer);
	if (!out)
		return;
	const struct stop *stop = stop_current();
	json_t *report = dap_stop_text();
	if (stop->kind == STOP_WATCHPOINT || dap_is_exception(stop))
		fprintf(out, "%s\n", json_string_value(report));
	else if (stop->report)
		fputs(stop->report, out);
	json_decref(report);
	displays_show(out);
	json_t *text = dap_close(&buffer);
	if (!is_silent)
		dap_output("console", json_string_value(text), json_string_length(text));
	json_decref(text);
}

/* ---- going on ------------------------------------------------------------------------------ */

void dap_tell_running(void)
{
	dap_state()->session.is_running = true;
	dap_stacks_forget();
	dap_containers_forget();
	dap_event("continued", json_pack("{s:I, s:b}", "threadId", (json_int_t)dap_focused_thread(),
					 "allThreadsContinued", 1));
}

static struct cudasim_error *move(const struct resume *how)
{
	breakpoints_resume();
	interrupt_forget();
	struct cudasim_error *error = program_resume(how);
	return error ? error : symbols_refresh();
}

/* The stop was made for requests that need the program to stand for a moment: answer them.
 * True where it goes on. */
static bool serve_briefly(void)
{
	struct dap_session *own = &dap_state()->session;
	if (stop_current()->kind != STOP_INTERRUPT || own->pause_wanted ||
	    own->how.kind != RESUME_CONTINUE)
		return false;
	size_t n = 0;
	for (json_t *request; !own->is_gone && (request = dap_next_brief()); n++) {
		dap_answer(request);
		json_decref(request);
	}
	/* Without any it was somebody else's Ctrl-C. */
	return n && !own->is_gone && !own->detach_wanted;
}

/* The commands of what was hit; they may move the program themselves. */
static void settle(void)
{
	bool is_silent = actions_silent(stop_current());
	actions_queue(stop_current());
	say_stop(is_silent);
	dap_points_stopped(stop_current());
	breakpoints_settle();
	run_actions();
	dap_points_tell();
}

static void arrive(struct cudasim_error *error)
{
	struct dap_session *own = &dap_state()->session;
	own->is_running = false;
	if (error) {
		json_t *text = dap_format("%s\n", error->message);
		dap_output("important", json_string_value(text), json_string_length(text));
		json_decref(text);
		cudasim_error_free(error);
	} else if (stop_current()->kind != STOP_EXITED) {
		settle();
	}
	if (stop_current()->kind == STOP_EXITED)
		dap_end();
	if (!own->is_gone && !own->detach_wanted)
		dap_tell_stop();
	own->stops_at_entry = false;
}

void dap_told(const struct motion_view *before)
{
	(void)before;
	arrive(NULL);
}

/* A command has moved the program and has said what there is to say. */
void dap_arrive(void)
{
	if (stop_current()->kind == STOP_EXITED)
		dap_end();
	dap_points_tell();
	dap_tell_stop();
}

/* Out of an inlined call: to a line where there are fewer frames. */
static bool leaves_on(struct cudasim_error *error)
{
	struct dap_session *own = &dap_state()->session;
	const struct frame *frames;
	return !error && own->leaves && stop_current()->kind == STOP_STEP && !own->pause_wanted &&
	       frames_of_focus(&frames) >= own->leaves;
}

void dap_go_on(void)
{
	struct dap_session *own = &dap_state()->session;
	struct cudasim_error *error;
	own->goes_on = false;
	own->is_running = true;
	dap_stacks_forget();
	dap_containers_forget();
	do {
		error = move(&own->how);
	} while (!error && (serve_briefly() || leaves_on(error)));
	own->leaves = 0;
	arrive(error);
}

void dap_begin(void)
{
	struct dap_session *own = &dap_state()->session;
	/* It stands at main's first instruction, where nothing stops it any more. */
	struct registers registers;
	struct stop here = *stop_current();
	here.kind = STOP_BREAKPOINT;
	breakpoints_resume();
	own->how = (struct resume){.kind = RESUME_CONTINUE};
	if (!host_registers(&registers) || !locations_hit_at(&registers, &here)) {
		dap_go_on();
		return;
	}
	*stop_current() = here;
	frames_forget();
	arrive(NULL);
}

void dap_end(void)
{
	const struct stop *stop = stop_current();
	int status = stop->signal ? 128 + stop->signal : stop->exit_status & 0xff;
	dap_event("exited", json_pack("{s:i}", "exitCode", status));
	repl_quit(status);
}
