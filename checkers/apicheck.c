/* SPDX-License-Identifier: Apache-2.0 */
/* apicheck.c - calls of the CUDA API that fail.
 *
 * Each call that fails is reported as compute-sanitizer does, whether the program looks at
 * its result or not, but for answers that are no failures: cudaErrorNotReady, and what the
 * calls return that exist to hand on an earlier error. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "checkers/finding.h"

enum { SUCCESS = 0, NOT_READY = 600, PEER_ENABLED = 704 };

/* Of the runtime itself, which is there wherever the checkers are. */
extern const char *cudaGetErrorName(int error);
extern const char *cudaGetErrorString(int error);

/* They say what another call has done, or ask a question that "no" answers. */
static const char *const quiet[] = {
	"cudaGetLastError", "cudaPeekAtLastError", "cudaStreamQuery", "cudaEventQuery",
	"cudaPointerGetAttributes",
};

static bool is_quiet(const char *name)
{
	for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
		if (!strcmp(quiet[i], name))
			return true;
	return false;
}

static void api_leave(void *tool, const struct cudasim_api_call *call)
{
	(void)tool;
	if (call->result == SUCCESS || call->result == NOT_READY || !checker_options.api_errors ||
	    is_quiet(call->name))
		return;
	struct finding f = {
		.tool = CHECKER_APICHECK, .severity = FINDING_ERROR, .kind = "api-error",
		.side = {.host = true, .function = call->name},
	};
	snprintf(f.title, sizeof f.title,
		 "Program hit %s (error %d) due to \"%s\" on CUDA API call to %s.",
		 cudaGetErrorName(call->result), call->result, cudaGetErrorString(call->result),
		 call->name);
	finding_report(&f);
}

static const struct cudasim_observer observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "apicheck",
	.api_leave = api_leave,
};

const struct checker apicheck = {
	.tool = CHECKER_APICHECK, .name = "apicheck", .observer = &observer,
};
