/* SPDX-License-Identifier: Apache-2.0 */
/* nvvm_matrix.h - matrix operations of NVVM IR. */
#ifndef CUDASIM_COMPILER_NVVM_MATRIX_H
#define CUDASIM_COMPILER_NVVM_MATRIX_H

#include "device.h"

/* What their names begin with. */
#define NVVM_MATRIX "llvm.nvvm.hmma."

/* LLVM's intrinsic in front of a call of one, its result as the call has it; NULL where the name
 * or the operands are not right. */
LLVMValueRef nvvm_matrix_build(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef call,
			       const char *name);

#endif
