/* SPDX-License-Identifier: Apache-2.0 */
/* compile.h - one run of the device compiler. */
#ifndef CUDASIM_COMPILER_COMPILE_H
#define CUDASIM_COMPILER_COMPILE_H

#include "device.h"

/* Compile options->inputs to options->output. Errors of the user's program have
 * been shown on stderr when this returns; the error then only counts them. */
struct cudasim_error *compile_run(const struct device_options *options);

#endif
