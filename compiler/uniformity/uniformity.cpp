/* SPDX-License-Identifier: Apache-2.0 */
#include "uniformity.h"

#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/TargetTransformInfoImpl.h>
#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>

using namespace llvm;

namespace
{

using Source = enum uniformity_source (*)(LLVMValueRef, void *);

/* A target on which values differ as the caller says. */
class Target : public TargetTransformInfoImplCRTPBase<Target>
{
public:
	Target(const DataLayout &layout, Source source, void *arg)
	    : TargetTransformInfoImplCRTPBase<Target>(layout), source(source), arg(arg)
	{
	}
	bool hasBranchDivergence(const Function * = nullptr) const
	{
		return true;
	}
	bool isSourceOfDivergence(const Value *v) const
	{
		return is(v, UNIFORMITY_DIFFERS);
	}
	bool isAlwaysUniform(const Value *v) const
	{
		return is(v, UNIFORMITY_SAME);
	}

private:
	bool is(const Value *v, enum uniformity_source wanted) const
	{
		return (isa<Argument>(v) || isa<Instruction>(v)) && source(wrap(v), arg) == wanted;
	}
	Source source;
	void *arg;
};

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
			return TargetTransformInfo(
				Target(of.getParent()->getDataLayout(), source, arg));
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
