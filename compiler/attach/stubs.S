/* SPDX-License-Identifier: Apache-2.0 */
/* stubs.S - what device code calls of libcudasim: one jump each, through a slot that attach.c
 * fills. So an object asks its linker for nothing that only libcudasim has, and links beside
 * NVIDIA's libcudart as nvcc's objects do.
 *
 * All of it is one group, of which a linker keeps the first copy. A slot comes before its
 * name's address: struct slot of attach.c. */
#ifdef __x86_64__

	.macro stub name
	.section .text.cudasim_stubs, "axG", @progbits, __cudasim_slots, comdat
	.p2align 3
	.weak \name
	.hidden \name
	.type \name, @function
\name:
	.cfi_startproc
	jmp *slot_\name(%rip)
	.cfi_endproc
	.size \name, . - \name
	.section .rodata.cudasim_stubs, "aG", @progbits, __cudasim_slots, comdat
name_\name:
	.asciz "\name"
	.section .data.cudasim_stubs, "awG", @progbits, __cudasim_slots, comdat
slot_\name:
	.quad 0
	.quad name_\name
	.endm

	.section .data.cudasim_stubs, "awG", @progbits, __cudasim_slots, comdat
	.p2align 4
	.weak __cudasim_slots, __cudasim_slots_end, __cudasim_self_offset
	.hidden __cudasim_slots, __cudasim_slots_end, __cudasim_self_offset
	.type __cudasim_self_offset, @object
/* Where a pthread's __cudasim_self lies, from its thread pointer. */
__cudasim_self_offset:
	.quad 0
	.size __cudasim_self_offset, 8
	.p2align 4
__cudasim_slots:
#define X(name) stub name
#include "functions.def"
	.section .data.cudasim_stubs, "awG", @progbits, __cudasim_slots, comdat
__cudasim_slots_end:

	.section .note.GNU-stack, "", @progbits

#else
#error "the stubs are not written yet for this architecture"
#endif
