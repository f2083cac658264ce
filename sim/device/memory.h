/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - every piece of memory that CUDA knows: who owns an address?
 *
 * This is the one home of that question: cudasim_memory_find() (inspect.h) answers it for
 * libcudasim itself and for tools. Where a tool keeps a table of addresses of its own, the
 * table's header says why.
 *
 * Device memory comes from its device's arena, managed and pinned memory from
 * arenas of their own, registered host memory from the program. Variables and
 * the device heap are here too. Freed ranges are remembered until they are used
 * again, so that a report can say "freed". Everything is safe from any host
 * thread. */
#ifndef CUDASIM_SIM_MEMORY_H
#define CUDASIM_SIM_MEMORY_H

#include <driver_types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cudasim/observer.h"
#include "rangemap.h"

struct device;

struct allocation {
	struct range range; /* first: the map hands these back */
	enum cudasim_memory_kind kind;
	int device;         /* ordinal; of host memory the one that was current */
	uint64_t id;        /* 1.. in order of allocation, 0 for variables */
	uint64_t padding;   /* bytes behind it that are nobody's */
	uint64_t stream;    /* of cudaMallocAsync, else 0 */
	unsigned flags;     /* as given to cudaHostAlloc, cudaMallocManaged, ... */
	const char *function; /* the CUDA function's name; lives as long as the process */
	const struct cudasim_module
		*module; /* for variables, managed ones too; nobody frees them */
	cudaMemPool_t pool; /* of cudaMallocAsync and its kin, else NULL */
	unsigned slot;      /* memory.c's: where a freed one stands in its ring */
	uint64_t held;      /* 0, or a number of its own: the range is a graph's */
	bool out;           /* held: allocated at present */
	struct context
		*context; /* a context's that cuCtxCreate() made, and goes with it; or NULL */
	bool imported;      /* its pages are not the arena's; ipc.h or cuMemUnmap() frees it */
};

/* Allocate size bytes (1..) of DEVICE, MANAGED or HOST memory. what->device,
 * stream, flags, function and pool are kept; the rest is filled in.
 * cudaErrorMemoryAllocation where it does not fit. */
cudaError_t memory_alloc(const struct allocation *what, uint64_t size, void **ret);

/* Free an allocation that begins at address and is of one of the kinds in the
 * set (bit 1 << kind). cudaErrorInvalidValue where there is none. Nothing may
 * use it any more: the caller has waited. */
cudaError_t memory_free(void *address, unsigned kinds, const char *function);
/* The same of memory of a pool or a graph, by that operation of a stream. */
cudaError_t memory_free_in_order(void *address, uint64_t operation);

/* A range of DEVICE memory for an allocation that a graph makes each time it is launched.
 * It is found by memory_lookup() from here on; tools hear of it between memory_take() and
 * memory_free(), which keeps the range. *held names it. */
cudaError_t memory_hold(const struct allocation *what, uint64_t size, void **ret, uint64_t *held);
/* The allocation that begins at the held address is made. False where it is there already
 * or the range is not held (any more). */
bool memory_take(void *address, uint64_t held, const char *function);
/* The range is nobody's: it goes away or, if it is allocated, becomes an ordinary
 * allocation. */
void memory_release(void *address, uint64_t held);

/* As arena_export(), for a DEVICE allocation that begins at address. */
struct cudasim_error *memory_export(void *address, int *fd, uint64_t *offset, uint64_t *length);

/* Add memory that is the program's own. False where it overlaps what is there. */
bool memory_add(const struct allocation *what, void *address, uint64_t size);
/* Forget such memory; false where none begins there. */
bool memory_forget(void *address, enum cudasim_memory_kind kind, const char *function);

/* As tools see it, function being a CUDA function's name. */
struct cudasim_memory memory_describe(const struct allocation *a, const char *function);

/* The allocation that holds address; false where none does. */
bool memory_lookup(const void *address, struct allocation *ret);

/* As the runtime names a kind. */
enum cudaMemoryType memory_type(enum cudasim_memory_kind kind);

/* Call look(allocation, arg) for each, variables and device heaps among them, with the lock. */
void memory_each(void (*look)(const struct allocation *allocation, void *arg), void *arg);
/* memory_export() has succeeded: another process may store to device memory. */
bool memory_was_exported(void);

/* Free everything that the device's program has allocated (cudaDeviceReset). */
void memory_reset(struct device *device);

/* The same of what was allocated in a context that has ended. */
void memory_drop(const struct context *context);

/* As arena_close(), for the device's; returns the bytes it is about. */
uint64_t memory_close(struct device *device, bool closed);

/* As arena_charge(), of a device's memory. */
bool memory_charge(struct device *device, int64_t bytes);

/* Bytes that a device's program could still allocate at most. */
uint64_t memory_available(struct device *device);

/* Fresh device memory for the simulator's own use (device heap), RW, zeroed;
 * counted against the device's memory. NULL when it is full. */
void *memory_reserve(struct device *device, uint64_t size);
void memory_unreserve(struct device *device, void *addr, uint64_t size);

#endif
