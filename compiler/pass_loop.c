/* SPDX-License-Identifier: Apache-2.0 */
/* pass_loop.c - a function `void loop(const void *params, struct cudasim_block *)` for
 * each kernel whose threads meet nobody: all threads of a block as nested loops over
 * threadIdx, x innermost, around the inlined kernel.
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

#include "bridge_debug.h"
#include "bridge_loop.h"
#include "kernel_params.h"
#include "llvm_bridge.h"
#include "loop.h"
#include "names.h"

enum { MOST_THREADS = 1024, MOST_Z = 64, FUEL = 1024 };

struct maker {
	struct device_module *dm;
	LLVMBuilderRef builder;
	LLVMValueRef function;
	LLVMTypeRef ptr, i8, i32, i64;
	LLVMValueRef extent[3]; /* blockDim */
	LLVMValueRef index[3];  /* threadIdx */
	LLVMBasicBlockRef heads[3], ends[3];
	struct loop_values values;
};

static LLVMValueRef number(struct maker *m, uint64_t value)
{
	return LLVMConstInt(m->i32, value, 0);
}

static LLVMValueRef at(struct maker *m, LLVMValueRef base, size_t offset)
{
	LLVMValueRef index = LLVMConstInt(m->i64, offset, 0);
	return LLVMBuildInBoundsGEP2(m->builder, m->i8, base, &index, 1, "");
}

static LLVMBasicBlockRef block(struct maker *m, const char *name)
{
	return LLVMAppendBasicBlockInContext(m->dm->context, m->function, name);
}

static LLVMValueRef variable(struct maker *m, size_t bytes, const char *name)
{
	LLVMValueRef v = LLVMBuildAlloca(m->builder, LLVMArrayType2(m->i8, bytes), name);
	LLVMSetAlignment(v, 16);
	return v;
}

/* A block's extent in one direction, with its bounds: 1 to most. */
static LLVMValueRef load_extent(struct maker *m, unsigned i, uint64_t most)
{
	LLVMValueRef from = at(m, m->values.real_block,
			       offsetof(struct cudasim_block, ntid) + 4 * i);
	LLVMValueRef n = LLVMBuildLoad2(m->builder, m->i32, from, "ntid");
	LLVMMetadataRef bounds[] = {LLVMValueAsMetadata(number(m, 1)),
				    LLVMValueAsMetadata(number(m, most + 1))};
	LLVMMetadataRef range = LLVMMDNodeInContext2(m->dm->context, bounds, 2);
	LLVMSetMetadata(n, LLVMGetMDKindIDInContext(m->dm->context, "range", 5),
			LLVMMetadataAsValue(m->dm->context, range));
	LLVMBuildStore(m->builder, n,
		       at(m, m->values.block, offsetof(struct cudasim_block, ntid) + 4 * i));
	return n;
}

static void copy_block(struct maker *m, const struct layout_kernel *kernel)
{
	uint64_t most = kernel->max_threads && kernel->max_threads < MOST_THREADS
		? kernel->max_threads : MOST_THREADS;
	LLVMBuildMemCpy(m->builder, m->values.block, 16, m->values.real_block, 8,
			LLVMConstInt(m->i64, offsetof(struct cudasim_block, launch), 0));
	for (unsigned i = 0; i < 3; i++)
		m->extent[i] = load_extent(m, i, i == 2 && most > MOST_Z ? MOST_Z : most);
}

static void store(struct maker *m, LLVMValueRef value, size_t offset)
{
	LLVMBuildStore(m->builder, value, at(m, m->values.context, offset));
}

/* What the iteration's thread reads of itself. */
static void fill_context(struct maker *m)
{
	LLVMValueRef linear = m->values.linear;
	for (unsigned i = 0; i < 3; i++)
		store(m, m->index[i], offsetof(struct cudasim_thread, tid) + 4 * i);
	store(m, LLVMBuildAnd(m->builder, linear, number(m, CUDASIM_WARP_SIZE - 1), ""),
	      offsetof(struct cudasim_thread, lane));
	store(m, LLVMBuildLShr(m->builder, linear, number(m, 5), ""),
	      offsetof(struct cudasim_thread, warp));
	store(m, number(m, 0), offsetof(struct cudasim_thread, want));
	store(m, number(m, FUEL), offsetof(struct cudasim_thread, fuel));
	store(m, linear, offsetof(struct cudasim_thread, linear));
	store(m, m->values.block, offsetof(struct cudasim_thread, block));
	LLVMBuildStore(m->builder, LLVMConstInt(m->i8, 0, 0), m->values.called);
}

