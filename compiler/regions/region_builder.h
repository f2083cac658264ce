/* SPDX-License-Identifier: Apache-2.0 */
/* region_builder.h - a kernel on its way to be cut: region_formation.cpp finds the places and what is
 * done there, live_values.cpp keeps what lives across them.
 *
 * C++, and only for these two. */
#ifndef CUDASIM_COMPILER_REGION_BUILDER_H
#define CUDASIM_COMPILER_REGION_BUILDER_H

#include <map>
#include <set>
#include <vector>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "region_formation.h"
#include "uniform_flow.h"
#include "flow_check.h"

namespace regions
{

using Values = std::set<llvm::Instruction *>;

/* A place where the function is cut: `before` ends there, `after` begins there. */
struct Boundary {
	llvm::BasicBlock *before, *after;
	std::vector<llvm::CallInst *> calls; /* what is done there; while splitting */
	kernel_region region;
};

/* What is made again behind a cut: instructions in all, those that differ between threads,
 * and whether the last one does. */
struct RemakeCost {
	unsigned all = 0, own = 0;
	bool differs = false;
};

/* A parameter, what is known of the block, where the device's variables are, or constant memory: the
 * same each time, and for all threads where the address is. */
bool is_known_load(const llvm::LoadInst &load);

class RegionBuilder
{
public:
	RegionBuilder(llvm::Function &function, bool warps)
	    : f(function), warps(warps), layout(f.getParent()->getDataLayout())
	{
	}
	bool run(struct region_plan *ret, const char **why);

private:
	llvm::Function &f;
	bool warps;
	const llvm::DataLayout &layout;
	std::vector<Boundary> cuts;
	std::map<llvm::BasicBlock *, Values> live_in;
	std::vector<llvm::Instruction *> order; /* all that have a value, for a stable order */
	std::map<llvm::Instruction *, uint64_t> slots;
	std::vector<std::pair<llvm::StoreInst *, llvm::Instruction *>> kept; /* into these */
	uint64_t frame = 0;
	/* Arrays for arguments and results, which all cuts share: they are read at once. */
	std::map<std::pair<unsigned, unsigned>, uint32_t> op_slots;
	llvm::BasicBlock *head = nullptr;
	llvm::Value *wide_index = nullptr;
	const char *reason = nullptr;
	/* Where all threads go the same way. */
	bool has_uniform_flow = false;
	UniformFlow uniform_flow;
	std::map<llvm::Instruction *, uint64_t> block_slots;
	uint64_t block_bytes = 0;
	std::vector<const llvm::BasicBlock *> flow_starts; /* of the regions, in its function */

	llvm::Argument *arg(unsigned i)
	{
		return f.getArg(i);
	}
	bool find_calls(std::vector<llvm::CallInst *> &calls);
	void group_calls(std::vector<llvm::CallInst *> &calls);
	void mark_constant_loads();
	bool is_shared(llvm::Value *address);
	void own_atomics();
	void split();
	uint32_t op_slot(unsigned place, unsigned size);
	region_value pass_argument(llvm::Value *v, unsigned place, llvm::IRBuilder<> &b);
	void take_result(llvm::CallInst *call, unsigned place, region_op &op, llvm::IRBuilder<> &b);
	void pass_product(llvm::CallInst *call, unsigned place, region_op &op,
			  llvm::IRBuilder<> &before, llvm::IRBuilder<> &after);
	void lower_operations();
	uint32_t next_of(llvm::BasicBlock *start);
	void describe(llvm::BasicBlock *start, kernel_region &region);
	void split_at_uniform_branches();
	void cut_edge(llvm::BasicBlock *from, unsigned index);
	void store_kept(llvm::Instruction *v, llvm::ArrayRef<Boundary *> needing,
			llvm::LoopInfo &loops, llvm::function_ref<void(llvm::IRBuilder<> &)> store);
	bool is_shared_value(const llvm::Instruction *i) const
	{
		return has_uniform_flow && uniform_flow.uniform.count(i);
	}
	llvm::Value *load_shared(llvm::Instruction *v, llvm::IRBuilder<> &b);
	void keep_parts();
	llvm::Value *block_address(llvm::IRBuilder<> &b, uint64_t offset);
	bool add_uniform_flow(struct region_plan *ret);
	void verify_boundaries(const flow::Graph &before);
	void verify_uniform_flow(const struct region_plan *plan, const llvm::BasicBlock *first);
	void find_live();
	bool can_remake(llvm::Value *v, unsigned depth, RemakeCost &cost, Values *parts);
	bool remade(llvm::Instruction *v, Values *parts = nullptr)
	{
		Values own;
		RemakeCost cost;
		return can_remake(v, 0, cost, is_shared_value(v) ? nullptr : parts ? parts : &own);
	}
	/* A part of what is remade that is loaded: it is kept for all threads. */
	bool is_part(llvm::Instruction *i)
	{
		return is_shared_value(i) && !remade(i);
	}
	llvm::Value *remake(llvm::Value *v, llvm::IRBuilder<> &b,
			    std::map<llvm::Value *, llvm::Value *> &done);
	uint64_t reserve(uint64_t size, uint64_t align);
	llvm::Value *slot_address(llvm::IRBuilder<> &b, uint64_t offset, uint64_t size);
	bool move_arrays();
	void add_head();
	void keep_values(llvm::LoopInfo &loops);
	void cut_edges();
	/* What each value is where a region begins. */
	using ValuesAtBegin = std::vector<std::pair<llvm::BasicBlock *, llvm::Value *>>;
	using ValuesAtBegins = std::map<llvm::Instruction *, ValuesAtBegin>;
	void drop_unchanged(const ValuesAtBegins &begins);
	void join_values();
	void drop_dead();
};

} // namespace regions
#endif
