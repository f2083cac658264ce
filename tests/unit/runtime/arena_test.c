/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

/* In a process of its own with so much address space beyond what it has: an arena of 64 MiB
 * that 40 MiB are taken from, given back and taken again in two parts, closed and opened.
 * Returns 0, or the number of the step that failed. */
static int within(uint64_t room)
{
	struct arena *arena = make();
	unsigned char *all = arena_alloc(arena, 40 << 20);
	if (!all)
		return 1;
	all[0] = all[(40 << 20) - 1] = 1;
	if (arena_alloc(arena, LIMIT))
		return 2;
	arena_free(arena, all, 40 << 20);
	unsigned char *half = arena_alloc(arena, 20 << 20), *other = arena_alloc(arena, 20 << 20);
	if (!half || !other || arena_used(arena) != 40 << 20)
		return 3;
	half[5] = 7;
	arena_close(arena, true);
	arena_close(arena, false);
	if (half[5] != 7)
		return 4;
	arena_free(arena, half, 20 << 20);
	arena_free(arena, other, 20 << 20);
	arena_trim(arena);
	/* What is trimmed is the program's. */
	void *own = room < 200 << 20 ? malloc(room - (30 << 20)) : arena;
	return own ? 0 : 5;
}

static uint64_t address_space(void)
{
	uint64_t pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	if (file) {
		assert_int_equal(fscanf(file, "%" SCNu64, &pages), 1);
		fclose(file);
	}
	return pages * 4096;
}

/* Where `ulimit -v` leaves less than all that it would reserve an arena grows, and gives back. */
__attribute__((unused)) static void a_limited_address_space_is_enough(void **state)
{
	(void)state;
	static const uint64_t rooms[] = {64ull << 20, 150ull << 20, 1ull << 30, 8ull << 30};
	for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
		int status;
		pid_t child = fork();
		if (!child) {
			uint64_t bytes = address_space() + rooms[i];
			struct rlimit limit = {bytes, bytes};
			_exit(setrlimit(RLIMIT_AS, &limit) ? 9 : within(rooms[i]));
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_an_h200s),
		cmocka_unit_test(the_limit_holds_and_frees_give_back),
		cmocka_unit_test(freed_neighbours_join),
		cmocka_unit_test(random_allocations_never_overlap),
		cmocka_unit_test(freed_pieces_fault_and_shared_ones_do_not),
#ifndef __SANITIZE_ADDRESS__ /* whose allocator takes address space as it goes */
		cmocka_unit_test(a_limited_address_space_is_enough),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
