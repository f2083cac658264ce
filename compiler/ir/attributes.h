/* SPDX-License-Identifier: Apache-2.0 */
/* attributes.h - LLVM's attributes of functions by their names. */
#ifndef CUDASIM_COMPILER_ATTRIBUTES_H
#define CUDASIM_COMPILER_ATTRIBUTES_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

/* The index of the function itself; 0 is its result, 1 its first parameter. */
#define WHOLE_FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

/* Asserts that LLVM has one of that name. */
unsigned attribute_kind(const char *name);

/* value: 0 for attributes that have none. */
void attribute_add(LLVMValueRef function, LLVMAttributeIndex index, const char *name,
		   uint64_t value);

void attribute_remove(LLVMValueRef function, LLVMAttributeIndex index, const char *name);

/* Whether the function itself has it. */
bool attribute_has(LLVMValueRef function, const char *name);

#endif
