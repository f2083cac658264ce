/* SPDX-License-Identifier: Apache-2.0 */
/* slots.c - where each exported name leads, bound at its first call: to the function here, or, on a
 * GPU, to the real libcublas (sim/gpu/trampolines.S has the jumps). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "call.h"

bool __cudasim_gpu_in_use(void);
void *slot_bind(void **slot);

extern _Atomic(void *) gpu_slots[] __attribute__((visibility("hidden")));

#define X(name) extern void sim_##name(void);
#define U(name)
#include "cublas_names.def"
#undef X
#undef U

static void (*const simulated[])(void) = {
#define X(name) sim_##name,
#define U(name) NULL,
#include "cublas_names.def"
#undef X
#undef U
};

static const char *const names[] = {
#define X(name) #name,
#define U X
#include "cublas_names.def"
#undef X
#undef U
};

static int not_supported(void)
{
	return NOT_SUPPORTED;
}

static void *library;

/* Not this library, which has the name too where a program looks for cudasim's. */
static void *open_other(const char *name)
{
	Dl_info here, there;
	void *ret = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	void *create = ret ? dlsym(ret, "cublasCreate_v2") : NULL;
	if (create && dladdr(create, &there) && dladdr((void *)(uintptr_t)open_other, &here) &&
	    there.dli_fbase == here.dli_fbase) {
		dlclose(ret);
		return NULL;
	}
	return ret;
}

/* CUDASIM_LIBCUBLAS; the loader's path; the toolkit's folder. */
static void open_library(void)
{
	static const char *const found[] = {
		"libcublas.so.13",
		"libcublas.so.12",
		"/usr/local/cuda/lib64/libcublas.so",
	};
	const char *named = getenv("CUDASIM_LIBCUBLAS");
	if (named)
		library = dlopen(named, RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; !named && !library && i < sizeof found / sizeof *found; i++)
		library = open_other(found[i]);
	if (library)
		return;
	fprintf(stderr, "cudasim: the program calls libcublas on a GPU, and it is not there: %s\n",
		dlerror());
	exit(1);
}

static void *real(const char *name)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, open_library);
	void *ret = dlsym(library, name);
	if (ret)
		return ret;
	fprintf(stderr, "cudasim: %s is not in libcublas\n", name);
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
