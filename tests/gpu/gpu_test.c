/* SPDX-License-Identifier: Apache-2.0 */
/* The way to a GPU, with a fake libcudart (fake_libcudart.c) in the place of the real one: who
 * is called, what is registered, and the one line that each thing in the way gets. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../api/child.h"
#include "gpu_parts.h"

static struct child c;

#define FAKE "CUDASIM_LIBCUDART=" LIBFAKE
#define RUN(part, ...) child_run(&c, part, (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

static void says(const char *part)
{
	if (!strstr(c.err, part))
		fail_msg("\"%s\" has no \"%s\"", c.err, part);
	/* One line. */
	assert_ptr_equal(strchr(c.err, '\n'), c.err + strlen(c.err) - 1);
}

static void every_function_goes_to_the_real_library(void **state)
{
	(void)state;
	/* The driver's library is found on the loader's path. */
	RUN("all", "CUDASIM=0", FAKE, "LD_LIBRARY_PATH=" FOLDER);
	assert_string_equal(c.err, "");
	assert_int_equal(c.status, 0);
	char expected[64];
	struct gpu_functions n = gpu_functions();
	snprintf(expected, sizeof expected, "\n%zu\n%zu\n", n.n_runtime - n.n_special, n.n_driver);
	assert_int_equal(n.n_special, 24);
	if (!strstr(c.out, expected))
		fail_msg("\"%s\" has no \"%s\"", c.out, expected);
}

static void what_registered_is_told_at_the_first_call(void **state)
{
	(void)state;
	RUN("use", "CUDASIM=0", FAKE);
	assert_string_equal(c.err, "");
	assert_string_equal(c.out, "registered\n"
				   "binary 466243b1 1 ba55ed50\n"
				   "function 1 kernel_device kernel -1 1\n"
				   "variable 1 variable_device variable 1 48 0 2 1\n"
				   "end 1\n"
				   "launch 2,3,4 5,6,7 99 1 1 1\n"
				   "0 1\n"
				   "unregister 1\n");
}

static void unset_takes_the_gpu_that_is_there(void **state)
{
	(void)state;
	RUN("count", FAKE);
	assert_string_equal(c.err, "");
	assert_non_null(strstr(c.out, "\n0 1 1\n"));
}

static void one_simulates(void **state)
{
	(void)state;
	RUN("count", FAKE, "CUDASIM=1", "CUDASIM_DEVICES=3");
	assert_string_equal(c.err, "");
	assert_string_equal(c.out, "0 3 0\n");
}

static void who_asks_for_a_tool_wants_the_simulator(void **state)
{
	(void)state;
	RUN("count", FAKE, "CUDASIM_SCHEDULE=inorder", "CUDASIM_DEVICES=3");
	assert_string_equal(c.out, "0 3 0\n");
}

static void code_that_comes_later_is_told_at_once(void **state)
{
	(void)state;
	RUN("later", "CUDASIM=0", FAKE);
	assert_string_equal(c.out, "1\n"
				   "binary 466243b1 1 ba55ed50\n"
				   "function 1 kernel_device kernel -1 1\n"
				   "variable 1 variable_device variable 1 48 0 2 1\n"
				   "end 1\n");
	says("a library that was opened contains no code for a GPU: its kernels fail");
}

static void managed_variables_are_shared_and_their_slots_written(void **state)
{
	(void)state;
	RUN("managed", "CUDASIM=0", FAKE);
	assert_string_equal(c.err, "");
	assert_string_equal(c.out, "registered\n"
				   "binary 466243b1 1 ba55ed50\n"
				   "variable 1 managed managed 0 8 0 1 1\n"
				   "end 1\n"
				   "share 3 pages, flags 3\n"
				   "slot 8 at 0, kind 1\n"
				   "types 3 3 1\n");
}

static void managed_variables_come_and_go_with_their_library(void **state)
{
	(void)state;
	RUN("managed later", "CUDASIM=0", FAKE);
	assert_string_equal(c.err, "");
#define COMES                                                                                      \
	"binary 466243b1 1 ba55ed50\n"                                                             \
	"variable 1 managed managed 0 8 0 1 1\n"                                                   \
	"end 1\n"                                                                                  \
	"share 3 pages, flags 3\n"                                                                 \
	"slot 8 at 0, kind 1\n"
	assert_string_equal(c.out, COMES "unshare\n"
					 "unregister 1\n" COMES "types 3 3 1\n");
}

static void calls_of_kernels_as_functions_are_launches(void **state)
{
	(void)state;
	RUN("call", "CUDASIM=0", FAKE);
	assert_non_null(strstr(c.out, "launch 1,1,1 1,1,1 0 1 1 0\n1\n"));
}

