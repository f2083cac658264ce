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

CUresult CUDAAPI cuModuleLoadDataEx(CUmodule *ret, const void *image, unsigned n,
				    CUjit_option *options, void **values)
{
	if (n && (!options || !values))
		return CUDA_ERROR_INVALID_VALUE;
	struct jit jit = {n, (const enum cudaJitOption *)options, values};
	return (CUresult)load(__func__, ret, image, NULL, &jit);
}

SAME(cuModuleLoadData, (CUmodule *ret, const void *image), load(__func__, ret, image, NULL, NULL))
SAME(cuModuleLoadFatBinary, (CUmodule *ret, const void *image), load(__func__, ret, image, NULL, NULL))
SAME(cuModuleLoad, (CUmodule *ret, const char *path), load(__func__, ret, NULL, path, NULL))
SAME(cuModuleUnload, (CUmodule module), cudaLibraryUnload((cudaLibrary_t)module))
SAME(cuModuleGetFunction, (CUfunction *f, CUmodule module, const char *name),
     cudaLibraryGetKernel((cudaKernel_t *)f, (cudaLibrary_t)module, name))
SAME(cuModuleGetGlobal_v2, (CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name),
     cudaLibraryGetGlobal((void **)address, bytes, (cudaLibrary_t)module, name))
SAME(cuModuleGetFunctionCount, (unsigned *n, CUmodule module),
     cudaLibraryGetKernelCount(n, (cudaLibrary_t)module))
SAME(cuModuleEnumerateFunctions, (CUfunction *f, unsigned n, CUmodule module),
     cudaLibraryEnumerateKernels((cudaKernel_t *)f, n, (cudaLibrary_t)module))

CUresult CUDAAPI cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
	if (!mode)
		return CUDA_ERROR_INVALID_VALUE;
	*mode = CU_MODULE_EAGER_LOADING;
	return CUDA_SUCCESS;
}

/* ---- libraries ------------------------------------------------------------------------- */

CUresult CUDAAPI cuLibraryLoadData(CUlibrary *ret, const void *code, CUjit_option *options,
				   void **values, unsigned n, CUlibraryOption *library_options,
				   void **library_values, unsigned n_library)
{
	if ((n && (!options || !values)) || (n_library && (!library_options || !library_values)))
		return CUDA_ERROR_INVALID_VALUE;
	struct jit jit = {n, (const enum cudaJitOption *)options, values};
	return (CUresult)load(__func__, (CUmodule *)ret, code, NULL, &jit);
}

CUresult CUDAAPI cuLibraryLoadFromFile(CUlibrary *ret, const char *path, CUjit_option *options,
				       void **values, unsigned n, CUlibraryOption *library_options,
				       void **library_values, unsigned n_library)
{
	if ((n && (!options || !values)) || (n_library && (!library_options || !library_values)))
		return CUDA_ERROR_INVALID_VALUE;
	struct jit jit = {n, (const enum cudaJitOption *)options, values};
	return (CUresult)load(__func__, (CUmodule *)ret, NULL, path, &jit);
}

SAME(cuLibraryUnload, (CUlibrary library), cudaLibraryUnload((cudaLibrary_t)library))
SAME(cuLibraryGetKernel, (CUkernel *kernel, CUlibrary library, const char *name),
     cudaLibraryGetKernel((cudaKernel_t *)kernel, (cudaLibrary_t)library, name))
SAME(cuLibraryGetKernelCount, (unsigned *n, CUlibrary library),
     cudaLibraryGetKernelCount(n, (cudaLibrary_t)library))
SAME(cuLibraryEnumerateKernels, (CUkernel *kernels, unsigned n, CUlibrary library),
     cudaLibraryEnumerateKernels((cudaKernel_t *)kernels, n, (cudaLibrary_t)library))
SAME(cuLibraryGetGlobal, (CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name),
     cudaLibraryGetGlobal((void **)address, bytes, (cudaLibrary_t)library, name))
SAME(cuLibraryGetManaged, (CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name),
     cudaLibraryGetManaged((void **)address, bytes, (cudaLibrary_t)library, name))
SAME(cuLibraryGetUnifiedFunction, (void **function, CUlibrary library, const char *symbol),
     cudaLibraryGetUnifiedFunction(function, (cudaLibrary_t)library, symbol))

CUresult CUDAAPI cuLibraryGetModule(CUmodule *ret, CUlibrary library)
{
	cudaError_t error = ret ? loaded_check((struct loaded *)library) : cudaErrorInvalidValue;
	if (!error)
		*ret = (CUmodule)library;
	return (CUresult)error;
}

/* ---- kernels ----------------------------------------------------------------------------- */

CUresult CUDAAPI cuKernelGetFunction(CUfunction *ret, CUkernel kernel)
{
	if (!ret)
		return CUDA_ERROR_INVALID_VALUE;
	*ret = (CUfunction)kernel;
	return kernel ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/* What the program was linked with is in no module that it could name. */
static cudaError_t owner(void **ret, const void *kernel)
{
	struct loaded *loaded = loaded_owner(kernel);
	if (!ret)
		return cudaErrorInvalidValue;
	if (!loaded)
		return kernel ? api_unsupported("the module of a kernel that was linked with the program")
			      : cudaErrorInvalidResourceHandle;
	*ret = loaded;
	return cudaSuccess;
}

SAME(cuKernelGetLibrary, (CUlibrary *ret, CUkernel kernel), owner((void **)ret, kernel))
SAME(cuFuncGetModule, (CUmodule *ret, CUfunction f), owner((void **)ret, f))
SAME(cuKernelGetName, (const char **name, CUkernel kernel),
     cudaFuncGetName(name, (const void *)kernel))
SAME(cuKernelGetParamInfo, (CUkernel kernel, size_t i, size_t *offset, size_t *size),
     cudaFuncGetParamInfo((const void *)kernel, i, offset, size))
SAME(cuKernelGetAttribute, (int *ret, CUfunction_attribute which, CUkernel kernel, CUdevice device),
     ((void)device, cuFuncGetAttribute(ret, which, (CUfunction)kernel)))
SAME(cuKernelSetAttribute, (CUfunction_attribute which, int value, CUkernel kernel, CUdevice device),
     ((void)device, cuFuncSetAttribute((CUfunction)kernel, which, value)))
SAME(cuKernelSetCacheConfig, (CUkernel kernel, CUfunc_cache config, CUdevice device),
     ((void)device, cuFuncSetCacheConfig((CUfunction)kernel, config)))

CUresult CUDAAPI cuFuncLoad(CUfunction f)
{
	return f ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult CUDAAPI cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction f)
{
	if (!state || !f)
		return state ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	*state = CU_FUNCTION_LOADING_STATE_LOADED;
	return CUDA_SUCCESS;
}
