/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_sum.h - integers of a function, and addresses, as sums of products of variables: which
 * part of them differs from lane to lane, and which is the same. For synchrony_apart.cpp. */
#ifndef CUDASIM_COMPILER_SYNCHRONY_SUM_H
#define CUDASIM_COMPILER_SYNCHRONY_SUM_H

#include <cstdint>
#include <map>
#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include "warp_synchrony.h"

/* Numbers of variables, in order; the product of none is 1. */
using synchrony_product = std::vector<unsigned>;

/* Factors of products; none is 0. */
using synchrony_sum = std::map<synchrony_product, int64_t>;

struct synchrony_variable {
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
	bool is_height = false;   /* blockDim.y */
	bool is_positive = false; /* or its negative is; it is no 0 */
	bool is_power = false;    /* of two, or 0 */
	synchrony_sum dividend, divisor; /* of a quotient */
};

/* What indices of arrays are taken for: themselves, or anything within their array where they
 * differ from lane to lane, or where the array is an inner one. */
enum synchrony_indices { SYNCHRONY_EXACT, SYNCHRONY_LANES_WITHIN, SYNCHRONY_ALL_WITHIN };

/* The sums of one function, which must not change while this lives. Integers are taken for
 * unlimited: an index that overflows is no index. */
struct synchrony_sums {
	llvm::DominatorTree tree;
	llvm::LoopInfo loops;
	std::vector<synchrony_variable> variables;
	bool failed = false; /* a sum was too large; what was computed since is wrong */

	const bool
		has_rows; /* it reads threadIdx.y or .z: what differs in a way that is not known may do
			      * so from row to row */

	/* is_called: arguments may differ from lane to lane. */
	synchrony_sums(llvm::Function &f, bool is_called)
	    : tree(f), loops(tree), has_rows(synchrony_has_rows(llvm::wrap(&f))),
	      is_called(is_called)
	{
	}

	/* value where `at` runs. */
	synchrony_sum of(llvm::Value *value, const llvm::Instruction &at,
			 synchrony_indices as = SYNCHRONY_EXACT);

	synchrony_sum plus(const synchrony_sum &a, const synchrony_sum &b, int64_t factor = 1);
	synchrony_sum times(const synchrony_sum &a, const synchrony_sum &b);
	bool is_same(const synchrony_sum &s) const; /* for all lanes */
	bool is_power(const synchrony_sum &s) const; /* of two, or 0 */
	bool varies_in(const synchrony_variable &v, const llvm::Loop *loop) const;

	/* s as it is a round of loop later (NULL: in any other round of any loops). */
	synchrony_sum later(const synchrony_sum &s, const llvm::Loop *loop);

	/* The variable blockDim.x. */
	unsigned width();

private:
	bool is_called;
	synchrony_indices indices = SYNCHRONY_EXACT;
	unsigned nodes = 0;
	std::map<std::vector<int64_t>, unsigned> names;
	std::map<const llvm::PHINode *, unsigned> assumed;

	unsigned named(const std::vector<int64_t> &name, const synchrony_variable &v);
	synchrony_sum lanes(llvm::Value *value);
	synchrony_sum opaque(llvm::User &user, unsigned opcode, const llvm::Instruction &at,
			     unsigned depth);
	synchrony_sum quotient(const synchrony_sum &a, const synchrony_sum &by, bool is_signed);
	synchrony_sum rest(const synchrony_sum &a, const synchrony_sum &by, bool is_signed);
	synchrony_sum word(llvm::Value *value);
	synchrony_sum offset(llvm::GEPOperator &gep, const llvm::Instruction &at, unsigned depth);
	synchrony_sum behind(llvm::PHINode &phi, const llvm::Loop &loop, unsigned depth);
	synchrony_sum round(llvm::PHINode &phi, const llvm::Instruction &at, unsigned depth);
	synchrony_sum walk(llvm::Value *value, const llvm::Instruction &at, unsigned depth);
	synchrony_sum operation(llvm::Operator &op, const llvm::Instruction &at, unsigned depth);
};

#endif
