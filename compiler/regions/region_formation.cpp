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
#include "loop_events.h"
#include "own_atomics.h"
#include "region_builder.h"

using namespace llvm;

namespace regions
{

enum {
	MOST_REGIONS = 24,
	MOST_WARP_REGIONS = 400,
	MOST_UNIFORM_FLOW_REGIONS = 64,
	MOST_BYTES = 4096
};

/* The calls of libcudasim at which a kernel may be cut. */
static const struct cutting {
	const char *name;
	cudasim_region_op_kind kind;
} cuttings[] = {
	{"__cudasim_barrier", CUDASIM_REGION_BARRIER},
	{"__cudasim_barrier_reduce", CUDASIM_REGION_BARRIER_REDUCE},
	{"__cudasim_barrier_arrive", CUDASIM_REGION_ARRIVE},
	{"__cudasim_cluster_arrive", CUDASIM_REGION_CLUSTER_ARRIVE},
	{"__cudasim_cluster_wait", CUDASIM_REGION_CLUSTER_WAIT},
	{"__cudasim_syncwarp", CUDASIM_REGION_SYNCWARP},
	{"__cudasim_shfl", CUDASIM_REGION_SHFL},
	{"__cudasim_vote", CUDASIM_REGION_VOTE},
	{"__cudasim_match_any", CUDASIM_REGION_MATCH_ANY},
	{"__cudasim_match_all", CUDASIM_REGION_MATCH_ALL},
	{"__cudasim_redux", CUDASIM_REGION_REDUX},
	{"__cudasim_elect", CUDASIM_REGION_ELECT},
	{"__cudasim_mma", CUDASIM_REGION_MMA},
	{"__cudasim_activemask", CUDASIM_REGION_ACTIVEMASK},
	{"__cudasim_reconverge", CUDASIM_REGION_CONVERGE},
	{"__cudasim_post_barrier", CUDASIM_REGION_POST_BARRIER},
	{"__cudasim_vprintf", CUDASIM_REGION_LEAVE},
	{"__cudasim_assertfail", CUDASIM_REGION_LEAVE},
	{"__cudasim_trap", CUDASIM_REGION_LEAVE},
	{"__cudasim_brkpt", CUDASIM_REGION_LEAVE},
	{"__cudasim_mbarrier_arrive", CUDASIM_REGION_MBARRIER_ARRIVE},
	{"__cudasim_mbarrier_wait", CUDASIM_REGION_MBARRIER},
	{"__cudasim_yield", CUDASIM_REGION_YIELD},
	{"__cudasim_nanosleep", CUDASIM_REGION_YIELD},
	{"__cudasim_malloc", CUDASIM_REGION_LEAVE},
	{"__cudasim_free", CUDASIM_REGION_LEAVE},
	{"__cudasim_graph_condition", CUDASIM_REGION_LEAVE},
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

/* Reads what is the same for all threads of a block, or a clock, or wakes others: any thread may. Observers, who
 * are told of mbarriers, have no loops. */
static bool is_harmless(StringRef name)
{
	return name == "__cudasim_sreg" || name == "__cudasim_clock64" ||
	       name == "__cudasim_globaltimer" || name == "__cudasim_mbarrier_wake" ||
	       name == "__cudasim_mbarrier_woken" || name == "__cudasim_on_mbarrier" ||
	       name == "__cudasim_cluster_map";
}

bool RegionBuilder::find_calls(std::vector<CallInst *> &calls)
{
	for (Instruction &i : instructions(f)) {
		auto *call = dyn_cast<CallBase>(&i);
		if (!call || isa<IntrinsicInst>(call) || own_atomics_is_call(wrap(call)) ||
		    loop_event_is(wrap(call)))
			continue;
		Function *callee = call->getCalledFunction();
		const cutting *c = callee ? cutting_of(callee->getName()) : nullptr;
		if (warps && callee && is_harmless(callee->getName()))
			continue;
		bool at_post_barrier = c && c->kind == CUDASIM_REGION_POST_BARRIER;
		if (!c || (!warps && !at_post_barrier && c->kind != CUDASIM_REGION_BARRIER)) {
			reason = "calls a function between barriers";
			return false;
		}
		for (unsigned k = 0; !warps && !at_post_barrier && k < 2; k++) {
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

static cudasim_region_op_kind kind_of(const CallInst *call)
{
	return cutting_of(call->getCalledFunction()->getName())->kind;
}

/* The call itself stands behind the cut. */
static bool is_behind(cudasim_region_op_kind kind)
{
	return kind == CUDASIM_REGION_LEAVE || kind == CUDASIM_REGION_YIELD;
}

/* An operation on registers: nobody's accesses are ordered by it. */
static bool is_register_operation(const Instruction &i)
{
	auto *call = dyn_cast<CallInst>(&i);
	Function *callee = call ? call->getCalledFunction() : nullptr;
	const cutting *c = callee ? cutting_of(callee->getName()) : nullptr;
	return c && c->kind >= CUDASIM_REGION_SHFL && c->kind <= CUDASIM_REGION_MMA;
}

/* The calls as cuts: what follows a call without anything between that would have to
 * come after it is done at the same cut. So the halves of a double are shuffled at once. */
void RegionBuilder::group_calls(std::vector<CallInst *> &calls)
{
	std::set<CallInst *> grouped;
	for (CallInst *first : calls) {
		if (grouped.count(first))
			continue;
		Boundary cut = {nullptr, nullptr, {first}, {}};
		std::set<Value *> behind = {first};
		std::vector<Instruction *> before;
		bool goes_on = is_register_operation(*first);
		for (Instruction *i = first->getNextNode(), *next; goes_on && i; i = next) {
			next = i->getNextNode();
			bool depends = false;
			for (Value *operand : i->operands())
				depends |= behind.count(operand) != 0;
			if (is_register_operation(*i)) {
				if (depends || cut.calls.size() == REGION_OPS)
					break;
				for (Instruction *moved : before)
					moved->moveBefore(*first->getParent(),
							  first->getIterator());
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
void RegionBuilder::mark_constant_loads()
{
	MDNode *none = MDNode::get(f.getContext(), {});
	for (Instruction &i : instructions(f)) {
		auto *load = dyn_cast<LoadInst>(&i);
		if (!load || !load->isSimple())
			continue;
		const Value *object = getUnderlyingObject(load->getPointerOperand());
		if (object == arg(CONTINUATION_PARAMS) || object == arg(CONTINUATION_BLOCK))
			load->setMetadata(LLVMContext::MD_invariant_load, none);
	}
}

/* The address of a shared variable: it rests on the block's window. */
bool RegionBuilder::is_shared(Value *address)
{
	auto *window = dyn_cast<LoadInst>(getUnderlyingObject(address, 0));
	APInt offset(64, 0);
	if (!window)
		return false;
	Value *base = window->getPointerOperand()->stripAndAccumulateInBoundsConstantOffsets(
		layout, offset);
	return base == arg(CONTINUATION_BLOCK) && offset == offsetof(struct cudasim_block, shared);
}

/* Nobody else has a block's shared memory (own_atomics.h), or sees in which order a thread does what it does
 * between two cuts: the "memory" of an asm statement orders it for nobody. */
void RegionBuilder::own_atomics()
{
	for (Instruction &i : make_early_inc_range(instructions(f))) {
		auto *fence = dyn_cast<FenceInst>(&i);
		if (fence && fence->getSyncScopeID() == SyncScope::SingleThread) {
			fence->eraseFromParent();
			continue;
		}
		auto *change = dyn_cast<AtomicRMWInst>(&i);
		auto *exchange = dyn_cast<AtomicCmpXchgInst>(&i);
		if (change && is_shared(change->getPointerOperand()))
			change->setSyncScopeID(SyncScope::SingleThread);
		else if (exchange && is_shared(exchange->getPointerOperand()))
			exchange->setSyncScopeID(SyncScope::SingleThread);
	}
	own_atomics_join(wrap(&f), true);
}

void RegionBuilder::split()
{
	for (Boundary &cut : cuts) {
		Instruction *last = cut.calls.back();
		bool leaves = is_behind(kind_of(cut.calls[0]));
		cut.after = last->getParent()->splitBasicBlock(
			leaves ? last->getIterator() : std::next(last->getIterator()), "region");
	}
	/* A later split has cut an earlier cut's second half: its first half stays, and
	 * `before` of each cut is the block that its branch to `after` stands in. */
	for (Boundary &cut : cuts)
		cut.before = cut.after->getSinglePredecessor();
	lower_operations();
}

/* The offset of an array for that place of a cut. */
uint32_t RegionBuilder::op_slot(unsigned place, unsigned size)
{
	auto found = op_slots.find({place, size});
	if (found != op_slots.end())
		return found->second;
	return op_slots[{place, size}] = (uint32_t)reserve(size, size > 8 ? 4 : size);
}

region_value RegionBuilder::pass_argument(Value *v, unsigned place, IRBuilder<> &b)
{
	unsigned size = v->getType()->getIntegerBitWidth() / 8;
	if (auto *n = dyn_cast<ConstantInt>(v))
		return {n->getZExtValue(), 0, 0};
	uint32_t offset = op_slot(place, size);
	b.CreateAlignedStore(v, slot_address(b, offset, size), Align(size));
	return {0, offset, size};
}

/* The call's value out of the arrays; nothing uses the call afterwards. */
void RegionBuilder::take_result(CallInst *call, unsigned place, region_op &op, IRBuilder<> &b)
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
void RegionBuilder::pass_product(CallInst *call, unsigned place, region_op &op, IRBuilder<> &before,
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
void RegionBuilder::lower_operations()
{
	enum { PLACES = REGION_ARGUMENTS + 2 };
	for (Boundary &cut : cuts) {
		IRBuilder<> before(cut.before->getTerminator());
		IRBuilder<> after(cut.after, cut.after->getFirstInsertionPt());
		for (CallInst *call : cut.calls) {
			region_op &op = cut.region.op[cut.region.n_ops];
			unsigned place = PLACES * cut.region.n_ops++;
			op.kind = kind_of(call);
			op.low = op.high = UINT32_MAX;
			if (is_behind((cudasim_region_op_kind)op.kind))
				continue;
			op.n_args = call->arg_size() - 1;
			op.site = wrap(call->getArgOperand(op.n_args));
			if (op.kind == CUDASIM_REGION_MMA) {
				op.n_args = 2;
				pass_product(call, place, op, before, after);
				call->eraseFromParent();
				continue;
			}
			for (unsigned i = 0; i < op.n_args; i++)
				op.arg[i] = pass_argument(call->getArgOperand(i), place + i,
							  before);
			if (!call->getType()->isVoidTy())
				take_result(call, place + REGION_ARGUMENTS, op, after);
			call->eraseFromParent();
		}
	}
}

/* What follows the region that begins there. */
uint32_t RegionBuilder::next_of(BasicBlock *start)
{
	std::set<BasicBlock *> seen = {start};
	std::vector<BasicBlock *> open = {start};
	std::set<uint64_t> ends;
	while (!open.empty()) {
		BasicBlock *b = open.back();
		open.pop_back();
		if (auto *ret = dyn_cast<ReturnInst>(b->getTerminator())) {
			auto *n = dyn_cast<ConstantInt>(ret->getReturnValue());
			ends.insert(n ? n->getZExtValue() : REGION_SEVERAL);
		}
		for (BasicBlock *next : successors(b))
			if (seen.insert(next).second)
				open.push_back(next);
	}
	return ends.size() == 1 ? (uint32_t)*ends.begin() : REGION_SEVERAL;
}

/* What the region that begins there leads to. */
void RegionBuilder::describe(BasicBlock *start, kernel_region &region)
{
	std::set<BasicBlock *> seen = {start};
	std::vector<BasicBlock *> open = {start};
	while (!open.empty()) {
		BasicBlock *b = open.back();
		open.pop_back();
		if (auto *ret = dyn_cast<ReturnInst>(b->getTerminator())) {
			auto *n = dyn_cast<ConstantInt>(ret->getReturnValue());
			if (n && n->getZExtValue() < MOST_UNIFORM_FLOW_REGIONS)
				region.following |= 1ull << n->getZExtValue();
		}
		for (auto &[block, goes_on] : uniform_flow.losing)
			region.loses |= block == b;
		for (Instruction &i : *b)
			region.acts |= i.mayHaveSideEffects() &&
				       !isa<AssumeInst, NoAliasScopeDeclInst>(i);
		for (Instruction &i : *b)
			for (Value *operand : i.operands())
				region.has_rows |= operand == arg(CONTINUATION_X) ||
						   operand == arg(CONTINUATION_Y) ||
						   operand == arg(CONTINUATION_Z);
		for (BasicBlock *next : successors(b))
			if (seen.insert(next).second)
				open.push_back(next);
	}
}

/* ---- uniform control flow --------------------------------------------- */

bool is_known_load(const LoadInst &load)
{
	if (!load.isSimple() || !load.hasMetadata(LLVMContext::MD_invariant_load))
		return false;
	const Value *object = getUnderlyingObject(load.getPointerOperand());
	if (auto *a = dyn_cast<Argument>(object))
		return a->getArgNo() == CONTINUATION_PARAMS || a->getArgNo() == CONTINUATION_BLOCK;
	if (auto *base = dyn_cast<LoadInst>(object)) {
		object = getUnderlyingObject(base->getPointerOperand());
		return isa<GlobalVariable>(object) && is_known_load(*base);
	}
	return isa<GlobalVariable>(object);
}

/* A cut in the index-th way out of a block. */
void RegionBuilder::cut_edge(BasicBlock *from, unsigned index)
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
void RegionBuilder::split_at_uniform_branches()
{
	std::vector<BasicBlock *> ends;
	for (Boundary &cut : cuts)
		ends.push_back(cut.before);
	Argument *own[] = {arg(CONTINUATION_X),     arg(CONTINUATION_Y),
			   arg(CONTINUATION_Z),     arg(CONTINUATION_LINEAR),
			   arg(CONTINUATION_INDEX), arg(CONTINUATION_FRAME)};
	has_uniform_flow = regions::find_uniform_flow(f, ends, own, is_known_load, uniform_flow);
	size_t more = 0;
	for (BasicBlock *block : uniform_flow.deciding)
		more += block->getTerminator()->getNumSuccessors();
	has_uniform_flow &= cuts.size() + more < MOST_UNIFORM_FLOW_REGIONS;
	for (size_t i = 0; has_uniform_flow && i < uniform_flow.deciding.size(); i++)
		for (unsigned k = 0;
		     k < uniform_flow.deciding[i]->getTerminator()->getNumSuccessors(); k++)
			cut_edge(uniform_flow.deciding[i], k);
}

Value *RegionBuilder::block_address(IRBuilder<> &b, uint64_t offset)
{
	return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), arg(CONTINUATION_KEPT), offset);
}

/* A function of its own of what decides which region follows; a continuation only loads what
 * that keeps. */
bool RegionBuilder::add_uniform_flow(struct region_plan *ret)
{
	ValueToValueMapTy copies;
	Function *flow = CloneFunction(&f, copies);
	std::set<BasicBlock *> parting;
	for (BasicBlock *block : uniform_flow.parting)
		parting.insert(cast<BasicBlock>(copies[block]));
	auto losing = uniform_flow.losing;
	for (auto &[block, goes_on] : losing)
		block = cast<BasicBlock>(copies[block]);
	flow_starts.push_back(cast<BasicBlock>(copies[&*std::next(f.begin())]));
	for (Boundary &cut : cuts)
		flow_starts.push_back(cast<BasicBlock>(copies[cut.after]));
	ret->uniform_flow = wrap(flow);
	ret->kept_bytes = alignTo(block_bytes, 16);
	for (Instruction &i : make_early_inc_range(instructions(f))) {
		auto *store = dyn_cast<StoreInst>(&i);
		if (store &&
		    getUnderlyingObject(store->getPointerOperand()) == arg(CONTINUATION_KEPT))
			store->eraseFromParent();
	}
	return regions::strip_to_uniform_flow(*flow, parting, losing,
					      flow->getArg(CONTINUATION_KEPT));
}

bool RegionBuilder::run(struct region_plan *ret, const char **why)
{
	std::vector<CallInst *> calls;
	*why = nullptr;
	own_atomics();
	if (!find_calls(calls)) {
		*why = reason;
		return false;
	}
	mark_constant_loads();
	add_head();
	if (!move_arrays()) {
		*why = reason;
		return false;
	}
	group_calls(calls);
	split();
	if (!warps)
		split_at_uniform_branches();
	find_live();
	for (Instruction &i : instructions(f))
		if (!i.getType()->isVoidTy())
			order.push_back(&i);
	if (has_uniform_flow)
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
		verify_boundaries(before);
	if (has_uniform_flow && !add_uniform_flow(ret)) {
		unwrap<Function>(ret->uniform_flow)->eraseFromParent();
		ret->uniform_flow = nullptr;
		*why = "parts its threads before a barrier";
		return false;
	}
	removeUnreachableBlocks(f);
	drop_dead();
	ret->frame_bytes = alignTo(frame, 16);
	if (ret->frame_bytes > MOST_BYTES) {
		if (ret->uniform_flow)
			unwrap<Function>(ret->uniform_flow)->eraseFromParent();
		ret->uniform_flow = nullptr;
		*why = "keeps too much across its barriers";
		return false;
	}
	ret->has_rows = !arg(CONTINUATION_Y)->use_empty() || !arg(CONTINUATION_Z)->use_empty();
	ret->n_regions = (unsigned)cuts.size() + 1;
	ret->regions = (kernel_region *)calloc(ret->n_regions, sizeof *ret->regions);
	assert(ret->regions);
	ret->regions[0].next = next_of(start);
	describe(start, ret->regions[0]);
	for (unsigned k = 0; k < cuts.size(); k++) {
		ret->regions[k + 1] = cuts[k].region;
		ret->regions[k + 1].next = next_of(cuts[k].after);
		describe(cuts[k].after, ret->regions[k + 1]);
	}
	if (ret->uniform_flow && flow_is_checked())
		verify_uniform_flow(ret, start);
	return true;
}

} // namespace regions

bool region_begins_at(const char *name)
{
	return regions::cutting_of(name) != nullptr;
}

bool region_spares(const char *name)
{
	return regions::is_harmless(name);
}

bool regions_form(LLVMValueRef function, bool warps, struct region_plan *ret, const char **why)
{
	return regions::RegionBuilder(*unwrap<Function>(function), warps).run(ret, why);
}
