/* SPDX-License-Identifier: Apache-2.0 */
/* activate.c - a device's first use: its memory, streams and variables are made. */
#include "activate.h"

#include <driver_types.h>
#include <pthread.h>

#include "arena.h"
#include "device.h"
#include "error.h"
#include "log.h"
#include "registry.h"
#include "stream.h"

static pthread_mutex_t activation = PTHREAD_MUTEX_INITIALIZER;

int device_activate(struct device *device)
{
	if (atomic_load_explicit(&device->active, memory_order_acquire))
		return cudaSuccess;
	int result = cudaSuccess;
	pthread_mutex_lock(&activation);
	if (!atomic_load(&device->active)) {
		uint64_t reserved = device->profile->reserved_bytes;
		if (reserved > device->memory_bytes / 2)
			reserved = 0; /* a CUDASIM_MEMORY that small is all meant for use */
		struct arena *arena = NULL;
		struct cudasim_error *error =
			device->memory ? NULL : arena_new(device->memory_bytes - reserved, &arena);
		if (error) {
			log_error(error);
			result = cudaErrorMemoryAllocation;
		} else {
			if (arena)
				device->memory = arena;
			device->legacy = stream_new_legacy(device);
			result = device->legacy ? registry_place(device)
						: cudaErrorMemoryAllocation;
		}
		if (!result)
			atomic_store_explicit(&device->active, true, memory_order_release);
	}
	pthread_mutex_unlock(&activation);
	return result;
}
