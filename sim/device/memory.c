/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "address_space.h"
#include "arena.h"
#include "context.h"
#include "cudasim/inspect.h"
#include "device.h"
#include "error.h"
#include "log.h"
#include "memory_state.h"
#include "observer.h"
#include "pool.h"

struct allocations allocations = {.lock = PTHREAD_MUTEX_INITIALIZER};
static uint64_t n_allocations;
static struct arena *managed_arena, *pinned_arena;

/* What cudasim_memory_apart() asked for. Allocations keep the padding that they were made
 * with; freed ones in quarantine stand in a list, oldest first, and still have their memory. */
static uint64_t padding, quarantine, quarantined;
struct waiting {
	struct waiting *next;
	struct arena *arena;
	void *address;
	uint64_t size;
	int device; /* -1 where it is no device's */
};
static struct waiting *waiting, **waiting_end = &waiting;

struct cudasim_memory memory_describe(const struct allocation *a, const char *function)
{
	bool is_host = memory_type(a->kind) == cudaMemoryTypeHost;
	return (struct cudasim_memory){
		.address = allocation_address(a),
		.size = allocation_size(a),
		.kind = a->kind,
		.device = is_host ? -1 : a->device,
		.stream = a->stream,
		.id = a->id,
		.function = function,
		.forbidden = pool_forbids_memory(a),
	};
}

/* ---- allocating and freeing ---------------------------------------------- */

