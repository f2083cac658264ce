/* SPDX-License-Identifier: Apache-2.0 */
/* divergence.cpp - see divergence.h.
 *
 * An optimistic fixed point: at first all values are unknown, no branch parts the lanes;
 * then each round makes values and branches worse until nothing changes.
 *
 * Sources: divergence analysis as in Karrenberg, Hack: Whole-function vectorization
 * (2011). */
#include "divergence.h"

#include <algorithm>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>

#include "flow_check.h"
#include "loop_events.h"
#include "own_atomics.h"

using namespace llvm;

namespace vectorize
{

enum { MOST_ROUNDS = 200 };

/* ---- what can be widened ----------------------------------------------------------- */

static bool is_lane(const Type *type)
{
	if (auto *s = dyn_cast<StructType>(type)) {
		for (const Type *element : s->elements())
			if (element->isAggregateType() || !is_lane(element))
				return false;
		return s->getNumElements() > 0;
	}
	return (type->isIntegerTy() && type->getIntegerBitWidth() <= 64) || type->isHalfTy() ||
	       type->isFloatTy() || type->isDoubleTy() || type->isPointerTy();
}

static const char *check_instruction(const Instruction &i)
{
	if (i.isTerminator())
		return isa<BranchInst>(i) ? nullptr : "a branch of another kind";
	if (isa<AllocaInst>(i))
		return "a variable inside the loop";
	if (auto *call = dyn_cast<CallBase>(&i)) {
		auto *intrinsic = dyn_cast<IntrinsicInst>(call);
		if (!intrinsic)
			return own_atomics_is_call(wrap(&i)) || (loop_event_is(wrap(&i)) &&
								 !loop_event_is_alone(wrap(&i)))
				       ? nullptr
				       : "a call";
		if (intrinsic->isAssumeLikeIntrinsic() && i.getType()->isVoidTy())
			return nullptr;
		if (call->mayReadOrWriteMemory() && !isa<MemIntrinsic>(call))
			return "an intrinsic with memory";
	}
	if (!i.getType()->isVoidTy() && !is_lane(i.getType()))
		return "a value of an odd type";
	for (const Value *operand : i.operands())
		if (auto *o = dyn_cast<Instruction>(operand))
			if (!is_lane(o->getType()) && !isa<AllocaInst>(o))
				return "an operand of an odd type";
	if (auto *store = dyn_cast<StoreInst>(&i))
		if (!is_lane(store->getValueOperand()->getType()) ||
		    store->getValueOperand()->getType()->isStructTy())
			return "a store of an odd type";
	if (isa<LoadInst>(i) && i.getType()->isStructTy())
		return "a load of an odd type";
	return nullptr;
}

const char *Plan::check() const
{
	SmallVector<Loop::Edge, 8> out;
	threads.getExitEdges(out);
	if (!threads.isLoopSimplifyForm() || out.size() != 1 ||
	    out[0].first != threads.getLoopLatch())
		return "other exits";
	for (PHINode &phi : threads.getHeader()->phis())
		if (&phi != &thread)
			return "values from thread to thread";
	if (isa<PHINode>(out[0].second->front()))
		return "values used after the loop";
	for (BasicBlock *block : threads.blocks())
		for (Instruction &i : *block) {
			if (const char *why = check_instruction(i))
				return why;
			/* Only addresses made in the loop become those of the lanes' copies. */
			for (const Value *operand : i.operands())
				if (!isa<AllocaInst>(operand) && !contains(operand) &&
				    operand->getType()->isPointerTy() &&
				    isa<AllocaInst>(getUnderlyingObject(operand, 0)))
					return "a variable's address from before the loop";
		}
	return nullptr;
}

bool Plan::contains(const Value *value) const
{
	auto *i = dyn_cast<Instruction>(value);
	return i && threads.contains(i->getParent());
}

/* ---- regions ----------------------------------------------------------------------- */

Edge *Plan::edge(BasicBlock *from, unsigned index)
{
	std::unique_ptr<Edge> &e = edges[{from, index}];
	if (!e) {
		BasicBlock *to = from->getTerminator()->getSuccessor(index);
		e.reset(new Edge{from, to, index, nullptr, false, false});
	}
	return e.get();
}

Region *Plan::region_of(BasicBlock *block)
{
	auto found = by_loop.find(loops.getLoopFor(block));
	return found == by_loop.end() ? nullptr : found->second;
}

std::vector<Edge *> Plan::edges_out(Region &region, Node &node)
{
	std::vector<Edge *> ret;
	auto add = [&](BasicBlock *block) {
		unsigned n = block->getTerminator()->getNumSuccessors();
		for (unsigned i = 0; i < n; i++)
			if (!node.inner ||
			    !node.inner->loop->contains(block->getTerminator()->getSuccessor(i)))
				ret.push_back(edge(block, i));
	};
	if (!node.inner)
		add(node.block);
	else
		for (BasicBlock *block : node.inner->loop->blocks())
			add(block);
	(void)region;
	return ret;
}

/* The region's node that begins with a block, made at the first time; nullptr where the
 * block is in the middle of an inner loop. */
Node *Plan::node_in(Region &region, BasicBlock *block)
{
	Loop *inner = loops.getLoopFor(block);
	while (inner != region.loop && inner->getParentLoop() != region.loop)
		inner = inner->getParentLoop();
	Node *node = new Node{block, nullptr, {}, {}, nullptr, true, false};
	if (inner != region.loop) {
		if (inner->getHeader() != block)
			return delete node, nullptr;
		node->inner = add_region(inner, &region);
		if (!node->inner)
			return delete node, nullptr;
	}
	return node;
}

/* Depth first; false where control flow is too odd. */
bool Plan::order(Region &region, Node *node, std::map<BasicBlock *, Node *> &known,
		 std::vector<Node *> &finished)
{
	node->out = edges_out(region, *node);
	bool latch = !region.parent && node->block == region.loop->getLoopLatch();
	if (latch)
		node->out.clear(); /* the loop over threads goes on by other means */
	for (Edge *e : node->out) {
		if (e->to == region.loop->getHeader()) {
			e->target = &region;
			region.back = e;
			continue;
		}
		if (!region.loop->contains(e->to)) {
			region.exits.push_back(e);
			continue;
		}
		e->target = &region;
		Node *&next = known[e->to];
		if (!next) {
			next = node_in(region, e->to);
			if (!next || !order(region, next, known, finished))
				return false;
		}
		/* Back to a block whose visit is under way: a cycle that is no loop, since it
		 * is entered in several places. Its blocks have no order. */
		if (!next->ordered)
			return false;
		next->in.push_back(e);
	}
	node->ordered = true;
	finished.push_back(node);
	return true;
}

Region *Plan::add_region(Loop *loop, Region *parent)
{
	auto *region = new Region{loop, parent, {}, nullptr, {}, false};
	regions.emplace_back(region);
	by_loop[loop] = region;
	if (parent && !loop->isLoopSimplifyForm())
		return nullptr;
	std::map<BasicBlock *, Node *> known;
	std::vector<Node *> finished;
	auto *header = new Node{loop->getHeader(), nullptr, {}, {}, nullptr, true, false};
	bool ok = order(*region, header, known, finished);
	for (size_t i = finished.size(); i-- > 0;)
		region->nodes.emplace_back(finished[i]);
	known[header->block] = header;
	for (auto &[block, node] : known)
		if (node && !node->ordered)
			delete node;
	if (!ok || (parent && !region->back))
		return nullptr;
	find_twins(*region);
	return region;
}

/* A node's twin is its immediate dominator among the region's nodes, if the node is
 * on every way from there to the end of the iteration. */
void Plan::find_twins(Region &region)
{
	size_t n = region.nodes.size();
	std::map<Node *, size_t> number;
	std::map<BasicBlock *, size_t> of_block;
	for (size_t i = 0; i < n; i++) {
		number[region.nodes[i].get()] = i;
		of_block[region.nodes[i]->block] = i;
	}
	/* Who holds the block that an edge comes from. */
	auto source = [&](const Edge *e) {
		Loop *l = loops.getLoopFor(e->from);
		BasicBlock *block = e->from;
		for (; l != region.loop; l = l->getParentLoop())
			block = l->getHeader();
		return of_block[block];
	};
	std::vector<size_t> dominator(n, 0), behind(n + 1, n);
	for (size_t i = 1; i < n; i++) {
		size_t d = SIZE_MAX;
		for (Edge *e : region.nodes[i]->in) {
			size_t p = source(e);
			if (d == SIZE_MAX)
				d = p;
			while (d != p)
				if (d > p)
					d = dominator[d];
				else
					p = dominator[p];
		}
		dominator[i] = d;
	}
	for (size_t i = n; i-- > 0;) {
		size_t d = SIZE_MAX;
		for (Edge *e : region.nodes[i]->out) {
			bool inside = region.loop->contains(e->to) &&
				      e->to != region.loop->getHeader();
			size_t s = inside ? of_block[e->to] : n;
			if (d == SIZE_MAX)
				d = s;
			while (d != s)
				if (d < s)
					d = behind[d];
				else
					s = behind[s];
		}
		behind[i] = d == SIZE_MAX ? n : d;
	}
	for (size_t i = 1; i < n; i++) {
		size_t d = dominator[i], b = d;
		while (b < i)
			b = behind[b];
		if (b == i)
			region.nodes[i]->twin = region.nodes[d].get();
	}
}

/* ---- control ----------------------------------------------------------------------- */

/* Whether some of the active lanes of `upto` may take an edge and others not, or later. */
bool Plan::parts(const Edge &e, const Region *upto)
{
	Region *region = region_of(e.from);
	BasicBlock *block = e.from;
	auto *branch = cast<BranchInst>(e.from->getTerminator());
	if (branch->isConditional() && shape(branch->getCondition()).kind > Shape::UNIFORM)
		return true;
	for (;; region = region->parent) {
		for (auto &node : region->nodes)
			if (node->block == block && !node->together)
				return true;
		if (region == upto || !region->parent)
			return false;
		if (region->ragged)
			return true;
		block = region->loop->getHeader();
	}
}

void Plan::update(Region &region)
{
	for (auto &node : region.nodes) {
		bool together = true;
		if (node->twin)
			together = node->twin->together;
		else
			for (Edge *e : node->in)
				together &= !e->diverges;
		changed |= together != node->together;
		node->together = together;
		if (node->inner)
			update(*node->inner);
		else
			update_values(*node->block);
		for (Edge *e : node->out) {
			if (!e->target)
				continue;
			bool ragged = false, parting = parts(*e, e->target);
			for (Region *r = region_of(e->from); r != e->target; r = r->parent)
				ragged |= r->ragged;
			changed |= parting != e->diverges || ragged != e->leaves_ragged;
			e->diverges = parting;
			e->leaves_ragged = ragged;
		}
	}
	bool ragged = region.ragged;
	for (Edge *e : region.exits)
		ragged |= parts(*e, &region);
	changed |= ragged != region.ragged;
	region.ragged = ragged;
}

/* ---- values ------------------------------------------------------------------------ */

uint64_t Plan::lane_bytes(const AllocaInst &variable) const
{
	auto woven = arrays.find(&variable);
	if (woven != arrays.end())
		return woven->second;
	return alignTo(variable.getAllocationSize(layout)->getFixedValue(), variable.getAlign());
}

Shape Plan::shape(const Value *value) const
{
	if (auto *variable = dyn_cast<AllocaInst>(value)) {
		auto size = variable->getAllocationSize(layout);
		return size ? Shape::strided((int64_t)lane_bytes(*variable)) : Shape::varying();
	}
	if (!contains(value))
		return Shape::uniform();
	auto found = shapes.find(value);
	return found == shapes.end() ? Shape() : found->second;
}

Shape Plan::phi_shape(PHINode &phi)
{
	Shape ret;
	BasicBlock *block = phi.getParent();
	if (&phi == &thread)
		return Shape::strided(1);
	if (loops.isLoopHeader(block)) {
		for (const Use &value : phi.incoming_values())
			ret = shape_join(ret, shape(value));
		return ret;
	}
	bool one = phi.getNumIncomingValues() == 1;
	for (BasicBlock *from : phi.blocks()) {
		auto *branch = from->getTerminator();
		for (unsigned i = 0; i < branch->getNumSuccessors(); i++) {
			if (branch->getSuccessor(i) != block)
				continue;
			Edge *e = edge(from, i);
			if (e->leaves_ragged || (e->diverges && !one))
				return Shape::varying();
		}
		ret = shape_join(ret, shape(phi.getIncomingValueForBlock(from)));
	}
	return ret;
}

Shape Plan::compute(Instruction &i)
{
	if (auto *phi = dyn_cast<PHINode>(&i))
		return phi_shape(*phi);
	return shape_of(i, [this](const Value *value) { return shape(value); }, layout);
}

void Plan::update_values(BasicBlock &block)
{
	for (Instruction &i : block) {
		if (i.getType()->isVoidTy())
			continue;
		Shape &old = shapes[&i], now = compute(i);
		if (old.kind == Shape::VARYING || now.kind == Shape::UNKNOWN)
			continue;
		now = shape_join(old, now);
		if (now.kind == Shape::STRIDED && std::abs(now.stride) > INT32_MAX)
			now = Shape::varying();
		changed |= !(now == old);
		old = now;
	}
}

const char *Plan::make()
{
	if (const char *why = check())
		return why;
	if (!add_region(&threads, nullptr))
		return "irregular control flow";
	std::swap(regions.front(), *std::find_if(regions.begin(), regions.end(),
						 [](auto &r) { return !r->parent; }));
	if (!outermost().exits.empty())
		return "other exits";
	if (flow_is_checked())
		verify();
	unsigned round = 0;
	do {
		changed = false;
		update(outermost());
	} while (changed && ++round < MOST_ROUNDS);
	if (changed)
		return "too deep loops";
	for (auto &r : regions)
		if (r->parent && r->ragged && !r->back->diverges)
			return "a loop without a common end";
	/* What is still unknown is in code that no lane reaches. */
	for (auto &[value, s] : shapes)
		if (s.kind == Shape::UNKNOWN)
			s = Shape::varying();
	return nullptr;
}

} // namespace vectorize
