/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_async.c - asynchronous copies, mbarriers and clusters' shared memory.
 *
 * A copy is done on the spot: a program cannot tell it from one that was quick,
 * and the groups that it would wait for are empty. What such a copy signals at
 * an mbarrier it signals at once. mbarriers live in builtins/mbarrier.c. */
#include <stdio.h>
#include <string.h>

#include "llvm_functions.h"
#include "ptx_memory.h"

enum { BULK_ALIGN = 16 };

static LLVMTypeRef void_type(const struct ptx_emit *emit)
{
	return LLVMVoidTypeInContext(emit->context);
}

/* Address operand i as a generic pointer, whatever space it is given in. */
static LLVMValueRef generic(struct ptx_emit *emit, uint32_t i, unsigned space)
{
	LLVMValueRef address = ptx_address(emit, ptx_operand(emit, i), space);

	return LLVMBuildAddrSpaceCast(emit->builder, address,
				      LLVMPointerTypeInContext(emit->context, 0), "");
}

/* A copy whose addresses are multiples of `align`. */
static void copy(struct ptx_emit *emit, LLVMValueRef to, LLVMValueRef from, LLVMValueRef bytes,
		 unsigned align)
{
	LLVMBuildMemCpy(emit->builder, to, align, from, align, bytes);
}

/* cp.async.ca.shared.global [to], [from], size {, source size | ignore source}:
 * what the source does not fill is zero. */
static void emit_cp_async(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef to = generic(emit, 0, 3), from = generic(emit, 1, 1);
	LLVMValueRef size = ptx_source(emit, 2, PTX_U64), used = size, rest;
	/* Behind them stands the policy, if there is a hint. */
	bool has_last = emit->at->n_operands > 3 + (ptx_is(emit, "L2::cache_hint") ? 1 : 0);
	const struct ptx_operand *last = has_last ? ptx_operand(emit, 3) : NULL;

	if (row->data) {
		LLVMValueRef ignore = ptx_read(emit, last, PTX_PRED);

		used = LLVMBuildSelect(emit->builder, ignore, ptx_int(emit, 64, 0), size, "");
	} else if (last) {
		LLVMValueRef args[2] = {ptx_read(emit, last, PTX_U64), size};

		used = ptx_intrinsic(emit, "llvm.umin", LLVMTypeOf(size), args, 2);
	}
	/* 4, 8 or 16 bytes. A part is taken in smaller pieces. */
	if (used == size) {
		bool known = LLVMIsAConstantInt(size) && LLVMConstIntGetZExtValue(size) <= 16;
		copy(emit, to, from, size, known ? (unsigned)LLVMConstIntGetZExtValue(size) : 1);
		return;
	}
	copy(emit, to, from, used, 1);
	rest = LLVMBuildGEP2(emit->builder, ptx_int_type(emit, 8), to, &used, 1, "");
	LLVMBuildMemSet(emit->builder, rest, ptx_int(emit, 8, 0),
			LLVMBuildSub(emit->builder, size, used, ""), 1);
}

/* Which form: the fourth operand's register tells a predicate from a size. */
static void emit_cp_async_form(struct ptx_emit *emit, const struct ptx_row *row)
{
	struct ptx_row form = *row;
	const struct ptx_operand *last = ptx_operand(emit, 3);

	form.data = last && ptx_operand_type(emit, last) == PTX_PRED;
	emit_cp_async(emit, &form);
}

/* name(barrier, number) for an effect. */
static void barrier_call(struct ptx_emit *emit, const char *name, LLVMValueRef barrier,
			 LLVMValueRef number)
{
	LLVMValueRef args[2] = {barrier, number};

	ptx_nvvm(emit, name, void_type(emit), args, 2);
}

/* cp.async.bulk.dst.src.mbarrier::complete_tx::bytes [to], [from], size, [bar];
 * row->data: the spaces of to (high digit) and from (low digit). */
