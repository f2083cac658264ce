/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_params.h - a kernel's parameters in the packed buffer of a launch, as code
 * that calls the kernel's body reads them. */
#ifndef CUDASIM_COMPILER_KERNEL_PARAMS_H
#define CUDASIM_COMPILER_KERNEL_PARAMS_H

#include "layout.h"

/* Tell LLVM what is so of a function whose first parameter is that buffer. */
void kernel_params_promise(LLVMValueRef function, const struct layout_kernel *kernel);

/* The i-th argument for a call of body. A structure that is passed by value is a
 * variable of the caller's function, made here and filled by kernel_param_copy()
 * before each call, as a kernel may write to its parameters. */
LLVMValueRef kernel_param_load(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef body,
			       unsigned i, LLVMValueRef params, const struct layout_param *param);
bool kernel_param_is_copied(LLVMValueRef body, unsigned i);
void kernel_param_copy(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef copy,
		       LLVMValueRef params, const struct layout_param *param);

/* The bodies are called with variables of the caller's: no `byval` any more. */
void kernel_params_settle(LLVMValueRef body, const struct layout_kernel *kernel);

#endif
