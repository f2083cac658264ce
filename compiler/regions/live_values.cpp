/* SPDX-License-Identifier: Apache-2.0 */
/* live_values.cpp - what lives across the cuts of a kernel.
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
#include "cudasim/abi.h"
#include "region_builder.h"

#include <iterator>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

using namespace llvm;

namespace regions
{

/* Instructions of what is made again: in all, and of those that differ between threads. The
 * others leave the loop over threads, but not a warp's. */
enum { REMAKE_DEPTH = 10, REMAKE_MOST = 12, REMAKE_ALL = 40 };

/* A bit is kept as a byte: vectors of bits have no arrays. */
static StoreInst *store_slot(Value *v, Value *address, IRBuilder<> &b)
{
	const DataLayout &layout = b.GetInsertBlock()->getDataLayout();
	if (v->getType()->isIntegerTy(1))
		v = b.CreateZExt(v, b.getInt8Ty());
	return b.CreateAlignedStore(v, address, layout.getABITypeAlign(v->getType()));
}

static Value *load_slot(Type *type, Value *address, IRBuilder<> &b)
{
	const DataLayout &layout = b.GetInsertBlock()->getDataLayout();
	if (type->isIntegerTy(1))
		return b.CreateTrunc(b.CreateAlignedLoad(b.getInt8Ty(), address, Align(1)), type);
	return b.CreateAlignedLoad(type, address, layout.getABITypeAlign(type));
}

void RegionBuilder::find_live()
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

/* Can v be computed from the parameters, in few instructions? With parts, what is kept
 * for all threads will do, too, and is added there. Where v is live those values are the
 * ones that it was made of, since they dominate it. */
bool RegionBuilder::can_remake(Value *v, unsigned depth, RemakeCost &cost, Values *parts)
{
	if (auto *a = dyn_cast<Argument>(v))
		cost.differs |= a->getArgNo() != CONTINUATION_PARAMS &&
				a->getArgNo() != CONTINUATION_BLOCK;
	if (isa<Constant>(v) || isa<Argument>(v))
		return true;
	auto *i = dyn_cast<Instruction>(v);
	if (i && i->getParent() == head)
		return cost.differs = true;
	if (i && depth && parts && is_part(i)) {
		parts->insert(i);
		return true;
	}
	if (!i || depth > REMAKE_DEPTH || ++cost.all > (warps ? REMAKE_MOST : REMAKE_ALL))
		return false;
	if (auto *load = dyn_cast<LoadInst>(i)) {
		if (!is_known_load(*load))
			return false;
	} else if (!isa<BinaryOperator, CastInst, GetElementPtrInst, CmpInst, SelectInst>(i) ||
		   !isSafeToSpeculativelyExecute(i)) {
		return false;
	}
	bool differs = false;
	for (Value *operand : i->operands()) {
		cost.differs = false;
		if (!can_remake(operand, depth + 1, cost, parts))
			return false;
		differs |= cost.differs;
	}
	cost.differs = differs;
	return !differs || ++cost.own <= REMAKE_MOST;
}

Value *RegionBuilder::remake(Value *v, IRBuilder<> &b, std::map<Value *, Value *> &done)
{
	auto *i = dyn_cast<Instruction>(v);
	if (!i || i->getParent() == head)
		return v;
	auto found = done.find(v);
	if (found != done.end())
		return found->second;
	if (has_uniform_flow && is_part(i))
		return done[v] = load_shared(i, b);
	Instruction *copy = i->clone();
	/* The product of one block is not fused with the sum of another. */
	if (isa<FPMathOperator>(copy))
		copy->setHasAllowContract(false);
	for (Use &operand : copy->operands())
		operand.set(remake(operand.get(), b, done));
	b.Insert(copy);
	done[v] = copy;
	return copy;
}

Value *RegionBuilder::load_shared(Instruction *v, IRBuilder<> &b)
{
	return load_slot(v->getType(), block_address(b, block_slots.at(v)), b);
}

/* What is remade behind a cut needs its parts there. */
void RegionBuilder::keep_parts()
{
	for (Boundary &cut : cuts) {
		Values parts;
		for (Instruction *v : live_in[cut.after])
			if (Values own; remade(v, &own))
				parts.insert(own.begin(), own.end());
		live_in[cut.after].insert(parts.begin(), parts.end());
	}
}

uint64_t RegionBuilder::reserve(uint64_t size, uint64_t align)
{
	frame = alignTo(frame, align);
	uint64_t offset = frame;
	frame += size;
	return offset;
}

/* frame + offset * n + size * index; of a warp's frame, n is 32. */
Value *RegionBuilder::slot_address(IRBuilder<> &b, uint64_t offset, uint64_t size)
{
	Value *start;
	if (warps) {
		start = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), arg(CONTINUATION_FRAME),
						     offset * CUDASIM_WARP_SIZE);
	} else {
		Value *n = b.CreateZExt(arg(CONTINUATION_N), b.getInt64Ty());
		start = b.CreateInBoundsGEP(b.getInt8Ty(), arg(CONTINUATION_FRAME),
					    b.CreateNUWMul(n, b.getInt64(offset)));
	}
	return b.CreateInBoundsGEP(ArrayType::get(b.getInt8Ty(), size), start, wide_index);
}