static void emit_bulk(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef size = ptx_source(emit, 2, PTX_U32);
	LLVMValueRef to = generic(emit, 0, row->data / 10), from = generic(emit, 1, row->data % 10);

	copy(emit, ptx_aligned(emit, to, BULK_ALIGN), ptx_aligned(emit, from, BULK_ALIGN),
	     LLVMBuildZExt(emit->builder, size, ptx_int_type(emit, 64), ""), 1);
	if (ptx_is(emit, "mbarrier::complete_tx::bytes"))
		barrier_call(emit, "mbarrier.complete.tx", generic(emit, 3, 3), size);
}

/* cp.reduce.async.bulk.dst.src...op.type [to], [from], size {, [bar]}: an update
 * for each element; row->data as above. */
static void emit_bulk_reduce(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type type = emit->match.types[0];
	LLVMTypeRef index_type = ptx_int_type(emit, 32), element = ptx_llvm_type(emit, type);
	LLVMValueRef size = ptx_source(emit, 2, PTX_U32), i, next, old = ptx_int(emit, 32, 0);
	LLVMValueRef to = generic(emit, 0, row->data / 10), from = generic(emit, 1, row->data % 10);
	to = ptx_aligned(emit, to, BULK_ALIGN);
	from = ptx_aligned(emit, from, BULK_ALIGN);
	LLVMBasicBlockRef before = LLVMGetInsertBlock(emit->builder);
	LLVMBasicBlockRef test = LLVMAppendBasicBlockInContext(emit->context, emit->function, "");
	LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(emit->context, emit->function, "");
	LLVMBasicBlockRef behind = LLVMAppendBasicBlockInContext(emit->context, emit->function, "");

	LLVMBuildBr(emit->builder, test);
	LLVMPositionBuilderAtEnd(emit->builder, test);
	i = LLVMBuildPhi(emit->builder, index_type, "");
	LLVMAddIncoming(i, &old, &before, 1);
	LLVMBuildCondBr(emit->builder, LLVMBuildICmp(emit->builder, LLVMIntULT, i, size, ""), body,
			behind);
	LLVMPositionBuilderAtEnd(emit->builder, body);
	old = LLVMBuildGEP2(emit->builder, ptx_int_type(emit, 8), from, &i, 1, "");
	old = LLVMBuildLoad2(emit->builder, element, old, "");
	ptx_atomic_update(emit, LLVMBuildGEP2(emit->builder, ptx_int_type(emit, 8), to, &i, 1, ""),
			  type, old);
	next = LLVMBuildAdd(emit->builder, i, ptx_int(emit, 32, ptx_bits(type) / 8), "");
	body = LLVMGetInsertBlock(emit->builder);
	LLVMAddIncoming(i, &next, &body, 1);
	LLVMBuildBr(emit->builder, test);
	LLVMPositionBuilderAtEnd(emit->builder, behind);
	if (ptx_is(emit, "mbarrier::complete_tx::bytes"))
		barrier_call(emit, "mbarrier.complete.tx", generic(emit, 3, 3), size);
}

/* st.async [to], value, [bar]: stores and signals the bytes. */
static void emit_st_async(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type type = emit->match.types[0], raw = ptx_type_of_bits(ptx_bits(type));
	unsigned n = ptx_is(emit, "v4") ? 4 : ptx_is(emit, "v2") ? 2 : 1;
	const struct ptx_operand *from = ptx_operand(emit, 1);
	unsigned space = ptx_space(emit);
	LLVMValueRef to = generic(emit, 0, space);

	(void)row;
	if ((n > 1) != (from->kind == PTX_VECTOR) || (n > 1 && from->n_parts != n)) {
		ptx_unsupported(emit);
		return;
	}
	to = ptx_aligned(emit, to, n * ptx_bits(type) / 8);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef value = ptx_read(emit, n > 1 ? &from->parts[i] : from, raw);
		LLVMValueRef index = ptx_int(emit, 64, i);

		LLVMBuildStore(emit->builder, value,
			       LLVMBuildGEP2(emit->builder, LLVMTypeOf(value), to, &index, 1, ""));
	}
	barrier_call(emit, "mbarrier.complete.tx", generic(emit, 2, space),
		     ptx_int(emit, 32, n * ptx_bits(type) / 8));
}

