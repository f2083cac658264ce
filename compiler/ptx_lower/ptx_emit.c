/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_emit.c - walks the statements of a string.
 *
 * A guarded statement (@p) is emitted in a block of its own, and registers that
 * changed there meet in phis behind it. */
#include "ptx_emit.h"

#include <stdlib.h>
#include <string.h>

#include "ptx_register.h"

/* ---- errors -------------------------------------------------------------- */

void ptx_fail(struct ptx_emit *emit, const char *what)
{
	if (!emit->error)
		emit->error = cudasim_error_new(CUDASIM_E_UNSUPPORTED, "PTX instruction '%s' %s",
						emit->at ? emit->at->text : "", what);
}

void ptx_unsupported(struct ptx_emit *emit)
{
	ptx_fail(emit, "is not supported");
}

void ptx_fail_name(struct ptx_emit *emit, const struct ptx_operand *operand, const char *what)
{
	if (!emit->unit || operand->kind != PTX_NAME) {
		ptx_fail(emit, what);
		return;
	}
	if (!emit->error)
		emit->error = cudasim_error_new(CUDASIM_E_UNSUPPORTED,
						"Unknown symbol '%s%s%s' in PTX instruction '%s'",
						operand->name, operand->component ? "." : "",
						operand->component ? operand->component : "",
						emit->at ? emit->at->text : "");
}

void ptx_nomem(struct ptx_emit *emit)
{
	if (!emit->error)
		emit->error = &cudasim_error_nomem;
}

/* ---- statements ---------------------------------------------------------- */

static LLVMBasicBlockRef new_block(struct ptx_emit *emit)
{
	return LLVMAppendBasicBlockInContext(emit->context, emit->function, "");
}

void ptx_emit_unreachable(struct ptx_emit *emit)
{
	LLVMBuildUnreachable(emit->builder);
	LLVMPositionBuilderAtEnd(emit->builder, new_block(emit));
}

/* The cell of the index for a label: its own, or the empty one where it would be. */
static uint32_t *label_cell(const struct ptx_emit *emit, unsigned scope, const char *name)
{
	uint32_t at = 0x811c9dc5u ^ scope;

	for (const char *c = name; *c; c++)
		at = (at ^ (unsigned char)*c) * 0x01000193u;
	for (;; at++) {
		uint32_t *cell = &emit->label_index[at & (emit->label_room - 1)];
		const struct ptx_label *label = *cell ? &emit->labels[*cell - 1] : NULL;

		if (!label || (label->scope == scope && !strcmp(label->name, name)))
			return cell;
	}
}

/* Half of the cells stay empty. Of equal labels the first counts. */
static bool index_labels(struct ptx_emit *emit)
{
	emit->label_room = 16;
	while (emit->label_room < 2 * emit->n_labels)
		emit->label_room *= 2;
	emit->label_index = calloc(emit->label_room, sizeof(*emit->label_index));
	for (uint32_t i = 0; emit->label_index && i < emit->n_labels; i++) {
		uint32_t *cell = label_cell(emit, emit->labels[i].scope, emit->labels[i].name);

		*cell = *cell ? *cell : i + 1;
	}
	return emit->label_index;
}

struct ptx_label *ptx_label_find(struct ptx_emit *emit, const char *name)
{
	for (uint32_t depth = emit->n_scopes; depth-- > 0 && emit->n_labels;) {
		uint32_t i = *label_cell(emit, emit->scopes[depth], name);

		if (i)
			return &emit->labels[i - 1];
	}
	ptx_fail(emit, emit->unit ? "names a label that its function does not have"
				  : "jumps to a label outside of this asm statement");
	return NULL;
}

#define MAX_WIDENED 8

/* Vector registers (%tid too) written as a whole stand for their parts. */
static void widen_vectors(struct ptx_emit *emit, struct ptx_operand *operands,
			  struct ptx_operand (*parts)[4])
{
	static const char *const lanes[] = {"x", "y", "z", "w"};
	bool has_vector = false;

	if (emit->at->n_operands > MAX_WIDENED)
		return;
	for (uint32_t i = 0; i < emit->at->n_operands; i++) {
		uint32_t n = ptx_vector_lanes(emit, &emit->at->operands[i]);

		operands[i] = emit->at->operands[i];
		if (!n)
			continue;
		has_vector = true;
		for (uint32_t lane = 0; lane < n; lane++) {
			parts[i][lane] = operands[i];
			parts[i][lane].component = lanes[lane];
		}
		operands[i] =
			(struct ptx_operand){.kind = PTX_VECTOR, .parts = parts[i], .n_parts = n};
	}
	if (!has_vector)
		return;
	emit->widened = *emit->at;
	emit->widened.operands = operands;
	emit->at = &emit->widened;
}

static void emit_instruction(struct ptx_emit *emit)
{
	struct ptx_operand operands[MAX_WIDENED], parts[MAX_WIDENED][4];

	widen_vectors(emit, operands, parts);
	if (!ptx_table_find(emit->at, &emit->match)) {
		ptx_unsupported(emit);
		return;
	}
	emit->match.row->emit(emit, emit->match.row);
}

