/* SPDX-License-Identifier: Apache-2.0 */
/* pass_loop.c - a function `void loop(const void *params, struct cudasim_block *, n)` for
 * each kernel whose threads meet nobody: all threads of a block, and of the n - 1 next ones
 * in x, as nested loops over threadIdx, x innermost, around the inlined kernel
 * (block_coalescing.h).
 *
 * Parameters and what is read of the block are loaded once, before the loops; the
 * thread's indices are the loops' own variables. A block's threads run in any order on a
 * GPU, so where nothing but memory that they share is accessed the innermost loop is
 * marked parallel, and LLVM vectorises it as it would any loop without dependences. Each
 * vector instruction then is what a warp's lanes do at once. A variable that stays in
 * memory is one for all iterations, so it forbids the mark; so do calls.
 *
 * Contraction, rounding and flushing have been decided before, and no fast-math flag is
 * set here: results are those of the thread-by-thread body.
 *
 * Source: the work-item loops of OpenCL for CPUs (Jaaskelainen et al.: pocl, a
 * performance-portable OpenCL implementation, 2015). Rejected: a mark that forces
 * vectorisation, since LLVM's cost model knows better which scatters do not pay. */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "kernel_loop.h"
#include "assumed_block.h"
#include "debug_metadata.h"
#include "loop_marks.h"
#include "kernel_params.h"
#include "llvm_functions.h"
#include "barrier_loop.h"
#include "loop_events.h"
#include "loop_nest.h"
#include "loop_passes.h"
#include "warp_loop.h"
#include "watched_loops.h"
#include "names.h"

/* Where threads have left the loop, it ends. */
static LLVMBasicBlockRef check_calls(struct loop_nest *m, LLVMBasicBlockRef out)
{
	LLVMBasicBlockRef check = nest_block(m, "left"), on = nest_block(m, "next");
	LLVMValueRef called = LLVMBuildLoad2(m->builder, m->i8, m->values.called, "");
	LLVMValueRef any = LLVMBuildTrunc(m->builder, called, LLVMInt1TypeInContext(m->dm->context),
					  "");
	LLVMBuildCondBr(m->builder, any, check, on);
	LLVMPositionBuilderAtEnd(m->builder, check);
	LLVMValueRef goes = device_call_runtime(m->dm, m->builder, "__cudasim_loop_goes_on",
						&m->values.real_block, 1, NULL, CUDASIM_SITE_OTHER);
	goes = LLVMBuildICmp(m->builder, LLVMIntNE, goes, nest_number(m, 0), "");
	LLVMBuildCondBr(m->builder, goes, on, out);
	LLVMPositionBuilderAtEnd(m->builder, on);
	return on;
}

/* The parameters that stay as they are, before the loops, and the others in them. */
static LLVMValueRef build_call(struct loop_nest *m, const struct layout_kernel *kernel,
			       LLVMValueRef body, LLVMValueRef *args)
{
	for (unsigned i = 0; i < kernel->n_params; i++)
		if (kernel_param_is_copied(body, i))
			kernel_param_copy(m->dm, m->builder, args[i], LLVMGetParam(m->function, 0),
					  &kernel->params[i]);
	return LLVMBuildCall2(m->builder, LLVMGlobalGetValueType(body), body, args,
			      (unsigned)kernel->n_params, "");
}

/* False where LLVM cannot inline the kernel. */
static bool build(struct loop_nest *m, const struct layout_kernel *kernel,
		  const struct callgraph *graph)
{
	LLVMValueRef body = LLVMGetNamedFunction(m->dm->module, kernel->name);
	LLVMValueRef *args = calloc(kernel->n_params + 1, sizeof(*args));
	assert(body && args);
	nest_declare(m, kernel);
	LLVMPositionBuilderAtEnd(m->builder, nest_block(m, "entry"));
	nest_add_context(m);
	for (unsigned i = 0; i < kernel->n_params; i++)
		args[i] = kernel_param_load(m->dm, m->builder, body, i,
					    LLVMGetParam(m->function, 0), &kernel->params[i]);
	nest_copy_block(m, kernel);
	nest_add_row(m);
	nest_open(m);
	nest_fill_context(m, m->values.block);
	LLVMValueRef call = build_call(m, kernel, body, args);
	m->values.end = nest_block(m, "ended");
	LLVMBuildBr(m->builder, m->values.end);
	free(args);
	debug_lend_location(call);
	if (!call_try_inline(call))
		return false;
	loop_inline(m->dm, graph, m->function);
	bool calls = loop_lower(m->dm, m->function, &m->values);
	LLVMBasicBlockRef out = nest_block(m, "out");
	LLVMPositionBuilderAtEnd(m->builder, m->values.end);
	LLVMSetCurrentDebugLocation2(m->builder, NULL);
	if (calls)
		check_calls(m, out);
	thread_loop_mark(nest_close(m));
	LLVMBuildBr(m->builder, out);
	LLVMPositionBuilderAtEnd(m->builder, out);
	LLVMBuildRetVoid(m->builder);
	return true;
}

