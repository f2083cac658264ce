/* SPDX-License-Identifier: Apache-2.0 */
/* debugger.c - the debugger begins: an observer that libcudasim opens before main(). */
#include "debugger.h"

#include <stdio.h>

#include "control.h"
#include "error.h"
#include "host.h"
#include "repl.h"

/* The debugger. */
static struct debugger debugger = {
	.values = VALUES_STATE_INITIAL,
	.source = SOURCE_STATE_INITIAL,
	.run = RUN_STATE_INITIAL,
	.report = REPORT_STATE_INITIAL,
	.stops = STOPS_STATE_INITIAL,
	.shell = SHELL_STATE_INITIAL,
	.cuda = CUDA_STATE_INITIAL,
	.breakpoint_commands = BREAKPOINT_COMMANDS_STATE_INITIAL,
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

struct source_state *source_state(void)
{
	return &debugger.source;
}

struct stack_state *stack_state(void)
{
	return &debugger.stack;
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

struct cuda_state *cuda_state(void)
{
	return &debugger.cuda;
}

struct breakpoint_commands_state *breakpoint_commands_state(void)
{
	return &debugger.breakpoint_commands;
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
