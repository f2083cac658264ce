/* SPDX-License-Identifier: Apache-2.0 */
#include "constant_tables.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/KnownBits.h>

#include "llvm_versions.h"

using namespace llvm;

namespace
{

/* An element of a table: at `fixed` + `index` * `scale` bytes. */
struct Element {
	const GlobalVariable *table = nullptr;
	Value *index = nullptr;
	APInt fixed, scale;
};

/* False where the address has no index, several, or is in no constant table. */
bool find_element(Value *address, const DataLayout &layout, Element &ret)
{
	unsigned bits = layout.getIndexTypeSizeInBits(address->getType());
	ret.fixed = APInt(bits, 0);
	for (;;) {
		if (auto *cast = dyn_cast<AddrSpaceCastOperator>(address)) {
			address = cast->getPointerOperand();
			continue;
		}
		auto *gep = dyn_cast<GEPOperator>(address);
		if (!gep)
			break;
		llvm_versions::GepOffsets indices;
		if (!gep->collectOffset(layout, bits, indices, ret.fixed) ||
		    indices.size() + (ret.index != nullptr) > 1)
			return false;
		if (!indices.empty()) {
			ret.index = indices.front().first;
			ret.scale = indices.front().second;
		}
		address = gep->getPointerOperand();
	}
	ret.table = dyn_cast<GlobalVariable>(address);
	return ret.index && ret.index->getType()->isIntegerTy(bits) && ret.table &&
	       ret.table->isConstant() && ret.table->hasDefinitiveInitializer();
}

Constant *read(const Element &element, const APInt &index, Type *type, const DataLayout &layout)
{
	APInt offset = element.fixed + element.scale * index;
	uint64_t size = layout.getTypeAllocSize(element.table->getValueType());
	if (offset.isNegative() || offset.getZExtValue() + layout.getTypeStoreSize(type) > size)
		return nullptr;
	return ConstantFoldLoadFromConst(const_cast<Constant *>(element.table->getInitializer()),
					 type, offset, layout);
}

bool choose(LoadInst &load, const DataLayout &layout)
{
	Element element;
	if (!load.isSimple() || !find_element(load.getPointerOperand(), layout, element))
		return false;
	KnownBits known = computeKnownBits(element.index, layout);
	APInt unknown = ~(known.Zero | known.One);
	if (unknown.popcount() != 1)
		return false;
	Constant *clear = read(element, known.One, load.getType(), layout);
	Constant *set = read(element, known.One | unknown, load.getType(), layout);
	if (!clear || !set)
		return false;
	IRBuilder<> b(&load);
	Value *bit = b.CreateAnd(element.index, ConstantInt::get(b.getContext(), unknown));
	load.replaceAllUsesWith(b.CreateSelect(b.CreateIsNotNull(bit), set, clear));
	return true;
}

} // namespace

void constants_choose(LLVMValueRef function)
{
	auto &f = *unwrap<Function>(function);
	for (Instruction &i : make_early_inc_range(instructions(f))) {
		auto *load = dyn_cast<LoadInst>(&i);
		if (load && choose(*load, f.getParent()->getDataLayout()))
			load->eraseFromParent();
	}
}
