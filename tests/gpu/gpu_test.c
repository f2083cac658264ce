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
#include <cuda_runtime_api.h>

#include "../api/child.h"
#include "cudasim/abi.h"
#include "cudasim/call.h"
#include "cudasim/profile.h"

/* ---- what registers -------------------------------------------------------------------- */

/* A fat binary with one entry, as fatbinary writes it. */
struct fatbin {
	uint32_t magic;
	uint16_t version, header_bytes;
	uint64_t bytes;
	uint16_t kind, entry_version;
	uint32_t entry_header_bytes;
	uint64_t payload_bytes;
	uint32_t unknown[3], architecture, more[2], flags, pad[5];
	char payload[16];
};
_Static_assert(offsetof(struct fatbin, architecture) == 16 + 28, "as in the tool's output");

static struct {
	struct cudasim_blob blob;
	char pad[64 - sizeof(struct cudasim_blob)];
	struct fatbin fatbin;
} object = {
	.blob = {CUDASIM_BLOB_MAGIC, "0123456789abcdef", 0, 0},
	.fatbin = {0xba55ed50,
		   1,
		   16,
		   64 + 16,
		   2,
		   0x101,
		   64,
		   16,
		   {0},
		   90,
		   {0},
		   0,
		   {0},
		   "machine code"},
};
static struct {
	int magic, version;
	const void *data;
	void *more;
} wrapper = {0x466243b1, 1, &object, NULL};

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *,
			    void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);

static char stub, shadow;

enum { WITH_GPU = 1, PTX = 2 };

static void **register_object(int flags, unsigned architecture)
{
	object.blob.gpu_offset = flags & WITH_GPU ? 64 : 0;
	object.blob.gpu_size = flags & WITH_GPU ? sizeof object.fatbin : 0;
	object.fatbin.architecture = architecture;
	object.fatbin.kind = flags & PTX ? 1 : 2;
	void **handle = __cudaRegisterFatBinary(&wrapper);
	__cudaRegisterFunction(handle, &stub, (char *)"kernel_device", "kernel", -1, NULL, NULL,
			       NULL, NULL, NULL);
	__cudaRegisterVar(handle, &shadow, (char *)"variable_device", "variable", 1, 48, 0, 2);
	__cudaRegisterFatBinaryEnd(handle);
	return handle;
}

/* ---- parts ------------------------------------------------------------------------------- */

static const char *const names[] = {
#define X(name) #name,
#include "names.def"
#undef X
};
static const char *const driver_names[] = {
#define X(name) #name,
#include "driver_names.def"
#undef X
};

/* Those that do something in the fake, or are missing there. */
static int is_special(const char *name)
{
	static const char *const special[] = {
		"cudaRuntimeGetVersion",   "cudaDriverGetVersion",
		"cudaGetDeviceCount",      "cudaDeviceGetAttribute",
		"cudaGetErrorString",      "cudaLaunchKernel",
		"cudaGraphDebugDotPrint",  "__cudaInitModule",
		"cudaGetDeviceProperties", "cudaSetDevice",
		"cudaMemGetInfo",          "cudaGetDevice",
		"cudaHostRegister",        "cudaHostUnregister",
		"cudaMemcpyToSymbol",      "cudaPointerGetAttributes",
	};
	for (size_t i = 0; i < sizeof special / sizeof *special; i++)
		if (!strcmp(name, special[i]))
			return 1;
	return !strncmp(name, "__cudaRegister", 14) || !strncmp(name, "__cudaUnregister", 16);
}

static int reached(const char *const *list, int n, int first)
{
	int ret = 0;
	for (int i = 0; i < n; i++) {
		if (is_special(list[i]))
			continue;
		int (*function)(void);
		*(void **)&function = dlsym(RTLD_DEFAULT, list[i]);
		/* Twice: the first call binds. */
		if (function() != first + i || function() != first + i)
			printf("%s is not passed on\n", list[i]);
		else
			ret++;
	}
	return ret;
}

static int part_all(void)
{
	register_object(WITH_GPU, 90);
	printf("%d\n", reached(names, sizeof names / sizeof *names, 1000));
	printf("%d\n", reached(driver_names, sizeof driver_names / sizeof *driver_names, 5000));
	return 0;
}

static int part_use(void)
{
	void **handle = register_object(WITH_GPU, 90);
	void *arguments[1] = {&stub};
	puts("registered");
	fflush(stdout);
	int error = cudaLaunchKernel(&stub, (dim3){2, 3, 4}, (dim3){5, 6, 7}, arguments, 99,
				     cudaStreamPerThread);
	printf("%d %d\n", error, cudasim_on_gpu());
	__cudaUnregisterFatBinary(handle);
	return 0;
}

static int part_call_kernel(void)
{
	register_object(WITH_GPU, 90);
	void *arguments[1] = {&stub};
	printf("%d\n", cudasim_call_kernel(&stub, arguments) > 1000);
	return 0;
}

/* An object with a managed variable of two pages and a bit, from the middle of a page on. */
static _Alignas(4096) char storage[4 * 4096], image[4096];
static const struct cudasim_variable managed[] = {
	{"managed", "managed", 0, 2 * 4096, 8, CUDASIM_VARIABLE_MANAGED},
};
static void *bases[CUDASIM_MAX_DEVICES];
static const struct cudasim_module module = {
	.abi_version = CUDASIM_ABI_VERSION,
	.id = "0123456789abcdef",
	.source = "managed.cu",
	.variables = managed,
	.n_variables = 1,
	.variables_image = image,
	.variables_size = sizeof image,
	.variables_base = bases,
};
static int part_later(void)
{
	printf("%d\n", cudaGetDevice(NULL) > 1000);
	__cudasim_module_register(&module);
	register_object(WITH_GPU, 90);
	register_object(0, 90);
	return 0;
}

