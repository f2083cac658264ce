/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_memory.c - ld, st, fences, and the hints about caches.
 *
 * Cache operators and eviction hints change no value, so they are dropped, but
 * for .cv and .volatile, which ask for the memory at every execution. Vectors
 * are one access, aligned as a whole. Ordered vector accesses are one atomic access
 * per element, as PTX's memory model has it. */
#include "ptx_memory.h"

#include <string.h>

#include "cudasim/abi.h"
#include "llvm_functions.h"

unsigned ptx_space(const struct ptx_emit *emit)
{
	if (ptx_is(emit, "global"))
		return 1;
	if (ptx_is(emit, "shared") || ptx_is(emit, "shared::cta") ||
	    ptx_is(emit, "shared::cluster"))
		return 3;
	if (ptx_is(emit, "const"))
		return 4;
	if (ptx_is(emit, "local"))
		return 5;
	return 0;
}

const char *ptx_scope(const struct ptx_emit *emit)
{
	if (ptx_is(emit, "cta"))
		return "block";
	if (ptx_is(emit, "cluster"))
		return "cluster";
	return ptx_is(emit, "gpu") || ptx_is(emit, "gl") ? "device" : "";
}

LLVMAtomicOrdering ptx_ordering(const struct ptx_emit *emit, LLVMAtomicOrdering absent)
{
	if (ptx_is(emit, "acq_rel"))
		return LLVMAtomicOrderingAcquireRelease;
	if (ptx_is(emit, "acquire"))
		return LLVMAtomicOrderingAcquire;
	if (ptx_is(emit, "release"))
		return LLVMAtomicOrderingRelease;
	if (ptx_is(emit, "sc"))
		return LLVMAtomicOrderingSequentiallyConsistent;
	return ptx_is(emit, "relaxed") ? LLVMAtomicOrderingMonotonic : absent;
}

LLVMValueRef ptx_aligned(struct ptx_emit *emit, LLVMValueRef pointer, unsigned bytes)
{
	LLVMValueRef number = LLVMBuildPtrToInt(emit->builder, pointer, ptx_int_type(emit, 64), "");
	LLVMValueRef low = LLVMBuildAnd(emit->builder, number, ptx_int(emit, 64, bytes - 1), "");

	low = LLVMBuildShl(emit->builder, low, ptx_int(emit, 64, CUDASIM_MISALIGNED_SHIFT), "");
	return LLVMBuildGEP2(emit->builder, ptx_int_type(emit, 8), pointer, &low, 1, "");
}

static void annotate(struct ptx_emit *emit, LLVMValueRef access, unsigned bytes)
{
	LLVMAtomicOrdering ordering = ptx_ordering(emit, LLVMAtomicOrderingNotAtomic);

	LLVMSetAlignment(access, bytes);
	if (ptx_is(emit, "volatile") || ptx_is(emit, "mmio") || ptx_is(emit, "cv"))
		LLVMSetVolatile(access, true);
	if (ordering != LLVMAtomicOrderingNotAtomic) {
		LLVMSetOrdering(access, ordering);
		instruction_set_sync_scope(access, ptx_scope(emit));
	}
}

static bool is_atomic(const struct ptx_emit *emit)
{
	return ptx_ordering(emit, LLVMAtomicOrderingNotAtomic) != LLVMAtomicOrderingNotAtomic;
}

static unsigned n_elements(const struct ptx_emit *emit)
{
	return ptx_is(emit, "v2") ? 2 : ptx_is(emit, "v4") ? 4 : ptx_is(emit, "v8") ? 8 : 1;
}

static LLVMValueRef element_address(struct ptx_emit *emit, LLVMValueRef address,
				    LLVMTypeRef element, unsigned i)
{
	LLVMValueRef index = ptx_int(emit, 64, i);

	return i ? LLVMBuildGEP2(emit->builder, element, address, &index, 1, "") : address;
}

/* Element i of operand `index`, which is a vector where n > 1. */
static LLVMValueRef load(struct ptx_emit *emit, LLVMTypeRef type, LLVMValueRef address,
			 unsigned bytes)
{
	LLVMValueRef value = LLVMBuildLoad2(emit->builder, type, address, "");

	annotate(emit, value, bytes);
	return value;
}

