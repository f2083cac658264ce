/* SPDX-License-Identifier: Apache-2.0 */
/* contract_half.h - see contract_half.c. */
#ifndef CUDASIM_COMPILER_CONTRACT_HALF_H
#define CUDASIM_COMPILER_CONTRACT_HALF_H

#include "device.h"

/* On the base, when inline PTX has become calls of llvm.nvvm.half.*: products and sums that
 * -fmad=true fuses are fused. */
struct cudasim_error *pass_contract_half(struct device_module *dm);

#endif
