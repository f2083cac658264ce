/* SPDX-License-Identifier: Apache-2.0 */
/* The address that an instruction accesses, against what the assembler made of it. The
 * instructions are never executed: each register holds a number of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fault_operand.h"

#define AT(name, instruction) "at_" #name ": " instruction "\n"
__asm__(".pushsection .text\n" AT(plain, "movl (%rdi), %eax") AT(displaced, "movq %rcx, -24(%rbp)") AT(
	far, "movl 0x12345(%rsi), %edx") AT(indexed,
					    "movw %ax, 6(%r9,%r10,4)") AT(stack,
									  "movl 8(%rsp), %eax")
		AT(high, "movl (%r12), %eax") AT(no_base, "movl 64(,%rbx,8), %eax") AT(
			added,
			"addq %rax, (%r13)") AT(compared,
						"cmpl $3, 4(%rdx)") AT(locked,
								       "lock xaddl %eax, 12(%r8)")
			AT(exchanged, "lock cmpxchgq %rcx, (%r14)") AT(
				extended, "movzwl 2(%rax,%rcx), %edx") AT(sse_load,
									  "movups 16(%r11), %xmm1")
				AT(sse_store, "movss %xmm9, 4(%r15,%rax,2)") AT(
					avx_load,
					"vmovups 32(%rdi,%r9,4), %ymm3") AT(avx_store,
									    "vmovupd %ymm12, -32(%r8)")
					AT(avx_multiplied, "vfmadd231ps 64(%rbx), %ymm1, %ymm2") AT(
						evex_load, "vmovups 128(%rdi,%rcx), %zmm17")
						AT(evex_store, "vmovdqu32 %zmm5, -64(%r9)") AT(
							evex_spread,
							"vaddps 8(%rdx){1to16}, %zmm1, %zmm2")
							AT(gather,
							   "vpgatherdd %ymm1, (%rax,%ymm2,4), %ymm3")
								AT(constant, "movl 0(%rip), %eax") AT(
									copy,
									"rep movsb") ".popsection\n");

/* Numbers by the processor's own order: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, ... */
static uint64_t of(unsigned number)
{
	return 0x1000000ull * (number + 1);
}

static void expect(const void *code, uint64_t address, bool write)
{
	uint64_t registers[16], found = 0;
	bool writes = !write;
	for (unsigned i = 0; i < 16; i++)
		registers[i] = of(i);
	assert_true(fault_operand(code, registers, &found, &writes));
	assert_int_equal(found, address);
	assert_int_equal(writes, write);
}

#define CODE(name) extern const uint8_t name[] __asm__("at_" #name)
CODE(plain);
CODE(displaced);
CODE(far);
CODE(indexed);
CODE(stack);
CODE(high);
CODE(no_base);
CODE(added);
CODE(compared);
CODE(locked);
CODE(exchanged);
CODE(extended);
CODE(sse_load);
CODE(sse_store);
CODE(avx_load);
CODE(avx_store);
CODE(avx_multiplied);
CODE(evex_load);
CODE(evex_store);
CODE(evex_spread);
CODE(gather);
CODE(constant);
CODE(copy);

enum { AX, CX, DX, BX, SP, BP, SI, DI };

static void integer_instructions_have_their_address(void **state)
{
	(void)state;
	expect(plain, of(DI), false);
	expect(displaced, of(BP) - 24, true);
	expect(far, of(SI) + 0x12345, false);
	expect(indexed, of(9) + 4 * of(10) + 6, true);
	expect(stack, of(SP) + 8, false);
	expect(high, of(12), false);
	expect(no_base, 8 * of(BX) + 64, false);
	expect(added, of(13), true);
	expect(compared, of(DX) + 4, false);
	expect(locked, of(8) + 12, true);
	expect(exchanged, of(14), true);
	expect(extended, of(AX) + of(CX) + 2, false);
}

static void vector_instructions_have_their_address(void **state)
{
	(void)state;
	expect(sse_load, of(11) + 16, false);
	expect(sse_store, of(15) + 2 * of(AX) + 4, true);
	expect(avx_load, of(DI) + 4 * of(9) + 32, false);
	expect(avx_store, of(8) - 32, true);
	expect(avx_multiplied, of(BX) + 64, false);
	expect(evex_load, of(DI) + of(CX) + 128, false);
	expect(evex_store, of(9) - 64, true);
	expect(evex_spread, of(DX) + 8, false);
}

static void others_have_none(void **state)
{
	(void)state;
	uint64_t registers[16] = {0}, found;
	bool writes;
	assert_false(fault_operand(gather, registers, &found, &writes));
	assert_false(fault_operand(constant, registers, &found, &writes));
}

/* Of the two addresses of a copy it is the one that no program can have. */
static void copies_have_the_odd_address(void **state)
{
	(void)state;
	uint64_t registers[16] = {0}, found;
	bool writes;
	registers[SI] = 0x1000;
	registers[DI] = 1ull << 60 | 0x2000;
	assert_true(fault_operand(copy, registers, &found, &writes));
	assert_int_equal(found, registers[DI]);
	assert_true(writes);
	registers[SI] = 1ull << 61;
	registers[DI] = 0x2000;
	assert_true(fault_operand(copy, registers, &found, &writes));
	assert_int_equal(found, registers[SI]);
	assert_false(writes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integer_instructions_have_their_address),
		cmocka_unit_test(vector_instructions_have_their_address),
		cmocka_unit_test(others_have_none),
		cmocka_unit_test(copies_have_the_odd_address),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
