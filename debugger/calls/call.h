/* SPDX-License-Identifier: Apache-2.0 */
/* call.h - a call of one of the program's functions from the debugger's own pthread:
 * where arguments and results stand, and a guard around what the function does. */
#ifndef CUDASIM_DEBUGGER_CALL_H
#define CUDASIM_DEBUGGER_CALL_H

#include <signal.h>

#include "value.h"

#define CALL_STACK_WORDS 512 /* 4 KiB of arguments */

/* Read and written by call_x86_64.S, which knows the offsets. */
struct call_registers {
	uint64_t code;
	uint64_t gpr[6];        /* rdi, rsi, rdx, rcx, r8, r9 */
	uint64_t xmm[8];        /* low halves */
	uint64_t n_stack;       /* words, even */
	const uint64_t *stack;
	uint64_t rax, rdx, rcx; /* after the call */
	uint64_t xmm0, xmm1;
	uint64_t n_x87;         /* results on the x87 stack: 0..2 */
	_Alignas(16) unsigned char x87[2][16]; /* st(0), st(1): 10 bytes each */
};

/* Which convention a function follows. Device code is made of IR for NVPTX: structs
 * are passed on the stack (byval), and returned by LLVM's x86 rule for first-class
 * structs: their scalars one by one in rax, rdx, rcx and xmm0, xmm1, st(0), st(1); in
 * memory when these do not suffice. Host code follows the System V ABI. */
enum call_convention { CALL_DEVICE, CALL_HOST };

struct call {
	enum call_convention convention;
	const struct type *result;
	struct call_registers registers;
	uint64_t stack[CALL_STACK_WORDS];
	size_t n_gpr, n_xmm, n_stack;
	bool in_memory;         /* the result is: at memory, which has its size */
	void *memory;
};

/* CUDASIM_E_UNSUPPORTED for results whose place is not known. call_fini() ends it. */
struct cudasim_error *call_init(struct call *call, enum call_convention convention,
				const struct type *result);
void call_fini(struct call *call);
/* Arguments from left to right, `this` first: converted to the parameter's type. */
struct cudasim_error *call_argument(struct call *call, const struct value *value);
struct cudasim_error *call_pointer(struct call *call, uint64_t pointer);
/* Call code as thread (NULL: host code). name is for messages. A fault, a wait, a print
 * or more than 5 seconds end it with an error; its effects so far stay. */
struct cudasim_error *call_run(struct call *call, uint64_t code, struct cudasim_thread *thread,
			       const char *name);
/* The same of a device function on a worker, in a launch: no system calls. registers is all
 * that the call needs. */
struct cudasim_error *call_run_quick(struct call_registers *registers,
				     struct cudasim_thread *thread, const char *name);
/* For the handler of SIGTRAP: does not return where the signal ends a call on this pthread.
 * True: it was for a call that has ended. */
bool call_guard_catches(int signal, const siginfo_t *info);
/* Every 100 ms while the program runs, on the REPL's pthread: ends a call on a worker that
 * lasts 5 seconds, or at once. */
void call_guard_tick(bool quit);
/* Send SIGTRAP with this mark, to be told from the program's own, to a thread of the process. */
void trap_send(pid_t tid, void *mark);
/* SIG_BLOCK or SIG_UNBLOCK: SIGTRAP on this pthread. */
void trap_mask(int how);
struct cudasim_error *call_result(const struct call *call, struct value *ret);

/* Bytes, as far as debug information tells. */
uint64_t type_alignment(const struct type *type);

#endif
