/* SPDX-License-Identifier: Apache-2.0 */
/* lockstep_proof.h - what lockstep_apart.cpp and lockstep_guard.cpp share. Nobody else includes
 * this. */
#ifndef CUDASIM_COMPILER_LOCKSTEP_PROOF_H
#define CUDASIM_COMPILER_LOCKSTEP_PROOF_H

#include <map>
#include <tuple>
#include <vector>

#include "cudasim/abi.h"
#include "lockstep_apart.h"
#include "lockstep_sum.h"

enum { LANES = CUDASIM_WARP_SIZE, MAX_THREADS = 1024 };

namespace lockstep
{

struct access {
	llvm::Instruction *at;
	llvm::Value *address;
	int64_t size; /* bytes */
};

/* sum <= -1, sum == 0 or sum != 0. */
struct guard {
	enum relation { BELOW, ZERO, NOT_ZERO } is;
	lockstep_sum sum;
};

struct range {
	int64_t least, most;
};

/* An address, by what its parts depend on. */
struct parts {
	int64_t constant = 0;
	lockstep_sum same;   /* for all lanes */
	lockstep_sum x, y;   /* factors of the lane's number, or threadIdx.x, and of .y */
	bool is_number = false; /* x: of the lane's number */
	int64_t step = 0;    /* what is different in any way is a multiple; 0: there is none */
	int64_t least = 0, most = 0; /* but for this */
	bool known = true;
};

} // namespace lockstep

struct lockstep_apart {
	lockstep_sums sums;

	lockstep_apart(llvm::Function &f, bool is_called) : sums(f, is_called)
	{
	}

	/* What has been asked before. */
	std::map<std::tuple<LLVMValueRef, LLVMValueRef, lockstep_round, const llvm::Loop *>, bool>
		known;

	bool are_apart(const lockstep::access &load, const lockstep::access &store,
		       lockstep_round round, const llvm::Loop *loop);

private:
	std::vector<lockstep::guard> guards_of(const llvm::Instruction &at);
	lockstep::guard guard_of(const llvm::ICmpInst &compare, bool holds,
				 const llvm::Instruction &at);
	lockstep::range lanes_of(const lockstep::parts &p,
				 const std::vector<lockstep::guard> &guards) const;
	lockstep::parts split(const lockstep_sum &s);
	bool is_one(const lockstep::parts &a, const lockstep::parts &b,
		    const std::vector<lockstep::guard> &load,
		    const std::vector<lockstep::guard> &store) const;
	bool stay_apart(const lockstep::parts &load, const lockstep::parts &store,
			lockstep::range loading, lockstep::range storing, const lockstep::access &l,
			const lockstep::access &s);
	bool is_tree(const lockstep::parts &load, const lockstep::parts &store,
		     const std::vector<lockstep::guard> &loading,
		     const std::vector<lockstep::guard> &storing, const lockstep::access &l,
		     const lockstep::access &s);
	bool has_digits(const lockstep_sum &load, const lockstep_sum &store,
			const std::vector<lockstep::guard> &guards, const lockstep::access &l,
			const lockstep::access &s);
	bool is_multiple(const lockstep::parts &load, const lockstep::parts &store,
			 const std::vector<lockstep::guard> &guards, const lockstep::access &l,
			 const lockstep::access &s) const;
	bool is_nonzero(unsigned variable, const std::vector<lockstep::guard> &guards) const;
	void thin_out(lockstep_sum &load, lockstep_sum &store,
		      const std::vector<lockstep::guard> &loading,
		      const std::vector<lockstep::guard> &storing);
	bool have_row(lockstep::parts &p);
	bool are_different_variables(const lockstep_sum &a, const lockstep_sum &b) const;
};

#endif
