/* SPDX-License-Identifier: Apache-2.0 */
/* inserted_values.h - what is taken out of aggregates that are put together just before. */
#ifndef CUDASIM_COMPILER_INSERTED_VALUES_H
#define CUDASIM_COMPILER_INSERTED_VALUES_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each extractvalue of function whose value was inserted under the same index is that value. Numba
 * makes a tuple of each array's indices and takes it apart again; the analyses of the pipelines
 * see scalars alone. */
void values_forward(LLVMValueRef function);

#ifdef __cplusplus
}
#endif
#endif
