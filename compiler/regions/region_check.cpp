/* SPDX-License-Identifier: Apache-2.0 */
/* region_check.cpp - whether a cut kernel holds each block and each edge of the uncut one, where an
 * edge may be a cut's, which leaves with the number by which it is come back; and whether the way
 * comes from each region to the regions that threads come to, and to no others. */
#include "flow_check.h"

#include <llvm/IR/CFG.h>

#include "cudasim/abi.h"
#include "region_builder.h"

using namespace llvm;

namespace regions
{

static const char formation[] = "region formation", uniform[] = "uniform control flow";

/* Where the region begins, as long as LLVM has not simplified the choice. */
static const BasicBlock *start_of(const Function &f, unsigned k)
{
	auto *choice = dyn_cast<SwitchInst>(f.getEntryBlock().getTerminator());
	flow::expect(choice, f.getEntryBlock(), formation, "regions are not chosen");
	auto found = choice->findCaseValue(ConstantInt::get(Type::getInt32Ty(f.getContext()), k));
	flow::expect((found == choice->case_default()) == (k == 0), f.getEntryBlock(), formation,
		     "a region has no beginning");
	return found->getCaseSuccessor();
}

/* The numbers that the region's ends return; REGION_SEVERAL stands for what is computed. */
static std::set<uint64_t> ends_from(const BasicBlock *start)
{
	std::set<uint64_t> ret;
	for (const BasicBlock *block : flow::graph_from(*start).blocks)
		if (auto *end = dyn_cast<ReturnInst>(block->getTerminator())) {
			auto *n = dyn_cast<ConstantInt>(end->getReturnValue());
			ret.insert(n ? n->getZExtValue() : REGION_SEVERAL);
		}
	return ret;
}

void RegionBuilder::verify_boundaries(const flow::Graph &before)
{
	auto is_cut = [&](const BasicBlock *from, const BasicBlock *to) {
		for (size_t k = 0; k < cuts.size(); k++) {
			if (cuts[k].before != from || cuts[k].after != to)
				continue;
			auto *end = dyn_cast<ReturnInst>(from->getTerminator());
			auto *n = end ? dyn_cast<ConstantInt>(end->getReturnValue()) : nullptr;
			return n && n->getZExtValue() == k + 1 && start_of(f, k + 1) == to;
		}
		return from == head && to == start_of(f, 0);
	};
	flow::expect_kept(before, flow::graph_from(f.getEntryBlock()), formation, {}, is_cut);
}

void RegionBuilder::verify_uniform_flow(const struct region_plan *plan, const BasicBlock *first)
{
	for (unsigned k = 0; k < plan->n_regions; k++) {
		const BasicBlock *start = k ? cuts[k - 1].after : first;
		std::set<uint64_t> threads = ends_from(start), all = ends_from(flow_starts[k]);
		for (uint64_t end : all)
			flow::expect(threads.count(end), *start, uniform,
				     "the control flow goes where no thread does");
		for (uint64_t end : threads)
			flow::expect(all.count(end) ||
					     (end == CONTINUATION_EXIT && plan->regions[k].loses),
				     *start, uniform,
				     "the control flow does not go where "
				     "threads do");
	}
}

} // namespace regions
