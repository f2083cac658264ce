/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_private.c - does a thread have a loop's accesses to itself?
 *
 * An address is a sum: a multiple of the thread's number, what is the same for all lanes and
 * rounds, and terms of which nothing is known but that they are multiples of a unit and how far
 * they vary. Two lanes of a warp never come to one address where each term is
 *   coarse: a multiple of 32 lanes' distance, or of blockDim.x of them, or
 *   fine: and all fine ones together vary by less than one lane's distance (rows of
 *   a[threadIdx.x][i], or of a[threadIdx.x * w + i] with i < w).
 * The distance is a constant, or one times a value that is the same for all.
 *
 * A block whose threadIdx.y has no part in an address is taken for one of whole warps in x. */
#include <stdlib.h>
#include <stddef.h>
#include <string.h>

#include <llvm-c/Target.h>

#include "cudasim/abi.h"
#include "warp_synchrony.h"
#include "synchrony_range.h"

enum { MAX_DEPTH = 24, MAX_NODES = 256, MAX_TERMS = 6, LANES = CUDASIM_WARP_SIZE };

/* factor * (value - start); value - start is a multiple of unit, or of unit * blockDim.x, and
 * varies by `most` at most (-1: not known). */
struct term {
	LLVMValueRef value, start; /* start: a value that does not change, or NULL for 0 */
	int64_t factor, unit, most;
	bool blocks;
};

struct sum {
	bool known;
	int64_t x, y, row;   /* factors of threadIdx.x, .y, and .y * blockDim.x */
	int64_t lane;        /* of the thread's number in its warp or block */
	int64_t stride;      /* of that number times `by` */
	LLVMValueRef by;
	bool fixed;          /* and something that is the same for all */
	unsigned n;
	struct term terms[MAX_TERMS];
};

struct work {
	struct synchrony_ranges *ranges;
	unsigned nodes;
};

static const struct sum unknown = {.known = false};
static const struct sum uniform = {.known = true, .fixed = true};

static int64_t gcd(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;
		a = b;
		b = rest;
	}
	return llabs(a);
}

static struct sum opaque(LLVMValueRef value)
{
	return (struct sum){.known = true,
			    .n = 1,
			    .terms = {{.value = value, .factor = 1, .unit = 1, .most = -1}}};
}

static bool has_thread(const struct sum *s)
{
	return s->x || s->y || s->row || s->lane || s->by;
}

static bool is_uniform(const struct sum *s)
{
	return s->known && !has_thread(s) && !s->n;
}

/* One for each neighbour in the warp, and nothing else? */
static bool is_number(const struct sum *s)
{
	return s->known && !s->n && !s->fixed && !s->by && !s->y && s->x + s->lane == 1 &&
	       !(s->x && s->lane) && (!s->row || s->row == s->x);
}

static struct sum plus(struct sum a, struct sum b)
{
	if (!a.known || !b.known || (a.by && b.by && a.by != b.by) || a.n + b.n > MAX_TERMS)
		return unknown;
	a.x += b.x;
	a.y += b.y;
	a.row += b.row;
	a.lane += b.lane;
	a.stride += b.stride;
	a.by = a.by ? a.by : b.by;
	a.fixed |= b.fixed;
	memcpy(a.terms + a.n, b.terms, b.n * sizeof *b.terms);
	a.n += b.n;
	return a;
}

static bool scale(int64_t *value, int64_t factor)
{
	const int64_t most = (int64_t)1 << 40;
	return !__builtin_mul_overflow(*value, factor, value) && llabs(*value) < most;
}

static struct sum times(struct sum a, int64_t factor)
{
	bool fits = a.known && scale(&a.x, factor) && scale(&a.y, factor) &&
		    scale(&a.row, factor) && scale(&a.lane, factor) && scale(&a.stride, factor);
	for (unsigned i = 0; i < a.n; i++)
		fits = fits && scale(&a.terms[i].factor, factor);
	a.fixed |= factor != 1;
	return fits ? a : unknown;
}

/* ---- what a thread knows --------------------------------------------------- */