/* red.async [to], value, [bar]: an update that signals its bytes. */
static void emit_red_async(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type type = emit->match.types[0];
	LLVMValueRef update = LLVMBuildAtomicRMW(
		emit->builder, ptx_atomic_operation(emit, type), generic(emit, 0, ptx_space(emit)),
		ptx_source(emit, 1, type), LLVMAtomicOrderingMonotonic, false);

	(void)row;
	instruction_set_sync_scope(update, "cluster");
	barrier_call(emit, "mbarrier.complete.tx", generic(emit, 2, ptx_space(emit)),
		     ptx_int(emit, 32, ptx_bits(type) / 8));
}

/* ---- mbarriers ----------------------------------------------------------- */

/* mbarrier.init [bar], count; .inval [bar]; .expect_tx and .complete_tx [bar],
 * bytes. row->function: the builtin. */
static void emit_mbarrier_effect(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef bar = generic(emit, 0, ptx_space(emit));

	if (emit->at->n_operands == 2)
		barrier_call(emit, row->function, bar, ptx_source(emit, 1, PTX_B32));
	else
		ptx_nvvm(emit, row->function, void_type(emit), &bar, 1);
}

/* mbarrier.arrive state, [bar] {, count}. With .expect_tx the number is bytes. */
static void emit_arrive(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef bar = generic(emit, 1, ptx_space(emit));
	LLVMValueRef number = ptx_operand(emit, 2) ? ptx_source(emit, 2, PTX_B32)
						   : ptx_int(emit, 32, 1);
	LLVMValueRef args[3] = {bar, number, ptx_int(emit, 1, ptx_is(emit, "arrive_drop"))};

	(void)row;
	if (ptx_is(emit, "expect_tx")) {
		barrier_call(emit, "mbarrier.expect.tx", bar, number);
		args[1] = ptx_int(emit, 32, 1);
	}
	ptx_dest(emit, 0, PTX_B64,
		 ptx_nvvm(emit, "mbarrier.arrive.drop.count", ptx_int_type(emit, 64), args, 3));
}

/* mbarrier.test_wait p, [bar], state; .parity: the number is a phase's parity.
 * try_wait may let others run before it answers. */
static void emit_wait(struct ptx_emit *emit, const struct ptx_row *row)
{
	bool parity = ptx_is(emit, "parity");
	LLVMValueRef args[2] = {generic(emit, 1, ptx_space(emit)),
				ptx_source(emit, 2, parity ? PTX_B32 : PTX_B64)};
	char name[40];

	(void)row;
	snprintf(name, sizeof(name), "mbarrier.%s.%s",
		 ptx_is(emit, "try_wait") ? "try.wait" : "test.wait", parity ? "parity" : "state");
	ptx_dest(emit, 0, PTX_PRED, ptx_nvvm(emit, name, ptx_int_type(emit, 1), args, 2));
}

/* cp.async.mbarrier.arrive [bar]: the copies are done. With .noinc that is an
 * arrival that the barrier was set up for; without, it counts itself first. */
static void emit_copy_arrive(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef args[3] = {generic(emit, 0, ptx_space(emit)), ptx_int(emit, 32, 1),
				ptx_int(emit, 1, 0)};

	(void)row;
	if (ptx_is(emit, "noinc"))
		ptx_nvvm(emit, "mbarrier.arrive.drop.count", ptx_int_type(emit, 64), args, 3);
}

/* ---- clusters ------------------------------------------------------------ */

/* A pointer from operand i: a shared address or a generic one. */
static LLVMValueRef cluster_pointer(struct ptx_emit *emit, uint32_t i, bool is_shared)
{
	LLVMValueRef number = ptx_source(emit, i, is_shared ? PTX_S64 : PTX_U64);
	LLVMValueRef pointer =
		LLVMBuildIntToPtr(emit->builder, number,
				  LLVMPointerTypeInContext(emit->context, is_shared ? 3 : 0), "");

	return LLVMBuildAddrSpaceCast(emit->builder, pointer,
				      LLVMPointerTypeInContext(emit->context, 0), "");
}

