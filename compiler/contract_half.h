/* SPDX-License-Identifier: Apache-2.0 */
/* contract_half.h - see contract_half.c. */
#ifndef CUDASIM_COMPILER_CONTRACT_HALF_H
#define CUDASIM_COMPILER_CONTRACT_HALF_H

#include "device.h"

/* On the base, when inline PTX has become calls of llvm.nvvm.half.*, and under
 * -fmad=true only. */
struct cudasim_error *contract_halfs(struct device_module *dm);

#endif
