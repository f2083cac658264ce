/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler's parts that stand alone: orders, printf's text and buffer, the
 * heap, fibers. */
#define _GNU_SOURCE
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cudasim/error.h"
#include "device_side.h"
#include "heap.h"
#include "print_format.h"

/* ---- orders ----------------------------------------------------------------------- */

static void orders_are_permutations_in_windows(void **state)
{
	(void)state;
	enum { N = 1000 };
	for (enum schedule_order order = SCHEDULE_INORDER; order <= SCHEDULE_RANDOM; order++)
		for (uint32_t window = 1; window < 300; window = window * 3 + 1) {
			char seen[N] = {0};
			for (uint64_t i = 0; i < N; i++) {
				uint64_t b = schedule_block(order, 7, i, N, window);
				assert_true(b < N && b / window == i / window);
				assert_false(seen[b]++);
				assert_int_equal(b, schedule_block(order, 7, i, N, window));
			}
		}
	assert_int_equal(schedule_block(SCHEDULE_REVERSE, 0, 0, 10, 4), 3);
	assert_int_equal(schedule_block(SCHEDULE_REVERSE, 0, 8, 10, 4), 9);
}

static void check_schedule(const char *text, bool good, enum schedule_order order, uint64_t seed)
{
	struct schedule schedule;
	struct cudasim_error *error = schedule_parse(text, &schedule);
	assert_int_equal(!error, good);
	if (error) {
		assert_int_equal(error->code, CUDASIM_E_ARGUMENT);
		assert_non_null(strstr(error->message, text));
		cudasim_error_free(error);
		return;
	}
	assert_int_equal(schedule.order, order);
	assert_int_equal(schedule.seed, seed);
}

static void schedules_are_read_or_refused(void **state)
{
	(void)state;
	check_schedule("inorder", true, SCHEDULE_INORDER, 0);
	check_schedule("reverse", true, SCHEDULE_REVERSE, 0);
	check_schedule("random:42", true, SCHEDULE_RANDOM, 42);
	check_schedule("random:0xff", true, SCHEDULE_RANDOM, 255);
	check_schedule("random:", false, SCHEDULE_RANDOM, 0);
	check_schedule("random:-1", false, SCHEDULE_RANDOM, 0);
	check_schedule("random:12x", false, SCHEDULE_RANDOM, 0);
	check_schedule("random:99999999999999999999", false, SCHEDULE_RANDOM, 0);
	check_schedule("Inorder", false, SCHEDULE_INORDER, 0);
	struct schedule schedule;
	assert_null(schedule_parse(NULL, &schedule));
	assert_false(schedule.fixed);
}

/* ---- printf ------------------------------------------------------------------------ */

static void check_print(const char *format, const void *args, uint32_t n_args, const char *expected)
{
	struct print print;
	print_format(&print, format, args);
	if (print.n != strlen(expected) || memcmp(print.text, expected, print.n))
		fail_msg("\"%s\" gave \"%.*s\", not \"%s\"", format, (int)print.n, print.text,
			 expected);
	assert_int_equal(print.n_args, n_args);
	print_free(&print);
}

/* What an H200 printed (tests/kernels/output.expected), and hand-made cases. */
static void formats_are_cudas(void **state)
{
	(void)state;
	struct {
		int32_t a, b;
		int64_t c;
		double d;
		const char *s;
	} args = {
		-7, 8, -1125899906842624, 2.5, "word",
	};
	check_print("plain 100%%\n", NULL, 0, "plain 100%\n");
	check_print("%d %i %lld %f %s", &args, 5, "-7 8 -1125899906842624 2.500000 word");
	check_print("%u %x", &args, 2, "4294967289 8");
	check_print("%05d|%-5d|", &args, 2, "-0007|8    |");
	check_print("%*d|", &args, 2, "8      |"); /* width -7: left justified in 7 */
	check_print("%zu", &args, 0, "%zu");
	check_print("%y %d", &args, 1, "%y -7");
	check_print("%", &args, 0, "%");
	check_print("%5", &args, 0, "%5");
	struct {
		uint64_t p;
		const char *none;
	} pointers = {0, NULL};
	check_print("%p %s", &pointers, 2, "(nil) (null)");
	int32_t small[2] = {-3, 65535};
	check_print("%hd %hu", small, 2, "-3 65535");
	/* Which the device does not count, and the host does: bytes of the format are printed. */
	check_print("%hhd", small, 0, "37");
	check_print("%hhd %hhu", small, 0, "37 117");
	check_print("%hhd %d", &args, 1, "-7 1684564005");
	char wide[2000];
	snprintf(wide, sizeof wide, "%1500d", -7);
	check_print("%1500d", &args, 1, wide);
}

static int odd_answers;

static void print_lines(const void *params)
{
	struct {
		uint32_t tid, round;
	} args = {tid(), 0};
	(void)params;
	for (args.round = 0; args.round < 2; args.round++)
		odd_answers += __cudasim_vprintf("%u.%u\n", &args, HERE) != 2;
}

/* The text that printf_flush() writes. */
static char *flushed(void)
{
	char name[] = "/tmp/cudasim-test-XXXXXX", *text = calloc(1, 100000);
	int file = mkstemp(name), out = dup(1);
	fflush(stdout);
	dup2(file, 1);
	printf_flush(&harness_device);
	fflush(stdout);
	dup2(out, 1);
	close(out);
	lseek(file, 0, SEEK_SET);
	assert_true(read(file, text, 99999) >= 0);
	close(file);
	unlink(name);
	return text;
}

