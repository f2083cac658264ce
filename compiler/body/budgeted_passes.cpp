/* SPDX-License-Identifier: Apache-2.0 */
/* budgeted_passes.cpp - the gate is PassInstrumentation's question whether an optional pass
 * should run, asked with the pass's class and the function or loop it is about to see. */
#include "budgeted_passes.h"

#include "inline_advisor.h"
#include "alignment.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/StandardInstrumentations.h>
#include <llvm/Target/TargetMachine.h>

using namespace llvm;

namespace
{

class Gate
{
	const pass_budget &budget;
	/* The function last asked about, and the answer, which holds until loops are
	 * simplified again: that comes before each pass over the function's loops. */
	const Function *known = nullptr;
	bool fits = true;
	DenseSet<const Function *> told;

	bool measure(Function &function)
	{
		size_t n_instructions = function.getInstructionCount();
		/* Each loop has a branch and something to decide about. */
		if (n_instructions / 2 * n_instructions <= budget.limit)
			return true;
		DominatorTree tree(function);
		LoopInfo loops(tree);
		size_t n_loops = loops.getLoopsInPreorder().size();
		if (n_loops * n_instructions <= budget.limit)
			return true;
		if (told.insert(&function).second)
			budget.tell(budget.arg, wrap(&function), n_loops, n_instructions);
		return false;
	}

	static const Function *function_of(const Any &ir)
	{
		if (auto *function = any_cast<const Function *>(&ir))
			return *function;
		if (auto *loop = any_cast<const Loop *>(&ir))
			return (*loop)->getHeader()->getParent();
		return nullptr;
	}

	bool allows(StringRef pass, const Any &ir)
	{
		if (budget.inlined && (pass == "LoopFullUnrollPass" || pass == "LoopUnrollPass")) {
			const Function *function = function_of(ir);
			return !function || function->getInstructionCount() <= budget.inlined;
		}
		bool vectorizes = pass == "LoopVectorizePass";
		if (!vectorizes && pass != "IndVarSimplifyPass")
			return true;
		const Function *function = function_of(ir);
		if (!function)
			return true;
		if (function != known || vectorizes) {
			known = function;
			fits = measure(const_cast<Function &>(*function));
		}
		return fits;
	}

public:
	Gate(const pass_budget &budget, PassInstrumentationCallbacks &callbacks) : budget(budget)
	{
		callbacks.registerShouldRunOptionalPassCallback(
			[this](StringRef pass, Any ir) { return allows(pass, ir); });
		callbacks.registerBeforeNonSkippedPassCallback([this](StringRef pass, Any) {
			if (pass == "LoopSimplifyPass")
				known = nullptr;
		});
	}
};

} /* namespace */

LLVMErrorRef budgeted_passes_run(LLVMModuleRef ref, LLVMTargetMachineRef machine,
				 const char *passes, const pass_budget *budget)
{
	Module &module = *unwrap(ref);
	LoopAnalysisManager lam;
	FunctionAnalysisManager fam;
	CGSCCAnalysisManager cgam;
	ModuleAnalysisManager mam;
	PassInstrumentationCallbacks callbacks;
	Gate gate(*budget, callbacks);
	StandardInstrumentations standard(module.getContext(), false);
	PassBuilder builder(reinterpret_cast<TargetMachine *>(machine), PipelineTuningOptions(),
			    std::nullopt, &callbacks);
	builder.registerModuleAnalyses(mam);
	builder.registerCGSCCAnalyses(cgam);
	builder.registerFunctionAnalyses(fam);
	builder.registerLoopAnalyses(lam);
	builder.crossRegisterProxies(lam, fam, cgam, mam);
	standard.registerCallbacks(callbacks, &mam);
	alignment_register(builder);
	if (budget->inlined)
		inline_advisor_register(module, mam, budget->inlined);
	ModulePassManager manager;
	if (Error failure = builder.parsePassPipeline(manager, passes))
		return wrap(std::move(failure));
	manager.run(module, mam);
	return LLVMErrorSuccess;
}
