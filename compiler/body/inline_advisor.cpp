/* SPDX-License-Identifier: Apache-2.0 */
/* inline_advisor.cpp - LLVM's own advice on each call, unless the caller is full. LLVM asks an
 * adviser that the module's analyses hold; ours asks LLVM's. */
#include "inline_advisor.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/InlineAdvisor.h>
#include <llvm/Analysis/InlineCost.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ReplayInlineAdvisor.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

using namespace llvm;

namespace
{

/* For the factory, which LLVM takes as a plain function; a process compiles one body. */
size_t most;

/* What a call itself costs, its arguments and the registers that it spoils. */
constexpr size_t AS_CHEAP_AS_A_CALL = 8;

class Bounded : public InlineAdvisor
{
	DefaultInlineAdvisor usual;
	/* Sizes as they were when asked, with what has been inlined since. A caller is asked
	 * about while it is worked on, and may be simplified in between: an estimate. */
	DenseMap<const Function *, size_t> sizes;
	Function *last = nullptr;

	size_t size_of(Function &function)
	{
		auto [place, is_new] = sizes.try_emplace(&function, 0);
		if (is_new)
			place->second = function.getInstructionCount();
		return place->second;
	}

	static size_t most_of(const Function &caller)
	{
		return caller.hasFnAttribute("cudasim-seldom") ? most / 8 : most;
	}

	std::unique_ptr<InlineAdvice> getAdviceImpl(CallBase &call) override
	{
		Function &caller = *call.getCaller(), &callee = *call.getCalledFunction();
		if (&caller != last) {
			sizes.erase(&caller);
			last = &caller;
		}
		if (callee.isDeclaration())
			return usual.getAdvice(call);
		size_t grown = size_of(callee);
		bool fits = size_of(caller) + grown <= most_of(caller);
		if (fits && !call.isNoInline() && callee.hasFnAttribute("cudasim-inline"))
			call.addFnAttr(Attribute::AlwaysInline);
		std::unique_ptr<InlineAdvice> advice = usual.getAdvice(call);
		if (!advice || !advice->isInliningRecommended())
			return advice;
		bool is_last_use = callee.hasLocalLinkage() && callee.hasOneUse();
		if (fits || is_last_use || grown <= AS_CHEAP_AS_A_CALL ||
		    callee.hasFnAttribute(Attribute::AlwaysInline)) {
			sizes[&caller] += grown;
			return advice;
		}
		advice->recordUnattemptedInlining();
		return std::make_unique<InlineAdvice>(this, call, getCallerORE(call), false);
	}

	void onPassEntry(LazyCallGraph::SCC *) override
	{
		sizes.clear();
		last = nullptr;
	}

public:
	Bounded(Module &module, FunctionAnalysisManager &analyses, InlineParams params,
		InlineContext context)
	    : InlineAdvisor(module, analyses, context), usual(module, analyses, params, context)
	{
	}
};

InlineAdvisor *make(Module &module, FunctionAnalysisManager &analyses, InlineParams params,
		    InlineContext context)
{
	return new Bounded(module, analyses, params, context);
}

} /* namespace */

void inline_advisor_register(Module &module, ModuleAnalysisManager &analyses, size_t limit)
{
	most = limit;
	analyses.registerPass([] { return PluginInlineAdvisorAnalysis(make); });
	analyses.getResult<InlineAdvisorAnalysis>(module).tryCreate(
		getInlineParams(), InliningAdvisorMode::Default, {},
		InlineContext{ThinOrFullLTOPhase::None, InlinePass::CGSCCInliner});
}
