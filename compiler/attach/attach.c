/* SPDX-License-Identifier: Apache-2.0 */
/* attach.c - finds libcudasim before anything else of an object runs. A part of each object
 * that holds device code.
 *
 * Mostly libcudasim is there, as the program was linked with it. A program that gcc linked with
 * NVIDIA's libcudart opens it here, and has libcudasim take over the calls that are bound to
 * libcudart (__cudasim_adopt()). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
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
		if (!library)
			fail(dlerror());
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
