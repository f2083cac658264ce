/* SPDX-License-Identifier: Apache-2.0 */
/* apicheck.c - calls of the CUDA API that fail, errors that nobody looked at (unchecked.c),
 * handles that were destroyed (handle.c), and asynchronous copies that are none.
 *
 * Each call that fails is reported as compute-sanitizer does, whether the program looks at
 * its result or not, but for answers that are no failures: cudaErrorNotReady, and what the
 * calls return that exist to hand on an earlier error. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "cudasim/inspect.h"

#include "finding.h"
#include "handle.h"
#include "unchecked.h"

enum { SUCCESS = 0, NOT_FOUND = 500, NOT_READY = 600, PEER_ENABLED = 704 };

/* Of the runtime itself, which is there wherever the checkers are. */
extern const char *cudaGetErrorName(int error);
extern const char *cudaGetErrorString(int error);

/* They say what another call has done, or ask a question that "no" answers. */
static const char *const quiet[] = {
	"cudaGetLastError", "cudaPeekAtLastError",      "cudaStreamQuery",
	"cudaEventQuery",   "cudaPointerGetAttributes",
};

static bool is_quiet(const char *name)
{
	for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
		if (!strcmp(quiet[i], name))
			return true;
	return false;
}

static void report_failure(const struct cudasim_api_call *call)
{
	struct finding f = {
		.tool = CHECKER_APICHECK,
		.severity = FINDING_ERROR,
		.kind = "api-error",
		.side = {.host = true, .function = call->name},
	};
	const char *reason = cudasim_api_reason();
	if (reason) /* the calls below would take its place */
		snprintf(f.detail, sizeof f.detail, "%s", reason);
	snprintf(f.title, sizeof f.title,
		 "Program hit %s (error %d) due to \"%s\" on CUDA API call to %s.",
		 cudaGetErrorName(call->result), call->result, cudaGetErrorString(call->result),
		 call->name);
	finding_report(&f);
}

/* Names of errors that we ask for are no calls of the program's. */
static _Thread_local bool within;

static void api_leave(void *tool, const struct cudasim_api_call *call)
{
	bool failed = call->result != SUCCESS && call->result != NOT_READY && !is_quiet(call->name);
	(void)tool;
	if (within || !checker_options.api_errors)
		return;
	if (checker_options.ignore_unknown_functions && call->result == NOT_FOUND &&
	    !strncmp(call->name, "cuGetProcAddress", 16))
		return;
	within = true;
	if (failed)
		report_failure(call);
	if (checker_options.api_all) {
		handle_report(call);
		unchecked_call(call, failed);
	}
	within = false;
}

/* What a copy from pageable memory stages, so that the call need not wait. */
enum { STAGED_BYTES = 64 << 10, TO_DEVICE = 1, TO_HOST = 2 /* cudaMemcpyKind */ };

/* An asynchronous copy in a stream of the program's own, which means it to run beside the
 * host: with pageable memory the call returns when it has been made, as on a GPU. */
static void copied(void *tool, const struct cudasim_copy *copy)
{
	const char *end = strstr(copy->function ? copy->function : "", "Async");
	const void *host = copy->direction == TO_HOST     ? copy->to
			   : copy->direction == TO_DEVICE ? copy->from
							  : NULL;
	struct cudasim_memory memory;
	bool inside, freed;
	(void)tool;
	if (within || !checker_options.api_all || !copy->async || !copy->stream || !end || !host ||
	    (copy->direction == TO_DEVICE &&
	     copy->width * copy->height * copy->depth <= STAGED_BYTES) ||
	    (cudasim_memory_find(host, &memory, &inside, &freed) && inside))
		return;
	struct finding f = {
		.tool = CHECKER_APICHECK,
		.severity = FINDING_INFO,
		.kind = "pageable-copy",
		.address = host,
		.side = {.host = true, .function = copy->function},
	};
	snprintf(f.title, sizeof f.title, "%s %s pageable host memory waits for the copy",
		 copy->function, copy->direction == TO_HOST ? "to" : "from");
	snprintf(f.detail, sizeof f.detail,
		 "With memory of cudaMallocHost() or cudaHostRegister() the copy runs "
		 "concurrently with the host");
	finding_report(&f);
}

static void launch_end(void *tool, struct cudasim_launch *launch)
{
	(void)tool;
	if (checker_options.api_all && checker_options.api_errors)
		unchecked_launch(launch);
}

static void finish(void *tool)
{
	(void)tool;
	within = true;
	if (checker_own_process())
		unchecked_finish();
	within = false;
}

static const struct cudasim_observer observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "apicheck",
	.finish = finish,
	.launch_end = launch_end,
	.api_leave = api_leave,
	.handle = handle_seen,
	.copy = copied,
};

const struct checker apicheck = {
	.tool = CHECKER_APICHECK,
	.name = "apicheck",
	.observer = &observer,
};
