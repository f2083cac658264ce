/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cudasim/inspect.h"
#include "device.h"
#include "check_options.h"
#include "env.h"
#include "error.h"
#include "gate.h"
#include "hang_writers.h"
#include "choice.h"
#include "log.h"
#include "observer.h"
#include "process.h"
#include "nvtx.h"
#include "summary.h"

bool runtime_launch_blocking;

static void misspelt(const char *name, const char *nearest)
{
	if (nearest)
		log_line("%s is not a variable of cudasim: did you mean %s?", name, nearest);
	else
		log_line("%s is not a variable of cudasim: see cudasim help env", name);
}

static bool any_active(void)
{
	for (int i = 0; i < device_count(); i++)
		if (atomic_load(&device_get(i)->active))
			return true;
	return false;
}

/* The workers and engines did not come along into the child. */
static void forked(void)
{
	if (any_active() && !process_is_copying)
		process_state = PROCESS_FORKED;
}

void cudasim_launch_blocking(bool on)
{
	runtime_launch_blocking = on;
}

static void finish(void)
{
	process_quiesce();
	if (process_state == PROCESS_READY) {
		process_state = PROCESS_EXITING;
		summary_print();
	}
}

static struct cudasim_error *configure(void)
{
	const char *blocking = getenv("CUDA_LAUNCH_BLOCKING");

	env_misspelt(misspelt);
	runtime_launch_blocking = blocking && atoi(blocking);
	struct cudasim_error *error = env_check(ENV_PROGRAM);
	if (!error)
		error = check_options_env();
	if (!error)
		error = summary_start();
	nvtx_offer();
	if (!error)
		error = gate_start();
	return error ? error : device_start();
}

static void start(void)
{
	struct cudasim_error *error = configure();
	if (error) {
		log_error(error);
		exit(1);
	}
	pthread_atfork(NULL, NULL, forked);
	/* In this order, because exit() runs handlers backwards: what has not ended
	 * ends first, then observers get their last event. */
	observe_start();
	hang_writers_start();
	atexit(finish);
}

void runtime_start(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, start);
}

/* Early among this library's constructors, and libraries' come before the
 * executable's. */
__attribute__((constructor)) static void at_load(void)
{
	struct cudasim_error *error = env_check(ENV_MODE);
	if (error) {
		log_error(error);
		exit(1);
	}
	if (gpu_mode() != GPU_MODE_GPU)
		runtime_start();
}
