/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_sync.c - what several threads do together: block barriers, cluster
 * barriers, warp operations. Each is one call of a builtin. */
#include "ptx_emit.h"

#include <stdio.h>
#include <string.h>

/* {i32, i1}, the result of operations that answer a predicate as well. */
static LLVMTypeRef pair_type(struct ptx_emit *emit)
{
	LLVMTypeRef types[2] = {ptx_int_type(emit, 32), ptx_int_type(emit, 1)};

	return LLVMStructTypeInContext(emit->context, types, 2, false);
}

/* Writes both results to d|p. */
static void write_pair(struct ptx_emit *emit, LLVMValueRef pair)
{
	const struct ptx_operand *dest = ptx_operand(emit, 0);

	ptx_write(emit, dest, PTX_B32, LLVMBuildExtractValue(emit->builder, pair, 0, ""));
	if (dest->second)
		ptx_write(emit, dest->second, PTX_PRED,
			  LLVMBuildExtractValue(emit->builder, pair, 1, ""));
}

/* shfl.sync.mode.b32 d|p, a, b, c, mask; without .sync there is no mask. */
static void emit_shfl(struct ptx_emit *emit, const struct ptx_row *row)
{
	bool sync = ptx_is(emit, "sync"), pair = ptx_operand(emit, 0)->second;
	LLVMValueRef args[4], value;
	unsigned n = 0;
	char name[40];

	(void)row;
	if (sync)
		args[n++] = ptx_source(emit, 4, PTX_B32);
	for (uint32_t i = 1; i <= 3; i++)
		args[n++] = ptx_source(emit, i, PTX_B32);
	snprintf(name, sizeof(name), "shfl.%s%s.i32%s", sync ? "sync." : "",
		 ptx_is(emit, "idx")    ? "idx"
		 : ptx_is(emit, "up")   ? "up"
		 : ptx_is(emit, "down") ? "down"
					: "bfly",
		 pair ? "p" : "");
	value = ptx_nvvm_convergent(emit, name, pair ? pair_type(emit) : ptx_int_type(emit, 32),
				    args, n);
	if (pair)
		write_pair(emit, value);
	else
		ptx_dest(emit, 0, PTX_B32, value);
}

/* vote.sync.mode.pred p, a, mask and vote.sync.ballot.b32 d, a, mask. */
static void emit_vote(struct ptx_emit *emit, const struct ptx_row *row)
{
	bool sync = ptx_is(emit, "sync"), ballot = ptx_is(emit, "ballot");
	LLVMValueRef args[2];
	unsigned n = 0;
	char name[40];

	(void)row;
	if (sync)
		args[n++] = ptx_source(emit, 2, PTX_B32);
	args[n++] = ptx_source(emit, 1, PTX_PRED);
	snprintf(name, sizeof(name), "vote.%s%s",
		 ballot                ? "ballot"
		 : ptx_is(emit, "all") ? "all"
		 : ptx_is(emit, "any") ? "any"
				       : "uni",
		 sync ? ".sync" : "");
	ptx_dest(emit, 0, ballot ? PTX_B32 : PTX_PRED,
		 ptx_nvvm_convergent(emit, name, ptx_int_type(emit, ballot ? 32 : 1), args, n));
}

/* match.any.sync.type d, a, mask; match.all.sync.type d|p, a, mask. */
static void emit_match(struct ptx_emit *emit, const struct ptx_row *row)
{
	bool all = ptx_is(emit, "all");
	enum ptx_type type = emit->match.types[0];
	LLVMValueRef args[2] = {ptx_source(emit, 2, PTX_B32), ptx_source(emit, 1, type)};
	char name[40];

	(void)row;
	snprintf(name, sizeof(name), "match.%s.sync.i%u%s", all ? "all" : "any", ptx_bits(type),
		 all ? "p" : "");
	if (all)
		write_pair(emit, ptx_nvvm_convergent(emit, name, pair_type(emit), args, 2));
	else
		ptx_dest(emit, 0, PTX_B32,
			 ptx_nvvm_convergent(emit, name, ptx_int_type(emit, 32), args, 2));
}

/* redux.sync.op.type d, a, mask */
static void emit_redux(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef args[2] = {ptx_source(emit, 1, PTX_B32), ptx_source(emit, 2, PTX_B32)};
	const char *op = emit->match.modifiers[1];
	bool is_unsigned = emit->match.types[0] == PTX_U32 && strcmp(op, "add");
	char name[40];

	(void)row;
	snprintf(name, sizeof(name), "redux.sync.%s%s", is_unsigned ? "u" : "", op);
	ptx_dest(emit, 0, PTX_B32,
		 ptx_nvvm_convergent(emit, name, ptx_int_type(emit, 32), args, 2));
}

