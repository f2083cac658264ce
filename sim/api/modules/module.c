/* SPDX-License-Identifier: Apache-2.0 */
/* module.c - what compiled host code calls at start-up to make itself known, as
 * clang and nvcc emit it (see the toolkit's crt/host_runtime.h). gpu/registration.c stands
 * before these. */
#include "api.h"
#include "registry.h"
#include "process.h"

/* The structure that __cudaRegisterFatBinary() is given. */
struct wrapper {
	int magic, version;
	const void *data;
	void *more;
};

API_EXPORT void **__cudaRegisterFatBinary(void *wrapper);
API_EXPORT void __cudaRegisterFatBinaryEnd(void **handle);
API_EXPORT void __cudaUnregisterFatBinary(void **handle);
API_EXPORT void __cudaRegisterFunction(void **handle, const char *stub, char *device_function,
				       const char *name, int thread_limit, void *tid, void *bid,
				       void *block, void *grid, int *warp_size);
API_EXPORT void __cudaRegisterVar(void **handle, char *host, char *device_address, const char *name,
				  int ext, size_t size, int constant, int global);
API_EXPORT void __cudaRegisterManagedVar(void **handle, void **host, char *device_address,
					 const char *name, int ext, size_t size, int constant,
					 int global);
API_EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size);
API_EXPORT char __cudaInitModule(void **handle);

void **__cudaRegisterFatBinary(void *wrapper)
{
	return (void **)registry_add_binary(((const struct wrapper *)wrapper)->data);
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
	(void)handle;
}

/* A library is closed, or the process ends. Its kernels must not run on. */
void __cudaUnregisterFatBinary(void **handle)
{
	/* Not in a child of fork(): another thread may have held our locks. */
	if (process_state != PROCESS_READY)
		return;
	process_quiesce();
	registry_remove_binary((struct binary *)handle);
}

void __cudaRegisterFunction(void **handle, const char *stub, char *device_function,
			    const char *name, int thread_limit, void *tid, void *bid, void *block,
			    void *grid, int *warp_size)
{
	(void)device_function, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid,
		(void)warp_size;
	registry_add_function((struct binary *)handle, stub, name);
}

void __cudaRegisterVar(void **handle, char *host, char *device_address, const char *name, int ext,
		       size_t size, int constant, int global)
{
	(void)device_address, (void)ext, (void)size, (void)constant, (void)global;
	registry_add_variable((struct binary *)handle, host, name);
}

/* host is the variable itself: with simulated devices its storage can be the
 * host's own. */
void __cudaRegisterManagedVar(void **handle, void **host, char *device_address, const char *name,
			      int ext, size_t size, int constant, int global)
{
	(void)device_address, (void)ext, (void)size, (void)constant, (void)global;
	registry_add_variable((struct binary *)handle, host, name);
}

/* Host variables that device code of other compilers refers to; nothing to do,
 * the addresses are the same. */
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size)
{
	(void)handle, (void)name, (void)host, (void)size;
}

char __cudaInitModule(void **handle)
{
	(void)handle;
	return 1;
}
