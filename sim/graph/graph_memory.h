/* SPDX-License-Identifier: Apache-2.0 */
/* graph_memory.h - memory that a graph allocates each time it is launched.
 *
 * The address is the node's from its making to the end of everything that is a copy of it; the
 * allocation exists from the launch of the node to its free, which is a node of the same or
 * another graph, cudaFreeAsync() or cudaFree(). All functions but _ref, _unref and
 * graph_memory_freed() are called with graph_lock() held. */
#ifndef CUDASIM_SIM_GRAPH_MEMORY_H
#define CUDASIM_SIM_GRAPH_MEMORY_H

#include <driver_types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "operation.h"

struct device;
struct graph;
struct graph_exec;
struct graph_memory;

/* size bytes (1..) of the device. cudaErrorMemoryAllocation. */
cudaError_t graph_memory_new(struct device *device, size_t size, struct graph_memory **ret);
struct graph_memory *graph_memory_ref(struct graph_memory *memory);
void graph_memory_unref(struct graph_memory *memory); /* NULL is fine */
void *graph_memory_address(const struct graph_memory *memory);
size_t graph_memory_size(const struct graph_memory *memory);
struct device *graph_memory_device(const struct graph_memory *memory);

/* What the node that allocates it does; takes a reference of its own. */
struct work graph_memory_work(struct graph_memory *memory);

/* The program frees it by itself. Does nothing for any other address. */
void graph_memory_freed(const void *address);
/* The graph's memory that begins at the address, allocated by no launch or by one; else NULL. */
struct graph_memory *graph_memory_find(const void *address);

/* exec is to be launched: note what it leaves allocated, let go what an earlier launch left
 * (cudaGraphInstantiateFlagAutoFreeOnLaunch).
 * cudaErrorInvalidValue where something is left that has to be freed first. */
cudaError_t graph_memory_launch(struct graph_exec *exec, struct stream *stream);

/* cudaDeviceGetGraphMemAttribute and its kin. */
struct graph_memory_use {
	uint64_t used, used_high;         /* bytes allocated by launches and not freed */
	uint64_t reserved, reserved_high; /* bytes of all graphs' memory */
};
void graph_memory_look(const struct device *device, struct graph_memory_use *ret);
void graph_memory_reset_high(const struct device *device, bool used);

#endif
