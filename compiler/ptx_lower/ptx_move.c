/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_move.c - mov, packing and unpacking, and special registers. */
#include "ptx_emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* mov.b64 d, {lo, hi}: elements from the lowest bits up. */
static void emit_join(struct ptx_emit *emit, enum ptx_type type)
{
	const struct ptx_operand *from = ptx_operand(emit, 1);
	unsigned width = ptx_bits(type) / from->n_parts;
	LLVMTypeRef whole = ptx_int_type(emit, ptx_bits(type));
	LLVMValueRef value = LLVMConstNull(whole);

	if (ptx_type_of_bits(width) == PTX_NONE || width < 8) {
		ptx_unsupported(emit);
		return;
	}
	for (uint32_t i = 0; i < from->n_parts; i++) {
		LLVMValueRef part = ptx_read(emit, &from->parts[i], ptx_type_of_bits(width));

		part = LLVMBuildZExt(emit->builder, part, whole, "");
		part = LLVMBuildShl(emit->builder, part, LLVMConstInt(whole, i * width, false), "");
		value = LLVMBuildOr(emit->builder, value, part, "");
	}
	ptx_dest(emit, 0, type, value);
}

/* mov.b64 {lo, hi}, a; elements may be _ . */
static void emit_split(struct ptx_emit *emit, enum ptx_type type)
{
	const struct ptx_operand *to = ptx_operand(emit, 0);
	unsigned width = ptx_bits(type) / to->n_parts;
	LLVMValueRef value = ptx_source(emit, 1, type);

	if (ptx_type_of_bits(width) == PTX_NONE || width < 8) {
		ptx_unsupported(emit);
		return;
	}
	for (uint32_t i = 0; i < to->n_parts; i++) {
		LLVMValueRef part = LLVMBuildLShr(emit->builder, value,
						  LLVMConstInt(LLVMTypeOf(value), i * width, false),
						  "");

		part = LLVMBuildTrunc(emit->builder, part, ptx_int_type(emit, width), "");
		ptx_write(emit, &to->parts[i], ptx_type_of_bits(width), part);
	}
}

static void emit_mov(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type type = emit->match.types[0];
	enum ptx_type raw = ptx_type_of_bits(ptx_bits(type));

	(void)row;
	if (ptx_operand(emit, 1)->kind == PTX_VECTOR)
		emit_join(emit, raw);
	else if (ptx_operand(emit, 0)->kind == PTX_VECTOR)
		emit_split(emit, raw);
	else
		ptx_dest(emit, 0, type, ptx_source(emit, 1, type));
}

/* Special registers: their names in PTX, the builtin read.ptx.sreg.<name> and
 * its bits. With components, .x .y .z are added to the builtin's name. */
static const struct special {
	const char *name, *builtin;
	unsigned bits;
	bool has_components;
} specials[] = {
	{"%tid", "tid", 32, true},
	{"%ntid", "ntid", 32, true},
	{"%ctaid", "ctaid", 32, true},
	{"%nctaid", "nctaid", 32, true},
	{"%clusterid", "clusterid", 32, true},
	{"%nclusterid", "nclusterid", 32, true},
	{"%cluster_ctaid", "cluster.ctaid", 32, true},
	{"%cluster_nctaid", "cluster.nctaid", 32, true},
	{"%cluster_ctarank", "cluster.ctarank", 32, false},
	{"%cluster_nctarank", "cluster.nctarank", 32, false},
	{"%laneid", "laneid", 32, false},
	{"%warpid", "warpid", 32, false},
	{"%nwarpid", "nwarpid", 32, false},
	{"%smid", "smid", 32, false},
	{"%nsmid", "nsmid", 32, false},
	{"%gridid", "gridid", 32, false},
	{"%lanemask_eq", "lanemask.eq", 32, false},
	{"%lanemask_lt", "lanemask.lt", 32, false},
	{"%lanemask_le", "lanemask.le", 32, false},
	{"%lanemask_gt", "lanemask.gt", 32, false},
	{"%lanemask_ge", "lanemask.ge", 32, false},
	{"%clock", "clock", 32, false},
	{"%clock_hi", "clock.hi", 32, false},
	{"%clock64", "clock64", 64, false},
	{"%globaltimer", "globaltimer", 64, false},
	{"%globaltimer_lo", "globaltimer.lo", 32, false},
	{"%globaltimer_hi", "globaltimer.hi", 32, false},
	{"%dynamic_smem_size", "dynamic.smem.size", 32, false},
	{"%total_smem_size", "total.smem.size", 32, false},
	{"%aggr_smem_size", "aggr.smem.size", 32, false},
	{"%reserved_smem_offset_begin", "reserved.smem.offset.begin", 32, false},
	{"%reserved_smem_offset_end", "reserved.smem.offset.end", 32, false},
	{"%reserved_smem_offset_cap", "reserved.smem.offset.cap", 32, false},
	{"%reserved_smem_offset_0", "reserved.smem.offset.0", 32, false},
	{"%reserved_smem_offset_1", "reserved.smem.offset.1", 32, false},
	{"%envreg1", "envreg1", 32, false},
	{"%envreg2", "envreg2", 32, false},
	{"%is_explicit_cluster", NULL, 1, false},
};

