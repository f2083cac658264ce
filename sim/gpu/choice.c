/* SPDX-License-Identifier: Apache-2.0 */
#include "choice.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "env.h"
#include "error.h"
#include "library.h"
#include "registration.h"
#include "log.h"

/* Tools watch simulated launches only: who asks for one wants the simulator. */
static bool tool_asked_for(void)
{
	static const char *const variables[] = {
		"CUDASIM_OBSERVER",
		"CUDASIM_DEBUG",
		"CUDASIM_SCHEDULE",
		"CUDASIM_SUMMARY",
	};
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *value = env_get(variables[i]);
		if (value && strcmp(value, "0"))
			return true;
	}
	return false;
}

enum gpu_mode gpu_mode(void)
{
	const char *value = env_get("CUDASIM");
	if (value && !strcmp(value, "0"))
		return GPU_MODE_GPU;
	if (value && strcmp(value, "1")) {
		log_line("CUDASIM=%s: must be 1 (simulate) or 0 (use a GPU)", value);
		exit(1);
	}
	return value || tool_asked_for() ? GPU_MODE_SIMULATE : GPU_MODE_AUTO;
}

/* Can the GPU be used? The real library is open and has a device that runs the program. */
static struct cudasim_error *try_gpu(void)
{
	struct cudasim_error *error = registration_has_gpu_code();
	int major = 0, minor = 0;
	if (!error)
		error = library_open();
	if (!error)
		error = library_device(&major, &minor);
	return error ? error : registration_runs_on(major, minor);
}

static bool chosen;
static _Thread_local bool choosing;

static void choose(void)
{
	enum gpu_mode mode = gpu_mode();
	if (mode == GPU_MODE_SIMULATE || (mode == GPU_MODE_AUTO && !registration_any_gpu_code())) {
		registration_settle(false);
		return;
	}
	choosing = true;
	struct cudasim_error *error = try_gpu();
	choosing = false;
	if (error && mode == GPU_MODE_GPU) {
		log_line("CUDASIM=0: %s", error->message);
		exit(1);
	}
	/* nvcc's code cannot be simulated, as registration_settle() will say. */
	if (error && registration_can_be_simulated())
		log_line("simulating: %s", error->message);
	else if (error)
		log_line("%s", error->message);
	cudasim_error_free(error);
	chosen = !error;
	registration_settle(chosen);
}

bool gpu_in_use(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	if (choosing)
		return false;
	pthread_once(&once, choose);
	return chosen;
}

bool gpu_being_chosen(void)
{
	return choosing;
}

bool __cudasim_gpu_in_use(void)
{
	return gpu_in_use();
}