static void what_the_library_lacks_is_named(void **state)
{
	(void)state;
	RUN("missing", "CUDASIM=0", FAKE);
	says("cudaGraphDebugDotPrint is not in ");
	assert_non_null(strstr(c.out, "\n801\n"));
}

/* Each thing in the way: the part that runs into it, what brings it about, its line. */
static const struct obstacle {
	const char *part, *library, *variable, *line;
} obstacles[] = {
	{"count", "CUDASIM_LIBCUDART=/nonexistent/libcudart.so.13", "FAKE_CC=90",
	 "CUDASIM_LIBCUDART: /nonexistent/libcudart.so.13: cannot open shared object file"},
	{"count", "CUDASIM_LIBCUDART=libm.so.6", "FAKE_CC=90",
	 "CUDASIM_LIBCUDART=libm.so.6 is not a libcudart of a CUDA toolkit"},
	{"count", FAKE, "FAKE_VERSION=12040",
	 "is of CUDA 12.4: cudasim was built with the headers of "
	 "CUDA 13 and needs libcudart.so.13"},
	{"count", FAKE, "FAKE_COUNT_ERROR=100", "this machine has no GPU"},
	{"count", FAKE, "FAKE_COUNT=0", "this machine has no GPU"},
	{"count", FAKE, "FAKE_COUNT_ERROR=999", "the GPU cannot be used: unknown error"},
	{"old code", FAKE, "FAKE_CC=90",
	 "this executable's GPU code is for sm_80, the GPU needs code for "
	 "sm_90 or earlier PTX: build it with cudasim cc --gpu=sm_90"},
	{"count", FAKE, "FAKE_CC=86",
	 "this executable's GPU code is for sm_90, the GPU needs code for "
	 "sm_86 or earlier PTX"},
	{"mixed", FAKE, "FAKE_CC=90",
	 "a part of this program, with the kernel late, contains no code for a "
	 "GPU: build all of it with cudasim cc --gpu"},
};

/* Two variables decide: the driver's version and the error. */
static void run_driver(const char *mode, const char *version)
{
	RUN("count", mode, FAKE, "FAKE_COUNT_ERROR=35", version);
}

static void what_is_in_the_way_of_a_wish_ends_the_process(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof obstacles / sizeof *obstacles; i++) {
		const struct obstacle *o = &obstacles[i];
		RUN(o->part, "CUDASIM=0", o->library, o->variable);
		assert_int_equal(c.status, 1);
		assert_string_equal(c.out, "");
		assert_int_equal(strncmp(c.err, "cudasim: CUDASIM=0: ", 20), 0);
		says(o->line);
	}
	run_driver("CUDASIM=0", "FAKE_DRIVER=0");
	assert_int_equal(c.status, 1);
	says("CUDASIM=0: this machine has no driver for NVIDIA GPUs (libcuda.so.1)");
	run_driver("CUDASIM=0", "FAKE_DRIVER=12020");
	assert_int_equal(c.status, 1);
	says("the driver on this machine is made for CUDA 12.2, too old for ");
	RUN("count", "CUDASIM=0", FAKE, "FAKE_COUNT=0", "CUDA_VISIBLE_DEVICES=");
	assert_int_equal(c.status, 1);
	says("CUDASIM=0: there is no GPU among CUDA_VISIBLE_DEVICES");
	RUN("no code", "CUDASIM=0", FAKE);
	assert_int_equal(c.status, 1);
	says("CUDASIM=0: this executable contains no code for a GPU: build it with cudasim cc --gpu");
}

static void without_a_wish_it_simulates_and_says_so(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof obstacles / sizeof *obstacles; i++) {
		const struct obstacle *o = &obstacles[i];
		RUN(o->part, "CUDASIM_DEVICES=3", o->library, o->variable);
		assert_int_equal(c.status, 0);
		assert_string_equal(c.out, "0 3 0\n");
		assert_int_equal(strncmp(c.err, "cudasim: simulating: ", 21), 0);
		says(o->line);
	}
	run_driver("CUDASIM_DEVICES=3", "FAKE_DRIVER=0");
	assert_string_equal(c.out, "0 3 0\n");
	says("simulating: this machine has no driver");
}

/* The real libcudart finds libcudasim as libcuda.so.1: it is told that there is no device, and the
 * choice ends. */
