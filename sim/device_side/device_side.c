/* SPDX-License-Identifier: Apache-2.0 */
#include "device_side.h"

#include <stdio.h>
#include <stdlib.h>

#include "heap.h"
#include "launch.h"

/* What a fresh context has: cudaDeviceGetLimit() on an H200. */
enum {
	DEFAULT_HEAP_BYTES = 8 << 20,
	DEFAULT_PRINTF_BYTES = 8650752,
	DEFAULT_STACK_BYTES = 1024,
};

struct device_side *device_side(struct device *device)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct device_side *side = __atomic_load_n(&device->scheduler, __ATOMIC_ACQUIRE);
	if (side)
		return side;
	pthread_mutex_lock(&lock);
	side = device->scheduler;
	if (!side) {
		side = calloc(1, sizeof *side);
		if (!side) {
			fputs("cudasim: out of memory for a device\n", stderr);
			exit(1);
		}
		pthread_mutex_init(&side->lock, NULL);
		side->heap_bytes = DEFAULT_HEAP_BYTES;
		side->printf_bytes = DEFAULT_PRINTF_BYTES;
		side->stack_bytes = DEFAULT_STACK_BYTES;
		__atomic_store_n(&device->scheduler, side, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
	return side;
}

void scheduler_limits(struct device *device, uint64_t heap_bytes, uint64_t printf_bytes,
		      uint64_t stack_bytes)
{
	struct device_side *side = device_side(device);
	side->heap_bytes = heap_bytes;
	side->printf_bytes = printf_bytes;
	side->stack_bytes = stack_bytes;
}

void scheduler_reset(struct device *device)
{
	struct device_side *side = device_side(device);
	pthread_mutex_lock(&side->lock);
	if (side->heap)
		heap_free_all(side->heap, device);
	side->heap = NULL;
	pthread_mutex_unlock(&side->lock);
	scheduler_limits(device, DEFAULT_HEAP_BYTES, DEFAULT_PRINTF_BYTES, DEFAULT_STACK_BYTES);
}
