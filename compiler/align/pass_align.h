/* SPDX-License-Identifier: Apache-2.0 */
/* pass_align.h - misaligned accesses of plain bodies fault. */
#ifndef CUDASIM_COMPILER_PASS_ALIGN_H
#define CUDASIM_COMPILER_PASS_ALIGN_H

#include "device.h"

struct cudasim_error *
pass_align(struct device_module *dm); /* plain only: misaligned accesses fault */

#endif
