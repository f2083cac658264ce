/* SPDX-License-Identifier: Apache-2.0 */
/* intrinsics.h - the intrinsics that become plain LLVM IR (intrinsics.c). */
#ifndef CUDASIM_COMPILER_INTRINSICS_H
#define CUDASIM_COMPILER_INTRINSICS_H

#include "device.h"

/* Build what stands for a call of the intrinsic, before it; *known says whether
 * there is such a thing. The result is NULL for an intrinsic without one and for
 * one that vanishes. The call itself is left for the caller to delete. */
LLVMValueRef intrinsic_build(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef call,
			     const char *name, bool *known);

#endif
