/* SPDX-License-Identifier: Apache-2.0 */
/* command_record.c - record, who-wrote, when. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "command_table.h"
#include "console.h"
#include "error.h"
#include "expression.h"
#include "focus.h"
#include "history.h"
#include "setting.h"
#include "snapshot.h"
#include "stops_state.h"
#include "travel.h"

static const char *const directions[] = {"forward", "reverse", NULL};

bool record_is_backward(void)
{
	return record_state()->exec_direction == 1;
}

/* ---- record ------------------------------------------------------------------------------ */

static struct cudasim_error *command_record(const char *argument)
{
	struct record_state *own = record_state();
	if (*argument && strcmp(argument, "full") != 0)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Usage: record [full]; record stop, begin or end.");
	if (own->on || record_is_past())
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"The process is already being recorded.  Use \"record stop\" to "
			"stop recording first.");
	if (getenv("CUDASIM_CHECK"))
		return cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"A program under checkers cannot be recorded: a launch that is carried out "
			"again would be reported twice.");
	const char *engine = getenv("CUDASIM_ENGINE");
	if (engine && !strcmp(engine, "pthreads"))
		return cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"With CUDASIM_ENGINE=pthreads a program cannot be recorded: its "
			"threads do not come along into a copy of the process.");
	own->on = true;
	cudasim_clock_repeatable(true);
	return NULL;
}

static struct cudasim_error *command_record_stop(const char *argument)
{
	struct record_state *own = record_state();
	(void)argument;
	if (record_is_past())
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"This is the past: go back to the present first (record end).");
	if (!own->on && !own->n_snapshots)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "No recording is currently active.");
	own->on = false;
	cudasim_clock_repeatable(false);
	own->first_number += own->n_snapshots;
	uint32_t next = own->first_number;
	snapshots_forget();
	own->first_number = next;
	fputs("Process record is stopped and all execution logs are deleted.\n", console());
	return NULL;
}

static struct cudasim_error *command_record_begin(const char *argument)
{
	(void)argument;
	return travel_to_first();
}

static struct cudasim_error *command_record_end(const char *argument)
{
	(void)argument;
	if (!record_is_past())
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Already at the end of what is recorded.");
	return travel_to_present();
}

static struct cudasim_error *command_info_record(const char *argument)
{
	const struct record_state *own = record_state();
	(void)argument;
	if (record_is_past()) {
		fprintf(console(),
			"The past is shown: snapshot %u, line %" PRIu64 " of this thread since.\n",
			own->now.snapshot, own->now.lines);
		return NULL;
	}
	if (!own->on) {
		fputs("No record target is currently active.\n", console());
		return NULL;
	}
	fprintf(console(), "Active record target: record-full\nRecord mode:\n");
	if (!own->n_snapshots) {
		fputs("No launch has been recorded.\n", console());
		return NULL;
	}
	fprintf(console(),
		"%u snapshots, of launches %" PRIu64 " to %" PRIu64 "; at most %u are kept.\n",
		own->n_snapshots, own->snapshots[0].launch,
		own->snapshots[own->n_snapshots - 1].launch, own->most_snapshots);
	return NULL;
}

/* ---- who wrote this? ------------------------------------------------------------------------ */

/* The bytes of a value that lies in memory, and who may access them. */
struct cudasim_error *motion_place(const struct value *value, struct motion *motion)
{
	if (!value->is_lvalue || !value->n_bytes || value->bit_size)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Attempt to take address of value not located in memory.");
	motion->low = value->address;
	motion->high = value->address + value->n_bytes;
	motion->by_thread = value->storage == STORAGE_LOCAL || value->storage == STORAGE_PARAMETER;
	motion->by_block = value->storage == STORAGE_SHARED;
	return NULL;
}

static const struct member *member_at(const struct type *type, uint64_t offset)
{
	for (size_t i = 0; i < type->n_members; i++) {
		const struct member *member = &type->members[i];
		if (!member->is_static && !member->is_virtual_base && offset >= member->offset &&
		    offset < member->offset + type_strip(member->type)->size)
			return member;
	}
	return NULL;
}

/* The innermost object within one of type that has size bytes at offset; writes its name, a[3].x,
 * behind the outer one's. */
static const struct type *part_at(FILE *out, const struct type *type, uint64_t offset,
				  uint64_t size)
{
	for (type = type_strip(type); type->size > size; type = type_strip(type)) {
		const struct member *member;
		if (type->kind == TYPE_ARRAY && type->target && type_strip(type->target)->size) {
			uint64_t each = type_strip(type->target)->size;
			fprintf(out, "[%" PRIu64 "]", offset / each);
			offset %= each;
			type = type->target;
		} else if (type->kind == TYPE_STRUCT && (member = member_at(type, offset))) {
			if (!member->is_base && member->name && *member->name)
				fprintf(out, ".%s", member->name);
			offset -= member->offset;
			type = member->type;
		} else {
			return NULL;
		}
	}
	return !offset && type->size == size ? type : NULL;
}

