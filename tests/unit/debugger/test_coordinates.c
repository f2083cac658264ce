/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinates as users write them, over two launches that the test makes: kernel 0 of
 * 2 blocks, kernel 1 of 1, each block of 64 threads; thread 3 of kernel 0's block 1 has
 * ended. The forms and messages are those of cuda-gdb on an H200. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "coordinates.h"
#include "error.h"

enum { N_BLOCKS = 3, N_THREADS = 64 };
static struct cudasim_launch launches[2];
static struct cudasim_block blocks[N_BLOCKS];
static struct cudasim_thread threads[N_BLOCKS][N_THREADS];
static struct focus focus;

/* ---- what coordinates.c asks of others --------------------------------------------- */

const struct focus *focus_get(void)
{
	return &focus;
}
uint64_t focus_kernel_number(const struct cudasim_launch *launch)
{
	return launch->id - 1;
}
bool focus_can_see(struct cudasim_thread *thread)
{
	return thread != &threads[1][3];
}
const char *text_skip(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}
size_t cudasim_launches(struct cudasim_launch **ret, size_t max)
{
	for (size_t i = 0; i < 2 && i < max; i++)
		ret[i] = &launches[i];
	return 2;
}
size_t cudasim_blocks(struct cudasim_launch *launch, struct cudasim_block **ret, size_t max)
{
	size_t n = 0;
	for (size_t i = 0; i < N_BLOCKS; i++)
		if (blocks[i].launch == launch && n++ < max)
			ret[n - 1] = &blocks[i];
	return n;
}
struct cudasim_thread *cudasim_block_thread(struct cudasim_block *block, uint32_t linear)
{
	return linear < N_THREADS ? &threads[block - blocks][linear] : NULL;
}

/* ---- the scene ------------------------------------------------------------------------- */

static void look_at(unsigned block, unsigned thread)
{
	focus = (struct focus){.is_device = true,
			       .launch = blocks[block].launch,
			       .block = &blocks[block],
			       .thread = &threads[block][thread],
			       .kernel = blocks[block].launch->id - 1};
	memcpy(focus.block_index, blocks[block].ctaid, sizeof focus.block_index);
	memcpy(focus.thread_index, threads[block][thread].tid, sizeof focus.thread_index);
}

static int make_scene(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++)
		launches[i] = (struct cudasim_launch){.id = i + 1, .gridid = i + 1};
	for (unsigned b = 0; b < N_BLOCKS; b++) {
		blocks[b] = (struct cudasim_block){.ctaid = {b % 2, 0, 0},
						   .ntid = {N_THREADS, 1, 1},
						   .nctaid = {b < 2 ? 2 : 1, 1, 1},
						   .smid = b,
						   .gridid = b < 2 ? 1 : 2,
						   .cluster_nctaid = {1, 1, 1},
						   .launch = &launches[b / 2]};
		for (unsigned t = 0; t < N_THREADS; t++)
			threads[b][t] = (struct cudasim_thread){.tid = {t, 0, 0},
								.lane = t % 32,
								.warp = t / 32,
								.linear = t,
								.block = &blocks[b]};
	}
	look_at(0, 0);
	return 0;
}

static struct cudasim_thread *find(const char *text)
{
	struct coordinates c;
	struct cudasim_error *error = coordinates_parse(text, "cuda", &c);
	if (error)
		fail_msg("%s: %s", text, error->message);
	return coordinates_find(&c);
}

static void refuse(const char *text, const char *message)
{
	struct coordinates c;
	struct cudasim_error *error = coordinates_parse(text, "cuda", &c);
	assert_non_null(error);
	assert_string_equal(error->message, message);
	cudasim_error_free(error);
}

/* ---- tests ------------------------------------------------------------------------------- */

static void all_forms_of_an_index(void **state)
{
	(void)state;
	assert_ptr_equal(find("thread 5"), &threads[0][5]);
	assert_ptr_equal(find("thread (5)"), &threads[0][5]);
	assert_ptr_equal(find("thread (5,0)"), &threads[0][5]);
	assert_ptr_equal(find("thread ( 5 , 0 , 0 )"), &threads[0][5]);
	assert_ptr_equal(find("thread 5,0,0"), &threads[0][5]);
	assert_ptr_equal(find("block (1,0,0) thread (32,0,0)"), &threads[1][32]);
	assert_ptr_equal(find("block 1 thread 0"), &threads[1][0]);
}

static void what_is_not_given_stays_near_the_focus(void **state)
{
	(void)state;
	look_at(0, 40);
	assert_ptr_equal(find("block 1"), &threads[1][40]);
	assert_ptr_equal(find("lane 4"), &threads[0][36]);
	assert_ptr_equal(find("warp 0"), &threads[0][8]);
	assert_ptr_equal(find("kernel 0"), &threads[0][40]);
	assert_ptr_equal(find("kernel 1"), &threads[2][40]);
	assert_ptr_equal(find("sm 1"), &threads[1][40]);
	look_at(0, 3); /* whose like in block 1 has ended: its warp, and there the first */
	assert_ptr_equal(find("block 1")->block, &blocks[1]);
	assert_int_equal(find("block 1")->warp, 0);
}

static void numbers_may_be_relative(void **state)
{
	(void)state;
	look_at(1, 40);
	assert_ptr_equal(find("lane +1"), &threads[1][41]);
	assert_ptr_equal(find("thread -8"), &threads[1][32]);
	assert_ptr_equal(find("block -1"), &threads[0][40]);
	assert_null(find("block +1"));
}

static void what_is_not_there_is_not_found(void **state)
{
	(void)state;
	assert_null(find("thread 300"));
	assert_null(find("block (9,9,9)"));
	assert_null(find("kernel 9"));
	assert_null(find("block 1 thread 3"));
	assert_null(find("thread 99999999999999999999999"));
}

static void nonsense_is_named(void **state)
{
	(void)state;
	refuse("nosuch", "Undefined cuda command: \"nosuch\".  Try \"help cuda\".");
	refuse("5", "Undefined cuda command: \"5\".  Try \"help cuda\".");
	refuse("thread (3",
	       "Invalid coordinates: thread (3 is neither a number nor an index (x,y,z).");
	refuse("thread (1,2,3,4)",
	       "Invalid coordinates: thread (1,2,3,4) is neither a number nor an index (x,y,z).");
	refuse("lane (1,2)",
	       "Invalid coordinates: lane (1,2) is neither a number nor an index (x,y,z).");
	refuse("clusterDim 3", "clusterDim cannot be selected.");
}

static void names_alone_ask(void **state)
{
	struct coordinates c;
	char *text;
	size_t size;
	(void)state;
	look_at(1, 40);
	assert_null(coordinates_parse("kernel block thread warp lane", "cuda", &c));
	assert_int_equal(c.n, 5);
	assert_false(c.has_value[COORDINATE_BLOCK]);
	FILE *out = open_memstream(&text, &size);
	coordinates_print(out, &c);
	fclose(out);
	assert_string_equal(text, "kernel 0, block (1,0,0), thread (40,0,0), warp 1, lane 8\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(all_forms_of_an_index, make_scene),
		cmocka_unit_test_setup(what_is_not_given_stays_near_the_focus, make_scene),
		cmocka_unit_test_setup(numbers_may_be_relative, make_scene),
		cmocka_unit_test_setup(what_is_not_there_is_not_found, make_scene),
		cmocka_unit_test_setup(nonsense_is_named, make_scene),
		cmocka_unit_test_setup(names_alone_ask, make_scene),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
