/* SPDX-License-Identifier: Apache-2.0 */
/* linearize.cpp - see linearize.h.
 *
 * Blocks are laid out in topological order, each with a mask of the lanes that come to
 * it; one that no lane comes to is jumped over. Where all lanes go the same way, a scalar
 * condition takes the mask's place. A loop goes on until its last lane has left; what
 * lanes that left before had is kept by masked moves. Where the plan says that the lanes
 * leave together, it is an ordinary loop.
 *
 * Sources: Karrenberg, Hack: Whole-function vectorization (2011); Pharr, Mark: ispc, a
 * SPMD compiler for high-performance CPU programming (2012). Rejected: cutting the
 * kernel at each inner loop, as at a barrier: what lives in registers here would go
 * through memory each time round; and LLVM's own outer-loop path, which knows neither
 * masks nor loops that lanes leave one by one. */
#include "linearize.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "loop_marks.h"
#include "flow_check.h"
#include "thread_loop.h"
#include "thread_range.h"
#include "vector_emit.h"
#include "divergence.h"
#include "lane_loop.h"

using namespace llvm;
using namespace vectorize;

namespace
{

enum {
	CHEAP = 10,             /* instructions that are not worth a jump over them */
	WARP = 32,
	STREAMING = 40, /* instructions of a loop that mostly waits for memory */
};

class Widener
{
public:
	Widener(Function &f, Loop &threads, PHINode &thread, Value *extent, Plan &plan, unsigned n)
	    : f(f), threads(threads), thread(thread), extent(extent), plan(plan), e(f, plan, n),
	      b(e.builder)
	{
	}
	void run();

private:
	Function &f;
	Loop &threads;
	PHINode &thread;
	Value *extent;
	Plan &plan;
	Emitter e;
	IRBuilder<> &b;
	/* In a short loop that lanes leave by a comparison, lane 0's own outcome: as long as
	 * it goes on, so does the loop. Processors know that comparison of scalars long before
	 * the masks, and read ahead. */
	struct Lead {
		AllocaInst *inside = nullptr; /* lane 0 is known to be among the active ones */
		AllocaInst *stays = nullptr; /* and to stay for this turn */
	};
	std::map<const Region *, Lead> leads;
	struct State { /* nullptr: all lanes; always */
		AllocaInst *mask = nullptr, *guard = nullptr;
	};
	std::map<const Node *, State> states;
	std::map<const Region *, AllocaInst *> masks;
	std::map<Region *, BasicBlock *> heads; /* of inner loops */
	std::map<const Edge *, AllocaInst *> taken; /* a mask where it diverges, else a flag */
	std::map<std::pair<PHINode *, const Edge *>, AllocaInst *> kept;
	/* What has been laid out, for verify(). */
	std::set<const BasicBlock *> emitted;
	std::set<const Edge *> left, come;

