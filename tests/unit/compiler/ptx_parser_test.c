/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_parser_test.c - PTX text to syntax tree. Expected trees follow the PTX
 * manual's grammar. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptx_syntax.h"

static struct ptx_program program;

static void parse(const char *text)
{
	struct cudasim_error *error = ptx_parse(text, strlen(text), true, &program);

	if (error)
		fail_msg("%s", error->message);
}

/* The error's message for text that is not PTX; freed by the caller. */
static char *parse_wrong(const char *text)
{
	struct cudasim_error *error = ptx_parse(text, strlen(text), true, &program);
	char *message;

	assert_non_null(error);
	message = strdup(error->message);
	cudasim_error_free(error);
	return message;
}

static int teardown(void **state)
{
	(void)state;
	ptx_program_free(&program);
	return 0;
}

static const struct ptx_statement *only(void)
{
	assert_int_equal(program.n_statements, 1);
	return &program.statements[0];
}

static void instruction_has_modifiers_and_operands(void **state)
{
	const struct ptx_statement *s;

	(void)state;
	parse("mad.lo.cc.u32 $0, %r1, 0x1F, _;");
	s = only();
	assert_int_equal(s->kind, PTX_INSTRUCTION);
	assert_string_equal(s->opcode, "mad");
	assert_int_equal(s->n_modifiers, 3);
	assert_string_equal(s->modifiers[2], "u32");
	assert_true(ptx_has(s, "cc"));
	assert_false(ptx_has(s, "hi"));
	assert_int_equal(s->n_operands, 4);
	assert_int_equal(s->operands[0].kind, PTX_ASM);
	assert_int_equal(s->operands[0].number, 0);
	assert_string_equal(s->operands[1].name, "%r1");
	assert_int_equal(s->operands[2].value, 31);
	assert_int_equal(s->operands[3].kind, PTX_SINK);
}

static void guard_may_be_negated(void **state)
{
	(void)state;
	parse("@!p bra L;  @%p2 exit;");
	assert_int_equal(program.n_statements, 2);
	assert_true(program.statements[0].guard->negated);
	assert_string_equal(program.statements[0].guard->name, "p");
	assert_string_equal(program.statements[0].operands[0].name, "L");
	assert_false(program.statements[1].guard->negated);
	assert_string_equal(program.statements[1].guard->name, "%p2");
	assert_int_equal(program.statements[1].n_operands, 0);
}

static void address_has_base_and_offset(void **state)
{
	const struct ptx_operand *a;

	(void)state;
	parse("ld.shared::cta.u32 $0, [$1 + -4];");
	a = &only()->operands[1];
	assert_true(ptx_has(only(), "shared::cta"));
	assert_int_equal(a->kind, PTX_ADDRESS);
	assert_int_equal(a->n_parts, 1);
	assert_int_equal(a->parts[0].number, 1);
	assert_int_equal(a->value, -4);
	ptx_program_free(&program);

	parse("st.u32 [addr+$1], 1;");
	a = &only()->operands[0];
	assert_int_equal(a->n_parts, 2);
	assert_string_equal(a->parts[0].name, "addr");
	assert_int_equal(a->parts[1].number, 1);
	ptx_program_free(&program);

	parse("ld.u32 $0, [64-16];");
	a = &only()->operands[1];
	assert_int_equal(a->n_parts, 0);
	assert_int_equal(a->value, 48);
}

static void vector_pair_and_component(void **state)
{
	const struct ptx_statement *s;

	(void)state;
	parse("ld.v2.f32 {%f1, _}, [$0]; setp.lt.s32 p|q, $0.b1, %tid.x, !r;");
	assert_int_equal(program.statements[0].operands[0].kind, PTX_VECTOR);
	assert_int_equal(program.statements[0].operands[0].n_parts, 2);
	assert_int_equal(program.statements[0].operands[0].parts[1].kind, PTX_SINK);
	s = &program.statements[1];
	assert_string_equal(s->operands[0].name, "p");
	assert_string_equal(s->operands[0].second->name, "q");
	assert_string_equal(s->operands[1].component, "b1");
	assert_string_equal(s->operands[2].name, "%tid");
	assert_string_equal(s->operands[2].component, "x");
	assert_true(s->operands[3].negated);
}

