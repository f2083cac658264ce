/* SPDX-License-Identifier: Apache-2.0 */
/* command_running.c - commands that move the program. */
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "breakpoint_commands.h"
#include "command_data.h"
#include "commands.h"
#include "console.h"
#include "error.h"
#include "frame_print.h"
#include "history.h"
#include "input.h"
#include "moving.h"
#include "recording.h"
#include "report_state.h"
#include "restart.h"
#include "setting.h"
#include "stack.h"
#include "stop_report.h"
#include "stops_state.h"
#include "symbols.h"
#include "travel.h"

static struct cudasim_error *not_running(void)
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT, "The program is not being run.");
}

/* ---- moving --------------------------------------------------------------------------- */

/* Say what there is to say of the stop that the program has come to. */
static void tell(const struct focus *before)
{
	bool silent = actions_silent(stop_current());
	before = record_before(before);
	actions_queue(stop_current());
	if (silent) {
		focus_announce(console(), before);
	} else {
		stop_report(console(), stop_current(), before);
		displays_show(console());
	}
	breakpoints_settle();
}

/* Move without saying anything yet. */
static struct cudasim_error *move(const struct resume *how)
{
	breakpoints_resume();
	/* What the program prints comes behind it. */
	fflush(console());
	struct cudasim_error *error = program_resume(how);
	/* The stop may be in code that was loaded on the way, for which no breakpoint waited. */
	return error ? error : symbols_refresh();
}

void program_arrived(const struct motion_view *view)
{
	struct report_place *place = &report_state()->place;
	const struct frame *frames;
	size_t n = frames_of_focus(&frames);
	memset(place, 0, sizeof *place);
	if (n && frames[0].name && !strcmp(frames[0].name, view->name))
		*place = (struct report_place){frames[0].function, frames[0].name, view->n_frames,
					       view->is_device};
	tell(&view->focus);
}

struct cudasim_error *program_move_and_tell(const struct resume *how)
{
	struct focus before = *focus_get();
	struct cudasim_error *error = move(how);
	if (!error)
		tell(&before);
	return error ? error : actions_run();
}

struct cudasim_error *program_count(const char *argument, int64_t *ret)
{
	*ret = 1;
	return *argument ? evaluate_integer(argument, ret) : NULL;
}

/* step N and its like: as long as each one ends as such. */
struct cudasim_error *program_step(enum resume_kind kind, const char *argument, bool backward)
{
	struct focus before = *focus_get();
	struct resume how = {.kind = kind, .backward = backward};
	int64_t count;
	if (!program_is_running())
		return not_running();
	struct cudasim_error *error = program_count(argument, &count);
	if (error || count <= 0)
		return error;
	bool quits = false;
	/* Another process makes the motion, and this one's loop would not go on. */
	how.count = (uint32_t)(count < UINT32_MAX ? count : UINT32_MAX);
	if (backward || record_is_past())
		count = 1;
	do {
		error = move(&how);
		quits = interrupt_waits();
	} while (!error && --count > 0 && stop_current()->kind == STOP_STEP && !quits);
	if (error)
		return error;
	if (quits && count > 0 && stop_current()->kind == STOP_STEP) {
		interrupt_forget();
		stop_current()->kind = STOP_INTERRUPT;
		stop_current()->signal = SIGINT;
	}
	tell(&before);
	return actions_run();
}

static struct cudasim_error *command_step(const char *argument)
{
	return program_step(RESUME_STEP, argument, record_is_backward());
}

static struct cudasim_error *command_next(const char *argument)
{
	return program_step(RESUME_NEXT, argument, record_is_backward());
}

static struct cudasim_error *command_stepi(const char *argument)
{
	return program_step(RESUME_STEPI, argument, record_is_backward());
}

static struct cudasim_error *command_nexti(const char *argument)
{
	return program_step(RESUME_NEXTI, argument, record_is_backward());
}

static struct cudasim_error *command_continue(const char *argument)
{
	struct breakpoint *b = NULL;
	int64_t count;
	if (!program_is_running())
		return not_running();
	struct cudasim_error *error = program_count(argument, &count);
	if (error)
		return error;
	for (int i = 0; *argument && i < 8 && stop_current()->numbers[i]; i++) {
		b = breakpoint_find(stop_current()->numbers[i]);
		if (b)
			b->ignore = count > 1 ? (uint64_t)count - 1 : 0;
		if (b && count > 2)
			fprintf(console(),
				"Will ignore next %" PRId64 " crossings of breakpoint %d.  ",
				count - 1, b->number);
		else if (b && count == 2)
			fprintf(console(), "Will ignore next crossing of breakpoint %d.  ",
				b->number);
		else if (b)
			fprintf(console(), "Will stop next time breakpoint %d is reached.  ",
				b->number);
	}
	if (*argument && !b)
		fprintf(console(), "Not stopped at any breakpoint; argument ignored.\n");
	/* As gdb: not for what a script or a breakpoint's commands say. */
	if (!input_depth() && !actions_are_running())
		fprintf(console(), "Continuing.\n");
	struct resume how = {.kind = RESUME_CONTINUE, .backward = record_is_backward()};
	return program_move_and_tell(&how);
}

