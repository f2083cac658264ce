/* SPDX-License-Identifier: Apache-2.0 */
/* llvm_versions.h - where the versions of LLVM that cudasim builds with differ: the C++ interface, and the IR that clang
 * makes. No other file of the compiler asks for the version; what clang's own interface needs is in
 * server/clang_versions.h. The passes are written for the IR of LLVM 19. */
#ifndef CUDASIM_COMPILER_LLVM_VERSIONS_H
#define CUDASIM_COMPILER_LLVM_VERSIONS_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A module that was read becomes what LLVM 19 would have read: kernels and their bounds stand in nvvm.annotations, and
 * intrinsics have the names and arguments of that version. of_clang: its kernels may be inlined, which clang
 * forbids from version 20 on. */
void module_settle(LLVMModuleRef module, bool of_clang);

/* Whether clang makes code of launches from device code: calls of cudaLaunchDevice(). */
bool clang_makes_launches(void);

/* Whether module_settle() makes calls of this intrinsic, which LLVM itself does not know any more. */
bool intrinsic_settled(const char *name);

/* What this LLVM calls an intrinsic of LLVM 19's where that is no more than a name, and the other way. */
const char *intrinsic_name_here(const char *then);
const char *intrinsic_name_19(const char *now);

/* A module as LLVM's own passes and back end of GPUs want it, after module_settle(). */
void module_unsettle(LLVMModuleRef module);

#ifdef __cplusplus
}

#include <memory>
#include <utility>

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/TargetTransformInfoImpl.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#if LLVM_VERSION_MAJOR >= 20
#include <llvm/IR/CmpPredicate.h>
#endif

namespace llvm_versions
{

/* What PatternMatch's m_ICmp() assigns; it converts to a CmpInst::Predicate. */
#if LLVM_VERSION_MAJOR >= 20
using IcmpPredicate = llvm::CmpPredicate;
#else
using IcmpPredicate = llvm::CmpInst::Predicate;
#endif

/* What GEPOperator::collectOffset() fills. */
#if LLVM_VERSION_MAJOR >= 20
using GepOffsets = llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4>;
#else
using GepOffsets = llvm::MapVector<llvm::Value *, llvm::APInt>;
#endif

inline llvm::Function *intrinsic_declare(llvm::Module *module, llvm::Intrinsic::ID id,
					 llvm::ArrayRef<llvm::Type *> types)
{
#if LLVM_VERSION_MAJOR >= 20
	return llvm::Intrinsic::getOrInsertDeclaration(module, id, types);
#else
	return llvm::Intrinsic::getDeclaration(module, id, types);
#endif
}

/* Whether an operand (-1: the result) of an intrinsic, of no target, is a type of its name. */
inline bool intrinsic_overloaded_at(llvm::Intrinsic::ID id, int operand)
{
#if LLVM_VERSION_MAJOR >= 20
	return llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, operand, nullptr);
#else
	return llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, operand);
#endif
}

/* Whether an operand of an intrinsic, of no target, stays a scalar where it works on vectors. */
inline bool intrinsic_scalar_at(llvm::Intrinsic::ID id, unsigned operand)
{
#if LLVM_VERSION_MAJOR >= 20
	return llvm::isVectorIntrinsicWithScalarOpAtArg(id, operand, nullptr);
#else
	return llvm::isVectorIntrinsicWithScalarOpAtArg(id, operand);
#endif
}

/* add(manager) is called where LLVM's pipeline begins to simplify a module. */
template <class Add> void at_early_simplification(llvm::PassBuilder &builder, Add add)
{
#if LLVM_VERSION_MAJOR >= 20
	builder.registerPipelineEarlySimplificationEPCallback(
		[add](llvm::ModulePassManager &manager, llvm::OptimizationLevel,
		      llvm::ThinOrFullLTOPhase) { add(manager); });
#else
	builder.registerPipelineEarlySimplificationEPCallback(
		[add](llvm::ModulePassManager &manager, llvm::OptimizationLevel) { add(manager); });
#endif
}

/* Says that a variable of the source stands in storage, from the instruction before on. */
inline void debug_declare(llvm::DIBuilder &builder, llvm::Value *storage,
			  llvm::DILocalVariable *variable, llvm::DIExpression *expression,
			  const llvm::DILocation *place, llvm::Instruction *before)
{
#if LLVM_VERSION_MAJOR >= 20
	builder.insertDeclare(storage, variable, expression, place, before->getIterator());
#else
	builder.insertDeclare(storage, variable, expression, place, before);
#endif
}

/* A target on which threads diverge, and values as uniformity(v) says. */
enum class Uniformity { BY_OPERANDS, ALWAYS, NEVER };

template <class Source>
class DivergentTarget : public llvm::TargetTransformInfoImplCRTPBase<DivergentTarget<Source>>
{
	Source uniformity;

public:
	DivergentTarget(const llvm::DataLayout &layout, Source uniformity)
	    : llvm::TargetTransformInfoImplCRTPBase<DivergentTarget<Source>>(layout),
	      uniformity(uniformity)
	{
	}
#if LLVM_VERSION_MAJOR >= 22
	bool hasBranchDivergence(const llvm::Function * = nullptr) const override
	{
		return true;
	}
	llvm::InstructionUniformity getInstructionUniformity(const llvm::Value *v) const override
	{
		switch (uniformity(v)) {
		case Uniformity::ALWAYS:
			return llvm::InstructionUniformity::AlwaysUniform;
		case Uniformity::NEVER:
			return llvm::InstructionUniformity::NeverUniform;
		default:
			return llvm::InstructionUniformity::Default;
		}
	}
#else
	bool hasBranchDivergence(const llvm::Function * = nullptr) const
	{
		return true;
	}
	bool isSourceOfDivergence(const llvm::Value *v) const
	{
		return uniformity(v) == Uniformity::NEVER;
	}
	bool isAlwaysUniform(const llvm::Value *v) const
	{
		return uniformity(v) == Uniformity::ALWAYS;
	}
#endif
};

template <class Source>
llvm::TargetTransformInfo divergent_target(const llvm::DataLayout &layout, Source uniformity)
{
#if LLVM_VERSION_MAJOR >= 22
	return llvm::TargetTransformInfo(
		std::make_unique<DivergentTarget<Source>>(layout, uniformity));
#else
	return llvm::TargetTransformInfo(DivergentTarget<Source>(layout, uniformity));
#endif
}

} // namespace llvm_versions

#endif
#endif
