/* SPDX-License-Identifier: Apache-2.0 */
/* test_devcc.c - kernels.cu, compiled by cudasim-devcc and linked in, run in
 * every body. All expected values were worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "bench_runtime.h"

#define EACH_BODY(body) for (int body = 0; body < CUDASIM_N_BODIES; body++)

static void threads_know_their_indices(void **state)
{
	(void)state;
	EACH_BODY (body) {
		unsigned out[12] = {0}, *pointer = out;
		void *args[] = {&pointer};
		struct bench_launch launch = {.n_blocks = 3, .n_threads = 4};
		if (!bench_run(bench_kernel("indices"), body, &launch, args))
			continue;
		for (unsigned i = 0; i < 12; i++)
			assert_int_equal(out[i], 3 * i);
	}
}

struct odd {
	char a;
	double b;
	short c;
};

/* Offsets by C's rules: pointer 0, bool 8, char 9, Odd (24 bytes, 8 aligned) 16,
 * Tiny 40, long long 48, float 56, bool 60. */
static void parameters_lie_as_in_a_structure(void **state)
{
	(void)state;
	static const uint32_t offsets[] = {0, 8, 9, 16, 40, 48, 56, 60};
	static const uint32_t sizes[] = {8, 1, 1, 24, 3, 8, 4, 1};
	const struct cudasim_kernel *kernel = bench_kernel("parameters");
	assert_int_equal(kernel->n_params, 8);
	assert_int_equal(kernel->params_size, 61);
	for (int i = 0; i < 8; i++) {
		assert_int_equal(kernel->params[i].offset, offsets[i]);
		assert_int_equal(kernel->params[i].size, sizes[i]);
	}
	EACH_BODY (body) {
		double out[7], *pointer = out;
		bool yes = true, no = false;
		char small = -5, tiny[3] = {1, 2, 3};
		struct odd odd = {4, 0.25, -100};
		long long big = 1ll << 40;
		float f = 1.5f;
		void *args[] = {&pointer, &yes, &small, &odd, tiny, &big, &f, &no};
		struct bench_launch launch = {.n_blocks = 1, .n_threads = 2};
		if (!bench_run(kernel, body, &launch, args))
			continue;
		assert_true(out[0] == 1 && out[1] == -5);
		assert_true(out[2] == 4 + 1.25 - 100); /* both threads: its own copy */
		assert_true(out[3] == 321 && out[4] == 1099511627776.0);
		assert_true(out[5] == 1.5 && out[6] == 0);
	}
}

/* A second device's instance: the image with its pointers moved. */
static void make_instance(void *instance, const struct cudasim_module *m, uint32_t device)
{
	memcpy(instance, m->variables_image, m->variables_size);
	for (uint64_t i = 0; i < m->n_relocations; i++) {
		char **pointer = (char **)((char *)instance + m->relocations[i]);
		*pointer += (char *)instance - (char *)m->variables_image;
	}
	m->variables_base[device] = instance;
}

static void variables_are_a_device_s_own(void **state)
{
	(void)state;
	const struct cudasim_module *m = bench_module();
	static char instances[CUDASIM_N_BODIES][4096];
	assert_true(m->variables_size <= 4096);
	assert_int_equal(m->n_relocations, 3); /* to_counter, first, second */
	EACH_BODY (body)
		make_instance(instances[body], m, (uint32_t)body + 1);
	EACH_BODY (body) {
		int out[8] = {0}, *pointer = out;
		void *args[] = {&pointer};
		/* One thread: two would race for counter, and lanes in step store 42 both. */
		struct bench_launch launch = {1, 1, .device = (uint32_t)body + 1};
		out[7] = 2;
		if (!bench_run(bench_kernel("variables"), body, &launch, args))
			continue;
		static const int expected[] = {42, 30, 37, 5, 21, 1};
		assert_memory_equal(out, expected, sizeof(expected));
	}
	assert_int_equal(*(int *)((char *)m->variables_image + bench_variable("counter")->offset),
			 40);
	const struct cudasim_variable *factors = bench_variable("factors");
	assert_int_equal(factors->size, 12);
	assert_int_equal(factors->flags, CUDASIM_VARIABLE_CONSTANT);
}

static void function_pointers_mean_the_same_in_every_body(void **state)
{
	(void)state;
	void *slots[CUDASIM_N_BODIES][4] = {{0}};
	EACH_BODY (body) {
		int out[12] = {0}, *pointer = out;
		void **held = slots[body];
		void *args[] = {&pointer, &held};
		struct bench_launch launch = {.n_blocks = 1, .n_threads = 4};
		if (!bench_run(bench_kernel("calls"), body, &launch, args))
			continue;
		static const int expected[] = {406, 416, 410, 436, 0, 0, 0, 0, 14, 49, 14, 49};
		assert_memory_equal(out, expected, sizeof(expected));
		assert_memory_equal(slots[body], slots[0], sizeof(slots[0]));
	}
	const struct cudasim_function *twice = slots[0][0];
	assert_string_equal(twice->name, "_Z5twicei");
	EACH_BODY (body)
		assert_non_null(twice->entry[body]);
}

