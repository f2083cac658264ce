/* SPDX-License-Identifier: Apache-2.0 */
/* shape.h - how a value varies over consecutive threads.
 *
 * C++. Who knows the shapes of some values, such as the counter of a loop over threads, gets
 * those of what is computed from them by shape_of(). Phis depend on control flow and are the
 * caller's: vectorize/divergence.cpp finds them by a fixed point, thread_loop/thread_range.cpp
 * takes them for varying.
 *
 * Source: strides as in Moll, Hack: Partial control-flow linearization (2018). */
#ifndef CUDASIM_COMPILER_SHAPE_H
#define CUDASIM_COMPILER_SHAPE_H

#include <cstdint>

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>

namespace uniformity
{

struct Shape {
	enum Kind {
		UNKNOWN, /* not computed yet; below all others */
		UNIFORM, /* the same in all threads */
		STRIDED, /* affine: thread i has thread 0's value plus i times stride, in the
			  * type's width */
		VARYING,
	} kind = UNKNOWN;
	int64_t stride = 0; /* of pointers in bytes; 0 unless STRIDED */
	bool operator==(const Shape &o) const
	{
		return kind == o.kind && stride == o.stride;
	}
	static Shape uniform()
	{
		return {UNIFORM, 0};
	}
	static Shape varying()
	{
		return {VARYING, 0};
	}
	/* Uniform for a stride of 0. */
	static Shape strided(int64_t stride)
	{
		return stride ? Shape{STRIDED, stride} : uniform();
	}
};

/* Of a value that is one or the other in all threads alike. */
Shape shape_join(Shape a, Shape b);

/* The shape of an instruction that is no phi, by those of its operands (`of`, which is not asked
 * for blocks). UNKNOWN where an operand's is; VARYING for atomic and volatile accesses; loads
 * from a uniform address are uniform, which holds only where all threads load at once. */
Shape shape_of(const llvm::Instruction &i, llvm::function_ref<Shape(const llvm::Value *)> of,
	       const llvm::DataLayout &layout);

} // namespace uniformity
#endif
