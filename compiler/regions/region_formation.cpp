/* SPDX-License-Identifier: Apache-2.0 */
/* region_formation.cpp - see region_formation.h.
 *
 * Here are the places where a kernel is cut, what is done at each, and the way from one to
 * the next; live_values.cpp keeps what lives across them. */
#include "region_formation.h"

#include <cstdlib>

#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include "cudasim/abi.h"
#include "region_builder.h"

using namespace llvm;

namespace cut
{

enum { MOST_REGIONS = 24, MOST_WARP_REGIONS = 160, MOST_SKELETON_REGIONS = 64, MOST_BYTES = 4096 };

/* The calls of libcudasim at which a kernel may be cut. */
static const struct cutting {
	const char *name;
	cudasim_cut_kind kind;
} cuttings[] = {
	{"__cudasim_barrier", CUDASIM_CUT_BARRIER},
	{"__cudasim_barrier_reduce", CUDASIM_CUT_BARRIER_REDUCE},
	{"__cudasim_syncwarp", CUDASIM_CUT_SYNCWARP},
	{"__cudasim_shfl", CUDASIM_CUT_SHFL},
	{"__cudasim_vote", CUDASIM_CUT_VOTE},
	{"__cudasim_match_any", CUDASIM_CUT_MATCH_ANY},
	{"__cudasim_match_all", CUDASIM_CUT_MATCH_ALL},
	{"__cudasim_redux", CUDASIM_CUT_REDUX},
	{"__cudasim_elect", CUDASIM_CUT_ELECT},
	{"__cudasim_mma", CUDASIM_CUT_MMA},
	{"__cudasim_activemask", CUDASIM_CUT_ACTIVEMASK},
	{"__cudasim_converge", CUDASIM_CUT_CONVERGE},
	{"__cudasim_linger", CUDASIM_CUT_LINGER},
	{"__cudasim_vprintf", CUDASIM_CUT_LEAVE},
	{"__cudasim_assertfail", CUDASIM_CUT_LEAVE},
	{"__cudasim_trap", CUDASIM_CUT_LEAVE},
	{"__cudasim_brkpt", CUDASIM_CUT_LEAVE},
	{"__cudasim_yield", CUDASIM_CUT_LEAVE},
	{"__cudasim_nanosleep", CUDASIM_CUT_LEAVE},
	{"__cudasim_malloc", CUDASIM_CUT_LEAVE},
	{"__cudasim_free", CUDASIM_CUT_LEAVE},
	{"__cudasim_graph_condition", CUDASIM_CUT_LEAVE},
};

/* Of a product's function, whose name ends in its form (tensor.h). */
static const char mma[] = "__cudasim_mma";

static const cutting *cutting_of(StringRef name)
{
	if (name.starts_with("__cudasim_mma."))
		name = mma;
	for (const cutting &c : cuttings)
		if (name == c.name)
			return &c;
	return nullptr;
}

/* Reads what is the same for all threads of a block, or a clock: any thread may. Nobody waits
 * for an mbarrier while the block is a loop: who does leaves it. */
static bool is_harmless(StringRef name)
{
	return name == "__cudasim_sreg" || name == "__cudasim_clock64" ||
	       name == "__cudasim_globaltimer" || name == "__cudasim_mbarrier_wake" ||
	       name == "__cudasim_mbarrier_woken";
}

bool Cutter::find_calls(std::vector<CallInst *> &calls)
{
	for (Instruction &i : instructions(f)) {
		auto *call = dyn_cast<CallBase>(&i);
		if (!call || isa<IntrinsicInst>(call))
			continue;
		Function *callee = call->getCalledFunction();
		const cutting *c = callee ? cutting_of(callee->getName()) : nullptr;
		if (warps && callee && is_harmless(callee->getName()))
			continue;
		bool lingers = c && c->kind == CUDASIM_CUT_LINGER;
		if (!c || (!warps && !lingers && c->kind != CUDASIM_CUT_BARRIER)) {
			reason = "calls a function between barriers";
			return false;
		}
		for (unsigned k = 0; !warps && !lingers && k < 2; k++) {
			auto *n = dyn_cast<ConstantInt>(call->getArgOperand(k));
			if (!n || !n->isZero()) {
				reason = "waits at a barrier of its own number or count";
				return false;
			}
		}
		calls.push_back(cast<CallInst>(call));
	}
	if (calls.size() >= (warps ? MOST_WARP_REGIONS : MOST_REGIONS)) {
		reason = warps ? "has too many synchronisation points" : "has too many barriers";
		return false;
	}
	return true;
}

static cudasim_cut_kind kind_of(const CallInst *call)
{
	return cutting_of(call->getCalledFunction()->getName())->kind;
}

/* An operation on registers: nobody's accesses are ordered by it. */
static bool is_register_operation(const Instruction &i)
{
	auto *call = dyn_cast<CallInst>(&i);
	Function *callee = call ? call->getCalledFunction() : nullptr;
	const cutting *c = callee ? cutting_of(callee->getName()) : nullptr;
	return c && c->kind >= CUDASIM_CUT_SHFL && c->kind <= CUDASIM_CUT_MMA;
}

/* The calls as cuts: what follows a call without anything between that would have to
 * come after it is done at the same cut. So the halves of a double are shuffled at once. */
void Cutter::group_calls(std::vector<CallInst *> &calls)
{
	std::set<CallInst *> grouped;
	for (CallInst *first : calls) {
		if (grouped.count(first))
			continue;
		Cut cut = {nullptr, nullptr, {first}, {}};
		std::set<Value *> behind = {first};
		std::vector<Instruction *> before;
		bool goes_on = is_register_operation(*first);
		for (Instruction *i = first->getNextNode(), *next; goes_on && i; i = next) {
			next = i->getNextNode();
			bool depends = false;
			for (Value *operand : i->operands())
				depends |= behind.count(operand) != 0;
			if (is_register_operation(*i)) {
				if (depends || cut.calls.size() == CUT_OPS)
					break;
				for (Instruction *moved : before)
					moved->moveBefore(first);
				before.clear();
				i->moveAfter(cut.calls.back());
				cut.calls.push_back(cast<CallInst>(i));
				grouped.insert(cast<CallInst>(i));
				behind.insert(i);
			} else if (i->isTerminator() || i->mayReadOrWriteMemory() ||
				   i->mayHaveSideEffects() || isa<AllocaInst>(i)) {
				break;
			} else if (depends) {
				behind.insert(i);
			} else {
				before.push_back(i);
			}
		}
		cuts.push_back(std::move(cut));
	}
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

/* The address of a shared variable: it rests on the block's window. */
bool Cutter::is_shared(Value *address)
{
	auto *window = dyn_cast<LoadInst>(getUnderlyingObject(address, 0));
	APInt offset(64, 0);
	if (!window)
		return false;
	Value *base = window->getPointerOperand()->stripAndAccumulateInBoundsConstantOffsets(
		layout, offset);
	return base == arg(STEP_BLOCK) && offset == offsetof(struct cudasim_block, shared);
}

/* Nobody else has a block's shared memory (own_atomics.h). */
void Cutter::own_atomics()
{
	for (Instruction &i : instructions(f)) {
		auto *change = dyn_cast<AtomicRMWInst>(&i);
		auto *exchange = dyn_cast<AtomicCmpXchgInst>(&i);
		if (change && is_shared(change->getPointerOperand()))
			change->setSyncScopeID(SyncScope::SingleThread);
		else if (exchange && is_shared(exchange->getPointerOperand()))
			exchange->setSyncScopeID(SyncScope::SingleThread);
	}
}

void Cutter::split()
{
	for (Cut &cut : cuts) {
		Instruction *last = cut.calls.back();
		bool leaves = kind_of(cut.calls[0]) == CUDASIM_CUT_LEAVE;
		cut.after = last->getParent()->splitBasicBlock(
			leaves ? last->getIterator() : std::next(last->getIterator()), "region");
	}
	/* A later split has cut an earlier cut's second half: its first half stays, and
	 * `before` of each cut is the block that its branch to `after` stands in. */
	for (Cut &cut : cuts)
		cut.before = cut.after->getSinglePredecessor();
	lower_operations();
}

/* The offset of an array for that place of a cut. */
uint32_t Cutter::op_slot(unsigned place, unsigned size)
{
	auto found = op_slots.find({place, size});
	if (found != op_slots.end())
		return found->second;
	return op_slots[{place, size}] = (uint32_t)reserve(size, size > 8 ? 4 : size);
}

cut_value Cutter::pass_argument(Value *v, unsigned place, IRBuilder<> &b)
{
	unsigned size = v->getType()->getIntegerBitWidth() / 8;
	if (auto *n = dyn_cast<ConstantInt>(v))
		return {n->getZExtValue(), 0, 0};
	uint32_t offset = op_slot(place, size);
	b.CreateAlignedStore(v, slot_address(b, offset, size), Align(size));
	return {0, offset, size};
}

/* The call's value out of the arrays; nothing uses the call afterwards. */
void Cutter::take_result(CallInst *call, unsigned place, cut_op &op, IRBuilder<> &b)
{
	Type *word = b.getInt32Ty(), *type = call->getType();
	bool whole = false;
	for (User *user : call->users())
		whole |= !isa<TruncInst>(user) || user->getType()->getIntegerBitWidth() > 32;
	if (call->use_empty())
		return;
	op.low = op_slot(place, 4);
	Value *value = b.CreateAlignedLoad(word, slot_address(b, op.low, 4), Align(4));
	if (type != word)
		value = b.CreateZExt(value, type);
	if (type != word && whole) {
		op.high = op_slot(place + 1, 4);
		Value *high = b.CreateAlignedLoad(word, slot_address(b, op.high, 4), Align(4));
		value = b.CreateOr(value, b.CreateShl(b.CreateZExt(high, type), 32));
	}
	call->replaceAllUsesWith(value);
}

/* A matrix product: the lane's registers are arrays one behind the other, and what uses an
 * element of the result loads it from there. */
void Cutter::pass_product(CallInst *call, unsigned place, cut_op &op, IRBuilder<> &before,
			  IRBuilder<> &after)
{
	uint32_t form = 0;
	call->getCalledFunction()->getName().substr(sizeof mma).getAsInteger(10, form);
	uint32_t n_words = cudasim_mma_n_words(form), c = cudasim_mma_c_at(form);
	uint32_t offset = op_slot(place, 4 * n_words);
	Type *word = before.getInt32Ty();
	op.arg[0] = {form, 0, 0};
	op.arg[1] = {0, offset, 4};
	for (unsigned i = 0; i + 1 < call->arg_size(); i++)
		before.CreateAlignedStore(call->getArgOperand(i),
					  slot_address(before, offset + 4 * i, 4), Align(4));
	Value *all = PoisonValue::get(call->getType());
	for (unsigned i = 0; i < cudasim_mma_words(form, CUDASIM_MMA_D); i++) {
		Value *d = after.CreateAlignedLoad(
			word, slot_address(after, offset + 4 * (c + i), 4), Align(4));
		for (User *user : call->users()) { /* what is dead then goes with drop_dead() */
			auto *part = dyn_cast<ExtractValueInst>(user);
			if (part && part->getIndices()[0] == i)
				part->replaceAllUsesWith(d);
		}
		all = after.CreateInsertValue(all, d, i);
	}
	call->replaceAllUsesWith(all);
}

/* The calls become stores of what they are given and loads of what they answer. */
void Cutter::lower_operations()
{
	enum { PLACES = CUT_ARGUMENTS + 2 };
	for (Cut &cut : cuts) {
		IRBuilder<> before(cut.before->getTerminator());
		IRBuilder<> after(cut.after, cut.after->getFirstInsertionPt());
		for (CallInst *call : cut.calls) {
			cut_op &op = cut.region.op[cut.region.n_ops];
			unsigned place = PLACES * cut.region.n_ops++;
			op.kind = kind_of(call);
			op.low = op.high = UINT32_MAX;
			if (op.kind == CUDASIM_CUT_LEAVE)
				continue;
			op.n_args = call->arg_size() - 1;
			op.site = wrap(call->getArgOperand(op.n_args));
			if (op.kind == CUDASIM_CUT_MMA) {
				op.n_args = 2;
				pass_product(call, place, op, before, after);
				call->eraseFromParent();
				continue;
			}
			for (unsigned i = 0; i < op.n_args; i++)
				op.arg[i] = pass_argument(call->getArgOperand(i), place + i,
							  before);
			if (!call->getType()->isVoidTy())
				take_result(call, place + CUT_ARGUMENTS, op, after);
			call->eraseFromParent();
		}
	}
}

/* What follows the region that begins there. */
uint32_t Cutter::next_of(BasicBlock *start)
{
	std::set<BasicBlock *> seen = {start};
	std::vector<BasicBlock *> open = {start};
	std::set<uint64_t> ends;
	while (!open.empty()) {
		BasicBlock *b = open.back();
		open.pop_back();
		if (auto *ret = dyn_cast<ReturnInst>(b->getTerminator())) {
			auto *n = dyn_cast<ConstantInt>(ret->getReturnValue());
			ends.insert(n ? n->getZExtValue() : CUT_SEVERAL);
		}
		for (BasicBlock *next : successors(b))
			if (seen.insert(next).second)
				open.push_back(next);
	}
	return ends.size() == 1 ? (uint32_t)*ends.begin() : CUT_SEVERAL;
}

/* What the region that begins there leads to. */
void Cutter::describe(BasicBlock *start, cut_region &region)
{
	std::set<BasicBlock *> seen = {start};
	std::vector<BasicBlock *> open = {start};
	while (!open.empty()) {
		BasicBlock *b = open.back();
		open.pop_back();
		if (auto *ret = dyn_cast<ReturnInst>(b->getTerminator())) {
			auto *n = dyn_cast<ConstantInt>(ret->getReturnValue());
			if (n && n->getZExtValue() < MOST_SKELETON_REGIONS)
				region.following |= 1ull << n->getZExtValue();
		}
		for (auto &[block, goes_on] : skeleton.losing)
			region.loses |= block == b;
		for (Instruction &i : *b)
			region.acts |= i.mayHaveSideEffects() &&
				       !isa<AssumeInst, NoAliasScopeDeclInst>(i);
		for (Instruction &i : *b)
			for (Value *operand : i.operands())
				region.has_rows |= operand == arg(STEP_X) ||
						   operand == arg(STEP_Y) || operand == arg(STEP_Z);
		for (BasicBlock *next : successors(b))
			if (seen.insert(next).second)
				open.push_back(next);
	}
}

/* ---- the way that all threads go ---------------------------------------------------- */

/* A parameter or what is known of the block. */
static bool is_known_load(const LoadInst &load)
{
	auto *a = dyn_cast<Argument>(getUnderlyingObject(load.getPointerOperand()));
	return load.isSimple() && load.hasMetadata(LLVMContext::MD_invariant_load) && a &&
	       (a->getArgNo() == STEP_PARAMS || a->getArgNo() == STEP_BLOCK);
}

/* A cut in the index-th way out of a block. */
void Cutter::cut_way(BasicBlock *from, unsigned index)
{
	Instruction *end = from->getTerminator();
	BasicBlock *to = end->getSuccessor(index);
	BasicBlock *before = BasicBlock::Create(f.getContext(), "decided", &f, to);
	BasicBlock *after = BasicBlock::Create(f.getContext(), "region", &f, to);
	BranchInst::Create(after, before);
	BranchInst::Create(to, after);
	end->setSuccessor(index, before);
	for (PHINode &phi : to->phis())
		phi.setIncomingBlock((unsigned)phi.getBasicBlockIndex(from), after);
	cuts.push_back({before, after, {}, {}});
}

/* Where all threads go the same way from cut to cut, they stop at its forks, too, so
 * that each region has one end, and the fork is taken once for all. */
void Cutter::find_way()
{
	std::vector<BasicBlock *> ends;
	for (Cut &cut : cuts)
		ends.push_back(cut.before);
	Argument *own[] = {arg(STEP_X),      arg(STEP_Y),     arg(STEP_Z),
			   arg(STEP_LINEAR), arg(STEP_INDEX), arg(STEP_FRAME)};
	has_skeleton = cut::find_skeleton(f, ends, own, is_known_load, skeleton);
	size_t more = 0;
	for (BasicBlock *block : skeleton.deciding)
		more += block->getTerminator()->getNumSuccessors();
	has_skeleton &= cuts.size() + more < MOST_SKELETON_REGIONS;
	for (size_t i = 0; has_skeleton && i < skeleton.deciding.size(); i++)
		for (unsigned k = 0; k < skeleton.deciding[i]->getTerminator()->getNumSuccessors();
		     k++)
			cut_way(skeleton.deciding[i], k);
}

Value *Cutter::block_address(IRBuilder<> &b, uint64_t offset)
{
	return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), arg(STEP_KEPT), offset);
}