static char *const in_storage = storage + 2048;

static void **register_managed(void)
{
	object.blob.gpu_offset = 64;
	object.blob.gpu_size = sizeof object.fatbin;
	void **handle = __cudaRegisterFatBinary(&wrapper);
	__cudaRegisterVar(handle, in_storage, (char *)"managed", "managed", 0, 8, 0, 1);
	__cudaRegisterFatBinaryEnd(handle);
	/* As in objects of cudasim cc, where the module comes last. */
	__cudasim_module_register(&module);
	return handle;
}

static void tell_types(void)
{
	struct cudaPointerAttributes first = {0}, inside = {0}, before = {0};
	cudaPointerGetAttributes(&first, in_storage);
	cudaPointerGetAttributes(&inside, in_storage + 8191);
	cudaPointerGetAttributes(&before, in_storage - 1);
	printf("types %d %d %d\n", first.type, inside.type, before.type);
}

static int part_managed(void)
{
	register_managed();
	puts("registered");
	tell_types();
	return 0;
}

/* Opened, closed and opened again. */
static int part_managed_later(void)
{
	cudaGetDevice(NULL);
	__cudaUnregisterFatBinary(register_managed());
	register_managed();
	tell_types();
	return 0;
}

static int count(void)
{
	int n = -1;
	int error = cudaGetDeviceCount(&n);
	printf("%d %d %d\n", error, n, cudasim_on_gpu());
	return 0;
}

static int part_count(void)
{
	register_object(WITH_GPU, 90);
	return count();
}

static int part_no_code(void)
{
	register_object(0, 90);
	return count();
}

static int part_mixed(void)
{
	register_object(WITH_GPU, 90);
	static struct cudasim_blob other = {CUDASIM_BLOB_MAGIC, "another module..", 0, 0};
	wrapper.data = &other;
	void **handle = __cudaRegisterFatBinary(&wrapper);
	__cudaRegisterFunction(handle, &shadow, (char *)"late", "late", -1, NULL, NULL, NULL, NULL,
			       NULL);
	return count();
}

static int part_nothing(void)
{
	return count();
}

static int part_old_code(void)
{
	register_object(WITH_GPU, 80);
	return count();
}

static int part_old_ptx(void)
{
	register_object(WITH_GPU | PTX, 80);
	return count();
}

static int part_missing(void)
{
	register_object(WITH_GPU, 90);
	int error = cudaGraphDebugDotPrint(NULL, NULL, 0);
	printf("%d\n", error);
	return 0;
}

/* The simulator's answers, and its memory in million bytes. */
static int part_profile(void)
{
	struct cudaDeviceProp p;
	int blocks = 0, unknown = 0;
	size_t available = 0, total = 0;
	cudaGetDeviceProperties(&p, 0);
	cudaDeviceGetAttribute(&blocks, cudaDevAttrMaxBlocksPerMultiprocessor, 0);
	cudaDeviceGetAttribute(&unknown, (enum cudaDeviceAttr)94, 0);
	cudaMemGetInfo(&available, &total);
	printf("%s, %d.%d, %d SMs, %d blocks, L2 %d, attribute 94 %d, %zu of %zu\n", p.name,
	       p.major, p.minor, p.multiProcessorCount, blocks, p.l2CacheSize, unknown,
	       available / 1000000, total / 1000000);
	return 0;
}

/* All attributes but the PCI address, which is the machine's, and the memory. */
static int part_attributes(void)
{
	size_t available = 0, total = 0;
	for (int i = 1; i < 160; i++) {
		int value = 0;
		if (i == cudaDevAttrPciBusId || i == cudaDevAttrPciDeviceId ||
		    i == cudaDevAttrPciDomainId)
			continue;
		int error = cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)i, 0);
		printf("%d %d %d\n", i, error, error ? 0 : value);
	}
	cudaMemGetInfo(&available, &total);
	printf("%zu\n", total);
	return 0;
}

static int part_write_profile(void)
{
	struct cudasim_error *error = cudasim_profile_write(1, getenv("PROFILE"));
	if (error)
		printf("%s\n", error->message);
	return error != NULL;
}

static const struct {
	const char *name;
	int (*run)(void);
} parts[] = {
	{"all", part_all},           {"use", part_use},
	{"call", part_call_kernel},  {"later", part_later},
	{"managed", part_managed},   {"managed later", part_managed_later},
	{"count", part_count},       {"no code", part_no_code},
	{"mixed", part_mixed},       {"nothing", part_nothing},
	{"old code", part_old_code}, {"old ptx", part_old_ptx},
	{"missing", part_missing},   {"attributes", part_attributes},
	{"profile", part_profile},   {"write", part_write_profile},
};

/* ---- tests --------------------------------------------------------------------------------- */

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
	int special = 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		special += is_special(names[i]);
	snprintf(expected, sizeof expected, "\n%zu\n%zu\n",
		 sizeof names / sizeof *names - (size_t)special,
		 sizeof driver_names / sizeof *driver_names);
	assert_int_equal(special, 24);
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
	for (size_t i = 0; argc == 2 && i < sizeof parts / sizeof *parts; i++) {
		if (strcmp(argv[1], parts[i].name))
			continue;
		setvbuf(stdout, NULL, _IOFBF, 1 << 16);
		return parts[i].run();
	}
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
