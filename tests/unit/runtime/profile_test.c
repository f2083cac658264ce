/* SPDX-License-Identifier: Apache-2.0 */
/* The H200's profile against what an H200 answered (tests/data). */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <driver_types.h>

#include "cudasim/error.h"
#include "profile.h"

static const struct profile *find(const char *key)
{
	const struct profile *profile;
	assert_null(profile_find(key, &profile));
	return profile;
}

static FILE *open_data(const char *name)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", TEST_DATA, name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	return file;
}

static void attributes_are_an_h200s(void **state)
{
	(void)state;
	const struct profile *h200 = find("h200");
	FILE *file = open_data("h200-attributes.txt");
	char line[256];
	int n = 0, attribute, expected, value;
	while (fgets(line, sizeof line, file)) {
		if (sscanf(line, "%d %d", &attribute, &expected) != 2)
			continue;
		assert_true(profile_attribute(h200, attribute, &value));
		if (value != expected)
			fail_msg("attribute %d is %d, an H200's is %d", attribute, value, expected);
		n++;
	}
	fclose(file);
	assert_int_equal(n, 144);
	assert_false(profile_attribute(h200, 0, &value));
	assert_false(profile_attribute(h200, 148, &value));
	assert_false(profile_attribute(h200, -1, &value));
}

/* The fields in the order of the file. */
#define ONE(field) {#field, 1, offsetof(struct cudaDeviceProp, field), sizeof(p.field)}
#define MORE(field, n) {#field, n, offsetof(struct cudaDeviceProp, field), sizeof(p.field[0])}
static struct cudaDeviceProp p;
static const struct {
	const char *name;
	int n;
	size_t offset, size;
} fields[] = {
	ONE(luidDeviceNodeMask),
	ONE(totalGlobalMem),
	ONE(sharedMemPerBlock),
	ONE(regsPerBlock),
	ONE(warpSize),
	ONE(memPitch),
	ONE(maxThreadsPerBlock),
	MORE(maxThreadsDim, 3),
	MORE(maxGridSize, 3),
	ONE(totalConstMem),
	ONE(major),
	ONE(minor),
	ONE(textureAlignment),
	ONE(texturePitchAlignment),
	ONE(multiProcessorCount),
	ONE(integrated),
	ONE(canMapHostMemory),
	ONE(maxTexture1D),
	ONE(maxTexture1DMipmap),
	MORE(maxTexture2D, 2),
	MORE(maxTexture2DMipmap, 2),
	MORE(maxTexture2DLinear, 3),
	MORE(maxTexture2DGather, 2),
	MORE(maxTexture3D, 3),
	MORE(maxTexture3DAlt, 3),
	ONE(maxTextureCubemap),
	MORE(maxTexture1DLayered, 2),
	MORE(maxTexture2DLayered, 3),
	MORE(maxTextureCubemapLayered, 2),
	ONE(maxSurface1D),
	MORE(maxSurface2D, 2),
	MORE(maxSurface3D, 3),
	MORE(maxSurface1DLayered, 2),
	MORE(maxSurface2DLayered, 3),
	ONE(maxSurfaceCubemap),
	MORE(maxSurfaceCubemapLayered, 2),
	ONE(surfaceAlignment),
	ONE(concurrentKernels),
	ONE(ECCEnabled),
	ONE(tccDriver),
	ONE(asyncEngineCount),
	ONE(unifiedAddressing),
	ONE(memoryBusWidth),
	ONE(l2CacheSize),
	ONE(persistingL2CacheMaxSize),
	ONE(maxThreadsPerMultiProcessor),
	ONE(streamPrioritiesSupported),
	ONE(globalL1CacheSupported),
	ONE(localL1CacheSupported),
	ONE(sharedMemPerMultiprocessor),
	ONE(regsPerMultiprocessor),
	ONE(managedMemory),
	ONE(isMultiGpuBoard),
	ONE(multiGpuBoardGroupID),
	ONE(hostNativeAtomicSupported),
	ONE(pageableMemoryAccess),
	ONE(concurrentManagedAccess),
	ONE(computePreemptionSupported),
	ONE(canUseHostPointerForRegisteredMem),
	ONE(cooperativeLaunch),
	ONE(sharedMemPerBlockOptin),
	ONE(pageableMemoryAccessUsesHostPageTables),
	ONE(directManagedMemAccessFromHost),
	ONE(maxBlocksPerMultiProcessor),
	ONE(accessPolicyMaxWindowSize),
	ONE(reservedSharedMemPerBlock),
	ONE(hostRegisterSupported),
	ONE(sparseCudaArraySupported),
	ONE(hostRegisterReadOnlySupported),
	ONE(timelineSemaphoreInteropSupported),
	ONE(memoryPoolsSupported),
	ONE(gpuDirectRDMASupported),
	ONE(gpuDirectRDMAFlushWritesOptions),
	ONE(gpuDirectRDMAWritesOrdering),
	ONE(memoryPoolSupportedHandleTypes),
	ONE(deferredMappingCudaArraySupported),
	ONE(ipcEventSupported),
	ONE(clusterLaunch),
	ONE(unifiedFunctionPointers),
	ONE(deviceNumaConfig),
	ONE(deviceNumaId),
	ONE(mpsEnabled),
	ONE(hostNumaId),
	ONE(gpuPciDeviceID),
	ONE(gpuPciSubsystemID),
	ONE(hostNumaMultinodeIpcSupported),
};
enum { N_FIELDS = sizeof fields / sizeof *fields };

