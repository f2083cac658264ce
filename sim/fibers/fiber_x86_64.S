/* SPDX-License-Identifier: Apache-2.0 */
/* fiber_x86_64.S - the switch of fibers on x86-64 (System V ABI).
 *
 * void fiber_exchange(void **save, void *sp)
 *
 * A stack that is not running holds, from its stack pointer upwards: r15, r14,
 * r13, r12, rbx, rbp, address to go on at. The floating-point control words
 * are not switched: device code changes them only within one operation. */
	.text
	.globl	fiber_exchange
	.hidden	fiber_exchange
	.type	fiber_exchange, @function
	.p2align 4
fiber_exchange:
	.cfi_startproc
	endbr64
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	pushq	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	pushq	%r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r12, 0
	pushq	%r13
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r13, 0
	pushq	%r14
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r14, 0
	pushq	%r15
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r15, 0
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp
	popq	%r15
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r15
	popq	%r14
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r14
	popq	%r13
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r13
	popq	%r12
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r12
	popq	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	popq	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbp
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	.cfi_register %rip, %rcx
	jmpq	*%rcx
	.cfi_endproc
	.size	fiber_exchange, . - fiber_exchange

/* void fiber_return(void *sp)
 *
 * The end of a fiber: go on where fiber_exchange() was called, on the stack sp. To be
 * jumped to: then this return meets that call in the processor's stack of return
 * addresses, as do all returns after it, which would be mispredicted otherwise. */
	.globl	fiber_return
	.hidden	fiber_return
	.type	fiber_return, @function
	.p2align 4
fiber_return:
	.cfi_startproc
	.cfi_undefined %rip
	endbr64
	movq	%rdi, %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	ret
	.cfi_endproc
	.size	fiber_return, . - fiber_return

/* Where a fresh fiber goes on: as if it called r14 with the argument r15, but by a jump,
 * see fiber_return(). */
	.globl	fiber_begin
	.hidden	fiber_begin
	.type	fiber_begin, @function
	.p2align 4
fiber_begin:
	.cfi_startproc
	.cfi_undefined %rip
	endbr64
	movq	%r15, %rdi
	leaq	1f(%rip), %rcx
	pushq	%rcx
	jmpq	*%r14
1:	ud2
	.cfi_endproc
	.size	fiber_begin, . - fiber_begin

	.section .note.GNU-stack, "", @progbits
