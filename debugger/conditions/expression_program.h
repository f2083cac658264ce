/* SPDX-License-Identifier: Apache-2.0 */
/* expression_program.h - a condition as a program for a small stack machine.
 *
 * Slots are 64 bits: integers, sign or zero extended as their type has it, pointers, or
 * doubles. Floats are kept as doubles and rounded after each operation, which gives
 * float's results exactly (53 >= 2 * 24 + 2 bits). */
#ifndef CUDASIM_DEBUGGER_EXPRESSION_PROGRAM_H
#define CUDASIM_DEBUGGER_EXPRESSION_PROGRAM_H

#include "cudasim/abi.h"
#include "expression_tree.h"

#define PROGRAM_STACK 32

enum instruction {
	PUSH,           /* integer or real */
	PUSH_FRAME,     /* base + integer */
	PUSH_FRAME_DEREF, /* the address that stands at base + integer */
	PUSH_GLOBAL,    /* address of globals[index] on the thread's device */
	PUSH_BUILTIN,   /* index: enum builtin * 4 + component */
	LOAD_FRAME,     /* load from base + integer */
	LOAD,           /* load from the address on the stack; safe: it is known to be there */
	OFFSET,         /* add integer to the address */
	INDEX, /* address, index: address + index * size; beyond n the address is not safe */
	ADD,
	SUBTRACT,
	MULTIPLY,
	DIVIDE,
	MODULO,
	SHIFT_LEFT,
	SHIFT_RIGHT,
	AND,
	OR,
	XOR,
	EQUAL,
	UNEQUAL,
	LESS,
	GREATER,
	LESS_EQUAL,
	GREATER_EQUAL,
	NEGATE,
	COMPLEMENT,
	NOT,
	TRUTH,
	REAL_ADD,
	REAL_SUBTRACT,
	REAL_MULTIPLY,
	REAL_DIVIDE,
	REAL_EQUAL,
	REAL_UNEQUAL,
	REAL_LESS,
	REAL_GREATER,
	REAL_LESS_EQUAL,
	REAL_GREATER_EQUAL,
	REAL_NEGATE,
	REAL_NOT,
	REAL_TRUTH,
	REAL_FUNCTION, /* u.function of the slot */
	CALL, /* calls[index] with the slots of its arguments, the first lowest */
	TO_REAL,
	TO_INTEGER,
	WRAP,
	ROUND, /* conversions to form */
	JUMP,
	JUMP_IF_ZERO,
	JUMP_IF_NOT_ZERO, /* to index; _ZERO ones pop */
	KEEP_JUMP_IF_ZERO,
	KEEP_JUMP_IF_NOT_ZERO, /* leave the slot if they jump, else pop */
	END,
};

/* How a number stands in memory, and what it is rounded to. */
enum form {
	FORM_I8,
	FORM_U8,
	FORM_I16,
	FORM_U16,
	FORM_I32,
	FORM_U32,
	FORM_I64,
	FORM_U64,
	FORM_FLOAT,
	FORM_DOUBLE,
	FORM_BOOL
};

struct operation {
	uint8_t code; /* enum instruction */
	uint8_t form; /* enum form */
	bool safe, is_signed;
	uint32_t index;
	union {
		int64_t integer;
		double real;
		double (*function)(double);
		struct {
			uint32_t size, n;
		} array;
	} u;
};

struct program_global {
	const struct variable *variable;
	uint64_t address[CUDASIM_MAX_DEVICES]; /* 0: not looked up yet */
};

/* A call of a device function whose arguments and result are numbers and pointers. */
enum { PROGRAM_ARGUMENTS = 8 };
struct program_call {
	uint64_t code;
	const char *name; /* lives as long as the expression */
	uint8_t n, forms[PROGRAM_ARGUMENTS]; /* enum form */
	uint8_t result;
};

struct program {
	size_t n, n_globals, n_calls;
	struct program_global *globals;
	struct program_call *calls;
	struct operation operations[];
};

/* NULL where the expression has something that only the evaluator can do. Freed with
 * free(). */
struct program *program_compile(const struct expression *expression);
struct cudasim_error *program_run(struct program *program, struct cudasim_thread *thread,
				  uint64_t base, bool *ret);

#endif
