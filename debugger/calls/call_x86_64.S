/* SPDX-License-Identifier: Apache-2.0 */
/* call_x86_64.S - void call_registers_run(struct call_registers *): loads the
 * registers and the stack that a call wants, calls, and keeps every register in which
 * a result may be. Neither a compiler nor libffi can: structs of three integers come
 * back in rax, rdx and rcx, of four floats in xmm0, xmm1, st(0) and st(1). */
	.text
	.globl	call_registers_run
	.hidden	call_registers_run
	.type	call_registers_run, @function
	.p2align 4
call_registers_run:
	.cfi_startproc
	endbr64
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq	%rbx
	.cfi_offset %rbx, -24
	pushq	%r12
	movq	%rdi, %rbx
	movq	120(%rbx), %rcx
	leaq	(,%rcx,8), %rax
	subq	%rax, %rsp
	movq	128(%rbx), %rsi
	movq	%rsp, %rdi
	cld
	rep movsq
	movq	8(%rbx), %rdi
	movq	16(%rbx), %rsi
	movq	24(%rbx), %rdx
	movq	32(%rbx), %rcx
	movq	40(%rbx), %r8
	movq	48(%rbx), %r9
	movsd	56(%rbx), %xmm0
	movsd	64(%rbx), %xmm1
	movsd	72(%rbx), %xmm2
	movsd	80(%rbx), %xmm3
	movsd	88(%rbx), %xmm4
	movsd	96(%rbx), %xmm5
	movsd	104(%rbx), %xmm6
	movsd	112(%rbx), %xmm7
	movl	$8, %eax
	call	*(%rbx)
	movq	%rax, 136(%rbx)
	movq	%rdx, 144(%rbx)
	movq	%rcx, 152(%rbx)
	movsd	%xmm0, 160(%rbx)
	movsd	%xmm1, 168(%rbx)
	cmpq	$1, 176(%rbx)
	jb	1f
	fstpt	192(%rbx)
	je	1f
	fstpt	208(%rbx)
1:
	leaq	-16(%rbp), %rsp
	popq	%r12
	popq	%rbx
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	call_registers_run, . - call_registers_run
	.section .note.GNU-stack,"",@progbits
