/* SPDX-License-Identifier: Apache-2.0 */
/* rdc.h - translation units compiled with -rdc=true. */
#ifndef CUDASIM_COMPILER_RDC_H
#define CUDASIM_COMPILER_RDC_H

#include <llvm-c/Core.h>

/* Clang gives a static __device__ variable that the host names too an external
 * definition NAME__static__ID, but the unit's own code may still name NAME,
 * which nobody defines. Unite the two, before the unit meets others. */
void rdc_unite_statics(LLVMModuleRef module);

#endif