static void emit_ld(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type type = emit->match.types[0], raw = ptx_type_of_bits(ptx_bits(type));
	unsigned n = n_elements(emit), bytes = ptx_bits(type) / 8;
	LLVMValueRef address = ptx_address(emit, ptx_operand(emit, 1), ptx_space(emit));
	LLVMTypeRef single = ptx_int_type(emit, ptx_bits(raw));
	LLVMValueRef whole = NULL;

	(void)row;
	/* Vectors of constant memory are loaded element by element. */
	if (n > 1 && !is_atomic(emit))
		whole = load(emit, LLVMVectorType(single, n), address,
			     ptx_is(emit, "const") ? bytes : n * bytes);
	else if (n > 1)
		address = ptx_aligned(emit, address, n * bytes);
	for (unsigned i = 0; i < n; i++) {
		const struct ptx_operand *to = ptx_element(emit, 0, i, n);
		LLVMValueRef value;

		if (!to)
			return;
		if (whole)
			value = LLVMBuildExtractElement(emit->builder, whole, ptx_int(emit, 32, i),
							"");
		else
			value = load(emit, single, element_address(emit, address, single, i),
				     bytes);
		/* A register wider than the type is extended by the type's sign. */
		ptx_write(emit, to, ptx_is_signed(type) ? type : raw, value);
	}
}

static void emit_st(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type type = emit->match.types[0], raw = ptx_type_of_bits(ptx_bits(type));
	unsigned n = n_elements(emit), bytes = ptx_bits(type) / 8;
	LLVMValueRef address = ptx_address(emit, ptx_operand(emit, 0), ptx_space(emit));
	LLVMTypeRef single = ptx_int_type(emit, ptx_bits(raw));
	LLVMValueRef whole = n > 1 ? LLVMGetUndef(LLVMVectorType(single, n)) : NULL;

	(void)row;
	if (n > 1 && is_atomic(emit))
		address = ptx_aligned(emit, address, n * bytes);
	for (unsigned i = 0; i < n; i++) {
		const struct ptx_operand *from = ptx_element(emit, 1, i, n);
		LLVMValueRef value;

		if (!from)
			return;
		/* Reals among the elements need the float type to be read. */
		value = ptx_to_bits(emit, ptx_read(emit, from, ptx_bits(type) >= 32 ? type : raw));
		if (whole && !is_atomic(emit))
			whole = LLVMBuildInsertElement(emit->builder, whole, value,
						       ptx_int(emit, 32, i), "");
		else
			annotate(emit,
				 LLVMBuildStore(emit->builder, value,
						element_address(emit, address, single, i)),
				 bytes);
	}
	if (whole && !is_atomic(emit))
		annotate(emit, LLVMBuildStore(emit->builder, whole, address), n * bytes);
}

/* There are calls in modules only. */
static void emit_ld_param(struct ptx_emit *emit, const struct ptx_row *row)
{
	if (emit->unit)
		emit_ld(emit, row);
	else
		ptx_unsupported(emit);
}

static void emit_st_param(struct ptx_emit *emit, const struct ptx_row *row)
{
	if (emit->unit)
		emit_st(emit, row);
	else
		ptx_unsupported(emit);
}

void ptx_build_fence(struct ptx_emit *emit, LLVMAtomicOrdering ordering, const char *scope)
{
	instruction_set_sync_scope(LLVMBuildFence(emit->builder, ordering, false, ""), scope);
}

/* row->data: an ordering that the modifiers do not tell. */
static void emit_fence(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMAtomicOrdering absent = row->data ? (LLVMAtomicOrdering)row->data
					      : LLVMAtomicOrderingSequentiallyConsistent;

	ptx_build_fence(emit, ptx_ordering(emit, absent), ptx_scope(emit));
}

#define SHARED "shared|shared::cta|shared::cluster"
#define SPACES "global|" SHARED
#define L1_HINTS                                                                                   \
	"L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"
