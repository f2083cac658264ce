/* SPDX-License-Identifier: Apache-2.0 */
/* trampolines.S - what libcudasim exports under the names of libcudart and libcuda: one jump
 * through a slot each, to the simulator's function or to the real library's. With
 * TRAMPOLINE_NAMES the names of another library, which has its own slot_bind().
 *
 * A slot first holds the address of code that has it bound: slot_bind() (slots.c) chooses,
 * stores, and the call goes on as if nothing had been. So does a dynamic linker bind lazily;
 * IFUNC, which would save the jump, has to choose before the program can say what it holds.
 * now_NAME is the same address, for calls within the library (sim/api/cuda_12).
 * The slots of names.def and driver_names.def are one array, in that order: gpu_slots. */
#ifdef __x86_64__

	.text
	.p2align 4
	.type bind, @function
/* r11: the slot. Everything that may carry an argument is kept, and rax, which counts
 * vector registers. */
bind:
	.cfi_startproc
	pushq %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq %rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq %rdi
	pushq %rsi
	pushq %rdx
	pushq %rcx
	pushq %r8
	pushq %r9
	pushq %rax
	subq $136, %rsp
	movups %xmm0, (%rsp)
	movups %xmm1, 16(%rsp)
	movups %xmm2, 32(%rsp)
	movups %xmm3, 48(%rsp)
	movups %xmm4, 64(%rsp)
	movups %xmm5, 80(%rsp)
	movups %xmm6, 96(%rsp)
	movups %xmm7, 112(%rsp)
	movq %r11, %rdi
	call slot_bind
	movq %rax, %r11
	movups (%rsp), %xmm0
	movups 16(%rsp), %xmm1
	movups 32(%rsp), %xmm2
	movups 48(%rsp), %xmm3
	movups 64(%rsp), %xmm4
	movups 80(%rsp), %xmm5
	movups 96(%rsp), %xmm6
	movups 112(%rsp), %xmm7
	addq $136, %rsp
	popq %rax
	popq %r9
	popq %r8
	popq %rcx
	popq %rdx
	popq %rsi
	popq %rdi
	popq %rbp
	.cfi_def_cfa %rsp, 8
	jmp *%r11
	.cfi_endproc
	.size bind, . - bind

	.section .data.rel.local, "aw", @progbits
	.p2align 6
	.globl gpu_slots
	.hidden gpu_slots
gpu_slots:

	.macro trampoline name
	.text
	.p2align 3
	.globl \name
	.type \name, @function
	.globl now_\name
	.hidden now_\name
\name:
now_\name:
	.cfi_startproc
	jmp *slot_\name(%rip)
	.cfi_endproc
	.size \name, . - \name
	.text 1
bind_\name:
	.cfi_startproc
	leaq slot_\name(%rip), %r11
	jmp bind
	.cfi_endproc
	.section .data.rel.local, "aw", @progbits
slot_\name:
	.quad bind_\name
	.endm

#define X(name) trampoline name
#ifdef TRAMPOLINE_NAMES
#define U X
#include TRAMPOLINE_NAMES
#else
#include "names.def"
#include "driver_names.def"
#endif

	.section .note.GNU-stack, "", @progbits

#else
#error "the trampolines are not written yet for this architecture"
#endif
