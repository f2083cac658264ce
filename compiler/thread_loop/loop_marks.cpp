/* SPDX-License-Identifier: Apache-2.0 */
#include "loop_marks.h"
#include "own_atomics.h"
#include "thread_loop.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Metadata.h>

using namespace llvm;

void block_truncate(LLVMValueRef value)
{
	auto *first = unwrap<Instruction>(value);
	BasicBlock *block = first->getParent();
	for (BasicBlock *next : successors(block))
		next->removePredecessor(block);
	while (true) {
		Instruction &last = block->back();
		bool done = &last == first;
		if (!last.use_empty())
			last.replaceAllUsesWith(PoisonValue::get(last.getType()));
		last.eraseFromParent();
		if (done)
			break;
	}
}

void call_forbid_inlining(LLVMValueRef call)
{
	unwrap<CallBase>(call)->setIsNoInline();
}

void loads_clear_invariant(LLVMValueRef function)
{
	for (Instruction &i : instructions(*unwrap<Function>(function)))
		if (auto *load = dyn_cast<LoadInst>(&i))
			if (isa<AllocaInst>(getUnderlyingObject(load->getPointerOperand())))
				load->setMetadata(LLVMContext::MD_invariant_load, nullptr);
}

static const char parallel[] = "llvm.loop.parallel_accesses";

void thread_loop_mark(LLVMValueRef back_edge)
{
	auto *branch = unwrap<Instruction>(back_edge);
	LLVMContext &c = branch->getContext();
	MDNode *group = MDNode::getDistinct(c, {});
	Metadata *accesses[] = {MDString::get(c, parallel), group};
	Metadata *members[] = {nullptr, MDNode::get(c, accesses)};
	MDNode *id = MDNode::getDistinct(c, members);
	id->replaceOperandWith(0, id);
	branch->setMetadata(LLVMContext::MD_loop, id);
}

static const char region[] = "cudasim.region", row[] = "cudasim.row", lanes[] = "cudasim.lanes";

static void add_name(LLVMValueRef back_edge, StringRef name)
{
	auto *branch = unwrap<Instruction>(back_edge);
	LLVMContext &c = branch->getContext();
	MDNode *id = branch->getMetadata(LLVMContext::MD_loop);
	SmallVector<Metadata *, 4> members(id->op_begin(), id->op_end());
	members.push_back(MDNode::get(c, MDString::get(c, name)));
	MDNode *changed = MDNode::getDistinct(c, members);
	changed->replaceOperandWith(0, changed);
	branch->setMetadata(LLVMContext::MD_loop, changed);
}

void thread_loop_mark_region(LLVMValueRef back_edge, bool rows)
{
	add_name(back_edge, rows ? row : region);
}

void thread_loop_mark_lanes(LLVMValueRef back_edge)
{
	add_name(back_edge, lanes);
}

/* The member of a loop's metadata that begins with this name; nullptr where there is none. */
static const MDNode *member_of(const MDNode *id, StringRef wanted)
{
	for (unsigned i = 1; id && i < id->getNumOperands(); i++) {
		auto *member = dyn_cast<MDNode>(id->getOperand(i));
		auto *name = member && member->getNumOperands()
				     ? dyn_cast<MDString>(member->getOperand(0))
				     : nullptr;
		if (name && name->getString() == wanted)
			return member;
	}
	return nullptr;
}

static bool has_name(const Loop &loop, StringRef wanted)
{
	return member_of(loop.getLoopID(), wanted);
}

bool is_row_loop(const Loop &loop)
{
	return has_name(loop, row);
}

bool is_region_loop(const Loop &loop)
{
	return has_name(loop, region) || is_row_loop(loop);
}

bool is_lane_loop(const Loop &loop)
{
	return has_name(loop, lanes);
}

/* The access group in a loop's metadata; nullptr where it is not a named loop's. */
static MDNode *group_in(const MDNode *id)
{
	const MDNode *member = member_of(id, parallel);
	return member && member->getNumOperands() == 2 ? cast<MDNode>(member->getOperand(1))
						       : nullptr;
}

static MDNode *group_of(const Loop &loop)
{
	return group_in(loop.getLoopID());
}

bool thread_loop_is_marked(LLVMValueRef back_edge)
{
	return back_edge &&
	       group_in(unwrap<Instruction>(back_edge)->getMetadata(LLVMContext::MD_loop));
}

bool is_thread_loop(const Loop &loop)
{
	return group_of(loop);
}

static const Value *address_of(const Instruction &i)
{
	if (auto *load = dyn_cast<LoadInst>(&i))
		return load->isSimple() ? load->getPointerOperand() : nullptr;
	if (auto *store = dyn_cast<StoreInst>(&i))
		return store->isSimple() ? store->getPointerOperand() : nullptr;
	return nullptr;
}

static bool mark_loop(const Loop &loop, MDNode *group)
{
	SmallVector<Instruction *, 32> accesses;
	for (BasicBlock *block : loop.blocks()) {
		for (Instruction &i : *block) {
			if (!i.mayReadOrWriteMemory() || isa<AssumeInst, NoAliasScopeDeclInst>(i))
				continue;
			const Value *address = address_of(i);
			if (!address || isa<AllocaInst>(getUnderlyingObject(address)))
				return false;
			accesses.push_back(&i);
		}
	}
	for (Instruction *i : accesses)
		i->setMetadata(LLVMContext::MD_access_group, group);
	return true;
}

