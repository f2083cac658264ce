/* SPDX-License-Identifier: Apache-2.0 */
/* pipeline.h - the order of things in the device compiler. */
#ifndef CUDASIM_COMPILER_PIPELINE_H
#define CUDASIM_COMPILER_PIPELINE_H

#include "device.h"

/* Compile options->inputs to options->output. Errors of the user's program have
 * been shown on stderr when this returns; the error then only counts them. */
struct cudasim_error *pipeline_run(const struct device_options *options);

#endif
