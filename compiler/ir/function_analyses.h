/* SPDX-License-Identifier: Apache-2.0 */
/* function_analyses.h - LLVM's analyses that scalar evolution of a function rests on.
 *
 * C++. Valid until the function's code changes. */
#ifndef CUDASIM_COMPILER_FUNCTION_ANALYSES_H
#define CUDASIM_COMPILER_FUNCTION_ANALYSES_H

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

struct function_analyses {
	llvm::DominatorTree tree;
	llvm::LoopInfo loops;
	llvm::AssumptionCache assumptions;
	llvm::TargetLibraryInfoImpl library_impl;
	llvm::TargetLibraryInfo library;
	llvm::ScalarEvolution evolution;

	explicit function_analyses(llvm::Function &f)
	    : tree(f), loops(tree), assumptions(f),
	      library_impl(llvm::Triple(f.getParent()->getTargetTriple())), library(library_impl),
	      evolution(f, library, assumptions, tree, loops)
	{
	}
};

#endif
