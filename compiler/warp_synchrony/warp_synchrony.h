/* SPDX-License-Identifier: Apache-2.0 */
/* warp_synchrony.h - where a function relies on the lockstep of a warp: the analysis
 * behind pass_reconverge. */
#ifndef CUDASIM_COMPILER_SYNCHRONY_H
#define CUDASIM_COMPILER_SYNCHRONY_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A call of this function, whose one argument is a number, stands before each
 * access that may be to shared memory, before the end of each block, and where ways join; there the
 * number has this bit, and nothing else has it. */
#define SYNCHRONY_MARKER "__cudasim_synchrony_mark"
#define SYNCHRONY_JOIN 0x80000000u

/* Reads the number, with that bit, of a marker; false: i is none. */
bool synchrony_read_marker(LLVMValueRef i, uint32_t *number);

enum synchrony_meeting {
	SYNCHRONY_BEFORE = 1, /* before the access */
	SYNCHRONY_WITHIN = 2, /* of a memcpy: after its load, before its store */
	SYNCHRONY_POST_BARRIER = 4, /* behind the load, and all warps of the block */
};

/* What is known of the block. */
struct synchrony_block {
	uint32_t x, y;       /* the most threads; 0: any number */
	bool has_warps;      /* several */
	bool has_whole_rows; /* blockDim.x is a multiple of 32 */
};

/* Sets bits of meet[number] for the accesses and block ends of function at which its
 * warps have to meet in such blocks. origins: of the module. function is
 * inlined as far as can be, its locals are registers, its loops in LLVM's simple
 * form (one way in, one back-edge); it is not changed. */
struct synchrony_origins;
void synchrony_analyse(LLVMValueRef function, const struct synchrony_origins *origins,
		       struct synchrony_block block, unsigned char *meet);

/* The block size that the function's constants suggest (synchrony_block.cpp). */
struct synchrony_block synchrony_assumed_block(LLVMValueRef function);

/* Does the function read threadIdx.y or .z? */
bool synchrony_has_rows(LLVMValueRef function);

/* Does the function look as if the lanes of single warps exchanged values in shared memory? */
bool synchrony_is_of_warps(LLVMValueRef function);

/* False for instructions that do not make it look so, whatever they are computed of. */
bool synchrony_may_be_of_warps(LLVMValueRef i);

/* Sets SYNCHRONY_BEFORE of meet[number] for the block ends at which one lane is chosen that
 * is to tell others, by an atomic, what its warp has stored in global memory
 * (synchrony_release.c). function as above. */
void synchrony_analyse_releases(LLVMValueRef function, unsigned char *meet);

/* Sets SYNCHRONY_POST_BARRIER of meet[number] for the loads behind a barrier which other warps'
 * stores would overtake, and on hardware do not (synchrony_post_barrier.c). shared: the shared
 * variables of the module. */
void synchrony_analyse_post_barrier(LLVMValueRef function, const LLVMValueRef *shared,
				    unsigned n_shared, unsigned char *meet);

/* True for calls at which the lanes of a warp, or a block's threads, meet. */
int synchrony_is_meeting(LLVMValueRef instruction);

/* True for those at which a block's threads meet, and not a warp's alone. */
bool synchrony_is_barrier(LLVMValueRef instruction);

/* True where no two lanes of a warp come to one address at `at`, an access in a loop, in
 * whatever rounds (synchrony_private.c). ranges: of the function. */
struct synchrony_ranges;
bool synchrony_is_private(struct synchrony_ranges *ranges, LLVMValueRef address, LLVMValueRef at);

/* True where all lanes of a warp have one value. */
bool synchrony_is_uniform(struct synchrony_ranges *ranges, LLVMValueRef value);

/* True for a comparison of a lane's number with what is the same for all. */
bool synchrony_is_elected(struct synchrony_ranges *ranges, LLVMValueRef condition);

/* One function, which must not change while this lives. is_called: by others. */
struct synchrony_joins;
struct synchrony_joins *synchrony_joins_new(LLVMValueRef function, bool is_called);
void synchrony_joins_free(struct synchrony_joins *joins);

/* The block at which the lanes that part at the end of `block` come together. NULL where they do
 * not part there, as all go one way, or not come together before the function's end. */
LLVMBasicBlockRef synchrony_join_of(struct synchrony_joins *joins, LLVMBasicBlockRef block);

/* What a value is of a thread, its block or its launch. */
enum synchrony_word {
	SYNCHRONY_X,      /* threadIdx.x */
	SYNCHRONY_Y,      /* threadIdx.y */
	SYNCHRONY_Z,      /* threadIdx.z */
	SYNCHRONY_NUMBER, /* in its warp or block */
	SYNCHRONY_WIDTH,  /* blockDim.x */
	SYNCHRONY_HEIGHT, /* blockDim.y */
	SYNCHRONY_SAME,   /* the same for all lanes of a warp */
	SYNCHRONY_OTHER,
};

/* Of a value for which synchrony_is_context() holds. *which is equal for equal ones. */
enum synchrony_word synchrony_word_of(LLVMValueRef value, uint64_t *which);

/* The pointer from which it is loaded, *offset bytes further on; NULL where it is not known how many. */
LLVMValueRef synchrony_source_of(LLVMValueRef load, uint64_t *offset);

/* True for what is loaded from a structure that is a kernel's parameter, at a fixed offset: it is the
 * same whenever it is loaded. *argument and *offset, in bytes, say which. */
bool synchrony_is_parameter(LLVMValueRef load, LLVMValueRef *argument, uint64_t *offset);

/* True for the thread's context and what is read of it (threadIdx and its kin). */
int synchrony_is_context(LLVMValueRef value);

#ifdef __cplusplus
}
#endif
#endif
