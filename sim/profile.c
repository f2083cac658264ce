/* SPDX-License-Identifier: Apache-2.0 */
/* profile.c - the devices that can be simulated. */
#include "profile.h"

#include <stdio.h>
#include <string.h>

#include "error.h"

static const struct profile profiles[] = {
	{
		.key = "h200", .name = "NVIDIA H200", .major = 9, .minor = 0, .n_sms = 132,
		.max_threads_per_sm = 2048, .max_blocks_per_sm = 32,
		.max_threads_per_block = 1024, .max_block = {1024, 1024, 64},
		.max_grid = {2147483647, 65535, 65535}, .shared_per_block = 49152,
		.shared_per_block_optin = 232448, .shared_per_sm = 233472,
		.reserved_shared = 1024, .registers_per_sm = 65536,
		.global_bytes = 150109880320, .clock_khz = 1980000,
		.memory_clock_khz = 3201000, .memory_bus_bits = 6144, .l2_bytes = 62914560,
		.max_registers_per_thread = 255, .register_unit = 256, .shared_unit = 128,
		.max_cluster = 8, .reserved_bytes = 536870912,
	},
};
enum { N = sizeof profiles / sizeof *profiles };

struct cudasim_error *profile_find(const char *key, const struct profile **ret)
{
	for (int i = 0; i < N; i++) {
		if (!strcmp(profiles[i].key, key)) {
			*ret = &profiles[i];
			return NULL;
		}
	}
	return cudasim_error_new(CUDASIM_E_ARGUMENT,
		"CUDASIM_DEVICE=%s: must be one of h200, h100, a100, l4, rtx4090, t4, v100", key);
}

bool profile_attribute(const struct profile *profile, int attribute, int *ret)
{
	switch (attribute) {
	case cudaDevAttrMultiProcessorCount:
		*ret = (int)profile->n_sms;
		return true;
	default:
		return false;
	}
}

void profile_properties(const struct device *device, struct cudaDeviceProp *ret)
{
	memset(ret, 0, sizeof *ret);
	snprintf(ret->name, sizeof ret->name, "%s", device->profile->name);
	ret->major = device->profile->major;
	ret->minor = device->profile->minor;
	ret->warpSize = 32;
	ret->multiProcessorCount = (int)device->profile->n_sms;
	ret->totalGlobalMem = device->memory_bytes;
}

cudaError_t profile_limit(const struct profile *profile, enum cudaLimit limit, size_t *value)
{
	(void)profile, (void)limit, (void)value;
	return cudaSuccess;
}
