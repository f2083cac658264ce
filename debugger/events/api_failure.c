/* SPDX-License-Identifier: Apache-2.0 */
/* api_failure.c - calls of the CUDA API that fail: `set cuda api_failures`, with cuda-gdb's
 * values and form. A stop is where the call has returned to, in the program's own frame. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api_failure.h"
#include "error.h"
#include "events_state.h"
#include "front.h"
#include "host.h"
#include "setting.h"

enum { HIDE, IGNORE, STOP, IGNORE_ALL, STOP_ALL };
static const char *const choices[] = {
	[HIDE] = "hide",         [IGNORE] = "ignore",
	[STOP] = "stop",         [IGNORE_ALL] = "ignore_all",
	[STOP_ALL] = "stop_all", NULL,
};

/* Answers that programs ask for: the work is not done yet, a peer is there already. */
static bool is_answer(int result)
{
	enum { NOT_READY = 600, PEER_ENABLED = 704, PEER_NOT_ENABLED = 705 };
	return result == NOT_READY || result == PEER_ENABLED || result == PEER_NOT_ENABLED;
}

/* They hand on what another call has done. */
static bool hands_on(const char *name)
{
	return !strcmp(name, "cudaGetLastError") || !strcmp(name, "cudaPeekAtLastError");
}

void api_failure_leave(void *tool, const struct cudasim_api_call *call)
{
	struct event_failures *own = &events_state()->failures;
	bool all = own->api_failures == IGNORE_ALL || own->api_failures == STOP_ALL;
	bool stops = own->api_failures == STOP || own->api_failures == STOP_ALL;
	char *text;
	(void)tool;
	if (!call->result || own->api_failures == HIDE || program_is_detached() ||
	    program_is_repl() || (!all && (is_answer(call->result) || hands_on(call->name))))
		return;
	if (asprintf(&text, "Cuda API error detected: %s returned (0x%x)\n", call->name,
		     (unsigned)call->result) < 0)
		return;
	if (stops && call->host_pc && host_stop_after_call(call->host_pc, text))
		return; /* the stop has the text */
	front_say("%s", text);
	free(text);
}

__attribute__((constructor)) static void start(void)
{
	const struct setting settings[] = {
		{.name = "cuda api_failures",
		 .kind = SETTING_CHOICE,
		 .value = &events_state()->failures.api_failures,
		 .choices = choices,
		 .show = "api_failures is set to '%s'.",
		 .summary =
			 "What happens when a CUDA API call fails: hide does nothing, ignore prints a "
			 "line, stop prints and stops; stop_all and ignore_all include cudaErrorNotReady "
			 "and similar results"},
	};
	settings_add(settings, sizeof settings / sizeof *settings);
}
