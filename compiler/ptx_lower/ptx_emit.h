/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_emit.h - from the syntax tree of inline PTX to LLVM IR.
 *
 * A string becomes a function of its own: parameters are the asm statement's
 * inputs, the result is its outputs. pass_asm.c inlines it where it is used.
 *
 * Registers are integers of their width (predicates i1), whatever their type,
 * since PTX lets the same register be read as another type of that size. In
 * strings without labels each register is an SSA value; strings with labels keep
 * registers in allocas, which LLVM's own passes take away. */
#ifndef CUDASIM_COMPILER_PTX_EMIT_H
#define CUDASIM_COMPILER_PTX_EMIT_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "ptx_table.h"

struct ptx_unit;     /* ptx_unit.h */
struct ptx_function; /* ptx_module.h */

struct ptx_register {
	const char *name;     /* "" for the carry flag and operands of the statement */
	uint32_t n_family;    /* %r<n>: its members are made when they are met */
	enum ptx_type type;
	uint32_t n_lanes;     /* of .v2 and .v4 registers, which take as many slots */
	LLVMValueRef value;   /* integer of ptx_bits(type); NULL when never written */
	LLVMValueRef memory;  /* an alloca, in strings with labels */
	LLVMValueRef variable; /* a pointer: the name is this variable's address; or NULL */
	uint64_t variable_bytes; /* 0: not known */
	unsigned scope;       /* the pair of braces it is declared in */
};

struct ptx_label {
	const char *name;
	unsigned scope;
	LLVMBasicBlockRef block;
	bool is_placed;
};

enum { PTX_MAX_NARROW = 16 };

struct ptx_emit {
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMBuilderRef builder;
	LLVMValueRef function;

	const struct ptx_program *program;
	const struct ptx_statement *at; /* the statement at hand */
	struct ptx_statement widened;   /* where vector registers stand as {v.x, v.y} */
	struct ptx_match match;         /* of the statement at hand */

	/* registers[0] is the carry flag, registers[1 + i] operand $i. */
	struct ptx_register *registers;
	uint32_t n_registers, n_register_room;
	uint32_t *index, index_room; /* of registers by name: numbers from 1, 0: empty */
	uint32_t *families, n_families; /* registers that are families */
	uint32_t n_operands;
	bool uses_memory; /* registers are allocas */

	struct ptx_label *labels;
	uint32_t n_labels;
	uint32_t *label_index, label_room; /* by name: numbers from 1, 0: empty */
	unsigned *scopes; /* stack of open scopes' numbers */
	uint32_t n_scopes, n_scopes_seen;

	/* In functions of modules; NULL in asm statements. */
	struct ptx_unit *unit;
	const struct ptx_function *defined; /* its head */
	LLVMMetadataRef debug_scope;

	/* .local variables whose address was asked for in 32 bits so far. */
	LLVMValueRef narrow[PTX_MAX_NARROW];
	uint32_t n_narrow;

	struct cudasim_error *error; /* the first one */
};

/* One operand of the asm statement. */
struct ptx_asm_operand {
	enum ptx_type type;  /* width of its register: b16, b32, b64, b128 */
	LLVMValueRef input;  /* what it holds at the start, or NULL */
	bool is_output;
};

/* Emits program's statements at the end of builder's block and puts each
 * output's final value (an integer of its register's width) in outputs[i], NULL
 * for operands that are no outputs. carry_in may be NULL (false), carry_out too.
 *
 * Errors: CUDASIM_E_UNSUPPORTED or CUDASIM_E_FORMAT; the message shows the
 * statement. What has been emitted by then is well-formed but meaningless. */
struct cudasim_error *ptx_emit_program(LLVMModuleRef module, LLVMBuilderRef builder,
				       LLVMValueRef function, const struct ptx_program *program,
				       const struct ptx_asm_operand *operands, uint32_t n_operands,
				       LLVMValueRef carry_in, LLVMValueRef *outputs,
				       LLVMValueRef *carry_out);

/* The same in steps, for the body of a module's function. begin: emission's context, module,
 * builder, function, program and unit are set, all else is 0; opens the outermost scope, and
 * registers are allocas. end frees what is not the caller's; the error is his. */
bool ptx_emit_begin(struct ptx_emit *emit);
void ptx_emit_statements(struct ptx_emit *emit);
void ptx_emit_end(struct ptx_emit *emit);

/* The variable or function of a module, as a pointer; NULL if there is none. */
LLVMValueRef ptx_unit_find(const struct ptx_unit *unit, const char *name);
/* Sets the builder's debug location to the statement's. */
void ptx_unit_locate(struct ptx_emit *emit);

/* Does a statement of the program read (write) the carry flag before any other
 * writes it? */
void ptx_program_carry(const struct ptx_program *program, bool *reads, bool *writes);

/* ---- for emitters ---- */

