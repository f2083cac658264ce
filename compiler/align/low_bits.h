/* SPDX-License-Identifier: Apache-2.0 */
/* low_bits.h - what the low bits of an address are made of.
 *
 * C++, and only for alignment.cpp. */
#ifndef CUDASIM_COMPILER_LOW_BITS_H
#define CUDASIM_COMPILER_LOW_BITS_H

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

namespace low_bits
{

/* The parameter's attribute: it points to a structure of the simulator's own. */
inline const char own_name[] = "cudasim-own";

/* A sum of terms times factors, in the bits that matter: terms that are multiples of 2^bits
 * are left out. */
struct Sum {
	llvm::SmallMapVector<llvm::Value *, uint64_t, 4> terms;
	uint64_t constant = 0;
	bool spoilt = false; /* it holds what alignment.cpp adds */
	bool known = true;   /* false: too long */
};

/* Extensions and truncations keep low bits, and what a loop adds to its own address is a
 * multiple mostly, so what is left are bases, and indices of smaller things. All terms
 * dominate what they are the terms of. */
class Search
{
public:
	Search(llvm::DominatorTree &tree, const llvm::DataLayout &layout)
	    : tree(tree), layout(layout)
	{
	}
	/* Add the value (a pointer, or a number) times factor to the sum. */
	void add(llvm::Value *value, uint64_t factor, unsigned bits, Sum &sum);

private:
	llvm::DominatorTree &tree;
	const llvm::DataLayout &layout;
	unsigned steps = 0;
	llvm::SmallVector<llvm::PHINode *, 4> stops; /* terms by themselves, for now */

	bool is_multiple(const llvm::Value *v, uint64_t factor, unsigned bits) const;
	void term(llvm::Value *v, uint64_t factor, unsigned bits, Sum &sum) const;
	void collect(llvm::Value *v, uint64_t factor, unsigned bits, Sum &sum, unsigned depth);
	void collect_phi(llvm::PHINode &phi, uint64_t factor, unsigned bits, Sum &sum,
			 unsigned depth);
};

} // namespace low_bits
#endif
