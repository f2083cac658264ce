/* SPDX-License-Identifier: Apache-2.0 */
/* warp_ops.c - see warp_ops.h.
 *
 * Source: PTX ISA 9.0, shfl.sync, vote.sync, redux.sync, elect.sync; the same rules as
 * sim/execution/warp.c, for 32 lanes that have all arrived, with masks of which each names
 * an aligned power of two of lanes: all of them, or the tiles of cooperative groups. A
 * shuffle with constant offsets is a constant permutation; votes are a comparison and the
 * bits of its result. */
#include "warp_ops.h"

#include <stdio.h>
#include <string.h>

#include "llvm_functions.h"
#include "shuffle_lane.h"

enum { LANES = CUDASIM_WARP_SIZE };

/* A warp, and those of its lanes that have met: all, where bits (i32) and lanes (<32 x i1>) are NULL. */
struct part {
	LLVMValueRef frame, bits, lanes;
};

static bool is_constant(const struct region_value *v)
{
	return !v->size;
}

/* The argument that is the mask; -1: there is none. */
static int mask_argument(uint32_t kind)
{
	switch (kind) {
	case CUDASIM_REGION_SHFL:
	case CUDASIM_REGION_VOTE:
	case CUDASIM_REGION_REDUX:
		return 1;
	case CUDASIM_REGION_SYNCWARP:
	case CUDASIM_REGION_MATCH_ANY:
	case CUDASIM_REGION_MATCH_ALL:
	case CUDASIM_REGION_ELECT:
		return 0;
	default:
		return -1;
	}
}

/* The mask is known to name all lanes. */
static bool is_full(const struct region_op *op)
{
	int mask = mask_argument(op->kind);
	return mask < 0 || is_constant(&op->arg[mask]);
}

/* One that build() makes. */
static bool has_vectors(const struct region_op *op)
{
	switch (op->kind) {
	case CUDASIM_REGION_SHFL:
	case CUDASIM_REGION_VOTE:
	case CUDASIM_REGION_REDUX:
		return is_constant(&op->arg[0]);
	case CUDASIM_REGION_SYNCWARP:
	case CUDASIM_REGION_ELECT:
	case CUDASIM_REGION_MMA:
	case CUDASIM_REGION_ACTIVEMASK:
	case CUDASIM_REGION_CONVERGE:
		return true;
	case CUDASIM_REGION_MBARRIER:
	case CUDASIM_REGION_MBARRIER_ARRIVE:
		return !is_constant(&op->arg[0]);
	default:
		return false;
	}
}

bool warp_op_is_known(const struct region_op *op)
{
	int mask = mask_argument(op->kind);
	if (mask >= 0 && is_constant(&op->arg[mask]) &&
	    (uint32_t)op->arg[mask].constant != UINT32_MAX)
		return false;
	return has_vectors(op);
}

/* ---- vectors ------------------------------------------------------------------- */

static LLVMTypeRef words(struct loop_nest *m)
{
	return LLVMVectorType(m->i32, LANES);
}

static LLVMValueRef constants(struct loop_nest *m, const uint32_t lanes[LANES])
{
	LLVMValueRef values[LANES];
	for (unsigned i = 0; i < LANES; i++)
		values[i] = nest_number(m, lanes[i]);
	return LLVMConstVector(values, LANES);
}

static LLVMValueRef splat_number(struct loop_nest *m, uint32_t number)
{
	uint32_t lanes[LANES];
	for (unsigned i = 0; i < LANES; i++)
		lanes[i] = number;
	return constants(m, lanes);
}

static LLVMValueRef splat(struct loop_nest *m, LLVMValueRef word)
{
	LLVMValueRef v = LLVMBuildInsertElement(m->builder, LLVMGetPoison(words(m)), word,
						nest_number(m, 0), "");
	return LLVMBuildShuffleVector(m->builder, v, v, splat_number(m, 0), "");
}

