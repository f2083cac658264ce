/* SPDX-License-Identifier: Apache-2.0 */
/* command_watch.c - watch, rwatch, awatch, catch, tcatch. */
#include "breakpoint_commands.h"
#include "console.h"

static struct cudasim_error *watch(const char *argument, enum watch_mode mode)
{
	struct breakpoint *b;
	struct cudasim_error *error = watchpoint_set(argument, mode, &b);
	if (!error)
		fprintf(console(), "%s %d: %s\n", watch_title(b->watch), b->number, b->text);
	return error;
}

struct cudasim_error *command_watch(const char *argument)
{
	return watch(argument, WATCH_WRITE);
}

struct cudasim_error *command_rwatch(const char *argument)
{
	return watch(argument, WATCH_READ);
}

struct cudasim_error *command_awatch(const char *argument)
{
	return watch(argument, WATCH_ACCESS);
}

static struct cudasim_error *catch_event(const char *argument, bool temporary)
{
	struct breakpoint *b;
	struct cudasim_error *error = catchpoint_set(argument, temporary, &b);
	if (!error)
		fprintf(console(), "%satchpoint %d (%s)\n", temporary ? "Temporary c" : "C",
			b->number, b->text);
	return error;
}

struct cudasim_error *command_catch(const char *argument)
{
	return catch_event(argument, false);
}

struct cudasim_error *command_tcatch(const char *argument)
{
	return catch_event(argument, true);
}
