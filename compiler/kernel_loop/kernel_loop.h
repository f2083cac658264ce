/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_loop.h - a kernel as one function that runs all threads of a block. */
#ifndef CUDASIM_COMPILER_KERNEL_LOOP_H
#define CUDASIM_COMPILER_KERNEL_LOOP_H

#include "device.h"

struct cudasim_error *pass_loop(struct device_module *dm); /* plain only: loops over threads */

#endif
