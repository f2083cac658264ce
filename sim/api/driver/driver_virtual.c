/* SPDX-License-Identifier: Apache-2.0 */
/* driver_virtual.c - virtual memory management: address ranges (cuMemAddressReserve), memory
 * without an address (cuMemCreate), and the one shown in the other (cuMemMap).
 *
 * Memory is a file in memory (memfd), so that it can be mapped any number of times, and in other
 * processes. A mapping is there for the host's MMU as for the GPU's: without cuMemSetAccess()
 * nobody may touch it. What is mapped and accessible is an allocation like any other for
 * memory.h; each mapping is one. */
#define _GNU_SOURCE
#include "driver_api.h"
#include "activate.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "memory.h"

/* An H200's, minimum and recommended. */
#define GRANULARITY ARENA_PIECE

struct physical {
	struct physical *next;
	int fd;
	uint64_t size;
	CUmemAllocationProp prop;
	unsigned n_handles;  /* cuMemCreate, cuMemRetainAllocationHandle */
	unsigned n_mappings; /* it goes when both are 0 */
	bool counts;         /* as the device's memory; not where it is another process's */
};

struct mapping {
	struct mapping *next;
	char *start;
	uint64_t size, offset;
	struct physical *physical;
	CUmemAccess_flags access;
};

struct reservation {
	struct reservation *next;
	char *base; /* of the mapping, before it was aligned */
	uint64_t base_size;
	char *start;
	uint64_t size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct physical *physicals;
static struct mapping *mappings;
static struct reservation *reservations;

static bool is_whole(uint64_t size)
{
	return size && !(size % GRANULARITY);
}

/* ---- memory --------------------------------------------------------------------------- */

/* NULL where it is none that anybody has a handle of. */
static struct physical *find_physical(CUmemGenericAllocationHandle handle)
{
	struct physical *p = physicals;
	while (p && ((uintptr_t)p != handle || !p->n_handles))
		p = p->next;
	return p;
}

static void drop(struct physical *physical)
{
	if (physical->n_handles || physical->n_mappings)
		return;
	struct physical **at = &physicals;
	while (*at != physical)
		at = &(*at)->next;
	*at = physical->next;
	if (physical->counts)
		memory_charge(device_get(physical->prop.location.id), -(int64_t)physical->size);
	close(physical->fd);
	free(physical);
}

static cudaError_t check_prop(const CUmemAllocationProp *prop)
{
	if (prop->location.type == CU_MEM_LOCATION_TYPE_HOST ||
	    prop->location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA ||
	    prop->location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT)
		return api_unsupported("memory of the host with cuMemCreate");
	if (prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return cudaErrorInvalidValue;
	if (prop->location.id < 0 || prop->location.id >= device_count())
		return cudaErrorInvalidDevice;
	if (prop->requestedHandleTypes & ~(unsigned)CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return api_unsupported("handles of memory other than file descriptors");
	return cudaSuccess;
}

static cudaError_t granularity(size_t *ret, const CUmemAllocationProp *prop,
			       CUmemAllocationGranularity_flags option)
{
	API_BEGIN;
	cudaError_t error = ret && (unsigned)option <= CU_MEM_ALLOC_GRANULARITY_RECOMMENDED && prop
				    ? cudaSuccess
				    : cudaErrorInvalidValue;
	if (!error)
		*ret = GRANULARITY;
	return API_END(error);
}
SAME(cuMemGetAllocationGranularity,
     (size_t *ret, const CUmemAllocationProp *prop, CUmemAllocationGranularity_flags option),
     granularity(ret, prop, option))

/* Takes fd over. */
static cudaError_t add_physical(int fd, uint64_t size, const CUmemAllocationProp *prop, bool counts,
				CUmemGenericAllocationHandle *ret)
{
	struct physical *p = fd < 0 ? NULL : calloc(1, sizeof *p);
	if (!p) {
		if (fd >= 0)
			close(fd);
		return cudaErrorMemoryAllocation;
	}
	*p = (struct physical){
		.fd = fd, .size = size, .prop = *prop, .n_handles = 1, .counts = counts};
	pthread_mutex_lock(&lock);
	p->next = physicals;
	physicals = p;
	pthread_mutex_unlock(&lock);
	*ret = (uintptr_t)p;
	return cudaSuccess;
}

static cudaError_t create(CUmemGenericAllocationHandle *ret, size_t size,
			  const CUmemAllocationProp *prop, unsigned long long flags)
{
	API_BEGIN_CONTEXT;
	if (!ret || !is_whole(size) || flags || !prop ||
	    prop->type != CU_MEM_ALLOCATION_TYPE_PINNED)
		return API_END(cudaErrorInvalidValue);
	cudaError_t error = check_prop(prop);
	if (error)
		return API_END(error);
	struct device *device = device_get(prop->location.id);
	error = (cudaError_t)device_activate(device);
	if (error || !memory_charge(device, (int64_t)size))
		return API_END(error ? error : cudaErrorMemoryAllocation);
	int fd = memfd_create("cudasim", MFD_CLOEXEC);
	if (fd >= 0 && ftruncate(fd, (off_t)size)) {
		close(fd);
		fd = -1;
	}
	arena_note_shared();
	error = add_physical(fd, size, prop, true, ret);
	if (error)
		memory_charge(device, -(int64_t)size);
	return API_END(error);
}
SAME(cuMemCreate,
     (CUmemGenericAllocationHandle * ret, size_t size, const CUmemAllocationProp *prop,
      unsigned long long flags),
     create(ret, size, prop, flags))

static cudaError_t release(CUmemGenericAllocationHandle handle)
{
	API_BEGIN;
	pthread_mutex_lock(&lock);
	struct physical *p = find_physical(handle);
	if (p) {
		p->n_handles--;
		drop(p);
	}
	pthread_mutex_unlock(&lock);
	return API_END(p ? cudaSuccess : cudaErrorInvalidValue);
}
SAME(cuMemRelease, (CUmemGenericAllocationHandle handle), release(handle))

static cudaError_t properties(CUmemAllocationProp *ret, CUmemGenericAllocationHandle handle)
{
	API_BEGIN;
	pthread_mutex_lock(&lock);
	struct physical *p = find_physical(handle);
	if (p && ret)
		*ret = p->prop;
	pthread_mutex_unlock(&lock);
	return API_END(p && ret ? cudaSuccess : cudaErrorInvalidValue);
}
SAME(cuMemGetAllocationPropertiesFromHandle,
     (CUmemAllocationProp * ret, CUmemGenericAllocationHandle handle), properties(ret, handle))

/* ---- for other processes ---------------------------------------------------------------- */

static cudaError_t export_fd(void *ret, CUmemGenericAllocationHandle handle,
			     CUmemAllocationHandleType type, unsigned long long flags)
{
	API_BEGIN;
	int fd = -1;
	pthread_mutex_lock(&lock);
	struct physical *p = find_physical(handle);
	if (p && ret && !flags && type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR &&
	    (p->prop.requestedHandleTypes & type))
		fd = dup(p->fd);
	pthread_mutex_unlock(&lock);
	if (fd < 0)
		return API_END(cudaErrorInvalidValue);
	*(int *)ret = fd;
	return API_END(cudaSuccess);
}
SAME(cuMemExportToShareableHandle,
     (void *ret, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type,
      unsigned long long flags),
     export_fd(ret, handle, type, flags))

/* A file says nothing about its device: it becomes the current one's. */
static cudaError_t import_fd(CUmemGenericAllocationHandle *ret, void *os,
			     CUmemAllocationHandleType type)
{
	API_BEGIN_CONTEXT;
	struct stat about;
	if (!ret || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return API_END(cudaErrorInvalidValue);
	int fd = dup((int)(intptr_t)os);
	if (fd < 0 || fstat(fd, &about) || !is_whole((uint64_t)about.st_size)) {
		if (fd >= 0)
			close(fd);
		return API_END(cudaErrorInvalidValue);
	}
	CUmemAllocationProp prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.requestedHandleTypes = type,
		.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE,
			     .id = (int)device_current()->ordinal},
	};
	return API_END(add_physical(fd, (uint64_t)about.st_size, &prop, false, ret));
}
SAME(cuMemImportFromShareableHandle,
     (CUmemGenericAllocationHandle * ret, void *os, CUmemAllocationHandleType type),
     import_fd(ret, os, type))

/* ---- address ranges ---------------------------------------------------------------------- */

static cudaError_t reserve(CUdeviceptr *ret, size_t size, size_t alignment, CUdeviceptr wish,
			   unsigned long long flags)
{
	API_BEGIN_CONTEXT;
	if (!ret || !is_whole(size) || (alignment & (alignment - 1)) || flags)
		return API_END(cudaErrorInvalidValue);
	if (alignment < GRANULARITY)
		alignment = GRANULARITY;
	struct reservation *r = calloc(1, sizeof *r);
	uint64_t all;
	if (!r || __builtin_add_overflow(size, alignment, &all)) {
		free(r);
		return API_END(cudaErrorMemoryAllocation);
	}
	/* The wish is a hint, as the GPU's is. */
	char *base = mmap(DEVICE(wish), all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			  -1, 0);
	if (base == MAP_FAILED) {
		free(r);
		return API_END(cudaErrorMemoryAllocation);
	}
	uint64_t gap = (alignment - (uintptr_t)base % alignment) % alignment;
	*r = (struct reservation){
		.base = base, .base_size = all, .start = base + gap, .size = size};
	pthread_mutex_lock(&lock);
	r->next = reservations;
	reservations = r;
	pthread_mutex_unlock(&lock);
	*ret = (uintptr_t)r->start;
	return API_END(cudaSuccess);
}
SAME(cuMemAddressReserve,
     (CUdeviceptr * ret, size_t size, size_t alignment, CUdeviceptr wish, unsigned long long flags),
     reserve(ret, size, alignment, wish, flags))

/* The first mapping that has something of [start, start + size). */
static struct mapping *overlap(const char *start, uint64_t size)
{
	struct mapping *m = mappings;
	while (m && (m->start >= start + size || m->start + m->size <= start))
		m = m->next;
	return m;
}

static cudaError_t address_free(CUdeviceptr address, size_t size)
{
	API_BEGIN;
	pthread_mutex_lock(&lock);
	struct reservation **at = &reservations, *r;
	while (*at && (*at)->start != DEVICE(address))
		at = &(*at)->next;
	r = *at;
	if (r && (r->size != size || overlap(r->start, size)))
		r = NULL;
	if (r) {
		*at = r->next;
		munmap(r->base, r->base_size);
		free(r);
	}
	pthread_mutex_unlock(&lock);
	return API_END(r ? cudaSuccess : cudaErrorInvalidValue);
}
SAME(cuMemAddressFree, (CUdeviceptr address, size_t size), address_free(address, size))

/* ---- mappings ----------------------------------------------------------------------------- */

/* By one reservation or several, as those of a GPU may be neighbours. */
static bool is_reserved(const char *start, uint64_t size)
{
	for (uint64_t done = 0; done < size;) {
		const struct reservation *r = reservations;
		while (r && (start + done < r->start || start + done >= r->start + r->size))
			r = r->next;
		if (!r)
			return false;
		done = (uint64_t)(r->start + r->size - start);
	}
	return true;
}

static cudaError_t add_mapping(char *start, uint64_t size, uint64_t offset,
			       CUmemGenericAllocationHandle handle)
{
	struct physical *p = find_physical(handle);
	if (!p || overlap(start, size))
		return cudaErrorInvalidValue;
	if (!is_reserved(start, size) || offset > p->size || size > p->size - offset)
		return cudaErrorNotSupported; /* an H200's word for it */
	struct mapping *m = calloc(1, sizeof *m);
	if (!m || mmap(start, size, PROT_NONE, MAP_SHARED | MAP_FIXED, p->fd, (off_t)offset) ==
			  MAP_FAILED) {
		free(m);
		return cudaErrorMemoryAllocation;
	}
	*m = (struct mapping){
		.start = start, .size = size, .offset = offset, .physical = p, .next = mappings};
	mappings = m;
	p->n_mappings++;
	return cudaSuccess;
}

static cudaError_t map(CUdeviceptr address, size_t size, size_t offset,
		       CUmemGenericAllocationHandle handle, unsigned long long flags)
{
	API_BEGIN_CONTEXT;
	if (flags)
		return API_END(cudaErrorInvalidValue);
	if (address % GRANULARITY || !is_whole(size) || offset)
		return API_END(cudaErrorNotSupported);
	pthread_mutex_lock(&lock);
	cudaError_t error = add_mapping(DEVICE(address), size, offset, handle);
	pthread_mutex_unlock(&lock);
	return API_END(error);
}
SAME(cuMemMap,
     (CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
      unsigned long long flags),
     map(address, size, offset, handle, flags))

/* Are [start, start + size) whole mappings, one behind the other? */
static bool are_mappings(const char *start, uint64_t size)
{
	for (uint64_t done = 0; done < size;) {
		const struct mapping *m = overlap(start + done, 1);
		if (!m || m->start != start + done || m->size > size - done)
			return false;
		done += m->size;
	}
	return size != 0;
}

static void forget(struct mapping *m)
{
	if (m->access)
		memory_forget(m->start, CUDASIM_MEMORY_DEVICE, "cuMemUnmap");
	m->access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
}

static void remove_mapping(struct mapping *m)
{
	struct mapping **at = &mappings;
	while (*at != m)
		at = &(*at)->next;
	*at = m->next;
	forget(m);
	mmap(m->start, m->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
	     -1, 0);
	m->physical->n_mappings--;
	drop(m->physical);
	free(m);
}

static cudaError_t unmap(CUdeviceptr address, size_t size)
{
	API_BEGIN_CONTEXT;
	char *start = DEVICE(address);
	/* What runs may still use it. */
	device_wait(device_current(), 0);
	pthread_mutex_lock(&lock);
	/* Nothing may be mapped there; what is goes as a whole. */
	bool right = is_reserved(start, size) && size;
	for (const struct mapping *m = mappings; right && m; m = m->next)
		if (m->start < start + size && start < m->start + m->size)
			right = m->start >= start && m->start + m->size <= start + size;
	for (struct mapping *m; right && (m = overlap(start, size));)
		remove_mapping(m);
	pthread_mutex_unlock(&lock);
	return API_END(right ? cudaSuccess : cudaErrorInvalidValue);
}
SAME(cuMemUnmap, (CUdeviceptr address, size_t size), unmap(address, size))

static cudaError_t allow(struct mapping *m, CUmemAccess_flags access)
{
	int protection = access == CU_MEM_ACCESS_FLAGS_PROT_READ ? PROT_READ
			 : access                                ? PROT_READ | PROT_WRITE
								 : PROT_NONE;
	struct allocation what = {
		.kind = CUDASIM_MEMORY_DEVICE,
		.device = m->physical->prop.location.id,
		.imported = true,
		.function = "cuMemMap",
	};
	if (mprotect(m->start, m->size, protection))
		return cudaErrorMemoryAllocation;
	if (!access)
		forget(m);
	else if (!m->access && !memory_add(&what, m->start, m->size))
		return cudaErrorMemoryAllocation;
	m->access = access;
	return cudaSuccess;
}

/* Devices other than the memory's own reach it, too: simulated ones are all peers. */
static cudaError_t set_access(CUdeviceptr address, size_t size, const CUmemAccessDesc *desc,
			      size_t n)
{
	API_BEGIN_CONTEXT;
	char *start = DEVICE(address);
	if (!desc || !n)
		return API_END(cudaErrorInvalidValue);
	for (size_t i = 0; i < n; i++) {
		if (desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
		    desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
		    desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
			return API_END(cudaErrorInvalidValue);
		if (desc[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
		    (desc[i].location.id < 0 || desc[i].location.id >= device_count()))
			return API_END(cudaErrorInvalidDevice);
	}
	pthread_mutex_lock(&lock);
	cudaError_t error = are_mappings(start, size) ? cudaSuccess : cudaErrorInvalidValue;
	for (uint64_t done = 0; !error && done < size;) {
		struct mapping *m = overlap(start + done, 1);
		/* The widest that any device is given. */
		CUmemAccess_flags access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
		for (size_t i = 0; i < n; i++)
			access = desc[i].flags > access ? desc[i].flags : access;
		error = allow(m, access);
		done += m->size;
	}
	pthread_mutex_unlock(&lock);
	return API_END(error);
}
SAME(cuMemSetAccess, (CUdeviceptr address, size_t size, const CUmemAccessDesc *desc, size_t n),
     set_access(address, size, desc, n))

static cudaError_t get_access(unsigned long long *ret, const CUmemLocation *location,
			      CUdeviceptr address)
{
	API_BEGIN_CONTEXT;
	if (!ret || !location)
		return API_END(cudaErrorInvalidValue);
	pthread_mutex_lock(&lock);
	const struct mapping *m = overlap(DEVICE(address), 1);
	if (m)
		*ret = m->access;
	pthread_mutex_unlock(&lock);
	return API_END(m ? cudaSuccess : cudaErrorInvalidValue);
}
SAME(cuMemGetAccess, (unsigned long long *ret, const CUmemLocation *location, CUdeviceptr address),
     get_access(ret, location, address))

static cudaError_t retain(CUmemGenericAllocationHandle *ret, const void *address)
{
	API_BEGIN;
	if (!ret)
		return API_END(cudaErrorInvalidValue);
	pthread_mutex_lock(&lock);
	const struct mapping *m = overlap(address, 1);
	if (m) {
		m->physical->n_handles++;
		*ret = (uintptr_t)m->physical;
	}
	pthread_mutex_unlock(&lock);
	return API_END(m ? cudaSuccess : cudaErrorInvalidValue);
}
SAME(cuMemRetainAllocationHandle, (CUmemGenericAllocationHandle * ret, void *address),
     retain(ret, address))
