/* SPDX-License-Identifier: Apache-2.0 */
#include "loop_nest.h"

#include <stddef.h>
#include <stdlib.h>

#include "alignment.h"
#include "grid_limits.h"
#include "kernel_params.h"
#include "names.h"

enum { FUEL = 1024, ROW = 3 };

LLVMValueRef nest_number(struct loop_nest *m, uint64_t value)
{
	return LLVMConstInt(m->i32, value, 0);
}

LLVMValueRef nest_at(struct loop_nest *m, LLVMValueRef base, size_t offset)
{
	LLVMValueRef index = LLVMConstInt(m->i64, offset, 0);
	return LLVMBuildInBoundsGEP2(m->builder, m->i8, base, &index, 1, "");
}

LLVMBasicBlockRef nest_block(struct loop_nest *m, const char *name)
{
	return LLVMAppendBasicBlockInContext(m->dm->context, m->function, name);
}

static LLVMValueRef variable(struct loop_nest *m, size_t bytes, const char *name)
{
	LLVMValueRef v = LLVMBuildAlloca(m->builder, LLVMArrayType2(m->i8, bytes), name);
	LLVMSetAlignment(v, 16);
	return v;
}

/* A number of the block, which is least to most. */
static LLVMValueRef load_number(struct loop_nest *m, size_t offset, uint64_t least, uint64_t most,
				const char *name)
{
	LLVMValueRef from = nest_at(m, m->values.real_block, offset);
	LLVMValueRef n = LLVMBuildLoad2(m->builder, m->i32, from, name);
	LLVMMetadataRef bounds[] = {LLVMValueAsMetadata(nest_number(m, least)),
				    LLVMValueAsMetadata(nest_number(m, most + 1))};
	LLVMMetadataRef range = LLVMMDNodeInContext2(m->dm->context, bounds, 2);
	LLVMSetMetadata(n, LLVMGetMDKindIDInContext(m->dm->context, "range", 5),
			LLVMMetadataAsValue(m->dm->context, range));
	return n;
}

static LLVMValueRef copy_number(struct loop_nest *m, size_t offset, uint64_t least, uint64_t most,
				const char *name)
{
	LLVMValueRef n = load_number(m, offset, least, most, name);
	LLVMBuildStore(m->builder, n, nest_at(m, m->values.block, offset));
	return n;
}

void nest_copy_block(struct loop_nest *m, const struct layout_kernel *kernel)
{
	uint64_t most = kernel->max_threads && kernel->max_threads < MOST_THREADS
				? kernel->max_threads
				: MOST_THREADS;
	m->values.block = variable(m, sizeof(struct cudasim_block), "block");
	LLVMBuildMemCpy(m->builder, m->values.block, 16, m->values.real_block, 8,
			LLVMConstInt(m->i64, offsetof(struct cudasim_block, launch), 0));
	for (unsigned i = 0; i < 3; i++) {
		uint64_t threads = i == 2 && most > MOST_Z ? MOST_Z : most,
			 blocks = i ? MOST_BLOCKS_Y : MOST_BLOCKS_X;
		m->extent[i] = copy_number(m, offsetof(struct cudasim_block, ntid) + 4 * i, 1,
					   threads, "ntid");
		copy_number(m, offsetof(struct cudasim_block, ctaid) + 4 * i, 0, blocks - 1,
			    "ctaid");
		copy_number(m, offsetof(struct cudasim_block, nctaid) + 4 * i, 1, blocks, "nctaid");
	}
}

static void store(struct loop_nest *m, LLVMValueRef value, size_t offset)
{
	LLVMBuildStore(m->builder, value, nest_at(m, m->values.context, offset));
}

/* What the iteration's thread reads of itself. */
void nest_fill_context(struct loop_nest *m, LLVMValueRef block)
{
	LLVMValueRef linear = m->values.linear;
	for (unsigned i = 0; i < 3; i++)
		store(m, m->index[i], offsetof(struct cudasim_thread, tid) + 4 * i);
	store(m, LLVMBuildAnd(m->builder, linear, nest_number(m, CUDASIM_WARP_SIZE - 1), ""),
	      offsetof(struct cudasim_thread, lane));
	store(m, LLVMBuildLShr(m->builder, linear, nest_number(m, 5), ""),
	      offsetof(struct cudasim_thread, warp));
	store(m, nest_number(m, 0), offsetof(struct cudasim_thread, want));
	store(m, nest_number(m, FUEL), offsetof(struct cudasim_thread, fuel));
	store(m, linear, offsetof(struct cudasim_thread, linear));
	store(m, block, offsetof(struct cudasim_thread, block));
	LLVMBuildStore(m->builder, LLVMConstInt(m->i8, 0, 0), m->values.called);
}

