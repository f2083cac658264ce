/* SPDX-License-Identifier: Apache-2.0 */
/* watch.h - the watched body: events announced, variables found by a debugger. */
#ifndef CUDASIM_COMPILER_WATCH_H
#define CUDASIM_COMPILER_WATCH_H

#include "device.h"

/* On functions of the watched loops' clone: kernels that reach them get no loop there. Its value says
 * what they do. */
#define WATCH_NO_LOOPS "cudasim-no-watched-loops"

struct cudasim_error *pass_watch(struct device_module *dm); /* watched only: hooks; first */
struct cudasim_error *pass_debuginfo(struct device_module *dm); /* watched only */

#endif