void thread_loops_mark_accesses(LLVMValueRef value)
{
	auto *function = unwrap<Function>(value);
	for (Instruction &i : instructions(*function))
		if (isa<AllocaInst>(i))
			return;
	DominatorTree tree(*function);
	LoopInfo loops(tree);
	for (const Loop *loop : loops.getLoopsInPreorder())
		if (MDNode *group = group_of(*loop))
			mark_loop(*loop, group);
}

/* Add a member to the metadata of each loop over threads. */
static void add_to_named(Function &function, MDNode *added)
{
	for (BasicBlock &block : function) {
		Instruction *end = block.getTerminator();
		MDNode *id = end->getMetadata(LLVMContext::MD_loop);
		if (!member_of(id, parallel))
			continue;
		SmallVector<Metadata *, 4> members(id->op_begin(), id->op_end());
		members.push_back(added);
		MDNode *changed = MDNode::getDistinct(id->getContext(), members);
		changed->replaceOperandWith(0, changed);
		end->setMetadata(LLVMContext::MD_loop, changed);
	}
}

void thread_loops_forbid_unrolling(LLVMValueRef value)
{
	auto *function = unwrap<Function>(value);
	LLVMContext &c = function->getContext();
	add_to_named(*function, MDNode::get(c, MDString::get(c, "llvm.loop.unroll.disable")));
}

/* LLVM stops where it has taken that many out already. */
void thread_loops_forbid_peeling(LLVMValueRef value)
{
	auto *function = unwrap<Function>(value);
	LLVMContext &c = function->getContext();
	Constant *many = ConstantInt::get(Type::getInt32Ty(c), INT16_MAX);
	Metadata *peeled[] = {MDString::get(c, "llvm.loop.peeled.count"),
			      ConstantAsMetadata::get(many)};
	add_to_named(*function, MDNode::get(c, peeled));
}

static bool calls_nobody(const Function &function, unsigned deepest)
{
	if (function.getName() == "__cudasim_loop_frame")
		return true;
	if (function.isDeclaration() || !deepest)
		return false;
	for (const Instruction &i : instructions(function)) {
		auto *call = dyn_cast<CallBase>(&i);
		if (!call || isa<IntrinsicInst>(call))
			continue;
		const Function *callee = call->getCalledFunction();
		if (!callee || !calls_nobody(*callee, deepest - 1))
			return false;
	}
	return true;
}

bool function_calls_nobody(LLVMValueRef value)
{
	enum { DEEPEST = 4 }; /* so that functions that call themselves are found */
	return calls_nobody(*unwrap<Function>(value), DEEPEST);
}

bool function_only_returns(LLVMValueRef value)
{
	auto *function = unwrap<Function>(value);
	return !function->isDeclaration() && isa<ReturnInst>(function->getEntryBlock().front());
}

bool function_is_short(LLVMValueRef value)
{
	enum { MOST_INSTRUCTIONS = 600 };
	auto *function = unwrap<Function>(value);
	DominatorTree tree(*function);
	LoopInfo loops(tree);
	unsigned n = 0;
	for (const Loop *loop : loops.getLoopsInPreorder())
		if (loop->isInnermost() && !group_of(*loop))
			return false;
	for (const Loop *loop : loops.getLoopsInPreorder())
		if (!group_of(*loop) && loop->getSubLoops().size() != 1 &&
		    !all_of(loop->getSubLoops(), [](const Loop *l) { return group_of(*l); }))
			return false;
	for (Instruction &i : instructions(*function))
		if ((isa<CallBase>(i) && !isa<IntrinsicInst>(i) &&
		     !own_atomics_is_call(wrap(&i))) ||
		    ++n > MOST_INSTRUCTIONS)
			return false;
	return true;
}

bool function_is_vectorized(LLVMValueRef value)
{
	for (BasicBlock &block : *unwrap<Function>(value)) {
		MDNode *id = block.getTerminator()->getMetadata(LLVMContext::MD_loop);
		for (unsigned i = 1; id && i < id->getNumOperands(); i++) {
			auto *member = dyn_cast<MDNode>(id->getOperand(i));
			auto *name = member && member->getNumOperands()
					     ? dyn_cast<MDString>(member->getOperand(0))
					     : nullptr;
			if (name && name->getString() == "llvm.loop.isvectorized")
				return true;
		}
	}
	return false;
}

bool function_has_vectors(LLVMValueRef value)
{
	for (Instruction &i : instructions(*unwrap<Function>(value)))
		if (i.getType()->isVectorTy())
			return true;
	return false;
}

void loops_allow_unrolling(LLVMValueRef value)
{
	for (BasicBlock &block : *unwrap<Function>(value)) {
		Instruction *end = block.getTerminator();
		MDNode *id = end->getMetadata(LLVMContext::MD_loop);
		if (!id)
			continue;
		SmallVector<Metadata *, 4> members = {nullptr};
		for (unsigned i = 1; i < id->getNumOperands(); i++) {
			auto *member = dyn_cast<MDNode>(id->getOperand(i));
			auto *name = member && member->getNumOperands()
					     ? dyn_cast<MDString>(member->getOperand(0))
					     : nullptr;
			if (!name || name->getString() != "llvm.loop.unroll.disable")
				members.push_back(id->getOperand(i));
		}
		if (members.size() == id->getNumOperands())
			continue;
		MDNode *changed = MDNode::getDistinct(id->getContext(), members);
		changed->replaceOperandWith(0, changed);
		end->setMetadata(LLVMContext::MD_loop, changed);
	}
}