/* The lanes of a warp print together at each call, in lane order. */
static void a_warp_prints_in_lane_order(void **state)
{
	(void)state;
	const struct scheduler_config one = {.n_workers = 1};
	assert_null(scheduler_start_with(&one));
	assert_int_equal(harness_launch(print_lines, NULL, (struct shape){.grid = 1, .block = 3}),
			 0);
	scheduler_stop();
	char *text = flushed();
	assert_string_equal(text, "0.0\n1.0\n2.0\n0.1\n1.1\n2.1\n");
	assert_int_equal(odd_answers, 0);
	free(text);
}

/* 100 lines of 32 bytes in a buffer of 320: the last ten are left. */
static void a_full_buffer_loses_the_oldest(void **state)
{
	(void)state;
	const struct scheduler_config one = {.n_workers = 1};
	assert_null(scheduler_start_with(&one));
	scheduler_limits(&harness_device, 8 << 20, 320, 1024);
	assert_int_equal(harness_launch(print_lines, NULL, (struct shape){.grid = 50, .block = 1}),
			 0);
	scheduler_stop();
	char *text = flushed();
	assert_string_equal(text, "0.0\n0.1\n0.0\n0.1\n0.0\n0.1\n0.0\n0.1\n0.0\n0.1\n");
	free(text);
	scheduler_reset(&harness_device);
}

/* ---- the heap ------------------------------------------------------------------------ */

static void a_heap_gives_and_takes(void **state)
{
	(void)state;
	enum { N = 200 };
	struct heap *heap = heap_new(&harness_device, 1 << 16);
	unsigned char *p[N] = {0};
	uint64_t size[N], random = 3, asked;
	assert_non_null(heap);
	void *nothing = heap_alloc(heap, 0); /* an H200 gives a pointer, too */
	assert_non_null(nothing);
	assert_int_equal(heap_release(heap, nothing, &asked), HEAP_OK);
	assert_null(heap_alloc(heap, UINT64_MAX));
	assert_null(heap_alloc(heap, 1 << 16));
	for (int round = 0; round < 20000; round++) {
		uint32_t i = schedule_below(&random, N);
		if (p[i]) {
			for (uint64_t k = 0; k < size[i]; k++)
				assert_int_equal(p[i][k], (unsigned char)i);
			assert_int_equal(heap_release(heap, p[i], &asked), HEAP_OK);
			assert_int_equal(asked, size[i]);
			assert_int_equal(heap_release(heap, p[i], &asked), HEAP_FREED);
			p[i] = NULL;
		} else {
			size[i] = 1 + schedule_below(&random, 700);
			p[i] = heap_alloc(heap, size[i]);
			if (p[i])
				memset(p[i], (int)i, size[i]);
			assert_int_equal((uintptr_t)p[i] % 16, 0);
		}
		if (round % 64 == 0)
			heap_check(heap);
	}
	for (int i = 0; i < N; i++)
		if (p[i])
			assert_int_equal(heap_release(heap, p[i], &asked), HEAP_OK);
	heap_check(heap);
	assert_int_equal(heap_used(heap), 0);
	/* Everything has merged into one piece again. */
	assert_non_null(heap_alloc(heap, (1 << 16) - 64));
	assert_int_equal(heap_release(heap, &random, &asked), HEAP_FOREIGN);
	heap_free_all(heap, &harness_device);
}

/* ---- fibers ---------------------------------------------------------------------------- */

static struct fiber host_fiber, *pinged;
static int pings;

static void ping(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pings += *(int *)arg;
		if (pinged->baton)
			fiber_baton_switch(pinged, &host_fiber);
		else
			fiber_switch(&pinged->sp, &host_fiber, host_fiber.sp);
	}
	fiber_leave(pinged, &host_fiber, host_fiber.sp);
}

static void go(void)
{
	if (pinged->baton)
		fiber_baton_switch(&host_fiber, pinged);
	else
		fiber_switch(&host_fiber.sp, pinged, pinged->sp);
}

static void fibers_switch_leave_and_are_abandoned(void **state)
{
	(void)state;
	for (enum fiber_kind kind = FIBER_STACK; kind <= FIBER_PTHREAD; kind++) {
		struct fiber_pool pool;
		int by = 10;
		pings = 0;
		fiber_adopt(&host_fiber, kind);
		fiber_pool_init(&pool, kind, 65536, ping, &by);
		for (int round = 0; round < 100; round++) {
			pinged = fiber_get(&pool);
			assert_true((uintptr_t)pinged->top % 16 == 0);
			for (int i = 0; i < 4; i++)
				go();
			assert_int_equal(pings, 10 * (3 * (round + 1) + round));
			/* This one is given up in the middle. */
			pinged = fiber_get(&pool);
			go();
			fiber_put(pinged);
		}
		assert_int_equal(pool.n_free, pool.n_all);
		fiber_pool_fini(&pool);
		fiber_unadopt(&host_fiber);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_are_permutations_in_windows),
		cmocka_unit_test(schedules_are_read_or_refused),
		cmocka_unit_test(formats_are_cudas),
		cmocka_unit_test(a_warp_prints_in_lane_order),
		cmocka_unit_test(a_full_buffer_loses_the_oldest),
		cmocka_unit_test(a_heap_gives_and_takes),
		cmocka_unit_test(fibers_switch_leave_and_are_abandoned),
	};
	return cmocka_run_group_tests_name("parts", tests, NULL, NULL);
}