/* Registers that changed since `before` was copied get phis of both values. */
static void merge_registers(struct ptx_emit *emit, LLVMValueRef *before, uint32_t n_before,
			    LLVMBasicBlockRef from, LLVMBasicBlockRef then)
{
	for (uint32_t i = 0; i < emit->n_registers; i++) {
		struct ptx_register *reg = &emit->registers[i];
		LLVMValueRef old = i < n_before ? before[i] : NULL;
		LLVMValueRef values[2];
		LLVMBasicBlockRef blocks[2] = {from, then};

		if (reg->n_family || reg->value == old || reg->memory)
			continue;
		values[0] = old ? old : LLVMConstNull(LLVMTypeOf(reg->value));
		values[1] = reg->value;
		reg->value = LLVMBuildPhi(emit->builder, LLVMTypeOf(values[1]), "");
		LLVMAddIncoming(reg->value, values, blocks, 2);
	}
}

static void emit_guarded(struct ptx_emit *emit)
{
	LLVMValueRef guard = ptx_read(emit, emit->at->guard, PTX_PRED);
	LLVMBasicBlockRef from = LLVMGetInsertBlock(emit->builder);
	LLVMBasicBlockRef then = new_block(emit), behind = new_block(emit);
	uint32_t n_before = emit->n_registers;
	LLVMValueRef *before = malloc((n_before + 1) * sizeof(LLVMValueRef));

	if (!before) {
		ptx_nomem(emit);
		return;
	}
	for (uint32_t i = 0; i < n_before; i++)
		before[i] = emit->registers[i].value;
	LLVMBuildCondBr(emit->builder, guard, then, behind);
	LLVMPositionBuilderAtEnd(emit->builder, then);
	emit_instruction(emit);
	then = LLVMGetInsertBlock(emit->builder);
	LLVMBuildBr(emit->builder, behind);
	LLVMPositionBuilderAtEnd(emit->builder, behind);
	merge_registers(emit, before, n_before, from, then);
	free(before);
}

static void emit_declaration(struct ptx_emit *emit)
{
	enum ptx_type type = ptx_type_find(emit->at->type);

	if (type == PTX_NONE) {
		ptx_fail(emit, "declares registers of an unknown type");
		return;
	}
	if (emit->at->n_lanes > 1 && emit->at->n_family) {
		ptx_unsupported(emit);
		return;
	}
	for (uint32_t lane = 0; lane < emit->at->n_lanes; lane++)
		ptx_register_add(emit, emit->scopes[emit->n_scopes - 1], lane ? "" : emit->at->name,
				 type, emit->at->n_family, lane ? 1 : emit->at->n_lanes);
}

/* A variable is a name for its address. */
static void emit_variable(struct ptx_emit *emit)
{
	enum ptx_type type = ptx_type_find(emit->at->type);
	unsigned bytes = ptx_bits(type) / 8 * emit->at->n_lanes;
	LLVMTypeRef array = LLVMArrayType2(ptx_int_type(emit, 8),
					   (uint64_t)bytes * emit->at->n_elements);
	LLVMValueRef memory;

	/* As much as a thread of a GPU may have. */
	if (emit->unit && emit->at->space != PTX_SHARED &&
	    (uint64_t)bytes * emit->at->n_elements > 512 << 10) {
		ptx_fail(emit, "declares more than the 512 KiB that a thread may have");
		return;
	}
	if (!bytes) {
		ptx_fail(emit, "declares variables of an unknown type");
		return;
	}
	if (emit->at->space == PTX_SHARED) {
		memory = LLVMAddGlobalInAddressSpace(emit->module, array, emit->at->name, 3);
		LLVMSetLinkage(memory, LLVMInternalLinkage);
		LLVMSetInitializer(memory, LLVMGetUndef(array));
	} else {
		memory = ptx_entry_alloca(emit, array);
	}
	LLVMSetAlignment(memory, emit->at->alignment > bytes ? emit->at->alignment : bytes);
	ptx_variable_add(emit, emit->scopes[emit->n_scopes - 1], emit->at->name, memory,
			 (uint64_t)bytes * emit->at->n_elements);
}

static void open_scope(struct ptx_emit *emit)
{
	emit->scopes[emit->n_scopes++] = emit->n_scopes_seen++;
}

static void emit_label(struct ptx_emit *emit)
{
	struct ptx_label *label = ptx_label_find(emit, emit->at->name);

	if (!label)
		return;
	if (label->is_placed) {
		ptx_fail(emit, "is defined twice: labels must be unique");
		return;
	}
	label->is_placed = true;
	LLVMBuildBr(emit->builder, label->block);
	LLVMMoveBasicBlockAfter(label->block, LLVMGetInsertBlock(emit->builder));
	LLVMPositionBuilderAtEnd(emit->builder, label->block);
}