LLVMValueRef synchrony_source_of(LLVMValueRef load, uint64_t *offset)
{
	LLVMValueRef from = LLVMGetOperand(load, 0);
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(
		LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(load))));
	*offset = 0;
	for (; LLVMIsAGetElementPtrInst(from); from = LLVMGetOperand(from, 0)) {
		LLVMValueRef index = LLVMGetOperand(from, 1);
		if (LLVMGetNumOperands(from) != 2 || !LLVMIsAConstantInt(index))
			return NULL;
		*offset += LLVMConstIntGetZExtValue(index) *
			   LLVMABISizeOfType(layout, LLVMGetGEPSourceElementType(from));
	}
	return from;
}

/* The word of the thread or its block that is loaded. */
static bool find_word(LLVMValueRef load, bool *of_block, uint64_t *offset)
{
	LLVMValueRef from = synchrony_source_of(load, offset);
	*of_block = from && LLVMIsALoadInst(from);
	return from != NULL;
}

static bool is_sreg(LLVMValueRef call, const char *wanted)
{
	size_t n;
	const char *name = LLVMGetValueName2(LLVMGetCalledValue(call), &n);
	return strstr(name, wanted) != NULL;
}

/* blockDim.x (axis 0) or .y (1), of any width? */
static bool is_block_dim(LLVMValueRef value, unsigned axis)
{
	bool of_block;
	uint64_t offset;
	while (LLVMIsAZExtInst(value) || LLVMIsASExtInst(value))
		value = LLVMGetOperand(value, 0);
	if (!LLVMIsAInstruction(value) || !synchrony_is_context(value))
		return false;
	if (LLVMIsACallInst(value))
		return is_sreg(value, axis ? "sreg_ntid_y" : "sreg_ntid_x");
	return LLVMIsALoadInst(value) && find_word(value, &of_block, &offset) && of_block &&
	       offset == offsetof(struct cudasim_block, ntid) + axis * sizeof(uint32_t);
}

static struct sum of_context(LLVMValueRef value)
{
	const struct sum x = {.known = true, .x = 1}, y = {.known = true, .y = 1},
			 lane = {.known = true, .lane = 1};
	const size_t tid = offsetof(struct cudasim_thread, tid), word = sizeof(uint32_t);
	bool of_block;
	uint64_t offset;
	if (LLVMIsACallInst(value)) {
		if (is_sreg(value, "sreg_tid_x"))
			return x;
		bool same = is_sreg(value, "sreg_ntid_") || is_sreg(value, "ctaid_");
		return same ? uniform : opaque(value);
	}
	if (!LLVMIsALoadInst(value) || !find_word(value, &of_block, &offset))
		return opaque(value);
	if (of_block)
		return uniform;
	if (offset == tid)
		return x;
	if (offset == tid + word)
		return y;
	if (offset == offsetof(struct cudasim_thread, lane) ||
	    offset == offsetof(struct cudasim_thread, linear))
		return lane;
	return offset == offsetof(struct cudasim_thread, warp) ? uniform : opaque(value);
}

enum synchrony_word synchrony_word_of(LLVMValueRef value, uint64_t *which)
{
	const size_t tid = offsetof(struct cudasim_thread, tid), word = sizeof(uint32_t);
	bool of_block;
	uint64_t offset;
	*which = (uint64_t)(uintptr_t)value;
	if (is_block_dim(value, 0))
		return SYNCHRONY_WIDTH;
	if (is_block_dim(value, 1))
		return SYNCHRONY_HEIGHT;
	if (LLVMIsACallInst(value)) {
		*which = (uint64_t)(uintptr_t)LLVMGetCalledValue(value);
		if (is_sreg(value, "sreg_tid_x"))
			return SYNCHRONY_X;
		if (is_sreg(value, "sreg_tid_y"))
			return SYNCHRONY_Y;
		if (is_sreg(value, "sreg_tid_z"))
			return SYNCHRONY_Z;
		return is_sreg(value, "sreg_ntid_") || is_sreg(value, "ctaid_") ? SYNCHRONY_SAME
										: SYNCHRONY_OTHER;
	}
	if (!LLVMIsALoadInst(value) || !find_word(value, &of_block, &offset))
		return SYNCHRONY_OTHER;
	*which = 2 * offset + of_block;
	if (of_block || offset == offsetof(struct cudasim_thread, warp))
		return SYNCHRONY_SAME;
	if (offset == tid)
		return SYNCHRONY_X;
	if (offset == tid + word)
		return SYNCHRONY_Y;
	if (offset == tid + 2 * word)
		return SYNCHRONY_Z;
	return offset == offsetof(struct cudasim_thread, lane) ||
			       offset == offsetof(struct cudasim_thread, linear)
		       ? SYNCHRONY_NUMBER
		       : SYNCHRONY_OTHER;
}

