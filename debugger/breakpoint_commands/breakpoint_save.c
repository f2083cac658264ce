/* SPDX-License-Identifier: Apache-2.0 */
/* breakpoint_save.c - breakpoints as the commands that make them again: for `save
 * breakpoints`, and for the session that goes on in a new process after run and kill. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "breakpoint_commands.h"
#include "breakpoint_commands_state.h"
#include "console.h"
#include "error.h"
#include "setting.h"
#include "stops_state.h"

/* The command that makes b, or NULL where nothing can. */
static const char *command_of(const struct breakpoint *b, bool for_restart)
{
	switch (b->kind) {
	case KIND_WATCHPOINT:
		return watchpoint_command(b, for_restart && !*session_same_run());
	case KIND_CATCHPOINT:
		return b->disposition == DELETE ? "tcatch" : "catch";
	default:
		if (b->format)
			return "dprintf";
		return b->disposition == DELETE ? "tbreak" : "break";
	}
}

static void save(FILE *out, const struct breakpoint *b, const char *command, bool for_restart)
{
	if (for_restart)
		fprintf(out, "set breakpoint next-number %d\n", b->number);
	const struct cudasim_thread *thread = *session_same_run() ? watchpoint_thread(b) : NULL;
	if (thread)
		fprintf(out, "maintenance in-thread %" PRIu64 " %" PRIu64 " %" PRIu32 " ",
			thread->block->launch->id, cudasim_block_index(thread->block),
			thread->linear);
	fprintf(out, "%s %s", command, b->text);
	filter_print(out, &b->filter);
	if (b->condition && !b->format)
		fprintf(out, " if %s", b->condition);
	if (b->format)
		fprintf(out, ",%s", b->format);
	fputc('\n', out);
	if (b->condition && b->format)
		fprintf(out, "condition $bpnum %s\n", b->condition);
	if (b->ignore)
		fprintf(out, "ignore $bpnum %" PRIu64 "\n", b->ignore);
	if (b->disposition == DISABLE && b->enable_count)
		fprintf(out, "enable count %" PRIu64 " $bpnum\n", b->enable_count);
	else if (b->disposition == DISABLE)
		fprintf(out, "enable once $bpnum\n");
	if (!b->enabled)
		fprintf(out, "disable $bpnum\n");
	for (const struct breakpoint_location *l = b->locations; l; l = l->next)
		if (!l->enabled)
			fprintf(out, "disable $bpnum.%d\n", l->number);
	if (!b->n_commands)
		return;
	fprintf(out, "commands\n");
	for (size_t i = 0; i < b->n_commands; i++)
		fprintf(out, "  %s\n", b->commands[i]);
	fprintf(out, "end\n");
}

void breakpoints_save(FILE *out, bool for_restart)
{
	/* A new process may ask again what was answered before. */
	if (for_restart)
		fprintf(out, "set breakpoint pending on\n");
	for (const struct breakpoint *b = stops_state()->breakpoints; b; b = b->next) {
		const char *command = command_of(b, for_restart);
		if (command)
			save(out, b, command, for_restart);
	}
	if (for_restart)
		fprintf(out, "set breakpoint next-number %d\nset breakpoint pending %s\n",
			stops_state()->next_number,
			breakpoint_pending_choices[breakpoint_commands_state()->pending]);
}

struct cudasim_error *command_save_breakpoints(const char *argument)
{
	if (!*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Argument required (file name in "
							     "which to save)");
	if (!stops_state()->breakpoints) {
		fputs("Nothing to save.\n", console());
		return NULL;
	}
	FILE *out = fopen(argument, "w");
	if (!out)
		return cudasim_error_errno(errno, "Unable to open file '%s' for saving", argument);
	breakpoints_save(out, false);
	bool failed = ferror(out);
	if (fclose(out) || failed)
		return cudasim_error_errno(errno, "Unable to write file '%s'", argument);
	fprintf(console(), "Saved to file '%s'.\n", argument);
	return NULL;
}

void breakpoints_save_for_restart(FILE *out)
{
	breakpoints_save(out, true);
}
