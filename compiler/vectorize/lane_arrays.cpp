/* SPDX-License-Identifier: Apache-2.0 */
/* lane_arrays.cpp - the arrays that threads have for themselves, element by element.
 *
 * Where lanes have whole copies one behind the other, a load with an index that is the same for all lanes gathers.
 * Here element k of all lanes stands side by side, then element k + 1: that load is one of a vector. Addresses are
 * multiplied in the loop as it is, before lanes are made of it; lane 0's elements are then n_lanes apart, lane 1's
 * one element further on.
 *
 * Done where all accesses of an array have one size, at multiples of it, through addresses that are computed from the
 * array's in the loop and go nowhere else. */
#include "lane_arrays.h"

#include <llvm/Analysis/Utils/Local.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace vectorize
{

namespace
{

enum { MOST_AT_ONCE = 64 /* elements of one copy or setting, which become as many accesses */ };

/* What is done with an array. */
struct Uses {
	SmallVector<GetElementPtrInst *, 16> addresses; /* each behind what it is computed from */
	SmallVector<Instruction *, 16> accesses;
	SmallVector<MemIntrinsic *, 4> blocks;
	SmallVector<IntrinsicInst *, 4> hints;
	uint64_t element = 0; /* bytes of all accesses */
};

class Weaver
{
public:
	Weaver(AllocaInst &array, const Loop &loop, unsigned n_lanes)
	    : array(array), loop(loop), n_lanes(n_lanes), layout(array.getDataLayout())
	{
	}

	/* Its bytes of an element; 0 where it is not for this form. */
	uint64_t find();
	AllocaInst *run();

private:
	AllocaInst &array;
	const Loop &loop;
	unsigned n_lanes;
	const DataLayout &layout;
	Uses uses;
	std::map<Value *, Value *> woven; /* addresses to what they become */

	bool add_user(Instruction &user, Value *address);
	bool add_access(Instruction &access, Type *type);
	bool has_elements(GetElementPtrInst &gep) const;
	bool fits(const MemIntrinsic &block) const;
	Value *address_at(IRBuilder<> &b, Value *address, uint64_t k);
	void expand(MemIntrinsic &block);
};

bool Weaver::add_access(Instruction &access, Type *type)
{
	uint64_t size = layout.getTypeStoreSize(type).getFixedValue();
	bool simple = isa<LoadInst>(access) ? cast<LoadInst>(access).isSimple()
					    : cast<StoreInst>(access).isSimple();
	if (!simple || size != layout.getTypeAllocSize(type).getFixedValue() ||
	    (uses.element && uses.element != size))
		return false;
	uses.element = size;
	uses.accesses.push_back(&access);
	return true;
}

bool Weaver::add_user(Instruction &user, Value *address)
{
	if (!loop.contains(&user))
		return isa<IntrinsicInst>(user) && cast<IntrinsicInst>(user).isLifetimeStartOrEnd();
	if (auto *gep = dyn_cast<GetElementPtrInst>(&user)) {
		if (gep->getPointerOperand() != address || gep->getType()->isVectorTy())
			return false;
		uses.addresses.push_back(gep);
		return true;
	}
	if (auto *load = dyn_cast<LoadInst>(&user))
		return add_access(*load, load->getType());
	if (auto *store = dyn_cast<StoreInst>(&user))
		return store->getValueOperand() != address &&
		       add_access(*store, store->getValueOperand()->getType());
	if (auto *block = dyn_cast<MemIntrinsic>(&user)) {
		if (!is_contained(uses.blocks, block))
			uses.blocks.push_back(block);
		return true;
	}
	auto *hint = dyn_cast<IntrinsicInst>(&user);
	if (!hint || !hint->isLifetimeStartOrEnd())
		return false;
	uses.hints.push_back(hint);
	return true;
}

/* Does it lead from element to element? */
bool Weaver::has_elements(GetElementPtrInst &gep) const
{
	for (auto part = gep_type_begin(gep); part != gep_type_end(gep); ++part) {
		auto *constant = dyn_cast<ConstantInt>(part.getOperand());
		uint64_t step;
		if (StructType *type = part.getStructTypeOrNull())
			step = layout.getStructLayout(type)->getElementOffset(
				(unsigned)constant->getZExtValue());
		else
			step = layout.getTypeAllocSize(part.getIndexedType()).getFixedValue() *
			       (constant ? (uint64_t)constant->getSExtValue() : 1);
		if (step % uses.element)
			return false;
	}
	return true;
}

bool Weaver::fits(const MemIntrinsic &block) const
{
	auto *length = dyn_cast<ConstantInt>(block.getLength());
	auto *set = dyn_cast<MemSetInst>(&block);
	return length && !block.isVolatile() && !isa<MemMoveInst>(block) &&
	       (!set || isa<ConstantInt>(set->getValue())) &&
	       length->getZExtValue() % uses.element == 0 &&
	       length->getZExtValue() / uses.element <= MOST_AT_ONCE;
}

uint64_t Weaver::find()
{
	SmallVector<Value *, 16> addresses = {&array};
	for (size_t i = 0; i < addresses.size(); i++)
		for (User *user : addresses[i]->users()) {
			size_t before = uses.addresses.size();
			if (!add_user(*cast<Instruction>(user), addresses[i]))
				return 0;
			if (uses.addresses.size() > before)
				addresses.push_back(uses.addresses.back());
		}
	if (!uses.element || !isPowerOf2_64(uses.element) || uses.element > 8)
		return 0;
	for (GetElementPtrInst *gep : uses.addresses)
		if (!has_elements(*gep))
			return 0;
	for (MemIntrinsic *block : uses.blocks)
		if (!fits(*block))
			return 0;
	return uses.element;
}

/* Of element k from an address on, whether that is woven or not. */
Value *Weaver::address_at(IRBuilder<> &b, Value *address, uint64_t k)
{
	auto found = woven.find(address);
	uint64_t step = uses.element * (found == woven.end() ? 1 : n_lanes);
	return b.CreateGEP(b.getInt8Ty(), found == woven.end() ? address : found->second,
			   b.getInt64(k * step));
}

void Weaver::expand(MemIntrinsic &block)
{
	IRBuilder<> b(&block);
	uint64_t n = cast<ConstantInt>(block.getLength())->getZExtValue() / uses.element;
	Type *type = b.getIntNTy((unsigned)uses.element * 8);
	auto align_of = [&](Value *address, MaybeAlign known) {
		return woven.count(address) ? Align(uses.element)
					    : commonAlignment(known.valueOrOne(), uses.element);
	};
	for (uint64_t k = 0; k < n; k++) {
		Value *value;
		if (auto *set = dyn_cast<MemSetInst>(&block)) {
			APInt byte = cast<ConstantInt>(set->getValue())->getValue();
			value = ConstantInt::get(type,
						 APInt::getSplat((unsigned)uses.element * 8, byte));
		} else {
			auto &copy = cast<MemCpyInst>(block);
			value = b.CreateAlignedLoad(
				type, address_at(b, copy.getRawSource(), k),
				align_of(copy.getRawSource(), copy.getSourceAlign()));
		}
		b.CreateAlignedStore(value, address_at(b, block.getRawDest(), k),
				     align_of(block.getRawDest(), block.getDestAlign()));
	}
	block.eraseFromParent();
}

AllocaInst *Weaver::run()
{
	uint64_t bytes = array.getAllocationSize(layout)->getFixedValue() * n_lanes;
	IRBuilder<> at_array(&array);
	AllocaInst *wide = at_array.CreateAlloca(ArrayType::get(at_array.getInt8Ty(), bytes),
						 nullptr, "woven");
	wide->setAlignment(array.getAlign());
	woven[&array] = wide;
	for (IntrinsicInst *hint : uses.hints)
		hint->eraseFromParent();
	for (GetElementPtrInst *gep : uses.addresses) {
		IRBuilder<> b(gep);
		Value *offset = b.CreateMul(emitGEPOffset(&b, layout, gep), b.getInt64(n_lanes));
		woven[gep] = b.CreateGEP(b.getInt8Ty(), woven.at(gep->getPointerOperand()), offset);
	}
	for (Instruction *access : uses.accesses) {
		unsigned operand = isa<LoadInst>(access) ? 0 : 1;
		access->setOperand(operand, woven.at(access->getOperand(operand)));
	}
	for (MemIntrinsic *block : uses.blocks)
		expand(*block);
	for (auto gep = uses.addresses.rbegin(); gep != uses.addresses.rend(); ++gep)
		(*gep)->eraseFromParent();
	return wide;
}

} // namespace

LaneArrays weave_arrays(Function &f, const Loop &loop, unsigned n_lanes)
{
	LaneArrays all;
	SmallVector<AllocaInst *, 8> arrays;
	for (Instruction &i : f.getEntryBlock()) {
		auto *array = dyn_cast<AllocaInst>(&i);
		auto size = array ? array->getAllocationSize(f.getDataLayout()) : std::nullopt;
		if (size && !size->isScalable())
			arrays.push_back(array);
	}
	for (AllocaInst *array : arrays) {
		Weaver weaver(*array, loop, n_lanes);
		if (uint64_t element = weaver.find())
			all[weaver.run()] = element;
	}
	return all;
}

} // namespace vectorize