/* ---- sums ------------------------------------------------------------------ */

static struct sum of(struct work *w, LLVMValueRef value, unsigned depth);

static bool is_constant(LLVMValueRef value, int64_t *ret)
{
	if (!LLVMIsAConstantInt(value) || LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64)
		return false;
	*ret = LLVMConstIntGetSExtValue(value);
	return true;
}

static int64_t size_of(LLVMValueRef i, LLVMTypeRef type)
{
	LLVMModuleRef module =
		LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(i)));
	return (int64_t)LLVMABISizeOfType(LLVMGetModuleDataLayout(module), type);
}

/* By how much a loop's phi changes: next is phi + by, in bytes for an address. */
static bool find_step(LLVMValueRef phi, LLVMValueRef next, LLVMValueRef *by, int64_t *scale)
{
	*scale = 1;
	if (LLVMIsAGetElementPtrInst(next) && LLVMGetNumOperands(next) == 2) {
		*by = LLVMGetOperand(next, 1);
		*scale = size_of(next, LLVMGetGEPSourceElementType(next));
		return LLVMGetOperand(next, 0) == phi;
	}
	if (!LLVMIsAInstruction(next) || LLVMGetInstructionOpcode(next) != LLVMAdd)
		return false;
	bool first = LLVMGetOperand(next, 0) == phi;
	*by = LLVMGetOperand(next, first ? 1 : 0);
	return first || LLVMGetOperand(next, 1) == phi;
}

static struct sum of_phi(struct work *w, LLVMValueRef phi, unsigned depth)
{
	struct sum all = opaque(phi);
	struct term *term = &all.terms[0];
	for (unsigned k = 0; k < 2 && LLVMCountIncoming(phi) == 2; k++) {
		LLVMValueRef by;
		int64_t size;
		if (!find_step(phi, LLVMGetIncomingValue(phi, k), &by, &size))
			continue;
		if (!is_constant(by, &term->unit)) {
			if (!is_block_dim(by, 0))
				break;
			term->blocks = true;
		}
		if (!scale(&term->unit, size))
			return unknown;
		term->start = LLVMGetIncomingValue(phi, 1 - k);
		return plus(of(w, term->start, depth + 1), all);
	}
	return opaque(phi);
}

/* An index of an array of n elements, which C++ keeps below n. */
static struct sum within(struct sum s, LLVMValueRef index, uint64_t n)
{
	if (!s.known)
		s = opaque(index);
	if (has_thread(&s) || !s.n || !n)
		return s;
	struct sum all = opaque(index);
	all.terms[0].most = (int64_t)n - 1;
	all.terms[0].unit = 0;
	all.terms[0].blocks = s.terms[0].blocks;
	for (unsigned i = 0; i < s.n; i++) {
		int64_t unit = s.terms[i].factor;
		if (s.terms[i].blocks != s.terms[0].blocks || !scale(&unit, s.terms[i].unit)) {
			all.terms[0].blocks = false;
			all.terms[0].unit = 1;
			break;
		}
		all.terms[0].unit = gcd(all.terms[0].unit, unit);
	}
	return all;
}

static struct sum of_address(struct work *w, LLVMValueRef gep, unsigned depth)
{
	struct sum all = of(w, LLVMGetOperand(gep, 0), depth + 1);
	LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
	for (unsigned k = 1, n = (unsigned)LLVMGetNumOperands(gep); k < n; k++) {
		LLVMValueRef index = LLVMGetOperand(gep, k);
		if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			type = LLVMStructGetTypeAtIndex(type,
							(unsigned)LLVMConstIntGetZExtValue(index));
			continue;
		}
		struct sum part = of(w, index, depth + 1);
		if (k > 1) {
			if (LLVMGetTypeKind(type) != LLVMArrayTypeKind)
				return unknown;
			part = within(part, index, LLVMGetArrayLength2(type));
			type = LLVMGetElementType(type);
		}
		all = plus(all, times(part, size_of(gep, type)));
	}
	return all;
}

