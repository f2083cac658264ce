/* SPDX-License-Identifier: Apache-2.0 */
/* retarget.h - what pass_retarget does that others do, too. */
#ifndef CUDASIM_COMPILER_RETARGET_H
#define CUDASIM_COMPILER_RETARGET_H

#include "device.h"

/* Take the attributes from a function that name a processor. */
void retarget_strip(LLVMValueRef function);

/* Delete a list of globals that clang keeps ("llvm.used"), where it is there. */
void retarget_delete_list(struct device_module *dm, const char *name);

/* A weak variable that nobody defines has no address. Clang's headers declare
 * threadIdx and its kin so, and pass `this` of them about without using it. */
void retarget_resolve_weak(struct device_module *dm);

#endif