static LLVMValueRef array(struct loop_nest *m, const struct part *part, uint32_t offset)
{
	return nest_at(m, part->frame, (size_t)offset * LANES);
}

static LLVMValueRef load(struct loop_nest *m, const struct part *part, const struct region_value *v)
{
	if (is_constant(v))
		return splat_number(m, (uint32_t)v->constant);
	LLVMValueRef all = LLVMBuildLoad2(m->builder, words(m), array(m, part, v->offset), "");
	LLVMSetAlignment(all, 64);
	return all;
}

static void store(struct loop_nest *m, const struct part *part, uint32_t offset, LLVMValueRef all)
{
	if (offset == UINT32_MAX)
		return;
	if (part->lanes) { /* the others' values are not this operation's */
		struct region_value there = {.offset = offset, .size = 4};
		all = LLVMBuildSelect(m->builder, part->lanes, all, load(m, part, &there), "");
	}
	LLVMSetAlignment(LLVMBuildStore(m->builder, all, array(m, part, offset)), 64);
}

static LLVMValueRef reduce(struct loop_nest *m, const char *how, LLVMValueRef all)
{
	char name[64];
	snprintf(name, sizeof(name), "llvm.vector.reduce.%s", how);
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	LLVMTypeRef type = words(m);
	LLVMValueRef f = LLVMGetIntrinsicDeclaration(m->dm->module, id, &type, 1);
	return LLVMBuildCall2(m->builder, LLVMGlobalGetValueType(f), f, &all, 1, "");
}

static LLVMValueRef is_equal(struct loop_nest *m, LLVMValueRef value, uint32_t number)
{
	return LLVMBuildICmp(m->builder, LLVMIntEQ, value, nest_number(m, number), "");
}

static LLVMValueRef widen(struct loop_nest *m, LLVMValueRef bits)
{
	return LLVMBuildZExt(m->builder, bits, words(m), "");
}

/* ---- masks ----------------------------------------------------------------------- */

/* What each lane's mask names of the lanes that have met. */
static LLVMValueRef mask_of(struct loop_nest *m, const struct part *part,
			    const struct region_op *op)
{
	if (part->bits)
		return splat(m, part->bits);
	return load(m, part, &op->arg[mask_argument(op->kind)]);
}

/* Each lane's mask, were the warp cut into tiles of 1, 2, 4, ... lanes, one after the
 * other: a <32 x i32> each. */
static LLVMValueRef tile_table(struct loop_nest *m)
{
	static const char name[] = "__cudasim_loop_tiles";
	enum { SIZES = 6 };
	LLVMValueRef table = LLVMGetNamedGlobal(m->dm->module, name), rows[SIZES];
	if (table)
		return table;
	for (unsigned k = 0; k < SIZES; k++) {
		uint32_t masks[LANES], tile = k == 5 ? UINT32_MAX : (1u << (1u << k)) - 1;
		for (unsigned i = 0; i < LANES; i++)
			masks[i] = tile << (i >> k << k);
		rows[k] = constants(m, masks);
	}
	LLVMValueRef all = LLVMConstArray2(words(m), rows, SIZES);
	table = LLVMAddGlobal(m->dm->module, LLVMTypeOf(all), name);
	LLVMSetInitializer(table, all);
	LLVMSetGlobalConstant(table, 1);
	LLVMSetLinkage(table, LLVMPrivateLinkage);
	return table;
}

static LLVMValueRef count_bits(struct loop_nest *m, const char *name, LLVMValueRef value,
			       bool zero_is_poison)
{
	LLVMTypeRef type = LLVMTypeOf(value), bit = LLVMInt1TypeInContext(m->dm->context);
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	LLVMValueRef f = LLVMGetIntrinsicDeclaration(m->dm->module, id, &type, 1);
	LLVMValueRef args[] = {value, LLVMConstInt(bit, 0, 0)};
	return LLVMBuildCall2(m->builder, LLVMGlobalGetValueType(f), f, args,
			      zero_is_poison ? 2 : 1, "");
}