static void print_bytes(const char *title, const struct type *type, const uint8_t *bytes,
			uint32_t n)
{
	struct value value;
	fputs(title, console());
	struct cudasim_error *error = type ? value_of_bytes(type, bytes, &value) : NULL;
	if (type && !error) {
		value_print(console(), &value, 0, 0, true);
		value_fini(&value);
	} else {
		for (uint32_t i = 0; i < n; i++)
			fprintf(console(), "%s0x%02x", i ? " " : "", bytes[i]);
	}
	cudasim_error_free(error);
	fputc('\n', console());
}

/* "stored by" and so on. */
static void tell_access(const char *text, const struct value *object, enum motion_kind kind,
			const struct motion_result *result)
{
	bool is_whole = result->size >= object->n_bytes;
	fprintf(console(), "%s", text);
	const struct type *type = is_whole ? object->type
					   : part_at(console(), object->type,
						     result->address - object->address,
						     result->size);
	if (!result->site) {
		fprintf(console(), " was written by the host: %s().\n", result->function);
		return;
	}
	fprintf(console(), " was %s at %s:%u, in %s.\n", kind == MOTION_WRITER ? "written" : "read",
		result->site->file, result->site->line, result->site->function);
	if (kind != MOTION_WRITER)
		return;
	if (type && type_strip(type)->size != result->n_bytes)
		type = NULL;
	print_bytes("Old value = ", type, result->before, result->n_bytes);
	print_bytes("New value = ", type, result->after, result->n_bytes);
}

