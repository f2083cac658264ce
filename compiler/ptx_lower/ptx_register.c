/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_register.c - registers and variables of a body, by scope and name. */
#include "ptx_register.h"

#include <stdlib.h>
#include <string.h>

LLVMValueRef ptx_entry_alloca(struct ptx_emit *emit, LLVMTypeRef type)
{
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(emit->function);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(emit->context);
	LLVMValueRef first = LLVMGetFirstInstruction(entry), memory;

	if (first)
		LLVMPositionBuilderBefore(builder, first);
	else
		LLVMPositionBuilderAtEnd(builder, entry);
	memory = LLVMBuildAlloca(builder, type, "");
	LLVMDisposeBuilder(builder);
	return memory;
}

/* A register that is read before it is written is 0 (see ptx_register_get()). */
static void clear(struct ptx_emit *emit, LLVMValueRef memory)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(emit->context);
	LLVMValueRef next = LLVMGetNextInstruction(memory);

	if (next)
		LLVMPositionBuilderBefore(builder, next);
	else
		LLVMPositionBuilderAtEnd(builder, LLVMGetEntryBasicBlock(emit->function));
	LLVMBuildStore(builder, LLVMConstNull(LLVMGetAllocatedType(memory)), memory);
	LLVMDisposeBuilder(builder);
}

/* Which member of the family is name? -1 if none. */
static int64_t family_member(const struct ptx_register *family, const char *name)
{
	size_t length = strlen(family->name);
	int64_t member = 0;

	if (strncmp(family->name, name, length) || !name[length] || strlen(name + length) > 7)
		return -1;
	for (const char *c = name + length; *c; c++) {
		if (*c < '0' || *c > '9')
			return -1;
		member = 10 * member + (*c - '0');
	}
	return member < family->n_family ? member : -1;
}

/* Names of registers by scope, as the index has them. */
static uint32_t hash_of(unsigned scope, const char *name)
{
	uint32_t hash = 0x811c9dc5u ^ scope;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x01000193u;
	return hash;
}

/* The cell of the index for a name: its own, or the empty one where it would be. */
static uint32_t *cell_of(const struct ptx_emit *emit, unsigned scope, const char *name)
{
	uint32_t at = hash_of(scope, name);

	for (;; at++) {
		uint32_t *cell = &emit->index[at & (emit->index_room - 1)];
		const struct ptx_register *reg = *cell ? &emit->registers[*cell - 1] : NULL;

		if (!reg || (reg->scope == scope && !strcmp(reg->name, name)))
			return cell;
	}
}

/* Half of the cells stay empty. Of equal names the first counts. */
static bool index_add(struct ptx_emit *emit, uint32_t i)
{
	uint32_t *cell;

	if (2 * emit->n_registers >= emit->index_room) {
		uint32_t room = emit->index_room ? 2 * emit->index_room : 64;
		uint32_t *index = calloc(room, sizeof(*index));

		if (!index)
			return false;
		free(emit->index);
		emit->index = index;
		emit->index_room = room;
		for (uint32_t k = 0; k < i; k++) {
			cell = cell_of(emit, emit->registers[k].scope, emit->registers[k].name);
			*cell = *cell ? *cell : k + 1;
		}
	}
	cell = cell_of(emit, emit->registers[i].scope, emit->registers[i].name);
	*cell = *cell ? *cell : i + 1;
	return true;
}

/* The last register is a family. */
static bool family_add(struct ptx_emit *emit)
{
	uint32_t *families = realloc(emit->families, (emit->n_families + 1) * sizeof(*families));

	if (!families)
		return false;
	families[emit->n_families++] = emit->n_registers - 1;
	emit->families = families;
	return true;
}

/* A new register; in strings with labels its alloca stands in the entry block. */
struct ptx_register *ptx_register_add(struct ptx_emit *emit, unsigned scope, const char *name,
				      enum ptx_type type, uint32_t n_family, uint32_t n_lanes)
{
	struct ptx_register *reg;

