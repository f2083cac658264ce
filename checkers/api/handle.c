/* SPDX-License-Identifier: Apache-2.0 */
/* handle.c - a ring of the last destroyed handles. A handle that has become another
 * object's is that object's: such a use cannot be told from a right one. */
#include "handle.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "backtrace.h"
#include "finding.h"

enum { KEPT = 4096 };

static const char *const things[CUDASIM_N_HANDLES] = {
	[CUDASIM_HANDLE_STREAM] = "stream",
	[CUDASIM_HANDLE_EVENT] = "event",
	[CUDASIM_HANDLE_GRAPH] = "graph",
	[CUDASIM_HANDLE_GRAPH_EXEC] = "executable graph",
	[CUDASIM_HANDLE_ARRAY] = "array",
	[CUDASIM_HANDLE_MIPMAPPED_ARRAY] = "mipmapped array",
	[CUDASIM_HANDLE_TEXTURE] = "texture object",
	[CUDASIM_HANDLE_SURFACE] = "surface object",
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct destroyed {
	struct cudasim_handle handle;
	uint64_t frames[BACKTRACE_MAX];
} ring[KEPT];
static uint64_t n_destroyed;

/* The destroyed handle that the call in progress has been given. */
static _Thread_local struct {
	bool any;
	struct destroyed what;
} given;

static bool same(const struct cudasim_handle *a, const struct cudasim_handle *b)
{
	return a->kind == b->kind && a->value == b->value;
}

void handle_seen(void *tool, const struct cudasim_handle *handle)
{
	struct destroyed new = {.handle = *handle};
	(void)tool;
	if (handle->destroyed)
		backtrace_take(new.frames);
	pthread_mutex_lock(&lock);
	if (handle->destroyed) {
		ring[n_destroyed++ % KEPT] = new;
	} else {
		uint64_t oldest = n_destroyed > KEPT ? n_destroyed - KEPT : 0;
		for (uint64_t i = n_destroyed; i-- > oldest && !given.any;)
			if (same(&ring[i % KEPT].handle, handle)) {
				given.any = true;
				given.what = ring[i % KEPT];
			}
	}
	pthread_mutex_unlock(&lock);
}

/* The program's own frames of where it was destroyed. */
static void tell_where(struct finding *f, const uint64_t frames[BACKTRACE_MAX])
{
	size_t n = (size_t)snprintf(f->detail, sizeof f->detail, "It was destroyed by");
	bool is_main = false;
	for (int i = 0; i < BACKTRACE_MAX && frames[i] && !is_main; i++) {
		char line[256];
		for (size_t k = 0;
		     !is_main && n < sizeof f->detail &&
		     backtrace_host_line(frames[i], k, true, line, sizeof line, &is_main);
		     k++)
			n += (size_t)snprintf(f->detail + n, sizeof f->detail - n, "\n    %s",
					      line);
	}
}

void handle_report(const struct cudasim_api_call *call)
{
	if (!given.any)
		return;
	given.any = false;
	const char *thing = things[given.what.handle.kind];
	struct finding f = {
		.tool = CHECKER_APICHECK,
		.kind = "destroyed-handle",
		/* A GPU lets some of them pass (a texture object that is destroyed twice). */
		.severity = call->result ? FINDING_ERROR : FINDING_WARNING,
		.side = {.host = true, .function = call->name},
	};
	snprintf(f.title, sizeof f.title, "%s of a%s %s that has been destroyed", call->name,
		 strchr("aeiou", *thing) ? "n" : "", thing);
	tell_where(&f, given.what.frames);
	finding_report(&f);
}
