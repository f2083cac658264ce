/* SPDX-License-Identifier: Apache-2.0 */
#include "managed.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "library.h"
#include "slots.h"
#include "log.h"
#include "registry.h"

struct managed {
	char *host;
	size_t size;
	uint32_t devices; /* whose slots are written, a bit each */
	bool shared;      /* its pages are */
	const void *owner;
};

static struct managed *list;
static size_t n;
static uint32_t devices_used; /* a bit each */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The real library's. */
static struct {
	cudaError_t (*set_device)(int);
	cudaError_t (*get_device)(int *);
	struct {
		cudaError_t (*copy)(void *, const void *, size_t, enum cudaMemcpyKind);
		cudaError_t (*copy_async)(void *, const void *, size_t, enum cudaMemcpyKind,
					  cudaStream_t);
		cudaError_t (*to)(const void *, const void *, size_t, size_t, enum cudaMemcpyKind);
		cudaError_t (*from)(void *, const void *, size_t, size_t, enum cudaMemcpyKind);
		cudaError_t (*to_async)(const void *, const void *, size_t, size_t,
					enum cudaMemcpyKind, cudaStream_t);
		cudaError_t (*from_async)(void *, const void *, size_t, size_t, enum cudaMemcpyKind,
					  cudaStream_t);
	} legacy, per_thread;
	cudaError_t (*address)(void **, const void *);
	cudaError_t (*size)(size_t *, const void *);
	cudaError_t (*attributes)(struct cudaPointerAttributes *, const void *);
	cudaError_t (*prefetch)(const void *, size_t, struct cudaMemLocation, unsigned,
				cudaStream_t);
	cudaError_t (*prefetch_ptsz)(const void *, size_t, struct cudaMemLocation, unsigned,
				     cudaStream_t);
	cudaError_t (*advise)(const void *, size_t, enum cudaMemoryAdvise, struct cudaMemLocation);
} real;

bool managed_add(const void *owner, const void *host, size_t *size)
{
	struct variable *v;
	if (registry_variable(host, &v) || !(v->variable->flags & CUDASIM_VARIABLE_MANAGED))
		return false;
	pthread_mutex_lock(&lock);
	struct managed *bigger = realloc(list, (n + 1) * sizeof *list);
	if (!bigger) {
		log_line("out of memory while variables are registered");
		exit(1);
	}
	list = bigger;
	*size = v->variable->size;
	list[n++] =
		(struct managed){.host = (char *)(uintptr_t)host, .size = *size, .owner = owner};
	pthread_mutex_unlock(&lock);
	return true;
}

/* ---- making them usable ---------------------------------------------------------------- */

/* On the current device. */
static void fill_slots(void)
{
	int device = 0;
	if (real.get_device(&device) || device > 31)
		return;
	pthread_mutex_lock(&lock);
	devices_used |= 1u << device;
	for (size_t i = 0; i < n; i++) {
		struct managed *m = &list[i];
		if (m->devices >> device & 1)
			continue;
		m->devices |= 1u << device;
		cudaError_t error = real.legacy.to(m->host, &m->host, sizeof m->host, 0,
						   cudaMemcpyHostToDevice);
		if (error)
			log_once("a __managed__ variable cannot be reached from the GPU: error %d",
				 (int)error);
	}
	pthread_mutex_unlock(&lock);
}

/* Of a library that comes late, on the devices that have been used before. */
static void fill_all_slots(void)
{
	int current = 0;
	uint32_t others = devices_used;
	fill_slots();
	if (real.get_device(&current))
		return;
	for (int device = 0; device < 32; device++)
		if (device != current && others >> device & 1 && !real.set_device(device))
			fill_slots();
	if (others & ~(1u << current))
		real.set_device(current);
}

static void share_new(void)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < n; i++) {
		if (!list[i].shared)
			managed_pages_share(list[i].host, list[i].size);
		list[i].shared = true;
	}
	pthread_mutex_unlock(&lock);
}