static uint64_t machine_bytes(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* As much as the machine has: pinned and managed memory cannot exceed it. */
static struct arena *host_arena(struct arena **arena)
{
	if (!*arena) {
		struct cudasim_error *error = arena_new(machine_bytes(), arena);
		if (error)
			log_error(error);
	}
	return *arena;
}

static struct arena *arena_of(enum cudasim_memory_kind kind, int device)
{
	switch (kind) {
	case CUDASIM_MEMORY_DEVICE:
	case CUDASIM_MEMORY_HEAP:
		return device_get(device)->memory;
	case CUDASIM_MEMORY_MANAGED:
		return host_arena(&managed_arena);
	case CUDASIM_MEMORY_HOST:
		return host_arena(&pinned_arena);
	default:
		return NULL;
	}
}

/* Pages come when they are touched, so the machine's memory may be promised more
 * than once; what happens when it runs out is not CUDA's error but a kill. */
static void warn_of_promises(void)
{
	uint64_t promised = 0;
	for (int i = 0; i < device_count(); i++)
		if (device_get(i)->memory)
			promised += arena_used(device_get(i)->memory);
	if (promised > machine_bytes())
		log_once("the program has allocated more device memory than this machine has "
			 "(%llu MiB); if it fills it, the system will end it. CUDASIM_MEMORY "
			 "limits the memory of each device",
			 (unsigned long long)(machine_bytes() >> 20));
}

/* Give the oldest back. False where nobody waits. */
static bool release_one(void)
{
	struct waiting *w = waiting;
	if (!w)
		return false;
	waiting = w->next;
	if (!waiting)
		waiting_end = &waiting;
	quarantined -= w->size;
	arena_free(w->arena, w->address, w->size);
	free(w);
	return true;
}

/* The arena gets the memory back, now or later. */
static void give_back(struct arena *arena, const struct allocation *a)
{
	uint64_t size = allocation_size(a) + a->padding;
	struct waiting *w = quarantine ? malloc(sizeof *w) : NULL;
	if (!w) {
		arena_free(arena, allocation_address(a), size);
		return;
	}
	*w = (struct waiting){NULL, arena, allocation_address(a), size, a->device};
	*waiting_end = w;
	waiting_end = &w->next;
	quarantined += size;
	while (quarantined > quarantine && waiting != w && release_one()) {}
}

/* What all arenas together hold without need. */
static void trim_arenas(void)
{
	struct arena *host[] = {managed_arena, pinned_arena};
	for (int i = 0; i < device_count(); i++)
		if (device_get(i)->memory)
			arena_trim(device_get(i)->memory);
	for (size_t i = 0; i < sizeof host / sizeof *host; i++)
		if (host[i])
			arena_trim(host[i]);
}

/* It is not that the device is full. */
static void tell_of_limit(const struct arena *arena, uint64_t size)
{
	uint64_t limit = address_space_limit();
	if (size > arena_limit(arena) || arena_round(size) > arena_limit(arena) - arena_used(arena))
		return;
	if (limit != UINT64_MAX)
		log_once(
			"no room for %llu MiB of CUDA memory: `ulimit -v` gives this process %llu MiB "
			"of address space, its own memory included",
			(unsigned long long)(size >> 20), (unsigned long long)(limit >> 20));
	else
		log_once("no room for %llu MiB of CUDA memory: the system refuses it (strict "
			 "overcommit or `ulimit -d`)",
			 (unsigned long long)(size >> 20));
}

/* Memory of the arena; what waits is used before the program is told that there is none. */
static void *take(struct arena *arena, uint64_t size)
{
	void *address;
	while (!(address = arena_alloc(arena, size)))
		if (!release_one())
			break;
	if (!address) {
		trim_arenas();
		address = arena_alloc(arena, size);
	}
	if (!address)
		tell_of_limit(arena, size);
	return address;
}

void cudasim_memory_apart(uint64_t bytes, uint64_t wait)
{
	pthread_mutex_lock(&allocations.lock);
	padding = bytes;
	quarantine = wait;
	pthread_mutex_unlock(&allocations.lock);
}

/* Takes the lock; a is the map's from here on. */
static cudaError_t place(struct allocation *a, uint64_t size)
{
	pthread_mutex_lock(&allocations.lock);
	struct arena *arena = arena_of(a->kind, a->device);
	a->padding = padding;
	struct context *top = context_top();
	a->context = top && !top->primary && !a->pool ? top : NULL;
	bool fits = size <= UINT64_MAX - a->padding;
	void *address = arena && fits ? take(arena, size + a->padding) : NULL;
	if (address) {
		a->range.start = (uint64_t)(uintptr_t)address;
		a->range.end = a->range.start + size;
		a->id = ++n_allocations;
		freed_forget(a->range.start, a->range.end);
		rangemap_insert(&allocations.live, &a->range);
		if (size > ARENA_SMALL)
			warn_of_promises();
	}
	pthread_mutex_unlock(&allocations.lock);
	return address ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t memory_alloc(const struct allocation *what, uint64_t size, void **ret)
{
	struct allocation *a = malloc(sizeof *a);
	if (!a)
		return cudaErrorMemoryAllocation;
	*a = *what;
	cudaError_t error = place(a, size);
	if (error) {
		free(a);
		return error;
	}
	*ret = allocation_address(a);
	struct cudasim_memory seen = memory_describe(a, a->function);
	observe_allocated(&seen);
	return cudaSuccess;
}

static void bad_free(void *address, const char *function)
{
	struct cudasim_memory seen = {
		.address = address,
		.kind = CUDASIM_MEMORY_DEVICE,
		.device = -1,
		.function = function,
	};
	observe_bad_free(&seen);
}

static cudaError_t free_as(void *address, unsigned kinds, const char *function, uint64_t operation)
{
	pthread_mutex_lock(&allocations.lock);
	struct allocation *a = (struct allocation *)rangemap_find(&allocations.live,
								  (uint64_t)(uintptr_t)address);
	if (!a || allocation_address(a) != address || !(kinds >> a->kind & 1) || a->module) {
		pthread_mutex_unlock(&allocations.lock);
		bad_free(address, function);
		return cudaErrorInvalidValue;
	}
	if (a->imported || (a->held && !a->out)) {
		pthread_mutex_unlock(&allocations.lock);
		bad_free(address, function);
		return cudaErrorInvalidValue;
	}
	struct cudasim_memory seen = memory_describe(a, function);
	seen.free_id = operation;
	a->out = false;
	bool stays = a->held;
	if (!stays)
		rangemap_remove(&allocations.live, &a->range);
	pthread_mutex_unlock(&allocations.lock);
	if (stays) {
		observe_freed(&seen);
		return cudaSuccess;
	}
	/* Between the two nobody can allocate the same address. */
	observe_freed(&seen);
	pthread_mutex_lock(&allocations.lock);
	give_back(arena_of(a->kind, a->device), a);
	freed_remember(a);
	pthread_mutex_unlock(&allocations.lock);
	return cudaSuccess;
}

cudaError_t memory_free(void *address, unsigned kinds, const char *function)
{
	return free_as(address, kinds, function, 0);
}

cudaError_t memory_free_in_order(void *address, uint64_t operation)
{
	const unsigned pooled = 1u << CUDASIM_MEMORY_DEVICE | 1u << CUDASIM_MEMORY_MANAGED |
				1u << CUDASIM_MEMORY_HOST;
	return free_as(address, pooled, "cudaFreeAsync", operation);
}

cudaError_t memory_hold(const struct allocation *what, uint64_t size, void **ret, uint64_t *held)
{
	static uint64_t n_held;
	struct allocation *a = malloc(sizeof *a);
	if (!a)
		return cudaErrorMemoryAllocation;
	*a = *what;
	a->out = false;
	a->held = *held = __atomic_add_fetch(&n_held, 1, __ATOMIC_RELAXED);
	cudaError_t error = place(a, size);
	if (error)
		free(a);
	else
		*ret = allocation_address(a);
	return error;
}

/* With the lock held. */
static struct allocation *find_held(const void *address, uint64_t held)
{
	struct allocation *a = (struct allocation *)rangemap_find(&allocations.live,
								  (uint64_t)(uintptr_t)address);
	return a && allocation_address(a) == address && a->held == held ? a : NULL;
}

bool memory_take(void *address, uint64_t held, const char *function)
{
	struct cudasim_memory seen;
	pthread_mutex_lock(&allocations.lock);
	struct allocation *a = find_held(address, held);
	bool taken = a && !a->out;
	if (taken) {
		a->out = true;
		a->id = ++n_allocations;
		seen = memory_describe(a, function);
	}
	pthread_mutex_unlock(&allocations.lock);
	if (taken)
		observe_allocated(&seen);
	return taken;
}

void memory_release(void *address, uint64_t held)
{
	pthread_mutex_lock(&allocations.lock);
	struct allocation *a = find_held(address, held);
	if (a && a->out) {
		a->held = 0;
	} else if (a) {
		rangemap_remove(&allocations.live, &a->range);
		arena_free(arena_of(a->kind, a->device), address, allocation_size(a));
		freed_remember(a);
	}
	pthread_mutex_unlock(&allocations.lock);
}

static bool exported;

bool memory_was_exported(void)
{
	pthread_mutex_lock(&allocations.lock);
	bool was = exported;
	pthread_mutex_unlock(&allocations.lock);
	return was;
}

struct cudasim_error *memory_export(void *address, int *fd, uint64_t *offset, uint64_t *length)
{
	struct cudasim_error *error;
	pthread_mutex_lock(&allocations.lock);
	struct allocation *a = (struct allocation *)rangemap_find(&allocations.live,
								  (uint64_t)(uintptr_t)address);
	if (a && allocation_address(a) == address && a->kind == CUDASIM_MEMORY_DEVICE &&
	    !a->imported)
		error = arena_export(arena_of(a->kind, a->device), address, allocation_size(a), fd,
				     offset, length);
	else
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "%p is not device memory", address);
	exported |= !error;
	pthread_mutex_unlock(&allocations.lock);
	return error;
}

bool memory_add(const struct allocation *what, void *address, uint64_t size)
{
	struct allocation *a = malloc(sizeof *a);
	if (!a)
		return false;
	*a = *what;
	a->range.start = (uint64_t)(uintptr_t)address;
	a->range.end = a->range.start + size;
	pthread_mutex_lock(&allocations.lock);
	a->id = a->kind == CUDASIM_MEMORY_VARIABLE ? 0 : ++n_allocations;
	freed_forget(a->range.start, a->range.end);
	bool added = rangemap_insert(&allocations.live, &a->range);
	pthread_mutex_unlock(&allocations.lock);
	if (!added) {
		free(a);
	} else if (a->kind != CUDASIM_MEMORY_VARIABLE) {
		struct cudasim_memory seen = memory_describe(a, a->function);
		observe_allocated(&seen);
	}
	return added;
}

bool memory_forget(void *address, enum cudasim_memory_kind kind, const char *function)
{
	pthread_mutex_lock(&allocations.lock);
	struct allocation *a = (struct allocation *)rangemap_find(&allocations.live,
								  (uint64_t)(uintptr_t)address);
	if (a && (allocation_address(a) != address || a->kind != kind))
		a = NULL;
	if (a)
		rangemap_remove(&allocations.live, &a->range);
	pthread_mutex_unlock(&allocations.lock);
	if (!a)
		return false;
	if (kind != CUDASIM_MEMORY_VARIABLE) {
		struct cudasim_memory seen = memory_describe(a, function);
		observe_freed(&seen);
	}
	free(a);
	return true;
}

/* Of a device, or of a context where that is not NULL. */
static bool is_of(const struct allocation *a, const struct device *device,
		  const struct context *context)
{
	if (context)
		return a->context == context && a->kind != CUDASIM_MEMORY_REGISTERED;
	/* Pools outlive a reset, and so does what was allocated from them. */
	return a->kind == CUDASIM_MEMORY_DEVICE && a->device == (int)device->ordinal &&
	       (!a->pool || a->imported);
}

static void free_all(const struct device *device, const struct context *context,
		     const char *function)
{
	void *address;
	do {
		address = NULL;
		pthread_mutex_lock(&allocations.lock);
		uint64_t held = 0;
		bool imported = false;
		enum cudasim_memory_kind kind = CUDASIM_MEMORY_DEVICE;
		RANGEMAP_FOR_EACH(&allocations.live, r)
		{
			struct allocation *a = (struct allocation *)r;
			if (is_of(a, device, context)) {
				kind = a->kind;
				address = allocation_address(a);
				held = a->held;
				imported = a->imported;
				break;
			}
		}
		pthread_mutex_unlock(&allocations.lock);
		if (imported)
			memory_forget(address, kind, function);
		else if (held)
			memory_release(address, held);
		else if (address)
			memory_free(address, 1u << kind, function);
	} while (address);
}

void memory_reset(struct device *device)
{
	free_all(device, NULL, "cudaDeviceReset");
}

void memory_drop(const struct context *context)
{
	free_all(context->device, context, "cuCtxDestroy");
}

uint64_t memory_close(struct device *device, bool closed)
{
	pthread_mutex_lock(&allocations.lock);
	uint64_t n = device->memory ? arena_used(device->memory) : 0;
	if (n)
		arena_close(device->memory, closed);
	pthread_mutex_unlock(&allocations.lock);
	return n;
}

bool memory_charge(struct device *device, int64_t bytes)
{
	pthread_mutex_lock(&allocations.lock);
	bool ret = arena_charge(device->memory, bytes);
	pthread_mutex_unlock(&allocations.lock);
	return ret;
}

bool cudasim_memory_is_cuda(const void *address)
{
	uint64_t at = (uint64_t)(uintptr_t)address;
	pthread_mutex_lock(&allocations.lock);
	bool ret = (managed_arena && arena_holds(managed_arena, at)) ||
		   (pinned_arena && arena_holds(pinned_arena, at));
	for (int i = 0; !ret && i < device_count(); i++) {
		const struct arena *arena = device_get(i)->memory;
		ret = arena && arena_holds(arena, at);
	}
	pthread_mutex_unlock(&allocations.lock);
	return ret;
}

uint64_t memory_available(struct device *device)
{
	pthread_mutex_lock(&allocations.lock);
	struct arena *arena = device->memory;
	uint64_t n = arena_limit(arena) - arena_used(arena);
	for (const struct waiting *w = waiting; w; w = w->next)
		if (w->device == (int)device->ordinal && w->size > ARENA_SMALL)
			n += arena_round(w->size);
	pthread_mutex_unlock(&allocations.lock);
	return n;
}

/* ---- the simulator's own ------------------------------------------------- */

void *memory_reserve(struct device *device, uint64_t size)
{
	struct allocation *a = calloc(1, sizeof *a);
	if (!a)
		return NULL;
	a->kind = CUDASIM_MEMORY_HEAP;
	a->device = (int)device->ordinal;
	if (place(a, size)) {
		free(a);
		return NULL;
	}
	/* The range may have been used before: let its pages start at zero. Small
	 * ones share theirs with others. */
	if (size > ARENA_SMALL)
		madvise(allocation_address(a), arena_round(size), MADV_DONTNEED);
	else
		memset(allocation_address(a), 0, size);
	return allocation_address(a);
}

void memory_unreserve(struct device *device, void *addr, uint64_t size)
{
	pthread_mutex_lock(&allocations.lock);
	struct allocation *a = (struct allocation *)rangemap_find(&allocations.live,
								  (uint64_t)(uintptr_t)addr);
	if (a && allocation_address(a) == addr) {
		rangemap_remove(&allocations.live, &a->range);
		arena_free(device->memory, addr, size + a->padding);
		free(a);
	}
	pthread_mutex_unlock(&allocations.lock);
}
