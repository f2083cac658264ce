/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_table.h - the instructions that the translator knows.
 *
 * Each ptx_*.c file with emitters exports an array of rows. A statement belongs
 * to the first row of its opcode that accepts all its modifiers. To add an
 * instruction, add a row; write an emitter only if ptx_emit_call will not do. */
#ifndef CUDASIM_COMPILER_PTX_TABLE_H
#define CUDASIM_COMPILER_PTX_TABLE_H

#include <stddef.h>

#include "ptx_syntax.h"
#include "ptx_type.h"

#define PTX_MAX_TYPES 4
#define PTX_MAX_GROUPS 12

struct ptx_emit;

struct ptx_row {
	const char *opcode;

	/* Modifiers that are not types: groups between blanks, alternatives of a
	 * group between bars, a group ending in ? may be absent: "rn|rz? ftz?".
	 * A statement may use each group once, in any order. */
	const char *modifiers;

	/* Type modifiers, in order: positions between commas, alternatives between
	 * bars: "u32|s32,f32". "" if the instruction has none. */
	const char *types;

	/* Operands: one letter each, those before the colon are written:
	 *   s t u   of the first, second, third type
	 *   h w l   of type b16, b32, b64      p  predicate
	 *   a       address in brackets        x  anything (the emitter knows)
	 * ? after a letter: may be absent, with all that follow. */
	const char *operands;

	void (*emit)(struct ptx_emit *emit, const struct ptx_row *row);

	/* For ptx_emit_call: the builtin to call, as ptx_nvvm() takes it. %0 %1 %2
	 * stand for the types' names; %a..%l for the modifier used of the first,
	 * second, ... group, with a dot before it, or nothing when absent. Operands
	 * travel as integers of their type, f32 and f64 as float and double,
	 * predicates as i1. Other emitters use it as they like. */
	const char *function;
	unsigned long data; /* for the emitter */
};

/* The rows of one file; ends with a NULL opcode. */
extern const struct ptx_row ptx_rows_integer[];
extern const struct ptx_row ptx_rows_carry[];
extern const struct ptx_row ptx_rows_float[];
extern const struct ptx_row ptx_rows_half[];
extern const struct ptx_row ptx_rows_compare[];
extern const struct ptx_row ptx_rows_convert[];
extern const struct ptx_row ptx_rows_move[];
extern const struct ptx_row ptx_rows_memory[];
extern const struct ptx_row ptx_rows_atomic[];
extern const struct ptx_row ptx_rows_sync[];
extern const struct ptx_row ptx_rows_async[];
extern const struct ptx_row ptx_rows_video[];
extern const struct ptx_row ptx_rows_mma[];
extern const struct ptx_row ptx_rows_flow[];
extern const struct ptx_row ptx_rows_call[];

/* All of them; ends with NULL. */
extern const struct ptx_row *const ptx_tables[];

/* What a statement chose of its row. */
struct ptx_match {
	const struct ptx_row *row;
	enum ptx_type types[PTX_MAX_TYPES];
	const char *modifiers[PTX_MAX_GROUPS]; /* by group, NULL if absent */
};

/* The row of an instruction statement; false if there is none. */
bool ptx_table_find(const struct ptx_statement *statement, struct ptx_match *ret);

#endif
