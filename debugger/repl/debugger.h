/* SPDX-License-Identifier: Apache-2.0 */
/* debugger.h - the debugger's state: what each room keeps. There is one, as there is one program,
 * the process; a room reaches its own part by ROOM_state() and sees no other. */
#ifndef CUDASIM_DEBUGGER_DEBUGGER_H
#define CUDASIM_DEBUGGER_DEBUGGER_H

#include "baton_state.h"
#include "breakpoint_commands_state.h"
#include "calls_state.h"
#include "cuda_state.h"
#include "dap_state.h"
#include "data_state.h"
#include "events_state.h"
#include "frames_state.h"
#include "front_state.h"
#include "host_state.h"
#include "listing_state.h"
#include "record_state.h"
#include "repl_state.h"
#include "report_state.h"
#include "restart_state.h"
#include "run_state.h"
#include "shell_state.h"
#include "source_state.h"
#include "stack_state.h"
#include "stops_state.h"
#include "symbols_state.h"
#include "values_state.h"

/* From the lowest room up. */
struct debugger {
	struct symbols_state symbols;
	struct front_state front;
	struct baton_state baton;
	struct values_state values;
	struct calls_state calls;
	struct source_state source;
	struct frames_state frames;
	struct host_state host;
	struct stack_state stack;
	struct events_state events;
	struct run_state run;
	struct report_state report;
	struct stops_state stops;
	struct shell_state shell;
	struct restart_state restart;
	struct record_state record;
	struct data_state data;
	struct listing_state listing;
	struct cuda_state cuda;
	struct breakpoint_commands_state breakpoint_commands;
	struct dap_state dap;
	struct repl_state repl;
};

#endif
