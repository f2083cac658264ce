/* SPDX-License-Identifier: Apache-2.0 */
/* The environment, start, fork and exit of a program, through libcudasim.so alone;
 * its kernels are C functions in a module made by hand. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include <cuda_runtime_api.h>

#include "child.h"
#include "cudasim/abi.h"

/* ---- a program --------------------------------------------------------------------- */

static void set(const void *params)
{
	int *const *p = params;
	**p = 42;
}

static void spin(const void *params)
{
	(void)params;
	for (;;)
		usleep(1000);
}

static const struct cudasim_site site = {"process_test.c", "kernel", 1, 1, CUDASIM_SITE_ENTRY, 0};
static const struct cudasim_param pointer[] = {{0, 8, 8}};
static const struct cudasim_kernel kernels[] = {
	{.name = "set", .display = "set", .entry = {set, set, set}, .params = pointer,
	 .n_params = 1, .params_size = 8, .site = &site},
	{.name = "spin", .display = "spin", .entry = {spin, spin, spin}, .site = &site},
};
static const struct cudasim_module module = {
	.abi_version = CUDASIM_ABI_VERSION, .id = "process_test", .source = "process_test.c",
	.kernels = kernels, .n_kernels = 2,
};
static const struct cudasim_blob blob = {.magic = CUDASIM_BLOB_MAGIC, .id = "process_test"};
static const struct cudasim_blob lost = {.magic = CUDASIM_BLOB_MAGIC, .id = "nowhere"};
static const uint32_t nvidia[8] = {0xba55ed50};
struct wrapper {
	int magic, version;
	const void *data;
	void *more;
};
static char set_stub, spin_stub, lost_stub, nvidia_stub;

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *,
			    void *, void *, int *);

static void register_one(const void *data, const char *stub, const char *name)
{
	static struct wrapper wrappers[8];
	static int n;
	struct wrapper *w = &wrappers[n++];
	*w = (struct wrapper){0x466243b1, 1, data, NULL};
	void **handle = __cudaRegisterFatBinary(w);
	__cudaRegisterFunction(handle, stub, (char *)name, name, -1, 0, 0, 0, 0, 0);
	__cudaRegisterFatBinaryEnd(handle);
}

static void register_all(void)
{
	register_one(&blob, &set_stub, "set");
	register_one(&blob, &spin_stub, "spin");
	__cudasim_module_register(&module);
}

static const dim3 one = {1, 1, 1};

static int use(void)
{
	int *p = NULL, value = 0;
	void *args[] = {&p};
	cudaMalloc((void **)&p, sizeof value);
	cudaLaunchKernel(&set_stub, one, one, args, 0, 0);
	cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost);
	cudaFree(p);
	return value;
}

/* ---- parts that run as processes of their own ----------------------------------------- */

static void part_use(void)
{
	printf("%d\n", use());
}

static void part_device(void)
{
	struct cudaDeviceProp p = {0};
	size_t available = 0, total = 0;
	int n = -5;
	cudaError_t count = cudaGetDeviceCount(&n);
	cudaError_t got = cudaGetDeviceProperties(&p, 0);
	void *ptr;
	cudaError_t two = cudaMalloc(&ptr, 2ull << 30);
	cudaMemGetInfo(&available, &total);
	printf("count %d %d, properties %d, %s %d.%d, 2 GiB %d, total %zu, set 1 %d\n", count, n,
	       got, p.name, p.major, p.minor, two, total, cudaSetDevice(1));
}

static void part_unsupported(void)
{
	cudaExternalMemory_t memory;
	for (int i = 0; i < 3; i++)
		printf("%d ", cudaImportExternalMemory(&memory, NULL));
	printf("%d %d\n", cudaGetLastError(), cudaGetLastError());
}

/* `ulimit -v`: less than the device has, and less than is reserved where there is no limit. */
static void part_limited(void)
{
	struct rlimit limit = {2ull << 30, 2ull << 30};
	void *list[64];
	int n = 0;
	cudaError_t error = cudaSuccess;
	if (setrlimit(RLIMIT_AS, &limit))
		return;
	printf("%d, ", use());
	while (n < 64 && !(error = cudaMalloc(&list[n], 256u << 20)))
		n++;
	printf("%s, error %d, ", n > 2 && n < 8 ? "some" : "wrong", error);
	while (n)
		cudaFree(list[--n]);
	error = cudaMallocHost(&list[0], 1u << 30); /* what device memory had */
	printf("%d, %d\n", error, use());
}

static void part_nvidia(void)
{
	void *none = NULL;
	register_one(nvidia, &nvidia_stub, "kernel");
	register_one(nvidia, &nvidia_stub, "kernel");
	printf("%d\n", cudaLaunchKernel(&nvidia_stub, one, one, &none, 0, 0));
}

