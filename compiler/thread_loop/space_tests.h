/* SPDX-License-Identifier: Apache-2.0 */
/* space_tests.h - tests for shared memory whose answer is known. */
#ifndef CUDASIM_COMPILER_SPACE_TESTS_H
#define CUDASIM_COMPILER_SPACE_TESTS_H

#include <stdint.h>

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In a function with the code of a whole kernel, isspacep.shared of an address made from that of a shared
 * variable is true: NVPTX's compilers take that for granted, too. least_bytes: the kernel's shared memory has
 * so many bytes or more. */
void space_tests_fold(LLVMValueRef function, uint32_t least_bytes);

#ifdef __cplusplus
}
#endif
#endif
