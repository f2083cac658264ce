/* SPDX-License-Identifier: Apache-2.0 */
/* driver_entry.c - addresses of the driver API's functions by name and version. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "api.h"

static const struct {
	const char *name;
	unsigned version; /* 1000 * major + 10 * minor */
	const char *symbol;
} entries[] = {
#define X(name, version, symbol) {#name, version, #symbol},
#include "driver_versions.def"
#undef X
};

/* What libcudasim exports under the name; it lasts as long as this file does. */
static void *exported(const char *symbol)
{
	static void *self;
	Dl_info here;
	void *handle = __atomic_load_n(&self, __ATOMIC_ACQUIRE);
	if (!handle && dladdr((void *)(uintptr_t)exported, &here)) {
		handle = dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD);
		__atomic_store_n(&self, handle, __ATOMIC_RELEASE);
	}
	return handle ? dlsym(handle, symbol) : NULL;
}

static void *per_thread(const char *symbol)
{
	char name[128];
	snprintf(name, sizeof name, "%s_ptsz", symbol);
	void *ret = exported(name);
	if (ret)
		return ret;
	snprintf(name, sizeof name, "%s_ptds", symbol);
	return exported(name);
}

static enum cudaDriverEntryPointQueryResult find(const char *name, unsigned version,
						 bool own_stream, void **ret)
{
	const char *symbol = NULL;
	bool known = false;
	*ret = NULL;
	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
		if (strcmp(entries[i].name, name))
			continue;
		known = true;
		if (entries[i].version <= version)
			symbol = entries[i].symbol;
	}
	if (!symbol)
		return known ? cudaDriverEntryPointVersionNotSufficent
			     : cudaDriverEntryPointSymbolNotFound;
	if (own_stream)
		*ret = per_thread(symbol);
	if (!*ret)
		*ret = exported(symbol);
	return *ret ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
}

static cudaError_t entry(const char *name, void **ret, unsigned version, unsigned long long flags,
			 enum cudaDriverEntryPointQueryResult *status)
{
	if (!name || !ret || flags > cudaEnablePerThreadDefaultStream)
		return cudaErrorInvalidValue;
	enum cudaDriverEntryPointQueryResult result =
		find(name, version, flags == cudaEnablePerThreadDefaultStream, ret);
	if (status)
		*status = result;
	return status || !result ? cudaSuccess : cudaErrorSymbolNotFound;
}

cudaError_t cudaGetDriverEntryPoint(const char *name, void **ret, unsigned long long flags,
				    enum cudaDriverEntryPointQueryResult *status)
{
	API_BEGIN_CONTEXT;
	return API_END(entry(name, ret, CUDART_VERSION, flags, status));
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **ret, unsigned version,
					     unsigned long long flags,
					     enum cudaDriverEntryPointQueryResult *status)
{
	API_BEGIN_CONTEXT;
	return API_END(entry(name, ret, version, flags, status));
}

/* The driver's own form of it. */
API_EXPORT cudaError_t cuGetProcAddress_v2(const char *name, void **ret, int version,
					   unsigned long long flags, int *status);
cudaError_t cuGetProcAddress_v2(const char *name, void **ret, int version,
				unsigned long long flags, int *status)
{
	API_BEGIN;
	enum cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSuccess;
	cudaError_t error = version < 0 ? cudaErrorInvalidValue
					: entry(name, ret, (unsigned)version, flags, &result);
	if (error)
		return API_END(error);
	if (status)
		*status = (int)result;
	return API_END(result && !status ? cudaErrorSymbolNotFound : cudaSuccess);
}
