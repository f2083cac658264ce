/* SPDX-License-Identifier: Apache-2.0 */
#include "warp_table.h"

#include <assert.h>
#include <stdlib.h>

#include "warp_ops.h"

static LLVMValueRef struct_of(struct loop_nest *m, LLVMValueRef *members, unsigned n)
{
	return LLVMConstStructInContext(m->dm->context, members, n, 0);
}

static LLVMValueRef value_of(struct loop_nest *m, const struct region_value *v)
{
	LLVMValueRef members[] = {LLVMConstInt(m->i64, v->constant, 0), nest_number(m, v->offset),
				  nest_number(m, v->size)};
	return struct_of(m, members, 3);
}

static LLVMValueRef op_of(struct loop_nest *m, const struct region_op *op, bool by_lanes)
{
	LLVMValueRef args[REGION_ARGUMENTS];
	for (unsigned i = 0; i < REGION_ARGUMENTS; i++)
		args[i] = value_of(m, &op->arg[i]);
	LLVMValueRef members[] = {
		LLVMConstArray2(LLVMTypeOf(args[0]), args, REGION_ARGUMENTS),
		op->site ? op->site : LLVMConstNull(m->ptr),
		nest_number(m, op->kind),
		nest_number(m, op->low),
		nest_number(m, op->high),
		nest_number(m, by_lanes),
	};
	return struct_of(m, members, 6);
}

static LLVMValueRef constant(struct loop_nest *m, LLVMValueRef value)
{
	LLVMValueRef g = LLVMAddGlobal(m->dm->module, LLVMTypeOf(value), "loop");
	LLVMSetInitializer(g, value);
	LLVMSetGlobalConstant(g, 1);
	LLVMSetLinkage(g, LLVMPrivateLinkage);
	return g;
}

static LLVMValueRef array_of(struct loop_nest *m, LLVMValueRef *items, unsigned n)
{
	return n ? constant(m, LLVMConstArray2(LLVMTypeOf(items[0]), items, n))
		 : LLVMConstNull(m->ptr);
}

LLVMValueRef warp_table_build(struct loop_nest *m, const struct region_plan *cut,
			      LLVMValueRef continuation, LLVMValueRef lanes)
{
	unsigned n = cut->n_regions, n_ops = 0;
	LLVMValueRef *cuts = calloc(n, sizeof(*cuts));
	LLVMValueRef *ops = calloc((size_t)n * REGION_OPS, sizeof(*ops));
	assert(cuts && ops);
	for (unsigned k = 0; k < n; k++) {
		const struct kernel_region *region = &cut->regions[k];
		LLVMValueRef members[] = {nest_number(m, n_ops), nest_number(m, region->n_ops)};
		cuts[k] = struct_of(m, members, 2);
		for (unsigned i = 0; i < region->n_ops; i++)
			ops[n_ops++] = op_of(m, &region->op[i],
					     !i && warp_ops_may_be_partial(region));
	}
	LLVMValueRef members[] = {
		continuation,
		array_of(m, cuts, n),
		array_of(m, ops, n_ops),
		LLVMConstInt(m->i64, cut->frame_bytes + 16, 0),
		nest_number(m, n),
		nest_number(m, cut->frame_bytes),
		lanes,
	};
	free(cuts);
	free(ops);
	return constant(m, struct_of(m, members, 7));
}
