/* SPDX-License-Identifier: Apache-2.0 */
/* loop_events.cpp - see loop_events.h. */
#include "loop_events.h"

#include <llvm-c/DebugInfo.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "own_atomics.h"

using namespace llvm;

static const char access_name[] = "__cudasim_loop_access";

/* The arguments of __cudasim_loop_access(). */
enum { LINEAR, ADDRESS, SIZE, FLAGS, VALUE, SITE };

static const Function *callee_of(const Value *instruction)
{
	auto *call = dyn_cast<CallInst>(instruction);
	return call ? call->getCalledFunction() : nullptr;
}

bool loop_event_is_access(LLVMValueRef instruction)
{
	const Function *callee = callee_of(unwrap(instruction));
	return callee && callee->getName() == access_name;
}

bool loop_event_is(LLVMValueRef instruction)
{
	const Function *callee = callee_of(unwrap(instruction));
	return callee &&
	       (callee->getName() == access_name || callee->getName() == "__cudasim_loop_bounds" ||
		callee->getName() == "__cudasim_loop_unwritten");
}

bool loop_event_is_alone(LLVMValueRef instruction)
{
	if (!loop_event_is_access(instruction))
		return false;
	auto *event = cast<CallInst>(unwrap(instruction));
	auto *size = dyn_cast<ConstantInt>(event->getArgOperand(SIZE));
	uint64_t flags = cast<ConstantInt>(event->getArgOperand(FLAGS))->getZExtValue();
	return flags & CUDASIM_ACCESS_STORE && !(flags & CUDASIM_ACCESS_ATOMIC) &&
	       (!size || size->getZExtValue() > sizeof(uint64_t) || flags & CUDASIM_ACCESS_COPY);
}

/* Certainly within a variable, at its right place. */
static bool is_own(const CallInst &event, const DataLayout &layout)
{
	auto *size = dyn_cast<ConstantInt>(event.getArgOperand(SIZE));
	APInt offset(64, 0);
	const Value *base = event.getArgOperand(ADDRESS)->stripAndAccumulateConstantOffsets(
		layout, offset, true);
	auto *variable = dyn_cast<AllocaInst>(base);
	if (!variable || !size)
		return false;
	std::optional<TypeSize> bytes = variable->getAllocationSize(layout);
	uint64_t flags = cast<ConstantInt>(event.getArgOperand(FLAGS))->getZExtValue();
	uint64_t alignment = 1ull << (flags >> CUDASIM_ACCESS_ALIGN_SHIFT & 0xf);
	return bytes && !offset.isNegative() &&
	       offset.getZExtValue() + size->getZExtValue() <= bytes->getFixedValue() &&
	       offset.getZExtValue() % alignment == 0 && variable->getAlign().value() >= alignment;
}

void loop_events_drop_own(LLVMValueRef value)
{
	auto &function = *unwrap<Function>(value);
	const DataLayout &layout = function.getParent()->getDataLayout();
	for (Instruction &i : make_early_inc_range(instructions(function)))
		if (loop_event_is_access(wrap(&i)) && is_own(cast<CallInst>(i), layout))
			i.eraseFromParent();
}

/* Does the address go to an event of an access, or where nobody knows who accesses it? Other events
 * only name it. */
static bool is_accessed_unseen(const Value *address, SmallPtrSetImpl<const Value *> &visited)
{
	if (!visited.insert(address).second)
		return false;
	for (const User *user : address->users()) {
		if (isa<PtrToIntInst>(user)) {
			/* An offset in a variable, for its bounds. */
			if (!all_of(user->users(), [](const User *of) {
				    auto *i = dyn_cast<BinaryOperator>(of);
				    return i && i->getOpcode() == Instruction::Sub;
			    }))
				return true;
		} else if (isa<GetElementPtrInst, CastInst, PHINode, SelectInst>(user)) {
			if (!user->getType()->isPointerTy() || is_accessed_unseen(user, visited))
				return true;
		} else if (auto *store = dyn_cast<StoreInst>(user)) {
			if (store->getValueOperand() == address)
				return true;
		} else if (isa<CallInst>(user)) {
			LLVMValueRef call = wrap(user);
			if (!isa<IntrinsicInst>(user) &&
			    (!loop_event_is(call) || loop_event_is_access(call)))
				return true;
		} else if (!isa<LoadInst, ICmpInst>(user)) {
			return true;
		}
	}
	return false;
}

const char *loop_events_settle(LLVMValueRef value)
{
	loop_events_drop_own(value);
	for (const Instruction &i : instructions(*unwrap<Function>(value))) {
		SmallPtrSet<const Value *, 16> visited;
		if (isa<AllocaInst>(i) && is_accessed_unseen(&i, visited))
			return "accesses its own variables by their addresses";
	}
	return nullptr;
}

bool loop_events_are_all_calls(LLVMValueRef function)
{
	for (const Instruction &i : instructions(*unwrap<Function>(function)))
		if (isa<CallBase>(i) && !isa<IntrinsicInst>(i) && !loop_event_is(wrap(&i)) &&
		    !own_atomics_is_call(wrap(&i)))
			return false;
	return true;
}

/* The event of one thread: it becomes that, and calls what any watched body would. */
static void lower(struct device_module *dm, CallInst &event)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(dm->context);
	LLVMPositionBuilderBefore(builder, wrap(&event));
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(wrap(&event)));
	SmallVector<LLVMValueRef, 8> args;
	for (Value *argument : event.args())
		args.push_back(wrap(argument));
	LLVMValueRef block = LLVMGetParam(wrap(event.getFunction()), 1);
	LLVMValueRef thread[] = {block, args[LINEAR]};
	LLVMValueRef f;
	if (loop_event_is_access(wrap(&event))) {
		LLVMTypeRef i32 = LLVMInt32TypeInContext(dm->context),
			    i64 = LLVMInt64TypeInContext(dm->context);
		args = {block,
			args[LINEAR],
			LLVMConstInt(i32, 1, 0),
			args[ADDRESS],
			LLVMConstInt(i64, 0, 0),
			LLVMConstNull(LLVMPointerTypeInContext(dm->context, 0)),
			args[SIZE],
			args[FLAGS],
			LLVMConstNull(LLVMPointerTypeInContext(dm->context, 0)),
			args[VALUE],
			args[SITE]};
		f = device_runtime(dm, "__cudasim_on_lanes");
	} else {
		LLVMValueRef become = device_runtime(dm, "__cudasim_loop_watched");
		LLVMBuildCall2(builder, LLVMGlobalGetValueType(become), become, thread, 2, "");
		f = device_runtime(dm, event.getCalledFunction()->getName().ends_with("bounds")
					       ? "__cudasim_on_bounds"
					       : "__cudasim_on_unwritten");
		args.erase(args.begin());
	}
	LLVMBuildCall2(builder, LLVMGlobalGetValueType(f), f, args.data(), (unsigned)args.size(),
		       "");
	LLVMDisposeBuilder(builder);
	event.eraseFromParent();
}

void loop_events_lower(struct device_module *dm, LLVMValueRef function)
{
	for (Instruction &i : make_early_inc_range(instructions(*unwrap<Function>(function))))
		if (loop_event_is(wrap(&i)))
			lower(dm, cast<CallInst>(i));
}
