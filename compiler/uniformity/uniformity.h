/* SPDX-License-Identifier: Apache-2.0 */
/* uniformity.h - what is the same for all threads that run a function together, by LLVM's
 * uniformity analysis: values, and the branches at which threads part. It knows where phis join
 * what came by different branches, and loops that threads leave at different times.
 *
 * The caller says which values differ from thread to thread by themselves. An answer holds for
 * the function as it was when the analysis was made.
 *
 * Source: Rosemann, Moll, Hack: An abstract interpretation for SPMD divergence on reducible
 * control flow graphs (2021). */
#ifndef CUDASIM_COMPILER_UNIFORMITY_H
#define CUDASIM_COMPILER_UNIFORMITY_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

struct uniformity;

/* What the caller knows of an argument or an instruction by itself. */
enum uniformity_source {
	UNIFORMITY_FOLLOWS, /* it differs where an operand does */
	UNIFORMITY_SAME,    /* the same in all threads, whatever its operands */
	UNIFORMITY_DIFFERS, /* may differ, whatever its operands */
};

/* The result is freed by uniformity_free(), before the function changes. source is not called
 * later. */
struct uniformity *uniformity_new(LLVMValueRef function,
				  enum uniformity_source (*source)(LLVMValueRef, void *),
				  void *arg);
void uniformity_free(struct uniformity *u);

/* Of a constant, an argument or an instruction of the function. Of an instruction that is not
 * reached: false. */
bool uniformity_is_uniform(const struct uniformity *u, LLVMValueRef value);
/* Whether threads may take different branches at the block's end; false where it is not reached. */
bool uniformity_diverges(const struct uniformity *u, LLVMBasicBlockRef block);

#ifdef __cplusplus
}
#endif
#endif
