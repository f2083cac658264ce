/* SPDX-License-Identifier: Apache-2.0 */
#include "bridge_atomic.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

using namespace llvm;

/* Volatile, since lanes of a vector might well meet at one address. */
static LoadInst *load_now(IRBuilder<> &b, Type *type, Value *address, Align align)
{
	return b.CreateAlignedLoad(type, address, align, true);
}

static void lower_change(AtomicRMWInst *i)
{
	IRBuilder<> b(i);
	Value *address = i->getPointerOperand();
	Value *old = load_now(b, i->getType(), address, i->getAlign());
	Value *now = buildAtomicRMWValue(i->getOperation(), b, old, i->getValOperand());
	b.CreateAlignedStore(now, address, i->getAlign(), true);
	i->replaceAllUsesWith(old);
	i->eraseFromParent();
}

static void lower_exchange(AtomicCmpXchgInst *i)
{
	IRBuilder<> b(i);
	Value *address = i->getPointerOperand(), *expected = i->getCompareOperand();
	Value *old = load_now(b, expected->getType(), address, i->getAlign());
	Value *same = b.CreateICmpEQ(old, expected);
	b.CreateAlignedStore(b.CreateSelect(same, i->getNewValOperand(), old), address,
			     i->getAlign(), true);
	Value *both = b.CreateInsertValue(PoisonValue::get(i->getType()), old, 0);
	i->replaceAllUsesWith(b.CreateInsertValue(both, same, 1));
	i->eraseFromParent();
}

void bridge_lower_own_atomics(LLVMModuleRef module)
{
	for (Function &f : *unwrap(module))
		for (Instruction &i : make_early_inc_range(instructions(f))) {
			auto *change = dyn_cast<AtomicRMWInst>(&i);
			auto *exchange = dyn_cast<AtomicCmpXchgInst>(&i);
			if (change && change->getSyncScopeID() == SyncScope::SingleThread)
				lower_change(change);
			else if (exchange && exchange->getSyncScopeID() == SyncScope::SingleThread)
				lower_exchange(exchange);
		}
}