/* A block in front of the first one, for the choice of the region. */
void RegionBuilder::add_head()
{
	BasicBlock *start = &f.getEntryBlock();
	head = BasicBlock::Create(f.getContext(), "head", &f, start);
	IRBuilder<> b(head);
	wide_index = b.CreateZExt(arg(CONTINUATION_INDEX), b.getInt64Ty());
	b.CreateBr(start);
}

bool RegionBuilder::move_arrays()
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
	if (type->isIntegerTy(1))
		return 1;
	return alignTo(layout.getTypeAllocSize(type).getFixedValue(),
		       layout.getABITypeAlign(type).value());
}

/* Once where it is made, if that is in no loop, else before each cut. */
void RegionBuilder::store_kept(Instruction *v, ArrayRef<Boundary *> needing, LoopInfo &loops,
			       function_ref<void(IRBuilder<> &)> store)
{
	if (!loops.getLoopFor(v->getParent())) {
		BasicBlock *home = v->getParent();
		IRBuilder<> b(home, isa<PHINode>(v) ? home->getFirstInsertionPt()
						    : std::next(v->getIterator()));
		store(b);
		return;
	}
	for (Boundary *cut : needing) {
		IRBuilder<> b(cut->before->getTerminator());
		store(b);
	}
}

/* Give slots to what the regions need, and fill them. */
void RegionBuilder::keep_values(LoopInfo &loops)
{
	for (Instruction *v : order) {
		std::vector<Boundary *> needing;
		for (Boundary &cut : cuts)
			if (live_in[cut.after].count(v))
				needing.push_back(&cut);
		if (needing.empty() || remade(v))
			continue;
		uint64_t size = element_size(layout, v->getType());
		uint64_t align = layout.getABITypeAlign(v->getType()).value();
		if (has_uniform_flow && uniform_flow.uniform.count(v)) {
			block_bytes = alignTo(block_bytes, align);
			block_slots[v] = block_bytes;
			block_bytes += size;
			store_kept(v, needing, loops, [&](IRBuilder<> &b) {
				store_slot(v, block_address(b, block_slots[v]), b);
			});
			continue;
		}
		slots[v] = reserve(size, align > 16            ? align
					 : (size & (size - 1)) ? align
					 : size > 16           ? 16
							       : size);
		store_kept(v, needing, loops, [&](IRBuilder<> &b) {
			kept.push_back({store_slot(v, slot_address(b, slots[v], size), b), v});
		});
	}
}

/* What was made again behind each cut where it might be wanted, and is not. */
void RegionBuilder::drop_dead()
{
	std::vector<Instruction *> all;
	for (Instruction &i : instructions(f))
		all.push_back(&i);
	for (auto at = all.rbegin(); at != all.rend(); ++at)
		if (isInstructionTriviallyDead(*at))
			(*at)->eraseFromParent();
}

/* The end of each region returns the number of the next one. */
void RegionBuilder::cut_edges()
{
	IRBuilder<> b(head->getTerminator());
	SwitchInst *choice = b.CreateSwitch(arg(CONTINUATION_REGION), &*std::next(f.begin()),
					    (unsigned)cuts.size());
	head->getTerminator()->eraseFromParent();
	for (unsigned k = 0; k < cuts.size(); k++) {
		Instruction *branch = cuts[k].before->getTerminator();
		ReturnInst::Create(f.getContext(), b.getInt32(k + 1), branch->getIterator());
		branch->eraseFromParent();
		choice->addCase(b.getInt32(k + 1), cuts[k].after);
	}
}

/* Is it what regions have loaded from a value's slot, whichever of them ran? */
static bool is_loaded(Value *value, const SmallPtrSetImpl<Value *> &loaded,
		      SmallPtrSetImpl<Value *> &seen)
{
	if (auto *bit = dyn_cast<ZExtInst>(value); bit && bit->getSrcTy()->isIntegerTy(1))
		value = bit->getOperand(0);
	if (loaded.count(value) || !seen.insert(value).second)
		return true;
	auto *phi = dyn_cast<PHINode>(value);
	if (!phi)
		return false;
	for (Value *v : phi->incoming_values())
		if (!is_loaded(v, loaded, seen))
			return false;
	return true;
}

/* A region that only hands a value on has it in its slot. LLVM cannot know: between load and store
 * the region stores to memory that might be the slot. */
void RegionBuilder::drop_unchanged(const ValuesAtBegins &begins)
{
	for (auto [store, v] : kept) {
		SmallPtrSet<Value *, 8> loaded, seen;
		auto found = begins.find(v);
		if (found == begins.end())
			continue;
		for (auto &[block, value] : found->second)
			loaded.insert(value);
		Value *stored = store->getValueOperand();
		if (!is_loaded(stored, loaded, seen))
			continue;
		store->eraseFromParent();
		RecursivelyDeleteTriviallyDeadInstructions(stored);
	}
}

void RegionBuilder::join_values()
{
	ValuesAtBegins begins;
	for (Boundary &cut : cuts) {
		IRBuilder<> b(cut.after, cut.after->getFirstInsertionPt());
		std::map<Value *, Value *> done;
		for (Instruction *v : order) {
			if (v->getParent() == head || !live_in[cut.after].count(v))
				continue;
			auto slot = slots.find(v), shared = block_slots.find(v);
			Value *value;
			if (shared != block_slots.end())
				value = load_shared(v, b);
			else if (slot == slots.end())
				value = remake(v, b, done);
			else
				value = load_slot(v->getType(),
						  slot_address(b, slot->second,
							       element_size(layout, v->getType())),
						  b);
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
	drop_unchanged(begins);
}

} // namespace regions