/* Open the loop over one direction in a block of its own. */
static void open_one(struct loop_nest *m, unsigned i)
{
	LLVMBasicBlockRef from = LLVMGetInsertBlock(m->builder);
	LLVMValueRef zero = nest_number(m, 0);
	m->heads[i] = nest_block(m, "threads");
	LLVMBuildBr(m->builder, m->heads[i]);
	LLVMPositionBuilderAtEnd(m->builder, m->heads[i]);
	m->index[i] = LLVMBuildPhi(m->builder, m->i32, "tid");
	LLVMAddIncoming(m->index[i], &zero, &from, 1);
}

/* Close it; goes on behind the loop. Returns the back-edge. */
static LLVMValueRef close_one(struct loop_nest *m, unsigned i, LLVMValueRef extent)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(m->builder), after = nest_block(m, "end");
	LLVMValueRef next = LLVMBuildNUWAdd(m->builder, m->index[i], nest_number(m, 1), "");
	LLVMSetNSW(next, 1);
	LLVMValueRef again = LLVMBuildICmp(m->builder, LLVMIntULT, next, extent, "");
	LLVMValueRef branch = LLVMBuildCondBr(m->builder, again, m->heads[i], after);
	LLVMAddIncoming(m->index[i], &next, &here, 1);
	LLVMPositionBuilderAtEnd(m->builder, after);
	return branch;
}

/* linear = x + ntid.x * (y + ntid.y * z), none of which overflows */
static LLVMValueRef first_of_row(struct loop_nest *m)
{
	LLVMValueRef rows = LLVMBuildNUWMul(m->builder, m->extent[1], m->index[2], "");
	rows = LLVMBuildNUWAdd(m->builder, rows, m->index[1], "");
	return LLVMBuildNUWMul(m->builder, m->extent[0], rows, "");
}

void nest_begin(struct loop_nest *m, struct device_module *dm)
{
	*m = (struct loop_nest){
		.dm = dm,
		.builder = LLVMCreateBuilderInContext(dm->context),
		.ptr = LLVMPointerTypeInContext(dm->context, 0),
		.i8 = LLVMInt8TypeInContext(dm->context),
		.i32 = LLVMInt32TypeInContext(dm->context),
		.i64 = LLVMInt64TypeInContext(dm->context),
	};
}

void nest_add_context(struct loop_nest *m)
{
	m->values.context = variable(m, sizeof(struct cudasim_thread), "thread");
	m->values.called = LLVMBuildAlloca(m->builder, m->i8, "called");
}

void nest_add_row(struct loop_nest *m)
{
	m->extent[ROW] = LLVMGetParam(m->function, 2);
}

/* The loop over the row's blocks, which count on from the one that the copy is of. */
static void open_row(struct loop_nest *m)
{
	LLVMValueRef first = load_number(m, offsetof(struct cudasim_block, ctaid), 0,
					 MOST_BLOCKS_X - 1, "first");
	open_one(m, ROW);
	LLVMValueRef index = LLVMBuildNUWAdd(m->builder, first, m->index[ROW], "ctaid");
	LLVMSetNSW(index, 1);
	LLVMBuildStore(m->builder, index,
		       nest_at(m, m->values.block, offsetof(struct cudasim_block, ctaid)));
}

void nest_open(struct loop_nest *m)
{
	open_one(m, 2);
	open_one(m, 1);
	LLVMValueRef first = first_of_row(m);
	if (m->extent[ROW])
		open_row(m);
	open_one(m, 0);
	m->values.linear = LLVMBuildNUWAdd(m->builder, first, m->index[0], "linear");
}

LLVMValueRef nest_close(struct loop_nest *m)
{
	LLVMValueRef back_edge = close_one(m, 0, m->flat ? m->flat : m->extent[0]);
	if (!m->flat && m->extent[ROW])
		close_one(m, ROW, m->extent[ROW]);
	for (unsigned i = 1; !m->flat && i < 3; i++)
		close_one(m, i, m->extent[i]);
	if (m->flat) {
		m->index[0] = LLVMGetPoison(m->i32);
		m->flat = NULL;
	}
	return back_edge;
}

void nest_open_flat(struct loop_nest *m, LLVMValueRef n)
{
	open_one(m, 0);
	m->flat = n;
	m->values.linear = m->index[0];
	m->index[1] = m->index[2] = LLVMGetPoison(m->i32);
}

void nest_declare(struct loop_nest *m, const struct layout_kernel *kernel)
{
	LLVMTypeRef params[] = {m->ptr, m->ptr, m->i32};
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(m->dm->context), params, 3, 0);
	char *name = name_shared(m->dm->program, "loop", kernel->name);
	m->function = LLVMAddFunction(m->dm->module, name, type);
	free(name);
	LLVMSetVisibility(m->function, LLVMHiddenVisibility);
	kernel_params_promise(m->function, kernel);
	alignment_mark_own(m->function, 1);
	m->values.real_block = LLVMGetParam(m->function, 1);
}
