/* SPDX-License-Identifier: Apache-2.0 */
/* lane_updates.cpp - what own_atomics_join() has made, for the lanes of a vector.
 *
 * Lanes may meet at one address, so they come one after the other. Where the addresses of all count on, as those of
 * sums by columns do, they do not: then the function's code is done once, on vectors. Where all have one address, and
 * nobody asks what was there, memory is read and written once for all of them. */
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

/* What the function makes of `old` for one lane after the other. arguments has vectors. */
Value *Emitter::update_in_turn(Function &update, ArrayRef<Value *> arguments, Value *old,
			       Value *mask)
{
	/* The block that computes, what it begins with, and what it writes. */
	BasicBlock *code = nullptr;
	Value *read = nullptr, *written = nullptr;
	for (BasicBlock &b : update)
		for (Instruction &i : b) {
			if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&i)) {
				read = exchange->getCompareOperand();
				written = exchange->getNewValOperand();
			} else if (auto *store = dyn_cast<StoreInst>(&i)) {
				read = &b.front();
				written = store->getValueOperand();
			}
			if (written && !code)
				code = &b;
		}
	Type *bits_type = builder.getIntNTy(n_lanes);
	Value *bits = builder.CreateBitCast(all_or(mask), bits_type);
	BasicBlock *from = builder.GetInsertBlock(), *body = block("lane"),
		   *end = block("lanes.end");
	builder.CreateBr(body);
	builder.SetInsertPoint(body);
	PHINode *left = builder.CreatePHI(bits_type, 2),
		*now = builder.CreatePHI(old->getType(), 2);
	Value *lane = builder.CreateIntrinsic(Intrinsic::cttz, {bits_type},
					      {left, builder.getTrue()});
	std::map<const Value *, Value *> made = {{read, now}};
	for (unsigned k = 1; k < arguments.size(); k++)
		made[update.getArg(k)] = extract(arguments[k], lane);
	auto form = [&](Value *v) -> Value * { return isa<Constant>(v) ? v : made.at(v); };
	for (Instruction &i : *code) {
		if (&i == read)
			continue;
		if (isa<StoreInst, AtomicCmpXchgInst>(i))
			break;
		Instruction *copy = i.clone();
		for (Use &operand : copy->operands())
			operand.set(form(operand));
		made[&i] = builder.Insert(copy);
	}
	Value *next = form(written);
	Value *rest = builder.CreateAnd(left,
					builder.CreateSub(left, ConstantInt::get(bits_type, 1)));
	left->addIncoming(bits, from);
	left->addIncoming(rest, body);
	now->addIncoming(old, from);
	now->addIncoming(next, body);
	builder.CreateCondBr(builder.CreateICmpNE(rest, ConstantInt::get(bits_type, 0)), body, end);
	builder.SetInsertPoint(end);
	return next;
}

/* For all lanes at one address, which nobody else has, or at which all is tried again until nobody has come between. */
void Emitter::update_one(Function &update, Value *address, ArrayRef<Value *> arguments, Value *mask)
{
	auto &first = *cast<LoadInst>(update.getEntryBlock().begin());
	AtomicCmpXchgInst *exchange = nullptr;
	StoreInst *store = nullptr;
	for (BasicBlock &b : update)
		for (Instruction &i : b) {
			exchange = isa<AtomicCmpXchgInst>(i) ? cast<AtomicCmpXchgInst>(&i)
							     : exchange;
			store = isa<StoreInst>(i) ? cast<StoreInst>(&i) : store;
		}
	auto *old = cast<LoadInst>(builder.Insert(first.clone()));
	old->setOperand(0, address);
	if (store) {
		Value *written = update_in_turn(update, arguments, old, mask);
		auto *copy = cast<StoreInst>(builder.Insert(store->clone()));
		copy->setOperand(0, written);
		copy->setOperand(1, address);
		return;
	}
	BasicBlock *from = builder.GetInsertBlock(), *again = block("again"), *end = block("done");
	builder.CreateBr(again);
	builder.SetInsertPoint(again);
	PHINode *read = builder.CreatePHI(old->getType(), 2);
	Value *written = update_in_turn(update, arguments, read, mask);
	auto *copy = cast<AtomicCmpXchgInst>(builder.Insert(exchange->clone()));
	copy->setOperand(0, address);
	copy->setOperand(1, read);
	copy->setOperand(2, written);
	read->addIncoming(old, from);
	read->addIncoming(builder.CreateExtractValue(copy, 0), builder.GetInsertBlock());
	builder.CreateCondBr(builder.CreateExtractValue(copy, 1), end, again);
	builder.SetInsertPoint(end);
}

void Emitter::emit_update(CallInst &call, Value *mask)
{
	Function &update = *call.getCalledFunction();
	SmallVector<Value *, 8> arguments;
	if (plan.shape(call.getArgOperand(0)).kind == Shape::UNIFORM && call.use_empty()) {
		for (Value *argument : call.args())
			arguments.push_back(vector(argument));
		update_one(update, scalar(call.getArgOperand(0)), arguments, mask);
		return;
	}
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

/* Is it one change for all lanes, in any order, of which nobody asks what was there before? */
bool Emitter::adds_up(const AtomicRMWInst &i) const
{
	switch (i.getOperation()) {
	case AtomicRMWInst::Add:
	case AtomicRMWInst::And:
	case AtomicRMWInst::Or:
	case AtomicRMWInst::Xor:
	case AtomicRMWInst::Max:
	case AtomicRMWInst::Min:
	case AtomicRMWInst::UMax:
	case AtomicRMWInst::UMin:
		return i.use_empty() && !i.isVolatile() &&
		       plan.shape(i.getPointerOperand()).kind == Shape::UNIFORM;
	default:
		return false;
	}
}

/* What all lanes change, as one change: see adds_up(). */
void Emitter::emit_sum(AtomicRMWInst &i, Value *mask)
{
	static const std::map<AtomicRMWInst::BinOp, std::pair<Intrinsic::ID, int>> forms = {
		{AtomicRMWInst::Add, {Intrinsic::vector_reduce_add, 0}},
		{AtomicRMWInst::And, {Intrinsic::vector_reduce_and, -1}},
		{AtomicRMWInst::Or, {Intrinsic::vector_reduce_or, 0}},
		{AtomicRMWInst::Xor, {Intrinsic::vector_reduce_xor, 0}},
		{AtomicRMWInst::Max, {Intrinsic::vector_reduce_smax, 0}},
		{AtomicRMWInst::Min, {Intrinsic::vector_reduce_smin, 0}},
		{AtomicRMWInst::UMax, {Intrinsic::vector_reduce_umax, 0}},
		{AtomicRMWInst::UMin, {Intrinsic::vector_reduce_umin, -1}},
	};
	auto [reduce, neutral] = forms.at(i.getOperation());
	Type *type = i.getType();
	unsigned width = type->getIntegerBitWidth();
	APInt nothing(width, (uint64_t)neutral, true);
	if (i.getOperation() == AtomicRMWInst::Max)
		nothing = APInt::getSignedMinValue(width);
	if (i.getOperation() == AtomicRMWInst::Min)
		nothing = APInt::getSignedMaxValue(width);
	Value *values = vector(i.getValOperand());
	if (mask)
		values = builder.CreateSelect(mask, values,
					      ConstantInt::get(values->getType(), nothing));
	auto *copy = cast<AtomicRMWInst>(i.clone());
	copy->setOperand(0, scalar(i.getPointerOperand()));
	copy->setOperand(1, builder.CreateIntrinsic(reduce, {values->getType()}, {values}));
	builder.Insert(copy);
}

} // namespace vectorize