static bool is_used(uintptr_t from, uintptr_t end)
{
	for (size_t i = 0; i < n; i++)
		if ((uintptr_t)list[i].host < end && (uintptr_t)list[i].host + list[i].size > from)
			return true;
	return false;
}

void managed_remove(const void *owner)
{
	size_t kept = 0;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < n; i++)
		if (list[i].owner != owner)
			list[kept++] = list[i];
	bool any = kept != n;
	n = kept;
	if (any)
		managed_pages_release(is_used);
	pthread_mutex_unlock(&lock);
}

/* ---- calls that name symbols ------------------------------------------------------------ */

/* The variable with this address (inside: that it lies in); false where there is none. */
static bool find(const void *address, bool inside, struct managed *ret)
{
	bool found = false;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < n && !found; i++) {
		uintptr_t offset = (uintptr_t)address - (uintptr_t)list[i].host;
		found = inside ? offset < list[i].size : !offset;
		if (found)
			*ret = list[i];
	}
	pthread_mutex_unlock(&lock);
	return found;
}

static bool inside(const struct managed *m, size_t bytes, size_t offset)
{
	return offset <= m->size && bytes <= m->size - offset;
}

static cudaError_t set_device(int device)
{
	cudaError_t error = real.set_device(device);
	if (!error)
		fill_slots();
	return error;
}

/* For the calls of either default stream. */
#define COPIES(set)                                                                                \
	static cudaError_t to_symbol_##set(const void *symbol, const void *from, size_t bytes,     \
					   size_t offset, enum cudaMemcpyKind kind)                \
	{                                                                                          \
		struct managed m;                                                                  \
		if (!find(symbol, false, &m))                                                      \
			return real.set.to(symbol, from, bytes, offset, kind);                     \
		return inside(&m, bytes, offset)                                                   \
			       ? real.set.copy(m.host + offset, from, bytes, cudaMemcpyDefault)    \
			       : cudaErrorInvalidValue;                                            \
	}                                                                                          \
                                                                                                   \
	static cudaError_t from_symbol_##set(void *to, const void *symbol, size_t bytes,           \
					     size_t offset, enum cudaMemcpyKind kind)              \
	{                                                                                          \
		struct managed m;                                                                  \
		if (!find(symbol, false, &m))                                                      \
			return real.set.from(to, symbol, bytes, offset, kind);                     \
		return inside(&m, bytes, offset)                                                   \
			       ? real.set.copy(to, m.host + offset, bytes, cudaMemcpyDefault)      \
			       : cudaErrorInvalidValue;                                            \
	}                                                                                          \
                                                                                                   \
	static cudaError_t to_symbol_async_##set(const void *symbol, const void *from,             \
						 size_t bytes, size_t offset,                      \
						 enum cudaMemcpyKind kind, cudaStream_t stream)    \
	{                                                                                          \
		struct managed m;                                                                  \
		if (!find(symbol, false, &m))                                                      \
			return real.set.to_async(symbol, from, bytes, offset, kind, stream);       \
		return inside(&m, bytes, offset)                                                   \
			       ? real.set.copy_async(m.host + offset, from, bytes,                 \
						     cudaMemcpyDefault, stream)                    \
			       : cudaErrorInvalidValue;                                            \
	}                                                                                          \
                                                                                                   \
	static cudaError_t from_symbol_async_##set(void *to, const void *symbol, size_t bytes,     \
						   size_t offset, enum cudaMemcpyKind kind,        \
						   cudaStream_t stream)                            \
	{                                                                                          \
		struct managed m;                                                                  \
		if (!find(symbol, false, &m))                                                      \
			return real.set.from_async(to, symbol, bytes, offset, kind, stream);       \
		return inside(&m, bytes, offset) ? real.set.copy_async(to, m.host + offset, bytes, \
								       cudaMemcpyDefault, stream)  \
						 : cudaErrorInvalidValue;                          \
	}
COPIES(legacy)
COPIES(per_thread)

static cudaError_t symbol_address(void **ret, const void *symbol)
{
	struct managed m;
	if (!ret || !find(symbol, false, &m))
		return real.address(ret, symbol);
	*ret = m.host;
	return cudaSuccess;
}

