/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions as programs: they say what the evaluator says of the same text. */
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

/* The simulator knows more of a thread than it tells, and looks at it: zeros here. */
union thread {
	struct cudasim_thread thread;
	char all[512];
};

/* The program of a condition says what the evaluator says. The thread is one that is in
 * no kernel: device 0, block (2,1,0) of (4,2,1), thread (7,0,0) of (32,1,1). */
static void conditions_agree_with_the_evaluator(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"five == 5",
		"five == 5 && small < 0",
		"five != 5 || small == -300",
		"!five",
		"!!five",
		"five",
		"small < four_billion",
		"four_billion > 0",
		"minus_five < 0u",
		"minus_five < four_billion",
		"-7 / 2 == -3",
		"-7 % 3 == -1",
		"7u / 2 == 3",
		"1 << 4 == 16",
		"minus_five >> 1 == -3",
		"four_billion >> 31 == 1",
		"~five == -6",
		"(five ^ 3) == 6",
		"(five & 4) | 0",
		"third * 3 == 1",
		"floats[0] == 1.5",
		"floats[0] * 0.1f == 0.15f",
		"1.0f / 3 == (float)(1.0 / 3)",
		"16777216.0f + 1 == 16777216.0f",
		"(int)2.9 == 2",
		"(unsigned char)300 == 44",
		"(short)70000 == 4464",
		"(char)200 < 0",
		"red == 'A'",
		"tiny == -3",
		"truth",
		"truth == 1",
		"truth + 1 == 2",
		"kind == geo::LINE",
		"kind == 3",
		"flags == 5",
		"grid[1][2] == 6",
		"grid[five - 4][five - 3] == 6",
		"wide_grid[0][grid[0][0]] == 0",
		"geo::table[3] == 7",
		"*pointer == 5",
		"**pointer_pointer == 5",
		"pointer[0] == 5",
		"pointer == &five",
		"null_pointer == 0",
		"pointer != null_pointer",
		"!null_pointer",
		"*(pointer + 0) == 5",
		"&grid[0][0] + 5 == &grid[1][2]",
		"shape.id == 100",
		"shape.weight > 2.4",
		"shape_pointer->id == 100",
		"shape.next->next->id == 100",
		"shape.area[0] > 1e99",
		"shape.i == 1065353216",
		"shape_reference.id == 100",
		"reference == 5",
		"word[1] == 'b'",
		"five == 5 ? small == -300 : 0",
		"five == 4 ? 1 : 0",
		"(five == 4 ? 2.5 : 1) == 1",
		"sizeof(int) == 4",
		"sizeof grid == 24",
		"(0 || five) && (five || 0)",
		"five == 5 && five == 6 || five == 5",
		"big > 1",
		"(long)big < 0",
		"tera == 1099511627776",
		"tera + 0.5 > tera",
		"nan_value == nan_value",
		"infinite > 1e30",
		"-infinite < 0",
		"0x7fffffff + 1 < 0",
		"1 << 40 == 0",
		"five - 5",
		"0.0",
		"-0.0 == 0",
		"(unsigned long)-1.0f != 0",
		"ring.data[2] == 20",
		"ring.data[five - 4] == 10",
		"bits.p.x == 1",
		"four_billion * 2 == 3705032704",
		"signed_chars[0] == -1",
		"bytes[3] == 200",
		"-four_billion == 294967296",
	};
	struct cudasim_block block = {.ntid = {32, 1, 1}, .nctaid = {4, 2, 1}, .ctaid = {2, 1, 0}};
	union thread room = {.thread = {.tid = {7, 0, 0}, .block = &block}};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct expression *expression;
		struct context context = {.frame = NULL};
		struct value value;
		bool truth = false, expected = false;
		struct cudasim_error *error = expression_parse(texts[i], 0, &expression);
		if (!error)
			error = expression_evaluate(expression, &context, &value);
		if (!error)
			error = value_to_bool(&value, &expected);
		if (!error)
			error = expression_test(expression, &room.thread, 0, &truth);
		if (error)
			fail_msg("%s: %s", texts[i], error->message);
		if (!expression_is_fast(expression))
			fail_msg("%s was not compiled", texts[i]);
		if (truth != expected)
			fail_msg("%s: %d, the evaluator says %d", texts[i], truth, expected);
		expression_free(expression);
	}
}

static void conditions_report_what_goes_wrong(void **state)
{
	(void)state;
	static const char *const texts[][2] = {
		{"*null_pointer == 1", "Cannot access memory at address 0x0"},
		{"five / (five - 5)", "Division by zero"},
		{"1 % zeros10[0]", "Division by zero"},
		{"null_pointer[5] == 1", "Cannot access memory at address 0x14"},
		{"*(int *)null_pointer", "Cannot access memory at address 0x0"},
	};
	struct cudasim_block block = {.nctaid = {1, 1, 1}};
	union thread room = {.thread = {.block = &block}};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct expression *expression;
		bool truth;
		assert_null(expression_parse(texts[i][0], 0, &expression));
		struct cudasim_error *error = expression_test(expression, &room.thread, 0, &truth);
		assert_non_null(error);
		assert_string_equal(error->message, texts[i][1]);
		cudasim_error_free(error);
		expression_free(expression);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conditions_agree_with_the_evaluator),
		cmocka_unit_test(conditions_report_what_goes_wrong),
	};
	return cmocka_run_group_tests(tests, subject_load, NULL);
}