/* Goes to the line of the access, so that the next one can be asked for what it used. */
static struct cudasim_error *who(const char *argument, enum motion_kind kind)
{
	struct motion motion;
	struct motion_result result;
	struct value object;
	if (!*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Argument required (expression).");
	if (!record_is_past() && !record_state()->n_snapshots)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Nothing is recorded: give `record' before the launch.");
	motion_make(kind, true, &motion);
	struct cudasim_error *error = evaluate_text(argument, &object);
	if (error)
		return error;
	error = motion_place(&object, &motion);
	if (!error)
		error = travel_search(&motion, &result);
	if (!error && !result.found)
		fprintf(console(), "No recorded kernel %s %s before this.\n",
			kind == MOTION_WRITER ? "wrote" : "read", argument);
	else if (!error)
		tell_access(argument, &object, kind, &result);
	value_fini(&object);
	if (error || !result.found || !result.site || record_holds())
		return error;
	return travel_to(result.at);
}

static struct cudasim_error *command_who_wrote(const char *argument)
{
	return who(argument, MOTION_WRITER);
}

static struct cudasim_error *command_who_read(const char *argument)
{
	return who(argument, MOTION_READER);
}

/* ---- a session in another copy ------------------------------------------------------------------ */

static struct cudasim_error *command_maintenance_history(const char *argument)
{
	struct value value = value_void();
	struct cudasim_error *error = *argument ? evaluate_text(argument, &value) : NULL;
	if (error)
		return error;
	history_add(&value);
	value_fini(&value);
	return NULL;
}

static void lose(const char *command, const char *why)
{
	struct record_state *own = record_state();
	char *text = NULL;
	if (asprintf(&text, "%s\nIt is not there at this moment, and deleted: %s\n%s\n",
		     own->lost ? own->lost : "", command, why) < 0)
		return;
	free(own->lost);
	own->lost = text;
}

void record_tell_lost(struct stop *stop)
{
	struct record_state *own = record_state();
	char *text = NULL;
	if (!own->lost)
		return;
	if (asprintf(&text, "%s%s", own->lost, stop->report ? stop->report : "") >= 0) {
		free(stop->report);
		stop->report = text;
	}
	free(own->lost);
	own->lost = NULL;
}

/* A command that means the same in the focus of one thread alone. */
static struct cudasim_error *command_maintenance_in_thread(const char *argument)
{
	const struct focus before = *focus_get();
	struct thread_id id;
	int at = 0;
	if (sscanf(argument, "%" SCNu64 " %" SCNu64 " %" SCNu32 " %n", &id.launch, &id.block,
		   &id.linear, &at) != 3)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Argument required (a thread).");
	struct cudasim_thread *thread = thread_in_flight(id);
	if (!thread) {
		lose(argument + at, "Its block is not in flight.");
		return NULL;
	}
	focus_set(thread->block->launch, thread);
	struct cudasim_error *error = command_execute(argument + at);
	if (error)
		lose(argument + at, error->message);
	cudasim_error_free(error);
	if (before.is_device && before.thread)
		focus_set(before.launch, before.thread);
	return NULL;
}

static struct cudasim_error *command_maintenance_hits(const char *argument)
{
	char *end;
	struct breakpoint *b = breakpoint_find((int)strtol(argument, &end, 10));
	if (b)
		b->hits = strtoull(end, NULL, 10);
	return NULL;
}

/* Hits count within a run; a new one is recorded as the one before. */
static void save(FILE *out)
{
	const struct record_state *own = record_state();
	for (const struct breakpoint *b = stops_state()->breakpoints; b; b = b->next)
		if (b->hits && *session_same_run())
			fprintf(out, "maintenance hits %d %" PRIu64 "\n", b->number, b->hits);
	if (own->on && !*session_same_run())
		fputs("record\n", out);
}

__attribute__((constructor)) static void start(void)
{
	const struct setting settings[] = {
		{.name = "record snapshots",
		 .kind = SETTING_NUMBER,
		 .value = &record_state()->most_snapshots,
		 .show = "At most %s snapshots of a recording are kept.",
		 .summary = "How many snapshots of a recording are kept: the oldest ones go."},
		{.name = "record memory",
		 .kind = SETTING_NUMBER,
		 .value = &record_state()->most_memory,
		 .show = "The snapshots of a recording take at most %s MiB.",
		 .summary =
			 "How many MiB the snapshots of a recording may take: the oldest ones go."},
		{.name = "exec-direction",
		 .kind = SETTING_CHOICE,
		 .value = &record_state()->exec_direction,
		 .choices = directions,
		 .show = "Forward execution is %s.",
		 .summary = "Whether step, next, finish and continue go forward or in reverse."},
	};
	/* Half of the machine's. */
	record_state()->most_memory = (uint32_t)((uint64_t)sysconf(_SC_PHYS_PAGES) *
							 (uint64_t)sysconf(_SC_PAGESIZE) / 2 >>
						 20);
	settings_add(settings, sizeof settings / sizeof *settings);
	restart_saves(save);
}

const struct command commands_record[] = {
	{.name = "record",
	 .aliases = "rec",
	 .run = command_record,
	 .usage = "record [full]",
	 .summary = "Record the launches from now on, to go back in them",
	 .text = "The process is copied where a launch begins and where you go on from a stop in one;\n"
		 "reverse-step, reverse-next, reverse-finish, reverse-continue and who-wrote go back.\n"
		 "Device, managed and pinned memory and the host's stack are as they were; the host's\n"
		 "own code is not run backward. In the past nothing can be changed.",
	 .example = "record"},
	{.name = "record stop",
	 .run = command_record_stop,
	 .usage = "record stop",
	 .summary = "Stop recording and forget what is recorded",
	 .example = "record stop"},
	{.name = "record begin",
	 .aliases = "record goto begin,record goto start",
	 .run = command_record_begin,
	 .usage = "record begin",
	 .summary = "Go to the first line that is recorded",
	 .example = "record begin"},
	{.name = "record end",
	 .aliases = "record goto end",
	 .run = command_record_end,
	 .usage = "record end",
	 .summary = "Go back to the present",
	 .example = "record end"},
	{.name = "info record",
	 .aliases = "info rec,when",
	 .run = command_info_record,
	 .usage = "info record",
	 .summary = "Show what is recorded, or which moment is shown",
	 .example = "info record"},
	{.name = "who-wrote",
	 .run = command_who_wrote,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "who-wrote EXPR",
	 .summary = "Go back to the line that wrote the memory of an expression last",
	 .text = "Says which thread of which launch wrote it, with the old and the new value, and goes to\n"
		 "the beginning of that line. Ask again there for what the line used: so a wrong value is\n"
		 "followed to its cause. Needs record.",
	 .example = "who-wrote sums[3]"},
	{.name = "who-read",
	 .run = command_who_read,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "who-read EXPR",
	 .summary = "Go back to the line that read the memory of an expression last",
	 .example = "who-read sums[3]"},
	{.name = "origin",
	 .run = command_origin,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "origin EXPR",
	 .summary = "Go back to the line that made the NaN or the infinity in an expression",
	 .text = "Follows a float or double through the lines that stored it, from load to store, and says\n"
		 "which line made it, of which numbers. Needs record.",
	 .example = "origin sum"},
	{.name = "maintenance history",
	 .run = command_maintenance_history,
	 .usage = "maintenance history [EXPR]",
	 .summary = "Append a value to the value history, for a session in another process",
	 .example = "maintenance history (int)3"},
	{.name = "maintenance in-thread",
	 .run = command_maintenance_in_thread,
	 .usage = "maintenance in-thread LAUNCH BLOCK THREAD COMMAND",
	 .summary = "Run a command in the focus of a thread, for a session in another process",
	 .example = "maintenance in-thread 1 0 5 watch s[5]"},
	{.name = "maintenance hits",
	 .run = command_maintenance_hits,
	 .usage = "maintenance hits NUMBER HITS",
	 .summary = "Set how often a breakpoint was hit, for a session in another process",
	 .example = "maintenance hits 1 4"},
	{0},
};
