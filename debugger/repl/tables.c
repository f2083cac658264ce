/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - all commands. */
#include "tables.h"

#include <stddef.h>

#include "breakpoint_commands.h"
#include "command_cuda.h"
#include "command_data.h"
#include "command_stack.h"
#include "command_table.h"
#include "command_view.h"
#include "commands.h"
#include "recording.h"
#include "shell_state.h"

static const struct command *const tables[] = {
	commands_running,
	commands_reverse,
	commands_record,
	commands_checkpoint,
	commands_breakpoints,
	commands_skip,
	commands_data,
	commands_view,
	commands_stack,
	commands_cuda,
	commands_host,
	commands_script,
	commands_wrap,
	commands_logging,
	commands_support,
	commands_environment,
	NULL,
};

void command_tables_set(void)
{
	shell_state()->tables = tables;
}
