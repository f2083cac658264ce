/* SPDX-License-Identifier: Apache-2.0 */
/* unchecked.c - errors that nobody looked at.
 *
 * What a program does with a status that a call returns cannot be seen from here: it may
 * compare it and go another way. What can be seen is whether an error reached it at all:
 *
 * - The result of a launch by <<<>>> is dropped by the compiler's code. Who looks at it
 *   calls cudaGetLastError() or cudaPeekAtLastError() on that thread, later.
 * - The error that a kernel ends with reaches the program as a later call's result.
 *
 * Where neither came before the process ended, the program cannot know: a warning. For a
 * status that was returned it is only a note, and none where the thread asked for an error
 * or an error's name afterwards. */
#include "unchecked.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backtrace.h"
#include "finding.h"

/* Of the runtime itself, which is there wherever the checkers are. */
extern const char *cudaGetErrorName(int error);

enum { MAX_OPEN = 256 };

/* An error that nobody has looked at yet. */
struct open {
	struct open *next;
	pthread_t thread; /* that has to ask */
	bool unseen;      /* a launch's */
	int error;
	const char *function;
	uint64_t frames[BACKTRACE_MAX];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct open *all;
static _Atomic uint32_t n_open;

/* Kernels that died, and whose error no call has returned yet. */
static struct {
	uint64_t id;
	const struct cudasim_kernel *kernel;
	int error;
} died;
static atomic_bool any_died;

static void looked(void)
{
	pthread_t self = pthread_self();
	if (!atomic_load(&n_open))
		return;
	pthread_mutex_lock(&lock);
	for (struct open **at = &all; *at;) {
		struct open *o = *at;
		if (!pthread_equal(o->thread, self)) {
			at = &o->next;
			continue;
		}
		*at = o->next;
		free(o);
		atomic_fetch_sub(&n_open, 1);
	}
	pthread_mutex_unlock(&lock);
}

static bool asks(const char *name)
{
	return !strcmp(name, "cudaGetLastError") || !strcmp(name, "cudaPeekAtLastError") ||
	       !strcmp(name, "cudaGetErrorString") || !strcmp(name, "cudaGetErrorName");
}

static void add(const struct cudasim_api_call *call)
{
	struct open *o = atomic_load(&n_open) < MAX_OPEN ? calloc(1, sizeof *o) : NULL;
	if (!o)
		return;
	*o = (struct open){
		.thread = pthread_self(),
		.unseen = call->unseen,
		.error = call->result,
		.function = call->name,
	};
	backtrace_take(o->frames);
	pthread_mutex_lock(&lock);
	struct open **end = &all;
	while (*end)
		end = &(*end)->next;
	*end = o;
	pthread_mutex_unlock(&lock);
	atomic_fetch_add(&n_open, 1);
}

void unchecked_call(const struct cudasim_api_call *call, bool is_failure)
{
	if (call->result && atomic_load(&any_died)) {
		pthread_mutex_lock(&lock);
		if (died.error == call->result)
			atomic_store(&any_died, false);
		pthread_mutex_unlock(&lock);
	}
	if (asks(call->name))
		looked();
	else if (is_failure)
		add(call);
}

void unchecked_launch(const struct cudasim_launch *launch)
{
	/* One that we have ended ourselves has an error that no call is to tell. */
	if (!launch->error || atomic_load(&any_died) ||
	    checker_options.destroy_on_device_error == DESTROY_KERNEL)
		return;
	pthread_mutex_lock(&lock);
	died.id = launch->id;
	died.kernel = launch->kernel;
	died.error = launch->error;
	pthread_mutex_unlock(&lock);
	atomic_store(&any_died, true);
}

static void report_died(void)
{
	static const uint64_t none[BACKTRACE_MAX];
	struct finding f = {
		.tool = CHECKER_APICHECK,
		.severity = FINDING_WARNING,
		.kind = "unchecked-error",
		.side = {.launch_id = died.id, .kernel = died.kernel},
		.host_frames = none,
	};
	snprintf(f.title, sizeof f.title,
		 "Kernel %s ended with %s (error %d), which no call returned to the program",
		 died.kernel ? died.kernel->display : "?", cudaGetErrorName(died.error),
		 died.error);
	finding_report(&f);
}

void unchecked_finish(void)
{
	if (atomic_load(&any_died))
		report_died();
	for (struct open *o = all, *next; o; o = next) {
		next = o->next;
		struct finding f = {
			.tool = CHECKER_APICHECK,
			.kind = "unchecked-error",
			.severity = o->unseen ? FINDING_WARNING : FINDING_INFO,
			.side = {.host = true, .function = o->function},
			.host_frames = o->frames,
		};
		snprintf(f.title, sizeof f.title, "Unchecked error: %s (error %d) of %s",
			 cudaGetErrorName(o->error), o->error,
			 o->unseen ? "a kernel launch" : o->function);
		if (o->unseen)
			snprintf(f.detail, sizeof f.detail,
				 "The kernel did not run; cudaGetLastError() returns the reason");
		finding_report(&f);
		free(o);
	}
	all = NULL;
	atomic_store(&n_open, 0);
}
