/* SPDX-License-Identifier: Apache-2.0 */
#include "own_atomics.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "function_analyses.h"
#include "thread_loop.h"

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

/* ---- loops around a comparison and exchange ---------------------------------------------- */

namespace
{

const char *const update_mark = "cudasim-update"; /* the functions that own_atomics_join() makes */

/* One thread's loop: from what is read to what is written. */
struct Update {
	AtomicCmpXchgInst *exchange;
	PHINode *read;
	BasicBlock *out; /* behind the loop */
	SmallSetVector<Instruction *, 16>
		steps; /* from `read` to what is written, in their order */
	SmallSetVector<Value *, 8> inputs;
};

bool is_field(const Value *v, const AtomicCmpXchgInst &exchange, unsigned field)
{
	auto *extract = dyn_cast<ExtractValueInst>(v);
	return extract && extract->getAggregateOperand() == &exchange &&
	       extract->getIndices() == ArrayRef(field);
}

/* Where a branch leads when the exchange was done; nullptr: it is about something else. */
BasicBlock *done_at(const BranchInst &end, const Update &u)
{
	if (!end.isConditional())
		return nullptr;
	if (is_field(end.getCondition(), *u.exchange, 1))
		return end.getSuccessor(0);
	auto *test = dyn_cast<ICmpInst>(end.getCondition());
	if (!test || !test->isEquality())
		return nullptr;
	Value *a = test->getOperand(0), *b = test->getOperand(1);
	if (is_field(b, *u.exchange, 0))
		std::swap(a, b);
	if (!is_field(a, *u.exchange, 0) || b != u.read)
		return nullptr;
	return end.getSuccessor(test->getPredicate() == CmpInst::ICMP_NE);
}

bool is_step(const Instruction &i)
{
	return !isa<PHINode>(i) && !i.mayReadOrWriteMemory() && !i.mayHaveSideEffects() &&
	       !i.isTerminator();
}

/* Those between the block's read and its exchange that follow from what was read; false where they are not such as
 * may stand in a function of their own. */
bool find_steps(Update &u)
{
	BasicBlock &block = *u.exchange->getParent();
	for (Instruction &i : block) {
		if (&i == u.exchange)
			break;
		bool follows = false;
		for (Value *operand : i.operands())
			follows |= operand == u.read || (isa<Instruction>(operand) &&
							 u.steps.count(cast<Instruction>(operand)));
		if (!follows || isa<PHINode>(i))
			continue;
		if (!is_step(i))
			return false;
		u.steps.insert(&i);
	}
	for (Instruction *i : u.steps) {
		for (User *user : i->users())
			if (user != u.exchange && !u.steps.count(cast<Instruction>(user)))
				return false;
		for (Value *operand : i->operands())
			if (operand != u.read && !isa<Constant>(operand) &&
			    !(isa<Instruction>(operand) &&
			      u.steps.count(cast<Instruction>(operand))))
				u.inputs.insert(operand);
	}
	Value *written = u.exchange->getNewValOperand();
	auto *last = dyn_cast<Instruction>(written);
	if (!isa<Constant>(written) && !(last && u.steps.count(last)))
		u.inputs.insert(written);
	return true;
}

bool find_update(AtomicCmpXchgInst &exchange, Update &u)
{
	BasicBlock *block = exchange.getParent();
	auto *end = dyn_cast<BranchInst>(block->getTerminator());
	u.exchange = &exchange;
	u.read = dyn_cast<PHINode>(exchange.getCompareOperand());
	if (!end || !u.read || u.read->getParent() != block)
		return false;
	for (Value *value : u.read->incoming_values())
		if (value == u.read)
			return false;
	u.out = done_at(*end, u);
	/* Another turn begins at once: where something is asked before it, lanes that another one has come before must
	 * ask again. */
	if (!u.out || u.out == block || end->getSuccessor(end->getSuccessor(0) == u.out) != block)
		return false;
	/* Nothing between the exchange and the branch but what it answers. */
	for (Instruction *i = exchange.getNextNode(); i != end; i = i->getNextNode())
		if (i->mayReadOrWriteMemory() || i->mayHaveSideEffects())
			return false;
	/* What another turn reads is what the exchange has found. */
	bool again = false;
	for (Value *value : u.read->incoming_values())
		again |= is_field(value, exchange, 0);
	return again && find_steps(u);
}

/* The steps from `read` on, in a function of their own whose parameters are the address and the inputs. Returns what
 * they write. */
Value *copy_steps(Update &u, Function &f, Value *read, IRBuilder<> &b)
{
	ValueToValueMapTy copies;
	copies[u.read] = read;
	for (unsigned i = 0; i < u.inputs.size(); i++)
		copies[u.inputs[i]] = f.getArg(i + 1);
	for (Instruction *i : u.steps) {
		Instruction *copy = i->clone();
		copy->setDebugLoc(DebugLoc());
		b.Insert(copy);
		RemapInstruction(copy, copies, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
		Value *known = simplifyInstruction(copy,
						   SimplifyQuery(f.getParent()->getDataLayout()));
		copies[i] = known ? known : copy;
	}
	Value *written = u.exchange->getNewValOperand();
	auto found = copies.find(written);
	return found == copies.end() ? written : (Value *)found->second;
}

/* What nobody else has. */
void write_own(Update &u, Function &f, IRBuilder<> &b)
{
	Type *type = u.exchange->getCompareOperand()->getType();
	Value *old = load_now(b, type, f.getArg(0), u.exchange->getAlign());
	Value *written = copy_steps(u, f, old, b);
	b.CreateAlignedStore(written, f.getArg(0), u.exchange->getAlign(), true);
	b.CreateRet(old);
}

/* The loop as it was. */
void write_loop(Update &u, Function &f, IRBuilder<> &b)
{
	Type *type = u.exchange->getCompareOperand()->getType();
	BasicBlock *start = b.GetInsertBlock(), *again = BasicBlock::Create(b.getContext(), "", &f),
		   *end = BasicBlock::Create(b.getContext(), "", &f);
	LoadInst *first = b.CreateAlignedLoad(type, f.getArg(0), u.exchange->getAlign());
	first->setAtomic(AtomicOrdering::Monotonic, u.exchange->getSyncScopeID());
	b.CreateBr(again);
	b.SetInsertPoint(again);
	PHINode *read = b.CreatePHI(type, 2);
	Value *written = copy_steps(u, f, read, b);
	auto *exchange = cast<AtomicCmpXchgInst>(u.exchange->clone());
	exchange->setDebugLoc(DebugLoc());
	exchange->setOperand(0, f.getArg(0));
	exchange->setOperand(1, read);
	exchange->setOperand(2, written);
	b.Insert(exchange);
	read->addIncoming(first, start);
	read->addIncoming(b.CreateExtractValue(exchange, 0), again);
	b.CreateCondBr(b.CreateExtractValue(exchange, 1), end, again);
	b.SetInsertPoint(end);
	b.CreateRet(read);
}

Function *make_function(Update &u)
{
	Module &module = *u.exchange->getModule();
	Type *type = u.exchange->getCompareOperand()->getType();
	SmallVector<Type *, 8> types = {u.exchange->getPointerOperand()->getType()};
	for (Value *input : u.inputs)
		types.push_back(input->getType());
	Function *f = Function::Create(FunctionType::get(type, types, false),
				       GlobalValue::InternalLinkage, "update", module);
	f->addFnAttr(update_mark);
	f->addFnAttr(Attribute::NoInline);
	f->addFnAttr(Attribute::NoUnwind);
	f->addFnAttr(Attribute::WillReturn);
	f->setMemoryEffects(MemoryEffects::argMemOnly());
	IRBuilder<> b(BasicBlock::Create(module.getContext(), "", f));
	if (u.exchange->getSyncScopeID() == SyncScope::SingleThread)
		write_own(u, *f, b);
	else
		write_loop(u, *f, b);
	return f;
}

void inline_updates(Module &module)
{
	for (Function &f : make_early_inc_range(module)) {
		if (!f.hasFnAttribute(update_mark))
			continue;
		for (User *user : make_early_inc_range(f.users())) {
			InlineFunctionInfo info;
			InlineFunction(*cast<CallBase>(user), info);
		}
		f.eraseFromParent();
	}
}

} // namespace

/* False where the exchange is in no such loop, and nothing has changed; else blocks may be left that nobody reaches. */
static bool join(AtomicCmpXchgInst &exchange)
{
	Update u;
	if (!find_update(exchange, u))
		return false;
	SmallVector<Value *, 8> arguments = {exchange.getPointerOperand()};
	arguments.append(u.inputs.begin(), u.inputs.end());
	BasicBlock *block = exchange.getParent();
	IRBuilder<> b(&exchange);
	CallInst *call = b.CreateCall(make_function(u), arguments);
	Value *both = b.CreateInsertValue(PoisonValue::get(exchange.getType()), call, 0);
	both = b.CreateInsertValue(both, b.getTrue(), 1);
	auto *end = cast<BranchInst>(block->getTerminator());
	block->removePredecessor(block, true);
	b.SetInsertPoint(end);
	b.CreateBr(u.out)->setDebugLoc(end->getDebugLoc());
	end->eraseFromParent();
	u.read->replaceUsesWithIf(call, [&](Use &use) {
		auto *user = cast<Instruction>(use.getUser());
		return user != &exchange && !u.steps.count(user);
	});
	exchange.replaceAllUsesWith(both);
	exchange.eraseFromParent();
	/* The first look is the function's own. */
	for (Value *value : u.read->incoming_values())
		if (auto *load = dyn_cast<LoadInst>(value); load && load->hasOneUse())
			load->setOrdering(AtomicOrdering::NotAtomic);
	/* Whether anybody asks what was there decides how lanes do it. */
	SmallVector<WeakTrackingVH, 8> dead;
	for (BasicBlock *of : {block, u.out})
		for (Instruction &i : *of)
			if (!i.isTerminator() && &i != call)
				dead.push_back(&i);
	RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
	return true;
}

void own_atomics_join(LLVMValueRef function, bool own)
{
	auto &f = *unwrap<Function>(function);
	std::vector<AtomicCmpXchgInst *> exchanges;
	for (Instruction &i : instructions(f)) {
		auto *exchange = dyn_cast<AtomicCmpXchgInst>(&i);
		if (exchange && (!own || exchange->getSyncScopeID() == SyncScope::SingleThread))
			exchanges.push_back(exchange);
	}
	bool any = false;
	for (AtomicCmpXchgInst *exchange : exchanges)
		any |= join(*exchange);
	if (any)
		removeUnreachableBlocks(f);
}

bool own_atomics_is_call(LLVMValueRef value)
{
	auto *call = dyn_cast<CallInst>(unwrap(value));
	Function *callee = call ? call->getCalledFunction() : nullptr;
	return callee && callee->hasFnAttribute(update_mark);
}

/* ---- at the end ------------------------------------------------------------------------- */

void own_atomics_lower(LLVMModuleRef module)
{
	inline_updates(*unwrap(module));
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

/* ---- neighbours' additions ------------------------------------------------------------ */

namespace
{

const char *const last_mark = "cudasim.last"; /* nothing of the thread's region follows it */
enum { TOGETHER = 4, WORD = 4 };

/* Whether b is of the word behind a's. */
bool follows(function_analyses &analyses, AtomicRMWInst &a, AtomicRMWInst &b)
{
	ScalarEvolution &evolution = analyses.evolution;
	auto *step = dyn_cast<SCEVConstant>(
		evolution.getMinusSCEV(evolution.getSCEV(b.getPointerOperand()),
				       evolution.getSCEV(a.getPointerOperand())));
	return step && step->getAPInt() == WORD;
}

bool is_addition(const Instruction &i)
{
	auto *change = dyn_cast<AtomicRMWInst>(&i);
	return change && change->getOperation() == AtomicRMWInst::Add && change->use_empty() &&
	       change->getType()->isIntegerTy(8 * WORD) && !change->isVolatile() &&
	       change->getSyncScopeID() == SyncScope::System;
}

/* Neither writes nor has to stand where it stands. */
bool is_quiet(const Instruction &i)
{
	if (auto *load = dyn_cast<LoadInst>(&i))
		return load->isSimple();
	return !i.mayReadOrWriteMemory() && !i.mayHaveSideEffects();
}

bool is_last(const AtomicRMWInst &change, const Loop &loop)
{
	const BasicBlock *block = change.getParent();
	if (block != loop.getLoopLatch())
		return false;
	for (const Instruction *i = change.getNextNode(); i; i = i->getNextNode())
		if (i->mayReadOrWriteMemory() || i->mayHaveSideEffects())
			return false;
	return true;
}

using Group = std::array<AtomicRMWInst *, TOGETHER>;

/* Marked additions to words side by side, which nothing but quiet instructions part. */
std::vector<Group> find_groups(BasicBlock &block, function_analyses &analyses)
{
	std::vector<Group> ret;
	std::vector<AtomicRMWInst *> run;
	for (Instruction &i : block) {
		if (is_addition(i) && i.getMetadata(last_mark)) {
			auto &change = cast<AtomicRMWInst>(i);
			if (!run.empty() && !follows(analyses, *run.back(), change))
				run.clear();
			run.push_back(&change);
		} else if (!is_quiet(i)) {
			run.clear();
		}
		if (run.size() == TOGETHER) {
			Group group;
			std::copy(run.begin(), run.end(), group.begin());
			ret.push_back(group);
			run.clear();
		}
	}
	return ret;
}

/* Compare and exchange the four words until nobody has come between. */
void add_together(IRBuilder<> &b, Value *address, Value *sum, BasicBlock *after)
{
	BasicBlock *from = b.GetInsertBlock();
	BasicBlock *again = BasicBlock::Create(b.getContext(), "again", from->getParent(), after);
	Type *whole = b.getInt128Ty();
	Align align(TOGETHER * WORD);
	Value *first = b.CreateAlignedLoad(whole, address, align);
	b.CreateBr(again);
	b.SetInsertPoint(again);
	PHINode *old = b.CreatePHI(whole, 2);
	Value *now = b.CreateAdd(b.CreateBitCast(old, sum->getType()), sum);
	Value *done = b.CreateAtomicCmpXchg(address, old, b.CreateBitCast(now, whole), align,
					    AtomicOrdering::SequentiallyConsistent,
					    AtomicOrdering::SequentiallyConsistent);
	old->addIncoming(first, from);
	old->addIncoming(b.CreateExtractValue(done, 0), again);
	b.CreateCondBr(b.CreateExtractValue(done, 1), after, again);
}

void merge(const Group &group)
{
	AtomicRMWInst *first = group.front(), *last = group.back();
	IRBuilder<> b(last);
	Value *address = first->getPointerOperand(),
	      *sum = PoisonValue::get(FixedVectorType::get(first->getType(), TOGETHER));
	for (unsigned i = 0; i < TOGETHER; i++)
		sum = b.CreateInsertElement(sum, group[i]->getValOperand(), i);
	Value *place = b.CreatePtrToInt(address, b.getInt64Ty());
	Value *fits = b.CreateICmpEQ(b.CreateAnd(place, TOGETHER * WORD - 1), b.getInt64(0));
	Instruction *wide, *narrow;
	SplitBlockAndInsertIfThenElse(fits, last->getIterator(), &wide, &narrow);
	for (AtomicRMWInst *change : group)
		change->moveBefore(*narrow->getParent(), narrow->getIterator());
	BasicBlock *after = wide->getSuccessor(0);
	b.SetInsertPoint(wide);
	b.SetCurrentDebugLocation(last->getDebugLoc());
	add_together(b, address, sum, after);
	wide->eraseFromParent();
}

} // namespace

void own_atomics_mark_last(LLVMValueRef function)
{
	auto &f = *unwrap<Function>(function);
	if (none_of(instructions(f), is_addition))
		return;
	function_analyses analyses(f);
	for (Loop *loop : analyses.loops.getLoopsInPreorder()) {
		if (!loop->isInnermost() || !loop->getLoopLatch() || !is_thread_loop(*loop))
			continue;
		for (Instruction &i : *loop->getLoopLatch()) {
			if (!is_addition(i) || !is_last(cast<AtomicRMWInst>(i), *loop))
				continue;
			i.setMetadata(last_mark, MDNode::get(f.getContext(), {}));
		}
	}
}

void own_atomics_merge(LLVMModuleRef module)
{
	for (Function &f : *unwrap(module)) {
		auto is_marked = [](const Instruction &i) {
			return i.getMetadata(last_mark) != nullptr;
		};
		if (none_of(instructions(f), is_marked))
			continue;
		std::vector<Group> groups;
		{
			function_analyses analyses(f);
			for (BasicBlock &block : f)
				for (const Group &group : find_groups(block, analyses))
					groups.push_back(group);
		}
		for (const Group &group : groups)
			merge(group);
	}
}