static void part_lost(void)
{
	void *none = NULL;
	register_one(&lost, &lost_stub, "gone");
	printf("%d\n", cudaLaunchKernel(&lost_stub, one, one, &none, 0, 0));
}

/* exit() with a kernel that never ends. */
static void part_spin(void)
{
	cudaLaunchKernel(&spin_stub, one, one, NULL, 0, 0);
	usleep(100000);
	printf("bye\n");
}

/* A child of a process that has used CUDA cannot; one of a process that has not can. */
static void part_fork(void)
{
	int status;
	bool before = getenv("FORK_BEFORE");
	if (!before)
		printf("parent %d\n", use());
	fflush(stdout);
	pid_t child = fork();
	if (!child) {
		void *p;
		int error = cudaMalloc(&p, 16);
		printf("child %d, value %d\n", error, error ? 0 : use());
		exit(0);
	}
	waitpid(child, &status, 0);
	printf("child's status %d, parent %d\n", status, use());
}

/* Only _exit() or a signal ends a process without its handlers. */
static void part_quick(void)
{
	use();
	printf("quick\n");
	fflush(stdout);
	_exit(3);
}

static const struct {
	const char *name;
	void (*run)(void);
} parts[] = {
	{"use", part_use}, {"device", part_device}, {"unsupported", part_unsupported},
	{"limited", part_limited},
	{"nvidia", part_nvidia}, {"lost", part_lost}, {"spin", part_spin}, {"fork", part_fork},
	{"quick", part_quick},
};

/* ---- tests --------------------------------------------------------------------------- */

static struct child c;

#define RUN(part, ...) child_run(&c, part, (const char *const[]){__VA_ARGS__ __VA_OPT__(,) NULL})

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" has no \"%s\"", text, part);
}

static int count_of(const char *text, const char *part)
{
	int n = 0;
	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

static void a_program_runs_in_silence(void **state)
{
	(void)state;
	RUN("use");
	assert_int_equal(c.status, 0);
	assert_string_equal(c.out, "42\n");
	assert_string_equal(c.err, "");
	RUN("use", "CUDASIM=1", "CUDA_LAUNCH_BLOCKING=1");
	assert_string_equal(c.out, "42\n");
	assert_string_equal(c.err, "");
}

static void wrong_settings_end_the_process_with_one_line(void **state)
{
	(void)state;
	static const char *const wrong[] = {
		"CUDASIM=2", "CUDASIM_DEVICE=h300", "CUDASIM_DEVICES=0", "CUDASIM_DEVICES=17",
		"CUDASIM_DEVICES=x", "CUDASIM_MEMORY=lots", "CUDASIM_MEMORY=1K",
		"CUDASIM_SUMMARY=yes",
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		RUN("use", wrong[i]);
		assert_int_equal(c.status, 1);
		assert_string_equal(c.out, "");
		assert_int_equal(count_of(c.err, "\n"), 1);
		assert_has(c.err, wrong[i]);
	}
}

static void a_misspelt_variable_is_named(void **state)
{
	(void)state;
	RUN("use", "CUDASIM_SUMARY=1");
	assert_int_equal(c.status, 0);
	assert_string_equal(c.out, "42\n");
	assert_string_equal(c.err, "cudasim: CUDASIM_SUMARY is not a variable of cudasim: did you "
				   "mean CUDASIM_SUMMARY?\n");
}

static void the_device_is_the_one_that_was_asked_for(void **state)
{
	(void)state;
	RUN("device");
	assert_string_equal(c.out, "count 0 1, properties 0, NVIDIA H200 9.0, 2 GiB 0, "
				   "total 150109880320, set 1 101\n");
	RUN("device", "CUDASIM_DEVICE=t4", "CUDASIM_DEVICES=3");
	assert_has(c.out, "count 0 3, properties 0, Tesla T4 7.5, 2 GiB 0, ");
	assert_has(c.out, "set 1 0\n");
	RUN("device", "CUDASIM_MEMORY=1G");
	assert_has(c.out, "2 GiB 2, total 1073741824,");
}

/* The codes are an H200's, read with the same values of the variable. */
static void visible_devices_are_cudas(void **state)
{
	(void)state;
	static const char *const settings[][2] = {
		{"CUDA_VISIBLE_DEVICES=", "count 100 -5"},
		{"CUDA_VISIBLE_DEVICES=-1", "count 100 -5"},
		{"CUDA_VISIBLE_DEVICES=5", "count 100 -5"},
		{"CUDA_VISIBLE_DEVICES=0,0", "count 101 -5"},
		{"CUDA_VISIBLE_DEVICES=0,7", "count 0 1"},
		{"CUDA_VISIBLE_DEVICES=1,0", "count 0 2"},
		{"CUDA_VISIBLE_DEVICES=1,-1,0", "count 0 1"},
	};
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		RUN("device", settings[i][0], "CUDASIM_DEVICES=2");
		assert_has(c.out, settings[i][1]);
	}
}

