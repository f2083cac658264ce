/* SPDX-License-Identifier: Apache-2.0 */
/* fake_answers.c - the functions of fake_libcudart.c that do something. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static int number(const char *variable, int absent)
{
	const char *value = getenv(variable);
	return value ? atoi(value) : absent;
}

EXPORT int cudaRuntimeGetVersion(int *ret);
int cudaRuntimeGetVersion(int *ret)
{
	*ret = number("FAKE_VERSION", 13000);
	return 0;
}

EXPORT int cudaDriverGetVersion(int *ret);
int cudaDriverGetVersion(int *ret)
{
	*ret = number("FAKE_DRIVER", 13000);
	return 0;
}

EXPORT int cudaGetDeviceCount(int *ret);
int cudaGetDeviceCount(int *ret)
{
	*ret = number("FAKE_COUNT", 1);
	/* As the real one asks the driver, which it finds by its name. */
	const char *driver = getenv("FAKE_ASKS");
	void *library = driver ? dlopen(driver, RTLD_NOW) : NULL;
	int (*init)(unsigned) = NULL;
	if (library)
		*(void **)&init = dlsym(library, "cuInit");
	if (init && init(0))
		return init(0);
	return number("FAKE_COUNT_ERROR", 0);
}

EXPORT int cudaDeviceGetAttribute(int *ret, int attribute, int device);
int cudaDeviceGetAttribute(int *ret, int attribute, int device)
{
	int cc = number("FAKE_CC", 90);
	if (attribute == 94)
		return 1; /* one that it does not know */
	*ret = attribute == 75 ? cc / 10 : attribute == 76 ? cc % 10 : 100 + attribute + device;
	return 0;
}

EXPORT const char *cudaGetErrorString(int code);
const char *cudaGetErrorString(int code)
{
	return code == 999 ? "unknown error" : "some error";
}

EXPORT int cudaGetDeviceProperties(char *name, int device);
int cudaGetDeviceProperties(char *name, int device)
{
	strcpy(name, device ? "Fake GPU 1" : "Fake GPU");
	return 0;
}

EXPORT int cudaSetDevice(int device);
int cudaSetDevice(int device)
{
	return device < 2 ? 0 : 101;
}

EXPORT int cudaMemGetInfo(size_t *available, size_t *total);
int cudaMemGetInfo(size_t *available, size_t *total)
{
	*total = 3072ul << 20;
	*available = 2976ul << 20;
	return 0;
}

/* ---- managed variables ---------------------------------------------------------------- */

EXPORT int cudaGetDevice(int *ret);
int cudaGetDevice(int *ret)
{
	if (!ret)
		return 2000;
	*ret = 0;
	return 0;
}

/* Pages are told by their number. */
EXPORT int cudaHostRegister(void *address, size_t size, unsigned flags);
int cudaHostRegister(void *address, size_t size, unsigned flags)
{
	printf("share %zu pages, flags %u%s\n", size / 4096, flags,
	       (size_t)address % 4096 ? ", askew" : "");
	return 0;
}

EXPORT int cudaHostUnregister(void *address);
int cudaHostUnregister(void *address)
{
	printf("unshare%s\n", (size_t)address % 4096 ? ", askew" : "");
	return 0;
}

EXPORT int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t n, size_t offset,
			      int kind);
int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t n, size_t offset, int kind)
{
	const void *word;
	memcpy(&word, from, sizeof word);
	printf("slot %zu at %zu, kind %d%s\n", n, offset, kind,
	       word == symbol ? "" : ", not of the variable");
	return 0;
}

/* Everything is the host's. */
EXPORT int cudaPointerGetAttributes(int *ret, const void *p);
int cudaPointerGetAttributes(int *ret, const void *p)
{
	ret[0] = 1;
	ret[1] = p ? 0 : -2;
	return 0;
}

/* ---- registration ------------------------------------------------------------------- */

static int handle;

EXPORT void **__cudaRegisterFatBinary(const int *wrapper);
void **__cudaRegisterFatBinary(const int *wrapper)
{
	const void *data;
	memcpy(&data, wrapper + 2, sizeof data);
	printf("binary %x %d %x\n", (unsigned)wrapper[0], wrapper[1], *(const unsigned *)data);
	return (void **)&handle;
}

EXPORT void __cudaRegisterFatBinaryEnd(void **h);
void __cudaRegisterFatBinaryEnd(void **h)
{
	printf("end %d\n", h == (void **)&handle);
}

EXPORT void __cudaRegisterFunction(void **h, const char *stub, char *device, const char *name,
				   int limit);
void __cudaRegisterFunction(void **h, const char *stub, char *device, const char *name, int limit)
{
	printf("function %d %s %s %d %d\n", h == (void **)&handle, device, name, limit,
	       stub != NULL);
}

EXPORT void __cudaRegisterVar(void **h, char *host, char *device, const char *name, int ext,
			      size_t size, int constant, int global);
void __cudaRegisterVar(void **h, char *host, char *device, const char *name, int ext, size_t size,
		       int constant, int global)
{
	printf("variable %d %s %s %d %zu %d %d %d\n", h == (void **)&handle, device, name, ext,
	       size, constant, global, host != NULL);
}

EXPORT void __cudaUnregisterFatBinary(void **h);
void __cudaUnregisterFatBinary(void **h)
{
	printf("unregister %d\n", h == (void **)&handle);
}

EXPORT int cudaLaunchKernel(const void *stub, unsigned long long xy, unsigned z,
			    unsigned long long bxy, unsigned bz, void **arguments, size_t shared,
			    void *stream);
int cudaLaunchKernel(const void *stub, unsigned long long xy, unsigned z, unsigned long long bxy,
		     unsigned bz, void **arguments, size_t shared, void *stream)
{
	printf("launch %llu,%llu,%u %llu,%llu,%u %zu %d %d %d\n", xy & 0xffffffff, xy >> 32, z,
	       bxy & 0xffffffff, bxy >> 32, bz, shared, stub != NULL, arguments != NULL,
	       stream != NULL);
	return 0;
}