/* The masks are those of tiles as large as the first lane's. */
static LLVMValueRef are_tiles(struct loop_nest *m, LLVMValueRef masks)
{
	LLVMBuilderRef b = m->builder;
	LLVMValueRef first = LLVMBuildExtractElement(b, masks, nest_number(m, 0), "");
	LLVMValueRef size = count_bits(m, "llvm.ctpop", first, false);
	/* log2 of the size; of any other number, a row that does not fit */
	LLVMValueRef row = LLVMBuildAnd(b, count_bits(m, "llvm.cttz", size, true),
					nest_number(m, 7), "");
	LLVMValueRef most = nest_number(m, 5);
	row = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntULT, row, most, ""), row, most, "");
	LLVMValueRef at = LLVMBuildInBoundsGEP2(b, words(m), tile_table(m), &row, 1, "");
	LLVMValueRef tiles = LLVMBuildLoad2(b, words(m), at, "");
	LLVMSetAlignment(tiles, 128);
	LLVMValueRef differ = LLVMBuildICmp(b, LLVMIntNE, masks, tiles, "");
	return is_equal(m, LLVMBuildBitCast(b, differ, m->i32, ""), 0);
}

/* ---- shuffles ------------------------------------------------------------------ */

/* What comes from lanes that the mask does not name is 0. */
static LLVMValueRef named(struct loop_nest *m, const struct part *part, const struct region_op *op,
			  LLVMValueRef from, LLVMValueRef values)
{
	if (!part->bits && is_full(op))
		return values;
	LLVMValueRef one = splat_number(m, 1);
	LLVMValueRef is = LLVMBuildLShr(m->builder, mask_of(m, part, op), from, "");
	is = LLVMBuildAnd(m->builder, is, one, "");
	return LLVMBuildAnd(m->builder, values, LLVMBuildNeg(m->builder, is, ""), "");
}

static void permute(struct loop_nest *m, const struct part *part, const struct region_op *op)
{
	uint32_t from[LANES], inside[LANES];
	LLVMValueRef values = load(m, part, &op->arg[2]);
	for (unsigned i = 0; i < LANES; i++) {
		bool in;
		from[i] = shuffle_lane((uint32_t)op->arg[0].constant, i,
				       (uint32_t)op->arg[3].constant, (uint32_t)op->arg[4].constant,
				       &in);
		inside[i] = in;
	}
	LLVMValueRef sources = constants(m, from);
	values = LLVMBuildShuffleVector(m->builder, values, values, sources, "");
	store(m, part, op->low, named(m, part, op, sources, values));
	store(m, part, op->high, constants(m, inside));
}

/* from <32 x i32>, of the array of values */
static LLVMValueRef gather(struct loop_nest *m, const struct part *part,
			   const struct region_value *value, LLVMValueRef from)
{
	LLVMValueRef at = LLVMBuildInBoundsGEP2(m->builder, m->i32, array(m, part, value->offset),
						&from, 1, "");
	return build_gather(m->builder, words(m), at, 4);
}

