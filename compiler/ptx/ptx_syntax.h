/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_syntax.h - the syntax tree of a piece of inline PTX. Knows no LLVM.
 *
 * The grammar is that of "PTX ISA", chapters Syntax and Instruction Operands,
 * as far as statements inside a function body go: instructions, labels, braces,
 * declarations of registers and of .local, .shared and .param variables, .branchtargets, .callprototype. ptx_parse()
 * makes the tree of an asm statement, ptx_program_free() ends it with all its parts at once; nothing in it is owned on
 * its own. Whole modules: ptx_module.h. */
#ifndef CUDASIM_COMPILER_PTX_SYNTAX_H
#define CUDASIM_COMPILER_PTX_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

enum ptx_operand_kind {
	PTX_NAME,    /* register, special register, label, variable: name */
	PTX_ASM,     /* operand of the asm statement ($0, ${1:r}): number */
	PTX_INTEGER, /* value; constant expressions are evaluated by the parser */
	PTX_FLOAT,   /* real: 1.5, 0d..., 0f... (a float widens without loss) */
	PTX_VECTOR,  /* {a, b, ...}: parts[0..n_parts) */
	PTX_ADDRESS, /* [base + offset]: parts[0], absent when n_parts is 0, and
	              * value or, where the offset is not a constant, parts[1] */
	PTX_SINK,    /* _ : a destination that nobody wants */
	PTX_LIST,    /* (a, b) of a call: parts[0..n_parts) */
};

struct ptx_operand {
	enum ptx_operand_kind kind;
	bool negated;           /* !p of a predicate source; -x of an operand */
	const char *name;       /* PTX_NAME: without component */
	const char *component;  /* "x" in %tid.x, NULL if absent */
	uint32_t number;        /* PTX_ASM */
	int64_t value;          /* PTX_INTEGER, PTX_ADDRESS; PTX_NAME: name+value, modules only */
	double real;            /* PTX_FLOAT */
	struct ptx_operand *parts;
	uint32_t n_parts;
	struct ptx_operand *second; /* q in p|q, else NULL */
};

/* Where a body's variable lies. */
enum ptx_space { PTX_LOCAL, PTX_SHARED, PTX_PARAM };

/* What a function takes or returns. */
struct ptx_param {
	const char *name;    /* "_" in prototypes */
	const char *type;    /* "b8", "u64" */
	uint32_t n_elements; /* of an array, 1 for a single number */
	uint32_t alignment;  /* in bytes; 0: that of its type */
	bool is_array, is_register;
};

enum ptx_statement_kind {
	PTX_INSTRUCTION,
	PTX_LABEL,    /* name */
	PTX_OPEN,     /* { : a scope of registers and labels begins */
	PTX_CLOSE,    /* } */
	PTX_REGISTER, /* .reg: name, type, n_lanes, n_family */
	PTX_VARIABLE, /* .local or .shared: name, type, n_lanes, n_elements, alignment */
	PTX_TARGETS,  /* name: .branchtargets operands; name is NULL without a label */
	PTX_PROTOTYPE, /* name: .callprototype of indirect calls: returns, params */
};

struct ptx_statement {
	enum ptx_statement_kind kind;
	const char *text; /* as written, blanks squeezed, without the semicolon */
	uint32_t line;    /* within the string, 1.. */
	uint32_t file, source_line; /* of the last .loc in a module; 0: none */

	/* PTX_INSTRUCTION */
	struct ptx_operand *guard; /* @p; negated for @!p; NULL if absent */
	const char *opcode;        /* "add" */
	const char **modifiers;    /* "sat", "shared::cta": without the dot */
	uint32_t n_modifiers;
	struct ptx_operand *operands;
	uint32_t n_operands;

	/* PTX_LABEL, PTX_REGISTER */
	const char *name;
	const char *type;  /* "b32", "pred" */
	uint32_t n_lanes;  /* 2 or 4 for .v2 and .v4, else 1 */
	uint32_t n_family; /* %r<4> declares %r0..%r3: 4; 0 for a single register */

	/* PTX_VARIABLE */
	enum ptx_space space;
	uint32_t n_elements; /* of its array, 1 for a single one */
	uint32_t alignment;  /* in bytes; 0: that of its type */

	/* PTX_PROTOTYPE */
	struct ptx_param *returns, *params;
	uint32_t n_returns, n_params;
};

struct ptx_arena;

struct ptx_program {
	struct ptx_statement *statements;
	size_t n_statements;
	struct ptx_arena *arena;
};

/* Parses text, which need not end in a zero byte. is_template: text is an asm
 * string of LLVM, where $0 and ${0:x} are operands and $$ is a dollar.
 *
 * Errors: CUDASIM_E_FORMAT with a message that shows the statement, for text
 * that is not PTX; CUDASIM_E_UNSUPPORTED for directives we do not take. */
struct cudasim_error *ptx_parse(const char *text, size_t size, bool is_template,
				struct ptx_program *ret);
void ptx_program_free(struct ptx_program *program);

/* Has the instruction this modifier? */
bool ptx_has(const struct ptx_statement *statement, const char *modifier);

#endif
