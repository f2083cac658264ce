/* SPDX-License-Identifier: Apache-2.0 */
/* divergence_check.cpp - whether a plan holds each block and each edge of the loop, in an order in which
 * lanes can go: an edge leads to a later step of the innermost loop around both its ends, or it is
 * that loop's back-edge. */
#include <algorithm>

#include <llvm/IR/CFG.h>

#include "flow_check.h"
#include "divergence.h"

using namespace llvm;

namespace vectorize
{

static const char analysis[] = "divergence analysis";

static void expect(bool holds, const BasicBlock *block, const char *what)
{
	flow::expect(holds, *block, analysis, what);
}

/* Where a region comes to the block, itself or as a part of an inner loop; its number of steps
 * where it does not. */
static size_t step_of(const Region &region, const BasicBlock *block)
{
	size_t i = 0;
	while (i < region.nodes.size() &&
	       !(region.nodes[i]->inner ? region.nodes[i]->inner->loop->contains(block)
					: region.nodes[i]->block == block))
		i++;
	return i;
}

static size_t count(const std::vector<Edge *> &edges, const Edge *edge)
{
	return (size_t)std::count(edges.begin(), edges.end(), edge);
}

void Plan::verify_edge(BasicBlock *from, unsigned index)
{
	BasicBlock *to = from->getTerminator()->getSuccessor(index);
	auto found = edges.find({from, index});
	expect(found != edges.end(), from, "an edge is not in the plan");
	const Edge *edge = found->second.get();
	expect(edge->from == from && edge->to == to, from, "an edge goes elsewhere");
	const Loop *common = loops.getLoopFor(from);
	for (; !common->contains(to); common = common->getParentLoop())
		expect(count(by_loop.at(const_cast<Loop *>(common))->exits, edge) == 1, from,
		       "an edge out of a loop is not known");
	Region &region = *by_loop.at(const_cast<Loop *>(common));
	expect(edge->target == &region, from, "an edge belongs to another loop");
	size_t here = step_of(region, from), there = step_of(region, to), n = region.nodes.size();
	expect(here < n && there < n, from, "an edge between steps that do not exist");
	expect(count(region.nodes[here]->out, edge) == 1, from, "an edge is not left by");
	if (to == common->getHeader()) {
		expect(region.back == edge && from == common->getLoopLatch(), from,
		       "a loop goes round by another edge");
		return;
	}
	expect(here < there, from, "an edge leads to an earlier step");
	expect(region.nodes[there]->block == to, from, "an edge leads into the middle of a loop");
	expect(count(region.nodes[there]->in, edge) == 1, from, "an edge is not come by");
}

void Plan::verify()
{
	std::map<const BasicBlock *, unsigned> n_steps;
	for (auto &region : regions)
		for (auto &node : region->nodes)
			if (!node->inner)
				n_steps[node->block]++;
	for (BasicBlock *block : threads.blocks()) {
		expect(n_steps[block] == 1, block, "a block is not one step");
		Region *region = region_of(block);
		expect(region && step_of(*region, block) < region->nodes.size(), block,
		       "a block is not a step of its loop");
		if (block == threads.getLoopLatch())
			continue; /* the loop over threads goes on by other means */
		for (unsigned i = 0; i < block->getTerminator()->getNumSuccessors(); i++)
			verify_edge(block, i);
	}
}

} // namespace vectorize
