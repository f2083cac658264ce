/* SPDX-License-Identifier: Apache-2.0 */
/* device_side.h - what the scheduler keeps for a device: limits, the heap of
 * malloc() in kernels, and what printf() in kernels has written. */
#ifndef CUDASIM_SIM_DEVICE_SIDE_H
#define CUDASIM_SIM_DEVICE_SIDE_H

#include <pthread.h>
#include <stdint.h>

#include "device.h"

struct heap;

struct device_side {
	pthread_mutex_t lock;     /* of everything below but the limits */
	_Atomic uint64_t heap_bytes, printf_bytes, stack_bytes; /* limits */
	struct heap *heap;        /* NULL until the first malloc() */
	/* printf's output, oldest first; see printf.c. */
	char *text;
	size_t text_size, text_capacity;
	size_t text_start;        /* where what was not dropped begins */
	struct print_record *records;
	size_t n_records, first_record, records_capacity;
	uint64_t printf_used;     /* bytes that the records would take on a GPU */
};

/* The device's own, made at the first call. */
struct device_side *device_side(struct device *device);

#endif
