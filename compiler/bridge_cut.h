/* SPDX-License-Identifier: Apache-2.0 */
/* bridge_cut.h - a kernel with barriers cut into continuations. */
#ifndef CUDASIM_COMPILER_BRIDGE_CUT_H
#define CUDASIM_COMPILER_BRIDGE_CUT_H

#include <stdint.h>

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The parameters of a step function, in this order:
 *   i32 step(params, block, frame, x, y, z, linear, n, region)
 * params and block are read only; linear is below n, the block's threads. */
enum {
	STEP_PARAMS, STEP_BLOCK, STEP_FRAME, STEP_X, STEP_Y, STEP_Z, STEP_LINEAR, STEP_N,
	STEP_REGION, N_STEP_PARAMS,
};

/* What a step returns when its thread has ended. */
#define STEP_EXIT UINT32_MAX

/* Cut function at its calls of `barrier`: region 0 begins at its beginning, each
 * other one behind a call; it runs to the next call, and returns the number of the
 * region behind that, or STEP_EXIT.
 *
 * What a thread keeps across a cut lies in frame, in arrays over the block's threads
 * one after the other: *frame_bytes bytes for each thread, which is a multiple of
 * 16. What can be computed again from the parameters is not kept.
 *
 * Returns the number of regions; 0 where the function cannot be cut, with *why. */
unsigned bridge_cut(LLVMValueRef function, const char *barrier, uint64_t *frame_bytes,
		    const char **why);

#ifdef __cplusplus
}
#endif
#endif
