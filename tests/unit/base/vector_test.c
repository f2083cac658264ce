/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "vector.h"

static void elements_keep_their_values(void **state)
{
	(void)state;
	VECTOR(long) numbers = {0};
	for (long i = 0; i < 1000; i++)
		*vector_add(&numbers) = i * i;
	assert_int_equal(numbers.n, 1000);
	for (long i = 0; i < 1000; i++)
		assert_int_equal(numbers.at[i], i * i);
	assert_true(numbers.capacity >= 1000 && numbers.capacity < 2048);
	vector_fini(&numbers);
	assert_null(numbers.at);
	assert_int_equal(numbers.n, 0);
}

/* What is too large is refused, and the array stays. */
static void no_room_changes_nothing(void **state)
{
	(void)state;
	size_t capacity = 0;
	char *array = vector_grow(NULL, 0, &capacity, 1);
	assert_non_null(array);
	memset(array, 7, capacity);
	size_t before = capacity;
	assert_null(vector_grow(array, capacity, &capacity, SIZE_MAX / 8));
	assert_int_equal(capacity, before);
	assert_int_equal(array[before - 1], 7);
	free(array);
}

/* In a child: what must() prints and how the process ends. */
static int end_of(int status, char *text, size_t size)
{
	int ends[2], how;
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (!child) {
		dup2(ends[1], STDERR_FILENO);
		must_policy("someone", status);
		must(NULL);
		_exit(0);
	}
	close(ends[1]);
	ssize_t n = read(ends[0], text, size - 1);
	close(ends[0]);
	text[n < 0 ? 0 : n] = 0;
	assert_int_equal(waitpid(child, &how, 0), child);
	return how;
}

static void no_memory_ends_the_process(void **state)
{
	(void)state;
	char text[100];
	int how = end_of(3, text, sizeof text);
	assert_true(WIFEXITED(how));
	assert_int_equal(WEXITSTATUS(how), 3);
	assert_string_equal(text, "someone: out of memory\n");
	how = end_of(MUST_ABORT, text, sizeof text);
	assert_true(WIFSIGNALED(how));
	assert_string_equal(text, "someone: out of memory\n");
	assert_ptr_equal(must(text), text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_keep_their_values),
		cmocka_unit_test(no_room_changes_nothing),
		cmocka_unit_test(no_memory_ends_the_process),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
