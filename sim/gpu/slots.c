/* SPDX-License-Identifier: Apache-2.0 */
#include "slots.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "choice.h"
#include "library.h"
#include "registration.h"
#include "log.h"

extern _Atomic(void *) gpu_slots[] __attribute__((visibility("hidden")));

#define X(name) extern void sim_##name(void) __attribute__((visibility("hidden")));
#include "names.def"
#include "driver_names.def"
#undef X

static void (*const simulated[])(void) = {
#define X(name) sim_##name,
#include "names.def"
#include "driver_names.def"
#undef X
};

static const char *const names[] = {
#define X(name) #name,
#include "names.def"
#include "driver_names.def"
#undef X
};
enum { N = sizeof names / sizeof *names };

enum {
	NO_DEVICE = 100,     /* cudaErrorNoDevice, CUDA_ERROR_NO_DEVICE */
	NOT_SUPPORTED = 801, /* cudaErrorNotSupported, CUDA_ERROR_NOT_SUPPORTED */
};

static int missing(void)
{
	return NOT_SUPPORTED;
}

static void *real(const char *name)
{
	void *ret = library_function(name);
	if (ret)
		return ret;
	log_line("%s is not in %s", name, library_name(name));
	return (void *)(uintptr_t)missing;
}

static int no_device(void)
{
	library_note_itself();
	return NO_DEVICE;
}

/* While a GPU is looked for, the caller is the real library that was opened for that: what it
 * found as libcuda.so.1 is libcudasim. The slot stays unbound. */
static void *answer_to_library(const char *name)
{
	void *ret = library_is_drivers(name) ? NULL : library_function(name);
	return ret ? ret : (void *)(uintptr_t)no_device;
}

void *slot_bind(void **slot)
{
	size_t i = (size_t)((_Atomic(void *) *)slot - gpu_slots);
	assert(i < N);
	void *unbound = atomic_load(&gpu_slots[i]);
	void *ret = registration_entry(names[i]);
	if (!ret && gpu_being_chosen())
		return answer_to_library(names[i]);
	if (!ret)
		ret = gpu_in_use() ? real(names[i]) : (void *)(uintptr_t)simulated[i];
	/* Unless slot_set() has, while the choice was made. */
	return atomic_compare_exchange_strong(&gpu_slots[i], &unbound, ret) ? ret : unbound;
}

void slot_set(const char *name, void *function)
{
	for (size_t i = 0; i < N; i++)
		if (!strcmp(names[i], name))
			atomic_store(&gpu_slots[i], function);
}
