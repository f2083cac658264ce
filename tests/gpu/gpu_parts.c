/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of gpu_test.c: what its child processes do, each a program with an object that registers. */
#define _GNU_SOURCE
#include "gpu_parts.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime_api.h>

#include "cudasim/abi.h"
#include "cudasim/call.h"
#include "cudasim/profile.h"

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

int gpu_part_run(const char *name)
{
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		if (strcmp(name, parts[i].name))
			continue;
		setvbuf(stdout, NULL, _IOFBF, 1 << 16);
		return parts[i].run();
	}
	return -1;
}

struct gpu_functions gpu_functions(void)
{
	struct gpu_functions n = {
		.n_runtime = sizeof names / sizeof *names,
		.n_driver = sizeof driver_names / sizeof *driver_names,
	};
	for (size_t i = 0; i < n.n_runtime; i++)
		n.n_special += (size_t)is_special(names[i]);
	return n;
}
