/* SPDX-License-Identifier: Apache-2.0 */
/* pipeline.h - the order of things in the device compiler. */
#ifndef CUDASIM_COMPILER_PIPELINE_H
#define CUDASIM_COMPILER_PIPELINE_H

#include "device.h"

/* A pass under the name that --save-temps and --verbose show. */
struct pipeline_step {
	const char *name;
	device_pass run;
};

/* Run steps up to the one without a function, verifying the module after each.
 * Stops at the first error, and at the end if anything was diagnosed. */
struct cudasim_error *pipeline_run_steps(struct device_module *dm,
					 const struct pipeline_step *steps);

/* For --verbose: the time, and a line with what has passed since start. */
uint64_t pipeline_now_us(void);
void pipeline_show_time(const struct device_module *dm, const char *what, uint64_t start);

/* Compile options->inputs to options->output. Errors of the user's program have
 * been shown on stderr when this returns; the error then only counts them. */
struct cudasim_error *pipeline_run(const struct device_options *options);

#endif
