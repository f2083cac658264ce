/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/managed.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpu/library.h"
#include "gpu/slots.h"
#include "log.h"
#include "registry.h"

struct managed {
	char *host;
	size_t size;
	uint32_t devices; /* whose slots are written, a bit each */
};

static struct managed *list;
static size_t n;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The real library's. */
static struct {
	cudaError_t (*set_device)(int);
	cudaError_t (*get_device)(int *);
	cudaError_t (*host_register)(void *, size_t, unsigned);
	cudaError_t (*copy)(void *, const void *, size_t, enum cudaMemcpyKind);
	cudaError_t (*copy_async)(void *, const void *, size_t, enum cudaMemcpyKind, cudaStream_t);
	cudaError_t (*to)(const void *, const void *, size_t, size_t, enum cudaMemcpyKind);
	cudaError_t (*from)(void *, const void *, size_t, size_t, enum cudaMemcpyKind);
	cudaError_t (*to_async)(const void *, const void *, size_t, size_t, enum cudaMemcpyKind,
				cudaStream_t);
	cudaError_t (*from_async)(void *, const void *, size_t, size_t, enum cudaMemcpyKind,
				  cudaStream_t);
	cudaError_t (*address)(void **, const void *);
	cudaError_t (*size)(size_t *, const void *);
} real;

bool managed_add(const void *host, size_t *size)
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
	list[n++] = (struct managed){.host = (char *)(uintptr_t)host, .size = *size};
	bool late = real.copy;
	pthread_mutex_unlock(&lock);
	if (late)
		log_once("__managed__ variables of libraries that are opened later do not work "
			 "on a GPU");
	return true;
}

/* ---- making them usable ---------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
	const struct managed *x = a, *y = b;
	return (x->host > y->host) - (x->host < y->host);
}

static void map(uintptr_t from, uintptr_t end)
{
	cudaError_t error = real.host_register((void *)from, end - from,
		cudaHostRegisterPortable | cudaHostRegisterMapped);
	if (error)
		log_once("a __managed__ variable's memory cannot be shared with the GPU: error %d",
			 (int)error);
}

/* Variables share pages, and a page can be registered once: pieces of whole pages that touch
 * are registered as one. */
static void map_all(void)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = 0, end = 0;
	qsort(list, n, sizeof *list, by_address);
	for (size_t i = 0; i < n; i++) {
		uintptr_t first = (uintptr_t)list[i].host & ~(page - 1);
		uintptr_t last = ((uintptr_t)list[i].host + list[i].size + page - 1) & ~(page - 1);
		if (first > end || !end) {
			if (end)
				map(from, end);
			from = first;
		}
		if (last > end)
			end = last;
	}
	map(from, end);
}

/* On the current device. */
static void fill_slots(void)
{
	int device = 0;
	if (real.get_device(&device) || device > 31)
		return;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < n; i++) {
		struct managed *m = &list[i];
		if (m->devices >> device & 1)
			continue;
		m->devices |= 1u << device;
		cudaError_t error = real.to(m->host, &m->host, sizeof m->host, 0,
					    cudaMemcpyHostToDevice);
		if (error)
			log_once("a __managed__ variable cannot be reached from the GPU: error %d",
				 (int)error);
	}
	pthread_mutex_unlock(&lock);
}

/* ---- calls that name symbols ------------------------------------------------------------ */

static struct managed *find(const void *symbol)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].host == symbol)
			return &list[i];
	return NULL;
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

static cudaError_t to_symbol(const void *symbol, const void *from, size_t bytes, size_t offset,
			     enum cudaMemcpyKind kind)
{
	struct managed *m = find(symbol);
	if (!m)
		return real.to(symbol, from, bytes, offset, kind);
	return inside(m, bytes, offset)
		? real.copy(m->host + offset, from, bytes, cudaMemcpyDefault)
		: cudaErrorInvalidValue;
}

static cudaError_t from_symbol(void *to, const void *symbol, size_t bytes, size_t offset,
			       enum cudaMemcpyKind kind)
{
	struct managed *m = find(symbol);
	if (!m)
		return real.from(to, symbol, bytes, offset, kind);
	return inside(m, bytes, offset)
		? real.copy(to, m->host + offset, bytes, cudaMemcpyDefault)
		: cudaErrorInvalidValue;
}

static cudaError_t to_symbol_async(const void *symbol, const void *from, size_t bytes,
				   size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	struct managed *m = find(symbol);
	if (!m)
		return real.to_async(symbol, from, bytes, offset, kind, stream);
	return inside(m, bytes, offset)
		? real.copy_async(m->host + offset, from, bytes, cudaMemcpyDefault, stream)
		: cudaErrorInvalidValue;
}

static cudaError_t from_symbol_async(void *to, const void *symbol, size_t bytes, size_t offset,
				     enum cudaMemcpyKind kind, cudaStream_t stream)
{
	struct managed *m = find(symbol);
	if (!m)
		return real.from_async(to, symbol, bytes, offset, kind, stream);
	return inside(m, bytes, offset)
		? real.copy_async(to, m->host + offset, bytes, cudaMemcpyDefault, stream)
		: cudaErrorInvalidValue;
}

static cudaError_t symbol_address(void **ret, const void *symbol)
{
	struct managed *m = find(symbol);
	if (!m || !ret)
		return real.address(ret, symbol);
	*ret = m->host;
	return cudaSuccess;
}

static cudaError_t symbol_size(size_t *ret, const void *symbol)
{
	struct managed *m = find(symbol);
	if (!m || !ret)
		return real.size(ret, symbol);
	*ret = m->size;
	return cudaSuccess;
}

void managed_start(void)
{
	static const struct {
		const char *name;
		void *real;
		void (*function)(void);
	} calls[] = {
		{"cudaSetDevice", &real.set_device, (void (*)(void))set_device},
		{"cudaGetDevice", &real.get_device, NULL},
		{"cudaHostRegister", &real.host_register, NULL},
		{"cudaMemcpy", &real.copy, NULL},
		{"cudaMemcpyAsync", &real.copy_async, NULL},
		{"cudaMemcpyToSymbol", &real.to, (void (*)(void))to_symbol},
		{"cudaMemcpyFromSymbol", &real.from, (void (*)(void))from_symbol},
		{"cudaMemcpyToSymbolAsync", &real.to_async, (void (*)(void))to_symbol_async},
		{"cudaMemcpyFromSymbolAsync", &real.from_async, (void (*)(void))from_symbol_async},
		{"cudaGetSymbolAddress", &real.address, (void (*)(void))symbol_address},
		{"cudaGetSymbolSize", &real.size, (void (*)(void))symbol_size},
	};
	if (!n)
		return;
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		*(void **)calls[i].real = library_function(calls[i].name);
		if (calls[i].function)
			slot_set(calls[i].name, (void *)(uintptr_t)calls[i].function);
	}
	map_all();
	fill_slots();
}
