/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "library.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "env.h"
#include "error.h"

enum { MAJOR = CUDART_VERSION / 1000 };
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
/* The soname of the runtime, by its major version. */
#if CUDART_VERSION / 1000 == 13
#define SONAME "libcudart.so.13"
#define WHEEL "nvidia/cu13/lib/" SONAME
#elif CUDART_VERSION / 1000 == 12
#define SONAME "libcudart.so.12"
#define WHEEL "nvidia/cuda_runtime/lib/" SONAME
#else
#error "name the libcudart of this major version here"
#endif
#define DRIVER "libcuda.so.1"

static void *runtime;
static char runtime_path[PATH_MAX];

/* ---- finding ------------------------------------------------------------------------ */

static int version_of(void *library)
{
	cudaError_t (*get)(int *);
	int version = 0;
	*(void **)&get = dlsym(library, "cudaRuntimeGetVersion");
	return get && !get(&version) ? version : 0;
}

/* libcudasim itself under the library's name, as build systems are shown it. */
static bool is_ours(void *library)
{
	return dlsym(library, "__cudasim_module_register");
}

/* The file that the loader took, for messages. */
static void keep(void *library, const char *path)
{
	Dl_info info;
	void *any = dlsym(library, "cudaRuntimeGetVersion");
	if (any && dladdr(any, &info) && info.dli_fname)
		path = info.dli_fname;
	runtime = library;
	snprintf(runtime_path, sizeof runtime_path, "%s", path);
}

/* Take the library at path if it is the right one. */
static bool take(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return false;
	if (is_ours(library) || version_of(library) / 1000 != MAJOR) {
		dlclose(library);
		return false;
	}
	keep(library, path);
	return true;
}

static struct cudasim_error *take_named(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "CUDASIM_LIBCUDART: %s", dlerror());
	int version = version_of(library);
	if (is_ours(library) || !version) {
		dlclose(library);
		return cudasim_error_new(CUDASIM_E_FORMAT,
					 "CUDASIM_LIBCUDART=%s is not a libcudart of a CUDA "
					 "toolkit",
					 path);
	}
	if (version / 1000 != MAJOR) {
		dlclose(library);
		return cudasim_error_new(
			CUDASIM_E_FORMAT,
			"CUDASIM_LIBCUDART=%s is of CUDA %d.%d: cudasim was built with the headers "
			"of CUDA %d and needs " SONAME,
			path, version / 1000, version % 1000 / 10, MAJOR);
	}
	keep(library, path);
	return NULL;
}

/* pattern below the folder that a variable names, or as it is where variable is NULL. */
struct library_candidate {
	const char *variable, *pattern;
};

