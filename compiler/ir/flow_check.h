/* SPDX-License-Identifier: Apache-2.0 */
/* flow_check.h - whether a transformation of control flow has kept it: each block and each edge of
 * the kernel has its place in what was made. Asked in paranoid builds and with --verify-each.
 *
 * The questions are asked of the control flow alone, and not of what the transformation knows of
 * it, so that a wrong order does not verify itself. An answer of no is our bug and ends the
 * compiler. */
#ifndef CUDASIM_COMPILER_FLOW_CHECK_H
#define CUDASIM_COMPILER_FLOW_CHECK_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From now on transformations verify what they make; paranoid builds always do. */
void flow_check_always(void);

bool flow_is_checked(void);

#ifdef __cplusplus
}

#include <map>
#include <set>
#include <vector>

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/Support/Compiler.h>

namespace flow
{

/* What is reached from one block. */
struct Graph {
	std::set<const llvm::BasicBlock *> blocks;
	std::set<std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>> edges;
};

/* Edges that `is_cut` are not followed, and not in the graph. */
Graph graph_from(
	const llvm::BasicBlock &start,
	llvm::function_ref<bool(const llvm::BasicBlock *, const llvm::BasicBlock *)> is_cut =
		[](const llvm::BasicBlock *, const llvm::BasicBlock *) { return false; });

/* Ends the compiler where that does not hold. */
void expect(bool holds, const llvm::BasicBlock &block, const char *transformation,
	    const char *what);

/* Each block and edge is in `now`, too, or the edge was replaced. Blocks go by another name there
 * where `copies` has them. */
void expect_kept(
	const Graph &before, const Graph &now, const char *transformation,
	const std::map<const llvm::BasicBlock *, const llvm::BasicBlock *> &copies,
	llvm::function_ref<bool(const llvm::BasicBlock *, const llvm::BasicBlock *)> is_replaced);

} // namespace flow
#endif
#endif
