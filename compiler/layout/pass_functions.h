/* SPDX-License-Identifier: Apache-2.0 */
/* pass_functions.h - descriptors of functions, for pass_body and the tables. */
#ifndef CUDASIM_COMPILER_PASS_FUNCTIONS_H
#define CUDASIM_COMPILER_PASS_FUNCTIONS_H

#include "device.h"

/* A declaration of the descriptor (struct cudasim_function) of the function
 * with this mangled name. */
LLVMValueRef functions_declare(struct device_module *dm, const char *function);

#endif
