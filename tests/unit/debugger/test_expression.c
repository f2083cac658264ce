/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions over expression_subject.cpp's variables. Expected texts: gdb 13.1 on a
 * program with the same variables, cuda-gdb on an H200, or by hand where these fall
 * short (C++'s rules for bool, bitfields and ?:). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "condition.h"
#include "error.h"
#include "expression.h"
#include "expression_subject.h"
#include "history.h"

static void numbers_have_cs_types_and_values(void **state)
{
	(void)state;
	static const struct expectation e[] = {
		{"1+2", "3", 0}, {"7/2", "3", 0}, {"7/2.0", "3.5", 0}, {"7%3", "1", 0}, {"1<<4", "16", 0},
		{"-7/2", "-3", 0}, {"-7%3", "-1", 0}, {"-7>>1", "-4", 0}, {"~5", "-6", 0}, {"1.5f", "1.5", 0},
		{"5 > 3 && 2 > 1", "true", 0}, {"!5", "false", 0}, {"1==1", "true", 0}, {"1e10", "10000000000", 0},
		{"'a'", "97 'a'", 0}, {"(char)97", "97 'a'", 0}, {"\"abc\"", "\"abc\"", 0},
		{"(float)1/3", "0.333333343", 0}, {"1.0f/3", "0.333333343", 0}, {"1.0/0", "inf", 0},
		{"10/0", "Division by zero", 0}, {"10%0", "Division by zero", 0}, {"077", "63", 0},
		{"0b101", "5", 0}, {"0x7fffffff+1", "-2147483648", 0}, {"2147483648", "2147483648", 0},
		{"0xffffffff", "4294967295", 0}, {"-1>1u", "true", 0}, {"~0u", "4294967295", 0},
		{"(short)70000", "4464", 0}, {"1<<33", "0", 0}, {"1ul<<33", "8589934592", 0},
		{"1.5e-7", "1.4999999999999999e-07", 0}, {"0.1f", "0.100000001", 0}, {"1e9f", "1e+09", 0},
		{"16777216.0f", "16777216", 0}, {"1e-5", "1.0000000000000001e-05", 0}, {"-0.0", "-0", 0},
		{"18446744073709551615", "18446744073709551615", 0}, {"'\\n'", "10 '\\n'", 0},
		{"'\\001'", "1 '\\001'", 0}, {"'\\x41'", "65 'A'", 0}, {"'\\''", "39 '\\''", 0},
		{"\"a\\\"b\\001\"", "\"a\\\"b\\001\"", 0}, {"sizeof(int)", "4", 0}, {"sizeof(\"abc\")", "4", 0},
		{"(unsigned char)300", "44 ','", 0}, {"(int)-1.9", "-1", 0}, {"(char)-1", "-1 '\\377'", 0},
		{"1,2", "2", 0}, {"1 ? 2 : 3", "2", 0}, {"0 ? 2 : 3.5", "3.5", 0}, {"L'a'", "97 L'a'", 0},
		{"2*3+4*5", "26", 0}, {"2+3*4==14", "true", 0}, {"1|2^3&4", "3", 0}, {"10-4-3", "3", 0},
		{"true + true", "2", 0}, {"nullptr", "(void *) 0x0", 0}, {"1'000'000", "1000000", 0},
		{"static_cast<int>(2.9)", "2", 0}, {"int(2.9)", "2", 0}, {"float(1)/3", "0.333333343", 0},
		{"(-9223372036854775807l - 1) / -1", "-9223372036854775808", 0}, {"alignof(double)", "8", 0},
		{"5 >> 40", "0", 0}, {"-5 >> 40", "-1", 0},
	};
	subject_check(e, sizeof e / sizeof *e);
}

static void variables_print_as_in_gdb(void **state)
{
	(void)state;
	static const struct expectation e[] = {
		{"zeros10", "{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}", 0}, {"zeros11", "{0 <repeats 11 times>}", 0},
		{"text", "\"abc\", '\\000' <repeats 26 times>", 0},
		{"repeated", "\"ab\", 'X' <repeats 16 times>, \"cd\\0011\", '\\000' <repeats 17 times>", 0},
		{"unended", "\"abc\"", 0}, {"box", "\"box\\000\\000\\000\\000\"", 0},
		{"bytes", "\"\\001\\002\\003\\310A\"", 0}, {"signed_chars", "\"\\377\\000A\"", 0},
		{"grid", "{{1, 2, 3}, {4, 5, 6}}", 0}, {"grid[1]", "{4, 5, 6}", 0}, {"grid[1][2]@1", "{6}", 0},
		{"wide_grid", "{{0 <repeats 14 times>}, {0 <repeats 14 times>}, {0 <repeats 14 times>}}", 0},
		{"truth", "true", 0}, {"truths", "{true, false, true}", 0}, {"tiny", "-3 '\\375'", 0},
		{"red", "65 'A'", 0}, {"small", "-300", 0}, {"big", "18364758544493064720", 0},
		{"four_billion", "4000000000", 0}, {"four_billion*2", "3705032704", 0},
		{"floats", "{1.5, 0, 1e-30}", 0}, {"third", "0.33333333333333331", 0}, {"huge", "1e+100", 0},
		{"nan_value", "nan(0x7fffff)", 0}, {"infinite", "inf", 0}, {"-infinite", "-inf", 0},
		{"flags", "(F_A | F_C)", 0}, {"odd_flags", "(F_A | unknown: 0x8)", 0}, {"no_flags", "0", 0},
		{"(Flags)8", "(unknown: 0x8)", 0}, {"F_A|F_B", "3", 0}, {"(Flags)3", "(F_A | F_B)", 0},
		{"kind", "geo::LINE", 0}, {"no_kind", "9", 0}, {"(geo::Kind)4", "geo::AREA", 0},
		{"geo::LINE", "geo::LINE", 0}, {"geo::Color::Green", "geo::Color::Green", 0},
		{"empty", "{<No data fields>}", 0}, {"wide_char", "97 L'a'", 0}, {"huge_integer", "-5", 0},
		{"extended", "1.5", 0}, {"null_pointer", "(int *) 0x0", 0}, {"no_word", "0x0", 0},
		{"bits", "{a = -1, b = 17, p = {x = 1, y = 2}, {q = 7, r = 9.80908925e-45}, arr = {1, 2, 3}}", 0},
		{"geo::counter", "5", 0}, {"geo::table", "{2, 3, 5, 7}", 0}, {"geo::Shape::count", "12", 0},
		{"ring", "{data = {0, 10, 20, 30}, head = 1}", 0}, {"*null_pointer", "Cannot access memory at address 0x0", 0},
		{"*(int *)5", "Cannot access memory at address 0x5", 0},
	};
	subject_check(e, sizeof e / sizeof *e);
}

static void formats_print_as_in_gdb(void **state)
{
	(void)state;
	static const struct expectation e[] = {
		{"1.5", "0x3ff8000000000000", 'x'}, {"-1", "4294967295", 'u'}, {"65.7", "65 'A'", 'c'},
		{"8", "010", 'o'}, {"0", "0", 'o'}, {"-1", "0xffffffff", 'x'}, {"(char)-1", "0xff", 'x'},
		{"5", "0x00000005", 'z'}, {"(short)5", "0x0005", 'z'}, {"1", "1.40129846e-45", 'f'},
		{"1078530011", "3.14159274", 'f'}, {"(short)3", "3", 'f'}, {"200", "-56 '\\310'", 'c'},
		{"300", "44 ','", 'c'}, {"10", "1010", 't'}, {"0", "0", 't'}, {"1.5f", "111111110000000000000000000000", 't'},
		{"bits", "{a = 0xffffffff, b = 0x11, p = {x = 0x3f800000, y = 0x40000000}, {q = 0x7, r = 0x7}, arr = {0x1, 0x2, 0x3}}", 'x'},
		{"text", "{0x61, 0x62, 0x63, 0x0 <repeats 27 times>}", 'x'}, {"bytes", "{1, 2, 3, -56, 65, 0}", 'd'},
		{"bytes", "{1 '\\001', 2 '\\002', 3 '\\003', 200 '\\310', 65 'A', 0 '\\000'}", 'c'},
		{"text", "\"abc\", '\\000' <repeats 26 times>", 's'}, {"flags", "0x5", 'x'}, {"flags", "5", 'd'},
		{"0xffffffff", "-1", 'd'}, {"big", "0xfedcba9876543210", 'x'}, {"big", "01773345651416625031020", 'o'},
		{"third", "0x3fd5555555555555", 'x'}, {"huge_integer", "0xfffffffffffffffffffffffffffffffb", 'x'},
		{"extended", "0x3fffc000000000000000", 'x'}, {"truth", "0x1", 'x'}, {"0", "0x0", 'a'},
		{"third", "0.33333333333333331", 'f'}, {"red", "65", 'd'}, {"(void*)255", "0xff", 'x'},
	};
	subject_check(e, sizeof e / sizeof *e);
}

static void members_are_found_in_bases_unions_and_bitfields(void **state)
{
	(void)state;
	static const struct expectation e[] = {
		{"shape.kind", "geo::LINE", 0}, {"shape.color", "geo::Color::Blue", 0},
		{"shape.low + shape.mid", "22", 0}, {"shape.high", "-2", 0}, {"shape.low", "0x5", 'x'},
		{"shape.area", "{1e+100, 0, -0}", 0}, {"shape.name", "\"box\\000\\000\\000\\000\"", 0},
		{"shape.id", "100", 0}, {"shape.Base::id", "100", 0}, {"shape.geo::Base::id", "100", 0},
		{"shape.f", "1", 0}, {"shape.i", "1065353216", 0}, {"shape_pointer->id", "100", 0},
		{"shape_reference.id", "100", 0}, {"shape.next->next->id", "100", 0}, {"shape.count", "12", 0},
		{"shape.nosuch", "There is no member named nosuch.", 0},
		{"five.x", "Attempt to extract a component of a value that is not a structure.", 0},
		{"five->x", "Attempt to extract a component of a value that is not a structure pointer.", 0},
		{"both.id", "9", 0}, {"both.left + both.right + both.both", "6", 0}, {"shape.*id_pointer", "100", 0},
		{"shape_pointer->*id_pointer", "100", 0}, {"*(geo::Base*)shape_pointer", "{id = 100, weight = 2.5}", 0},
		{"(geo::Base)shape", "{id = 100, weight = 2.5}", 0}, {"(*shape_pointer).weight * 2", "5", 0},
	};
	subject_check(e, sizeof e / sizeof *e);
	assert_string_equal(
		subject_shown("geo::Shape(shape).id", 0), "100");
	const char *whole = subject_shown("shape", 0);
	assert_non_null(strstr(whole, "{<geo::Base> = {id = 100, weight = 2.5}, <geo::Named> = {name = "
				      "\"box\\000\\000\\000\\000\"}, kind = geo::LINE, color = "
				      "geo::Color::Blue, low = 5, mid = 17, high = -2, area = {1e+100, 0, "
				      "-0}, {i = 1065353216, f = 1}, next = 0x"));
	assert_non_null(strstr(subject_shown("dog", 0), "tail_ = 1.5}"));
}

static void pointers_and_arrays(void **state)
{
	(void)state;
	static const struct expectation e[] = {
		{"*pointer", "5", 0}, {"**pointer_pointer", "5", 0}, {"*&five", "5", 0}, {"&*pointer == pointer", "true", 0},
		{"pointer == anything", "true", 0}, {"!null_pointer", "true", 0}, {"&grid[1][2] - &grid[0][0]", "5", 0},
		{"*(&grid[0][0] + 4)", "5", 0}, {"grid[0][1:3]", "{2, 3}", 0}, {"geo::table[1:]", "{3, 5, 7}", 0},
		{"geo::table[:2]", "{2, 3}", 0}, {"*geo::table@2", "{2, 3}", 0}, {"geo::table[0]@4", "{2, 3, 5, 7}", 0},
		{"word[1]", "98 'b'", 0}, {"*word@3", "\"abc\"", 0}, {"\"abc\"[1]", "98 'b'", 0},
		{"*five", "Cannot access memory at address 0x5", 0}, {"5@2", "Only values in memory can be extended with '@'.", 0},
		{"five@0", "Invalid number 0 of repetitions.", 0}, {"five@-1", "Invalid number -1 of repetitions.", 0},
		{"five[2]", "cannot subscript something of type `int'", 0}, {"third[2]", "cannot subscript something of type `double'", 0},
		{"&5", "Attempt to take address of value not located in memory.", 0},
		{"&shape.low", "Attempt to take address of value not located in memory.", 0},
		{"reference + 1", "6", 0}, {"*&reference", "5", 0}, {"sizeof reference", "4", 0}, {"sizeof grid / sizeof grid[0]", "2", 0},
		{"ring[2]", "30", 0}, {"pair_a + pair_b", "{x = 11, y = 22}", 0},
		{"bits + 1", "No symbol \"operator+\" in current context.", 0}, {"geo::Ring<double,4>::nosuch", "There is no field named nosuch", 0},
		{"sizeof(geo::Ring<double, 4>)", "40", 0}, {"sizeof(geo::Ring<double,4>)", "40", 0}, {"five<geo::counter", "false", 0},
	};
	subject_check(e, sizeof e / sizeof *e);
	assert_non_null(strstr(subject_shown("word", 0), " \"abc\""));
	assert_non_null(strstr(subject_shown("&five", 0), "(int *) 0x"));
	assert_non_null(strstr(subject_shown("&five", 0), " <five>"));
	assert_non_null(strstr(subject_shown("&grid[1]", 0), "(int (*)[3]) 0x"));
	assert_non_null(strstr(subject_shown("&grid[1]", 0), " <grid+12>"));
	assert_non_null(strstr(subject_shown("reference", 0), "(int &) @0x"));
	assert_non_null(strstr(subject_shown("reference", 0), ": 5"));
	assert_non_null(strstr(subject_shown("function", 0), "(int (*)(int)) 0x"));
	assert_non_null(strstr(subject_shown("function", 0), " <factorial(int)>"));
	assert_non_null(strstr(subject_shown("*function", 0), "{int (int)} 0x"));
	assert_non_null(strstr(subject_shown("factorial", 0), "{int (int)} 0x"));
}

static void errors_have_gdbs_texts(void **state)
{
	(void)state;
	static const struct expectation e[] = {
		{"nosuch", "No symbol \"nosuch\" in current context.", 0},
		{"geo::nosuch", "No symbol \"nosuch\" in namespace \"geo\".", 0},
		{"geo::Nosuch::x", "No type \"Nosuch\" within class or namespace \"geo\".", 0},
		{"grid[", "A syntax error in expression, near `'.", 0}, {"1 +", "A syntax error in expression, near `'.", 0},
		{"1 2", "A syntax error in expression, near `2'.", 0}, {"3 +* 2", "Cannot access memory at address 0x2", 0},
		{"@", "A syntax error in expression, near `@'.", 0}, {"'", "Unmatched single quote.", 0},
		{"\"abc", "Unterminated string in expression.", 0}, {"1.2.3", "A syntax error in expression, near `.3'.", 0},
		{"12abc", "Invalid number \"12abc\".", 0}, {"09", "Invalid number \"09\".", 0}, {"0x", "Invalid number \"0x\".", 0},
		{"(int", "A syntax error in expression, near `'.", 0}, {"grid[1", "A syntax error in expression, near `'.", 0},
		{";", "Invalid character ';' in expression.", 0}, {"#", "Invalid character '#' in expression.", 0},
		{"five ? 1", "A syntax error in expression, near `'.", 0}, {"shape.", "A syntax error in expression, near `'.", 0},
		{")", "A syntax error in expression, near `)'.", 0}, {"1)", "Junk after end of expression.", 0},
		{"''", "A character constant must contain at least one character.", 0}, {"'ab'", "Invalid character constant.", 0},
		{"99999999999999999999", "Numeric constant too large.", 0}, {"u\"a\" \"b\"", "Undefined string concatenation.", 0},
		{"int", "Attempt to use a type name as an expression", 0},
		{"@shared int", "Attempt to use a type name as an expression", 0}, {"(nosuch)5", "No symbol \"nosuch\" in current context.", 0},
		{"5=3", "Left operand of assignment is not an lvalue.", 0}, {"~1.5", "Argument to complement operation not an integer, boolean.", 0},
		{"5%2.0", "Integer-only operation on floating point number.", 0}, {"1.5<<1", "Integer-only operation on floating point number.", 0},
		{"", "A syntax error in expression, near `'.", 0}, {"$nosuch + 1", "Argument to arithmetic operation not a number or boolean.", 0},
		{"$1", "History has not yet reached $1.", 0}, {"threadIdx", "No symbol \"threadIdx\" in current context.", 0},
		{"*1.5", "Attempt to take contents of a non-pointer value.", 0}, {"five()", "Cannot perform a call on a non-function value.", 0},
	};
	subject_check(e, sizeof e / sizeof *e);
	/* Nothing may take a time that grows with the power of the length. */
	char many[4000] = "pair_a";
	for (int i = 0; i < 60; i++)
		strcat(many, i < 30 ? " + pair_a" : " + pair_b");
	assert_string_equal(subject_shown(many, 0), "{x = 331, y = 662}");
	strcpy(many, "");
	for (int i = 0; i < 100; i++)
		strcat(many, "five == 4 ? shape : ");
	strcat(many, "shape");
	assert_non_null(strstr(subject_shown(many, 0), "id = 100"));
	strcpy(many, "shape_pointer");
	for (int i = 0; i < 100; i++)
		strcat(many, "->next");
	strcat(many, "->id == 100");
	assert_string_equal(subject_shown(many, 0), "true");
	struct expression *expression;
	bool truth = false;
	union {
		struct cudasim_thread thread;
		char all[512];
	} room = {.all = ""};
	struct cudasim_block block = {.nctaid = {1, 1, 1}};
	room.thread.block = &block;
	assert_null(expression_parse(many, 0, &expression));
	assert_null(expression_test(expression, &room.thread, 0, &truth));
	assert_true(truth);
	expression_free(expression);
	char deep[5001];
	memset(deep, '(', 5000);
	deep[5000] = 0;
	assert_string_equal(subject_shown(deep, 0), "The expression is nested too deeply.");
	char longest[8002] = "1";
	for (int i = 0; i < 4000; i++)
		strcat(longest, "+1");
	assert_string_equal(subject_shown(longest, 0), "The expression is too long.");
}

static void assignments_change_the_program(void **state)
{
	(void)state;
	static const struct expectation e[] = {
		{"five = 7", "7", 0}, {"five", "7", 0}, {"five += 3", "10", 0}, {"five++", "10", 0}, {"++five", "12", 0},
		{"five--", "12", 0}, {"five <<= 1", "22", 0}, {"reference = 5", "5", 0}, {"five", "5", 0},
		{"shape.low = 9", "1", 0}, {"shape.mid", "17", 0}, {"shape.low = 5", "5", 0}, {"kind = geo::AREA", "geo::AREA", 0},
		{"kind = 3", "geo::LINE", 0}, {"floats[1] = 3", "3", 0}, {"floats", "{1.5, 3, 1e-30}", 0}, {"floats[1] = 0", "0", 0},
		{"truth = 5", "true", 0}, {"small = 70000", "4464", 0}, {"small = -300", "-300", 0}, {"pair_b = pair_a", "{x = 1, y = 2}", 0},
		{"pair_b.x = 10, pair_b.y = 20", "20", 0}, {"$x = 5", "5", 0}, {"$x * 2", "10", 0}, {"$x++", "5", 0}, {"$x", "6", 0},
		{"geo::table[five++ - 5] = 9", "9", 0}, {"five", "6", 0}, {"five--", "6", 0}, {"geo::table[0]--", "9", 0},
		{"geo::table[five++ - 5] += 1", "9", 0}, {"five", "6", 0}, {"geo::table[five-- - 6] = 2", "2", 0},
		{"((five += 1) += 1) -= 2", "5", 0}, {"(five = 3) = 5", "5", 0},
		{"$p = &grid[0][0]", NULL, 0}, {"$p[4]", "5", 0}, {"$nosuch", "void", 0},
	};
	for (size_t i = 0; i < sizeof e / sizeof *e; i++)
		if (e[i].expected)
			subject_check(&e[i], 1);
		else
			subject_shown(e[i].text, 0);
}

static void history_counts(void **state)
{
	(void)state;
	for (int i = 1; i <= 3; i++) {
		struct value value = value_integer(type_base("int"), 10 * i);
		assert_int_equal(history_add(&value), i);
	}
	static const struct expectation e[] = {
		{"$", "30", 0}, {"$$", "20", 0}, {"$$2", "10", 0}, {"$1", "10", 0}, {"$2 + $", "50", 0},
		{"$4", "History has not yet reached $4.", 0}, {"$$3", "History does not go back to $$3.", 0},
	};
	subject_check(e, sizeof e / sizeof *e);
}

static void functions_are_called(void **state)
{
	(void)state;
	static const struct expectation e[] = {
		{"factorial(5)", "120", 0}, {"function(4)", "24", 0}, {"(*function)(3)", "6", 0},
		{"shape.twice()", "200", 0}, {"shape_pointer->twice()", "200", 0}, {"shape.sum(1, 2)", "103", 0},
		{"ring.at(1)", NULL, 0}, {"animal->sound(6)", "24", 0}, {"animal->Animal::sound(6)", "10", 0}, {"dog.sound(2)", "8", 0},
		{"many(1,2,3,4,5,6,7,8,0.5,2.25f)", "80723.75", 0}, {"triple(4)", "{a = 4, b = 5, c = 6}", 0},
		{"mixed(2, 0.5)", "{a = 2, b = 0.5}", 0}, {"large(1)", "{d = {1, 2, 3, 4, 5}}", 0}, {"large(1).d[2]", "3", 0},
		{"sum_large(large(1), mixed(2, 0.5), triple(4))", "13.5", 0}, {"overloaded(1)", "1", 0}, {"overloaded(1.5)", "2", 0},
		{"overloaded(\"x\")", "3", 0}, {"overloaded(shape)", "4", 0}, {"overloaded(truth)", "1", 0},
		{"(increment(five), five)", "6", 0}, {"five = 5", "5", 0}, {"factorial()", "Too few arguments in function call.", 0},
		{"factorial(1, 2)", "Too many arguments in function call.", 0}, {"shape.nosuch()", "Couldn't find method geo::Shape::nosuch", 0},
		{"nosuch(1)", "No symbol \"nosuch\" in current context.", 0},
		{"divide(1, 0)", "Arithmetic exception in the call of divide(int, int), which was given up.", 0},
		{"crash(0)", "Cannot access memory at address 0x0 in the call of crash(int *), which was given up.", 0},
		{"factorial(5)", "120", 0},
	};
	for (size_t i = 0; i < sizeof e / sizeof *e; i++)
		if (e[i].expected)
			subject_check(&e[i], 1);
	assert_non_null(strstr(subject_shown("ring.at(1)", 0), ": 20"));
	assert_non_null(strstr(subject_shown("endless(1)", 0), "Cannot access memory at address 0x"));
	assert_non_null(strstr(subject_shown("shape.self().id", 0), "100"));
}

/* Five seconds, so once only. */
static void an_endless_call_is_given_up(void **state)
{
	(void)state;
	assert_string_equal(subject_shown("spin(&zeros10[0])", 0),
			    "The call of spin(volatile int *) took longer than 5 seconds and was given up.");
	assert_string_equal(subject_shown("factorial(3)", 0), "6");
}

static void types_are_told_without_evaluating(void **state)
{
	(void)state;
	static const char *const e[][2] = {
		{"5u", "unsigned int"}, {"5l", "long"}, {"1.5f", "float"}, {"1.5", "double"}, {"1+1l", "long"},
		{"(char)1+(char)1", "int"}, {"'a'", "char"}, {"'a'+1", "int"}, {"1==1", "bool"}, {"4294967296", "long"},
		{"0xffffffff", "unsigned int"}, {"2147483648", "long"}, {"5ll", "long long"}, {"5ull", "unsigned long long"},
		{"\"abc\"", "char [4]"}, {"small+small", "int"}, {"four_billion+five", "unsigned int"},
		{"four_billion+tera", "long"}, {"floats[0]+five", "float"}, {"floats[0]+third", "double"}, {"!five", "bool"},
		{"-small", "int"}, {"1?2:3.0", "double"}, {"&grid[1]", "int (*)[3]"}, {"grid[1]", "int [3]"}, {"*&grid", "int [2][3]"},
		{"&grid[1][1] - &grid[0][0]", "long"}, {"factorial", "int (int)"}, {"&factorial", "int (*)(int)"},
		{"factorial(3)", "int"}, {"endless(3)", "int"}, {"shape.area", "double [3]"}, {"shape", "geo::Shape"},
		{"&ring", "geo::Ring<double, 4> *"}, {"*null_pointer", "int"}, {"five = 3", "int"}, {"sizeof(int)", "unsigned long"},
		{"int (*)[3]", "int (*)[3]"}, {"unsigned long long *", "unsigned long long *"}, {"float (*)(int, double)", "float (*)(int, double)"},
		{"shape.low + shape.mid", "int"}, {"nosuch", "No symbol \"nosuch\" in current context."},
	};
	for (size_t i = 0; i < sizeof e / sizeof *e; i++) {
		const char *got = subject_type(e[i][0]);
		if (strcmp(got, e[i][1]))
			fail_msg("whatis %s: %s, expected %s", e[i][0], got, e[i][1]);
	}
	assert_string_equal(subject_shown("five", 0), "5");
}

static void settings_are_honoured(void **state)
{
	(void)state;
	print_settings()->elements = 4;
	assert_string_equal(subject_shown("bits.arr", 0), "{1, 2, 3}");
	assert_string_equal(subject_shown("counting", 0), "{0, 1, 2, 3...}");
	assert_string_equal(subject_shown("\"abcdefgh\"", 0), "\"abcd\"...");
	print_settings()->elements = 200;
	print_settings()->repeats = 2;
	assert_string_equal(subject_shown("zeros10", 0), "{0 <repeats 10 times>}");
	print_settings()->repeats = 10;
	print_settings()->pretty = true;
	assert_string_equal(subject_shown("ring", 0), "{\n  data = {0, 10, 20, 30},\n  head = 1\n}");
	print_settings()->pretty = false;
	print_settings()->array_indexes = true;
	assert_string_equal(subject_shown("geo::table", 0), "{[0] = 2, [1] = 3, [2] = 5, [3] = 7}");
	print_settings()->array_indexes = false;
	print_settings()->max_depth = 1;
	assert_string_equal(subject_shown("bits", 0), "{a = -1, b = 17, p = {...}, {...}, arr = {...}}");
	print_settings()->max_depth = 20;
}

static void gather(void *user, const char *word)
{
	strcat(user, " ");
	strcat(user, word);
}

static void completion_offers_names_and_members(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t begin;
		const char *words;
	} e[] = {
		{"1 + four_b", 4, " four_billion"}, {"shape.we", 6, " weight"}, {"shape_pointer->next->i", 21, " i id"},
		{"geo::co", 0, " geo::counter"}, {"(five + shape.ar", 14, " area"}, {"shape.s", 6, " self sum"},
		{"bits.p.", 7, " x y"}, {"geo::Color::B", 0, " geo::Color::Blue"}, {"12", 0, ""}, {"five.", 5, ""},
		{"nosuch.", 7, ""}, {"reinterpret_", 0, " reinterpret_cast"}, {"grid[shape.lo", 11, " low"},
		{"factorial(shape.id).", 20, ""}, {"shape.self().hi", 13, " high"},
	};
	for (size_t i = 0; i < sizeof e / sizeof *e; i++) {
		char words[100000] = "";
		assert_int_equal(expression_complete(e[i].text, gather, words), e[i].begin);
		if (strcmp(words, e[i].words))
			fail_msg("%s: %s, expected %s", e[i].text, words, e[i].words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_cs_types_and_values),
		cmocka_unit_test(errors_have_gdbs_texts),
		cmocka_unit_test(variables_print_as_in_gdb),
		cmocka_unit_test(formats_print_as_in_gdb),
		cmocka_unit_test(members_are_found_in_bases_unions_and_bitfields),
		cmocka_unit_test(pointers_and_arrays),
		cmocka_unit_test(assignments_change_the_program),
		cmocka_unit_test(history_counts),
		cmocka_unit_test(functions_are_called),
		cmocka_unit_test(types_are_told_without_evaluating),
		cmocka_unit_test(settings_are_honoured),
		cmocka_unit_test(completion_offers_names_and_members),
		cmocka_unit_test(an_endless_call_is_given_up),
	};
	return cmocka_run_group_tests(tests, subject_load, NULL);
}
