/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_proof.h - what synchrony_apart.cpp and synchrony_guard.cpp share. Nobody else includes
 * this. */
#ifndef CUDASIM_COMPILER_SYNCHRONY_PROOF_H
#define CUDASIM_COMPILER_SYNCHRONY_PROOF_H

#include <map>
#include <tuple>
#include <vector>

#include "cudasim/abi.h"
#include "synchrony_apart.h"
#include "synchrony_sum.h"

enum { LANES = CUDASIM_WARP_SIZE, MAX_THREADS = 1024 };

namespace synchrony
{

struct access {
	llvm::Instruction *at;
	llvm::Value *address;
	int64_t size; /* bytes */
	bool stores;
};

/* sum <= -1, sum == 0 or sum != 0. */
struct guard {
	enum relation { BELOW, ZERO, NOT_ZERO } is;
	synchrony_sum sum;
};

struct range {
	int64_t least, most;
};

/* threadIdx of a first access's lane less that of a store's. */
struct distances {
	range x = {-MAX_THREADS, MAX_THREADS}, y = {-MAX_THREADS, MAX_THREADS};
};

/* By a condition, one threadIdx.x (or .y) alone comes to an access. */
struct pin {
	bool known = false;
	synchrony_sum at;     /* it; the same for all lanes */
	bool is_first = false; /* no thread has a smaller one */
	bool is_last = false;  /* a larger one */
};

/* How two addresses with a known lane each are written: by these values, or by the lanes, of which
 * one may be the first or the last. */
enum pinning { PIN_TO_VALUES, PIN_TO_LANES };

/* An address, by what its parts depend on. */
struct parts {
	int64_t constant = 0;
	synchrony_sum same;   /* for all lanes */
	synchrony_sum x, y;   /* factors of the lane's number, or threadIdx.x, and of .y */
	bool is_number = false; /* x: of the lane's number */
	bool is_row = false;    /* so it is, written as threadIdx.y * blockDim.x + threadIdx.x */
	bool is_column = false; /* x: of threadIdx.y; only columns are looked at */
	int64_t step = 0;    /* what is different in any way is a multiple; 0: there is none */
	int64_t least = 0, most = 0; /* but for this */
	bool has_rows = false; /* threadIdx.y has, or may have, a part in it */
	bool known = true;
};

bool is_constant(const synchrony_sum &s, int64_t &n);

/* What p.x is the factor of. */
synchrony_variable::kind lane_of(const parts &p);

} // namespace synchrony

struct synchrony_apart {
	synchrony_sums sums;

	synchrony_block block;

	synchrony_apart(llvm::Function &f, bool is_called, synchrony_block block)
	    : sums(f, is_called), block(block)
	{
	}

	/* What has been asked before. */
	std::map<std::tuple<LLVMValueRef, bool, LLVMValueRef, synchrony_round, const llvm::Loop *>,
		 bool>
		known;

	bool are_apart(const synchrony::access &load, const synchrony::access &store,
		       synchrony_round round, const llvm::Loop *loop);

	std::vector<synchrony::guard> guards_of(const llvm::Instruction &at);
	synchrony::range range_of(synchrony_variable::kind lane,
				  const std::vector<synchrony::guard> &guards) const;

private:
	synchrony::guard guard_of(const llvm::ICmpInst &compare, bool holds,
				  const llvm::Instruction &at);
	bool is_zero(const synchrony::guard &g, synchrony_variable::kind lane) const;
	void add_bounds(llvm::Value *address, const llvm::Instruction &at,
			std::vector<synchrony::guard> &guards);
	synchrony::range lanes_of(const synchrony::parts &p,
				  const std::vector<synchrony::guard> &guards) const;
	int64_t threads(synchrony_variable::kind lane) const;
	int64_t factor_of(const synchrony_sum &s, synchrony_variable::kind lane,
			  synchrony_sum &rest) const;
	bool is_size(synchrony_variable::kind lane, unsigned variable) const;
	int64_t unit_of(const synchrony_product &product, int64_t n, bool has_rows) const;
	bool has_rows(const synchrony_sum &s) const;
	synchrony::parts split(const synchrony_sum &s);
	bool is_one(const synchrony::parts &a, const synchrony::parts &b,
		    const std::vector<synchrony::guard> &load,
		    const std::vector<synchrony::guard> &store) const;
	bool stay_apart(const synchrony::parts &load, const synchrony::parts &store,
			synchrony::range loading, synchrony::range storing,
			const synchrony::access &l, const synchrony::access &s,
			synchrony::distances within);
	synchrony::distances between(const std::vector<synchrony::guard> &loading,
				     const std::vector<synchrony::guard> &storing) const;
	synchrony::pin pin_of(const std::vector<synchrony::guard> &guards,
			      synchrony_variable::kind lane) const;
	bool move(synchrony::parts &p, synchrony_variable::kind lane, const synchrony_sum &factor,
		  const synchrony_sum &at);
	bool use_pins(synchrony::parts &load, synchrony::parts &store,
		      const std::vector<synchrony::guard> &loading,
		      const std::vector<synchrony::guard> &storing, const synchrony::access &l,
		      const synchrony::access &s, synchrony::pinning as, synchrony::distances &ret);
	bool is_tree(const synchrony::parts &load, const synchrony::parts &store,
		     const std::vector<synchrony::guard> &loading,
		     const std::vector<synchrony::guard> &storing, const synchrony::access &l,
		     const synchrony::access &s);
	bool is_tree_of_rows(synchrony::parts load, synchrony::parts store,
			     const std::vector<synchrony::guard> &loading,
			     const std::vector<synchrony::guard> &storing,
			     const synchrony::access &l, const synchrony::access &s);
	bool has_digits(const synchrony_sum &load, const synchrony_sum &store,
			const std::vector<synchrony::guard> &guards, const synchrony::access &l,
			const synchrony::access &s);
	bool is_multiple(const synchrony::parts &load, const synchrony::parts &store,
			 const std::vector<synchrony::guard> &guards, const synchrony::access &l,
			 const synchrony::access &s) const;
	bool is_nonzero(unsigned variable, const std::vector<synchrony::guard> &guards) const;
	void thin_out(synchrony_sum &load, synchrony_sum &store,
		      const std::vector<synchrony::guard> &loading,
		      const std::vector<synchrony::guard> &storing);
	bool have_row(synchrony::parts &p);
	bool are_different_variables(const synchrony_sum &a, const synchrony_sum &b) const;
};

#endif
