/* SPDX-License-Identifier: Apache-2.0 */
/* Who owns an address: cudasim_memory_find() over allocations of all kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <cuda_runtime_api.h>

#include "cudasim/inspect.h"
#include "memory.h"

struct found {
	bool any, inside, freed;
	struct cudasim_memory memory;
};

static struct found find(const void *address)
{
	struct found f = {0};
	f.any = cudasim_memory_find(address, &f.memory, &f.inside, &f.freed);
	return f;
}

static char *make(enum cudasim_memory_kind kind, uint64_t size, const char *function)
{
	struct allocation what = {.kind = kind, .device = 0, .function = function};
	void *address;
	assert_int_equal(memory_alloc(&what, size, &address), cudaSuccess);
	return address;
}

static void live_memory_is_described_as_it_was_made(void **state)
{
	(void)state;
	char *p = make(CUDASIM_MEMORY_DEVICE, 1000, "cudaMalloc");
	struct found f = find(p + 999);
	assert_true(f.any && f.inside && !f.freed);
	assert_ptr_equal(f.memory.address, p);
	assert_int_equal(f.memory.size, 1000);
	assert_int_equal(f.memory.kind, CUDASIM_MEMORY_DEVICE);
	assert_int_equal(f.memory.device, 0);
	assert_string_equal(f.memory.function, "cudaMalloc");
	assert_int_not_equal(f.memory.id, 0);
	f = find(p + 1000);
	assert_true(f.any && !f.inside && !f.freed);
	assert_ptr_equal(f.memory.address, p);
	assert_int_equal(memory_free(p, 1u << CUDASIM_MEMORY_DEVICE, "cudaFree"), cudaSuccess);
}

/* Between allocations, too; the host's own memory never. */
static void cuda_memory_is_told_from_the_hosts(void **state)
{
	(void)state;
	static char variable[16];
	static const enum cudasim_memory_kind kinds[] = {
		CUDASIM_MEMORY_DEVICE, CUDASIM_MEMORY_MANAGED, CUDASIM_MEMORY_HOST};
	for (unsigned i = 0; i < 3; i++) {
		char *p = make(kinds[i], 100, "cudaMalloc");
		assert_true(cudasim_memory_is_cuda(p));
		assert_true(cudasim_memory_is_cuda(p + 300));
		assert_int_equal(memory_free(p, 1u << kinds[i], "cudaFree"), cudaSuccess);
		assert_true(cudasim_memory_is_cuda(p));
	}
	assert_false(cudasim_memory_is_cuda(variable));
	assert_false(cudasim_memory_is_cuda(&state));
	assert_false(cudasim_memory_is_cuda(NULL));
}

/* Freed memory keeps its kind, its maker and its number until it is used again. */
static void freed_memory_is_described_as_it_was_made(void **state)
{
	(void)state;
	char *p = make(CUDASIM_MEMORY_HOST, 64, "cudaMallocHost");
	uint64_t id = find(p).memory.id;
	assert_int_equal(memory_free(p, 1u << CUDASIM_MEMORY_HOST, "cudaFreeHost"), cudaSuccess);
	struct found f = find(p + 8);
	assert_true(f.any && f.inside && f.freed);
	assert_ptr_equal(f.memory.address, p);
	assert_int_equal(f.memory.kind, CUDASIM_MEMORY_HOST);
	assert_int_equal(f.memory.device, -1);
	assert_int_equal(f.memory.id, id);
	assert_string_equal(f.memory.function, "cudaMallocHost");
	char *q = make(CUDASIM_MEMORY_HOST, 64, "cudaHostAlloc");
	assert_ptr_equal(p, q);
	f = find(p + 8);
	assert_true(f.any && f.inside && !f.freed);
	assert_int_not_equal(f.memory.id, id);
	assert_int_equal(memory_free(q, 1u << CUDASIM_MEMORY_HOST, "cudaFreeHost"), cudaSuccess);
}

/* A graph's memory keeps its range while it is freed. */
static void memory_of_a_graph_is_freed_between_its_launches(void **state)
{
	(void)state;
	struct allocation what = {.kind = CUDASIM_MEMORY_DEVICE};
	void *p;
	uint64_t held;
	assert_int_equal(memory_hold(&what, 256, &p, &held), cudaSuccess);
	assert_true(memory_take(p, held, "cudaGraphLaunch"));
	struct found f = find(p);
	assert_true(f.any && f.inside && !f.freed);
	assert_int_equal(memory_free(p, 1u << CUDASIM_MEMORY_DEVICE, "cudaGraphLaunch"),
			 cudaSuccess);
	f = find(p);
	assert_true(f.any && f.inside && f.freed);
	memory_release(p, held);
	f = find(p);
	assert_true(f.any && f.inside && f.freed);
}

/* Of a module's block each variable is found by itself. */
static void variables_have_names(void **state)
{
	static const struct cudasim_variable variables[] = {
		{.name = "a", .display = "a", .size = 4, .offset = 0},
		{.name = "_Z1b", .display = "b", .size = 8, .offset = 16},
	};
	static const struct cudasim_module module = {.variables = variables, .n_variables = 2};
	static _Alignas(16) char block[32];
	(void)state;
	struct allocation what = {.kind = CUDASIM_MEMORY_VARIABLE, .device = 0, .module = &module};
	assert_true(memory_add(&what, block, sizeof block));
	struct found f = find(block + 20);
	assert_true(f.any && f.inside && !f.freed);
	assert_ptr_equal(f.memory.address, block + 16);
	assert_int_equal(f.memory.size, 8);
	assert_int_equal(f.memory.kind, CUDASIM_MEMORY_VARIABLE);
	assert_int_equal(f.memory.id, 0);
	assert_string_equal(f.memory.function, "b");
	/* Between two: behind the first. */
	f = find(block + 8);
	assert_true(f.any && !f.inside && !f.freed);
	assert_string_equal(f.memory.function, "a");
	assert_true(memory_forget(block, CUDASIM_MEMORY_VARIABLE, NULL));
}

static void nothing_is_near_the_hosts_own_memory(void **state)
{
	int local = 0;
	(void)state;
	assert_false(find(&local).any);
	assert_false(find(NULL).any);
}

/* Device memory is there from the first call on that needs a device. */
static int start(void **state)
{
	(void)state;
	return cudaFree(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(live_memory_is_described_as_it_was_made),
		cmocka_unit_test(cuda_memory_is_told_from_the_hosts),
		cmocka_unit_test(freed_memory_is_described_as_it_was_made),
		cmocka_unit_test(memory_of_a_graph_is_freed_between_its_launches),
		cmocka_unit_test(variables_have_names),
		cmocka_unit_test(nothing_is_near_the_hosts_own_memory),
	};
	return cmocka_run_group_tests(tests, start, NULL);
}