static void shuffle(struct loop_nest *m, const struct part *part, const struct region_op *op)
{
	LLVMBuilderRef b = m->builder;
	uint32_t mode = (uint32_t)op->arg[0].constant, lanes[LANES];
	if (is_constant(&op->arg[3]) && is_constant(&op->arg[4])) {
		permute(m, part, op);
		return;
	}
	for (unsigned i = 0; i < LANES; i++)
		lanes[i] = i;
	LLVMValueRef lane = constants(m, lanes), low = splat_number(m, 31);
	LLVMValueRef offset = LLVMBuildAnd(b, load(m, part, &op->arg[3]), low, "");
	LLVMValueRef c = load(m, part, &op->arg[4]), clamp = LLVMBuildAnd(b, c, low, "");
	LLVMValueRef segment = LLVMBuildAnd(b, LLVMBuildLShr(b, c, splat_number(m, 8), ""), low,
					    "");
	LLVMValueRef outside = LLVMBuildNot(b, segment, "");
	LLVMValueRef min = LLVMBuildAnd(b, lane, segment, "");
	LLVMValueRef max = LLVMBuildOr(b, min, LLVMBuildAnd(b, clamp, outside, ""), "");
	LLVMValueRef from = mode == CUDASIM_SHFL_UP     ? LLVMBuildSub(b, lane, offset, "")
			    : mode == CUDASIM_SHFL_DOWN ? LLVMBuildAdd(b, lane, offset, "")
			    : mode == CUDASIM_SHFL_BFLY
				    ? LLVMBuildXor(b, lane, offset, "")
				    : LLVMBuildOr(b, min, LLVMBuildAnd(b, offset, outside, ""), "");
	LLVMValueRef inside = LLVMBuildICmp(b, mode == CUDASIM_SHFL_UP ? LLVMIntSGE : LLVMIntSLE,
					    from, max, "");
	from = LLVMBuildSelect(b, inside, from, lane, "");
	if (op->low != UINT32_MAX) {
		LLVMValueRef values = is_constant(&op->arg[2]) ? load(m, part, &op->arg[2])
							       : gather(m, part, &op->arg[2], from);
		store(m, part, op->low, named(m, part, op, from, values));
	}
	store(m, part, op->high, widen(m, inside));
}

/* ---- the others ------------------------------------------------------------------- */

static void vote(struct loop_nest *m, const struct part *part, const struct region_op *op)
{
	LLVMBuilderRef b = m->builder;
	LLVMValueRef zero = splat_number(m, 0), mask = mask_of(m, part, op);
	LLVMValueRef is = LLVMBuildICmp(b, LLVMIntNE, load(m, part, &op->arg[2]), zero, "");
	LLVMValueRef bits = splat(m, LLVMBuildBitCast(b, is, m->i32, ""));
	LLVMValueRef ballot = LLVMBuildAnd(b, bits, mask, ""), result = ballot;
	LLVMValueRef all = LLVMBuildICmp(b, LLVMIntEQ, ballot, mask, "");
	LLVMValueRef any = LLVMBuildICmp(b, LLVMIntNE, ballot, zero, "");
	if (op->arg[0].constant == CUDASIM_VOTE_ALL)
		result = widen(m, all);
	else if (op->arg[0].constant == CUDASIM_VOTE_ANY)
		result = widen(m, any);
	else if (op->arg[0].constant == CUDASIM_VOTE_UNI)
		result = widen(m, LLVMBuildOr(b, all, LLVMBuildNot(b, any, ""), ""));
	store(m, part, op->low, result);
}

static void redux(struct loop_nest *m, const struct part *part, const struct region_op *op)
{
	static const char *const names[] = {
		[CUDASIM_REDUX_ADD] = "add",   [CUDASIM_REDUX_MIN] = "smin",
		[CUDASIM_REDUX_MAX] = "smax",  [CUDASIM_REDUX_UMIN] = "umin",
		[CUDASIM_REDUX_UMAX] = "umax", [CUDASIM_REDUX_AND] = "and",
		[CUDASIM_REDUX_OR] = "or",     [CUDASIM_REDUX_XOR] = "xor",
	};
	static const uint32_t neutral[] = {
		[CUDASIM_REDUX_MIN] = INT32_MAX,   [CUDASIM_REDUX_MAX] = (uint32_t)INT32_MIN,
		[CUDASIM_REDUX_UMIN] = UINT32_MAX, [CUDASIM_REDUX_AND] = UINT32_MAX,
		[CUDASIM_REDUX_XOR] = 0,
	};
	LLVMValueRef values = load(m, part, &op->arg[2]);
	uint64_t how = op->arg[0].constant;
	if (part->lanes)
		values = LLVMBuildSelect(m->builder, part->lanes, values,
					 splat_number(m, neutral[how]), "");
	store(m, part, op->low, splat(m, reduce(m, names[how], values)));
}

