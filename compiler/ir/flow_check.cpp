/* SPDX-License-Identifier: Apache-2.0 */
#include "flow_check.h"

#include <cstdio>
#include <cstdlib>

#include <llvm/IR/CFG.h>
#include <llvm/IR/Function.h>

using namespace llvm;

static bool always = false;

void flow_check_always(void)
{
	always = true;
}

bool flow_is_checked(void)
{
#ifdef CUDASIM_PARANOID
	return true;
#else
	return always;
#endif
}

namespace flow
{

Graph graph_from(const BasicBlock &start,
		 function_ref<bool(const BasicBlock *, const BasicBlock *)> is_cut)
{
	Graph ret;
	std::vector<const BasicBlock *> open = {&start};
	ret.blocks.insert(&start);
	while (!open.empty()) {
		const BasicBlock *block = open.back();
		open.pop_back();
		for (const BasicBlock *next : successors(block)) {
			if (is_cut(block, next))
				continue;
			ret.edges.insert({block, next});
			if (ret.blocks.insert(next).second)
				open.push_back(next);
		}
	}
	return ret;
}

void expect(bool holds, const BasicBlock &block, const char *transformation, const char *what)
{
	if (holds)
		return;
	const Function *f = block.getParent();
	fprintf(stderr, "cudasim-devcc: internal error: %s: %s: %s, block '%s'\n", transformation,
		f ? f->getName().str().c_str() : "?", what, block.getName().str().c_str());
	abort();
}

void expect_kept(const Graph &before, const Graph &now, const char *transformation,
		 const std::map<const BasicBlock *, const BasicBlock *> &copies,
		 function_ref<bool(const BasicBlock *, const BasicBlock *)> is_replaced)
{
	auto copy_of = [&](const BasicBlock *block) {
		auto found = copies.find(block);
		return found == copies.end() ? block : found->second;
	};
	for (const BasicBlock *block : before.blocks)
		expect(now.blocks.count(copy_of(block)), *block, transformation, "a block is lost");
	for (auto [from, to] : before.edges)
		expect(now.edges.count({copy_of(from), copy_of(to)}) || is_replaced(from, to),
		       *from, transformation, "an edge is lost");
}

} // namespace flow
