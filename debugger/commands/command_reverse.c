/* SPDX-License-Identifier: Apache-2.0 */
/* command_reverse.c - step, next, finish and continue, backward through what is recorded. */
#include "commands.h"
#include "error.h"
#include "moving.h"

static struct cudasim_error *command_reverse_step(const char *argument)
{
	return program_step(RESUME_STEP, argument, true);
}

static struct cudasim_error *command_reverse_next(const char *argument)
{
	return program_step(RESUME_NEXT, argument, true);
}

static struct cudasim_error *command_reverse_continue(const char *argument)
{
	struct resume how = {.kind = RESUME_CONTINUE, .backward = true};
	int64_t count;
	struct cudasim_error *error = program_count(argument, &count);
	if (error)
		return error;
	how.count = (uint32_t)(count > 0 && count < UINT32_MAX ? count : 1);
	return program_move_and_tell(&how);
}

static struct cudasim_error *command_reverse_finish(const char *argument)
{
	return program_finish(argument, true);
}

const struct command commands_reverse[] = {
	{.name = "reverse-step",
	 .aliases = "rs",
	 .run = command_reverse_step,
	 .repeats = true,
	 .usage = "reverse-step [N]",
	 .summary = "Go back to the beginning of the line before, into functions that it called",
	 .text = "Of the focused thread. From the middle of a line: to its beginning. See record.",
	 .example = "reverse-step 3"},
	{.name = "reverse-next",
	 .aliases = "rn",
	 .run = command_reverse_next,
	 .repeats = true,
	 .usage = "reverse-next [N]",
	 .summary = "Go back to the beginning of the line before, over functions that it called",
	 .example = "reverse-next"},
	{.name = "reverse-finish",
	 .run = command_reverse_finish,
	 .usage = "reverse-finish",
	 .summary = "Go back to the statement that called the function of the innermost frame",
	 .example = "reverse-finish"},
	{.name = "reverse-continue",
	 .aliases = "rc",
	 .run = command_reverse_continue,
	 .repeats = true,
	 .usage = "reverse-continue [N]",
	 .summary = "Go back to the last breakpoint or watchpoint, through earlier launches, too",
	 .text = "Of all threads. A watchpoint stops before the line that changed its value. Without\n"
		 "one it goes to the first line that is recorded. With N: N times.",
	 .example = "reverse-continue"},
	{0},
};
