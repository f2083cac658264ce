/* SPDX-License-Identifier: Apache-2.0 */
/* slots.c - where each exported name of a library leads, bound at its first call: to the function
 * here, or, on a GPU, to the real library (sim/gpu/trampolines.S has the jumps). Each library
 * compiles it for itself:
 *
 *	TRAMPOLINE_NAMES	the file of its names: X(name) for what is simulated by sim_name(), U(name) for
 *				others, which fail where no GPU is used
 *	LIBRARY			"cublas": of what stands in its place
 *	LIBRARY_VARIABLE	"CUDASIM_LIBCUBLAS": the environment's path of the real library
 *	LIBRARY_VERSIONS	"13", "12": of its sonames, the newest first
 *	LIBRARY_NOT_SUPPORTED	its status for what it cannot do */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

bool __cudasim_gpu_in_use(void);
void *slot_bind(void **slot);

extern _Atomic(void *) gpu_slots[] __attribute__((visibility("hidden")));

#define X(name) extern void sim_##name(void);
#define U(name)
#include TRAMPOLINE_NAMES
#undef X
#undef U

static void (*const simulated[])(void) = {
#define X(name) sim_##name,
#define U(name) NULL,
#include TRAMPOLINE_NAMES
#undef X
#undef U
};

static const char *const names[] = {
#define X(name) #name,
#define U X
#include TRAMPOLINE_NAMES
#undef X
#undef U
};

static int not_supported(void)
{
	return LIBRARY_NOT_SUPPORTED;
}

static void *library;

/* NULL if it is not there, or is this library under the other one's name. */
static void *open_other(const char *path)
{
	Dl_info here, there;
	void *ret = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void *first = ret ? dlsym(ret, names[0]) : NULL;
	if (first && dladdr((void *)(uintptr_t)not_supported, &here) && dladdr(first, &there) &&
	    here.dli_fbase == there.dli_fbase) {
		dlclose(ret);
		return NULL;
	}
	return ret;
}

/* LIBRARY_VARIABLE; the loader's path; the toolkit's folder. */
static void open_library(void)
{
	static const char *const versions[] = {LIBRARY_VERSIONS};
	const char *named = getenv(LIBRARY_VARIABLE);
	char path[64];
	if (named)
		library = open_other(named);
	for (size_t i = 0; !named && !library && i < sizeof versions / sizeof *versions; i++) {
		snprintf(path, sizeof path, "lib" LIBRARY ".so.%s", versions[i]);
		library = open_other(path);
	}
	if (!named && !library)
		library = open_other("/usr/local/cuda/lib64/lib" LIBRARY ".so");
	if (library)
		return;
	const char *why = dlerror();
	fprintf(stderr,
		"cudasim: the program calls lib" LIBRARY " on a GPU, and it is not there%s%s\n",
		why ? ": " : "", why ? why : "");
	exit(1);
}

static void *real(const char *name)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, open_library);
	void *ret = dlsym(library, name);
	if (ret)
		return ret;
	fprintf(stderr, "cudasim: %s is not in lib" LIBRARY "\n", name);
	return (void *)(uintptr_t)not_supported;
}

void *slot_bind(void **slot)
{
	size_t i = (size_t)((_Atomic(void *) *)slot - gpu_slots);
	void *unbound = atomic_load(&gpu_slots[i]), *ret;
	if (__cudasim_gpu_in_use()) {
		ret = real(names[i]);
	} else if (simulated[i]) {
		ret = (void *)(uintptr_t)simulated[i];
	} else {
		fprintf(stderr, "cudasim: %s is not simulated\n", names[i]);
		ret = (void *)(uintptr_t)not_supported;
	}
	return atomic_compare_exchange_strong(&gpu_slots[i], &unbound, ret) ? ret : unbound;
}
