/* SPDX-License-Identifier: Apache-2.0 */
/* space_tests.cpp - see space_tests.h.
 *
 * isspacep.shared is `address - block->shared < block->shared_bytes` (compiler/builtins/registers.c). Library
 * headers ask that before each operation on a barrier, and have a long way for other memory. */
#include "space_tests.h"

#include <cstddef>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "cudasim/abi.h"

using namespace llvm;
using namespace PatternMatch;

namespace
{

/* The object whose field at that offset is loaded; NULL where it is another load. */
const Value *object_of(const Value *v, size_t field)
{
	auto *load = dyn_cast<LoadInst>(v);
	if (!load || !load->isSimple())
		return nullptr;
	const DataLayout &layout = load->getModule()->getDataLayout();
	APInt offset(64, 0);
	const Value *base = load->getPointerOperand()->stripAndAccumulateInBoundsConstantOffsets(
		layout, offset);
	return offset == field ? base : nullptr;
}

/* address - window < size, whatever the address is made of. */
bool is_inside(const ICmpInst &test, bool &answer)
{
	Value *address, *window, *size = test.getOperand(1), *narrow;
	if (!match(test.getOperand(0),
		   m_Sub(m_PtrToInt(m_Value(address)), m_PtrToInt(m_Value(window)))))
		return false;
	if (match(size, m_ZExt(m_Value(narrow))))
		size = narrow;
	const Value *block = object_of(window, offsetof(struct cudasim_block, shared));
	if (!block || object_of(size, offsetof(struct cudasim_block, shared_bytes)) != block)
		return false;
	const Value *from = getUnderlyingObject(address, 0);
	answer = test.getPredicate() == CmpInst::ICMP_ULT;
	return (answer || test.getPredicate() == CmpInst::ICMP_UGE) &&
	       object_of(from, offsetof(struct cudasim_block, shared)) == block;
}

} // namespace

void space_tests_fold(LLVMValueRef function, uint32_t least_bytes)
{
	Function &f = *unwrap<Function>(function);
	MDNode *range = MDBuilder(f.getContext()).createRange(APInt(32, least_bytes), APInt(32, 0));
	for (Instruction &i : instructions(f)) {
		bool answer;
		auto *test = dyn_cast<ICmpInst>(&i);
		if (test && is_inside(*test, answer))
			test->replaceAllUsesWith(ConstantInt::get(test->getType(), answer));
		const Value *block = object_of(&i, offsetof(struct cudasim_block, shared_bytes));
		if (block && isa<Argument>(block) && i.getType()->isIntegerTy(32))
			i.setMetadata(LLVMContext::MD_range, range);
	}
}