bool ptx_special_is_vector(const char *name)
{
	for (size_t i = 0; i < sizeof(specials) / sizeof(*specials); i++)
		if (!strcmp(specials[i].name, name))
			return specials[i].has_components;
	return false;
}

/* Registers that the driver and the performance monitor fill are 0: which have
 * these prefixes and at most those numbers. */
static const struct {
	const char *prefix, *suffix;
	long last;
	unsigned bits;
} zeros[] = {{"%pm", "", 7, 32}, {"%pm", "_64", 7, 64}, {"%envreg", "", 31, 32}};

static LLVMValueRef zero_register(struct ptx_emit *emit, const char *name)
{
	if (!strcmp(name, "%current_graph_exec"))
		return ptx_int(emit, 64, 0);
	for (size_t i = 0; i < sizeof(zeros) / sizeof(*zeros); i++) {
		size_t size = strlen(zeros[i].prefix);
		char *end;

		if (!strncmp(name, zeros[i].prefix, size) && name[size] >= '0' &&
		    name[size] <= '9' && strtol(name + size, &end, 10) <= zeros[i].last &&
		    !strcmp(end, zeros[i].suffix))
			return ptx_int(emit, zeros[i].bits, 0);
	}
	return NULL;
}

LLVMValueRef ptx_special(struct ptx_emit *emit, const char *name, const char *component)
{
	for (size_t i = 0; i < sizeof(specials) / sizeof(*specials); i++) {
		const struct special *special = &specials[i];
		char full[64];

		if (strcmp(special->name, name))
			continue;
		if (special->has_components != (component != NULL) ||
		    (component && (!strchr("xyzw", component[0]) || !component[0] || component[1])))
			return NULL;
		if (!special->builtin)
			return ptx_nvvm(emit, "is_explicit_cluster", ptx_int_type(emit, 1), NULL,
					0);
		snprintf(full, sizeof(full), "read.ptx.sreg.%s%s%s", special->builtin,
			 component ? "." : "", component ? component : "");
		return ptx_nvvm(emit, full, ptx_int_type(emit, special->bits), NULL, 0);
	}
	return component ? NULL : zero_register(emit, name);
}

/* mov.v2.type and mov.v4.type: part by part, all read before any is written. */
static void emit_mov_parts(struct ptx_emit *emit, const struct ptx_row *row)
{
	const struct ptx_operand *to = ptx_operand(emit, 0), *from = ptx_operand(emit, 1);
	uint32_t n = ptx_is(emit, "v2") ? 2 : 4;
	LLVMValueRef values[4];

	(void)row;
	if (to->kind != PTX_VECTOR || from->kind != PTX_VECTOR || to->n_parts != n ||
	    from->n_parts != n) {
		ptx_unsupported(emit);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		values[i] = ptx_read(emit, &from->parts[i], emit->match.types[0]);
	for (uint32_t i = 0; i < n; i++)
		ptx_write(emit, &to->parts[i], emit->match.types[0], values[i]);
}

const struct ptx_row ptx_rows_move[] = {
	{"mov", "v2|v4", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64", "x:x", emit_mov_parts, NULL,
	 0},
	{"mov", "", "pred|b16|b32|b64|b128|u16|u32|u64|s16|s32|s64|f32|f64", "x:x", emit_mov, NULL,
	 0},
	{0},
};
