/* SPDX-License-Identifier: Apache-2.0 */
/* debugger.c - the debugger begins: an observer that libcudasim opens before main(). */
#include "debugger.h"

#include <stdio.h>

#include "control.h"
#include "error.h"
#include "host.h"
#include "recording.h"
#include "repl.h"

/* The debugger. */
static struct debugger debugger = {
	.baton = BATON_STATE_INITIAL,
	.values = VALUES_STATE_INITIAL,
	.source = SOURCE_STATE_INITIAL,
	.frames = FRAMES_STATE_INITIAL,
	.host = HOST_STATE_INITIAL,
	.events = EVENTS_STATE_INITIAL,
	.run = RUN_STATE_INITIAL,
	.report = REPORT_STATE_INITIAL,
	.stops = STOPS_STATE_INITIAL,
	.shell = SHELL_STATE_INITIAL,
	.restart = RESTART_STATE_INITIAL,
	.record = RECORD_STATE_INITIAL,
	.data = DATA_STATE_INITIAL,
	.cuda = CUDA_STATE_INITIAL,
	.breakpoint_commands = BREAKPOINT_COMMANDS_STATE_INITIAL,
	.dap = DAP_STATE_INITIAL,
	.repl = REPL_STATE_INITIAL,
};

struct symbols_state *symbols_state(void)
{
	return &debugger.symbols;
}

struct front_state *front_state(void)
{
	return &debugger.front;
}

struct baton_state *baton_state(void)
{
	return &debugger.baton;
}

struct values_state *values_state(void)
{
	return &debugger.values;
}

struct calls_state *calls_state(void)
{
	return &debugger.calls;
}

struct source_state *source_state(void)
{
	return &debugger.source;
}

struct frames_state *frames_state(void)
{
	return &debugger.frames;
}

struct host_state *host_state(void)
{
	return &debugger.host;
}

struct stack_state *stack_state(void)
{
	return &debugger.stack;
}

struct events_state *events_state(void)
{
	return &debugger.events;
}

struct run_state *run_state(void)
{
	return &debugger.run;
}

struct report_state *report_state(void)
{
	return &debugger.report;
}

struct stops_state *stops_state(void)
{
	return &debugger.stops;
}

struct shell_state *shell_state(void)
{
	return &debugger.shell;
}

struct restart_state *restart_state(void)
{
	return &debugger.restart;
}

struct record_state *record_state(void)
{
	return &debugger.record;
}

struct data_state *data_state(void)
{
	return &debugger.data;
}

struct listing_state *listing_state(void)
{
	return &debugger.listing;
}

struct cuda_state *cuda_state(void)
{
	return &debugger.cuda;
}

struct breakpoint_commands_state *breakpoint_commands_state(void)
{
	return &debugger.breakpoint_commands;
}

struct dap_state *dap_state(void)
{
	return &debugger.dap;
}

struct repl_state *repl_state(void)
{
	return &debugger.repl;
}

const struct cudasim_observer *cudasim_observer_init(void)
{
	cudasim_last_write_want(); /* for where-is */
	struct cudasim_error *error = baton_start();
	if (!error)
		error = host_start();
	if (!error)
		error = host_end_start();
	if (!error)
		error = record_start();
	if (!error)
		error = repl_start();
	if (error) {
		fprintf(stderr, "cudasim: the debugger cannot start: %s\n", error->message);
		cudasim_error_free(error);
		return NULL;
	}
	cudasim_launch_blocking(true);
	host_start_late();
	return &debugger_observer;
}
