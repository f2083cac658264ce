/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler_config.c - what the environment and this CPU ask of the scheduler. */
#define _GNU_SOURCE
#include "scheduler_config.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "env.h"
#include "error.h"
#include "fiber.h"

uint32_t scheduler_config_cpus(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof set, &set))
		return 1;
	uint32_t n = (uint32_t)CPU_COUNT(&set);
	return n < MAX_WORKERS ? n : MAX_WORKERS;
}

static bool has_avx512(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512cd");
#else
	return false;
#endif
}

static bool has_v3(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	       __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#else
	return true;
#endif
}

struct cudasim_error *scheduler_config_body(enum cudasim_body *ret)
{
	const char *text = env_get("CUDASIM_BODY");
	bool v4 = has_avx512();
	if (!has_v3())
		return cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"kernels are compiled for "
			"x86-64-v3 (AVX2, FMA, BMI), which this CPU does not have");
	if (text && !strcmp(text, "v3"))
		v4 = false;
	else if (text && !strcmp(text, "v4") && !v4)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "CUDASIM_BODY=v4: this CPU has no AVX-512");
	else if (text && strcmp(text, "v4") && strcmp(text, "auto") && strcmp(text, "watched"))
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "CUDASIM_BODY=%s: must be auto, v3, v4 or watched", text);
	*ret = text && !strcmp(text, "watched") ? CUDASIM_BODY_WATCHED
	       : v4                             ? CUDASIM_BODY_V4
						: CUDASIM_BODY_V3;
	return NULL;
}

struct cudasim_error *scheduler_config_read(struct scheduler_config *ret)
{
	const char *engine = env_get("CUDASIM_ENGINE");
	uint64_t n, seconds, hang;
	struct cudasim_error *error = env_number("CUDASIM_WORKERS", 1, MAX_WORKERS, 0, &n);
	if (!error)
		error = env_number("CUDASIM_TIMEOUT", 1, UINT32_MAX, 0, &seconds);
	if (!error)
		error = env_number("CUDASIM_HANG", 0, UINT32_MAX, 3, &hang);
	if (!error)
		error = schedule_parse(env_get("CUDASIM_SCHEDULE"), &ret->schedule);
	if (!error && engine && strcmp(engine, "loops") && strcmp(engine, "fibers") &&
	    strcmp(engine, "pthreads"))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "CUDASIM_ENGINE=%s: must be loops, fibers or pthreads",
					  engine);
	if (error)
		return error;
	ret->n_workers = (uint32_t)n;
	ret->timeout_ns = seconds * 1000000000u;
	ret->hang_ns = hang * 1000000000u;
	ret->checked = env_get("CUDASIM_CHECK") != NULL;
	ret->loops = !engine || !strcmp(engine, "loops");
	ret->engine = engine && !strcmp(engine, "pthreads") ? FIBER_PTHREAD : FIBER_STACK;
	if (ret->schedule.order == SCHEDULE_RANDOM)
		fprintf(stderr, "cudasim: CUDASIM_SCHEDULE=random:%llu\n",
			(unsigned long long)ret->schedule.seed);
	return NULL;
}
