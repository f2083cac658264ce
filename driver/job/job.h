/* SPDX-License-Identifier: Apache-2.0 */
/* job.h - carrying a plan out. */
#ifndef CUDASIM_DRIVER_JOB_H
#define CUDASIM_DRIVER_JOB_H

#include "cache.h"
#include "plan.h"

struct job_options {
	bool show;          /* each job's command line on stderr: --verbose */
	const char *times;  /* --time's file; NULL, "-" for stdout */
	struct cache *cache; /* looked into before a unit is compiled; or NULL */
	struct cache *preludes; /* the same for precompiled headers; or NULL */
	const struct surroundings *here; /* of the plan */
};

/* A job's line as a shell would run it. The caller frees it. */
char *job_line(const struct job *job);

/* Runs the jobs in order until one fails. Returns the exit status for the
 * command: 0, or the failing program's (128 + signal when one ended it). What
 * the programs say goes to stderr; the output of a failed job is removed.
 * Errors are those of running, not of the programs: a tool that is not there. */
struct cudasim_error *jobs_run(const struct plan *plan, const struct job_options *options,
			       int *ret);

#endif
