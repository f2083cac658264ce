/* SPDX-License-Identifier: Apache-2.0 */
/* vector_emit.h - instructions of one thread as instructions of a vector of lanes.
 *
 * C++, and only for the files named wide_* and linearize.cpp. */
#ifndef CUDASIM_COMPILER_VECTOR_EMIT_H
#define CUDASIM_COMPILER_VECTOR_EMIT_H

#include <functional>
#include <map>

#include <llvm/IR/IRBuilder.h>

#include "divergence.h"

namespace vectorize
{

/* Makes the vector form of one source block after the other.
 *
 * A uniform value has one scalar; a strided one lane 0's scalar and a vector; a varying
 * one a vector. Values that other blocks use lie in variables of the function, so that
 * blocks may be skipped; LLVM makes registers of them afterwards. */
class Emitter
{
public:
	Emitter(llvm::Function &function, const Plan &plan, unsigned n_lanes);

	llvm::IRBuilder<> builder;
	const unsigned n_lanes;

	/* A type's vector of n_lanes; of a structure, the structure of its fields' ones. */
	llvm::Type *widen(llvm::Type *type) const;
	llvm::Type *mask_type() const;
	llvm::Constant *no_lanes() const;
	/* A variable of the function that becomes registers. */
	llvm::AllocaInst *variable(llvm::Type *type, const llvm::Twine &name);
	llvm::Value *load(llvm::AllocaInst *variable);
	/* Each variable that holds a form of an instruction's value. */
	void
	each_variable(const std::function<void(llvm::Instruction &, llvm::AllocaInst *)> &visit);
	llvm::Value *any(llvm::Value *mask);
	llvm::BasicBlock *block(const llvm::Twine &name);
	/* Go on in a block that is entered from here. */
	void enter(llvm::BasicBlock *block);

	/* A loop's back-edge: LLVM need not unroll it, each round does enough. */
	void close_loop(llvm::Instruction *back_edge, bool of_threads);

	/* Before the loop: the lanes' own copies of what the thread has on the stack. */
	void make_private(const llvm::Loop &threads);
	/* Forget what is known of values in the block before. */
	void begin_block();
	/* Lane 0's value, if it is uniform or strided. */
	llvm::Value *scalar(llvm::Value *value);
	llvm::Value *vector(llvm::Value *value);
	/* Give a value its forms; ok: lane i has lane 0's plus i strides (nullptr: it does). */
	void define(llvm::Instruction &i, llvm::Value *scalar, llvm::Value *vector,
		    llvm::Value *ok = nullptr);
	/* Whether it is as in define(); nullptr: it is. */
	llvm::Value *regular(llvm::Value *value);

	/* Any instruction but phis and terminators, for the lanes of mask (nullptr: all). At
	 * least one lane is in the mask unless is_cheap(i). */
	void emit(llvm::Instruction &i, llvm::Value *mask);
	/* It may be emitted where no lane is active, and costs little. */
	bool is_cheap(const llvm::Instruction &i) const;

private:
	llvm::Function &function;
	const Plan &plan;
	const llvm::DataLayout &layout;
	struct Forms {
		llvm::Value *scalar = nullptr, *vector = nullptr, *ok = nullptr;
		bool defined = false; /* here, not loaded */
	};
	struct Slots {
		llvm::AllocaInst *scalar = nullptr, *vector = nullptr, *ok = nullptr;
	};
	std::map<llvm::Value *, Forms> here;
	std::map<llvm::Value *, Slots> slots;
	std::map<llvm::Value *, Forms> privates;
	llvm::AllocaInst *told = nullptr, /* the addresses of an event; nullptr until needed */
		*told_values = nullptr;   /* what it stores */

	Slots &slots_of(llvm::Instruction &i);
	llvm::Value *all_or(llvm::Value *mask);
	llvm::Value *lanes_times(llvm::Type *type, int64_t stride);
	llvm::Value *stays_in_range(llvm::CastInst &cast, llvm::Value *lane0);
	llvm::Value *ok_of_operands(llvm::Instruction &i);
	llvm::Value *clone_scalar(llvm::Instruction &i);
	llvm::Value *widen_instruction(llvm::Instruction &i, llvm::Value *mask);
	llvm::Value *widen_call(llvm::CallInst &call);
	llvm::Value *divide(llvm::BinaryOperator &i, llvm::Value *mask);
	bool is_per_lane(const llvm::Instruction &i) const;
	bool is_contiguous(const llvm::Instruction &i) const;
	void emit_load(llvm::LoadInst &i, llvm::Value *mask);
	void emit_store(llvm::StoreInst &i, llvm::Value *mask);
	llvm::Value *last_lane(llvm::Value *vector, llvm::Value *mask);
	/* One of two ways, by ok (nullptr: the first); their values joined, if any. */
	llvm::Value *choose(llvm::Value *ok, const std::function<llvm::Value *()> &usual,
			    const std::function<llvm::Value *()> &other);
	/* nullptr where it has no value */
	llvm::Value *each_lane(llvm::Instruction &i, llvm::Value *mask);
	llvm::Value *counts_on(llvm::Value *addresses, llvm::Type *element, llvm::Value *mask);
	llvm::Value *update_all(llvm::Function &update, llvm::ArrayRef<llvm::Value *> arguments);
	llvm::Value *update_in_turn(llvm::Function &update, llvm::ArrayRef<llvm::Value *> arguments,
				    llvm::Value *old, llvm::Value *mask);
	void update_one(llvm::Function &update, llvm::Value *address,
			llvm::ArrayRef<llvm::Value *> arguments, llvm::Value *mask);
	void emit_update(llvm::CallInst &call, llvm::Value *mask);
	void emit_event(llvm::CallInst &event, llvm::Value *mask);
	bool adds_up(const llvm::AtomicRMWInst &i) const;
	void emit_sum(llvm::AtomicRMWInst &i, llvm::Value *mask);
	llvm::Value *extract(llvm::Value *vector, llvm::Value *lane);
	llvm::Value *insert(llvm::Value *vector, llvm::Value *element, llvm::Value *lane);
};

} // namespace vectorize
#endif
