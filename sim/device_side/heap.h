/* SPDX-License-Identifier: Apache-2.0 */
/* heap.h - the heap of malloc() and free() in kernels.
 *
 * One piece of device memory of cudaLimitMallocHeapSize bytes, reserved at the
 * first malloc() of the context. Blocks carry a header and stand without gaps,
 * so that neighbours merge; free ones are listed by size class (segregated
 * fits: Knuth, The Art of Computer Programming 1, 2.5). */
#ifndef CUDASIM_SIM_HEAP_H
#define CUDASIM_SIM_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct device;
struct heap;

/* A heap of size bytes in the device's memory; NULL where that is full. */
struct heap *heap_new(struct device *device, uint64_t size);
void heap_free_all(struct heap *heap, struct device *device);

/* 16-byte aligned, NULL when the heap is full. size 0 gives a block, as on
 * an H200. */
void *heap_alloc(struct heap *heap, uint64_t size);

enum heap_answer { HEAP_OK, HEAP_FOREIGN, HEAP_FREED };
/* HEAP_FOREIGN: address was not given by heap_alloc(); HEAP_FREED: it was, and
 * is free already. *size is what was asked for. */
enum heap_answer heap_release(struct heap *heap, void *address, uint64_t *size);

/* Check that the blocks and lists agree; asserts. For tests. */
void heap_check(const struct heap *heap);
/* Bytes in blocks that are in use, headers included. */
uint64_t heap_used(const struct heap *heap);

#endif
