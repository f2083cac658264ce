/* SPDX-License-Identifier: Apache-2.0 */
/* watching.h - a function that gets hooks: for pass_watch.c, and for watching_loops.c, which is about the
 * clone of the watched loops. */
#ifndef CUDASIM_COMPILER_WATCHING_H
#define CUDASIM_COMPILER_WATCHING_H

#include <llvm-c/Target.h>

#include "device.h"
#include "watch_access.h"

/* A function in work. */
struct watching {
	struct device_module *dm;
	LLVMTargetDataRef layout;
	LLVMBuilderRef builder;
	LLVMValueRef function;
	LLVMValueRef context; /* the thread's, in the entry block */
	bool hidden; /* of a header: no lines and calls */
	bool in_loops; /* the clone is the watched loops' */
	struct line_block *blocks;
	unsigned n_blocks;
};

LLVMValueRef watching_number(const struct watching *w, uint64_t value); /* an i32 */
LLVMValueRef watching_generic(struct watching *w, LLVMValueRef address);
/* The thread's linear index. */
LLVMValueRef watching_linear(struct device_module *dm, LLVMBuilderRef builder,
			     LLVMValueRef context);

/* ---- watching_loops.c ------------------------------------------------------- */

/* A kernel that reaches the function gets no watched loop. why: what it does. */
void watching_forbid_loops(struct watching *w, const char *why);
/* The builder stands before the access. placed: it lies in a variable of the thread's own,
 * aligned, of which no tool that takes loops hears. */
void watching_tell_in_loop(struct watching *w, LLVMValueRef i, const struct watch_access *access,
			   LLVMValueRef size, bool placed);
/* In a loop, where a function is inlined, a use of its variables after its return would not be
 * seen: does it hand out their addresses? No function returns behind a kernel. all: its n
 * instructions. */
bool watching_hands_out_own(const struct watching *w, LLVMValueRef *all, unsigned n);

#endif