static bool take_place(const struct library_candidate *place)
{
	const char *folder = place->variable ? getenv(place->variable) : "";
	char pattern[PATH_MAX];
	glob_t found = {0};
	bool ret = false;
	if (!folder || (place->variable && *folder != '/') ||
	    snprintf(pattern, sizeof pattern, "%s%s", folder, place->pattern) >=
		    (int)sizeof pattern)
		return false;
	if (!glob(pattern, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc && !ret; i++)
			ret = take(found.gl_pathv[i]);
	globfree(&found);
	return ret;
}

static bool find(void)
{
	static const struct library_candidate places[] = {
		{"CUDASIM_TOOLKIT", "/lib64/" SONAME},
		{"CUDASIM_TOOLKIT", "/lib/" SONAME},
		{"CUDA_HOME", "/lib64/" SONAME},
		{"CUDA_PATH", "/lib64/" SONAME},
		{NULL, "/usr/local/cuda/lib64/" SONAME},
		{NULL, "/usr/local/cuda-" TEXT(CUDART_VERSION) "/lib64/" SONAME},
		{NULL, "/usr/local/cuda-[0-9]*/lib64/" SONAME},
		/* Python packages and conda. */
		{"VIRTUAL_ENV", "/lib/python3*/site-packages/" WHEEL},
		{"CONDA_PREFIX", "/lib/" SONAME},
		{"CONDA_PREFIX", "/lib/python3*/site-packages/" WHEEL},
		{"HOME", "/.local/lib/python3*/site-packages/" WHEEL},
		{NULL, "/usr/local/lib/python3*/dist-packages/" WHEEL},
		{NULL, "/usr/local/lib/python3*/site-packages/" WHEEL},
		{NULL, "/usr/lib/python3/dist-packages/" WHEEL},
	};
	if (take(SONAME))
		return true;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (take_place(&places[i]))
			return true;
	return false;
}

struct cudasim_error *library_open(void)
{
	const char *named = env_get("CUDASIM_LIBCUDART");
	if (runtime)
		return NULL;
	if (named)
		return take_named(named);
	if (find())
		return NULL;
	return cudasim_error_new(CUDASIM_E_NOTFOUND, "a GPU needs " SONAME
						     " of a CUDA toolkit, which is not found: set "
						     "CUDASIM_LIBCUDART to its path");
}

/* ---- the device ---------------------------------------------------------------------- */

static bool asked_itself;

void library_note_itself(void)
{
	asked_itself = true;
}

static struct cudasim_error *no_device(cudaError_t code)
{
	cudaError_t (*driver_version)(int *);
	const char *(*text)(cudaError_t);
	int version = 0;
	if (asked_itself)
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "what %s finds as " DRIVER
					 " is cudasim, not a driver for NVIDIA GPUs",
					 runtime_path);
	*(void **)&driver_version = dlsym(runtime, "cudaDriverGetVersion");
	*(void **)&text = dlsym(runtime, "cudaGetErrorString");
	if (driver_version)
		driver_version(&version);
	if (code == cudaErrorInsufficientDriver && !version)
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "this machine has no driver for NVIDIA GPUs (" DRIVER ")");
	if (code == cudaErrorInsufficientDriver)
		return cudasim_error_new(
			CUDASIM_E_FORMAT,
			"the driver on this machine is made for CUDA %d.%d, too old for %s",
			version / 1000, version % 1000 / 10, runtime_path);
	if (!code || code == cudaErrorNoDevice)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "%s",
					 getenv("CUDA_VISIBLE_DEVICES")
						 ? "there is no GPU among CUDA_VISIBLE_DEVICES"
						 : "this machine has no GPU");
	return cudasim_error_new(CUDASIM_E_SYSTEM, "the GPU cannot be used: %s",
				 text ? text(code) : "cudaGetDeviceCount() fails");
}

struct cudasim_error *library_device(int *major, int *minor)
{
	cudaError_t (*count)(int *), (*attribute)(int *, int, int);
	int n = 0;
	*(void **)&count = dlsym(runtime, "cudaGetDeviceCount");
	*(void **)&attribute = dlsym(runtime, "cudaDeviceGetAttribute");
	if (!count || !attribute)
		return cudasim_error_new(CUDASIM_E_FORMAT, "%s has no cudaGetDeviceCount()",
					 runtime_path);
	cudaError_t code = count(&n);
	if (code || !n)
		return no_device(code);
	code = attribute(major, cudaDevAttrComputeCapabilityMajor, 0);
	if (!code)
		code = attribute(minor, cudaDevAttrComputeCapabilityMinor, 0);
	return code ? no_device(code) : NULL;
}

/* ---- functions ------------------------------------------------------------------------- */

bool library_is_drivers(const char *name)
{
	return name[0] == 'c' && name[1] == 'u' && name[2] >= 'A' && name[2] <= 'Z';
}

static void *driver;

static void open_driver(void)
{
	driver = dlopen(DRIVER, RTLD_NOW | RTLD_LOCAL);
}

void *library_function(const char *name)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	if (!library_is_drivers(name))
		return dlsym(runtime, name);
	pthread_once(&once, open_driver);
	return driver ? dlsym(driver, name) : NULL;
}

const char *library_name(const char *function)
{
	return library_is_drivers(function) ? DRIVER : runtime_path;
}
