/* SPDX-License-Identifier: Apache-2.0 */
/* library.c - libraries of device code made at run time. Device code here is compiled with the
 * program, from its source; PTX and machine code of a GPU, which is what can be loaded, cannot be
 * run. Loading says so by kind; as nothing is ever loaded, no handle is one. */
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "gpu/fatbin.h"
#include "log.h"

/* What the code is, by its first bytes. */
static const char *kind_of(const char *code)
{
	if (!memcmp(code, "\177ELF", 4))
		return "machine code of a GPU";
	if (fatbin_is(code))
		return "a fat binary";
	return "PTX or another text";
}

static cudaError_t refuse(const char *code, const char *from)
{
	log_once("%s: %s cannot be loaded: device code is compiled with the program (docs/API.md)",
		 from, kind_of(code));
	return cudaErrorNotSupported;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *ret, const void *code, enum cudaJitOption *options,
				void **values, unsigned n, enum cudaLibraryOption *library_options,
				void **library_values, unsigned n_library)
{
	API_BEGIN_CONTEXT;
	if (!ret || !code || (n && (!options || !values)) ||
	    (n_library && (!library_options || !library_values)))
		return API_END(cudaErrorInvalidValue);
	return API_END(refuse(code, __func__));
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *ret, const char *path,
				    enum cudaJitOption *options, void **values, unsigned n,
				    enum cudaLibraryOption *library_options, void **library_values,
				    unsigned n_library)
{
	API_BEGIN_CONTEXT;
	char head[64] = {0};
	if (!ret || !path || (n && (!options || !values)) ||
	    (n_library && (!library_options || !library_values)))
		return API_END(cudaErrorInvalidValue);
	FILE *file = fopen(path, "re");
	if (!file)
		return API_END(cudaErrorFileNotFound);
	size_t got = fread(head, 1, sizeof head, file);
	fclose(file);
	return API_END(got ? refuse(head, path) : cudaErrorInvalidValue);
}

#define NO_LIBRARY(function, ...)                                                      \
	cudaError_t function(__VA_ARGS__)                                              \
	{                                                                              \
		API_BEGIN_CONTEXT;                                                     \
		(void)library;                                                         \
		return API_END(cudaErrorInvalidResourceHandle);                        \
	}
#pragma GCC diagnostic ignored "-Wunused-parameter"
NO_LIBRARY(cudaLibraryUnload, cudaLibrary_t library)
NO_LIBRARY(cudaLibraryGetKernel, cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
NO_LIBRARY(cudaLibraryGetGlobal, void **address, size_t *bytes, cudaLibrary_t library,
	   const char *name)
NO_LIBRARY(cudaLibraryGetManaged, void **address, size_t *bytes, cudaLibrary_t library,
	   const char *name)
NO_LIBRARY(cudaLibraryGetUnifiedFunction, void **function, cudaLibrary_t library,
	   const char *symbol)
NO_LIBRARY(cudaLibraryGetKernelCount, unsigned *n, cudaLibrary_t library)
NO_LIBRARY(cudaLibraryEnumerateKernels, cudaKernel_t *kernels, unsigned n, cudaLibrary_t library)