/* own(): large (8 aligned) at 0x400, common's s (4) at 0x420, small at 0x4a0. */
static void shared_variables_have_a_gpu_s_offsets(void **state)
{
	(void)state;
	const struct cudasim_kernel *own = bench_kernel("own"), *alone = bench_kernel("alone");
	assert_int_equal(own->static_shared_bytes, 32 + 128 + 1);
	assert_int_equal(alone->static_shared_bytes, 400);
	assert_int_equal(own->n_shared, 3);
	assert_int_equal(own->shared[0].offset, 0x400);
	assert_int_equal(own->shared[0].size, 32);
	assert_int_equal(alone->n_shared, 2);
	assert_string_equal(alone->shared[1].name, "dynamic");
	assert_int_equal(alone->shared[1].size, 0);
	assert_int_equal(alone->dynamic_shared_align, 16);
	EACH_BODY (body) {
		uint64_t out[5] = {0}, *pointer = out;
		void *args[] = {&pointer};
		struct bench_launch launch = {.n_blocks = 1, .n_threads = 1};
		if (!bench_run(own, body, &launch, args))
			continue;
		static const uint64_t of_own[] = {0x4a0, 0x400, 0x420, 6, 77};
		assert_memory_equal(out, of_own, sizeof(of_own));
		launch.n_threads = 100;
		launch.dynamic_shared_bytes = 800;
		bench_run(alone, body, &launch, args);
		static const uint64_t of_alone[] = {0x400, 0x400 + 400, 199};
		assert_memory_equal(out, of_alone, sizeof(of_alone));
	}
}

static void recursion_works_and_is_known(void **state)
{
	(void)state;
	const struct cudasim_kernel *kernel = bench_kernel("recursive");
	assert_true(kernel->flags & CUDASIM_KERNEL_RECURSIVE);
	assert_false(bench_kernel("indices")->flags & CUDASIM_KERNEL_RECURSIVE);
	EACH_BODY (body) {
		int out[6] = {0}, *pointer = out;
		void *args[] = {&pointer};
		struct bench_launch launch = {.n_blocks = 1, .n_threads = 6};
		if (!bench_run(kernel, body, &launch, args))
			continue;
		static const int expected[] = {1, 1, 2, 6, 24, 120};
		assert_memory_equal(out, expected, sizeof(expected));
	}
}

static void managed_variables_are_reached_through_their_slot(void **state)
{
	(void)state;
	const struct cudasim_variable *v = bench_variable("shared_with_host");
	assert_int_equal(v->flags, CUDASIM_VARIABLE_MANAGED);
	assert_int_equal(v->size, 4);
	int storage = 5, expected = 5;
	int *slot = &storage;
	memcpy((char *)bench_module()->variables_image + v->offset, &slot, sizeof(slot));
	EACH_BODY (body) {
		int out = 0, *pointer = &out;
		void *args[] = {&pointer};
		struct bench_launch launch = {.n_blocks = 1, .n_threads = 1};
		if (!bench_run(bench_kernel("managed"), body, &launch, args))
			continue;
		assert_int_equal(out, expected);
		assert_int_equal(storage, expected += 10);
	}
}

static void kernels_say_what_they_are(void **state)
{
	(void)state;
	const struct cudasim_kernel *kernel = bench_kernel("_Z7boundedILi200EEvPc");
	assert_string_equal(kernel->display, "bounded<200>");
	assert_int_equal(kernel->max_threads, 96);
	assert_int_equal(kernel->min_blocks, 2);
	assert_true(kernel->local_bytes >= 200); /* its local array, in the watched body */
	/* Its loop keeps the array for each of up to 16 lanes. */
	assert_true(kernel->local_bytes < 2000 + 16 * 200);
	assert_true(kernel->n_registers >= 16 && kernel->n_registers <= 255);
	assert_int_equal(kernel->flags & ~(CUDASIM_KERNEL_SHORT | CUDASIM_KERNEL_WIDE | CUDASIM_KERNEL_ROW |
					  CUDASIM_KERNEL_ALONE),
			 0);
	assert_true(bench_kernel("waits")->flags & CUDASIM_KERNEL_BARRIER);
	assert_true(bench_kernel("calls")->flags & CUDASIM_KERNEL_INDIRECT);
	assert_non_null(strstr(kernel->site->file, "kernels.cu"));
	assert_true(kernel->site->line > 100);
	EACH_BODY (body) {
		char out[200], *pointer = out;
		void *args[] = {&pointer};
		struct bench_launch launch = {.n_blocks = 1, .n_threads = 1};
		for (int i = 0; i < 200; i++)
			out[i] = (char)(i - 100);
		if (!bench_run(kernel, body, &launch, args))
			continue;
		for (int i = 0; i < 200; i++)
			assert_int_equal(out[i], 99 - i);
	}
}