	AllocaInst *taken_of(const Edge &edge);
	Value *mask_of(AllocaInst *mask)
	{
		return mask ? e.load(mask) : nullptr;
	}
	Value *edge_mask(const Edge &edge);
	void clear(const Edge &edge);
	bool is_light(const Node &node) const;
	const ICmpInst *leading_test(const Region &region) const;
	void lead(const Region &region);
	AllocaInst *stays_for(const Region &region, const Node &node);
	void branch(AllocaInst *certain, Value *any, BasicBlock *yes, BasicBlock *no);
	void come_to(Region &region, Node &node);
	void join_phis(Node &node);
	void leave_by(const Edge &edge, BasicBlock &block, Value *mask, bool guarded);
	void emit_block(Region &region, Node &node);
	void emit_loop(Node &node);
	void emit_region(Region &region);
	void forget(Region &region, BasicBlock *head);
	void set_phis(BasicBlock &header, const BasicBlock &from);
	void note_arrival(const Edge &edge)
	{
		if (left.count(&edge))
			come.insert(&edge);
	}
	void verify(const Region &region) const;
};

AllocaInst *Widener::taken_of(const Edge &edge)
{
	AllocaInst *&slot = taken[&edge];
	if (!slot)
		slot = e.variable(edge.diverges ? e.mask_type() : b.getInt1Ty(), "taken");
	return slot;
}

/* The lanes of the edge's target region that have taken it. */
Value *Widener::edge_mask(const Edge &edge)
{
	Value *v = e.load(taken_of(edge));
	if (edge.diverges)
		return v;
	Value *all = mask_of(masks[edge.target]);
	if (!all)
		all = Constant::getAllOnesValue(e.mask_type());
	return b.CreateSelect(v, all, e.no_lanes());
}

void Widener::clear(const Edge &edge)
{
	AllocaInst *slot = taken_of(edge);
	b.CreateStore(Constant::getNullValue(slot->getAllocatedType()), slot);
}

/* Better run for nobody than jumped over. */
bool Widener::is_light(const Node &node) const
{
	unsigned n = 0;
	if (node.inner)
		return false;
	for (const Instruction &i : *node.block)
		if (!i.isTerminator() && (!e.is_cheap(i) || ++n > CHEAP))
			return false;
	return true;
}

/* The comparison that alone ends the region, at its header, where lane 0's is at hand. */
const ICmpInst *Widener::leading_test(const Region &region) const
{
	size_t n = 0;
	for (const BasicBlock *block : region.loop->blocks())
		n += block->sizeWithoutDebug();
	if (!region.ragged || n > STREAMING || region.exits.size() != 1 ||
	    region.exits[0]->from != region.loop->getHeader())
		return nullptr;
	auto *branch = cast<BranchInst>(region.exits[0]->from->getTerminator());
	auto *test = branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
	if (!test || plan.shape(test->getOperand(0)).kind == Shape::VARYING ||
	    plan.shape(test->getOperand(1)).kind == Shape::VARYING)
		return nullptr;
	return test;
}

/* At the end of the region's header: whether lane 0 stays. */
void Widener::lead(const Region &region)
{
	const Lead &l = leads[&region];
	const ICmpInst *test = leading_test(region);
	Value *go = b.CreateICmp(test->getPredicate(), e.scalar(test->getOperand(0)),
				 e.scalar(test->getOperand(1)));
	if (region.exits[0]->index == 0)
		go = b.CreateNot(go);
	b.CreateStore(b.CreateSelect(e.load(l.inside), go, b.getFalse()), l.stays);
}

/* To yes where that is certain, else as any says. */
void Widener::branch(AllocaInst *certain, Value *any, BasicBlock *yes, BasicBlock *no)
{
	if (certain) {
		BasicBlock *ask = e.block("ask");
		b.CreateCondBr(e.load(certain), yes, ask,
			       MDBuilder(b.getContext()).createLikelyBranchWeights());
		b.SetInsertPoint(ask);
	}
	b.CreateCondBr(any, yes, no);
}

/* What says who runs the node. */
void Widener::come_to(Region &region, Node &node)
{
	State &state = states[&node];
	if (&node == region.nodes.front().get()) {
		state.mask = masks[&region];
		return;
	}
	Value *any = nullptr, *mask = nullptr;
	state.mask = masks[&region];
	if (node.twin) {
		state = states[node.twin];
		if (node.together || state.guard || is_light(node))
			return;
		any = e.any(e.load(state.mask)); /* its twin was too light for a guard */
	} else if (node.together) {
		for (const Edge *edge : node.in) {
			Value *v = e.load(taken_of(*edge));
			any = any ? b.CreateOr(any, v) : v;
			note_arrival(*edge);
		}
	} else {
		for (const Edge *edge : node.in) {
			Value *v = edge_mask(*edge);
			mask = mask ? b.CreateOr(mask, v) : v;
			note_arrival(*edge);
		}
		state.mask = e.variable(e.mask_type(), "mask");
		b.CreateStore(mask, state.mask);
		if (is_light(node))
			return;
		any = e.any(mask);
	}
	state.guard = e.variable(b.getInt1Ty(), "guard");
	b.CreateStore(any, state.guard);
}

/* ---- phis -------------------------------------------------------------------------- */

void Widener::join_phis(Node &node)
{
	for (PHINode &phi : node.block->phis()) {
		Shape shape = plan.shape(&phi);
		Value *scalar = nullptr, *vector = nullptr, *ok = nullptr;
		for (const Edge *edge : node.in) {
			Value *value = Plan::incoming(phi, *edge), *chosen = nullptr;
			if (shape.kind != Shape::VARYING) {
				Value *v = e.scalar(value);
				Value *good = shape.kind == Shape::STRIDED ? e.regular(value)
									   : nullptr;
				if (!good)
					good = b.getTrue();
				if (scalar) {
					chosen = e.load(taken_of(*edge));
					v = b.CreateSelect(chosen, v, scalar);
					good = b.CreateSelect(chosen, good, ok);
				}
				scalar = v;
				ok = good;
			}
			if (shape.kind == Shape::UNIFORM)
				continue;
			Value *v = edge->leaves_ragged ? e.load(kept[{&phi, edge}])
						       : e.vector(value);
			vector = vector ? b.CreateSelect(edge_mask(*edge), v, vector) : v;
		}
		e.define(phi, scalar, vector, shape.kind == Shape::STRIDED ? ok : nullptr);
	}
}

/* The phis of a loop's header, all at once. */
void Widener::set_phis(BasicBlock &header, const BasicBlock &from)
{
	struct Forms {
		PHINode *phi;
		Value *scalar, *vector, *ok;
	};
	std::vector<Forms> all;
	for (PHINode &phi : header.phis()) {
		Value *value = phi.getIncomingValueForBlock(&from);
		Shape::Kind kind = plan.shape(&phi).kind;
		all.push_back({&phi, kind == Shape::VARYING ? nullptr : e.scalar(value),
			       kind == Shape::UNIFORM ? nullptr : e.vector(value),
			       kind == Shape::STRIDED ? e.regular(value) : nullptr});
	}
	for (const Forms &one : all)
		e.define(*one.phi, one.scalar, one.vector, one.ok);
}

/* ---- control ----------------------------------------------------------------------- */

/* Note who leaves the block by an edge. */
void Widener::leave_by(const Edge &edge, BasicBlock &block, Value *mask, bool guarded)
{
	left.insert(&edge);
	auto *branch = cast<BranchInst>(block.getTerminator());
	Value *condition = branch->isConditional() ? branch->getCondition() : nullptr;
	bool same = !condition || plan.shape(condition).kind == Shape::UNIFORM;
	Value *go = !condition ? b.getTrue() : same ? e.scalar(condition) : e.vector(condition);
	if (condition && same && !guarded)
		go = b.CreateFreeze(go); /* nobody may be here */
	if (!edge.diverges) {
		b.CreateStore(edge.index ? b.CreateNot(go) : go, taken_of(edge));
		return;
	}
	Value *all = mask ? mask : Constant::getAllOnesValue(e.mask_type());
	Value *lanes = edge.index ? b.CreateSelect(go, e.no_lanes(), all)
				  : b.CreateSelect(go, all, e.no_lanes());
	if (condition && !same && !edge.index)
		lanes = b.CreateSelect(all, go, e.no_lanes());
	else if (condition && !same)
		lanes = b.CreateSelect(all, b.CreateNot(go), e.no_lanes());
	if (edge.target == plan.region_of(&block)) {
		b.CreateStore(lanes, taken_of(edge));
		return;
	}
	for (PHINode &phi : edge.to->phis()) {
		if (!edge.leaves_ragged)
			break;
		AllocaInst *&slot = kept[{&phi, &edge}];
		if (!slot)
			slot = e.variable(e.widen(phi.getType()), "kept");
		Value *value = e.vector(Plan::incoming(phi, edge));
		b.CreateStore(b.CreateSelect(lanes, value, e.load(slot)), slot);
	}
	b.CreateStore(b.CreateOr(e.load(taken_of(edge)), lanes), taken_of(edge));
}

void Widener::emit_block(Region &region, Node &node)
{
	emitted.insert(node.block);
	e.begin_block();
	if (node.block != region.loop->getHeader())
		join_phis(node);
	Value *mask = mask_of(states[&node].mask);
	for (Instruction &i : *node.block)
		if (!isa<PHINode>(i) && !i.isTerminator())
			e.emit(i, mask);
	b.SetCurrentDebugLocation(node.block->getTerminator()->getDebugLoc());
	bool guarded = node.together || states[&node].guard;
	for (const Edge *edge : node.out)
		leave_by(*edge, *node.block, mask, guarded);
	if (node.block == region.loop->getHeader() && leads.count(&region))
		lead(region);
}

void Widener::emit_loop(Node &node)
{
	Region &inner = *node.inner;
	Loop &loop = *inner.loop;
	BasicBlock *head = e.block("loop"), *next = e.block("again"), *after = e.block("left");
	AllocaInst *mask = states[&node].mask;
	if (inner.ragged) {
		AllocaInst *own = e.variable(e.mask_type(), "active");
		Value *all = mask_of(mask);
		b.CreateStore(all ? all : Constant::getAllOnesValue(e.mask_type()), own);
		mask = own;
	}
	masks[&inner] = mask;
	heads[&inner] = head;
	if (leading_test(inner)) {
		Lead &l = leads[&inner];
		l.inside = e.variable(b.getInt1Ty(), "inside");
		l.stays = e.variable(b.getInt1Ty(), "stays");
		b.CreateStore(b.CreateExtractElement(e.load(mask), b.getInt64(0)), l.inside);
	}
	e.begin_block();
	set_phis(*loop.getHeader(), *loop.getLoopPreheader());
	e.enter(head);
	emit_region(inner);
	e.begin_block();
	Value *back = e.load(taken_of(*inner.back));
	auto led = leads.find(&inner);
	branch(led == leads.end() ? nullptr : led->second.stays,
	       inner.back->diverges ? e.any(back) : back, next, after);
	b.SetInsertPoint(next);
	if (led != leads.end())
		b.CreateStore(e.load(led->second.stays), led->second.inside);
	if (inner.back->diverges)
		b.CreateStore(back, mask);
	set_phis(*loop.getHeader(), *loop.getLoopLatch());
	e.close_loop(b.CreateBr(head), false);
	b.SetInsertPoint(after);
}

/* What says that lane 0 comes to the node from the header of its region, if anything does. */
AllocaInst *Widener::stays_for(const Region &region, const Node &node)
{
	auto led = leads.find(&region);
	if (led == leads.end() || node.in.size() != 1 ||
	    node.in[0]->from != region.loop->getHeader())
		return nullptr;
	return led->second.stays;
}

void Widener::emit_region(Region &region)
{
	for (auto &node : region.nodes) {
		come_to(region, *node);
		for (const Edge *edge : node->out)
			if (edge->target == &region)
				clear(*edge);
		AllocaInst *guard = states[node.get()].guard;
		BasicBlock *skip = nullptr;
		if (guard) {
			BasicBlock *run = e.block("some");
			skip = e.block("none");
			branch(stays_for(region, *node), e.load(guard), run, skip);
			b.SetInsertPoint(run);
		}
		if (node->inner)
			emit_loop(*node);
		else
			emit_block(region, *node);
		if (skip)
			e.enter(skip);
	}
}

/* What a region's blocks make is nothing before they run in an iteration; so LLVM need
 * not carry it from one to the next. */
void Widener::forget(Region &region, BasicBlock *head)
{
	b.SetInsertPoint(head, head->getFirstInsertionPt());
	b.SetCurrentDebugLocation(DebugLoc());
	e.each_variable([&](Instruction &i, AllocaInst *variable) {
		bool carried = &i == &thread || (region.parent && isa<PHINode>(i) &&
						 i.getParent() == region.loop->getHeader());
		if (plan.region_of(i.getParent()) == &region && !carried)
			b.CreateStore(PoisonValue::get(variable->getAllocatedType()), variable);
	});
}

/* Each block is laid out, each edge is left by, and behind that it is come by: what has read its
 * lanes once they were noted, unless the step runs exactly when an earlier one did. */
void Widener::verify(const Region &region) const
{
	static const char name[] = "linearisation";
	for (auto &node : region.nodes) {
		if (node->inner)
			verify(*node->inner);
		else
			flow::expect(emitted.count(node->block), *node->block, name,
				     "a block is not laid out");
		for (const Edge *edge : node->out)
			flow::expect(left.count(edge), *edge->from, name,
				     "an edge is never left by");
		for (const Edge *edge : node->in)
			flow::expect(node->twin || come.count(edge), *edge->from, name,
				     "an edge is never come by");
	}
}

/* In the place of the loop over threads. */
void Widener::run()
{
	BasicBlock *before = threads.getLoopPreheader(), *header = threads.getHeader();
	BasicBlock *head = e.block("lanes"), *start = e.block("lanes.start"),
		   *out = threads.getExitBlock();
	Type *type = thread.getType();
	Region &all = plan.outermost();
	before->getTerminator()->replaceSuccessorWith(header, start);
	header->removePredecessor(before, true);
	b.SetInsertPoint(start);
	e.make_private(threads);
	e.enter(head);
	PHINode *first = b.CreatePHI(type, 2, "thread");
	first->addIncoming(ConstantInt::get(type, 0), start);
	SmallVector<Constant *, 16> numbers;
	for (unsigned i = 0; i < e.n_lanes; i++)
		numbers.push_back(ConstantInt::get(type, i));
	Value *lanes = b.CreateAdd(b.CreateVectorSplat(e.n_lanes, first),
				   ConstantVector::get(numbers), "", true, true);
	masks[&all] = e.variable(e.mask_type(), "threads");
	b.CreateStore(b.CreateICmpULT(lanes, b.CreateVectorSplat(e.n_lanes, extent)), masks[&all]);
	e.begin_block();
	e.define(thread, first, lanes);
	emit_region(all);
	if (flow_is_checked())
		verify(all);
	Value *next = b.CreateAdd(first, ConstantInt::get(type, e.n_lanes), "", true, true);
	first->addIncoming(next, b.GetInsertBlock());
	e.close_loop(b.CreateCondBr(b.CreateICmpULT(next, extent), head, out), true);
	forget(all, head);
	for (auto &[region, first_block] : heads)
		forget(*region, first_block);
	removeUnreachableBlocks(f);
}

/* ---- loops ------------------------------------------------------------------------- */

/* Whether it is made of the address of a thread's own variable. */
bool is_private(const Instruction &i)
{
	for (const Value *operand : i.operands())
		if (operand->getType()->isPointerTy() &&
		    isa<AllocaInst>(getUnderlyingObject(operand, 0)))
			return true;
	return false;
}

/* What is the same for all threads, and may be made where there is none: what follows
 * the loop uses it, too. */
void hoist(Loop &loop)
{
	bool changed = false;
	for (BasicBlock *block : loop.blocks())
		for (Instruction &i : make_early_inc_range(*block))
			if (!i.isTerminator() && !isa<PHINode>(i) && !i.mayReadOrWriteMemory() &&
			    !is_private(i))
				loop.makeLoopInvariant(&i, changed);
}

/* Parts of threads' own variables whose addresses were made before the loop: each lane makes its own. */
void sink(Loop &loop)
{
	auto is_part = [&](Value *v) {
		auto *gep = dyn_cast<GetElementPtrInst>(v);
		return gep && !loop.contains(gep) && isa<AllocaInst>(getUnderlyingObject(gep, 0));
	};
	SmallVector<Use *, 16> uses;
	for (BasicBlock *block : loop.blocks())
		for (Instruction &i : *block)
			for (Use &operand : i.operands())
				if (is_part(operand))
					uses.push_back(&operand);
	while (!uses.empty()) {
		Use *use = uses.pop_back_val();
		auto *user = cast<Instruction>(use->getUser());
		auto *phi = dyn_cast<PHINode>(user);
		/* From before the loop: then it is another value each time, which lanes do not have. */
		if (phi && !loop.contains(phi->getIncomingBlock(*use)))
			continue;
		auto *made = cast<Instruction>(use->get());
		Instruction *copy = made->clone();
		Instruction *place = phi ? phi->getIncomingBlock(*use)->getTerminator() : user;
		copy->insertBefore(*place->getParent(), place->getIterator());
		use->set(copy);
		for (Use &operand : copy->operands())
			if (is_part(operand))
				uses.push_back(&operand);
		RecursivelyDeleteTriviallyDeadInstructions(made);
	}
}

bool widen(Function &f, Loop &loop, LoopInfo &loops, const DominatorTree &tree, unsigned bits)
{
	Value *extent;
	if (!loop.isLoopSimplifyForm() || !loop.getExitBlock())
		return false;
	PHINode *thread = lane_counter(loop, extent);
	if (!thread)
		return false;
	const DataLayout &layout = f.getParent()->getDataLayout();
	Plan first(loop, *thread, loops, layout);
	if (first.make() || !is_lane_candidate(loop, tree, &first) ||
	    !lanes_gain(loop, loops, first))
		return false;
	unsigned n = lane_number(loop, bits);
	if (is_lane_loop(loop) && loop.isInnermost())
		n = WARP;
	Plan plan(loop, *thread, loops, layout, weave_arrays(f, loop, n));
	if (plan.make())
		return false;
	Widener(f, loop, *thread, extent, plan, n).run();
	return true;
}

} // namespace

bool loops_linearize(LLVMValueRef value, unsigned bits)
{
	auto &f = *unwrap<Function>(value);
	DominatorTree tree(f);
	LoopInfo loops(tree);
	SmallVector<BasicBlock *, 8> headers;
	for (Loop *loop : loops.getLoopsInPreorder())
		if (is_thread_loop(*loop) && !is_seldom_loop(*loop) &&
		    is_lane_candidate(*loop, tree, nullptr))
			headers.push_back(loop->getHeader());
	bool any = false;
	for (BasicBlock *header : headers) {
		DominatorTree now(f);
		LoopInfo all(now);
		AssumptionCache assumptions(f);
		Loop *loop = all.getLoopFor(header);
		simplifyLoop(loop, &now, &all, nullptr, &assumptions, nullptr, false);
		hoist(*loop);
		sink(*loop);
		formLCSSARecursively(*loop, now, &all, nullptr);
		any |= widen(f, *loop, all, now, bits);
	}
	return any;
}
