/* SPDX-License-Identifier: Apache-2.0 */
/* lane_updates.cpp - what own_atomics_join() has made, for the lanes of a vector.
 *
 * Lanes may meet at one address, so they come one after the other. Where the addresses of all count on, as those of
 * sums by columns do, they do not: then the function's code is done once, on vectors. */
#include <llvm/IR/Instructions.h>

#include "own_atomics.h"
#include "vector_emit.h"

using namespace llvm;

namespace vectorize
{

static bool has_vectors(const Instruction &i)
{
	return isa<BinaryOperator, UnaryOperator, CastInst, CmpInst, SelectInst, FreezeInst>(i);
}

/* The code between the function's load and its store: false where some of it has no vectors. */
static bool has_vectors(const Function &update)
{
	const BasicBlock &block = update.getEntryBlock();
	for (const Instruction &i : block)
		if (!isa<LoadInst, StoreInst, ReturnInst>(i) && !has_vectors(i))
			return false;
	return true;
}

/* Lane k's address is lane 0's plus k elements, and all lanes are there. */
Value *Emitter::counts_on(Value *addresses, Type *element, Value *mask)
{
	Type *i64 = builder.getInt64Ty(), *bits_type = builder.getIntNTy(n_lanes);
	Value *all = builder.CreatePtrToInt(addresses, widen(i64));
	Value *first = builder.CreateExtractElement(all, (uint64_t)0);
	SmallVector<Constant *, 16> offsets;
	for (unsigned k = 0; k < n_lanes; k++)
		offsets.push_back(builder.getInt64(k * layout.getTypeStoreSize(element)));
	Value *wanted = builder.CreateAdd(builder.CreateVectorSplat(n_lanes, first),
					  ConstantVector::get(offsets));
	Value *is = builder.CreateICmpEQ(all, wanted);
	if (mask)
		is = builder.CreateAnd(is, mask);
	return builder.CreateICmpEQ(builder.CreateBitCast(is, bits_type),
				    Constant::getAllOnesValue(bits_type));
}

/* The function's code on vectors; arguments has those of its parameters. Returns what was there. */
Value *Emitter::update_all(Function &update, ArrayRef<Value *> arguments)
{
	std::map<const Value *, Value *> wide;
	Value *address = builder.CreateExtractElement(arguments[0], (uint64_t)0), *old = nullptr;
	for (unsigned k = 0; k < arguments.size(); k++)
		wide[update.getArg(k)] = arguments[k];
	auto form = [&](Value *v) -> Value * {
		auto *constant = dyn_cast<Constant>(v);
		return constant
			       ? ConstantVector::getSplat(ElementCount::getFixed(n_lanes), constant)
			       : wide.at(v);
	};
	for (Instruction &i : update.getEntryBlock()) {
		if (auto *load = dyn_cast<LoadInst>(&i)) {
			old = builder.CreateAlignedLoad(widen(i.getType()), address,
							load->getAlign());
			wide[&i] = old;
		} else if (auto *store = dyn_cast<StoreInst>(&i)) {
			builder.CreateAlignedStore(form(store->getValueOperand()), address,
						   store->getAlign());
		} else if (!i.isTerminator()) {
			Instruction *copy = i.clone();
			for (Use &operand : copy->operands())
				operand.set(form(operand));
			copy->mutateType(widen(i.getType()));
			wide[&i] = builder.Insert(copy);
		}
	}
	return old;
}

void Emitter::emit_update(CallInst &call, Value *mask)
{
	Function &update = *call.getCalledFunction();
	SmallVector<Value *, 8> arguments;
	if (plan.shape(call.getArgOperand(0)).kind == Shape::UNIFORM || !has_vectors(update)) {
		define(call, nullptr, each_lane(call, mask));
		return;
	}
	/* Before the branch, since both ways use them. */
	for (Value *argument : call.args())
		arguments.push_back(vector(argument));
	Value *ok = counts_on(arguments[0], call.getType(), mask);
	define(call, nullptr,
	       choose(
		       ok, [&] { return update_all(update, arguments); },
		       [&] { return each_lane(call, mask); }));
}

} // namespace vectorize
