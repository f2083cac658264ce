/* SPDX-License-Identifier: Apache-2.0 */
/* loop_passes.h - what pass_loop does, one after the other, to each function that it makes. */
#ifndef CUDASIM_COMPILER_LOOP_PASSES_H
#define CUDASIM_COMPILER_LOOP_PASSES_H

#include "layout.h"

/* A transformation of one function: LLVM's passes, or a function of ours. */
struct loop_pass {
	const char *name;
	const char *llvm; /* as opt's -passes= takes them; NULL: run */
	void (*run)(LLVMValueRef function, struct layout_kernel *kernel);
	const char *promise; /* what holds behind it, in a line */
	const char *source;  /* the file, below compiler/ */
};

/* The lists of them, by what the function is. */
enum loop_list {
	LOOP_STRAIGHT,  /* the loop of a kernel whose threads meet nobody */
	LOOP_CONTINUATION,      /* one thread between two barriers, before it is cut */
	LOOP_REGIONS,   /* the loop of a kernel with barriers, of such regions */
	LOOP_UNIFORM_FLOW, /* the same, with uniform control flow */
	LOOP_WARP_CONTINUATION, /* one thread between two meetings of its warp, before it is cut */
	LOOP_WARPS, /* the loop over warps, of such regions */
	LOOP_WATCHED, /* as straight ones, but tools watch it (watched_loops.h) */
	LOOP_WATCHED_FLOW, /* the same with barriers and uniform control flow */
	LOOP_WATCHED_WARPS, /* the same over warps */
	N_LOOP_LISTS,
};

/* LOOP_WARPS, as tools watch it or not. */
enum loop_list loop_list_of_warps(const struct device_module *dm);

/* "loop/straight" and so on, for --print-pipeline. */
const char *loop_list_name(enum loop_list list);

/* The i-th pass of a list; NULL behind the last one. */
const struct loop_pass *loop_list_pass(enum loop_list list, unsigned i);

/* LLVM's pipelines, made when they are first needed. One runner serves one module. */
struct loop_runner;
struct loop_runner *loop_runner_new(void);
void loop_runner_free(struct loop_runner *runner);

/* Run one pass, or a list of them. What they learn goes into kernel->flags. */
void loop_pass_run(struct loop_runner *runner, const struct loop_pass *pass, LLVMValueRef function,
		   struct layout_kernel *kernel);
void loop_list_run(struct loop_runner *runner, enum loop_list list, LLVMValueRef function,
		   struct layout_kernel *kernel);

#endif