/* Blocks side by side run in one call, unless they need their own thread or window. */
static void kernels_say_whether_blocks_join(void **state)
{
	(void)state;
	const uint32_t row = CUDASIM_KERNEL_ROW | CUDASIM_KERNEL_JOINED | CUDASIM_KERNEL_IN_ORDER;
	assert_int_equal(bench_kernel("indices")->flags & row,
			 CUDASIM_KERNEL_ROW | CUDASIM_KERNEL_JOINED);
	assert_int_equal(bench_kernel("_Z7boundedILi200EEvPc")->flags & row, CUDASIM_KERNEL_ROW);
	assert_int_equal(bench_kernel("recursive")->flags & row, 0); /* a call */
	assert_int_equal(bench_kernel("alone")->flags & row, 0);     /* shared memory */
	assert_int_equal(bench_kernel("waits")->flags & row, 0);     /* a barrier */
}

/* 0x40000000 is 2.0f. pick(7) reaches an unreachable place, and returns. */
static void careless_programs_work_as_on_a_gpu(void **state)
{
	(void)state;
	EACH_BODY (body) {
		int out[6] = {0}, *pointer = out;
		void *args[] = {&pointer};
		struct bench_launch launch = {.n_blocks = 1, .n_threads = 1};
		out[5] = 7;
		if (!bench_run(bench_kernel("careless"), body, &launch, args))
			continue;
		assert_int_equal(out[0], 5);
		assert_int_equal(out[2], 0x40000000);
	}
}

/* PTX ISA, atom: additions of single precision flush in global memory, and do not
 * in shared memory. The sums are those of the bit patterns. */
static void additions_flush_in_global_memory_alone(void **state)
{
	(void)state;
	static const unsigned in[][2] = {
		{0x000ae398, 0x000ae398}, /* subnormal + subnormal */
		{0x00800000, 0x800ae398}, /* the least normal number - subnormal */
		{0x800ae398, 0x00000000}, /* -0 + 0 once flushed */
		{0x3f800000, 0x40000000}, /* 1 + 2 */
	};
	enum { N = sizeof(in) / sizeof(in[0]) };
	/* what was there, and what is there: in global, in shared memory */
	static const unsigned expected[N][4] = {
		{0x000ae398, 0x00000000, 0x000ae398, 0x0015c730},
		{0x00800000, 0x00800000, 0x00800000, 0x00751c68},
		{0x800ae398, 0x00000000, 0x800ae398, 0x800ae398},
		{0x3f800000, 0x40400000, 0x3f800000, 0x40400000},
	};
	EACH_BODY (body) {
		unsigned out[N][4] = {{0}}, *pointer = out[0];
		const unsigned *from = in[0];
		int n = N;
		void *args[] = {&pointer, &from, &n};
		struct bench_launch launch = {.n_blocks = 1, .n_threads = 1};
		if (bench_run(bench_kernel("additions"), body, &launch, args))
			assert_memory_equal(out, expected, sizeof(out));
	}
}

static int use_loops(void **state)
{
	(void)state;
	bench_loops = true;
	return 0;
}

static int use_threads(void **state)
{
	(void)state;
	bench_loops = false;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_know_their_indices),
		cmocka_unit_test(parameters_lie_as_in_a_structure),
		cmocka_unit_test(variables_are_a_device_s_own),
		cmocka_unit_test(function_pointers_mean_the_same_in_every_body),
		cmocka_unit_test(shared_variables_have_a_gpu_s_offsets),
		cmocka_unit_test(recursion_works_and_is_known),
		cmocka_unit_test(managed_variables_are_reached_through_their_slot),
		cmocka_unit_test(kernels_say_what_they_are),
		cmocka_unit_test(kernels_say_whether_blocks_join),
		cmocka_unit_test(careless_programs_work_as_on_a_gpu),
		cmocka_unit_test(additions_flush_in_global_memory_alone),
			{"threads know their indices, as loops", threads_know_their_indices, use_loops, use_threads, NULL},
		{"parameters lie as in a structure, as loops", parameters_lie_as_in_a_structure, use_loops, use_threads, NULL},
		{"variables are a device s own, as loops", variables_are_a_device_s_own, use_loops, use_threads, NULL},
		{"function pointers mean the same in every body, as loops", function_pointers_mean_the_same_in_every_body, use_loops, use_threads, NULL},
		{"shared variables have a gpu s offsets, as loops", shared_variables_have_a_gpu_s_offsets, use_loops, use_threads, NULL},
		{"recursion works and is known, as loops", recursion_works_and_is_known, use_loops, use_threads, NULL},
		{"managed variables are reached through their slot, as loops", managed_variables_are_reached_through_their_slot, use_loops, use_threads, NULL},
		{"kernels say what they are, as loops", kernels_say_what_they_are, use_loops, use_threads, NULL},
		{"careless programs work as on a gpu, as loops", careless_programs_work_as_on_a_gpu, use_loops, use_threads, NULL},
		{"additions flush in global memory alone, as loops", additions_flush_in_global_memory_alone, use_loops, use_threads, NULL},
};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
