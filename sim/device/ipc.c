/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "arena.h"
#include "ipc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "error.h"
#include "log.h"
#include "memory.h"

enum { MAGIC_MEMORY = 0x4d435343, MAGIC_EVENT = 0x45435343, MAGIC_POOL = 0x50435343 };

/* When the process began, field 22 of its stat; 0 where there is none. */
static uint64_t started(int pid)
{
	char path[64], text[1024];
	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	char *at = strrchr(text, ')'); /* the name may hold anything */
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

static struct ipc_name name_of(uint32_t magic, int fd)
{
	struct stat about = {0};
	if (fd >= 0)
		fstat(fd, &about);
	return (struct ipc_name){.magic = magic,
				 .pid = getpid(),
				 .fd = fd,
				 .started = started(getpid()),
				 .inode = about.st_ino};
}

/* The file of a name; -1 where it cannot be had. */
static int open_file(const struct ipc_name *name)
{
	char path[64];
	struct stat about;
	if (name->pid <= 0 || started(name->pid) != name->started)
		return -1;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", name->pid, name->fd);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &about) || (uint64_t)about.st_ino != name->inode ||
			(uint64_t)about.st_size != name->length)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static cudaError_t check(const struct ipc_name *name, uint32_t magic)
{
	if (name->magic != magic || name->offset > name->length ||
	    name->size > name->length - name->offset)
		return cudaErrorInvalidValue;
	return name->pid == getpid() ? cudaErrorDeviceUninitialized : cudaSuccess;
}

/* ---- memory ---------------------------------------------------------------------- */

/* Memory of another process that is mapped here. */
struct import {
	struct import *next;
	struct ipc_name name;
	void *base;     /* of the mapping */
	unsigned n;     /* times that it was opened */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct import *imports;

cudaError_t ipc_name_memory(void *address, uint64_t size, int device, struct ipc_name *ret)
{
	int fd;
	uint64_t offset, length;
	struct cudasim_error *error = memory_export(address, &fd, &offset, &length);
	if (error) {
		log_error(error);
		return cudaErrorMapBufferObjectFailed;
	}
	*ret = name_of(MAGIC_MEMORY, fd);
	ret->device = (uint32_t)device;
	ret->offset = offset;
	ret->size = size;
	ret->length = length;
	return cudaSuccess;
}

static void *address_of(const struct import *import)
{
	return (char *)import->base + import->name.offset;
}

/* A mapping of its own for each allocation: two that share a piece are mapped twice, which
 * memory.h, where ranges do not overlap, does not mind. */
static cudaError_t map(const struct ipc_name *name, struct device *device, cudaMemPool_t pool,
		       struct import **ret)
{
	struct allocation what = {
		.kind = CUDASIM_MEMORY_DEVICE,
		.device = (int)device->ordinal,
		.imported = true,
		.function = "cudaIpcOpenMemHandle",
		.pool = pool,
	};
	int fd = open_file(name);
	if (fd < 0)
		return cudaErrorMapBufferObjectFailed;
	arena_note_shared();
	void *base = mmap(NULL, name->length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	struct import *import = base == MAP_FAILED ? NULL : calloc(1, sizeof *import);
	if (import) {
		*import = (struct import){.name = *name, .base = base};
		if (memory_add(&what, address_of(import), name->size)) {
			*ret = import;
			return cudaSuccess;
		}
	}
	if (base != MAP_FAILED)
		munmap(base, name->length);
	free(import);
	return cudaErrorMapBufferObjectFailed;
}

cudaError_t ipc_open_memory(const struct ipc_name *name, struct device *device, cudaMemPool_t pool,
			    void **ret)
{
	cudaError_t error = check(name, MAGIC_MEMORY);
	if (error)
		return error;
	pthread_mutex_lock(&lock);
	struct import *import = imports;
	while (import && memcmp(&import->name, name, sizeof *name))
		import = import->next;
	if (!import) {
		error = map(name, device, pool, &import);
		if (!error) {
			import->next = imports;
			imports = import;
		}
	}
	if (!error) {
		import->n++;
		*ret = address_of(import);
	}
	pthread_mutex_unlock(&lock);
	return error;
}

cudaError_t ipc_close_memory(void *address)
{
	pthread_mutex_lock(&lock);
	struct import **at = &imports;
	while (*at && address_of(*at) != address)
		at = &(*at)->next;
	struct import *import = *at;
	if (import && !--import->n) {
		*at = import->next;
		memory_forget(address, CUDASIM_MEMORY_DEVICE, "cudaIpcCloseMemHandle");
		munmap(import->base, import->name.length);
		free(import);
	}
	pthread_mutex_unlock(&lock);
	return import ? cudaSuccess : cudaErrorInvalidValue;
}

/* ---- pools -------------------------------------------------------------------------- */

int ipc_token_new(void)
{
	struct ipc_name name = name_of(MAGIC_POOL, -1);
	int fd = memfd_create("cudasim-pool", MFD_CLOEXEC);
	if (fd >= 0 && pwrite(fd, &name, sizeof name, 0) != sizeof name) {
		close(fd);
		fd = -1;
	}
	return fd;
}

bool ipc_token_is(int fd)
{
	struct ipc_name name;
	return fd >= 0 && pread(fd, &name, sizeof name, 0) == sizeof name &&
	       name.magic == MAGIC_POOL;
}

/* ---- events ---------------------------------------------------------------------------- */

/* In the file. Marks are counted modulo 2^32; which of two is later is told by their
 * difference. */
struct marks {
	atomic_uint recorded, reached;
	atomic_int pid; /* who recorded last */
};

struct ipc_event {
	struct marks *marks;
	int fd; /* -1 where the file is another process's */
	struct ipc_name name;
};

enum { FILE_BYTES = 4096 };

static struct ipc_event *event_of(int fd)
{
	struct ipc_event *event = calloc(1, sizeof *event);
	void *marks = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!event || marks == MAP_FAILED) {
		if (marks != MAP_FAILED)
			munmap(marks, FILE_BYTES);
		free(event);
		return NULL;
	}
	event->marks = marks;
	event->fd = -1;
	return event;
}

struct ipc_event *ipc_event_new(void)
{
	int fd = memfd_create("cudasim-event", MFD_CLOEXEC);
	struct ipc_event *event = fd >= 0 && !ftruncate(fd, FILE_BYTES) ? event_of(fd) : NULL;
	if (event)
		event->fd = fd;
	else if (fd >= 0)
		close(fd);
	return event;
}

void ipc_event_free(struct ipc_event *event)
{
	if (!event)
		return;
	munmap(event->marks, FILE_BYTES);
	if (event->fd >= 0)
		close(event->fd);
	free(event);
}

void ipc_event_name(const struct ipc_event *event, struct ipc_name *ret)
{
	if (event->fd < 0) {
		*ret = event->name; /* handed on */
		return;
	}
	*ret = name_of(MAGIC_EVENT, event->fd);
	ret->length = FILE_BYTES;
}

cudaError_t ipc_event_open(const struct ipc_name *name, struct ipc_event **ret)
{
	cudaError_t error = check(name, MAGIC_EVENT);
	if (error)
		return error;
	int fd = name->length == FILE_BYTES ? open_file(name) : -1;
	struct ipc_event *event = fd >= 0 ? event_of(fd) : NULL;
	if (fd >= 0)
		close(fd);
	if (!event)
		return cudaErrorMapBufferObjectFailed;
	event->name = *name;
	*ret = event;
	return cudaSuccess;
}

static long futex(atomic_uint *word, int operation, uint32_t value, const struct timespec *time)
{
	return syscall(SYS_futex, word, operation, value, time, NULL, 0);
}

uint32_t ipc_event_record(struct ipc_event *event)
{
	atomic_store(&event->marks->pid, getpid());
	return atomic_fetch_add(&event->marks->recorded, 1) + 1;
}

void ipc_event_reach(struct ipc_event *event, uint32_t mark)
{
	uint32_t now = atomic_load(&event->marks->reached);
	while ((int32_t)(mark - now) > 0 &&
	       !atomic_compare_exchange_weak(&event->marks->reached, &now, mark))
		continue;
	futex(&event->marks->reached, FUTEX_WAKE, INT_MAX, NULL);
}

uint32_t ipc_event_last(const struct ipc_event *event)
{
	return atomic_load(&event->marks->recorded);
}

bool ipc_event_reached(const struct ipc_event *event, uint32_t mark)
{
	return (int32_t)(atomic_load(&event->marks->reached) - mark) >= 0;
}

bool ipc_event_wait(const struct ipc_event *event, uint32_t mark)
{
	/* Now and then it looks whether there is still somebody to wait for. */
	const struct timespec a_while = {.tv_nsec = 200000000};
	for (;;) {
		uint32_t now = atomic_load(&event->marks->reached);
		if ((int32_t)(now - mark) >= 0)
			return true;
		int pid = atomic_load(&event->marks->pid);
		if (pid > 0 && kill(pid, 0) && errno == ESRCH)
			return ipc_event_reached(event, mark);
		futex(&event->marks->reached, FUTEX_WAIT, now, &a_while);
	}
}
