/* SPDX-License-Identifier: Apache-2.0 */
/* lockstep_sum.h - integers of a function, and addresses, as sums of products of variables: which
 * part of them differs from lane to lane, and which is the same. For lockstep_apart.cpp. */
#ifndef CUDASIM_COMPILER_LOCKSTEP_SUM_H
#define CUDASIM_COMPILER_LOCKSTEP_SUM_H

#include <cstdint>
#include <map>
#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

/* Numbers of variables, in order; the product of none is 1. */
using lockstep_product = std::vector<unsigned>;

/* Factors of products; none is 0. */
using lockstep_sum = std::map<lockstep_product, int64_t>;

struct lockstep_variable {
	enum kind {
		X,      /* threadIdx.x */
		Y,      /* threadIdx.y */
		NUMBER, /* the lane, or the thread's number in its block */
		SAME,   /* for all lanes of a warp that are in one round of its loops */
		LANE,   /* may differ from lane to lane */
	} what = LANE;
	const llvm::Loop *counter = nullptr; /* it counts the rounds of this loop from 0 on */
	llvm::PHINode *phi = nullptr;        /* of a loop's header; the same for all */
	std::vector<const llvm::Loop *> loops; /* in whose rounds it varies */
	int64_t most = -1;   /* of LANE: it is 0 to most; -1: any integer */
	bool is_address = false;  /* of a variable */
	bool is_width = false;    /* blockDim.x */
	bool is_positive = false; /* or its negative is; it is no 0 */
	bool is_power = false;    /* of two, or 0 */
	lockstep_sum dividend, divisor; /* of a quotient */
};

/* What indices of arrays are taken for: themselves, or anything within their array where they
 * differ from lane to lane, or where the array is an inner one. */
enum lockstep_indices { LOCKSTEP_EXACT, LOCKSTEP_LANES_WITHIN, LOCKSTEP_ALL_WITHIN };

/* The sums of one function, which must not change while this lives. Integers are taken for
 * unlimited: an index that overflows is no index. */
struct lockstep_sums {
	llvm::DominatorTree tree;
	llvm::LoopInfo loops;
	std::vector<lockstep_variable> variables;
	bool failed = false; /* a sum was too large; what was computed since is wrong */

	/* is_called: arguments may differ from lane to lane. */
	lockstep_sums(llvm::Function &f, bool is_called)
	    : tree(f), loops(tree), is_called(is_called)
	{
	}

	/* value where `at` runs. */
	lockstep_sum of(llvm::Value *value, const llvm::Instruction &at,
			lockstep_indices as = LOCKSTEP_EXACT);

	lockstep_sum plus(const lockstep_sum &a, const lockstep_sum &b, int64_t factor = 1);
	lockstep_sum times(const lockstep_sum &a, const lockstep_sum &b);
	bool is_same(const lockstep_sum &s) const; /* for all lanes */
	bool is_power(const lockstep_sum &s) const; /* of two, or 0 */
	bool varies_in(const lockstep_variable &v, const llvm::Loop *loop) const;

	/* s as it is a round of loop later (NULL: in any other round of any loops). */
	lockstep_sum later(const lockstep_sum &s, const llvm::Loop *loop);

	/* The variable blockDim.x. */
	unsigned width();

private:
	bool is_called;
	lockstep_indices indices = LOCKSTEP_EXACT;
	unsigned nodes = 0;
	std::map<std::vector<int64_t>, unsigned> names;
	std::map<const llvm::PHINode *, unsigned> assumed;

	unsigned named(const std::vector<int64_t> &name, const lockstep_variable &v);
	lockstep_sum lanes(llvm::Value *value);
	lockstep_sum opaque(llvm::User &user, unsigned opcode, const llvm::Instruction &at,
			    unsigned depth);
	lockstep_sum quotient(const lockstep_sum &a, const lockstep_sum &by, bool is_signed);
	lockstep_sum rest(const lockstep_sum &a, const lockstep_sum &by, bool is_signed);
	lockstep_sum word(llvm::Value *value);
	lockstep_sum offset(llvm::GEPOperator &gep, const llvm::Instruction &at, unsigned depth);
	lockstep_sum behind(llvm::PHINode &phi, const llvm::Loop &loop, unsigned depth);
	lockstep_sum round(llvm::PHINode &phi, const llvm::Instruction &at, unsigned depth);
	lockstep_sum walk(llvm::Value *value, const llvm::Instruction &at, unsigned depth);
	lockstep_sum operation(llvm::Operator &op, const llvm::Instruction &at, unsigned depth);
};

#endif
