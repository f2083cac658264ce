/* SPDX-License-Identifier: Apache-2.0 */
/* division.h - what quotients and remainders by zero are on a GPU.
 *
 * The machine answers all ones. But C++ leaves the value open, so nvcc's optimiser
 * makes other operations of what the program wrote, and their answers are what a
 * program sees: x % y beside x / y is x - x / y * y, which is x then; 1 / y compares y
 * with 1. Each rule was seen on an H200 (tests/conformance). */
#ifndef CUDASIM_COMPILER_DIVISION_H
#define CUDASIM_COMPILER_DIVISION_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "device.h"

enum division_answer {
	DIVISION_ONES,     /* all bits of the type */
	DIVISION_BY_SIZE,  /* of 64 bits: 32 ones where the dividend fits 32, else all ones */
	DIVISION_ONES_16,  /* 0xffff: both operands fit 16 bits, so 16 bits are divided */
	DIVISION_DIVIDEND, /* the dividend */
	DIVISION_ZERO,
	DIVISION_ONE,
};

/* What is known of a module's divisions, by instruction. */
struct division_answers;

/* Looks at every udiv, sdiv, urem and srem of the module. x / y * y becomes x - x % y
 * first, as in nvcc. No instruction that was there may be deleted while the answers
 * are in use, unless it is a division that nobody asks about any more. */
struct cudasim_error *division_answers_new(struct device_module *dm, struct division_answers **ret);

/* For a division that the module had then; DIVISION_ONES or DIVISION_BY_SIZE for others. */
enum division_answer division_by_zero(const struct division_answers *answers,
				      LLVMValueRef division);

void division_answers_free(struct division_answers *answers);

#ifdef __cplusplus
}
#endif
#endif