/* mapa{.shared::cluster}.type d, a, rank */
static void emit_mapa(struct ptx_emit *emit, const struct ptx_row *row)
{
	bool is_shared = ptx_is(emit, "shared::cluster");
	LLVMTypeRef pointer = LLVMPointerTypeInContext(emit->context, 0);
	LLVMValueRef args[2] = {cluster_pointer(emit, 1, is_shared), ptx_source(emit, 2, PTX_B32)};
	LLVMValueRef value = ptx_nvvm(emit, "mapa", pointer, args, 2);

	(void)row;
	if (is_shared)
		value = LLVMBuildAddrSpaceCast(emit->builder, value,
					       LLVMPointerTypeInContext(emit->context, 3), "");
	value = LLVMBuildPtrToInt(emit->builder, value, ptx_int_type(emit, 64), "");
	ptx_dest(emit, 0, PTX_B64, value);
}

/* getctarank{.shared::cluster}.type d, a: always 32 bits. */
static void emit_getctarank(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef pointer = cluster_pointer(emit, 1, ptx_is(emit, "shared::cluster"));

	(void)row;
	ptx_dest(emit, 0, PTX_B32,
		 ptx_nvvm(emit, "getctarank", ptx_int_type(emit, 32), &pointer, 1));
}

/* A cache policy is a number that only cache hints read. */
static void emit_policy(struct ptx_emit *emit, const struct ptx_row *row)
{
	(void)row;
	ptx_dest(emit, 0, PTX_B64, ptx_int(emit, 64, 0));
}

#define SPACE " shared|shared::cta|shared::cluster?"
#define ORDER " relaxed|acquire|release? cta|cluster?"
#define NOTHING(opcode, modifiers, operands)                                                       \
	{opcode, modifiers, "", operands, ptx_emit_nothing, NULL, 0}
#define BULK "async bulk L2::cache_hint? "
#define COMPLETE "mbarrier::complete_tx::bytes "
#define BULK_REDUCE(ops, shared_types, global_types)                                               \
	{"cp",                                                                                     \
	 "reduce " BULK COMPLETE "shared::cluster shared::cta " ops,                               \
	 shared_types,                                                                             \
	 "aawal?",                                                                                 \
	 emit_bulk_reduce,                                                                         \
	 NULL,                                                                                     \
	 33},                                                                                      \
		{"cp",                                                                             \
		 "reduce " BULK "bulk_group global shared::cta " ops,                              \
		 global_types,                                                                     \
		 "aawl?",                                                                          \
		 emit_bulk_reduce,                                                                 \
		 NULL,                                                                             \
		 13}