void ptx_emit_statements(struct ptx_emit *emit)
{
	for (size_t i = 0; i < emit->program->n_statements && !emit->error; i++) {
		emit->at = &emit->program->statements[i];
		if (emit->unit)
			ptx_unit_locate(emit);
		switch (emit->at->kind) {
		case PTX_OPEN:
			open_scope(emit);
			break;
		case PTX_CLOSE:
			emit->n_scopes--;
			break;
		case PTX_LABEL:
			emit_label(emit);
			break;
		case PTX_REGISTER:
			emit_declaration(emit);
			break;
		case PTX_VARIABLE:
			emit_variable(emit);
			break;
		case PTX_TARGETS:
		case PTX_PROTOTYPE:
			break; /* brx.idx and call look for them */
		case PTX_INSTRUCTION:
			if (emit->at->guard)
				emit_guarded(emit);
			else
				emit_instruction(emit);
			break;
		}
	}
	if (!emit->error)
		emit->at = NULL;
}

/* Labels may be used before they stand, so their blocks are made first. */
static bool collect_labels(struct ptx_emit *emit)
{
	const struct ptx_program *program = emit->program;
	size_t n = program->n_statements + 1;

	emit->labels = calloc(n, sizeof(*emit->labels));
	emit->scopes = calloc(n + 1, sizeof(*emit->scopes));
	if (!emit->labels || !emit->scopes) {
		ptx_nomem(emit);
		return false;
	}
	open_scope(emit);
	for (size_t i = 0; i < program->n_statements; i++) {
		const struct ptx_statement *statement = &program->statements[i];

		if (statement->kind == PTX_OPEN)
			open_scope(emit);
		else if (statement->kind == PTX_CLOSE)
			emit->n_scopes--;
		else if (statement->kind == PTX_LABEL)
			emit->labels[emit->n_labels++] = (struct ptx_label){
				statement->name, emit->scopes[emit->n_scopes - 1], new_block(emit),
				false};
	}
	emit->n_scopes = emit->n_scopes_seen = 0;
	if (!index_labels(emit)) {
		ptx_nomem(emit);
		return false;
	}
	emit->uses_memory = emit->n_labels > 0 || emit->unit;
	return true;
}

static void add_operands(struct ptx_emit *emit, const struct ptx_asm_operand *operands,
			 LLVMValueRef carry_in)
{
	struct ptx_register *reg = ptx_register_add(emit, PTX_NO_SCOPE, "", PTX_PRED, 0, 1);

	if (reg && (carry_in || reg->memory))
		ptx_register_set(emit, reg, carry_in ? carry_in : ptx_int(emit, 1, 0));
	for (uint32_t i = 0; i < emit->n_operands && !emit->error; i++) {
		reg = ptx_register_add(emit, PTX_NO_SCOPE, "", operands[i].type, 0, 1);
		if (reg && (operands[i].input || reg->memory))
			ptx_register_set(emit, reg,
					 operands[i].input
						 ? operands[i].input
						 : ptx_int(emit, ptx_bits(operands[i].type), 0));
	}
}

bool ptx_emit_begin(struct ptx_emit *emit)
{
	if (!collect_labels(emit))
		return false;
	add_operands(emit, NULL, NULL);
	open_scope(emit);
	return !emit->error;
}

void ptx_emit_end(struct ptx_emit *emit)
{
	/* Labels that an error kept from being placed must still be blocks that end. */
	for (uint32_t i = 0; emit->error && i < emit->n_labels; i++)
		if (!emit->labels[i].is_placed) {
			LLVMBuilderRef other = LLVMCreateBuilderInContext(emit->context);

			LLVMPositionBuilderAtEnd(other, emit->labels[i].block);
			LLVMBuildUnreachable(other);
			LLVMDisposeBuilder(other);
		}
	free(emit->registers);
	free(emit->index);
	free(emit->families);
	free(emit->labels);
	free(emit->label_index);
	free(emit->scopes);
}

struct cudasim_error *ptx_emit_program(LLVMModuleRef module, LLVMBuilderRef builder,
				       LLVMValueRef function, const struct ptx_program *program,
				       const struct ptx_asm_operand *operands, uint32_t n_operands,
				       LLVMValueRef carry_in, LLVMValueRef *outputs,
				       LLVMValueRef *carry_out)
{
	struct ptx_emit emit = {
		.context = LLVMGetModuleContext(module),
		.module = module,
		.builder = builder,
		.function = function,
		.program = program,
		.n_operands = n_operands,
	};

	if (collect_labels(&emit)) {
		add_operands(&emit, operands, carry_in);
		open_scope(&emit);
		ptx_emit_statements(&emit);
	}
	emit.at = NULL;
	for (uint32_t i = 0; i < n_operands; i++)
		outputs[i] = emit.error || !operands[i].is_output
				     ? NULL
				     : ptx_register_get(&emit, &emit.registers[1 + i]);
	if (carry_out)
		*carry_out = emit.error ? NULL : ptx_carry_read(&emit);
	ptx_emit_end(&emit);
	return emit.error;
}