/* Sets the emission's error: "PTX instruction 'text' <what>". */
void ptx_fail(struct ptx_emit *emit, const char *what);
void ptx_unsupported(struct ptx_emit *emit);
/* In modules the operand's name is a part of the message. */
void ptx_fail_name(struct ptx_emit *emit, const struct ptx_operand *operand, const char *what);

/* Does the statement at hand have this modifier? */
bool ptx_is(const struct ptx_emit *emit, const char *modifier);

/* Operand i of the statement; NULL if absent. */
const struct ptx_operand *ptx_operand(const struct ptx_emit *emit, uint32_t i);

/* Element i of operand `index`, which is a vector of n or, with n 1, itself; NULL with an error where
 * it is not. */
const struct ptx_operand *ptx_element(struct ptx_emit *emit, uint32_t index, unsigned i,
				      unsigned n);

/* The declared type of the register an operand names; PTX_NONE for others. */
enum ptx_type ptx_operand_type(struct ptx_emit *emit, const struct ptx_operand *operand);

LLVMTypeRef ptx_int_type(const struct ptx_emit *emit, unsigned bits);
/* The type that LLVM computes this one in: i32, float, <2 x half>, ... */
LLVMTypeRef ptx_llvm_type(const struct ptx_emit *emit, enum ptx_type type);
LLVMValueRef ptx_int(const struct ptx_emit *emit, unsigned bits, uint64_t value);

/* An operand's value, of ptx_llvm_type(type). Never NULL; zero after an error.
 * A register wider than the type is cut, a narrower one extended. */
LLVMValueRef ptx_read(struct ptx_emit *emit, const struct ptx_operand *operand, enum ptx_type type);
LLVMValueRef ptx_source(struct ptx_emit *emit, uint32_t i, enum ptx_type type);
/* Gives an operand a value of ptx_llvm_type(type), cut or extended (by the
 * type's sign) to its register. */
void ptx_write(struct ptx_emit *emit, const struct ptx_operand *operand, enum ptx_type type,
	       LLVMValueRef value);
void ptx_dest(struct ptx_emit *emit, uint32_t i, enum ptx_type type, LLVMValueRef value);

/* A value of ptx_llvm_type(type) as an integer of ptx_bits(type), and back. */
LLVMValueRef ptx_to_bits(struct ptx_emit *emit, LLVMValueRef value);
LLVMValueRef ptx_from_bits(struct ptx_emit *emit, enum ptx_type type, LLVMValueRef bits);

/* The carry flag, i1. */
LLVMValueRef ptx_carry_read(struct ptx_emit *emit);
void ptx_carry_write(struct ptx_emit *emit, LLVMValueRef value);

/* Calls an intrinsic that LLVM has for every target (llvm.fshl, ...); overload is
 * its type parameter. */
LLVMValueRef ptx_intrinsic(struct ptx_emit *emit, const char *name, LLVMTypeRef overload,
			   LLVMValueRef *args, unsigned n_args);
/* Calls llvm.nvvm.<name>, which pass_intrinsics.c turns into the builtin
 * __cudasim_nvvm_<name>. Where LLVM knows no intrinsic of that name the call is
 * to a function declared by the arguments' types, which only that pass knows. */
LLVMValueRef ptx_nvvm(struct ptx_emit *emit, const char *name, LLVMTypeRef result,
		      LLVMValueRef *args, unsigned n_args);
/* As above, for what other threads must reach together. */
LLVMValueRef ptx_nvvm_convergent(struct ptx_emit *emit, const char *name, LLVMTypeRef result,
				 LLVMValueRef *args, unsigned n_args);

/* The row's emitter for rows that are one call; see struct ptx_row. */
void ptx_emit_call(struct ptx_emit *emit, const struct ptx_row *row);
void ptx_emit_call_convergent(struct ptx_emit *emit, const struct ptx_row *row);
/* For instructions that have no effect that a program can see. */
void ptx_emit_nothing(struct ptx_emit *emit, const struct ptx_row *row);

/* Ends the block after a call that does not return. */
void ptx_emit_unreachable(struct ptx_emit *emit);

/* A label that the statement at hand can see, or NULL with an error. */
struct ptx_label *ptx_label_find(struct ptx_emit *emit, const char *name);

/* A local address of 64 bits from one that may have come from 32: the variable whose lower half
 * is nearest below says what the upper half is. always: the number never was one of 64 bits. */
LLVMValueRef ptx_widen_local(struct ptx_emit *emit, LLVMValueRef address, bool always);

/* Address operand as a pointer into an address space of NVVM IR: 0 generic,
 * 1 global, 3 shared, 4 constant, 5 local. */
LLVMValueRef ptx_address(struct ptx_emit *emit, const struct ptx_operand *operand, unsigned space);

/* A special register (%tid.x), i32 or i64; NULL if there is none of that name. */
LLVMValueRef ptx_special(struct ptx_emit *emit, const char *name, const char *component);
/* Has it components .x .y .z .w? */
bool ptx_special_is_vector(const char *name);

#endif