/* The loop of a kernel whose threads meet, in_warps or at barriers at most. NULL, or why there is none
 * (malloc()ed). */
static char *make_cut_loop(struct device_module *dm, struct layout_kernel *kernel,
			   const struct callgraph *graph, struct loop_runner *runner,
			   struct warp_loop_spent *spent, bool in_warps)
{
	char *why = in_warps ? NULL : loop_cut(dm, kernel, graph, runner);
	if (!in_warps && !why)
		return NULL;
	free(why);
	return loop_warp(dm, kernel, graph, runner, spent);
}

static void make_loop(struct device_module *dm, struct layout_kernel *kernel,
		      const struct callgraph *graph, struct loop_runner *runner,
		      struct warp_loop_spent *spent)
{
	struct loop_nest m;
	bool in_warps = loop_meets_in_warps(dm, graph, kernel);
	if (in_warps || kernel->flags & CUDASIM_KERNEL_BARRIER) {
		char *why = make_cut_loop(dm, kernel, graph, runner, spent, in_warps);
		if (why)
			kernel->why_not_loop = loop_refuse_to_cut(dm, graph, kernel, why);
		free(why);
		return;
	}
	nest_begin(&m, dm);
	bool built = build(&m, kernel, graph);
	LLVMDisposeBuilder(m.builder);
	if (!built) {
		LLVMDeleteFunction(m.function);
		kernel->why_not_loop = strdup("contains code that LLVM cannot inline");
		assert(kernel->why_not_loop);
		return;
	}
	loop_list_run(runner, LOOP_STRAIGHT, m.function, kernel);
	if (function_is_short(m.function))
		kernel->flags |= CUDASIM_KERNEL_SHORT;
}

enum {
	/* Instructions of a module's watched loops, about; the later kernels get none. Sources with
	 * hundreds of kernels would take half as long again to compile. */
	MOST_OF_WATCHED_LOOPS = 6000,
};

/* A loop that announces accesses. NULL, or why there is none (malloc()ed). */
static char *make_watched_loop(struct device_module *dm, struct layout_kernel *kernel,
			       const struct callgraph *graph, struct loop_runner *runner,
			       struct warp_loop_spent *spent)
{
	struct loop_nest m;
	LLVMValueRef function = LLVMGetNamedFunction(dm->module, kernel->name);
	const char *refused = watched_loop_refuse(kernel);
	if (!refused)
		refused = watched_loop_forbidden(graph, function);
	if (refused)
		return strdup(refused);
	bool in_warps = loop_meets_in_warps(dm, graph, kernel);
	if (in_warps || kernel->flags & CUDASIM_KERNEL_BARRIER)
		return make_cut_loop(dm, kernel, graph, runner, spent, in_warps);
	nest_begin(&m, dm);
	bool built = build(&m, kernel, graph) && loop_events_are_all_calls(m.function);
	LLVMDisposeBuilder(m.builder);
	if (!built) {
		LLVMDeleteFunction(m.function);
		return strdup("calls a function");
	}
	loop_list_run(runner, LOOP_WATCHED, m.function, kernel);
	return NULL;
}

static size_t size_of(struct device_module *dm, const char *what,
		      const struct layout_kernel *kernel)
{
	char *name = name_shared(dm->program, what, kernel->name);
	LLVMValueRef function = LLVMGetNamedFunction(dm->module, name);
	free(name);
	return function ? device_size(function) : 0;
}

static struct cudasim_error *make_watched_loops(struct device_module *dm)
{
	const struct device_layout *layout = dm->program->layout;
	struct callgraph *graph = callgraph_new(dm, NULL, NULL);
	struct loop_runner *runner = loop_runner_new();
	struct warp_loop_spent in_warps = {0};
	size_t spent = 0;
	for (size_t i = 0; i < layout->n_kernels; i++) {
		struct layout_kernel *kernel = &layout->kernels[i];
		kernel->why_not_watched = spent > MOST_OF_WATCHED_LOOPS
						  ? strdup("stands behind many others")
						  : make_watched_loop(dm, kernel, graph, runner,
								      &in_warps);
		kernel->has_watched_loop = !kernel->why_not_watched;
		if (!kernel->has_watched_loop)
			continue;
		spent += size_of(dm, "loop", kernel) + size_of(dm, "continuation", kernel);
	}
	loop_runner_free(runner);
	callgraph_free(graph);
	return watched_loops_keep(dm);
}

