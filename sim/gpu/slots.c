/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/slots.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "gpu/choice.h"
#include "gpu/library.h"
#include "gpu/registration.h"
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

enum { NOT_SUPPORTED = 801 }; /* cudaErrorNotSupported, CUDA_ERROR_NOT_SUPPORTED */

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

void *slot_bind(void **slot)
{
	size_t i = (size_t)((_Atomic(void *) *)slot - gpu_slots);
	assert(i < N);
	void *unbound = atomic_load(&gpu_slots[i]);
	void *ret = registration_entry(names[i]);
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
