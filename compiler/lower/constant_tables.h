/* SPDX-License-Identifier: Apache-2.0 */
/* constant_tables.h - loads from constant tables. */
#ifndef CUDASIM_COMPILER_CONSTANT_TABLES_H
#define CUDASIM_COMPILER_CONSTANT_TABLES_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where all but one bit of the index into a constant table is known, choose between the two
 * elements in the place of loading one: as a vector that is a masked move, not a gather. So
 * libdevice's sine and cosine in double precision take their coefficients, six by one bit. */
void constants_choose(LLVMValueRef function);

#ifdef __cplusplus
}
#endif
#endif
