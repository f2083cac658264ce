/* SPDX-License-Identifier: Apache-2.0 */
/* command_checkpoint.c - checkpoint, restart: moments of a recording by number. */
#include <inttypes.h>
#include <stdlib.h>

#include "command.h"
#include "console.h"
#include "error.h"
#include "focus.h"
#include "frame.h"
#include "setting.h"
#include "stack.h"
#include "travel.h"

static struct checkpoint *find(int number)
{
	struct record_state *own = record_state();
	for (size_t i = 0; i < own->n_checkpoints; i++)
		if (own->checkpoints[i].number == number)
			return &own->checkpoints[i];
	return NULL;
}

static struct cudasim_error *add(int number, struct moment at, const char *place)
{
	struct record_state *own = record_state();
	struct checkpoint *grown = realloc(own->checkpoints,
					   (own->n_checkpoints + 1) * sizeof *grown);
	if (!grown)
		return &cudasim_error_nomem;
	own->checkpoints = grown;
	struct checkpoint *c = &grown[own->n_checkpoints++];
	*c = (struct checkpoint){.number = number, .at = at};
	snprintf(c->place, sizeof c->place, "%s", place);
	return NULL;
}

static struct cudasim_error *command_checkpoint(const char *argument)
{
	struct record_state *own = record_state();
	const struct focus *focus = focus_get();
	const struct frame *frame = frame_selected();
	char place[sizeof own->checkpoints->place] = "";
	struct motion here;
	(void)argument;
	if (!record_is_past() && !own->on)
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"Checkpoints are moments of a recording: give `record' first.");
	if (!focus->is_device || !focus->thread)
		return cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"Only a stop in a kernel can be a checkpoint: the host's code does not go back.");
	motion_make(MOTION_MOMENT, true, &here);
	/* In the present: where the next snapshot is made. */
	if (!record_is_past())
		here.from = (struct moment){.snapshot = own->first_number + own->n_snapshots,
					    .thread = here.thread};
	if (frame)
		snprintf(place, sizeof place, "kernel %" PRIu64 ", %s at %s:%u", focus->kernel,
			 frame->name ? frame->name : "?", frame->file ? frame->file : "?",
			 frame->line);
	int number = (int)++own->last_checkpoint;
	struct cudasim_error *error = add(number, here.from, place);
	if (!error)
		fprintf(console(), "Checkpoint %d: %s.\n", number, place);
	return error;
}

static struct cudasim_error *command_info_checkpoints(const char *argument)
{
	const struct record_state *own = record_state();
	(void)argument;
	if (!own->n_checkpoints)
		fputs("No checkpoints.\n", console());
	for (size_t i = 0; i < own->n_checkpoints; i++)
		fprintf(console(), "%3d %s\n", own->checkpoints[i].number,
			own->checkpoints[i].place);
	return NULL;
}

static struct cudasim_error *named(const char *argument, struct checkpoint **ret)
{
	char *end;
	long number = strtol(argument, &end, 10);
	if (!*argument || *end)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Argument required (checkpoint number).");
	*ret = find((int)number);
	return *ret ? NULL
		    : cudasim_error_new(CUDASIM_E_NOTFOUND, "Not found: checkpoint id %ld", number);
}

static struct cudasim_error *command_restart(const char *argument)
{
	struct checkpoint *c;
	struct cudasim_error *error = named(argument, &c);
	return error ? error : travel_to(c->at);
}

static struct cudasim_error *command_delete_checkpoint(const char *argument)
{
	struct record_state *own = record_state();
	struct checkpoint *c;
	struct cudasim_error *error = named(argument, &c);
	if (error)
		return error;
	*c = own->checkpoints[--own->n_checkpoints];
	return NULL;
}

/* Between copies of the process. */
static struct cudasim_error *command_maintenance_checkpoint(const char *argument)
{
	struct moment at = {0};
	int number, n = 0;
	if (sscanf(argument, "%d %" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNu32 " %" SCNu64 " %n",
		   &number, &at.snapshot, &at.thread.launch, &at.thread.block, &at.thread.linear,
		   &at.lines, &n) != 6)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Argument required (a checkpoint).");
	if (!find(number))
		return add(number, at, argument + n);
	return NULL;
}

static void save(FILE *out)
{
	const struct record_state *own = record_state();
	if (!*session_same_run())
		return;
	for (size_t i = 0; i < own->n_checkpoints; i++) {
		const struct checkpoint *c = &own->checkpoints[i];
		fprintf(out,
			"maintenance checkpoint %d %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu32
			" %" PRIu64 " %s\n",
			c->number, c->at.snapshot, c->at.thread.launch, c->at.thread.block,
			c->at.thread.linear, c->at.lines, c->place);
	}
	fprintf(out, "set record last-checkpoint %" PRIu32 "\n", own->last_checkpoint);
}

void checkpoints_forget(void)
{
	record_state()->n_checkpoints = 0;
}

__attribute__((constructor)) static void start(void)
{
	const struct setting settings[] = {
		{.name = "record last-checkpoint",
		 .kind = SETTING_NUMBER,
		 .value = &record_state()->last_checkpoint,
		 .show = "The last checkpoint got the number %s.",
		 .summary = "Number of the last checkpoint"},
	};
	settings_add(settings, sizeof settings / sizeof *settings);
	restart_saves(save);
}

const struct command commands_checkpoint[] = {
	{.name = "checkpoint",
	 .run = command_checkpoint,
	 .usage = "checkpoint",
	 .summary = "Remember this moment of a recording, to come back to it",
	 .text = "At a stop in a kernel, while the program is recorded (see record).",
	 .example = "checkpoint"},
	{.name = "info checkpoints",
	 .run = command_info_checkpoints,
	 .usage = "info checkpoints",
	 .summary = "List the checkpoints",
	 .example = "info checkpoints"},
	{.name = "restart",
	 .run = command_restart,
	 .usage = "restart N",
	 .summary = "Go to checkpoint N",
	 .example = "restart 1"},
	{.name = "delete checkpoint",
	 .run = command_delete_checkpoint,
	 .usage = "delete checkpoint N",
	 .summary = "Forget checkpoint N",
	 .example = "delete checkpoint 1"},
	{.name = "maintenance checkpoint",
	 .run = command_maintenance_checkpoint,
	 .usage = "maintenance checkpoint N SNAPSHOT LAUNCH BLOCK THREAD LINES PLACE",
	 .summary = "Make a checkpoint, for a session in another process",
	 .example = "maintenance checkpoint 1 0 1 0 5 12 kernel 0"},
	{0},
};
