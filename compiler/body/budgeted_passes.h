/* SPDX-License-Identifier: Apache-2.0 */
/* budgeted_passes.h - LLVM's passes, without those that a function is too large for.
 *
 * LLVM's loop vectoriser and its simplification of induction variables forget, for each
 * loop that they change, what they know of the values around it, which may be the whole
 * function: their time grows with loops times instructions. Unrolled hashes have thousands
 * of both, as each of their calls is inlined. */
#ifndef CUDASIM_COMPILER_BUDGETED_PASSES_H
#define CUDASIM_COMPILER_BUDGETED_PASSES_H

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/TargetMachine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is given up, and who is told: once for each function, with its numbers of loops and
 * instructions. */
struct pass_budget {
	size_t limit; /* loops times instructions of a function that gets everything */
	/* Instructions that a function may have by inlining (inline_advisor.h), and with which its
	 * loops are unrolled; 0: any number. */
	size_t inlined;
	void (*tell)(void *arg, LLVMValueRef function, size_t n_loops, size_t n_instructions);
	void *arg;
};

/* Run a pipeline (as opt's -passes= takes it) on the module for the machine. A failure is
 * the text's, and the caller's to consume. */
LLVMErrorRef budgeted_passes_run(LLVMModuleRef module, LLVMTargetMachineRef machine,
				 const char *passes, const struct pass_budget *budget);

#ifdef __cplusplus
}
#endif
#endif