/* ---- finish ------------------------------------------------------------------------------ */

static void print_returned(void)
{
	const struct stop *stop = stop_current();
	const struct function *function = stop->returned_pc
						  ? symbols_function_at((uint64_t)stop->returned_pc)
						  : NULL;
	const struct type *type = function ? symbols_function_type(function) : NULL;
	type = type && type->kind == TYPE_FUNCTION ? type->target : NULL;
	if (!stop->return_value || !type || type_strip(type)->kind == TYPE_VOID)
		return;
	struct value value = {.type = type, .n_bytes = type->size};
	if (type_strip(type)->kind == TYPE_REFERENCE)
		value.n_bytes = sizeof(void *);
	unsigned char *bytes = value.bytes.small;
	if (value.n_bytes > sizeof value.bytes.small) {
		bytes = malloc(value.n_bytes);
		if (!bytes)
			return;
		value.bytes.large = bytes;
	}
	if (cudasim_memory_read(stop->return_value, bytes, value.n_bytes) == value.n_bytes) {
		fprintf(console(), "Value returned is $%u = ", history_add(&value));
		value_print(console(), &value, 0, 0, true);
		fputc('\n', console());
	}
	value_fini(&value);
}

static bool is_outermost(const struct frame *frame)
{
	const struct frame *frames;
	size_t n = frames_of_focus(&frames);
	if (frame->is_kernel)
		return true;
	return frame->level + 1 >= n;
}

struct cudasim_error *program_finish(const char *argument, bool backward)
{
	const struct frame *frame = frame_selected();
	if (!program_is_running())
		return not_running();
	if (*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "The \"finish\" command does not take any arguments.");
	if (!frame)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "No selected frame.");
	if (is_outermost(frame))
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "\"finish\" not meaningful in the outermost frame.");
	if (frame->is_inlined)
		return cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"%s has been inlined here and has no frame of its own: use "
			"until or advance.",
			frame->name);
	if ((focus_get()->is_device || stop_current()->launch) && !frame->is_device)
		return cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"The host waits for the kernel in this frame: use tbreak and "
			"continue.");
	fputs(backward ? "Run back to call of " : "Run till exit from ", console());
	frame_print(console(), frame, true, !frame->at_line_start);
	struct resume how = {.kind = RESUME_FINISH, .frame = frame->base, .backward = backward};
	struct focus before = *focus_get();
	struct cudasim_error *error = move(&how);
	if (error)
		return error;
	tell(&before);
	if (stop_current()->kind == STOP_FINISH)
		print_returned();
	return actions_run();
}

static struct cudasim_error *command_finish(const char *argument)
{
	return program_finish(argument, record_is_backward());
}

/* ---- until, advance ------------------------------------------------------------------------ */

/* Places that resuming from this stop does not see to: host code from a stop in device
 * code, device code from one of the host's. */
struct extra {
	struct breaker breaker;
	const struct cudasim_site *site;
	struct host_breakpoint *host;
};

static bool extra_host_hit(void *user, const struct registers *registers, struct stop *stop)
{
	(void)user, (void)registers;
	if (!stop->numbers[0])
		stop->kind = STOP_STEP;
	return true;
}

static struct cudasim_error *extra_add(struct extra *e, const struct program_location *place)
{
	if (!place->site)
		return host_breakpoint_add(place->pc, extra_host_hit, e, &e->host);
	e->breaker = (struct breaker){.hit = breaker_any, .stopped = breaker_as_step, .user = e};
	struct cudasim_error *error = breaker_add(&e->breaker, place->site);
	e->site = error ? NULL : place->site;
	return error;
}

static struct cudasim_error *go_to(const struct program_location *places, size_t n,
				   struct resume *how, const struct cudasim_site **sites,
				   struct extra *extras)
{
	struct focus before = *focus_get();
	struct cudasim_error *error = NULL;
	for (size_t i = 0; i < n && !error; i++) {
		if (before.is_device != (places[i].site != NULL))
			error = extra_add(&extras[i], &places[i]);
		else if (places[i].site)
			sites[how->n_sites++] = places[i].site;
		else
			how->host_pc = places[i].pc;
	}
	how->sites = sites;
	if (!error)
		error = move(how);
	for (size_t i = 0; i < n; i++) {
		if (extras[i].site)
			breaker_remove(&extras[i].breaker, extras[i].site);
		host_breakpoint_remove(extras[i].host);
	}
	if (error)
		return error;
	stop_current()->shows_frame = stop_current()->kind == STOP_STEP;
	tell(&before);
	return NULL;
}