static void what_is_not_done_says_so_once(void **state)
{
	(void)state;
	RUN("unsupported");
	assert_string_equal(c.out, "801 801 801 0 0\n");
	assert_string_equal(c.err, "cudasim: cudaImportExternalMemory is not supported\n");
}

static void gpu_code_has_to_be_rebuilt(void **state)
{
	(void)state;
	RUN("nvidia", "CUDASIM=1");
	assert_int_equal(count_of(c.err, "\n"), 1);
	assert_has(c.err, "rebuild it with cudasim cc");
	assert_string_equal(c.out, "98\n");
}

static void a_kernel_without_device_code_is_named(void **state)
{
	(void)state;
	RUN("lost");
	assert_has(c.err, "no device code for the kernel gone");
	assert_string_equal(c.out, "98\n");
}

static void exit_does_not_wait_for_ever(void **state)
{
	(void)state;
	RUN("spin");
	assert_int_equal(c.status, 0);
	assert_string_equal(c.out, "bye\n");
	assert_true(c.seconds < 50);
	RUN("quick");
	assert_int_equal(c.status, 3);
	assert_string_equal(c.out, "quick\n");
}

static void fork_after_use_is_an_error_in_the_child_only(void **state)
{
	(void)state;
	RUN("fork");
	assert_int_equal(c.status, 0);
	assert_has(c.out, "parent 42\n");
	assert_has(c.out, "child 3, value 0\n");
	assert_has(c.out, "child's status 0, parent 42\n");
	RUN("fork", "FORK_BEFORE=1");
	assert_has(c.out, "child 0, value 42\n");
	assert_has(c.out, "child's status 0, parent 42\n");
}

/* One launch, 4 bytes back, each call counted. */
static void the_summary_counts(void **state)
{
	(void)state;
	RUN("use", "CUDASIM_SUMMARY=1");
	assert_string_equal(c.out, "42\n");
	static const char *const rows[][2] = {
		{"set\n", "1"}, {"[memcpy DtoH]\n", "1"}, {"cudaMalloc\n", "1"},
		{"cudaLaunchKernel\n", "1"}, {"cudaMemcpy\n", "1"}, {"cudaFree\n", "1"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char wanted[64];
		snprintf(wanted, sizeof wanted, "  %s", rows[i][0]);
		char *end = strstr(c.err, wanted), time[32], calls[32];
		if (!end)
			fail_msg("no row %s in %s", rows[i][0], c.err);
		while (end > c.err && end[-1] != '\n')
			end--;
		assert_int_equal(sscanf(end, "%*s %31s %31s", time, calls), 2);
		assert_string_equal(calls, rows[i][1]);
	}
	char *copy = strstr(c.err, "[memcpy DtoH]");
	*copy = '\0';
	assert_string_equal(copy - 4, &"  4  "[1]); /* bytes, just before the name */
}

__attribute__((unused)) static void a_limited_address_space_is_shared(void **state)
{
	(void)state;
	struct child c;
	child_run(&c, "limited", (const char *const[]){NULL});
	assert_string_equal(c.out, "42, some, error 2, 0, 42\n");
	assert_non_null(strstr(c.err, "`ulimit -v` gives this process 2048 MiB"));
	assert_int_equal(c.status, 0);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		register_all();
		for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
			if (!strcmp(argv[1], parts[i].name))
				parts[i].run();
		return 0;
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_runs_in_silence),
		cmocka_unit_test(wrong_settings_end_the_process_with_one_line),
		cmocka_unit_test(a_misspelt_variable_is_named),
		cmocka_unit_test(the_device_is_the_one_that_was_asked_for),
		cmocka_unit_test(visible_devices_are_cudas),
		cmocka_unit_test(what_is_not_done_says_so_once),
		cmocka_unit_test(gpu_code_has_to_be_rebuilt),
		cmocka_unit_test(a_kernel_without_device_code_is_named),
		cmocka_unit_test(exit_does_not_wait_for_ever),
		cmocka_unit_test(fork_after_use_is_an_error_in_the_child_only),
		cmocka_unit_test(the_summary_counts),
#ifndef __SANITIZE_ADDRESS__ /* whose allocator takes address space as it goes */
		cmocka_unit_test(a_limited_address_space_is_shared),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