static void number(const char *text, int64_t expected)
{
	char line[100];

	snprintf(line, sizeof(line), "mov.b64 a, %s;", text);
	parse(line);
	assert_int_equal(only()->operands[1].kind, PTX_INTEGER);
	assert_true(only()->operands[1].value == expected);
	ptx_program_free(&program);
}

static void numbers_of_every_base(void **state)
{
	(void)state;
	number("0", 0);
	number("017", 15);
	number("0b101U", 5);
	number("0xFFFFFFFFFFFFFFFF", -1);
	number("18446744073709551615U", -1);
	number("-5", -5);
	number("WARP_SZ", 32);
}

static void constant_expressions_bind_as_in_c(void **state)
{
	(void)state;
	number("1+2*3", 7);
	number("(1+2)*3", 9);
	number("10-4-3", 3);
	number("1<<4+1", 32);
	number("0xff & ~0xf", 0xf0);
	number("-7/2", -3);
	number("!0", 1);
	number("WARP_SZ-1", 31);
}

static void reals_and_bit_patterns(void **state)
{
	(void)state;
	parse("mov.f64 a, 0d4000000000000000; mov.f32 b, 0f3F800000; mov.f32 c, -0f40400000;"
	      "mov.f64 d, 1.5e3; mov.f32 e, 2.;");
	assert_true(program.statements[0].operands[1].real == 2.0);
	assert_true(program.statements[1].operands[1].real == 1.0);
	assert_true(program.statements[2].operands[1].real == -3.0);
	assert_true(program.statements[3].operands[1].real == 1500.0);
	assert_true(program.statements[4].operands[1].real == 2.0);
}

static void declarations(void **state)
{
	(void)state;
	parse(".reg.b16 hl, hu; .reg .pred %p<3>; .reg .v4 .f32 v;");
	assert_int_equal(program.n_statements, 4);
	assert_int_equal(program.statements[1].kind, PTX_REGISTER);
	assert_string_equal(program.statements[1].name, "hu");
	assert_string_equal(program.statements[1].type, "b16");
	assert_int_equal(program.statements[2].n_family, 3);
	assert_string_equal(program.statements[2].name, "%p");
	assert_int_equal(program.statements[3].n_lanes, 4);
}

static void scopes_labels_and_comments(void **state)
{
	static const enum ptx_statement_kind kinds[] = {PTX_OPEN,        PTX_LABEL, PTX_OPEN,
							PTX_INSTRUCTION, PTX_CLOSE, PTX_INSTRUCTION,
							PTX_CLOSE};

	(void)state;
	parse("{ // a comment; with };\n L1: { add.u32 a, b, c; } /* } */ bra.uni L1 }");
	assert_int_equal(program.n_statements, 7);
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(program.statements[i].kind, kinds[i]);
	assert_string_equal(program.statements[1].name, "L1");
}

static void templates_speak_llvms_language(void **state)
{
	(void)state;
	parse("{ .reg .pred __$$p; L${:uid}: mov.b32 ${1:r}, $12; }");
	assert_string_equal(program.statements[1].name, "__$p");
	assert_string_equal(program.statements[2].name, "L0");
	assert_int_equal(program.statements[3].operands[0].number, 1);
	assert_int_equal(program.statements[3].operands[1].number, 12);
}

static void text_is_shown_as_cuda_writes_it(void **state)
{
	(void)state;
	parse("  add.u32\n\t$0,   $1, $2 ;");
	assert_string_equal(only()->text, "add.u32 %0, %1, %2");
	assert_int_equal(only()->line, 1);
}

