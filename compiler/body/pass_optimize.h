/* SPDX-License-Identifier: Apache-2.0 */
/* pass_optimize.h - what prepares a body for LLVM's own passes. */
#ifndef CUDASIM_COMPILER_PASS_OPTIMIZE_H
#define CUDASIM_COMPILER_PASS_OPTIMIZE_H

#include "device.h"

/* Functions that the user wants inlined ask for it, and kernels, into their entries. In large
 * modules bridge_advice.cpp follows the wish, as far as it goes. */
struct cudasim_error *pass_inlining(struct device_module *dm);

/* All functions keep a frame pointer. */
struct cudasim_error *pass_frame_pointers(struct device_module *dm);

#endif
