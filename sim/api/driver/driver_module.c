/* SPDX-License-Identifier: Apache-2.0 */
/* driver_module.c - modules and libraries of the driver API. A CUmodule is a
 * CUlibrary is a cudaLibrary_t (library.c); a CUkernel is a CUfunction. */
#include "driver_api.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "jit.h"
#include "loaded.h"
#include "log.h"

/* ---- modules -------------------------------------------------------------------------- */

static cudaError_t load(const char *call, CUmodule *ret, const void *image, const char *path,
			const struct jit *jit)
{
	struct api_call api_call_;
	struct loaded *loaded;
	api_begin(&api_call_, call, __builtin_return_address(0));
	cudaError_t error = api_context();
	if (!error && (!ret || (!image && !path)))
		error = cudaErrorInvalidValue;
	if (!error)
		error = jit_load(image, path, jit, &loaded);
	if (!error)
		*ret = (CUmodule)loaded;
	return API_END(error);
}

static CUresult call_cuModuleLoadDataEx(CUmodule *ret, const void *image, unsigned n,
					CUjit_option *options, void **values)
{
	if (n && (!options || !values))
		return CUDA_ERROR_INVALID_VALUE;
	struct jit jit = {n, (const enum cudaJitOption *)options, values};
	return (CUresult)load("cuModuleLoadDataEx", ret, image, NULL, &jit);
}
SAME(cuModuleLoadDataEx,
     (CUmodule * ret, const void *image, unsigned n, CUjit_option *options, void **values),
     call_cuModuleLoadDataEx(ret, image, n, options, values))

SAME(cuModuleLoadData, (CUmodule * ret, const void *image), load(__func__, ret, image, NULL, NULL))
SAME(cuModuleLoadFatBinary, (CUmodule * ret, const void *image),
     load(__func__, ret, image, NULL, NULL))
SAME(cuModuleLoad, (CUmodule * ret, const char *path), load(__func__, ret, NULL, path, NULL))
SAME(cuModuleUnload, (CUmodule module), cudaLibraryUnload((cudaLibrary_t)module))
SAME(cuModuleGetFunction, (CUfunction * f, CUmodule module, const char *name),
     cudaLibraryGetKernel((cudaKernel_t *)f, (cudaLibrary_t)module, name))
SAME(cuModuleGetGlobal_v2,
     (CUdeviceptr * address, size_t *bytes, CUmodule module, const char *name),
     cudaLibraryGetGlobal((void **)address, bytes, (cudaLibrary_t)module, name))
SAME(cuModuleGetFunctionCount, (unsigned *n, CUmodule module),
     cudaLibraryGetKernelCount(n, (cudaLibrary_t)module))
SAME(cuModuleEnumerateFunctions, (CUfunction * f, unsigned n, CUmodule module),
     cudaLibraryEnumerateKernels((cudaKernel_t *)f, n, (cudaLibrary_t)module))

static CUresult call_cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
	if (!mode)
		return CUDA_ERROR_INVALID_VALUE;
	*mode = CU_MODULE_EAGER_LOADING;
	return CUDA_SUCCESS;
}
SAME(cuModuleGetLoadingMode, (CUmoduleLoadingMode * mode), call_cuModuleGetLoadingMode(mode))

/* ---- libraries ------------------------------------------------------------------------- */

/* The library's own options have no meaning here. */
static CUresult load_library(const char *call, CUlibrary *ret, const void *code, const char *path,
			     const struct jit *jit, const CUlibraryOption *options, void **values,
			     unsigned n)
{
	if ((jit->n && (!jit->options || !jit->values)) || (n && (!options || !values)))
		return CUDA_ERROR_INVALID_VALUE;
	return (CUresult)load(call, (CUmodule *)ret, code, path, jit);
}

static CUresult call_cuLibraryLoadData(CUlibrary *ret, const void *code, CUjit_option *options,
				       void **values, unsigned n, CUlibraryOption *library_options,
				       void **library_values, unsigned n_library)
{
	struct jit jit = {n, (const enum cudaJitOption *)options, values};
	return load_library("cuLibraryLoadData", ret, code, NULL, &jit, library_options,
			    library_values, n_library);
}
SAME(cuLibraryLoadData,
     (CUlibrary * ret, const void *code, CUjit_option *options, void **values, unsigned n,
      CUlibraryOption *library_options, void **library_values, unsigned n_library),
     call_cuLibraryLoadData(ret, code, options, values, n, library_options, library_values,
			    n_library))