/* a * b, where b is the same for all. */
static struct sum by_uniform(struct sum a, LLVMValueRef b, LLVMValueRef product)
{
	bool is_thread = a.x || a.lane;
	if (is_uniform(&a))
		return uniform;
	if (!is_thread && !a.by && is_block_dim(b, 0) && !a.row) {
		a.row = a.y;
		a.y = 0;
		for (unsigned i = 0; i < a.n; i++) {
			if (a.terms[i].blocks)
				return opaque(product);
			a.terms[i].blocks = true;
		}
		return a;
	}
	if (!is_thread || a.n || a.y || a.by || (a.x && a.lane) || (a.row && a.row != a.x))
		return opaque(product);
	while (LLVMIsAZExtInst(b) || LLVMIsASExtInst(b))
		b = LLVMGetOperand(b, 0);
	return (struct sum){.known = true, .stride = a.x + a.lane, .by = b, .fixed = a.fixed};
}

static struct sum of_product(struct work *w, LLVMValueRef value, unsigned depth)
{
	LLVMValueRef a = LLVMGetOperand(value, 0), b = LLVMGetOperand(value, 1);
	int64_t factor;
	if (is_constant(b, &factor))
		return times(of(w, a, depth + 1), factor);
	if (is_constant(a, &factor))
		return times(of(w, b, depth + 1), factor);
	struct sum first = of(w, a, depth + 1), second = of(w, b, depth + 1);
	if (!first.known || !second.known)
		return opaque(value);
	if (is_uniform(&second))
		return by_uniform(first, b, value);
	return is_uniform(&first) ? by_uniform(second, a, value) : opaque(value);
}

/* Of the thread's number: threadIdx.x % 32 or & 31, and / 32 or >> 5, which is the warp's. */
static struct sum of_part(struct work *w, LLVMValueRef value, unsigned depth)
{
	struct sum number = of(w, LLVMGetOperand(value, 0), depth + 1), second;
	int64_t n;
	if (!is_constant(LLVMGetOperand(value, 1), &n) || !is_number(&number)) {
		second = of(w, LLVMGetOperand(value, 1), depth + 1);
		return is_uniform(&number) && is_uniform(&second) ? uniform : opaque(value);
	}
	number.fixed = true;
	switch (LLVMGetInstructionOpcode(value)) {
	case LLVMAnd:
		return n > 0 && !(n & (n + 1)) && (n + 1) % LANES == 0 ? number : opaque(value);
	case LLVMURem:
	case LLVMSRem:
		return n > 0 && n % LANES == 0 ? number : opaque(value);
	case LLVMUDiv:
	case LLVMSDiv:
		return n > 0 && n % LANES == 0 ? uniform : opaque(value);
	case LLVMLShr:
	case LLVMAShr:
		return n >= 5 && n < 32 ? uniform : opaque(value);
	default:
		return opaque(value);
	}
}

static struct sum of(struct work *w, LLVMValueRef value, unsigned depth)
{
	int64_t n;
	if (depth > MAX_DEPTH || w->nodes++ > MAX_NODES)
		return opaque(value);
	/* What a function is called with may differ from lane to lane. */
	if (LLVMIsAArgument(value) && LLVMGetFirstUse(LLVMGetParamParent(value)))
		return opaque(value);
	if (!LLVMIsAInstruction(value))
		return uniform;
	if (synchrony_is_context(value))
		return of_context(value);
	LLVMValueRef argument;
	uint64_t offset;
	if (synchrony_is_parameter(value, &argument, &offset))
		return uniform;
	switch (LLVMGetInstructionOpcode(value)) {
	case LLVMAdd:
		return plus(of(w, LLVMGetOperand(value, 0), depth + 1),
			    of(w, LLVMGetOperand(value, 1), depth + 1));
	case LLVMSub:
		return plus(of(w, LLVMGetOperand(value, 0), depth + 1),
			    times(of(w, LLVMGetOperand(value, 1), depth + 1), -1));
	case LLVMMul:
		return of_product(w, value, depth);
	case LLVMShl:
		if (is_constant(LLVMGetOperand(value, 1), &n) && n >= 0 && n < 32)
			return times(of(w, LLVMGetOperand(value, 0), depth + 1), (int64_t)1 << n);
		return of_part(w, value, depth);
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
	case LLVMURem:
	case LLVMSRem:
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMLShr:
	case LLVMAShr:
		return of_part(w, value, depth);
	case LLVMTrunc:
		if (LLVMGetIntTypeWidth(LLVMTypeOf(value)) < 32)
			return opaque(value);
		return of(w, LLVMGetOperand(value, 0), depth + 1);
	case LLVMSExt:
	case LLVMZExt:
	case LLVMAddrSpaceCast:
	case LLVMBitCast:
		return of(w, LLVMGetOperand(value, 0), depth + 1);
	case LLVMGetElementPtr:
		return of_address(w, value, depth);
	case LLVMPHI:
		return of_phi(w, value, depth);
	default:
		return opaque(value);
	}
}

