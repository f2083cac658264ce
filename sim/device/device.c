/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include <driver_types.h>
#include <stdlib.h>
#include <string.h>

#include "cudasim/abi.h"
#include "env.h"
#include "error.h"

static struct device devices[CUDASIM_MAX_DEVICES];
static int n_devices;
static int none_error = cudaErrorNoDevice;
static _Thread_local int current __attribute__((tls_model("initial-exec")));

int device_count(void)
{
	return n_devices;
}

int device_none(void)
{
	return none_error;
}

struct device *device_get(int ordinal)
{
	return &devices[ordinal];
}

struct device *device_current(void)
{
	return &devices[current];
}

void device_set_current(int ordinal)
{
	current = ordinal;
}

/* The devices that CUDA_VISIBLE_DEVICES leaves, as CUDA reads it: numbers
 * separated by commas; the list ends before the first that names no device, and
 * naming one twice leaves none. */
static int visible(const char *list, uint32_t n_physical, uint32_t ret[CUDASIM_MAX_DEVICES])
{
	int n = 0;
	for (const char *at = list; at;) {
		char *end;
		long i = strtol(at, &end, 10);
		if (end == at || i < 0 || (uint32_t)i >= n_physical)
			break;
		for (int j = 0; j < n; j++)
			if (ret[j] == (uint32_t)i) {
				none_error = cudaErrorInvalidDevice;
				return 0;
			}
		ret[n++] = (uint32_t)i;
		if (n == (int)CUDASIM_MAX_DEVICES)
			break;
		at = *end == ',' ? end + 1 : NULL;
	}
	return n;
}

/* Limits as an H200 has them at first. */
static void make(struct device *device, uint32_t ordinal, uint32_t physical,
		 const struct profile *profile, uint64_t bytes)
{
	device->ordinal = ordinal;
	device->physical = physical;
	device->profile = profile;
	device->memory_bytes = bytes;
	device->limits[cudaLimitStackSize] = 1024;
	device->limits[cudaLimitPrintfFifoSize] = 8650752;
	device->limits[cudaLimitMallocHeapSize] = 8u << 20;
	device->limits[cudaLimitDevRuntimePendingLaunchCount] = 2048;
	device->limits[cudaLimitMaxL2FetchGranularity] = 64;
	device->limits[cudaLimitPersistingL2CacheSize] = 11796480;
}

struct cudasim_error *device_start(void)
{
	const struct profile *profile;
	uint64_t n, bytes;
	uint32_t physical[CUDASIM_MAX_DEVICES];
	const char *key = env_get("CUDASIM_DEVICE");
	struct cudasim_error *error = profile_find(key ? key : "h200", &profile);
	if (!error)
		error = env_number("CUDASIM_DEVICES", 1, CUDASIM_MAX_DEVICES, 1, &n);
	if (!error)
		error = env_bytes("CUDASIM_MEMORY", profile->global_bytes, &bytes);
	if (!error && bytes < 64u << 20)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "CUDASIM_MEMORY=%s: a device needs 64M at least",
					  env_get("CUDASIM_MEMORY"));
	if (error)
		return error;

	const char *list = getenv("CUDA_VISIBLE_DEVICES");
	int count = (int)n;
	for (uint32_t i = 0; i < n; i++)
		physical[i] = i;
	if (list)
		count = visible(list, (uint32_t)n, physical);
	for (int i = 0; i < count; i++)
		make(&devices[i], (uint32_t)i, physical[i], profile, bytes);
	n_devices = count;
	return NULL;
}

void device_fail(struct device *device, int error)
{
	int none = 0;
	atomic_compare_exchange_strong(&device->sticky, &none, error);
}