static CUresult call_cuLibraryLoadFromFile(CUlibrary *ret, const char *path, CUjit_option *options,
					   void **values, unsigned n,
					   CUlibraryOption *library_options, void **library_values,
					   unsigned n_library)
{
	struct jit jit = {n, (const enum cudaJitOption *)options, values};
	return load_library("cuLibraryLoadFromFile", ret, NULL, path, &jit, library_options,
			    library_values, n_library);
}
SAME(cuLibraryLoadFromFile,
     (CUlibrary * ret, const char *path, CUjit_option *options, void **values, unsigned n,
      CUlibraryOption *library_options, void **library_values, unsigned n_library),
     call_cuLibraryLoadFromFile(ret, path, options, values, n, library_options, library_values,
				n_library))

SAME(cuLibraryUnload, (CUlibrary library), cudaLibraryUnload((cudaLibrary_t)library))
SAME(cuLibraryGetKernel, (CUkernel * kernel, CUlibrary library, const char *name),
     cudaLibraryGetKernel((cudaKernel_t *)kernel, (cudaLibrary_t)library, name))
SAME(cuLibraryGetKernelCount, (unsigned *n, CUlibrary library),
     cudaLibraryGetKernelCount(n, (cudaLibrary_t)library))
SAME(cuLibraryEnumerateKernels, (CUkernel * kernels, unsigned n, CUlibrary library),
     cudaLibraryEnumerateKernels((cudaKernel_t *)kernels, n, (cudaLibrary_t)library))
SAME(cuLibraryGetGlobal,
     (CUdeviceptr * address, size_t *bytes, CUlibrary library, const char *name),
     cudaLibraryGetGlobal((void **)address, bytes, (cudaLibrary_t)library, name))
SAME(cuLibraryGetManaged,
     (CUdeviceptr * address, size_t *bytes, CUlibrary library, const char *name),
     cudaLibraryGetManaged((void **)address, bytes, (cudaLibrary_t)library, name))
SAME(cuLibraryGetUnifiedFunction, (void **function, CUlibrary library, const char *symbol),
     cudaLibraryGetUnifiedFunction(function, (cudaLibrary_t)library, symbol))

static CUresult call_cuLibraryGetModule(CUmodule *ret, CUlibrary library)
{
	cudaError_t error = ret ? loaded_check((struct loaded *)library) : cudaErrorInvalidValue;
	if (!error)
		*ret = (CUmodule)library;
	return (CUresult)error;
}
SAME(cuLibraryGetModule, (CUmodule * ret, CUlibrary library), call_cuLibraryGetModule(ret, library))

/* ---- kernels ----------------------------------------------------------------------------- */

static CUresult call_cuKernelGetFunction(CUfunction *ret, CUkernel kernel)
{
	if (!ret)
		return CUDA_ERROR_INVALID_VALUE;
	*ret = (CUfunction)kernel;
	return kernel ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
SAME(cuKernelGetFunction, (CUfunction * ret, CUkernel kernel),
     call_cuKernelGetFunction(ret, kernel))

/* What the program was linked with is in no module that it could name. */
static cudaError_t owner(void **ret, const void *kernel)
{
	struct loaded *loaded = loaded_owner(kernel);
	if (!ret)
		return cudaErrorInvalidValue;
	if (!loaded)
		return kernel ? api_unsupported(
					"the module of a kernel that was linked with the program")
			      : cudaErrorInvalidResourceHandle;
	*ret = loaded;
	return cudaSuccess;
}

SAME(cuKernelGetLibrary, (CUlibrary * ret, CUkernel kernel), owner((void **)ret, kernel))
SAME(cuFuncGetModule, (CUmodule * ret, CUfunction f), owner((void **)ret, f))
SAME(cuKernelGetName, (const char **name, CUkernel kernel),
     cudaFuncGetName(name, (const void *)kernel))
SAME(cuKernelGetParamInfo, (CUkernel kernel, size_t i, size_t *offset, size_t *size),
     cudaFuncGetParamInfo((const void *)kernel, i, offset, size))
SAME(cuKernelGetAttribute, (int *ret, CUfunction_attribute which, CUkernel kernel, CUdevice device),
     ((void)device, cuFuncGetAttribute(ret, which, (CUfunction)kernel)))
SAME(cuKernelSetAttribute,
     (CUfunction_attribute which, int value, CUkernel kernel, CUdevice device),
     ((void)device, cuFuncSetAttribute((CUfunction)kernel, which, value)))
SAME(cuKernelSetCacheConfig, (CUkernel kernel, CUfunc_cache config, CUdevice device),
     ((void)device, cuFuncSetCacheConfig((CUfunction)kernel, config)))

static CUresult call_cuFuncLoad(CUfunction f)
{
	return f ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
SAME(cuFuncLoad, (CUfunction f), call_cuFuncLoad(f))

static CUresult call_cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction f)
{
	if (!state || !f)
		return state ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	*state = CU_FUNCTION_LOADING_STATE_LOADED;
	return CUDA_SUCCESS;
}
SAME(cuFuncIsLoaded, (CUfunctionLoadingState * state, CUfunction f), call_cuFuncIsLoaded(state, f))
