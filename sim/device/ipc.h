/* SPDX-License-Identifier: Apache-2.0 */
/* ipc.h - device memory and events of other processes that run on the simulator.
 *
 * What is shared lies in a file in memory (memfd) of the process that has it; a handle names
 * that process and file, and another process of the same user opens it through /proc. The
 * handle is good as long as the process lives and has the memory. */
#ifndef CUDASIM_SIM_IPC_H
#define CUDASIM_SIM_IPC_H

#include <driver_types.h>
#include <stdbool.h>
#include <stdint.h>

struct device;
struct event;

/* What a handle holds: 64 bytes at most. */
struct ipc_name {
	uint32_t magic;
	int32_t pid, fd;
	uint32_t device;        /* the owner's ordinal */
	uint64_t started;       /* of the process, in clock ticks: pids come again */
	uint64_t offset, size;  /* of the memory in the file */
	uint64_t length;        /* of the file */
	uint64_t inode;         /* of the file: numbers of descriptors come again */
};
_Static_assert(sizeof(struct ipc_name) <= CUDA_IPC_HANDLE_SIZE, "a handle's size is CUDA's");

/* Share the allocation that begins at address. The device does nothing meanwhile: the caller
 * has waited. cudaErrorInvalidValue, cudaErrorMapBufferObjectFailed. */
cudaError_t ipc_name_memory(void *address, uint64_t size, int device, struct ipc_name *ret);
/* Map it as memory of this device; the same memory has one address, opened as often as it is
 * asked for. pool: that it was imported through, or NULL.
 *   cudaErrorInvalidValue            it is no handle of memory
 *   cudaErrorDeviceUninitialized     it is this process's own
 *   cudaErrorMapBufferObjectFailed   its process or the memory is gone, or another user's */
cudaError_t ipc_open_memory(const struct ipc_name *name, struct device *device, cudaMemPool_t pool,
			    void **ret);
/* cudaErrorInvalidValue where no open memory begins at address. The caller has waited. */
cudaError_t ipc_close_memory(void *address);

/* A file with one name in it, for the import of pools; -1 and errno. The caller's. */
int ipc_token_new(void);
bool ipc_token_is(int fd);

/* ---- events: their marks, counted in shared memory -------------------------------- */

struct ipc_event;

/* For an event that is made with cudaEventInterprocess. NULL without memory. */
struct ipc_event *ipc_event_new(void);
void ipc_event_free(struct ipc_event *event); /* NULL is fine */
void ipc_event_name(const struct ipc_event *event, struct ipc_name *ret);
/* Errors as ipc_open_memory(). */
cudaError_t ipc_event_open(const struct ipc_name *name, struct ipc_event **ret);

/* The event is recorded once more; returns the mark's number, which ipc_event_reach() reaches. */
uint32_t ipc_event_record(struct ipc_event *event);
void ipc_event_reach(struct ipc_event *event, uint32_t mark);
/* The last mark that any process has recorded. */
uint32_t ipc_event_last(const struct ipc_event *event);
bool ipc_event_reached(const struct ipc_event *event, uint32_t mark);
/* Block until it is reached. False where the process that recorded it is gone. */
bool ipc_event_wait(const struct ipc_event *event, uint32_t mark);

#endif