/* A function of its own of what decides the way; the step only loads what that keeps. */
bool Cutter::add_way(struct cut_plan *ret)
{
	ValueToValueMapTy copies;
	Function *way = CloneFunction(&f, copies);
	std::set<BasicBlock *> parting;
	for (BasicBlock *block : skeleton.parting)
		parting.insert(cast<BasicBlock>(copies[block]));
	auto losing = skeleton.losing;
	for (auto &[block, goes_on] : losing)
		block = cast<BasicBlock>(copies[block]);
	way_starts.push_back(cast<BasicBlock>(copies[&*std::next(f.begin())]));
	for (Cut &cut : cuts)
		way_starts.push_back(cast<BasicBlock>(copies[cut.after]));
	ret->way = wrap(way);
	ret->kept_bytes = alignTo(block_bytes, 16);
	for (Instruction &i : make_early_inc_range(instructions(f))) {
		auto *store = dyn_cast<StoreInst>(&i);
		if (store && getUnderlyingObject(store->getPointerOperand()) == arg(STEP_KEPT))
			store->eraseFromParent();
	}
	return cut::strip_to_skeleton(*way, parting, losing, way->getArg(STEP_KEPT));
}

bool Cutter::run(struct cut_plan *ret, const char **why)
{
	std::vector<CallInst *> calls;
	*why = nullptr;
	if (!find_calls(calls)) {
		*why = reason;
		return false;
	}
	mark_constant_loads();
	own_atomics();
	add_head();
	if (!move_arrays()) {
		*why = reason;
		return false;
	}
	group_calls(calls);
	split();
	if (!warps)
		find_way();
	find_live();
	for (Instruction &i : instructions(f))
		if (!i.getType()->isVoidTy())
			order.push_back(&i);
	if (has_skeleton)
		keep_parts();
	DominatorTree tree(f);
	LoopInfo loops(tree);
	keep_values(loops);
	BasicBlock *start = &*std::next(f.begin());
	flow::Graph before = flow_is_checked() ? flow::graph_from(f.getEntryBlock())
					       : flow::Graph();
	cut_edges();
	join_values();
	if (flow_is_checked())
		verify_cuts(before);
	if (has_skeleton && !add_way(ret)) {
		unwrap<Function>(ret->way)->eraseFromParent();
		ret->way = nullptr;
		*why = "parts its threads before a barrier";
		return false;
	}
	removeUnreachableBlocks(f);
	drop_dead();
	ret->frame_bytes = alignTo(frame, 16);
	if (ret->frame_bytes > MOST_BYTES) {
		if (ret->way)
			unwrap<Function>(ret->way)->eraseFromParent();
		ret->way = nullptr;
		*why = "keeps too much across its barriers";
		return false;
	}
	ret->has_rows = !arg(STEP_Y)->use_empty() || !arg(STEP_Z)->use_empty();
	ret->n_regions = (unsigned)cuts.size() + 1;
	ret->regions = (cut_region *)calloc(ret->n_regions, sizeof *ret->regions);
	assert(ret->regions);
	ret->regions[0].next = next_of(start);
	describe(start, ret->regions[0]);
	for (unsigned k = 0; k < cuts.size(); k++) {
		ret->regions[k + 1] = cuts[k].region;
		ret->regions[k + 1].next = next_of(cuts[k].after);
		describe(cuts[k].after, ret->regions[k + 1]);
	}
	if (ret->way && flow_is_checked())
		verify_way(ret, start);
	return true;
}

} // namespace cut

bool bridge_cuts_at(const char *name)
{
	return cut::cutting_of(name) != nullptr;
}

bool bridge_cut_spares(const char *name)
{
	return cut::is_harmless(name);
}

bool bridge_cut(LLVMValueRef function, bool warps, struct cut_plan *ret, const char **why)
{
	return cut::Cutter(*unwrap<Function>(function), warps).run(ret, why);
}