/* Whether the block is as the source assumes it. */
static LLVMValueRef is_assumed(struct loop_nest *m, const struct assumed_block *block)
{
	LLVMBuilderRef b = m->builder;
	LLVMValueRef all = nest_number(m, 1), is = LLVMBuildICmp(b, LLVMIntEQ, all, all, "");
	for (unsigned axis = 0; axis < 3; axis++) {
		size_t offset = offsetof(struct cudasim_block, ntid) + axis * sizeof(uint32_t);
		LLVMValueRef at = nest_at(m, m->values.real_block, offset),
			     size = LLVMBuildLoad2(b, m->i32, at, "");
		all = LLVMBuildMul(b, all, size, "");
		if (axis < 2 && block->most[axis]) {
			LLVMValueRef most = nest_number(m, block->most[axis]);
			is = LLVMBuildAnd(b, is, LLVMBuildICmp(b, LLVMIntULE, size, most, ""), "");
		}
		if (axis == 0 && block->has_whole_rows) {
			LLVMValueRef rest = LLVMBuildURem(b, size,
							  nest_number(m, CUDASIM_WARP_SIZE), "");
			is = LLVMBuildAnd(b, is,
					  LLVMBuildICmp(b, LLVMIntEQ, rest, nest_number(m, 0), ""),
					  "");
		}
	}
	LLVMValueRef several = LLVMBuildICmp(b, LLVMIntUGT, all, nest_number(m, CUDASIM_WARP_SIZE),
					     "");
	return block->has_warps ? LLVMBuildAnd(b, is, several, "") : is;
}

/* The kernel's loop, which asks for the block's size and has both others inlined. */
static void join(struct device_module *dm, const struct layout_kernel *kernel,
		 const struct assumed_block *block, LLVMValueRef within, LLVMValueRef other)
{
	struct loop_nest m;
	LLVMValueRef calls[2], loops[2] = {within, other}, args[3];
	nest_begin(&m, dm);
	nest_declare(&m, kernel);
	LLVMBasicBlockRef entry = nest_block(&m, "entry"), out = nest_block(&m, "out"),
			  begins[2] = {nest_block(&m, "assumed"), nest_block(&m, "other")};
	LLVMGetParams(m.function, args);
	LLVMPositionBuilderAtEnd(m.builder, entry);
	LLVMBuildCondBr(m.builder, is_assumed(&m, block), begins[0], begins[1]);
	for (unsigned i = 0; i < 2; i++) {
		LLVMPositionBuilderAtEnd(m.builder, begins[i]);
		calls[i] = LLVMBuildCall2(m.builder, LLVMGlobalGetValueType(loops[i]), loops[i],
					  args, 3, "");
		LLVMBuildBr(m.builder, out);
	}
	LLVMPositionBuilderAtEnd(m.builder, out);
	LLVMBuildRetVoid(m.builder);
	LLVMDisposeBuilder(m.builder);
	for (unsigned i = 0; i < 2; i++) {
		debug_lend_location(calls[i]);
		call_inline(calls[i]);
		LLVMDeleteFunction(loops[i]);
	}
}

/* A second loop, for blocks as the source assumes them, in which warps need not meet where they
 * rely on their lockstep. */
static void add_assumed(struct device_module *dm, struct layout_kernel *kernel,
			const struct callgraph *graph, struct loop_runner *runner)
{
	struct assumed_block block;
	LLVMValueRef function = LLVMGetNamedFunction(dm->module, kernel->name);
	if (kernel->why_not_loop || !assumed_block_get(function, &block))
		return;
	char *name = name_shared(dm->program, "loop", kernel->name);
	LLVMValueRef other = LLVMGetNamedFunction(dm->module, name);
	LLVMSetValueName2(other, "", 0);
	kernel->in_assumed_block = true;
	char *why = loop_cut(dm, kernel, graph, runner);
	kernel->in_assumed_block = false;
	LLVMValueRef within = LLVMGetNamedFunction(dm->module, name);
	if (why) {
		LLVMSetValueName2(other, name, strlen(name));
	} else {
		LLVMSetValueName2(within, "", 0);
		join(dm, kernel, &block, within, other);
	}
	free(why);
	free(name);
}

static void note_calls(struct device_module *dm, struct layout_kernel *kernel)
{
	char *name = name_shared(dm->program, "loop", kernel->name);
	LLVMValueRef loop = LLVMGetNamedFunction(dm->module, name);
	free(name);
	if (loop && !kernel->why_not_loop && function_calls_nobody(loop))
		kernel->flags |= CUDASIM_KERNEL_ALONE;
}

struct cudasim_error *pass_loop(struct device_module *dm)
{
	if (dm->stage == DEVICE_WATCHED_LOOPS)
		return make_watched_loops(dm);
	struct device_layout *layout = dm->program->layout;
	struct callgraph *graph = callgraph_new(dm, NULL, NULL);
	struct warp_loop_spent spent = {0};
	struct loop_runner *runner = loop_runner_new();
	for (size_t i = 0; i < layout->n_kernels; i++) {
		struct layout_kernel *kernel = &layout->kernels[i];
		kernel->why_not_loop = loop_refuse(dm, graph, kernel);
		kernel->empty = true; /* until a body shows that it is not */
	}
	for (size_t i = 0; i < layout->n_kernels; i++)
		if (!layout->kernels[i].why_not_loop) {
			make_loop(dm, &layout->kernels[i], graph, runner, &spent);
			add_assumed(dm, &layout->kernels[i], graph, runner);
		}
	for (size_t i = 0; i < layout->n_kernels; i++)
		note_calls(dm, &layout->kernels[i]);
	loop_runner_free(runner);
	callgraph_free(graph);
	return NULL;
}
