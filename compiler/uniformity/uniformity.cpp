/* SPDX-License-Identifier: Apache-2.0 */
#include "uniformity.h"

#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>

#include "llvm_versions.h"

using namespace llvm;
using namespace llvm_versions;

namespace
{

using Source = enum uniformity_source (*)(LLVMValueRef, void *);

Uniformity ask(const Value *v, Source source, void *arg)
{
	if (!isa<Argument>(v) && !isa<Instruction>(v))
		return Uniformity::BY_OPERANDS;
	switch (source(wrap(v), arg)) {
	case UNIFORMITY_DIFFERS:
		return Uniformity::NEVER;
	case UNIFORMITY_SAME:
		return Uniformity::ALWAYS;
	default:
		return Uniformity::BY_OPERANDS;
	}
}

} // namespace

struct uniformity {
	FunctionAnalysisManager analyses;
	const DominatorTree *tree;
	UniformityInfo *info; /* its questions are not const in LLVM 19 */
};

struct uniformity *uniformity_new(LLVMValueRef value, Source source, void *arg)
{
	auto &f = *unwrap<Function>(value);
	auto *u = new uniformity;
	u->analyses.registerPass([] { return PassInstrumentationAnalysis(); });
	u->analyses.registerPass([] { return DominatorTreeAnalysis(); });
	u->analyses.registerPass([] { return CycleAnalysis(); });
	u->analyses.registerPass([] { return UniformityInfoAnalysis(); });
	u->analyses.registerPass([=] {
		return TargetIRAnalysis([=](const Function &of) {
			return divergent_target(
				of.getParent()->getDataLayout(),
				[=](const Value *v) { return ask(v, source, arg); });
		});
	});
	u->tree = &u->analyses.getResult<DominatorTreeAnalysis>(f);
	u->info = &u->analyses.getResult<UniformityInfoAnalysis>(f);
	return u;
}

void uniformity_free(struct uniformity *u)
{
	delete u;
}

bool uniformity_is_uniform(const struct uniformity *u, LLVMValueRef value)
{
	const Value *v = unwrap(value);
	if (isa<Constant>(v))
		return true;
	auto *i = dyn_cast<Instruction>(v);
	return (i ? u->tree->isReachableFromEntry(i->getParent()) : isa<Argument>(v)) &&
	       !u->info->isDivergent(v);
}

bool uniformity_diverges(const struct uniformity *u, LLVMBasicBlockRef block)
{
	return u->tree->isReachableFromEntry(unwrap(block)) &&
	       u->info->hasDivergentTerminator(*unwrap(block));
}
