/* SPDX-License-Identifier: Apache-2.0 */
/* lockstep.h - where a function counts on the lockstep of a warp: the analysis
 * behind pass_converge. */
#ifndef CUDASIM_COMPILER_LOCKSTEP_H
#define CUDASIM_COMPILER_LOCKSTEP_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A call of this function, whose one argument is a number, stands before each
 * access that may be to shared memory, and before the end of each block. */
#define LOCKSTEP_MARKER "__cudasim_lockstep_mark"

enum lockstep_meeting {
	LOCKSTEP_BEFORE = 1, /* before the access */
	LOCKSTEP_WITHIN = 2, /* of a memcpy: after its load, before its store */
	LOCKSTEP_LINGER = 4, /* behind the load, and all warps of the block */
};

/* Sets bits of meet[number] for the accesses and block ends of function at which its
 * warps have to meet. origins: of the module. function is
 * inlined as far as can be, its locals are registers, its loops in LLVM's simple
 * form (one way in, one back-edge); it is not changed. */
struct lockstep_origins;
void lockstep_analyse(LLVMValueRef function, const struct lockstep_origins *origins,
		      unsigned char *meet);

/* Sets LOCKSTEP_BEFORE of meet[number] for the block ends at which one lane is chosen that
 * is to tell others, by an atomic, what its warp has stored in global memory
 * (lockstep_release.c). function as above. */
void lockstep_analyse_releases(LLVMValueRef function, unsigned char *meet);

/* Sets LOCKSTEP_LINGER of meet[number] for the loads behind a barrier which other warps'
 * stores would overtake, and on hardware do not (lockstep_linger.c). shared: the shared
 * variables of the module. */
void lockstep_analyse_lingering(LLVMValueRef function, const LLVMValueRef *shared,
				unsigned n_shared, unsigned char *meet);

/* True for calls at which the lanes of a warp, or a block's threads, meet. */
int lockstep_is_meeting(LLVMValueRef instruction);

/* True for those at which a block's threads meet, and not a warp's alone. */
int lockstep_is_barrier(LLVMValueRef instruction);

/* True where no two lanes of a warp come to one address at `at`, an access in a loop, in
 * whatever rounds (lockstep_private.c). ranges: of the function. */
struct lockstep_ranges;
bool lockstep_is_private(struct lockstep_ranges *ranges, LLVMValueRef address, LLVMValueRef at);

/* True where all lanes of a warp have one value. */
bool lockstep_is_uniform(struct lockstep_ranges *ranges, LLVMValueRef value);

/* True for a comparison of a lane's number with what is the same for all. */
bool lockstep_is_elected(struct lockstep_ranges *ranges, LLVMValueRef condition);

/* What a value is of a thread, its block or its launch. */
enum lockstep_word {
	LOCKSTEP_X,      /* threadIdx.x */
	LOCKSTEP_Y,      /* threadIdx.y */
	LOCKSTEP_NUMBER, /* in its warp or block */
	LOCKSTEP_WIDTH,  /* blockDim.x */
	LOCKSTEP_SAME,   /* the same for all lanes of a warp */
	LOCKSTEP_OTHER,
};

/* Of a value for which lockstep_is_context() holds. *which is equal for equal ones. */
enum lockstep_word lockstep_word_of(LLVMValueRef value, uint64_t *which);

/* True for the thread's context and what is read of it (threadIdx and its kin). */
int lockstep_is_context(LLVMValueRef value);

#ifdef __cplusplus
}
#endif
#endif
