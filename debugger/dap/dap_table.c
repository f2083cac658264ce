/* SPDX-License-Identifier: Apache-2.0 */
/* dap_table.c - the requests that a program answers. `initialize` and `launch` are `cudasim
 * dap`'s, which hands them on; what there is no request for says why. */
#include <string.h>

#include "dap_requests.h"
#include "dap_views.h"

static const struct dap_row rows[] = {
	{"initialize", DAP_ANYTIME, dap_initialize},
	{"launch", DAP_STOPPED, dap_launch},
	{"attach", DAP_STOPPED, dap_launch},
	{"configurationDone", DAP_STOPPED, dap_configuration_done},
	{"disconnect", DAP_ANYTIME, dap_disconnect},
	{"pause", DAP_ANYTIME, dap_pause},
	{"continue", DAP_STOPPED, dap_continue},
	{"next", DAP_STOPPED, dap_next_line},
	{"stepIn", DAP_STOPPED, dap_step_in},
	{"stepOut", DAP_STOPPED, dap_step_out},
	{"stepBack", DAP_STOPPED, dap_step_back},
	{"reverseContinue", DAP_STOPPED, dap_reverse_continue},
	{"threads", DAP_ANYTIME, dap_threads},
	{"stackTrace", DAP_STOPPED, dap_stack_trace},
	{"scopes", DAP_STOPPED, dap_scopes},
	{"variables", DAP_STOPPED, dap_variables},
	{"setVariable", DAP_STOPPED, dap_set_variable},
	{"setExpression", DAP_STOPPED, dap_set_expression},
	{"evaluate", DAP_STOPPED, dap_evaluate},
	{"completions", DAP_STOPPED, dap_completions},
	{"exceptionInfo", DAP_STOPPED, dap_exception_info},
	{"setBreakpoints", DAP_MOMENT, dap_set_breakpoints},
	{"setFunctionBreakpoints", DAP_MOMENT, dap_set_function_breakpoints},
	{"setInstructionBreakpoints", DAP_MOMENT, dap_set_instruction_breakpoints},
	{"setExceptionBreakpoints", DAP_MOMENT, dap_set_exception_breakpoints},
	{"setDataBreakpoints", DAP_MOMENT, dap_set_data_breakpoints},
	{"dataBreakpointInfo", DAP_STOPPED, dap_data_breakpoint_info},
	{"breakpointLocations", DAP_MOMENT, dap_breakpoint_locations},
	{"disassemble", DAP_STOPPED, dap_disassemble},
	{"readMemory", DAP_STOPPED, dap_read_memory},
	{"writeMemory", DAP_STOPPED, dap_write_memory},
	{"modules", DAP_MOMENT, dap_modules},
	{"loadedSources", DAP_MOMENT, dap_loaded_sources},
	{"source", DAP_MOMENT, dap_source},
	{"cudasim/focus", DAP_STOPPED, dap_focus},
};

const struct dap_row *dap_row_of(const char *command)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(rows[i].command, command))
			return &rows[i];
	return NULL;
}

static const struct {
	const char *command, *why;
} absent[] = {
	{"goto", "a thread cannot jump: the compiled body keeps values between lines that a jump "
		 "would leave unset"},
	{"gotoTargets", "a thread cannot jump: the compiled body keeps values between lines that "
			"a jump would leave unset"},
	{"restart", "the client starts the program anew: disconnect and launch"},
	{"restartFrame", "what a frame has written cannot be taken back"},
	{"stepInTargets", "stepIn goes into the first function that the line calls; `skip` passes "
			  "functions"},
	{"terminate", "disconnect with \"terminateDebuggee\" ends the program"},
	{"terminateThreads", "a thread of a kernel cannot be ended alone"},
	{"locations", "no value has a reference to a place in a source"},
};

const char *dap_absent(const char *command)
{
	for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
		if (!strcmp(absent[i].command, command))
			return absent[i].why;
	return NULL;
}
