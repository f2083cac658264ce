/* SPDX-License-Identifier: Apache-2.0 */
/* lane_events.cpp - the event of an access (loop_events.h), for the lanes of a vector: one call says of
 * all of them where they access memory. */
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "loop_events.h"
#include "vector_emit.h"

using namespace llvm;

namespace vectorize
{

/* __cudasim_on_lanes() as the module declares it. */
static FunctionCallee on_lanes(Module &module)
{
	LLVMContext &c = module.getContext();
	Type *i32 = Type::getInt32Ty(c), *i64 = Type::getInt64Ty(c),
	     *pointer = PointerType::getUnqual(c);
	FunctionCallee f = module.getOrInsertFunction(
		"__cudasim_on_lanes", FunctionType::get(Type::getVoidTy(c),
							{pointer, i32, i32, pointer, i64, pointer,
							 i64, i32, pointer, i64, pointer},
							false));
	cast<Function>(f.getCallee())->setDoesNotThrow();
	return f;
}

void Emitter::emit_event(CallInst &event, Value *mask)
{
	enum { LINEAR, ADDRESS, SIZE, FLAGS, VALUE, SITE };
	Value *linear = event.getArgOperand(LINEAR), *address = event.getArgOperand(ADDRESS),
	      *size = event.getArgOperand(SIZE);
	Shape thread = plan.shape(linear), place = plan.shape(address);
	if (thread.kind != Shape::STRIDED || thread.stride != 1 ||
	    plan.shape(size).kind != Shape::UNIFORM) {
		each_lane(event, mask);
		return;
	}
	Type *i32 = builder.getInt32Ty(), *i64 = builder.getInt64Ty();
	Value *bits = builder.CreateZExtOrTrunc(
		builder.CreateBitCast(all_or(mask), builder.getIntNTy(n_lanes)), i32);
	Value *null = ConstantPointerNull::get(builder.getPtrTy());
	/* Before the ways part: all that one of them uses. */
	Value *first = scalar(linear), *bytes = scalar(size);
	Value *lanes = place.kind == Shape::UNIFORM ? nullptr : vector(address),
	      *base = place.kind == Shape::VARYING ? nullptr : scalar(address);
	Value *stored = event.getArgOperand(VALUE), *values = null,
	      *value = ConstantInt::get(i64, 0);
	if (plan.shape(stored).kind == Shape::UNIFORM) {
		value = scalar(stored);
	} else {
		if (!told_values)
			told_values = variable(widen(i64), "values");
		values = told_values;
		builder.CreateStore(vector(stored), told_values);
	}
	bool stores = cast<ConstantInt>(event.getArgOperand(FLAGS))->getZExtValue() &
		      CUDASIM_ACCESS_STORE;
	auto tell = [&](Value *from, int64_t stride, Value *addresses) {
		CallInst *call = builder.CreateCall(on_lanes(*function.getParent()),
						    {function.getArg(1), first, bits, from,
						     ConstantInt::getSigned(i64, stride), addresses,
						     bytes, event.getArgOperand(FLAGS), values,
						     value, event.getArgOperand(SITE)});
		/* It reads the addresses. What lanes store it may store before them. */
		if (!stores)
			call->setMemoryEffects(MemoryEffects::argMemOnly(ModRefInfo::Ref) |
					       MemoryEffects::inaccessibleMemOnly());
	};
	auto strided = [&]() -> Value * {
		tell(base, place.kind == Shape::UNIFORM ? 0 : place.stride, null);
		return nullptr;
	};
	auto scattered = [&]() -> Value * {
		if (!told)
			told = variable(widen(i64), "told");
		builder.CreateStore(builder.CreatePtrToInt(lanes, widen(i64)), told);
		tell(null, 0, told);
		return nullptr;
	};
	auto one_by_one = [&]() -> Value * { return each_lane(event, mask); };
	auto all = [&]() -> Value * {
		return base ? choose(regular(address), strided, scattered) : scattered();
	};
	choose(regular(linear), all, one_by_one);
}

} // namespace vectorize
