/* SPDX-License-Identifier: Apache-2.0 */
/* Occupancy against what an H200 answered for kernels with known needs. What it
 * answers to launches is in tests/kernels/launches.expected and calls.expected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "geometry.h"

static const struct profile *h200(void)
{
	const struct profile *profile;
	assert_null(profile_find("h200", &profile));
	return profile;
}

/* cudaOccupancyMaxActiveBlocksPerMultiprocessor for kernels of so many registers,
 * without shared memory. */
static void blocks_by_registers(void **state)
{
	(void)state;
	static const uint32_t threads[10] = {32, 64, 96, 128, 160, 256, 384, 512, 768, 1024};
	static const struct {
		uint32_t registers, blocks[10];
	} measured[] = {
		{32, {32, 32, 21, 16, 12, 8, 5, 4, 2, 2}}, {56, {32, 18, 12, 9, 7, 4, 3, 2, 1, 1}},
		{72, {28, 14, 9, 7, 5, 3, 2, 1, 1, 0}},    {128, {16, 8, 5, 4, 3, 2, 1, 1, 0, 0}},
		{136, {12, 6, 4, 3, 2, 1, 1, 0, 0, 0}},    {244, {8, 4, 2, 2, 1, 1, 0, 0, 0, 0}},
	};
	for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
		for (int j = 0; j < 10; j++)
			assert_int_equal(geometry_blocks_per_sm(h200(), threads[j],
								measured[i].registers, 0),
					 measured[i].blocks[j]);
}

static void blocks_by_shared_memory(void **state)
{
	(void)state;
	static const struct {
		uint64_t shared;
		uint32_t blocks_of_64, blocks_of_256;
	} measured[] = {
		{0, 32, 8},     {1, 32, 8},     {1024, 32, 8},  {10000, 20, 8},
		{16384, 13, 8}, {48128, 4, 4},  {49152, 4, 4},  {60000, 3, 3},
		{100000, 2, 2}, {232447, 1, 1}, {232448, 1, 1}, {1 << 20, 0, 0},
	};
	for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
		assert_int_equal(geometry_blocks_per_sm(h200(), 64, 10, measured[i].shared),
				 measured[i].blocks_of_64);
		assert_int_equal(geometry_blocks_per_sm(h200(), 256, 10, measured[i].shared),
				 measured[i].blocks_of_256);
	}
	assert_int_equal(geometry_blocks_per_sm(h200(), 1025, 10, 0), 0);
}

static void dynamic_shared_memory_for_blocks(void **state)
{
	(void)state;
	static const uint32_t measured[][2] = {
		{1, 232448}, {2, 116736}, {3, 77824}, {4, 58368},
		{8, 29184},  {16, 14592}, {32, 7296},
	};
	for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
		assert_int_equal(geometry_dynamic_shared(h200(), measured[i][0], 0),
				 measured[i][1]);
}

static struct cudasim_kernel kernel;
static const struct geometry_limits usual = {.max_dynamic_shared = 49152};

static struct cudasim_launch plain(void)
{
	kernel = (struct cudasim_kernel){0};
	return (struct cudasim_launch){
		.kernel = &kernel,
		.grid = {1, 1, 1},
		.block = {32, 1, 1},
		.cluster = {1, 1, 1},
	};
}

/* Of 1024 threads two blocks fit on each of 132 multiprocessors. */
static void cooperative_launches_must_fit(void **state)
{
	(void)state;
	struct cudasim_launch l = plain();
	l.cooperative = true;
	l.block[0] = 1024;
	l.grid[0] = 264;
	assert_int_equal(geometry_check(h200(), &l, &usual), cudaSuccess);
	l.grid[0] = 265;
	assert_int_equal(geometry_check(h200(), &l, &usual), cudaErrorCooperativeLaunchTooLarge);
}

static void products_do_not_wrap(void **state)
{
	(void)state;
	struct cudasim_launch l = plain();
	l.block[0] = 1024;
	l.block[1] = 1024;
	l.block[2] = 64;
	assert_int_equal(geometry_check(h200(), &l, &usual), cudaErrorInvalidValue);
	l = plain();
	l.dynamic_shared_bytes = UINT32_MAX;
	assert_int_equal(geometry_check(h200(), &l, &usual), cudaErrorInvalidValue);
	/* Together 15 bytes in 32 bits. */
	struct geometry_limits any = {.max_dynamic_shared = UINT64_MAX};
	kernel.static_shared_bytes = 16;
	assert_int_equal(geometry_check(h200(), &l, &any), cudaErrorInvalidValue);
}

static void clusters_need_a_device_that_has_them(void **state)
{
	(void)state;
	const struct profile *a100;
	assert_null(profile_find("a100", &a100));
	struct cudasim_launch l = plain();
	l.grid[0] = 8;
	l.cluster[0] = 2;
	assert_int_equal(geometry_check(h200(), &l, &usual), cudaSuccess);
	assert_int_not_equal(geometry_check(a100, &l, &usual), cudaSuccess);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_by_registers),
		cmocka_unit_test(blocks_by_shared_memory),
		cmocka_unit_test(dynamic_shared_memory_for_blocks),
		cmocka_unit_test(cooperative_launches_must_fit),
		cmocka_unit_test(products_do_not_wrap),
		cmocka_unit_test(clusters_need_a_device_that_has_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
