/* SPDX-License-Identifier: Apache-2.0 */
#include "call_pairs.h"

#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

using namespace llvm;

namespace
{

SmallVector<CallInst *, 8> calls_of(Function &in, const Function *callee)
{
	SmallVector<CallInst *, 8> calls;
	for (Instruction &i : instructions(in))
		if (auto *call = dyn_cast<CallInst>(&i))
			if (call->getCalledFunction() == callee)
				calls.push_back(call);
	return calls;
}

void unite(CallInst &first, CallInst &one, CallInst &other, Function &both)
{
	Function &in = *first.getFunction();
	IRBuilder<> top(&in.getEntryBlock(), in.getEntryBlock().getFirstInsertionPt());
	Type *type = first.getType();
	Value *places[2] = {top.CreateAlloca(type), top.CreateAlloca(type)};
	IRBuilder<> b(&first);
	CallInst *call = b.CreateCall(&both, {first.getArgOperand(0), places[0], places[1]});
	call->setCallingConv(both.getCallingConv());
	Value *values[2] = {b.CreateLoad(type, places[0]), b.CreateLoad(type, places[1])};
	one.replaceAllUsesWith(values[0]);
	other.replaceAllUsesWith(values[1]);
	one.eraseFromParent();
	other.eraseFromParent();
}

} // namespace

bool calls_pair(LLVMValueRef function, LLVMValueRef one, LLVMValueRef other, LLVMValueRef both)
{
	auto &f = *unwrap<Function>(function);
	auto ones = calls_of(f, unwrap<Function>(one)),
	     others = calls_of(f, unwrap<Function>(other));
	DominatorTree before(f);
	PostDominatorTree after(f);
	bool found = false;
	for (CallInst *&a : ones)
		for (CallInst *&b : others) {
			if (!a || !b || a->getArgOperand(0) != b->getArgOperand(0))
				continue;
			CallInst *first = before.dominates(a, b)   ? a
					  : before.dominates(b, a) ? b
								   : nullptr;
			CallInst *second = first == a ? b : a;
			if (!first || !after.dominates(second->getParent(), first->getParent()))
				continue;
			unite(*first, *a, *b, *unwrap<Function>(both));
			a = b = nullptr;
			found = true;
		}
	return found;
}

void function_mark_pure(LLVMValueRef function)
{
	auto *f = unwrap<Function>(function);
	f->setDoesNotAccessMemory();
	f->setDoesNotThrow();
	f->setWillReturn();
}

void function_mark_used(LLVMValueRef function)
{
	auto *f = unwrap<Function>(function);
	appendToCompilerUsed(*f->getParent(), {f});
}

void function_mark_unused(LLVMValueRef function)
{
	auto *f = unwrap<Function>(function);
	removeFromUsedLists(*f->getParent(), [f](Constant *c) { return c == f; });
}