	if (emit->n_registers == emit->n_register_room) {
		uint32_t room = emit->n_register_room ? 2 * emit->n_register_room : 32;
		struct ptx_register *bigger = realloc(emit->registers, room * sizeof(*bigger));

		if (!bigger) {
			ptx_nomem(emit);
			return NULL;
		}
		emit->registers = bigger;
		emit->n_register_room = room;
	}
	reg = &emit->registers[emit->n_registers++];
	*reg = (struct ptx_register){.name = name,
				     .type = type,
				     .n_family = n_family,
				     .n_lanes = n_lanes,
				     .scope = scope};
	if (!index_add(emit, emit->n_registers - 1) || (n_family && !family_add(emit))) {
		ptx_nomem(emit);
		return NULL;
	}
	if (emit->uses_memory && !n_family) {
		reg->memory = ptx_entry_alloca(emit, ptx_int_type(emit, ptx_bits(type)));
		clear(emit, reg->memory);
	}
	return reg;
}

/* A register of one scope. Members of a family are made when they are met. A family's
 * own name (%r of %r<4>) is none. */
static struct ptx_register *find_in_scope(struct ptx_emit *emit, unsigned scope, const char *name)
{
	uint32_t i = *cell_of(emit, scope, name);

	if (i && !emit->registers[i - 1].n_family)
		return &emit->registers[i - 1];
	for (uint32_t k = 0; k < emit->n_families; k++) {
		const struct ptx_register *family = &emit->registers[emit->families[k]];

		if (family->scope == scope && family_member(family, name) >= 0)
			return ptx_register_add(emit, scope, name, family->type, 0, 1);
	}
	return NULL;
}

struct ptx_register *ptx_register_find(struct ptx_emit *emit, const char *name)
{
	struct ptx_register *reg = NULL;

	for (uint32_t depth = emit->n_scopes; depth-- > 0 && !reg;)
		reg = find_in_scope(emit, emit->scopes[depth], name);
	return reg;
}

/* The slot of a name with an optional lane (v.x). */
struct ptx_register *ptx_register_slot(struct ptx_emit *emit, const struct ptx_operand *operand)
{
	static const char lanes[] = "xyzwrgba";
	struct ptx_register *reg = ptx_register_find(emit, operand->name);
	const char *lane;

	if (!reg || !operand->component)
		return reg && reg->n_lanes > 1 ? NULL : reg;
	lane = strchr(lanes, operand->component[0]);
	if (!lane || !*lane || operand->component[1] || (lane - lanes) % 4 >= reg->n_lanes)
		return NULL;
	return reg + (lane - lanes) % 4;
}

struct ptx_register *ptx_variable_add(struct ptx_emit *emit, unsigned scope, const char *name,
				      LLVMValueRef variable, uint64_t bytes)
{
	bool uses_memory = emit->uses_memory;
	struct ptx_register *reg;

	emit->uses_memory = false;
	reg = ptx_register_add(emit, scope, name, PTX_B64, 0, 1);
	emit->uses_memory = uses_memory;
	if (reg) {
		reg->variable = variable;
		reg->variable_bytes = bytes;
	}
	return reg;
}

/* Registers that were never written are 0: PTX leaves them undefined, but
 * LLVM's undef would spread to what does not depend on them. */
LLVMValueRef ptx_register_get(struct ptx_emit *emit, const struct ptx_register *reg)
{
	if (reg->variable)
		return LLVMBuildPtrToInt(emit->builder, reg->variable, ptx_int_type(emit, 64), "");
	if (reg->memory)
		return LLVMBuildLoad2(emit->builder, ptx_int_type(emit, ptx_bits(reg->type)),
				      reg->memory, "");
	return reg->value ? reg->value : LLVMConstNull(ptx_int_type(emit, ptx_bits(reg->type)));
}

void ptx_register_set(struct ptx_emit *emit, struct ptx_register *reg, LLVMValueRef bits)
{
	if (reg->memory)
		LLVMBuildStore(emit->builder, bits, reg->memory);
	else
		reg->value = bits;
}