static cudaError_t symbol_size(size_t *ret, const void *symbol)
{
	struct managed m;
	if (!ret || !find(symbol, false, &m))
		return real.size(ret, symbol);
	*ret = m.size;
	return cudaSuccess;
}

/* ---- calls that tell what memory is ------------------------------------------------------- */

static cudaError_t attributes(struct cudaPointerAttributes *ret, const void *p)
{
	struct managed m;
	cudaError_t error = real.attributes(ret, p);
	if (!error && find(p, true, &m))
		ret->type = cudaMemoryTypeManaged;
	return error;
}

/* The memory stays where it is, so that a prefetch has nothing to do, and advice is taken. */
static bool is_variables(const void *p, size_t bytes)
{
	struct managed m;
	return bytes && find(p, true, &m) && inside(&m, bytes, (size_t)((const char *)p - m.host));
}

static cudaError_t prefetch(const void *p, size_t bytes, struct cudaMemLocation location,
			    unsigned flags, cudaStream_t stream)
{
	return !flags && is_variables(p, bytes) ? cudaSuccess
						: real.prefetch(p, bytes, location, flags, stream);
}

static cudaError_t prefetch_ptsz(const void *p, size_t bytes, struct cudaMemLocation location,
				 unsigned flags, cudaStream_t stream)
{
	return !flags && is_variables(p, bytes)
		       ? cudaSuccess
		       : real.prefetch_ptsz(p, bytes, location, flags, stream);
}

static cudaError_t advise(const void *p, size_t bytes, enum cudaMemoryAdvise advice,
			  struct cudaMemLocation location)
{
	return is_variables(p, bytes) ? cudaSuccess : real.advise(p, bytes, advice, location);
}

#define COPY(name, suffix, member, wrapper)                                                        \
	{name, &real.legacy.member, (void (*)(void))wrapper##_legacy},                             \
	{                                                                                          \
		name suffix, &real.per_thread.member, (void (*)(void))wrapper##_per_thread         \
	}

static void bind_calls(void)
{
	static const struct {
		const char *name;
		void *real;
		void (*function)(void);
	} calls[] = {
		{"cudaSetDevice", &real.set_device, (void (*)(void))set_device},
		{"cudaGetDevice", &real.get_device, NULL},
		{"cudaMemcpy", &real.legacy.copy, NULL},
		{"cudaMemcpyAsync", &real.legacy.copy_async, NULL},
		{"cudaMemcpy_ptds", &real.per_thread.copy, NULL},
		{"cudaMemcpyAsync_ptsz", &real.per_thread.copy_async, NULL},
		COPY("cudaMemcpyToSymbol", "_ptds", to, to_symbol),
		COPY("cudaMemcpyFromSymbol", "_ptds", from, from_symbol),
		COPY("cudaMemcpyToSymbolAsync", "_ptsz", to_async, to_symbol_async),
		COPY("cudaMemcpyFromSymbolAsync", "_ptsz", from_async, from_symbol_async),
		{"cudaGetSymbolAddress", &real.address, (void (*)(void))symbol_address},
		{"cudaGetSymbolSize", &real.size, (void (*)(void))symbol_size},
		{"cudaPointerGetAttributes", &real.attributes, (void (*)(void))attributes},
		{"cudaMemPrefetchAsync", &real.prefetch, (void (*)(void))prefetch},
		{"cudaMemPrefetchAsync_ptsz", &real.prefetch_ptsz, (void (*)(void))prefetch_ptsz},
		{"cudaMemAdvise", &real.advise, (void (*)(void))advise},
	};
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		*(void **)calls[i].real = library_function(calls[i].name);
		if (calls[i].function)
			slot_set(calls[i].name, (void *)(uintptr_t)calls[i].function);
	}
}

void managed_start(void)
{
	static pthread_once_t bound = PTHREAD_ONCE_INIT;
	if (!n)
		return;
	pthread_once(&bound, bind_calls);
	share_new();
	fill_all_slots();
}
