/* SPDX-License-Identifier: Apache-2.0 */
/* context.h - the device compiler's own functions about the running thread
 * (__cudasim_context, __cudasim_window and so on) become loads. */
#ifndef CUDASIM_COMPILER_CONTEXT_H
#define CUDASIM_COMPILER_CONTEXT_H

#include "device.h"

/* Where the state is, for code that does not find it through __cudasim_self. */
struct context_values {
	LLVMValueRef thread; /* address of a struct cudasim_thread */
	LLVMValueRef block;  /* of a struct cudasim_block */
};

/* Where a pthread keeps the CUDA thread that it runs: __cudasim_self, as a pointer into
 * the segment of fs. */
LLVMValueRef context_self(struct device_module *dm, LLVMBuilderRef builder);

/* Replace a call of one of those functions; false for any other instruction.
 * values may be NULL. */
bool context_lower(struct device_module *dm, LLVMValueRef call,
		   const struct context_values *values);

/* The passes of this room. */
struct cudasim_error *pass_context(struct device_module *dm); /* __cudasim_context() lowered */

#endif