static struct cudasim_error *to_location(const char *text)
{
	struct program_location *places = NULL;
	size_t n = 0;
	const struct frame *frame = frame_selected();
	if (!program_is_running())
		return not_running();
	struct cudasim_error *error = location_find(text, &places, &n);
	if (error)
		return error;
	struct resume how = {.kind = RESUME_LOCATION};
	const struct cudasim_site **sites = calloc(n + 1, sizeof *sites);
	struct extra *extras = calloc(n + 1, sizeof *extras);
	if (frame && !is_outermost(frame))
		how.frame = frame->base;
	error = sites && extras ? go_to(places, n, &how, sites, extras) : &cudasim_error_nomem;
	free(sites);
	free(extras);
	free(places);
	return error ? error : actions_run();
}

static struct cudasim_error *command_until(const char *argument)
{
	if (*argument)
		return to_location(argument);
	if (!program_is_running())
		return not_running();
	struct resume how = {.kind = RESUME_UNTIL};
	return program_move_and_tell(&how);
}

static struct cudasim_error *command_advance(const char *argument)
{
	if (!program_is_running())
		return not_running();
	if (!*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Argument required (a location).");
	return to_location(argument);
}

/* ---- run, kill, detach ------------------------------------------------------------------------ */

static struct cudasim_error *restart(bool run)
{
	fflush(console());
	return program_restart(program_arguments(), run);
}

struct cudasim_error *program_go(void)
{
	/* It stands at main's first instruction, where nothing stops it any more. */
	struct focus before = *focus_get();
	struct registers registers;
	struct stop here = *stop_current();
	here.kind = STOP_BREAKPOINT;
	breakpoints_resume();
	if (host_registers(&registers) && locations_hit_at(&registers, &here)) {
		*stop_current() = here;
		frames_forget();
		tell(&before);
		return actions_run();
	}
	struct resume how = {.kind = RESUME_CONTINUE};
	return program_move_and_tell(&how);
}

static struct cudasim_error *command_run(const char *argument)
{
	bool elsewhere;
	struct cudasim_error *error = travel_and_run("run", argument, &elsewhere);
	if (elsewhere)
		return error;
	if (*argument) {
		char *new = strdup(argument);
		if (!new)
			return &cudasim_error_nomem;
		program_arguments_next(new);
	}
	if (program_is_running() &&
	    !command_confirm("The program being debugged has been started already.\n"
			     "Start it from the beginning? "))
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Program not restarted.");
	if (program_is_running() || stop_current()->kind == STOP_EXITED ||
	    strcmp(program_arguments(), program_arguments_now()) != 0 || restart_terminal_changed())
		return restart(true);
	fprintf(console(), "Starting program: %s %s\n", program_path(), program_arguments_now());
	for (struct breakpoint *b = stops_state()->breakpoints; b; b = b->next)
		b->hits = 0;
	return program_go();
}

static struct cudasim_error *command_start(const char *argument)
{
	struct cudasim_error *error = breakpoint_set("main", true, NULL);
	return error ? error : command_run(argument);
}

static struct cudasim_error *command_kill(const char *argument)
{
	bool elsewhere;
	struct cudasim_error *error = travel_and_run("kill", argument, &elsewhere);
	if (elsewhere)
		return error;
	if (!program_is_running())
		return not_running();
	if (!command_confirm("Kill the program being debugged? "))
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Not confirmed.");
	fprintf(console(), "[Inferior 1 (process %d) killed]\n", (int)getpid());
	return restart(false);
}

static struct cudasim_error *command_detach(const char *argument)
{
	bool elsewhere;
	struct cudasim_error *error = travel_and_run("detach", argument, &elsewhere);
	if (elsewhere)
		return error;
	if (!program_is_running())
		return not_running();
	fprintf(console(), "Detaching from program: %s, process %d\n", program_path(),
		(int)getpid());
	fprintf(console(), "[Inferior 1 (process %d) detached]\n", (int)getpid());
	fflush(console());
	struct resume how = {.kind = RESUME_DETACH};
	return move(&how);
}

/* ---- what cannot be ----------------------------------------------------------------------------- */

static struct cudasim_error *command_jump(const char *argument)
{
	(void)argument;
	return cudasim_error_new(
		CUDASIM_E_UNSUPPORTED,
		"A thread cannot jump: the compiled body keeps values between lines "
		"that a jump would leave unset. Use set var, or run again.");
}

static struct cudasim_error *command_attach(const char *argument)
{
	(void)argument;
	return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
				 "The debugger runs in the program's process and cannot attach to "
				 "another: use `cudasim debug PROGRAM` or CUDASIM_DEBUG=1.");
}