static void emit_elect(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef mask = ptx_source(emit, 1, PTX_B32);

	(void)row;
	write_pair(emit, ptx_nvvm_convergent(emit, "elect.sync", pair_type(emit), &mask, 1));
}

/* barrier.red.popc.u32 d, id, [count,] p; count 0 is the whole block. The
 * predicate may be negated. */
static void emit_barrier_red(struct ptx_emit *emit, const struct ptx_row *row)
{
	bool counted = emit->at->n_operands == 4, popc = ptx_is(emit, "popc");
	LLVMValueRef args[3] = {ptx_source(emit, 1, PTX_B32),
				counted ? ptx_source(emit, 2, PTX_B32) : ptx_int(emit, 32, 0),
				ptx_source(emit, counted ? 3 : 2, PTX_PRED)};
	LLVMValueRef value;
	const char *name = popc                  ? "barrier.red.popc"
			   : ptx_is(emit, "and") ? "barrier.red.and"
						 : "barrier.red.or";

	(void)row;
	args[2] = LLVMBuildZExt(emit->builder, args[2], ptx_int_type(emit, 32), "");
	value = ptx_nvvm_convergent(emit, name, ptx_int_type(emit, 32), args, 3);
	if (popc)
		ptx_dest(emit, 0, PTX_U32, value);
	else
		ptx_dest(emit, 0, PTX_PRED,
			 LLVMBuildICmp(emit->builder, LLVMIntNE, value, ptx_int(emit, 32, 0), ""));
}

#define MEET(opcode, modifiers, types, operands, function)                                         \
	{opcode, modifiers, types, operands, ptx_emit_call_convergent, function, 0}

const struct ptx_row ptx_rows_sync[] = {
	MEET("bar", "cta? sync", "", "w", "barrier.n"),
	MEET("bar", "cta? sync", "", "ww", "barrier"),
	MEET("bar", "cta? arrive", "", "ww", "barrier.arrive"),
	MEET("bar", "warp sync", "", "w", "bar.warp.sync"),
	{"bar", "cta? red popc", "u32", "s:wx?p", emit_barrier_red, NULL, 0},
	{"bar", "cta? red and|or", "pred", "s:wx?p", emit_barrier_red, NULL, 0},
	MEET("barrier", "cta? sync aligned?", "", "w", "barrier.sync"),
	MEET("barrier", "cta? sync aligned?", "", "ww", "barrier.sync.cnt"),
	MEET("barrier", "cta? arrive aligned?", "", "ww", "barrier.arrive"),
	{"barrier", "cta? red popc aligned?", "u32", "s:wx?p", emit_barrier_red, NULL, 0},
	{"barrier", "cta? red and|or aligned?", "pred", "s:wx?p", emit_barrier_red, NULL, 0},
	MEET("barrier", "cluster arrive release? aligned?", "", "", "barrier.cluster.arrive"),
	MEET("barrier", "cluster arrive relaxed aligned?", "", "",
	     "barrier.cluster.arrive.relaxed"),
	MEET("barrier", "cluster wait acquire? aligned?", "", "", "barrier.cluster.wait"),
	{"shfl", "sync up|down|bfly|idx", "b32", "s:wwww", emit_shfl, NULL, 0},
	{"vote", "sync all|any|uni", "pred", "p:pw", emit_vote, NULL, 0},
	{"vote", "sync ballot", "b32", "w:pw", emit_vote, NULL, 0},
	{"match", "any|all sync", "b32|b64", "w:sw", emit_match, NULL, 0},
	{"redux", "sync add|min|max", "u32|s32", "s:sw", emit_redux, NULL, 0},
	{"redux", "sync and|or|xor", "b32", "s:sw", emit_redux, NULL, 0},
	{"elect", "sync", "", "w:w", emit_elect, NULL, 0},
	MEET("activemask", "", "b32", "w:", "activemask"),
	{"nanosleep", "", "u32", "s", ptx_emit_call, "nanosleep", 0},
	{"griddepcontrol", "launch_dependents|wait", "", "", ptx_emit_nothing, NULL, 0},
	{"setmaxnreg", "inc|dec sync aligned", "u32", "s", ptx_emit_nothing, NULL, 0},
	{0},
};
