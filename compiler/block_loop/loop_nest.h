/* SPDX-License-Identifier: Apache-2.0 */
/* loop_nest.h - nested loops over a block's threads: z, y, x, x innermost; where a call
 * runs several blocks side by side in x, those between y and x. */
#ifndef CUDASIM_COMPILER_LOOP_NEST_H
#define CUDASIM_COMPILER_LOOP_NEST_H

#include "loop.h"

/* A function under construction with such loops. */
struct loop_nest {
	struct device_module *dm;
	LLVMBuilderRef builder;
	LLVMValueRef function;
	LLVMTypeRef ptr, i8, i32, i64;
	/* blockDim and threadIdx; last, the blocks of the row (NULL: one) and their index. */
	LLVMValueRef extent[4], index[4];
	LLVMBasicBlockRef heads[4];
	LLVMValueRef flat; /* the bound of the open loop, if it is the only one */
	struct loop_values values;
};

/* Set the builder and the types. The builder is the caller's to dispose of. */
void nest_begin(struct loop_nest *nest, struct device_module *dm);

LLVMValueRef nest_number(struct loop_nest *nest, uint64_t value); /* i32 */
LLVMValueRef nest_at(struct loop_nest *nest, LLVMValueRef base, size_t offset);
LLVMBasicBlockRef nest_block(struct loop_nest *nest, const char *name);

/* Add the kernel's loop function; sets function and values.real_block. */
void nest_declare(struct loop_nest *nest, const struct layout_kernel *kernel);

/* The variables that values names, at the builder's place (the function's entry). */
void nest_add_context(struct loop_nest *nest);
/* The loop's own copy of the block, from values.real_block; sets extent. */
void nest_copy_block(struct loop_nest *nest, const struct layout_kernel *kernel);
/* Fill values.context from index and values.linear, with this address of its block. */
void nest_fill_context(struct loop_nest *nest, LLVMValueRef block);

/* A call runs as many blocks of a row as its third argument says. */
void nest_add_row(struct loop_nest *nest);

/* Open the loops; sets index and values.linear. */
void nest_open(struct loop_nest *nest);
/* Close them; goes on behind. Returns the back-edge of the innermost one. */
LLVMValueRef nest_close(struct loop_nest *nest);

/* A single loop over n threads, for what asks for no other index; sets values.linear, and
 * index to poison. Closed by nest_close(). */
void nest_open_flat(struct loop_nest *nest, LLVMValueRef n);

#endif
