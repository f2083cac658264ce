/* SPDX-License-Identifier: Apache-2.0 */
/* attach.c - finds libcudasim before anything else of an object runs. A part of each object
 * that holds device code.
 *
 * Mostly libcudasim is there, as the program was linked with it. A program that gcc linked with
 * NVIDIA's libcudart opens it here, and has libcudasim take over the calls that are bound to
 * libcudart (__cudasim_adopt()).
 *
 * A program of `cudasim cc --gpu` names libcudart.so.13, as nvcc's do. On a machine without cudasim
 * that is NVIDIA's, which then runs the program's GPU code; the code for the CPU stays unused. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cudasim/abi.h"

/* stubs.S */
struct slot {
	void *function;
	const char *name;
};
__attribute__((visibility("hidden"))) extern struct slot __cudasim_slots[], __cudasim_slots_end[];
__attribute__((visibility("hidden"))) extern int64_t __cudasim_self_offset;

/* The path of libcudasim.so; each object holds it (compiler/layout/tables.c). */
__attribute__((visibility("hidden"))) extern const char __cudasim_library[];

/* The CUDA runtime that this object's host code calls. */
__attribute__((weak)) extern void **__cudaRegisterFatBinary(void *);
__attribute__((weak)) extern void __cudaRegisterFatBinaryEnd(void **);
__attribute__((weak)) extern void __cudaUnregisterFatBinary(void **);

static _Noreturn void fail(const char *why)
{
	dprintf(STDERR_FILENO, "cudasim: error: %s\n", why ? why : "out of memory");
	_exit(1);
}

static void *look_up(void *library, const char *name)
{
	void *found = dlsym(library, name);
	if (!found)
		fail(dlerror());
	return found;
}

/* NVIDIA's static runtime in the very program or library calls itself. */
static void refuse_static(void)
{
	Dl_info runtime, here;
	if (!__cudaUnregisterFatBinary || !dladdr((void *)__cudaUnregisterFatBinary, &runtime) ||
	    !dladdr(__cudasim_slots, &here) || runtime.dli_fbase != here.dli_fbase)
		return;
	dprintf(STDERR_FILENO,
		"cudasim: error: '%s' holds NVIDIA's static CUDA runtime, whose calls cannot be taken "
		"over: link with -lcudart in the place of -lcudart_static, or with cudasim cc\n",
		here.dli_fname);
	_exit(1);
}

/* ---- without libcudasim: the code for a GPU ------------------------------------------- */

/* Why libcudasim could not be opened. */
static char missing[512];

static _Noreturn void absent(void)
{
	fail("code for the simulator was called without libcudasim.so");
}

static _Noreturn void fail_for(const char *what, const char *why)
{
	dprintf(STDERR_FILENO, "cudasim: error: %s, and libcudasim.so is not found (%s)\n", what,
		why);
	_exit(1);
}

/* In the place of __cudasim_module_register(). */
static void gpu_module(const struct cudasim_module *module)
{
	if (!(module->flags & CUDASIM_MODULE_GPU) && !module->gpu)
		fail_for("a part of this program holds no code for a GPU", missing);
	/* libcudasim keeps them in memory that it registers with the driver. */
	for (uint64_t i = 0; i < module->n_variables; i++)
		if (module->variables[i].flags & CUDASIM_VARIABLE_MANAGED)
			fail_for(
				"__managed__ variables of cudasim cc need libcudasim on a GPU, too",
				missing);
}

static void **linked;

__attribute__((destructor)) static void unregister_linked(void)
{
	if (linked)
		__cudaUnregisterFatBinary(linked);
}

/* In the place of __cudasim_linked_register(): each translation unit of the one device link that an
 * executable or a library has. */
static void gpu_linked(const struct cudasim_module *module, void (*globals)(void **))
{
	static struct {
		int magic, version;
		const void *data;
		void *more;
	} wrapper = {0x466243b1, 1, NULL, NULL};
	if (!module->gpu || !module->gpu->gpu_offset)
		fail_for("this program holds no code for a GPU", missing);
	if (!linked) {
		wrapper.data = (const char *)module->gpu + module->gpu->gpu_offset;
		linked = __cudaRegisterFatBinary(&wrapper);
	}
	globals(linked);
	__cudaRegisterFatBinaryEnd(linked);
}

/* Only a simulator can do what these ask for. */
static const char *asks_for_simulator(void)
{
	static const char *const variables[] = {"CUDASIM_CHECK", "CUDASIM_DEBUG",
						"CUDASIM_OBSERVER", "CUDASIM_SCHEDULE",
						"CUDASIM_SUMMARY"};
	const char *value = getenv("CUDASIM");
	if (value && *value)
		return strcmp(value, "0") ? "CUDASIM" : NULL;
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		value = getenv(variables[i]);
		if (value && *value && strcmp(value, "0"))
			return variables[i];
	}
	return NULL;
}

/* Whether the program holds GPU code its modules say, which register next. */
static void run_on_gpu(const char *why)
{
	const char *variable = asks_for_simulator();
	if (!__cudaRegisterFatBinary || !__cudaRegisterFatBinaryEnd || !__cudaUnregisterFatBinary)
		fail(why);
	snprintf(missing, sizeof missing, "%s", why ? why : "out of memory");
	if (variable) {
		char what[128];
		snprintf(what, sizeof what, "%s=%s asks for the simulator", variable,
			 getenv(variable));
		fail_for(what, missing);
	}
	for (struct slot *slot = __cudasim_slots; slot < __cudasim_slots_end; slot++)
		if (!strcmp(slot->name, "__cudasim_module_register"))
			slot->function = (void *)gpu_module;
		else if (!strcmp(slot->name, "__cudasim_linked_register"))
			slot->function = (void *)gpu_linked;
		else
			slot->function = (void *)absent;
}

/* ---- with it --------------------------------------------------------------------------- */

/* Nothing of the program has run, but for what its libraries do when they are loaded. */
static void attach(void)
{
	if (__cudasim_slots->function)
		return;
	void *library = RTLD_DEFAULT;
	if (!dlsym(library, __cudasim_slots->name)) {
		refuse_static();
		library = dlopen(__cudasim_library, RTLD_NOW | RTLD_GLOBAL);
		if (!library) /* moved: where the loader looks */
			library = dlopen("libcudasim.so", RTLD_NOW | RTLD_GLOBAL);
		if (!library) {
			run_on_gpu(dlerror());
			return;
		}
	}
	for (struct slot *slot = __cudasim_slots; slot < __cudasim_slots_end; slot++)
		slot->function = look_up(library, slot->name);
	__cudasim_self_offset = (char *)look_up(library, "__cudasim_self") -
				(char *)__builtin_thread_pointer();
	if (__cudaUnregisterFatBinary &&
	    (void *)__cudaUnregisterFatBinary != dlsym(library, "__cudaUnregisterFatBinary"))
		__cudasim_adopt();
}

/* Before all constructors with a priority that programs may give. */
__attribute__((section(".init_array.00000"), used)) static void (*const first)(void) = attach;
