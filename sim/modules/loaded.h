/* SPDX-License-Identifier: Apache-2.0 */
/* loaded.h - device code that a program has loaded (cuModuleLoad, cudaLibraryLoadData and their
 * kin): a shared object that `cudasim cc -ptx` or NVRTC has made (formats/image.h), opened once more
 * for each load, so that each has variables of its own. CUmodule, CUlibrary and cudaLibrary_t are
 * all struct loaded *, kernels what registry_function() takes, on whichever device.
 * Everything is safe from any host thread, except to use what another one unloads. */
#ifndef CUDASIM_SIM_LOADED_H
#define CUDASIM_SIM_LOADED_H

#include <driver_types.h>
#include <stddef.h>

struct loaded;

/* Load what lies at data: such a text, ended by NUL or whole; other PTX, ended by NUL; or a
 * fat binary with one of these.
 *   cudaErrorNotSupported             a fat binary or machine code without one; a line
 *                                     on stderr says so, and that the call was `call`
 *   those of ptx_compile()            PTX
 *   cudaErrorInvalidKernelImage       anything else, and what is damaged
 *   cudaErrorNoKernelImageForDevice   it was made by another version of cudasim
 *   cudaErrorMemoryAllocation
 * What the compiler said of PTX becomes *log, a string that the caller frees, or NULL. */
cudaError_t loaded_new(const void *data, const char *call, char **log, struct loaded **ret);
/* One line on stderr about code that `call` could not load, from the compiler's log or NULL. */
void loaded_tell(const char *call, cudaError_t error, const char *log);
/* A file's bytes with 64 zeros behind them, which are no part of *n. The caller frees *ret.
 * cudaErrorFileNotFound, cudaErrorInvalidValue; cudaErrorInvalidKernelImage for a fat binary
 * that is cut off. */
cudaError_t loaded_read_file(const char *path, char **ret, size_t *n);
/* The error for a handle that is none (any more), cudaErrorInvalidResourceHandle; or success. */
cudaError_t loaded_check(const struct loaded *loaded);
/* Waits for the work of all devices first. cudaErrorInvalidResourceHandle. */
cudaError_t loaded_unload(struct loaded *loaded);

size_t loaded_n_kernels(const struct loaded *loaded);
/* i: below loaded_n_kernels(). */
const void *loaded_kernel(const struct loaded *loaded, size_t i);
/* By the name in the object code: mangled but for extern "C". NULL where there is none. */
const void *loaded_find_kernel(const struct loaded *loaded, const char *name);
/* Whose kernel that is; NULL where the program was linked with it. */
struct loaded *loaded_owner(const void *kernel);

enum loaded_variable { LOADED_GLOBAL, LOADED_MANAGED };
/* The current device's instance, which is active; address and bytes may be NULL.
 * cudaErrorSymbolNotFound where there is none of this kind. */
cudaError_t loaded_variable(const struct loaded *loaded, enum loaded_variable kind,
			    const char *name, void **address, size_t *bytes);

#endif
