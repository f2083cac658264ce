/* SPDX-License-Identifier: Apache-2.0 */
/* retarget.h - for modules that are linked in after pass_retarget. */
#ifndef CUDASIM_COMPILER_RETARGET_H
#define CUDASIM_COMPILER_RETARGET_H

#include "device.h"

/* Take the attributes from a function that name a processor. */
void retarget_strip(LLVMValueRef function);

#endif