static void empty_text_is_a_program(void **state)
{
	(void)state;
	parse(" ;; // nothing\n");
	assert_int_equal(program.n_statements, 0);
}

static void what_is_not_ptx_is_named(void **state)
{
	static const char *const wrong[] = {
		"add.u32 a b;",
		"add.u32 a,, b;",
		"{ add.u32 a, b, c;",
		"}",
		"mov.b32 a, 0x;",
		"mov.b32 a, 09;",
		"ld.u32 a, [b;",
		"mov.b64 {a, b;",
		"@ add.u32 a, b, c;",
		"mov.b32 a, 99999999999999999999999;",
		"mov.b32 a, 5/0;",
		"mov.f32 a, 0f3f80;",
		".reg b32 a;",
		".reg .b32 %r<0>;",
		"$0 = 5;",
		"mov.b32 a, ${0;",
		"mov.b32 a, \\;",
		"mov.b32 a, ((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))));",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char *message = parse_wrong(wrong[i]);

		assert_non_null(strstr(message, "PTX '"));
		assert_non_null(strstr(message, "expected"));
		free(message);
	}
}

static void directives_and_calls_are_refused_by_name(void **state)
{
	char *message;

	(void)state;
	message = parse_wrong(".global .b32 x;");
	assert_string_equal(message, "PTX directive '.global' is not supported");
	free(message);
	message = parse_wrong("call (a), f, (b);");
	assert_string_equal(message, "PTX instruction 'call' is not supported");
	free(message);
}

static void variables_have_types_counts_and_alignments(void **state)
{
	const struct ptx_statement *s;
	char *message;

	(void)state;
	parse(".shared .align 16 .v2 .f32 x[3][4], y; .local .b8 z[7];");
	assert_int_equal(program.n_statements, 3);
	s = program.statements;
	assert_int_equal(s[0].kind, PTX_VARIABLE);
	assert_true(s[0].space == PTX_SHARED);
	assert_string_equal(s[0].name, "x");
	assert_string_equal(s[0].type, "f32");
	assert_int_equal(s[0].n_lanes, 2);
	assert_int_equal(s[0].n_elements, 12);
	assert_int_equal(s[0].alignment, 16);
	assert_string_equal(s[1].name, "y");
	assert_int_equal(s[1].n_elements, 1);
	assert_false(s[2].space == PTX_SHARED);
	assert_int_equal(s[2].n_elements, 7);
	ptx_program_free(&program);
	message = parse_wrong(".local .b32 x[0];");
	assert_non_null(strstr(message, "expected a smaller number above 0"));
	free(message);
	message = parse_wrong(".local .align 3 .b32 x;");
	assert_non_null(strstr(message, "an alignment of a power of two"));
	free(message);
	message = parse_wrong(".shared .b32 x[100000][100000];");
	free(message);
}

static void branch_targets_belong_to_their_label(void **state)
{
	(void)state;
	parse("T: .branchtargets A, B;");
	assert_int_equal(program.n_statements, 2);
	assert_int_equal(program.statements[1].kind, PTX_TARGETS);
	assert_string_equal(program.statements[1].name, "T");
	assert_int_equal(program.statements[1].n_operands, 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, teardown)
	const struct CMUnitTest tests[] = {
		TEST(instruction_has_modifiers_and_operands),
		TEST(guard_may_be_negated),
		TEST(address_has_base_and_offset),
		TEST(vector_pair_and_component),
		TEST(numbers_of_every_base),
		TEST(constant_expressions_bind_as_in_c),
		TEST(reals_and_bit_patterns),
		TEST(declarations),
		TEST(scopes_labels_and_comments),
		TEST(templates_speak_llvms_language),
		TEST(text_is_shown_as_cuda_writes_it),
		TEST(empty_text_is_a_program),
		TEST(what_is_not_ptx_is_named),
		TEST(directives_and_calls_are_refused_by_name),
		TEST(variables_have_types_counts_and_alignments),
		TEST(branch_targets_belong_to_their_label),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
