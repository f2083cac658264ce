/* SPDX-License-Identifier: Apache-2.0 */
/* What image_write() writes image_read() reads, and nothing else. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "image.h"

static const char ptx[] = ".version 8.5\n.target sm_90\n";

static char *written(const void *object, size_t n)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	assert_true(image_write(out, ptx, sizeof ptx - 1, object, n));
	fclose(out);
	assert_int_equal(strlen(text), size);
	return text;
}

static void all_sizes_come_back(void **state)
{
	unsigned char bytes[300], *back;
	size_t n;
	(void)state;
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)(i * 37 + 11);
	for (size_t size = 1; size <= sizeof bytes; size++) {
		char *text = written(bytes, size);
		assert_int_equal(image_read(text, &back, &n), IMAGE_FOUND);
		assert_int_equal(n, size);
		assert_memory_equal(back, bytes, size);
		free(back);
		free(text);
	}
}

static void ptx_stays_as_it_is(void **state)
{
	(void)state;
	char *text = written("abc", 3);
	const char *line = strchr(text, '\n') + 1;
	assert_memory_equal(line, ptx, sizeof ptx - 1);
	/* RFC 4648: "abc" is "YWJj". */
	assert_string_equal(line + sizeof ptx - 1, "//YWJj\n");
	free(text);
}

/* Each single byte that is another, and each end that comes too soon. */
static void nothing_damaged_is_read(void **state)
{
	unsigned char bytes[100], *back;
	size_t n;
	(void)state;
	memset(bytes, 0xa5, sizeof bytes);
	char *text = written(bytes, sizeof bytes);
	size_t size = strlen(text);
	for (size_t i = 0; i < size - 1; i++) {
		char *copy = strdup(text);
		copy[i] ^= 1;
		assert_int_not_equal(image_read(copy, &back, &n), IMAGE_FOUND);
		copy[i] = 0;
		assert_int_not_equal(image_read(copy, &back, &n), IMAGE_FOUND);
		free(copy);
	}
	free(text);
}

static void other_texts_are_none(void **state)
{
	unsigned char *back;
	size_t n;
	(void)state;
	assert_int_equal(image_read("", &back, &n), IMAGE_NONE);
	assert_int_equal(image_read(ptx, &back, &n), IMAGE_NONE);
	assert_int_equal(image_read("//cudasim:image 99999999999999999999", &back, &n),
			 IMAGE_DAMAGED);
	assert_int_equal(image_read("//cudasim:image 999999999999 999999999999 0123456789abcdef\n",
				    &back, &n),
			 IMAGE_DAMAGED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_sizes_come_back),
		cmocka_unit_test(ptx_stays_as_it_is),
		cmocka_unit_test(nothing_damaged_is_read),
		cmocka_unit_test(other_texts_are_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