static void elect(struct loop_nest *m, const struct part *part, const struct region_op *op)
{
	uint32_t lanes[LANES];
	for (unsigned i = 0; i < LANES; i++)
		lanes[i] = i;
	LLVMValueRef first = count_bits(m, "llvm.cttz", mask_of(m, part, op), true);
	store(m, part, op->low, first);
	store(m, part, op->high,
	      widen(m, LLVMBuildICmp(m->builder, LLVMIntEQ, first, constants(m, lanes), "")));
}

static void multiply(struct loop_nest *m, const struct part *part, const struct region_op *op)
{
	LLVMValueRef args[] = {nest_number(m, (uint32_t)op->arg[0].constant),
			       array(m, part, op->arg[1].offset)};
	device_call_runtime(m->dm, m->builder, "__cudasim_mma_lanes", args, 2, NULL,
			    CUDASIM_SITE_OTHER);
}

/* All lanes of the vector have the first one's value. *ret: that. */
static LLVMValueRef are_equal(struct loop_nest *m, LLVMValueRef all, LLVMValueRef *ret)
{
	LLVMBuilderRef b = m->builder;
	LLVMTypeRef type = LLVMTypeOf(all);
	*ret = LLVMBuildExtractElement(b, all, nest_number(m, 0), "");
	LLVMValueRef first = LLVMBuildInsertElement(b, LLVMGetPoison(type), *ret, nest_number(m, 0),
						    "");
	first = LLVMBuildShuffleVector(b, first, first, splat_number(m, 0), "");
	LLVMValueRef differ = LLVMBuildICmp(b, LLVMIntNE, all, first, "");
	return is_equal(m, LLVMBuildBitCast(b, differ, m->i32, ""), 0);
}

/* Of lanes at an mbarrier: whether all are at the first one's with its argument; that; where it is; its
 * state. */
struct mbarrier {
	LLVMValueRef is_one, argument, at, state;
};

static struct mbarrier mbarrier_of(struct loop_nest *m, const struct part *part,
				   const struct region_op *op)
{
	LLVMBuilderRef b = m->builder;
	struct mbarrier ret;
	LLVMValueRef all = LLVMBuildLoad2(b, LLVMVectorType(m->i64, LANES),
					  array(m, part, op->arg[0].offset), "");
	LLVMSetAlignment(all, 64);
	LLVMValueRef same = are_equal(m, all, &ret.at);
	ret.is_one = LLVMBuildAnd(b, same, are_equal(m, load(m, part, &op->arg[1]), &ret.argument),
				  "");
	ret.at = LLVMBuildIntToPtr(b, ret.at, m->ptr, "");
	ret.state = LLVMBuildLoad2(b, m->i64, ret.at, "");
	LLVMSetAlignment(ret.state, 8);
	return ret;
}

static LLVMValueRef shifted(struct loop_nest *m, LLVMValueRef wide, unsigned bits)
{
	return LLVMBuildLShr(m->builder, wide, LLVMConstInt(m->i64, bits, 0), "");
}

static LLVMValueRef masked(struct loop_nest *m, LLVMValueRef wide, uint64_t mask)
{
	return LLVMBuildAnd(m->builder, wide, LLVMConstInt(m->i64, mask, 0), "");
}

/* All lanes wait for one phase, and it is over. */
static LLVMValueRef is_over(struct loop_nest *m, const struct part *part,
			    const struct region_op *op)
{
	LLVMBuilderRef b = m->builder;
	struct mbarrier bar = mbarrier_of(m, part, op);
	LLVMValueRef parity = shifted(m, bar.state, CUDASIM_MBARRIER_PARITY_BIT);
	LLVMValueRef how = LLVMBuildAnd(b, bar.argument, nest_number(m, 1), "");
	how = LLVMBuildZExt(b, how, m->i64, "");
	return LLVMBuildAnd(b, bar.is_one, LLVMBuildICmp(b, LLVMIntNE, parity, how, ""), "");
}

