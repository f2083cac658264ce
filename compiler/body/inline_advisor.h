/* SPDX-License-Identifier: Apache-2.0 */
/* inline_advisor.h - how large a function may become by inlining.
 *
 * LLVM judges each call by itself and knows no bound for the caller: kernels of 700
 * instructions with hundreds of calls of small functions become 30,000, and there may be 250
 * of them. C++, for budgeted_passes.cpp only. */
#ifndef CUDASIM_COMPILER_INLINE_ADVISOR_H
#define CUDASIM_COMPILER_INLINE_ADVISOR_H

#include <cstddef>

#include <llvm/IR/PassManager.h>

/* Have inliners that are run with these analyses (registered already) leave calls as they are
 * where the caller has, or would have, more than `limit` instructions (an eighth of that with
 * the attribute "cudasim-seldom"). Calls that must be inlined, only calls of a local function,
 * and functions no longer than a call are inlined as ever; of functions with the attribute
 * "cudasim-inline" all calls that fit. Once for a process: it keeps `limit`. */
void inline_advisor_register(llvm::Module &module, llvm::ModuleAnalysisManager &analyses,
			     size_t limit);

#endif