static long long value_of(int field, int i)
{
	const char *at = (const char *)&p + fields[field].offset + (size_t)i * fields[field].size;
	if (fields[field].size == 8) {
		size_t wide;
		memcpy(&wide, at, 8);
		return (long long)wide;
	}
	int value;
	memcpy(&value, at, 4);
	return value;
}

static void properties_are_an_h200s(void **state)
{
	(void)state;
	struct device device = {.profile = find("h200")};
	device.memory_bytes = device.profile->global_bytes;
	profile_properties(&device, &p);
	assert_string_equal(p.name, "NVIDIA H200");
	FILE *file = open_data("h200-properties.txt");
	char line[256];
	int n = 0;
	while (fgets(line, sizeof line, file)) {
		if (line[0] == '#')
			continue;
		char *rest = strchr(line, ' ');
		assert_non_null(rest);
		*rest++ = '\0';
		assert_true(n < N_FIELDS);
		assert_string_equal(line, fields[n].name);
		for (int i = 0; i < fields[n].n; i++) {
			long long expected = strtoll(rest, &rest, 10);
			if (value_of(n, i) != expected)
				fail_msg("%s[%d] is %lld, an H200's is %lld", line, i,
					 value_of(n, i), expected);
		}
		n++;
	}
	fclose(file);
	assert_int_equal(n, N_FIELDS);
}

/* Figures of the CUDA C++ Programming Guide, "Compute Capabilities". */
static void other_profiles_are_what_the_guide_says(void **state)
{
	(void)state;
	static const struct {
		const char *key;
		int major, minor, threads_per_sm, blocks_per_sm, shared_per_sm, shared_optin;
	} guide[] = {
		{"v100", 7, 0, 2048, 32, 96 << 10, 96 << 10},
		{"t4", 7, 5, 1024, 16, 64 << 10, 64 << 10},
		{"a100", 8, 0, 2048, 32, 164 << 10, 163 << 10},
		{"l4", 8, 9, 1536, 24, 100 << 10, 99 << 10},
		{"rtx4090", 8, 9, 1536, 24, 100 << 10, 99 << 10},
		{"h100", 9, 0, 2048, 32, 228 << 10, 227 << 10},
	};
	for (size_t i = 0; i < sizeof guide / sizeof *guide; i++) {
		const struct profile *profile = find(guide[i].key);
		assert_int_equal(profile->major, guide[i].major);
		assert_int_equal(profile->minor, guide[i].minor);
		assert_int_equal(profile->max_threads_per_sm, guide[i].threads_per_sm);
		assert_int_equal(profile->max_blocks_per_sm, guide[i].blocks_per_sm);
		assert_int_equal(profile->shared_per_sm, guide[i].shared_per_sm);
		assert_int_equal(profile->shared_per_block_optin, guide[i].shared_optin);
		int clusters;
		assert_true(profile_attribute(profile, cudaDevAttrClusterLaunch, &clusters));
		assert_int_equal(clusters, guide[i].major >= 9);
		assert_int_equal(profile->max_cluster > 0, guide[i].major >= 9);
	}
}

static void an_unknown_profile_is_refused_with_the_names(void **state)
{
	(void)state;
	const struct profile *profile;
	struct cudasim_error *error = profile_find("h300", &profile);
	assert_non_null(error);
	assert_non_null(strstr(error->message, "h300"));
	assert_non_null(strstr(error->message, "rtx4090"));
	cudasim_error_free(error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attributes_are_an_h200s),
		cmocka_unit_test(properties_are_an_h200s),
		cmocka_unit_test(other_profiles_are_what_the_guide_says),
		cmocka_unit_test(an_unknown_profile_is_refused_with_the_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
