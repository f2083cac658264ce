/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_flow.c - branches and ends. */
#include "ptx_emit.h"

/* bra label; a guard has made its block already. */
static void emit_bra(struct ptx_emit *emit, const struct ptx_row *row)
{
	const struct ptx_operand *to = ptx_operand(emit, 0);
	struct ptx_label *label;

	(void)row;
	if (to->kind != PTX_NAME || to->component) {
		ptx_unsupported(emit);
		return;
	}
	label = ptx_label_find(emit, to->name);
	if (!label)
		return;
	LLVMBuildBr(emit->builder, label->block);
	LLVMPositionBuilderAtEnd(emit->builder,
				 LLVMAppendBasicBlockInContext(emit->context, emit->function, ""));
}

/* row->function: an intrinsic that does not return. */
static void emit_end(struct ptx_emit *emit, const struct ptx_row *row)
{
	ptx_nvvm(emit, row->function, LLVMVoidTypeInContext(emit->context), NULL, 0);
	ptx_emit_unreachable(emit);
}

const struct ptx_row ptx_rows_flow[] = {
	{ "bra", "uni?", "", "x", emit_bra, NULL, 0 },
	{ "exit", "", "", "", emit_end, "exit", 0 },
	{ "trap", "", "", "", emit_end, "trap", 0 },
	{ "brkpt", "", "", "", ptx_emit_call, "brkpt", 0 },
	{ "pmevent", "mask?", "", "x", ptx_emit_nothing, NULL, 0 },
	{ 0 },
};
