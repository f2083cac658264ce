/* SPDX-License-Identifier: Apache-2.0 */
/* library.c - libraries of device code that are loaded at run time (loaded.h). */
#include "api.h"
#include "jit.h"
#include "loaded.h"

static bool options_wrong(const void *options, const void *values, unsigned n)
{
	return n && (!options || !values);
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *ret, const void *code, enum cudaJitOption *options,
				void **values, unsigned n, enum cudaLibraryOption *library_options,
				void **library_values, unsigned n_library)
{
	API_BEGIN_CONTEXT;
	struct loaded *loaded;
	if (!ret || !code || options_wrong(options, values, n) ||
	    options_wrong(library_options, library_values, n_library))
		return API_END(cudaErrorInvalidValue);
	struct jit jit = {n, options, values};
	cudaError_t error = jit_load(code, NULL, &jit, &loaded);
	if (!error)
		*ret = (cudaLibrary_t)loaded;
	return API_END(error);
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *ret, const char *path,
				    enum cudaJitOption *options, void **values, unsigned n,
				    enum cudaLibraryOption *library_options, void **library_values,
				    unsigned n_library)
{
	API_BEGIN_CONTEXT;
	struct loaded *loaded;
	if (!ret || !path || options_wrong(options, values, n) ||
	    options_wrong(library_options, library_values, n_library))
		return API_END(cudaErrorInvalidValue);
	struct jit jit = {n, options, values};
	cudaError_t error = jit_load(NULL, path, &jit, &loaded);
	if (!error)
		*ret = (cudaLibrary_t)loaded;
	return API_END(error);
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
	API_BEGIN_CONTEXT;
	return API_END(loaded_unload((struct loaded *)library));
}

/* What each of these begins with. */
#define WITH_LIBRARY(wrong)                                                                        \
	API_BEGIN_CONTEXT;                                                                         \
	struct loaded *loaded = (struct loaded *)library;                                          \
	if (wrong)                                                                                 \
		return API_END(cudaErrorInvalidValue);                                             \
	cudaError_t error = loaded_check(loaded);                                                  \
	if (error)                                                                                 \
	return API_END(error)

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
	WITH_LIBRARY(!kernel || !name);
	const void *found = loaded_find_kernel(loaded, name);
	if (!found)
		return API_END(cudaErrorSymbolNotFound);
	*kernel = (cudaKernel_t)(uintptr_t)found;
	return API_END(cudaSuccess);
}

cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library,
				 const char *name)
{
	WITH_LIBRARY((!address && !bytes) || !name);
	return API_END(loaded_variable(loaded, LOADED_GLOBAL, name, address, bytes));
}

cudaError_t cudaLibraryGetManaged(void **address, size_t *bytes, cudaLibrary_t library,
				  const char *name)
{
	WITH_LIBRARY((!address && !bytes) || !name);
	return API_END(loaded_variable(loaded, LOADED_MANAGED, name, address, bytes));
}

/* Functions that are the same on host and device are made by no compiler of ours. */
cudaError_t cudaLibraryGetUnifiedFunction(void **function, cudaLibrary_t library,
					  const char *symbol)
{
	WITH_LIBRARY(!function || !symbol);
	return API_END(cudaErrorSymbolNotFound);
}

cudaError_t cudaLibraryGetKernelCount(unsigned *n, cudaLibrary_t library)
{
	WITH_LIBRARY(!n);
	*n = (unsigned)loaded_n_kernels(loaded);
	return API_END(cudaSuccess);
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned n, cudaLibrary_t library)
{
	WITH_LIBRARY(!kernels);
	for (size_t i = 0; i < n && i < loaded_n_kernels(loaded); i++)
		kernels[i] = (cudaKernel_t)(uintptr_t)loaded_kernel(loaded, i);
	return API_END(cudaSuccess);
}
