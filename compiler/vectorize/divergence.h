/* SPDX-License-Identifier: Apache-2.0 */
/* divergence.h - what is equal for consecutive threads of a loop over a block's threads,
 * and where they part: the analysis before linearize.cpp makes vectors of them.
 *
 * C++, and only for this room. A lane is one of consecutive threads. */
#ifndef CUDASIM_COMPILER_DIVERGENCE_H
#define CUDASIM_COMPILER_DIVERGENCE_H

#include <map>
#include <memory>
#include <set>
#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>

#include "lane_arrays.h"
#include "shape.h"

namespace vectorize
{

using uniformity::Shape, uniformity::shape_join, uniformity::shape_of;

struct Region;
struct Node;

/* A way from a block to another: the index-th successor of `from`. */
struct Edge {
	llvm::BasicBlock *from, *to;
	unsigned index;
	Region *target;      /* the innermost region that has `to` as a node */
	bool diverges;       /* some of the lanes that are active in target may take it */
	bool leaves_ragged;  /* it leaves a loop that lanes leave at different times */
};

/* A step of a region: a block, or a whole inner loop. */
struct Node {
	llvm::BasicBlock *block; /* or the inner loop's header */
	Region *inner;           /* nullptr for a block */
	std::vector<Edge *> in, out; /* not the back-edge into an inner loop's header */
	Node *twin;              /* runs exactly when this one does, and before it; or nullptr */
	bool together;           /* it runs for all of the region's active lanes or for none */
	bool ordered;            /* it has its place, behind which are all that follow it */
};

/* A loop's body in topological order; what is left out are inner loops' bodies. */
struct Region {
	llvm::Loop *loop;
	Region *parent;          /* nullptr for the loop over threads */
	std::vector<std::unique_ptr<Node>> nodes;
	Edge *back;              /* nullptr for the loop over threads */
	std::vector<Edge *> exits;
	bool ragged;             /* lanes leave it at different times */
};

class Plan
{
public:
	/* Of the loop over threads; `thread` is its counter. LCSSA and simplified loops are
	 * expected. */
	Plan(llvm::Loop &threads, llvm::PHINode &thread, llvm::LoopInfo &loops,
	     const llvm::DataLayout &layout, LaneArrays arrays = {})
	    : threads(threads), thread(thread), loops(loops), layout(layout),
	      arrays(std::move(arrays))
	{
	}

	/* nullptr, or why the loop's threads cannot become lanes. */
	const char *make();

	Shape shape(const llvm::Value *value) const;

	/* Bytes from one lane's copy of a variable to the next one's: its size, rounded up so
	 * that each copy is aligned as the variable is, or those of an element (lane_arrays.h).
	 * The size is known. */
	uint64_t lane_bytes(const llvm::AllocaInst &variable) const;
	/* Is it all lanes' copies already? */
	bool is_woven(const llvm::AllocaInst &variable) const
	{
		return arrays.count(&variable);
	}
	Region &outermost()
	{
		return *regions.front();
	}
	Region *region_of(llvm::BasicBlock *block);
	Edge *edge(llvm::BasicBlock *from, unsigned index);
	bool contains(const llvm::Value *value) const;
	/* The phi's value for an edge. */
	static llvm::Value *incoming(llvm::PHINode &phi, const Edge &edge)
	{
		return phi.getIncomingValueForBlock(edge.from);
	}

private:
	llvm::Loop &threads;
	llvm::PHINode &thread;
	llvm::LoopInfo &loops;
	const llvm::DataLayout &layout;
	const LaneArrays arrays;
	std::vector<std::unique_ptr<Region>> regions;
	std::map<llvm::Loop *, Region *> by_loop;
	std::map<std::pair<llvm::BasicBlock *, unsigned>, std::unique_ptr<Edge>> edges;
	std::map<const llvm::Value *, Shape> shapes;
	bool changed = false;

	const char *check() const;
	void verify();
	void verify_edge(llvm::BasicBlock *from, unsigned index);
	Region *add_region(llvm::Loop *loop, Region *parent);
	std::vector<Edge *> edges_out(Region &region, Node &node);
	Node *node_in(Region &region, llvm::BasicBlock *block);
	bool order(Region &region, Node *node, std::map<llvm::BasicBlock *, Node *> &known,
		   std::vector<Node *> &finished);
	void find_twins(Region &region);
	bool parts(const Edge &edge, const Region *upto);
	void update(Region &region);
	void update_values(llvm::BasicBlock &block);
	Shape phi_shape(llvm::PHINode &phi);
	Shape compute(llvm::Instruction &i);
};

} // namespace vectorize
#endif
