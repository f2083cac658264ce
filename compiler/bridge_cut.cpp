/* SPDX-License-Identifier: Apache-2.0 */
/* bridge_cut.cpp - see bridge_cut.h.
 *
 * A value is kept where it is live behind a cut (backward data flow over the uncut
 * function). It is stored once where it is made, if that is in no loop, else before
 * each cut; the regions load it where they begin, and LLVM's SSAUpdater joins the
 * loaded and the computed ones. Arrays that are left on the stack move to the frame as
 * a whole.
 *
 * Source: continuation-based synchronization (Karrenberg, Hack: Improving performance
 * of OpenCL on CPUs, 2012). Rejected: reg2mem before the cut, as it keeps every value
 * that two blocks share. */
#include "bridge_cut.h"

#include <map>
#include <set>
#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

using namespace llvm;

namespace {

enum { MOST_REGIONS = 24, MOST_BYTES = 4096, REMAKE_DEPTH = 10, REMAKE_MOST = 12 };

using Values = std::set<Instruction *>;

/* A place where the function is cut: `before` ends there, `after` begins there. */
struct Cut {
	BasicBlock *before, *after;
};

class Cutter {
public:
	Cutter(Function &function, StringRef barrier)
		: f(function), barrier(barrier), layout(f.getParent()->getDataLayout()) {}
	unsigned run(uint64_t *bytes, const char **why);

private:
	Function &f;
	StringRef barrier;
	const DataLayout &layout;
	std::vector<Cut> cuts;
	std::map<BasicBlock *, Values> live_in;
	std::vector<Instruction *> order; /* all instructions, for a stable order */
	std::map<Instruction *, uint64_t> slots;
	uint64_t frame = 0;
	BasicBlock *head = nullptr;
	const char *reason = nullptr;

