/* SPDX-License-Identifier: Apache-2.0 */
/* region_formation.h - a kernel whose threads meet, cut into continuations. */
#ifndef CUDASIM_COMPILER_REGION_FORMATION_H
#define CUDASIM_COMPILER_REGION_FORMATION_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The parameters of a continuation function, in this order:
 *   i32 continuation(params, block, frame, x, y, z, linear, n, index, region, kept)
 * params and block are read only. The frame's arrays have n elements; the thread's
 * are those at index. kept holds what is the same for all threads; a continuation for warps has
 * no such parameter. */
enum {
	CONTINUATION_PARAMS,
	CONTINUATION_BLOCK,
	CONTINUATION_FRAME,
	CONTINUATION_X,
	CONTINUATION_Y,
	CONTINUATION_Z,
	CONTINUATION_LINEAR,
	CONTINUATION_N,
	CONTINUATION_INDEX,
	CONTINUATION_REGION,
	N_WARP_CONTINUATION_PARAMS,
	CONTINUATION_KEPT = N_WARP_CONTINUATION_PARAMS,
	N_CONTINUATION_PARAMS,
};

/* What a continuation returns when its thread has ended. */
#define CONTINUATION_EXIT UINT32_MAX

/* An argument of an operation: an array of the frame, of size (4 or 8) bytes a thread,
 * offset * n bytes from its start; size 0: that constant. */
struct region_value {
	uint64_t constant;
	uint32_t offset, size;
};

/* Most arguments of an operation, its site aside; most operations at a cut. */
enum { REGION_ARGUMENTS = 5, REGION_OPS = 8 };

/* An operation that threads meet at (abi.h: struct cudasim_region_op). */
struct region_op {
	uint32_t kind; /* enum cudasim_region_op_kind */
	unsigned n_args;
	struct region_value arg[REGION_ARGUMENTS];
	LLVMValueRef site;
	uint32_t low, high; /* UINT32_MAX: not wanted */
};

/* Region 0 begins at the function's beginning, each other one behind its cut. */
struct kernel_region {
	struct region_op op[REGION_OPS];
	unsigned n_ops;
	/* The region that always follows (CONTINUATION_EXIT: none); REGION_SEVERAL: there are several. */
	uint32_t next;
	/* Of a plan with uniform control flow: the regions that may follow, a bit each; whether some
	 * threads may end in this one and others go on; whether a thread does anything
	 * there but find the next region, and knows its indices in several directions. */
	uint64_t following;
	bool loses, acts, has_rows;
};
#define REGION_SEVERAL (UINT32_MAX - 1)

struct region_plan {
	struct kernel_region *regions; /* malloc()ed */
	unsigned n_regions;
	/* Of the frame, a thread; a multiple of 16. */
	uint64_t frame_bytes;
	/* NULL, or a function like the continuation that says for all threads of a block at once
	 * which region follows, and what they keep in common. Nobody calls the continuation with
	 * other regions, and what the continuation returns only tells who has ended. */
	LLVMValueRef uniform_flow;
	uint64_t kept_bytes;
	bool has_rows; /* asks for threadIdx.y or z */
};

/* True for functions of libcudasim at whose calls a kernel is cut for warps, in the
 * place of the call (operations) or before it (what only a fiber can do). */
bool region_begins_at(const char *name);

/* True for functions of libcudasim that any thread of the block may call for any other. */
bool region_spares(const char *name);

/* Boundary function at its barriers, or, with `warps`, at all operations of threads with
 * each other: region 0 begins at its beginning, each other one behind a cut; a continuation
 * runs to the next cut, and returns the number of the region behind that, or
 * CONTINUATION_EXIT.
 *
 * What a thread keeps across a cut lies in the frame. What can be computed again from
 * the parameters is not kept.
 *
 * False where the function cannot be cut, with *why; ret is not set then. */
bool regions_form(LLVMValueRef function, bool warps, struct region_plan *ret, const char **why);

#ifdef __cplusplus
}
#endif
#endif
