/* SPDX-License-Identifier: Apache-2.0 */
/* pass_padding.cpp - the bits beside a local structure's bit fields begin as zeros.
 *
 * Storing to a bit field reads the word around it. Where nothing has written that word, C++
 * leaves the neighbours open; nvcc's optimiser takes zeros for them, which then show where the
 * whole structure is copied to memory (seen on an H200). In plain bodies they would be whatever the
 * stack holds. The watched body keeps its pattern for what nobody has written. */
extern "C" {
#include "lower.h"
}

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace
{

constexpr uint64_t max_bytes = 256; /* of a variable; larger ones are arrays of structures */

/* A store of what was loaded from the same place with some bits exchanged. */
bool exchanges_bits(const StoreInst &store)
{
	const Value *word = store.getValueOperand();
	const Value *kept = word, *a, *b;
	if (!word->getType()->isIntegerTy())
		return false;
	if (match(word, m_Or(m_Value(a), m_Value(b))))
		kept = match(a, m_And(m_Load(m_Value()), m_ConstantInt())) ? a : b;
	const Value *from;
	return match(kept, m_And(m_Load(m_Value(from)), m_ConstantInt())) &&
	       from->stripPointerCasts() == store.getPointerOperand()->stripPointerCasts();
}

/* The variables whose bit fields a function writes: allocas, and results that it returns in
 * the caller's memory. */
SmallVector<Value *, 8> variables_of(Function &f)
{
	SmallVector<Value *, 8> found;
	const DataLayout &layout = f.getDataLayout();
	for (Instruction &i : instructions(f)) {
		auto *store = dyn_cast<StoreInst>(&i);
		if (!store || !exchanges_bits(*store))
			continue;
		int64_t offset;
		Value *base = GetPointerBaseWithConstantOffset(store->getPointerOperand(), offset,
							       layout);
		auto *memory = dyn_cast<AllocaInst>(base);
		auto *result = dyn_cast<Argument>(base);
		bool is_ours = memory ? !memory->isArrayAllocation()
				      : result && result->hasStructRetAttr();
		if (is_ours && !is_contained(found, base))
			found.push_back(base);
	}
	return found;
}

void clear(Function &f, Value *variable)
{
	auto *memory = dyn_cast<AllocaInst>(variable);
	Type *type = memory ? memory->getAllocatedType()
			    : cast<Argument>(variable)->getParamStructRetType();
	uint64_t size = f.getDataLayout().getTypeStoreSize(type).getFixedValue();
	if (size > max_bytes)
		return;
	SmallVector<Instruction *, 4> begins; /* where the variable's scope begins */
	for (User *user : variable->users()) {
		auto *call = dyn_cast<IntrinsicInst>(user);
		if (call && call->getIntrinsicID() == Intrinsic::lifetime_start)
			begins.push_back(call->getNextNode());
	}
	if (begins.empty())
		begins.push_back(&*f.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
	for (Instruction *before : begins) {
		IRBuilder<> b(before);
		b.CreateMemSet(variable, b.getInt8(0), size, MaybeAlign());
	}
}

} // namespace

extern "C" struct cudasim_error *pass_padding(struct device_module *dm)
{
	for (Function &f : *unwrap(dm->module)) {
		for (Value *variable : variables_of(f))
			clear(f, variable);
	}
	return nullptr;
}