static void as_its_own_driver_it_has_no_gpu(void **state)
{
	(void)state;
	RUN("count", "CUDASIM_DEVICES=3", FAKE, "FAKE_ASKS=" LIBCUDASIM);
	assert_int_equal(c.status, 0);
	assert_string_equal(c.out, "0 3 0\n");
	says("simulating: what " LIBFAKE " finds as libcuda.so.1 is cudasim");
	RUN("count", "CUDASIM=0", FAKE, "FAKE_ASKS=" LIBCUDASIM);
	assert_int_equal(c.status, 1);
	says("CUDASIM=0: what " LIBFAKE " finds as libcuda.so.1 is cudasim");
}

/* On a machine without a CUDA toolkit: the loader has no libcudart, and no folder either. The
 * calls of libcudasim come here. */
__attribute__((visibility("default"))) void *dlopen(const char *name, int flags)
{
	void *(*real)(const char *, int);
	*(void **)&real = dlsym(RTLD_NEXT, "dlopen");
	return getenv("NOWHERE") && name && strstr(name, "libcudart") ? NULL : real(name, flags);
}

__attribute__((visibility("default"))) int glob(const char *pattern, int flags,
						int (*on_error)(const char *, int), glob_t *ret)
{
	int (*real)(const char *, int, int (*)(const char *, int), glob_t *);
	*(void **)&real = dlsym(RTLD_NEXT, "glob");
	return getenv("NOWHERE") ? GLOB_NOMATCH : real(pattern, flags, on_error, ret);
}

static void without_a_library_anywhere_it_says_so(void **state)
{
	(void)state;
	RUN("count", "CUDASIM=0", "NOWHERE=1");
	assert_int_equal(c.status, 1);
	assert_string_equal(c.out, "");
	says("cudasim: CUDASIM=0: a GPU needs libcudart.so.13 of a CUDA toolkit, which is not found: "
	     "set CUDASIM_LIBCUDART to its path");
	RUN("count", "CUDASIM_DEVICES=3", "NOWHERE=1");
	assert_string_equal(c.out, "0 3 0\n");
	says("cudasim: simulating: a GPU needs libcudart.so.13 of a CUDA toolkit, which is not found");
	/* What hides it, hides it alone. */
	RUN("count", "CUDASIM=0", "LD_LIBRARY_PATH=" FOLDER);
	assert_int_equal(c.status, 0);
}

static void without_gpu_code_it_simulates_in_silence(void **state)
{
	(void)state;
	RUN("no code", FAKE, "CUDASIM_DEVICES=3");
	assert_string_equal(c.err, "");
	assert_string_equal(c.out, "0 3 0\n");
	RUN("nothing", FAKE, "CUDASIM_DEVICES=3");
	assert_string_equal(c.err, "");
	assert_string_equal(c.out, "0 3 0\n");
}

/* Programs that only ask for devices have no code for anything. */
static void a_program_without_kernels_can_have_the_gpu(void **state)
{
	(void)state;
	RUN("nothing", FAKE, "CUDASIM=0", "FAKE_COUNT=4");
	assert_string_equal(c.err, "");
	assert_string_equal(c.out, "0 4 1\n");
}

static void ptx_serves_later_gpus(void **state)
{
	(void)state;
	RUN("old ptx", "CUDASIM=0", FAKE);
	assert_string_equal(c.err, "");
	assert_non_null(strstr(c.out, "\n0 1 1\n"));
}

static void the_library_is_found_on_the_loaders_path(void **state)
{
	(void)state;
	RUN("count", "CUDASIM=0", "LD_LIBRARY_PATH=" FOLDER, "FAKE_COUNT=7");
	assert_string_equal(c.err, "");
	assert_non_null(strstr(c.out, "\n0 7 1\n"));
}

/* The fake's attributes are 100 + their number (+ the device's), but for the compute
 * capability. Blocks of 101 threads will do. */
static void this_machines_gpu_can_be_simulated(void **state)
{
	(void)state;
	RUN("profile", "CUDASIM=1", "CUDASIM_DEVICE=this", FAKE);
	assert_string_equal(c.err, "");
	assert_string_equal(c.out,
			    "Fake GPU, 9.0, 116 SMs, 206 blocks, L2 138, attribute 94 0, 3120 of "
			    "3221\n");
	RUN("profile", "CUDASIM=1", "CUDASIM_DEVICE=this", FAKE, "FAKE_COUNT_ERROR=100");
	assert_int_equal(c.status, 1);
	says("CUDASIM_DEVICE=this: this machine has no GPU");
}

