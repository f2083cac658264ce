/* SPDX-License-Identifier: Apache-2.0 */
/* run_pass.h - single passes on a file, to test them and to look at what they do. */
#ifndef CUDASIM_COMPILER_RUN_PASS_H
#define CUDASIM_COMPILER_RUN_PASS_H

#include "device.h"

/* Run the passes of names ("a,b", each a name or STAGE/NAME of pipeline.c), in that order, on
 * options->inputs[0], text or bitcode, and write the module as text to options->output, or to
 * stdout without one. A pass that needs others has them run before it, once. */
struct cudasim_error *run_pass(const struct device_options *options, const char *names);

#endif
