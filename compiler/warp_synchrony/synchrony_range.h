/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_range.h - how far integers of a function can vary, by LLVM's scalar evolution. */
#ifndef CUDASIM_COMPILER_SYNCHRONY_RANGE_H
#define CUDASIM_COMPILER_SYNCHRONY_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The analyses of one function, which must not change while they live. */
struct synchrony_ranges;
struct synchrony_ranges *synchrony_ranges_new(LLVMValueRef function);
void synchrony_ranges_free(struct synchrony_ranges *ranges);

/* The largest possible difference between two values of value - start (start NULL: 0) where
 * `at` runs, in whatever lanes and rounds. -1: not known, or 2^31 and more. */
int64_t synchrony_range_spread(struct synchrony_ranges *ranges, LLVMValueRef value,
			       LLVMValueRef start, LLVMValueRef at);

/* True where 0 <= value - start < bound wherever `at` runs. */
bool synchrony_range_is_below(struct synchrony_ranges *ranges, LLVMValueRef value,
			      LLVMValueRef start, LLVMValueRef bound, LLVMValueRef at);

/* By how many bytes, from *least to *most, gep may lead from its base; false where that is not
 * known. An index of an array stays within it, as C++ wants. */
bool synchrony_range_offset(struct synchrony_ranges *ranges, LLVMValueRef gep, int64_t *least,
			    int64_t *most);

#ifdef __cplusplus
}
#endif
#endif