const struct ptx_row ptx_rows_async[] = {
	{"cp", "async ca|cg shared|shared::cta global L2::cache_hint? L2::64B|L2::128B|L2::256B?",
	 "", "aawx?l", emit_cp_async_form, NULL, 0},
	NOTHING("cp", "async commit_group", ""),
	NOTHING("cp", "async wait_group", "w"),
	NOTHING("cp", "async wait_all", ""),
	{"cp", "async mbarrier::arrive|mbarrier? arrive noinc?" SPACE, "b64", "a", emit_copy_arrive,
	 NULL, 0},
	{"cp", BULK COMPLETE "shared::cluster|shared::cta global", "", "aawal?", emit_bulk, NULL,
	 31},
	{"cp", BULK COMPLETE "shared::cluster shared::cta", "", "aawal?", emit_bulk, NULL, 33},
	{"cp", BULK "bulk_group global shared::cta", "", "aawl?", emit_bulk, NULL, 13},
	NOTHING("cp", "async bulk commit_group", ""),
	NOTHING("cp", "async bulk wait_group read?", "w"),
	NOTHING("cp", "async bulk prefetch L2 global", "aw"),
	BULK_REDUCE("and|or|xor", "b32", "b32|b64"),
	BULK_REDUCE("add", "u32|s32|u64", "u32|s32|u64|f32|f64"),
	BULK_REDUCE("inc|dec", "u32", "u32"),
	BULK_REDUCE("min|max", "u32|s32", "u32|s32|u64|s64|f16|bf16"),
	{"cp", "reduce " BULK "bulk_group global shared::cta add noftz", "f16|bf16", "aawl?",
	 emit_bulk_reduce, NULL, 13},
	{"st", "async weak? shared::cluster? " COMPLETE, "b32|b64|u32|u64|s32|s64|f32|f64", "axa",
	 emit_st_async, NULL, 0},
	{"st", "async weak? shared::cluster? " COMPLETE "v2", "b32|b64|u32|u64|s32|s64|f32|f64",
	 "axa", emit_st_async, NULL, 0},
	{"st", "async weak? shared::cluster? " COMPLETE "v4", "b32|u32|s32|f32", "axa",
	 emit_st_async, NULL, 0},
	{"red", "async relaxed cluster shared::cluster? " COMPLETE "inc|dec|min|max|add", "u32",
	 "axa", emit_red_async, NULL, 0},
	{"red", "async relaxed cluster shared::cluster? " COMPLETE "min|max|add", "s32", "axa",
	 emit_red_async, NULL, 0},
	{"red", "async relaxed cluster shared::cluster? " COMPLETE "and|or|xor", "b32", "axa",
	 emit_red_async, NULL, 0},
	{"red", "async relaxed cluster shared::cluster? " COMPLETE "add", "u64", "axa",
	 emit_red_async, NULL, 0},
	{"mbarrier", "init" SPACE, "b64", "aw", emit_mbarrier_effect, "mbarrier.set", 0},
	{"mbarrier", "inval" SPACE, "b64", "a", emit_mbarrier_effect, "mbarrier.clear", 0},
	{"mbarrier", "expect_tx" SPACE, "b64", "aw", emit_mbarrier_effect, "mbarrier.expect.tx", 0},
	{"mbarrier",
	 "expect_tx"
	 " relaxed cta|cluster" SPACE,
	 "b64", "aw", emit_mbarrier_effect, "mbarrier.expect.tx", 0},
	{"mbarrier", "complete_tx" SPACE, "b64", "aw", emit_mbarrier_effect, "mbarrier.complete.tx",
	 0},
	{"mbarrier",
	 "complete_tx"
	 " relaxed cta|cluster" SPACE,
	 "b64", "aw", emit_mbarrier_effect, "mbarrier.complete.tx", 0},
	{"mbarrier", "arrive|arrive_drop noComplete?" ORDER SPACE, "b64", "l:aw?", emit_arrive,
	 NULL, 0},
	{"mbarrier", "arrive|arrive_drop expect_tx" ORDER SPACE, "b64", "l:aw", emit_arrive, NULL,
	 0},
	{"mbarrier", "pending_count", "b64", "w:l", ptx_emit_call, "mbarrier.pending", 0},
	{"mbarrier", "test_wait parity?" ORDER SPACE, "b64", "p:ax", emit_wait, NULL, 0},
	{"mbarrier", "try_wait parity?" ORDER SPACE, "b64", "p:axw?", emit_wait, NULL, 0},
	{"mapa", "shared::cluster?", "u32|u64", "s:sw", emit_mapa, NULL, 0},
	{"getctarank", "shared::cluster?", "u32|u64", "w:s", emit_getctarank, NULL, 0},
	{"createpolicy",
	 "range global? L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged", "b64",
	 "l:axx", emit_policy, NULL, 0},
	{"createpolicy",
	 "range global? L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged L2::evict_first|L2::evict_unchanged",
	 "b64", "l:axx", emit_policy, NULL, 0},
	{"createpolicy",
	 "fractional L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged", "b64",
	 "l:x?", emit_policy, NULL, 0},
	{"createpolicy",
	 "fractional L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged L2::evict_first|L2::evict_unchanged",
	 "b64", "l:x?", emit_policy, NULL, 0},
	{"createpolicy", "cvt L2", "b64", "l:x", emit_policy, NULL, 0},
	{0},
};