static void a_profile_is_used_elsewhere(void **state)
{
	(void)state;
	char path[] = "/tmp/profile.XXXXXX", file[64], device[64];
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	snprintf(file, sizeof file, "PROFILE=%s", path);
	snprintf(device, sizeof device, "CUDASIM_DEVICE=%s", path);
	RUN("write", "CUDASIM=0", FAKE, file);
	assert_string_equal(c.out, "");
	assert_int_equal(c.status, 0);
	RUN("profile", "CUDASIM=1", device);
	assert_string_equal(c.err, "");
	assert_string_equal(c.out,
			    "Fake GPU 1, 9.0, 117 SMs, 207 blocks, L2 139, attribute 94 0, 3120 of "
			    "3221\n");
	RUN("write", "CUDASIM=0", FAKE, "PROFILE=/nonexistent/file");
	assert_int_equal(c.status, 1);
	assert_non_null(strstr(c.out, "/nonexistent/file: No such file or directory"));
	unlink(path);
}

/* h200.profile was written by `cudasim profile` on an H200. */
static void the_built_in_h200_is_what_an_h200_wrote(void **state)
{
	(void)state;
	static struct child recorded;
	RUN("attributes", "CUDASIM=1", "CUDASIM_DEVICE=" DATA "/h200.profile");
	recorded = c;
	assert_string_equal(recorded.err, "");
	assert_non_null(strstr(recorded.out, "\n16 0 132\n"));
	RUN("attributes", "CUDASIM=1", "CUDASIM_DEVICE=h200");
	assert_string_equal(c.out, recorded.out);
}

static void bad_profiles_are_refused(void **state)
{
	(void)state;
	static const char *const texts[][2] = {
		{"", "line 1 is not a line of a profile"},
		{"cudasim profile 2\n", "line 1 is not a line of a profile"},
		{"cudasim profile 1\nname X\nnonsense\n", "line 3 is not a line of a profile"},
		{"cudasim profile 1\nname X\nattribute 1\n", "line 3 is not a line of a profile"},
		{"cudasim profile 1\nname X\nmemory 0 0\n", "no name, or no sensible memory"},
		{"cudasim profile 1\nname X\nmemory 1000000000 0\n", "attribute 75 is missing"},
		{"cudasim profile 1\nname X\nmemory 1000000000 0\nattribute 75 9\nattribute 76 0\n"
		 "attribute 16 1\nattribute 1 4096\n",
		 "blocks have 1024 threads at most"},
	};
	char path[] = "/tmp/profile.XXXXXX", device[64];
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	snprintf(device, sizeof device, "CUDASIM_DEVICE=%s", path);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, texts[i][0], strlen(texts[i][0]), 0),
				 (int)strlen(texts[i][0]));
		RUN("profile", "CUDASIM=1", device);
		assert_int_equal(c.status, 1);
		says(texts[i][1]);
	}
	close(fd);
	unlink(path);
	RUN("profile", "CUDASIM=1", "CUDASIM_DEVICE=/nonexistent/a.profile");
	assert_int_equal(c.status, 1);
	says("CUDASIM_DEVICE=/nonexistent/a.profile: No such file or directory");
}

int main(int argc, char **argv)
{
	int status = argc == 2 ? gpu_part_run(argv[1]) : -1;
	if (status >= 0)
		return status;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_function_goes_to_the_real_library),
		cmocka_unit_test(what_registered_is_told_at_the_first_call),
		cmocka_unit_test(unset_takes_the_gpu_that_is_there),
		cmocka_unit_test(one_simulates),
		cmocka_unit_test(who_asks_for_a_tool_wants_the_simulator),
		cmocka_unit_test(code_that_comes_later_is_told_at_once),
		cmocka_unit_test(managed_variables_are_shared_and_their_slots_written),
		cmocka_unit_test(managed_variables_come_and_go_with_their_library),
		cmocka_unit_test(calls_of_kernels_as_functions_are_launches),
		cmocka_unit_test(without_a_library_anywhere_it_says_so),
		cmocka_unit_test(what_the_library_lacks_is_named),
		cmocka_unit_test(what_is_in_the_way_of_a_wish_ends_the_process),
		cmocka_unit_test(without_a_wish_it_simulates_and_says_so),
		cmocka_unit_test(as_its_own_driver_it_has_no_gpu),
		cmocka_unit_test(without_gpu_code_it_simulates_in_silence),
		cmocka_unit_test(a_program_without_kernels_can_have_the_gpu),
		cmocka_unit_test(ptx_serves_later_gpus),
		cmocka_unit_test(the_library_is_found_on_the_loaders_path),
		cmocka_unit_test(this_machines_gpu_can_be_simulated),
		cmocka_unit_test(a_profile_is_used_elsewhere),
		cmocka_unit_test(the_built_in_h200_is_what_an_h200_wrote),
		cmocka_unit_test(bad_profiles_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