static struct cudasim_error *command_signal(const char *argument)
{
	if (!program_is_running())
		return not_running();
	if (!*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Argument required (signal number).");
	if (strcmp(argument, "0") != 0)
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "Only `signal 0' (continue without the signal) is "
					 "supported: device threads have no signals.");
	fprintf(console(), "Continuing with no signal.\n");
	struct resume how = {.kind = RESUME_CONTINUE};
	return program_move_and_tell(&how);
}

/* ---- the table -------------------------------------------------------------------------------------- */

const struct command commands_running[] = {
	{.name = "run",
	 .aliases = "r",
	 .run = command_run,
	 .completer = COMPLETE_FILE,
	 .usage = "run [ARGUMENTS]",
	 .summary = "Start the program, again from the beginning",
	 .text = "ARGUMENTS take the place of those it had; they are read as a shell would.",
	 .example = "run 32 48 32"},
	{.name = "start",
	 .run = command_start,
	 .completer = COMPLETE_FILE,
	 .usage = "start [ARGUMENTS]",
	 .summary = "Run up to the first line of main",
	 .example = "start"},
	{.name = "continue",
	 .aliases = "c,cont,fg",
	 .run = command_continue,
	 .repeats = true,
	 .usage = "continue [N]",
	 .summary = "Go on until something stops the program",
	 .text = "With N the breakpoint at which it stopped is ignored N-1 more times.",
	 .example = "continue"},
	{.name = "step",
	 .aliases = "s",
	 .run = command_step,
	 .repeats = true,
	 .usage = "step [N]",
	 .summary = "Go on to the next line, into functions that it calls",
	 .text = "Moves the focused warp (see `set step-unit`); a barrier is crossed by moving the\n"
		 "block's other warps up to it.",
	 .example = "step 3"},
	{.name = "next",
	 .aliases = "n",
	 .run = command_next,
	 .repeats = true,
	 .usage = "next [N]",
	 .summary = "Go on to the next line, over functions that it calls",
	 .example = "next"},
	{.name = "stepi",
	 .aliases = "si",
	 .run = command_stepi,
	 .repeats = true,
	 .usage = "stepi [N]",
	 .summary = "Go on by one machine instruction",
	 .example = "stepi"},
	{.name = "nexti",
	 .aliases = "ni",
	 .run = command_nexti,
	 .repeats = true,
	 .usage = "nexti [N]",
	 .summary = "Go on by one machine instruction, over calls",
	 .example = "nexti"},
	{.name = "finish",
	 .aliases = "fin",
	 .run = command_finish,
	 .repeats = true,
	 .usage = "finish",
	 .summary = "Go on until the selected frame has returned",
	 .text = "Prints what it returned, and keeps it in the value history.",
	 .example = "finish"},
	{.name = "until",
	 .aliases = "u",
	 .run = command_until,
	 .repeats = true,
	 .completer = COMPLETE_LOCATION,
	 .usage = "until [LOCATION]",
	 .summary = "Go on to a later line: out of a loop, or up to LOCATION",
	 .text = "Stops also where the current frame returns.",
	 .example = "until 31"},
	{.name = "advance",
	 .run = command_advance,
	 .completer = COMPLETE_LOCATION,
	 .usage = "advance LOCATION",
	 .summary = "Go on up to LOCATION",
	 .text = "Stops also where the current frame returns.",
	 .example = "advance 111"},
	{.name = "jump",
	 .aliases = "j",
	 .run = command_jump,
	 .completer = COMPLETE_LOCATION,
	 .usage = "jump LOCATION",
	 .summary = "Not supported; prints the reason",
	 .example = "jump 30"},
	{.name = "signal",
	 .run = command_signal,
	 .usage = "signal 0",
	 .summary = "Go on without the signal that stopped the program",
	 .example = "signal 0"},
	{.name = "kill",
	 .aliases = "k",
	 .run = command_kill,
	 .usage = "kill",
	 .summary = "End the program; run starts it again",
	 .example = "kill"},
	{.name = "detach",
	 .run = command_detach,
	 .usage = "detach",
	 .summary = "Continue the program without the debugger",
	 .example = "detach"},
	{.name = "attach",
	 .run = command_attach,
	 .usage = "attach PID",
	 .summary = "Not supported; prints the reason",
	 .example = "attach 1234"},
	{0},
};

static const char *const step_units[] = {"thread", "warp", "block", NULL};
__attribute__((constructor)) static void start(void)
{
	const struct setting settings[] = {
		{.name = "step-unit",
		 .kind = SETTING_CHOICE,
		 .value = &run_settings()->step_unit,
		 .choices = step_units,
		 .show = "Steps move the focused %s.",
		 .summary = "Who moves with step, next and until: thread, warp or block."},
	};
	settings_add(settings, sizeof settings / sizeof *settings);
}