/* Open the loop over one direction in a block of its own. */
static void open_loop(struct maker *m, unsigned i)
{
	LLVMBasicBlockRef from = LLVMGetInsertBlock(m->builder);
	LLVMValueRef zero = number(m, 0);
	m->heads[i] = block(m, "threads");
	LLVMBuildBr(m->builder, m->heads[i]);
	LLVMPositionBuilderAtEnd(m->builder, m->heads[i]);
	m->index[i] = LLVMBuildPhi(m->builder, m->i32, "tid");
	LLVMAddIncoming(m->index[i], &zero, &from, 1);
}

/* Close it; goes on behind the loop. Returns the back-edge. */
static LLVMValueRef close_loop(struct maker *m, unsigned i)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(m->builder), after = block(m, "end");
	LLVMValueRef next = LLVMBuildNUWAdd(m->builder, m->index[i], number(m, 1), "");
	LLVMSetNSW(next, 1);
	LLVMValueRef again = LLVMBuildICmp(m->builder, LLVMIntULT, next, m->extent[i], "");
	LLVMValueRef branch = LLVMBuildCondBr(m->builder, again, m->heads[i], after);
	LLVMAddIncoming(m->index[i], &next, &here, 1);
	LLVMPositionBuilderAtEnd(m->builder, after);
	return branch;
}

/* linear = x + ntid.x * (y + ntid.y * z), none of which overflows */
static LLVMValueRef row(struct maker *m)
{
	LLVMValueRef rows = LLVMBuildNUWMul(m->builder, m->extent[1], m->index[2], "");
	rows = LLVMBuildNUWAdd(m->builder, rows, m->index[1], "");
	return LLVMBuildNUWMul(m->builder, m->extent[0], rows, "");
}

/* Where threads have left the loop, it ends. */
static LLVMBasicBlockRef check_calls(struct maker *m, LLVMBasicBlockRef out)
{
	LLVMBasicBlockRef check = block(m, "left"), on = block(m, "next");
	LLVMValueRef called = LLVMBuildLoad2(m->builder, m->i8, m->values.called, "");
	LLVMValueRef any = LLVMBuildTrunc(m->builder, called, LLVMInt1TypeInContext(m->dm->context),
					  "");
	LLVMBuildCondBr(m->builder, any, check, on);
	LLVMPositionBuilderAtEnd(m->builder, check);
	LLVMValueRef goes = device_call_runtime(m->dm, m->builder, "__cudasim_loop_goes_on",
						&m->values.real_block, 1, NULL, CUDASIM_SITE_OTHER);
	goes = LLVMBuildICmp(m->builder, LLVMIntNE, goes, number(m, 0), "");
	LLVMBuildCondBr(m->builder, goes, on, out);
	LLVMPositionBuilderAtEnd(m->builder, on);
	return on;
}

static void declare(struct maker *m, const struct layout_kernel *kernel)
{
	LLVMTypeRef params[] = {m->ptr, m->ptr};
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(m->dm->context), params, 2, 0);
	char *name = name_shared(m->dm->program, "loop", kernel->name);
	m->function = LLVMAddFunction(m->dm->module, name, type);
	free(name);
	LLVMSetVisibility(m->function, LLVMHiddenVisibility);
	kernel_params_promise(m->function, kernel);
	m->values.real_block = LLVMGetParam(m->function, 1);
}

/* The parameters that stay as they are, before the loops, and the others in them. */
static LLVMValueRef build_call(struct maker *m, const struct layout_kernel *kernel,
			       LLVMValueRef body, LLVMValueRef *args)
{
	for (unsigned i = 0; i < kernel->n_params; i++)
		if (kernel_param_is_copied(body, i))
			kernel_param_copy(m->dm, m->builder, args[i],
					  LLVMGetParam(m->function, 0), &kernel->params[i]);
	return LLVMBuildCall2(m->builder, LLVMGlobalGetValueType(body), body, args,
			      (unsigned)kernel->n_params, "");
}