	Argument *arg(unsigned i) { return f.getArg(i); }
	bool find_calls(std::vector<CallInst *> &calls);
	void mark_constant_loads();
	void split(const std::vector<CallInst *> &calls);
	void find_live();
	bool can_remake(Value *v, unsigned depth, unsigned &n);
	bool remade(Instruction *v)
	{
		unsigned n = 0;
		return can_remake(v, 0, n);
	}
	Value *remake(Value *v, IRBuilder<> &b, std::map<Value *, Value *> &done);
	uint64_t reserve(uint64_t size, uint64_t align);
	Value *slot_address(IRBuilder<> &b, uint64_t offset, uint64_t size);
	bool move_arrays();
	void add_head();
	void keep_values(LoopInfo &loops);
	void cut_edges();
	void join_values();
};

bool Cutter::find_calls(std::vector<CallInst *> &calls)
{
	for (Instruction &i : instructions(f)) {
		auto *call = dyn_cast<CallBase>(&i);
		if (!call || isa<IntrinsicInst>(call))
			continue;
		Function *callee = call->getCalledFunction();
		if (!callee || callee->getName() != barrier) {
			reason = "calls a function between barriers";
			return false;
		}
		for (unsigned k = 0; k < 2; k++) {
			auto *n = dyn_cast<ConstantInt>(call->getArgOperand(k));
			if (!n || !n->isZero()) {
				reason = "waits at a barrier of its own number or count";
				return false;
			}
		}
		calls.push_back(cast<CallInst>(call));
	}
	if (calls.size() >= MOST_REGIONS) {
		reason = "has too many barriers";
		return false;
	}
	return true;
}

/* Parameters and the block never change. */
void Cutter::mark_constant_loads()
{
	MDNode *none = MDNode::get(f.getContext(), {});
	for (Instruction &i : instructions(f)) {
		auto *load = dyn_cast<LoadInst>(&i);
		if (!load || !load->isSimple())
			continue;
		const Value *object = getUnderlyingObject(load->getPointerOperand());
		if (object == arg(STEP_PARAMS) || object == arg(STEP_BLOCK))
			load->setMetadata(LLVMContext::MD_invariant_load, none);
	}
}

void Cutter::split(const std::vector<CallInst *> &calls)
{
	for (CallInst *call : calls) {
		BasicBlock *before = call->getParent();
		BasicBlock *after = before->splitBasicBlock(std::next(call->getIterator()), "region");
		call->eraseFromParent();
		cuts.push_back({before, after});
	}
	/* A later split has cut an earlier cut's second half: its first half stays, and
	 * `before` of each cut is the block that its branch to `after` stands in. */
	for (Cut &cut : cuts)
		cut.before = cut.after->getSinglePredecessor();
}

void Cutter::find_live()
{
	std::vector<BasicBlock *> blocks;
	for (BasicBlock &b : f)
		blocks.push_back(&b);
	bool again = true;
	while (again) {
		again = false;
		for (auto at = blocks.rbegin(); at != blocks.rend(); ++at) {
			BasicBlock *b = *at;
			Values live;
			for (BasicBlock *next : successors(b)) {
				for (Instruction *v : live_in[next])
					live.insert(v);
				for (PHINode &phi : next->phis())
					if (auto *v = dyn_cast<Instruction>(
						    phi.getIncomingValueForBlock(b)))
						live.insert(v);
			}
			for (auto i = b->rbegin(); i != b->rend(); ++i) {
				live.erase(&*i);
				if (isa<PHINode>(*i))
					continue;
				for (Value *operand : i->operands())
					if (auto *v = dyn_cast<Instruction>(operand))
						live.insert(v);
			}
			if (live != live_in[b]) {
				live_in[b] = live;
				again = true;
			}
		}
	}
}

/* Can v be computed from the parameters alone, in few instructions? */
bool Cutter::can_remake(Value *v, unsigned depth, unsigned &n)
{
	if (isa<Constant>(v) || isa<Argument>(v))
		return true;
	auto *i = dyn_cast<Instruction>(v);
	if (i && i->getParent() == head)
		return true;
	if (!i || depth > REMAKE_DEPTH || ++n > REMAKE_MOST)
		return false;
	if (auto *load = dyn_cast<LoadInst>(i)) {
		if (!load->hasMetadata(LLVMContext::MD_invariant_load))
			return false;
		const Value *object = getUnderlyingObject(load->getPointerOperand());
		if (object != arg(STEP_PARAMS) && object != arg(STEP_BLOCK))
			return false;
	} else if (!isa<BinaryOperator, CastInst, GetElementPtrInst, CmpInst, SelectInst>(i) ||
		   !isSafeToSpeculativelyExecute(i)) {
		return false;
	}
	for (Value *operand : i->operands())
		if (!can_remake(operand, depth + 1, n))
			return false;
	return true;
}

Value *Cutter::remake(Value *v, IRBuilder<> &b, std::map<Value *, Value *> &done)
{
	auto *i = dyn_cast<Instruction>(v);
	if (!i || i->getParent() == head)
		return v;
	auto found = done.find(v);
	if (found != done.end())
		return found->second;
	Instruction *copy = i->clone();
	for (Use &operand : copy->operands())
		operand.set(remake(operand.get(), b, done));
	b.Insert(copy);
	done[v] = copy;
	return copy;
}

uint64_t Cutter::reserve(uint64_t size, uint64_t align)
{
	frame = alignTo(frame, align);
	uint64_t offset = frame;
	frame += size;
	return offset;
}

/* frame + offset * n + size * linear */
Value *Cutter::slot_address(IRBuilder<> &b, uint64_t offset, uint64_t size)
{
	Value *n = b.CreateZExt(arg(STEP_N), b.getInt64Ty());
	Value *linear = b.CreateZExt(arg(STEP_LINEAR), b.getInt64Ty());
	Value *start = b.CreateInBoundsGEP(b.getInt8Ty(), arg(STEP_FRAME),
					   b.CreateNUWMul(n, b.getInt64(offset)));
	return b.CreateInBoundsGEP(b.getInt8Ty(), start, b.CreateNUWMul(linear, b.getInt64(size)));
}

/* A block in front of the first one, for the choice of the region. */
void Cutter::add_head()
{
	BasicBlock *start = &f.getEntryBlock();
	head = BasicBlock::Create(f.getContext(), "head", &f, start);
	BranchInst::Create(start, head);
}

bool Cutter::move_arrays()
{
	std::vector<AllocaInst *> arrays;
	for (Instruction &i : instructions(f))
		if (auto *a = dyn_cast<AllocaInst>(&i))
			arrays.push_back(a);
	for (AllocaInst *a : arrays) {
		auto size = a->getAllocationSize(layout);
		if (!size || size->isScalable() || a->getAlign().value() > 16) {
			reason = "has an array on its stack of a size not known";
			return false;
		}
		for (User *user : make_early_inc_range(a->users()))
			if (auto *i = dyn_cast<Instruction>(user))
				if (i->isLifetimeStartOrEnd())
					i->eraseFromParent();
		uint64_t bytes = alignTo(size->getFixedValue(), 16);
		IRBuilder<> b(head->getTerminator());
		a->replaceAllUsesWith(slot_address(b, reserve(bytes, 16), bytes));
		a->eraseFromParent();
	}
	return true;
}

static uint64_t element_size(const DataLayout &layout, Type *type)
{
	return alignTo(layout.getTypeAllocSize(type).getFixedValue(),
		       layout.getABITypeAlign(type).value());
}

/* Give slots to what the regions need, and fill them. */
void Cutter::keep_values(LoopInfo &loops)
{
	for (Instruction *v : order) {
		std::vector<Cut *> needing;
		for (Cut &cut : cuts)
			if (live_in[cut.after].count(v))
				needing.push_back(&cut);
		if (needing.empty() || remade(v))
			continue;
		uint64_t size = element_size(layout, v->getType());
		uint64_t align = layout.getABITypeAlign(v->getType()).value();
		slots[v] = reserve(size, align > 16 ? align : (size & (size - 1)) ? align : size > 16 ? 16 : size);
		auto store = [&](IRBuilder<> &b) {
			b.CreateAlignedStore(v, slot_address(b, slots[v], size),
					     layout.getABITypeAlign(v->getType()));
		};
		if (!loops.getLoopFor(v->getParent())) {
			BasicBlock *home = v->getParent();
			IRBuilder<> b(home, isa<PHINode>(v) ? home->getFirstInsertionPt()
							    : std::next(v->getIterator()));
			store(b);
			continue;
		}
		for (Cut *cut : needing) {
			IRBuilder<> b(cut->before->getTerminator());
			store(b);
		}
	}
}

/* The end of each region returns the number of the next one. */
void Cutter::cut_edges()
{
	IRBuilder<> b(head->getTerminator());
	SwitchInst *choice = b.CreateSwitch(arg(STEP_REGION), &*std::next(f.begin()),
					    (unsigned)cuts.size());
	head->getTerminator()->eraseFromParent();
	for (unsigned k = 0; k < cuts.size(); k++) {
		Instruction *branch = cuts[k].before->getTerminator();
		ReturnInst::Create(f.getContext(), b.getInt32(k + 1), branch->getIterator());
		branch->eraseFromParent();
		choice->addCase(b.getInt32(k + 1), cuts[k].after);
	}
}

void Cutter::join_values()
{
	/* What each region begins with. */
	std::map<Instruction *, std::vector<std::pair<BasicBlock *, Value *>>> begins;
	for (Cut &cut : cuts) {
		IRBuilder<> b(cut.after, cut.after->getFirstInsertionPt());
		std::map<Value *, Value *> done;
		for (Instruction *v : order) {
			if (v->getParent() == head || !live_in[cut.after].count(v))
				continue;
			auto slot = slots.find(v);
			Value *value;
			if (slot == slots.end())
				value = remake(v, b, done);
			else
				value = b.CreateAlignedLoad(
					v->getType(),
					slot_address(b, slot->second, element_size(layout, v->getType())),
					layout.getABITypeAlign(v->getType()));
			begins[v].push_back({cut.after, value});
		}
	}
	for (Instruction *v : order) {
		auto found = begins.find(v);
		if (found == begins.end())
			continue;
		std::map<BasicBlock *, Value *> at(found->second.begin(), found->second.end());
		SSAUpdater updater;
		updater.Initialize(v->getType(), v->getName());
		updater.AddAvailableValue(v->getParent(), v);
		for (auto &[block, value] : at)
			updater.AddAvailableValue(block, value);
		std::vector<Use *> uses;
		for (Use &use : v->uses())
			uses.push_back(&use);
		for (Use *use : uses) {
			auto *user = cast<Instruction>(use->getUser());
			auto *phi = dyn_cast<PHINode>(user);
			BasicBlock *block = phi ? phi->getIncomingBlock(*use) : user->getParent();
			if (phi)
				updater.RewriteUse(*use);
			else if (block == v->getParent())
				continue;
			else if (at.count(block))
				use->set(at[block]);
			else
				updater.RewriteUse(*use);
		}
	}
}

unsigned Cutter::run(uint64_t *bytes, const char **why)
{
	std::vector<CallInst *> calls;
	*why = nullptr;
	if (!find_calls(calls)) {
		*why = reason;
		return 0;
	}
	mark_constant_loads();
	add_head();
	if (!move_arrays()) {
		*why = reason;
		return 0;
	}
	split(calls);
	find_live();
	for (Instruction &i : instructions(f))
		order.push_back(&i);
	DominatorTree tree(f);
	LoopInfo loops(tree);
	keep_values(loops);
	cut_edges();
	join_values();
	removeUnreachableBlocks(f);
	*bytes = alignTo(frame, 16);
	if (*bytes > MOST_BYTES) {
		*why = "keeps too much across its barriers";
		return 0;
	}
	return (unsigned)cuts.size() + 1;
}

} /* namespace */

unsigned bridge_cut(LLVMValueRef function, const char *barrier, uint64_t *frame_bytes,
		    const char **why)
{
	return Cutter(*unwrap<Function>(function), barrier).run(frame_bytes, why);
}
