/* SPDX-License-Identifier: Apache-2.0 */
/* driver_entry.c - addresses of the driver API's functions by name and version. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <string.h>

#include "api.h"
#include "toolkit_version.h"

struct entry {
	const char *name;
	int version; /* 1000 * major + 10 * minor */
	const char *symbol;
};
static const struct entry entries[] =
	{
#define X(name, version, symbol) {#name, version, #symbol},
#define OWN(name, version, symbol)
#include "driver_versions.def"
#undef X
#undef OWN
},
			  own_entries[] = {
#define X(name, version, symbol)
#define OWN(name, version, symbol) {#name, version, #symbol},
#include "driver_versions.def"
#undef X
#undef OWN
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

/* The symbol of that version, NULL where there was none yet. Returns whether the list has the name. */
static bool symbol_of(const struct entry *list, size_t n, const char *name, int version,
		      const char **symbol)
{
	bool known = false;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(list[i].name, name))
			continue;
		known = true;
		if (list[i].version <= version)
			*symbol = list[i].symbol;
	}
	return known;
}

static enum cudaDriverEntryPointQueryResult find(const char *name, int version, bool own_stream,
						 void **ret)
{
	const char *symbol = NULL;
	*ret = NULL;
	bool known = own_stream && symbol_of(own_entries, sizeof own_entries / sizeof *own_entries,
					     name, version, &symbol);
	if (!known && !symbol_of(entries, sizeof entries / sizeof *entries, name, version, &symbol))
		return cudaDriverEntryPointSymbolNotFound;
	if (!symbol)
		return cudaDriverEntryPointVersionNotSufficent;
	*ret = exported(symbol);
	return *ret ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
}

/* As an H200: a name that is not there is an answer, also where nobody asks for the status; a
 * version beyond the driver's own is an error. */
static cudaError_t entry(const char *name, void **ret, int version, unsigned long long flags,
			 enum cudaDriverEntryPointQueryResult *status)
{
	const unsigned long long known = cudaEnableLegacyStream | cudaEnablePerThreadDefaultStream;
	if (!name || !ret || flags & ~known ||
	    version > toolkit_version(CUDART_VERSION / 1000, CUDART_VERSION))
		return cudaErrorInvalidValue;
	enum cudaDriverEntryPointQueryResult result =
		find(name, version, flags & cudaEnablePerThreadDefaultStream, ret);
	if (status)
		*status = result;
	return cudaSuccess;
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
	return API_END(version > INT_MAX ? cudaErrorInvalidValue
					 : entry(name, ret, (int)version, flags, status));
}

/* The driver's own form of it. */
API_EXPORT cudaError_t cuGetProcAddress_v2(const char *name, void **ret, int version,
					   unsigned long long flags, int *status);
cudaError_t cuGetProcAddress_v2(const char *name, void **ret, int version, unsigned long long flags,
				int *status)
{
	API_BEGIN;
	enum cudaDriverEntryPointQueryResult result;
	cudaError_t error = entry(name, ret, version, flags, &result);
	if (!error && status)
		*status = (int)result;
	return API_END(error);
}
