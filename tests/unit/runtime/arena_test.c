/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "arena.h"

#define LIMIT (64ull << 20)

static struct arena *make(void)
{
	struct arena *arena;
	struct cudasim_error *error = arena_new(LIMIT, &arena);
	assert_null(error);
	return arena;
}

/* What an H200 does: two allocations of 100 bytes lie 512 bytes apart and take
 * 2 MiB of its memory, two of 3 MiB lie 4 MiB apart and take 8. */
static void sizes_are_an_h200s(void **state)
{
	(void)state;
	struct arena *arena = make();
	char *a = arena_alloc(arena, 100), *b = arena_alloc(arena, 100);
	assert_int_equal(b - a, 512);
	assert_int_equal(arena_used(arena), 2u << 20);
	char *c = arena_alloc(arena, 3 << 20), *d = arena_alloc(arena, 3 << 20);
	assert_int_equal(labs(d - c), 4 << 20);
	assert_int_equal((uintptr_t)c % (2 << 20), 0);
	assert_int_equal(arena_used(arena), 10u << 20);
}

static void the_limit_holds_and_frees_give_back(void **state)
{
	(void)state;
	struct arena *arena = make();
	assert_null(arena_alloc(arena, LIMIT + 1));
	assert_null(arena_alloc(arena, SIZE_MAX));
	char *all = arena_alloc(arena, LIMIT);
	assert_non_null(all);
	assert_null(arena_alloc(arena, 1));
	all[0] = all[LIMIT - 1] = 1;
	arena_free(arena, all, LIMIT);
	assert_int_equal(arena_used(arena), 0);
	void *again = arena_alloc(arena, LIMIT);
	assert_non_null(again);
}

/* Holes of freed pieces join: a big allocation fits where small ones were. */
static void freed_neighbours_join(void **state)
{
	(void)state;
	struct arena *arena = make();
	enum { N = 32 };
	void *p[N];
	for (int i = 0; i < N; i++)
		p[i] = arena_alloc(arena, 2 << 20);
	assert_null(arena_alloc(arena, 1));
	for (int i = 0; i < N; i += 2)
		arena_free(arena, p[i], 2 << 20);
	for (int i = 1; i < N; i += 2)
		arena_free(arena, p[i], 2 << 20);
	assert_non_null(arena_alloc(arena, LIMIT));
}

static void random_allocations_never_overlap(void **state)
{
	(void)state;
	struct arena *arena = make();
	enum { N = 400 };
	static struct {
		unsigned char *at;
		size_t size;
		unsigned char mark;
	} a[N];
	srand(5);
	for (int step = 0; step < 20000; step++) {
		int i = rand() % N;
		if (a[i].at) {
			assert_int_equal(a[i].at[0], a[i].mark);
			assert_int_equal(a[i].at[a[i].size - 1], a[i].mark);
			arena_free(arena, a[i].at, a[i].size);
			a[i].at = NULL;
			continue;
		}
		a[i].size = 1 + (size_t)rand() % (rand() % 50 ? 4096 : 3 << 20);
		a[i].at = arena_alloc(arena, a[i].size);
		if (!a[i].at)
			continue;
		assert_int_equal((uintptr_t)a[i].at % 512, 0);
		a[i].mark = (unsigned char)rand();
		a[i].at[0] = a[i].at[a[i].size - 1] = a[i].mark;
	}
	for (int i = 0; i < N; i++)
		if (a[i].at)
			arena_free(arena, a[i].at, a[i].size);
	assert_int_equal(arena_used(arena), 0);
}

/* In a child process: cmocka turns SIGSEGV into a failure. */
static int signal_of_a_write_to(volatile char *p)
{
	pid_t child = fork();
	if (!child) {
		signal(SIGSEGV, SIG_DFL);
		*p = 1;
		_exit(0);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void freed_pieces_fault_and_shared_ones_do_not(void **state)
{
	(void)state;
	struct arena *arena = make();
	char *large = arena_alloc(arena, 4 << 20), *small = arena_alloc(arena, 16);
	char *other = arena_alloc(arena, 16);
	assert_int_equal(signal_of_a_write_to(large), 0);
	assert_int_equal(signal_of_a_write_to(large + (4 << 20) + (60 << 20)), SIGSEGV);
	arena_free(arena, large, 4 << 20);
	arena_free(arena, small, 16);
	assert_int_equal(signal_of_a_write_to(large), SIGSEGV);
	assert_int_equal(signal_of_a_write_to(small), 0);
	assert_int_equal(signal_of_a_write_to(other + 100000), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_an_h200s),
		cmocka_unit_test(the_limit_holds_and_frees_give_back),
		cmocka_unit_test(freed_neighbours_join),
		cmocka_unit_test(random_allocations_never_overlap),
		cmocka_unit_test(freed_pieces_fault_and_shared_ones_do_not),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