#define MBARRIER_COUNT ((1ull << CUDASIM_MBARRIER_COUNT_BITS) - 1)
#define MBARRIER_TX (((1ull << CUDASIM_MBARRIER_TX_BITS) - 1) << 2 * CUDASIM_MBARRIER_COUNT_BITS)

/* How often all lanes arrive together (i64). */
static LLVMValueRef arrivals(struct loop_nest *m, const struct mbarrier *bar)
{
	LLVMValueRef n = LLVMBuildZExt(m->builder, bar->argument, m->i64, "");
	return LLVMBuildMul(m->builder, n, LLVMConstInt(m->i64, LANES, 0), "");
}

/* All lanes arrive at one mbarrier equally often, and no phase ends before the last one has. */
static LLVMValueRef may_arrive(struct loop_nest *m, const struct part *part,
			       const struct region_op *op)
{
	struct mbarrier bar = mbarrier_of(m, part, op);
	LLVMValueRef pending = masked(m, bar.state, MBARRIER_COUNT);
	LLVMValueRef enough = LLVMBuildICmp(m->builder, LLVMIntUGE, pending, arrivals(m, &bar), "");
	return LLVMBuildAnd(m->builder, bar.is_one, enough, "");
}

/* Source: sim/loops/mbarrier.c. */
static void arrive(struct loop_nest *m, const struct part *part, const struct region_op *op)
{
	LLVMBuilderRef b = m->builder;
	struct mbarrier bar = mbarrier_of(m, part, op);
	LLVMBasicBlockRef ends = nest_block(m, "phase"), done = nest_block(m, "arrived");
	LLVMValueRef state = LLVMBuildSub(b, bar.state, arrivals(m, &bar), "");
	LLVMValueRef open = masked(m, state, MBARRIER_COUNT | MBARRIER_TX);
	uint32_t before[LANES];
	LLVMSetAlignment(LLVMBuildStore(b, state, bar.at), 8);
	for (unsigned i = 0; i < LANES; i++)
		before[i] = i;
	LLVMValueRef n = LLVMBuildMul(b, splat(m, bar.argument), constants(m, before), "");
	LLVMValueRef low = LLVMBuildTrunc(b, bar.state, m->i32, "");
	LLVMValueRef high = LLVMBuildTrunc(b, shifted(m, bar.state, 32), m->i32, "");
	store(m, part, op->low, LLVMBuildSub(b, splat(m, low), n, ""));
	store(m, part, op->high, splat(m, high));
	LLVMValueRef zero = LLVMConstInt(m->i64, 0, 0);
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, open, zero, ""), ends, done);
	LLVMPositionBuilderAtEnd(b, ends);
	LLVMValueRef parity = LLVMConstInt(m->i64, 1ull << CUDASIM_MBARRIER_PARITY_BIT, 0);
	LLVMValueRef next = masked(m, shifted(m, state, CUDASIM_MBARRIER_COUNT_BITS),
				   MBARRIER_COUNT);
	next = LLVMBuildOr(b, next, LLVMBuildXor(b, state, parity, ""), "");
	LLVMSetAlignment(LLVMBuildStore(b, next, bar.at), 8);
	device_call_runtime(m->dm, b, "__cudasim_mbarrier_wake", &bar.at, 1, NULL,
			    CUDASIM_SITE_OTHER);
	LLVMBuildBr(b, done);
	LLVMPositionBuilderAtEnd(b, done);
}

