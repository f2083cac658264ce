/* SPDX-License-Identifier: Apache-2.0 */
/* arithmetic.h - what operations mean on a GPU, and what nvcc makes of them. */
#ifndef CUDASIM_COMPILER_ARITHMETIC_H
#define CUDASIM_COMPILER_ARITHMETIC_H

#include "device.h"

/* Whether a function is a builtin, whose arithmetic means what it says. */
bool arithmetic_is_ours(LLVMValueRef function);

/* Operations whose result is an operand, as x * 1, are that operand, as for nvcc
 * (pass_arithmetic.c). */
struct cudasim_error *pass_copies(struct device_module *dm);

/* What is done to a copy of the module before products are looked at, and then before the
 * choice. */
#define CONTRACT_SCALARS "function(sroa)"
#define CONTRACT_SINK "function(simplifycfg,loop(loop-rotate),loop-mssa(licm),sink)"

/* Make one fused operation of each product and sum that nvcc would fuse
 * (contract.c). */
struct cudasim_error *pass_contract(struct device_module *dm);

/* For --ftz=1: give a single precision operation flushed operands and flush its
 * result. The instruction stays; its users get the flushed value (flush.c). */
void flush_subnormals(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef instruction);

/* x, or a zero of its sign where x is subnormal; single precision, perhaps a
 * vector (flush.c). */
LLVMValueRef flush_value(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef x);

/* On a body after its optimisation: NaNs that single precision operations make
 * are the GPU's wherever they show (nan_canonical.c). */
struct cudasim_error *canonical_nans(struct device_module *dm);

/* The passes of this room. */
struct cudasim_error *pass_arithmetic(struct device_module *dm); /* nothing undefined left */
struct cudasim_error *pass_index_ranges(struct device_module *dm); /* threadIdx and its kin */
struct cudasim_error *
pass_atomics(struct device_module *dm); /* float additions flush in global memory */

#endif