/* ---- the answer ------------------------------------------------------------ */

static bool is_coarse(const struct sum *s, const struct term *t, int64_t lane, bool *blocks)
{
	int64_t unit = t->unit;
	if (s->by || !scale(&unit, t->factor))
		return false;
	if (!t->blocks)
		return unit % (LANES * lane) == 0;
	*blocks = true;
	return s->x && !s->row && unit % lane == 0;
}

/* How far a fine term varies; INT64_MAX: not known. */
static int64_t spread(struct work *w, const struct term *t, LLVMValueRef at)
{
	int64_t found = synchrony_range_spread(w->ranges, t->value, t->start, at), most = t->most;
	if (found >= 0 && (most < 0 || found < most))
		most = found;
	return most < 0 || !scale(&most, llabs(t->factor)) ? INT64_MAX : most;
}

bool synchrony_is_uniform(struct synchrony_ranges *ranges, LLVMValueRef value)
{
	struct work w = {.ranges = ranges};
	struct sum s = of(&w, value, 0);
	return is_uniform(&s);
}

/* Is there one factor for neighbours in a warp, and no second one? */
static bool is_odd(const struct sum *s)
{
	return s->y || (s->row && s->row != s->x) || (s->x && s->lane) ||
	       (s->by && (s->x || s->lane));
}

bool synchrony_is_elected(struct synchrony_ranges *ranges, LLVMValueRef condition)
{
	if (!LLVMIsAICmpInst(condition))
		return false;
	for (unsigned k = 0; k < 2; k++) {
		struct work w = {.ranges = ranges};
		struct sum s = of(&w, LLVMGetOperand(condition, k), 0);
		if (s.known && !s.n && !s.by && s.x + s.lane && !is_odd(&s))
			return synchrony_is_uniform(ranges, LLVMGetOperand(condition, 1 - k));
	}
	return false;
}

bool synchrony_is_private(struct synchrony_ranges *ranges, LLVMValueRef address, LLVMValueRef at)
{
	struct work w = {.ranges = ranges};
	struct sum s = of(&w, address, 0);
	int64_t lane = llabs(s.by ? s.stride : s.x + s.lane), slack = 0;
	bool bounded = false, coarse = false, blocks = false;
	if (!s.known || is_odd(&s) || !lane)
		return false;
	for (unsigned i = 0; i < s.n; i++) {
		const struct term *t = &s.terms[i];
		bool in_blocks = false;
		if (is_coarse(&s, t, lane, &in_blocks)) {
			coarse |= !in_blocks;
			blocks |= in_blocks;
			continue;
		}
		int64_t varies = t->blocks ? INT64_MAX : spread(&w, t, at);
		if (varies < lane - slack) {
			slack += varies;
		} else if (s.by && !bounded && !t->blocks && llabs(t->factor) <= lane &&
			   synchrony_range_is_below(ranges, t->value, t->start, s.by, at)) {
			bounded = true; /* by factor * (by - 1) at most */
		} else {
			return false;
		}
	}
	/* Where the distance is a multiple of a value, that has to be shown to be no 0. */
	return !(coarse && blocks) && (!s.by || bounded);
}
