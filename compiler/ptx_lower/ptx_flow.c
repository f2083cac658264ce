/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_flow.c - branches and ends. */
#include "ptx_emit.h"

#include <string.h>

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

/* brx.idx index, table: an index past the table is undefined, here its first. */
static void emit_brx(struct ptx_emit *emit, const struct ptx_row *row)
{
	const struct ptx_operand *table = ptx_operand(emit, 1);
	const struct ptx_statement *targets = NULL;
	LLVMValueRef index, jump = NULL;

	(void)row;
	for (size_t i = 0; i < emit->program->n_statements && table->kind == PTX_NAME; i++) {
		const struct ptx_statement *one = &emit->program->statements[i];

		if (one->kind == PTX_TARGETS && one->name && !strcmp(one->name, table->name))
			targets = one;
	}
	if (!targets) {
		ptx_fail(emit, emit->unit ? "names no .branchtargets of its function"
					  : "names no .branchtargets of this asm statement");
		return;
	}
	index = ptx_source(emit, 0, PTX_U32);
	for (uint32_t i = 0; i < targets->n_operands; i++) {
		struct ptx_label *label = targets->operands[i].kind == PTX_NAME
						  ? ptx_label_find(emit, targets->operands[i].name)
						  : NULL;

		if (!label) {
			ptx_unsupported(emit);
			break;
		}
		if (!i)
			jump = LLVMBuildSwitch(emit->builder, index, label->block,
					       targets->n_operands);
		else
			LLVMAddCase(jump, ptx_int(emit, 32, i), label->block);
	}
	if (jump)
		LLVMPositionBuilderAtEnd(emit->builder, LLVMAppendBasicBlockInContext(
								emit->context, emit->function, ""));
}

/* row->function: an intrinsic that does not return. */
static void emit_end(struct ptx_emit *emit, const struct ptx_row *row)
{
	ptx_nvvm(emit, row->function, LLVMVoidTypeInContext(emit->context), NULL, 0);
	ptx_emit_unreachable(emit);
}

const struct ptx_row ptx_rows_flow[] = {
	{"bra", "uni?", "", "x", emit_bra, NULL, 0},
	{"brx", "idx uni?", "", "wx", emit_brx, NULL, 0},
	{"exit", "", "", "", emit_end, "exit", 0},
	{"trap", "", "", "", emit_end, "trap", 0},
	{"brkpt", "", "", "", ptx_emit_call, "brkpt", 0},
	{"pmevent", "mask?", "", "x", ptx_emit_nothing, NULL, 0},
	{0},
};
