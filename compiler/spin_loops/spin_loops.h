/* SPDX-License-Identifier: Apache-2.0 */
/* spin_loops.h - loops that wait for other threads. */
#ifndef CUDASIM_COMPILER_SPIN_LOOPS_H
#define CUDASIM_COMPILER_SPIN_LOOPS_H

#include "device.h"

struct cudasim_error *pass_spin(struct device_module *dm); /* loads that loops wait for */
struct cudasim_error *pass_yield(struct device_module *dm); /* spin loops give way */

#endif