/* False where LLVM cannot inline the kernel. */
static bool build(struct maker *m, const struct layout_kernel *kernel,
		  const struct callgraph *graph)
{
	LLVMValueRef body = LLVMGetNamedFunction(m->dm->module, kernel->name);
	LLVMValueRef *args = calloc(kernel->n_params + 1, sizeof(*args));
	assert(body && args);
	declare(m, kernel);
	LLVMPositionBuilderAtEnd(m->builder, block(m, "entry"));
	m->values.context = variable(m, sizeof(struct cudasim_thread), "thread");
	m->values.block = variable(m, sizeof(struct cudasim_block), "block");
	m->values.called = LLVMBuildAlloca(m->builder, m->i8, "called");
	for (unsigned i = 0; i < kernel->n_params; i++)
		args[i] = kernel_param_load(m->dm, m->builder, body, i,
					    LLVMGetParam(m->function, 0), &kernel->params[i]);
	copy_block(m, kernel);
	open_loop(m, 2);
	open_loop(m, 1);
	LLVMValueRef first = row(m);
	open_loop(m, 0);
	m->values.linear = LLVMBuildNUWAdd(m->builder, first, m->index[0], "linear");
	fill_context(m);
	LLVMValueRef call = build_call(m, kernel, body, args);
	m->values.end = block(m, "ended");
	LLVMBuildBr(m->builder, m->values.end);
	free(args);
	bridge_lend_place(call);
	if (!bridge_try_inline(call))
		return false;
	loop_inline(m->dm, graph, m->function);
	bool calls = loop_lower(m->dm, m->function, &m->values);
	LLVMBasicBlockRef out = block(m, "out");
	LLVMPositionBuilderAtEnd(m->builder, m->values.end);
	LLVMSetCurrentDebugLocation2(m->builder, NULL);
	if (calls)
		check_calls(m, out);
	bridge_name_loop(close_loop(m, 0));
	close_loop(m, 1);
	close_loop(m, 2);
	LLVMBuildBr(m->builder, out);
	LLVMPositionBuilderAtEnd(m->builder, out);
	LLVMBuildRetVoid(m->builder);
	return true;
}

static void make_loop(struct device_module *dm, struct layout_kernel *kernel,
		      const struct callgraph *graph, struct bridge_passes *passes)
{
	struct maker m = {
		.dm = dm,
		.builder = LLVMCreateBuilderInContext(dm->context),
		.ptr = LLVMPointerTypeInContext(dm->context, 0),
		.i8 = LLVMInt8TypeInContext(dm->context),
		.i32 = LLVMInt32TypeInContext(dm->context),
		.i64 = LLVMInt64TypeInContext(dm->context),
	};
	bool built = build(&m, kernel, graph);
	LLVMDisposeBuilder(m.builder);
	if (!built) {
		LLVMDeleteFunction(m.function);
		kernel->why_not_loop = strdup("holds code that LLVM cannot inline");
		assert(kernel->why_not_loop);
		return;
	}
	bridge_local_loads_vary(m.function);
	bridge_passes_run(passes, m.function);
	bridge_mark_accesses(m.function);
}

struct cudasim_error *pass_loop(struct device_module *dm)
{
	struct device_layout *layout = dm->program->layout;
	struct callgraph *graph = callgraph_new(dm, NULL, NULL);
	struct bridge_passes *passes = bridge_passes_new(
		"sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,sroa,simplifycfg");
	for (size_t i = 0; i < layout->n_kernels; i++) {
		struct layout_kernel *kernel = &layout->kernels[i];
		kernel->why_not_loop = loop_refuse(dm, graph, kernel);
		kernel->empty = true; /* until a body shows that it is not */
	}
	for (size_t i = 0; i < layout->n_kernels; i++)
		if (!layout->kernels[i].why_not_loop)
			make_loop(dm, &layout->kernels[i], graph, passes);
	bridge_passes_free(passes);
	callgraph_free(graph);
	return NULL;
}
