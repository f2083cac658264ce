/* SPDX-License-Identifier: Apache-2.0 */
/* value_numbering.h - which values of a function are the same computation.
 *
 * Value numbering by hashing: two instructions have the same number when they
 * have the same operation on operands of the same numbers, without order where
 * the operation commutes; products also without the signs of their factors; loads
 * also need the same block and no write between.
 * Anything else has a number of its own. */
#ifndef CUDASIM_COMPILER_VALUE_NUMBERING_H
#define CUDASIM_COMPILER_VALUE_NUMBERING_H

#include <llvm-c/Core.h>

struct value_numbering;

/* NULL when there is no memory. */
struct value_numbering *value_numbering_new(LLVMValueRef function);
void value_numbering_free(struct value_numbering *);

/* The number of an instruction of the function, 1.. */
unsigned value_numbering_of(const struct value_numbering *, LLVMValueRef instruction);

#endif
