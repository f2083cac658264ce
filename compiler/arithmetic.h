/* SPDX-License-Identifier: Apache-2.0 */
/* arithmetic.h - the parts of pass_arithmetic. */
#ifndef CUDASIM_COMPILER_ARITHMETIC_H
#define CUDASIM_COMPILER_ARITHMETIC_H

#include "device.h"

/* Whether a function is a builtin, whose arithmetic means what it says. */
bool arithmetic_is_ours(LLVMValueRef function);

/* Make one fused operation of each product and sum that nvcc would fuse
 * (contract.c). */
struct cudasim_error *contract_products(struct device_module *dm);

/* For --ftz=1: give a single precision operation flushed operands and flush its
 * result. The instruction stays; its users get the flushed value (flush.c). */
void flush_subnormals(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef instruction);

/* x, or a zero of its sign where x is subnormal; single precision, perhaps a
 * vector (flush.c). */
LLVMValueRef flush_value(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef x);

/* On a body after its optimisation: NaNs that single precision operations make
 * are the GPU's wherever they show (canonical.c). */
struct cudasim_error *canonical_nans(struct device_module *dm);

#endif
