/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h - what the passes share that make a block's threads one loop. */
#ifndef CUDASIM_COMPILER_LOOP_H
#define CUDASIM_COMPILER_LOOP_H

#include "callgraph.h"
#include "layout.h"

/* Why the kernel gets no loop, with the place in the source that decides it where
 * there is one; malloc()ed. NULL: it gets one. graph is that of dm->module. */
char *loop_refuse(struct device_module *dm, const struct callgraph *graph,
		  const struct layout_kernel *kernel);

/* Whether the kernel meets in other ways than at barriers of the block. */
bool loop_meets_in_warps(struct device_module *dm, const struct callgraph *graph,
			 const struct layout_kernel *kernel);

/* Why a loop of so many instructions is given up; malloc()ed. */
char *loop_say_too_large(size_t n_instructions);

/* The same for a kernel whose threads meet, which cannot be cut for this reason. */
char *loop_refuse_to_cut(struct device_module *dm, const struct callgraph *graph,
			 const struct layout_kernel *kernel, const char *why);

/* Values that loop_lower() puts into the loop's body. */
struct loop_values {
	LLVMValueRef context;    /* a struct cudasim_thread of the loop's own */
	LLVMValueRef block;      /* a copy of the struct cudasim_block */
	LLVMValueRef real_block; /* the loop's parameter */
	LLVMValueRef linear;     /* linear index of the iteration's thread */
	LLVMValueRef called;     /* an i8: the iteration has called __cudasim_loop_thread */
	LLVMBasicBlockRef end;   /* of an iteration; has no phis */
	/* Functions whose calls are cut later, and stay as they are; NULL: none. */
	bool (*is_cut)(const char *name);
};

/* Inline what the loop calls, as far as that is possible and not too much. */
void loop_inline(struct device_module *dm, const struct callgraph *graph, LLVMValueRef function);

/* Make the body find its thread in the loop's values, and become it in libcudasim's
 * eyes before each call that is left. Returns true if there is such a call. */
bool loop_lower(struct device_module *dm, LLVMValueRef function, const struct loop_values *values);

#endif
