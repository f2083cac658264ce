/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of info cuda, letter by letter as cuda-gdb printed them on an H200. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "table.h"

static char *text_of(const struct table *table)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	table_print(out, table);
	fclose(out);
	return text;
}

/* Columns are right-aligned, as wide as the widest cell, the focused row is marked. */
static void columns_grow_with_their_cells(void **state)
{
	static const struct column columns[] = {
		{"BlockIdx", COLUMN_RIGHT, 0},
		{"ThreadIdx", COLUMN_RIGHT, 0},
		{"Filename", COLUMN_RIGHT, 0},
		{"Line", COLUMN_RIGHT, 5},
		{NULL, 0, 0},
	};
	struct table *table = table_new(columns);
	(void)state;
	assert_true(table_is_empty(table));
	table_section(table, "Kernel %d", 0);
	assert_true(table_is_empty(table));
	table_row(table, true);
	table_cell(table, "(0,0,0)");
	table_cell(table, "(0,0,0)");
	table_cell(table, "matmul.cu");
	table_cell(table, "17");
	table_row(table, false);
	table_cell(table, "(0,0,0)");
	table_cell(table, "(15,15,0)");
	table_cell(table, "matmul.cu");
	table_cell(table, "%d", 25);
	char *text = text_of(table);
	assert_string_equal(text, "  BlockIdx ThreadIdx  Filename  Line \n"
				  "Kernel 0\n"
				  "*  (0,0,0)   (0,0,0) matmul.cu    17 \n"
				  "   (0,0,0) (15,15,0) matmul.cu    25 \n");
	free(text);
	table_free(table);
}

static void centred_cells_lean_to_the_right(void **state)
{
	static const struct column columns[] = {
		{"Ln", COLUMN_RIGHT, 0},         {"State", COLUMN_RIGHT, 6},
		{"PC", COLUMN_CENTRE, 18},       {"ThreadIdx", COLUMN_RIGHT, 0},
		{"Exception", COLUMN_CENTRE, 0}, {NULL, 0, 0},
	};
	struct table *table = table_new(columns);
	(void)state;
	table_row(table, true);
	table_cell(table, "0");
	table_cell(table, "active");
	table_cell(table, "0x00007ffddb7a70d0");
	table_cell(table, "(0,0,0)");
	table_cell(table, "None");
	char *text = text_of(table);
	assert_string_equal(text, "  Ln  State         PC         ThreadIdx Exception \n"
				  "*  0 active 0x00007ffddb7a70d0   (0,0,0)    None   \n");
	free(text);
	table_free(table);
}

static void the_last_column_is_padded_too(void **state)
{
	static const struct column columns[] = {
		{"Lvl", COLUMN_LEFT, 0},
		{"Invocation", COLUMN_LEFT, 0},
		{NULL, 0, 0},
	};
	struct table *table = table_new(columns);
	(void)state;
	table_row(table, true);
	table_cell(table, "#0");
	table_cell(table, "oob(o=0x7ffdd3e00000)");
	char *text = text_of(table);
	assert_string_equal(text, "  Lvl Invocation            \n"
				  "* #0  oob(o=0x7ffdd3e00000) \n");
	free(text);
	table_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_grow_with_their_cells),
		cmocka_unit_test(centred_cells_lean_to_the_right),
		cmocka_unit_test(the_last_column_is_padded_too),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