LLVMValueRef warp_op_fits(struct loop_nest *m, LLVMValueRef frame, const struct region_op *op)
{
	if (op->kind == CUDASIM_REGION_MBARRIER)
		return is_over(m, &(struct part){.frame = frame}, op);
	if (op->kind == CUDASIM_REGION_MBARRIER_ARRIVE)
		return may_arrive(m, &(struct part){.frame = frame}, op);
	if (is_full(op))
		return NULL;
	LLVMValueRef masks = mask_of(m, &(struct part){.frame = frame}, op);
	if (op->kind == CUDASIM_REGION_REDUX)
		return is_equal(m, reduce(m, "and", masks), UINT32_MAX);
	return are_tiles(m, masks);
}

static void build(struct loop_nest *m, const struct part *part, const struct region_op *op)
{
	switch (op->kind) {
	case CUDASIM_REGION_SHFL:
		shuffle(m, part, op);
		break;
	case CUDASIM_REGION_VOTE:
		vote(m, part, op);
		break;
	case CUDASIM_REGION_REDUX:
		redux(m, part, op);
		break;
	case CUDASIM_REGION_ELECT:
		elect(m, part, op);
		break;
	case CUDASIM_REGION_MMA:
		multiply(m, part, op);
		break;
	case CUDASIM_REGION_MBARRIER_ARRIVE:
		arrive(m, part, op);
		break;
	case CUDASIM_REGION_MBARRIER:
		store(m, part, op->low, splat_number(m, 1));
		break;
	case CUDASIM_REGION_ACTIVEMASK:
		store(m, part, op->low,
		      part->bits ? splat(m, part->bits) : splat_number(m, UINT32_MAX));
		break;
	default: /* the lanes have met, and that is all */
		break;
	}
}

void warp_op_build(struct loop_nest *m, LLVMValueRef frame, const struct region_op *op)
{
	build(m, &(struct part){.frame = frame}, op);
}

static bool have_one_mask(const struct region_op *a, const struct region_op *b)
{
	int i = mask_argument(a->kind), k = mask_argument(b->kind);
	if (i < 0 || k < 0)
		return false;
	const struct region_value *one = &a->arg[i], *other = &b->arg[k];
	return one->size == other->size &&
	       (one->size ? one->offset == other->offset : one->constant == other->constant);
}

bool warp_ops_may_be_partial(const struct kernel_region *region)
{
	bool may = region->n_ops > 0;
	for (unsigned i = 0; i < region->n_ops; i++)
		may &= has_vectors(&region->op[i]) && region->op[i].kind != CUDASIM_REGION_MMA &&
		       region->op[i].kind != CUDASIM_REGION_MBARRIER &&
		       region->op[i].kind != CUDASIM_REGION_MBARRIER_ARRIVE &&
		       (!i || have_one_mask(&region->op[0], &region->op[i]));
	return may;
}

void warp_ops_build_partial(struct loop_nest *m, LLVMValueRef frame,
			    const struct kernel_region *region, LLVMValueRef bits)
{
	LLVMTypeRef lanes = LLVMVectorType(LLVMInt1TypeInContext(m->dm->context), LANES);
	struct part part = {.frame = frame, .bits = bits};
	part.lanes = LLVMBuildBitCast(m->builder, bits, lanes, "");
	for (unsigned i = 0; i < region->n_ops; i++)
		build(m, &part, &region->op[i]);
}

void warp_ops_tell(struct loop_nest *m, const struct kernel_region *region, LLVMValueRef table,
		   LLVMValueRef frame, LLVMValueRef warp, unsigned k)
{
	bool any = false;
	for (unsigned i = 0; i < region->n_ops; i++)
		any |= region->op[i].kind != CUDASIM_REGION_CONVERGE &&
		       region->op[i].kind != CUDASIM_REGION_ACTIVEMASK;
	LLVMValueRef args[] = {table, m->values.real_block, frame, warp, nest_number(m, k)};
	LLVMValueRef f = device_runtime(m->dm, "__cudasim_on_loop_meet");
	if (any)
		LLVMBuildCall2(m->builder, LLVMGlobalGetValueType(f), f, args, 5, "");
}
