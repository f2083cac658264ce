/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "gate.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "env.h"
#include "error.h"
#include "now.h"
#include "schedule.h"

static const uint64_t patience_ns = 1000000000u;
enum { LOOK_US = 100000, PATIENCE_LOOKS = 10 };

bool gate_closed;

static struct schedule schedule;
static uint64_t random_state;

/* Under operation_lock(): operations that could start, by ascending id. */
static struct operation **held;
static size_t n_held, capacity;
static unsigned n_looks;      /* of the watch thread since a host thread was here last */
static bool watched;          /* the watch thread runs */

static pthread_mutex_t stepping = PTHREAD_MUTEX_INITIALIZER;

struct cudasim_error *gate_start(void)
{
	const char *text = env_get("CUDASIM_SCHEDULE");
	struct cudasim_error *error = schedule_parse(text, &schedule);
	if (error || !schedule.fixed)
		return error;
	if (schedule.order == SCHEDULE_RANDOM && !strchr(text, ':')) {
		char with_seed[64];
		snprintf(with_seed, sizeof with_seed, "random:%llu",
			 (unsigned long long)schedule.seed);
		setenv("CUDASIM_SCHEDULE", with_seed, 1);
	}
	random_state = schedule.seed;
	gate_closed = true;
	return NULL;
}

/* Starts what is held when no host thread has come for a while. Looks are counted, not
 * time: on a machine that stands still for a second it is no host thread's fault. */
static void *watch(void *arg)
{
	(void)arg;
	for (;;) {
		usleep(LOOK_US);
		operation_lock();
		bool late = n_held && ++n_looks > PATIENCE_LOOKS;
		operation_unlock();
		while (late && gate_step())
			;
	}
	return NULL;
}

void gate_hold(struct operation *operation)
{
	if (n_held == capacity) {
		size_t bigger = capacity ? 2 * capacity : 64;
		struct operation **list = realloc(held, bigger * sizeof *list);
		assert(list); /* an operation that is lost would never end */
		held = list;
		capacity = bigger;
	}
	size_t at = n_held++;
	for (; at && held[at - 1]->id > operation->id; at--)
		held[at] = held[at - 1];
	held[at] = operation;
	n_looks = 0;
	if (!watched) {
		pthread_t thread;
		watched = true;
		if (!pthread_create(&thread, NULL, watch, NULL)) {
			pthread_setname_np(thread, "cudasim-gate");
			pthread_detach(thread);
		}
	}
}

static size_t choose(void)
{
	switch (schedule.order) {
	case SCHEDULE_REVERSE:
		return n_held - 1;
	case SCHEDULE_RANDOM:
		return schedule_below(&random_state, (uint32_t)n_held);
	default:
		return 0;
	}
}

/* A reference to the chosen operation, or NULL. */
static struct operation *take(void)
{
	operation_lock();
	n_looks = 0;
	struct operation *operation = NULL;
	if (n_held) {
		size_t at = choose();
		operation = operation_ref(held[at]);
		memmove(&held[at], &held[at + 1], (--n_held - at) * sizeof *held);
	}
	operation_unlock();
	return operation;
}

bool gate_step(void)
{
	pthread_mutex_lock(&stepping);
	struct operation *operation = take();
	if (operation) {
		bool own = operation->work.kind == WORK_CALLER;
		work_start(operation);
		/* A caller's turn: its own thread goes on with it, perhaps this one. */
		if (!own)
			operation_wait_running(operation, now_ns() + patience_ns);
		operation_unref(operation);
	}
	pthread_mutex_unlock(&stepping);
	return operation;
}

bool gate_rests(uint32_t *ret)
{
	operation_lock();
	bool rests = !n_held;
	*ret = watched;
	operation_unlock();
	return rests;
}
