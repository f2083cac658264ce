/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dialect.h"

/* The spot is where mark stands in the text. expected NULL: not to be mended. */
static void expect(enum dialect_kind kind, const char *text, const char *mark, const char *expected)
{
	const char *at = strstr(text, mark);
	assert_non_null(at);
	struct dialect_spot spot = {.kind = kind, .line = 1, .column = 1};
	for (const char *c = text; c < at; c++) {
		spot.column++;
		if (*c == '\n') {
			spot.line++;
			spot.column = 1;
		}
	}
	char *mended = dialect_mend(text, &spot);
	if (!expected)
		assert_null(mended);
	else
		assert_string_equal(mended, expected);
	free(mended);
}

static void attributes_move_to_the_front(void **state)
{
	(void)state;
	expect(DIALECT_ATTRIBUTE, "{\n\t__shared__ alignas(16) int s[64];\n}", "alignas",
	       "{\n\talignas(16) __shared__  int s[64];\n}");
	expect(DIALECT_ATTRIBUTE, "extern __shared__ alignas(alignof(T)) [[maybe_unused]] char s[];",
	       "alignas", "alignas(alignof(T)) [[maybe_unused]] extern __shared__  char s[];");
	expect(DIALECT_ATTRIBUTE, "static __shared__\nalignas(8) int x;", "alignas",
	       "alignas(8) static __shared__\n int x;");
	/* Another error of the same wording is not ours. */
	expect(DIALECT_ATTRIBUTE, "int alignas(16) x;", "alignas", NULL);
	expect(DIALECT_ATTRIBUTE, "__shared__ alignas(16 int x;", "alignas", NULL);
}

static void extern_scalars_become_arrays(void **state)
{
	(void)state;
	expect(DIALECT_EXTERN, "extern __shared__ int one; one = 3;", "__shared__",
	       "extern __shared__ int __cudasim_extern_one[]; int &one = *__cudasim_extern_one; "
	       "one = 3;");
	expect(DIALECT_EXTERN, "extern __shared__ int a, b;", "__shared__", NULL);
	expect(DIALECT_EXTERN, "extern __shared__", "__shared__", NULL);
}

static void constructed_variables_become_storage(void **state)
{
	(void)state;
	expect(DIALECT_CONSTRUCTOR, "{ __shared__ cuda::barrier<A, B> b; f(&b); }", "b; f",
	       "{ __shared__ __cudasim_raw<cuda::barrier<A, B> > __cudasim_raw_b; "
	       "auto &b = __cudasim_raw_b.value; f(&b); }");
	expect(DIALECT_CONSTRUCTOR, "{ static __shared__ T x[2], y; }", "x[2]",
	       "{ static __shared__ __cudasim_raw<T [2]> __cudasim_raw_x; "
	       "auto &x = __cudasim_raw_x.value; __shared__ __cudasim_raw<T > __cudasim_raw_y; "
	       "auto &y = __cudasim_raw_y.value; }");
	expect(DIALECT_CONSTRUCTOR, "{ __shared__ int x = 3; }", "x =", NULL);
	expect(DIALECT_CONSTRUCTOR, "{ T x; }", "x;", NULL);
}

static void pragmas_in_macros_become_operators(void **state)
{
	(void)state;
	expect(DIALECT_PRAGMA, "int x;\n  # define UNROLL #pragma unroll\nint y;", "#pragma",
	       "int x;\n  # define UNROLL _Pragma(\"unroll\")\nint y;");
	expect(DIALECT_PRAGMA, "#define M(x) # pragma message(\"a\\\\\") // b\n", "# pragma",
	       "#define M(x) _Pragma(\"message(\\\"a\\\\\\\\\\\")\") // b\n");
	expect(DIALECT_PRAGMA, "#define A #pragma unroll 4 \\\n\tB", "#pragma",
	       "#define A _Pragma(\"unroll 4\") \\\n\tB");
	/* One that is a line of its own, and other uses of #. */
	expect(DIALECT_PRAGMA, "#pragma unroll\n", "#pragma", NULL);
	expect(DIALECT_PRAGMA, "#define A(x) #x\n", "#x", NULL);
	expect(DIALECT_PRAGMA, "#define A x\n", "x", NULL);
}

static void places_beyond_the_text_are_nothing(void **state)
{
	(void)state;
	for (unsigned line = 1; line < 4; line++)
		for (unsigned column = 1; column < 60; column++)
			for (int kind = DIALECT_ATTRIBUTE; kind <= DIALECT_PRAGMA; kind++) {
				struct dialect_spot spot = {NULL, line, column, (enum dialect_kind)kind};
				free(dialect_mend("{ __shared__ alignas(4\n[[ int x; }", &spot));
				free(dialect_mend("extern __shared__", &spot));
				free(dialect_mend("", &spot));
			}
}

static void spots_are_read_from_errors_only(void **state)
{
	(void)state;
	struct dialect_spot *spots;
	size_t n = dialect_find_spots(
		"In file included from a.cu:1:\n"
		"dir:x/b.h:12:34: error: an attribute list cannot appear here\n"
		"   12 | text: error: x\n"
		"a.cu:3:4: warning: an attribute list cannot appear here\n"
		"a.cu:5:6: error: something else\n"
		"a.cu:7:8: error: initialization is not supported for __shared__ variables\n"
		"m.h:9:10: note: expanded from macro 'UNROLL'\n",
		&spots);
	assert_int_equal(n, 3);
	assert_int_equal(spots[2].kind, DIALECT_PRAGMA);
	assert_int_equal(spots[2].column, 10);
	free(spots[2].path);
	assert_string_equal(spots[0].path, "dir:x/b.h");
	assert_int_equal(spots[0].line, 12);
	assert_int_equal(spots[0].column, 34);
	assert_int_equal(spots[0].kind, DIALECT_ATTRIBUTE);
	assert_int_equal(spots[1].kind, DIALECT_CONSTRUCTOR);
	assert_int_equal(spots[1].line, 7);
	free(spots[0].path);
	free(spots[1].path);
	free(spots);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attributes_move_to_the_front),
		cmocka_unit_test(extern_scalars_become_arrays),
		cmocka_unit_test(constructed_variables_become_storage),
		cmocka_unit_test(pragmas_in_macros_become_operators),
		cmocka_unit_test(places_beyond_the_text_are_nothing),
		cmocka_unit_test(spots_are_read_from_errors_only),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