#define L2_LOAD_HINTS " L2::cache_hint? L2::64B|L2::128B|L2::256B?"
#define NARROW "b8|b16|b32|u8|u16|u32|s8|s16|s32|f32"
#define WORDS NARROW "|b64|u64|s64|f64"
/* A row for each size of vector: none is larger than 16 bytes. */
#define SIZES(opcode, modifiers, operands, emitter)                                                \
	{opcode, modifiers, WORDS "|b128", operands, emitter, NULL, 0},                            \
		{opcode, modifiers " v2", WORDS, operands, emitter, NULL, 0},                      \
		{opcode, modifiers " v4", NARROW, operands, emitter, NULL, 0}
#define LD(modifiers) SIZES("ld", modifiers, "x:al?", emit_ld)
#define ST(modifiers) SIZES("st", modifiers, "a:xl?", emit_st)
#define LD_PARAM(modifiers) SIZES("ld", modifiers, "x:a", emit_ld_param)
#define ST_PARAM(modifiers) SIZES("st", modifiers, "a:x", emit_st_param)
#define NOTHING(opcode, modifiers, types, operands)                                                \
	{opcode, modifiers, types, operands, ptx_emit_nothing, NULL, 0}

const struct ptx_row ptx_rows_memory[] = {
	LD("weak? " SHARED "|const|local ca|cg|cs|lu|cv?"),
	LD("weak? global? ca|cg|cs|lu|cv|" L1_HINTS "?" L2_LOAD_HINTS),
	LD("weak? global nc ca|cg|cs|" L1_HINTS "?" L2_LOAD_HINTS),
	LD("volatile " SHARED),
	LD("volatile global? L2::64B|L2::128B|L2::256B?"),
	LD("relaxed|acquire cta|cluster|gpu|sys " SHARED),
	LD("relaxed|acquire cta|cluster|gpu|sys global? " L1_HINTS "?" L2_LOAD_HINTS),
	LD("mmio relaxed sys global?"),
	/* The argument of a kernel, whose address is a generic one here. */
	LD("param|param::entry"),
	/* What functions are called with, in modules. */
	LD_PARAM("param::func"),
	ST_PARAM("param|param::func"),
	SIZES("ldu", "global?", "x:a", emit_ld),
	ST("weak? " SHARED "|local wb|cg|cs|wt?"),
	ST("weak? global? wb|cg|cs|wt|" L1_HINTS "? L2::cache_hint?"),
	ST("volatile " SHARED),
	ST("volatile global?"),
	ST("relaxed|release cta|cluster|gpu|sys " SHARED),
	ST("relaxed|release cta|cluster|gpu|sys global? " L1_HINTS "? L2::cache_hint?"),
	ST("mmio relaxed sys global?"),
	{"membar", "cta|gl|sys", "", "", emit_fence, NULL, 0},
	{"fence", "sc|acq_rel? cta|cluster|gpu|sys", "", "", emit_fence, NULL,
	 LLVMAtomicOrderingAcquireRelease},
	{"fence", "acquire|release cta|cluster|gpu|sys", "", "", emit_fence, NULL, 0},
	{"fence",
	 "acquire|release sync_restrict::shared::cta|sync_restrict::shared::cluster cluster", "",
	 "", emit_fence, NULL, 0},
	{"fence",
	 "proxy async::generic acquire|release sync_restrict::shared::cta|sync_restrict::shared::cluster cluster",
	 "", "", emit_fence, NULL, 0},
	{"fence", "mbarrier_init release cluster", "", "", emit_fence, NULL, 0},
	/* Proxies are ways to the same memory that do not wait for each other; here
	 * there is only one. */
	{"fence", "proxy alias|async|async.global", "", "", emit_fence, NULL,
	 LLVMAtomicOrderingAcquireRelease},
	{"fence", "proxy async global|shared::cta|shared::cluster", "", "", emit_fence, NULL,
	 LLVMAtomicOrderingAcquireRelease},
	{"fence", "proxy tensormap::generic release cta|cluster|gpu|sys", "", "", emit_fence, NULL,
	 0},
	{"fence", "proxy tensormap::generic acquire cta|cluster|gpu|sys", "", "ax", emit_fence,
	 NULL, 0},
	NOTHING("prefetch", "global|local? L1|L2|L2::evict_last|L2::evict_normal", "", "a"),
	NOTHING("prefetchu", "L1", "", "a"),
	NOTHING("discard", "global? L2", "", "ax"),
	NOTHING("applypriority", "global? L2::evict_normal", "", "ax"),
	{0},
};
