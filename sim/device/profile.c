/* SPDX-License-Identifier: Apache-2.0 */
/* profile.c - the devices that can be simulated.
 *
 * The H200's attributes were read from one. The others' come from the CUDA C++
 * Programming Guide ("Compute Capabilities") and NVIDIA's data sheets; what is
 * not in a profile's row or its list of differences is as on the H200. */
#include "profile.h"

#include <stdio.h>
#include <string.h>

#include "error.h"

/* ---- the H200 ---------------------------------------------------------------- */

/* By enum cudaDeviceAttr; 0 where absent. Without what struct profile says. */
static const int h200_values[N_ATTRIBUTES] = {
	[cudaDevAttrTotalConstantMemory] = 65536,
	[cudaDevAttrWarpSize] = 32,
	[cudaDevAttrMaxPitch] = 2147483647,
	[cudaDevAttrTextureAlignment] = 512,
	[cudaDevAttrGpuOverlap] = 1,
	[cudaDevAttrCanMapHostMemory] = 1,
	[cudaDevAttrMaxTexture1DWidth] = 131072,
	[cudaDevAttrMaxTexture2DWidth] = 131072,
	[cudaDevAttrMaxTexture2DHeight] = 65536,
	[cudaDevAttrMaxTexture3DWidth] = 16384,
	[cudaDevAttrMaxTexture3DHeight] = 16384,
	[cudaDevAttrMaxTexture3DDepth] = 16384,
	[cudaDevAttrMaxTexture2DLayeredWidth] = 32768,
	[cudaDevAttrMaxTexture2DLayeredHeight] = 32768,
	[cudaDevAttrMaxTexture2DLayeredLayers] = 2048,
	[cudaDevAttrSurfaceAlignment] = 512,
	[cudaDevAttrConcurrentKernels] = 1,
	[cudaDevAttrEccEnabled] = 1,
	[cudaDevAttrAsyncEngineCount] = 3,
	[cudaDevAttrUnifiedAddressing] = 1,
	[cudaDevAttrMaxTexture1DLayeredWidth] = 32768,
	[cudaDevAttrMaxTexture1DLayeredLayers] = 2048,
	[44] = 1,
	[cudaDevAttrMaxTexture2DGatherWidth] = 32768,
	[cudaDevAttrMaxTexture2DGatherHeight] = 32768,
	[cudaDevAttrMaxTexture3DWidthAlt] = 8192,
	[cudaDevAttrMaxTexture3DHeightAlt] = 8192,
	[cudaDevAttrMaxTexture3DDepthAlt] = 32768,
	[cudaDevAttrTexturePitchAlignment] = 32,
	[cudaDevAttrMaxTextureCubemapWidth] = 32768,
	[cudaDevAttrMaxTextureCubemapLayeredWidth] = 32768,
	[cudaDevAttrMaxTextureCubemapLayeredLayers] = 2046,
	[cudaDevAttrMaxSurface1DWidth] = 32768,
	[cudaDevAttrMaxSurface2DWidth] = 131072,
	[cudaDevAttrMaxSurface2DHeight] = 65536,
	[cudaDevAttrMaxSurface3DWidth] = 16384,
	[cudaDevAttrMaxSurface3DHeight] = 16384,
	[cudaDevAttrMaxSurface3DDepth] = 16384,
	[cudaDevAttrMaxSurface1DLayeredWidth] = 32768,
	[cudaDevAttrMaxSurface1DLayeredLayers] = 2048,
	[cudaDevAttrMaxSurface2DLayeredWidth] = 32768,
	[cudaDevAttrMaxSurface2DLayeredHeight] = 32768,
	[cudaDevAttrMaxSurface2DLayeredLayers] = 2048,
	[cudaDevAttrMaxSurfaceCubemapWidth] = 32768,
	[cudaDevAttrMaxSurfaceCubemapLayeredWidth] = 32768,
	[cudaDevAttrMaxSurfaceCubemapLayeredLayers] = 2046,
	[cudaDevAttrMaxTexture1DLinearWidth] = 268435456,
	[cudaDevAttrMaxTexture2DLinearWidth] = 131072,
	[cudaDevAttrMaxTexture2DLinearHeight] = 65000,
	[cudaDevAttrMaxTexture2DLinearPitch] = 2097120,
	[cudaDevAttrMaxTexture2DMipmappedWidth] = 32768,
	[cudaDevAttrMaxTexture2DMipmappedHeight] = 32768,
	[cudaDevAttrMaxTexture1DMipmappedWidth] = 32768,
	[cudaDevAttrStreamPrioritiesSupported] = 1,
	[cudaDevAttrGlobalL1CacheSupported] = 1,
	[cudaDevAttrLocalL1CacheSupported] = 1,
	[cudaDevAttrManagedMemory] = 1,
	[cudaDevAttrSingleToDoublePrecisionPerfRatio] = 2,
	[cudaDevAttrConcurrentManagedAccess] = 1,
	[cudaDevAttrComputePreemptionSupported] = 1,
	[cudaDevAttrCanUseHostPointerForRegisteredMem] = 1,
	[cudaDevAttrCooperativeLaunch] = 1,
	[cudaDevAttrReserved96] = 1,
	[cudaDevAttrHostRegisterSupported] = 1,
	[102] = 1,
	[103] = 1,
	[107] = 1,
	[cudaDevAttrMaxPersistingL2CacheSize] = 39321600,
	[cudaDevAttrMaxAccessPolicyWindowSize] = 134217728,
	[110] = 1,
	[cudaDevAttrSparseCudaArraySupported] = 1,
	[cudaDevAttrHostRegisterReadOnlySupported] = 1,
	[cudaDevAttrTimelineSemaphoreInteropSupported] = 1,
	[cudaDevAttrMemoryPoolsSupported] = 1,
	[cudaDevAttrGPUDirectRDMASupported] = 1,
	[cudaDevAttrGPUDirectRDMAFlushWritesOptions] = 1,
	[cudaDevAttrGPUDirectRDMAWritesOrdering] = 100,
	[cudaDevAttrMemoryPoolSupportedHandleTypes] = 9,
	[cudaDevAttrClusterLaunch] = 1,
	[cudaDevAttrDeferredMappingCudaArraySupported] = 1,
	[cudaDevAttrReserved122] = 1,
	[cudaDevAttrReserved123] = 1,
	[cudaDevAttrReserved124] = 1,
	[cudaDevAttrIpcEventSupport] = 1,
	[cudaDevAttrMemSyncDomainCount] = 4,
	[cudaDevAttrReserved127] = 1,
	[cudaDevAttrReserved128] = 1,
	[cudaDevAttrReserved129] = 1,
	[cudaDevAttrNumaId] = -1,
	[cudaDevAttrGpuPciDeviceId] = 590680286,
	[cudaDevAttrGpuPciSubsystemId] = 415174878,
	[cudaDevAttrReserved141] = 1,
	[cudaDevAttrHostNumaMemoryPoolsSupported] = 1,
	[cudaDevAttrHostMemoryPoolsSupported] = 1,
	[cudaDevAttrReserved145] = 1,
};

/* ---- differences ------------------------------------------------------------- */

enum { LAST = DIFFERENCES_END };

static const struct difference h100_differences[] = {
	{cudaDevAttrMaxPersistingL2CacheSize, 32768000},
	{cudaDevAttrGpuPciDeviceId, 0x233010de},
	{LAST, 0},
};

/* Before compute capability 9.0 there were no clusters. */
#define NO_CLUSTERS {cudaDevAttrClusterLaunch, 0}, {cudaDevAttrMemSyncDomainCount, 1}
#define NO_PERSISTING_L2                                                                           \
	{cudaDevAttrMaxPersistingL2CacheSize, 0}, {cudaDevAttrMaxAccessPolicyWindowSize, 0}

static const struct difference a100_differences[] = {
	NO_CLUSTERS,
	{cudaDevAttrMaxPersistingL2CacheSize, 31457280},
	{cudaDevAttrGpuPciDeviceId, 0x20b210de},
	{LAST, 0},
};
static const struct difference l4_differences[] = {
	NO_CLUSTERS,
	{cudaDevAttrMaxPersistingL2CacheSize, 31457280},
	{cudaDevAttrSingleToDoublePrecisionPerfRatio, 64},
	{cudaDevAttrAsyncEngineCount, 2},
	{cudaDevAttrGpuPciDeviceId, 0x27b810de},
	{LAST, 0},
};
static const struct difference rtx4090_differences[] = {
	NO_CLUSTERS,
	{cudaDevAttrMaxPersistingL2CacheSize, 51904512},
	{cudaDevAttrSingleToDoublePrecisionPerfRatio, 64},
	{cudaDevAttrAsyncEngineCount, 2},
	{cudaDevAttrEccEnabled, 0},
	{cudaDevAttrGpuPciDeviceId, 0x268410de},
	{LAST, 0},
};
static const struct difference t4_differences[] = {
	NO_CLUSTERS,
	NO_PERSISTING_L2,
	{cudaDevAttrSingleToDoublePrecisionPerfRatio, 32},
	{cudaDevAttrGpuPciDeviceId, 0x1eb810de},
	{LAST, 0},
};
static const struct difference v100_differences[] = {
	NO_CLUSTERS,
	NO_PERSISTING_L2,
	{cudaDevAttrAsyncEngineCount, 5},
	{cudaDevAttrGpuPciDeviceId, 0x1db110de},
	{LAST, 0},
};

/* ---- the table --------------------------------------------------------------- */

/* The same for all since compute capability 7.0. */
#define COMMON                                                                                     \
	.max_threads_per_block = 1024, .max_block = {1024, 1024, 64},                              \
	.max_grid = {2147483647, 65535, 65535}, .shared_per_block = 49152,                         \
	.registers_per_sm = 65536, .max_registers_per_thread = 255, .register_unit = 256

/* What two devices share that have the same compute capability. */
#define CAPABILITY_9_0                                                                             \
	.major = 9, .minor = 0, .max_threads_per_sm = 2048, .max_blocks_per_sm = 32,               \
	.shared_per_block_optin = 232448, .shared_per_sm = 233472, .reserved_shared = 1024,        \
	.shared_unit = 128, .max_cluster = 8
#define CAPABILITY_8_9                                                                             \
	.major = 8, .minor = 9, .max_threads_per_sm = 1536, .max_blocks_per_sm = 24,               \
	.shared_per_block_optin = 101376, .shared_per_sm = 102400, .reserved_shared = 1024,        \
	.shared_unit = 128

static const struct profile profiles[] = {
	{
		COMMON,
		CAPABILITY_9_0,
		.key = "h200",
		.name = "NVIDIA H200",
		.n_sms = 132,
		.global_bytes = 150109880320,
		.reserved_bytes = 552402944,
		.clock_khz = 1980000,
		.memory_clock_khz = 3201000,
		.memory_bus_bits = 6016,
		.l2_bytes = 62914560,
		.differences = NULL,
	},
	{
		COMMON,
		CAPABILITY_9_0,
		.key = "h100",
		.name = "NVIDIA H100 80GB HBM3",
		.n_sms = 132,
		.global_bytes = 85028765696,
		.reserved_bytes = 552402944,
		.clock_khz = 1980000,
		.memory_clock_khz = 2619000,
		.memory_bus_bits = 5120,
		.l2_bytes = 52428800,
		.differences = h100_differences,
	},
	{
		COMMON,
		.key = "a100",
		.name = "NVIDIA A100-SXM4-80GB",
		.major = 8,
		.minor = 0,
		.n_sms = 108,
		.max_threads_per_sm = 2048,
		.max_blocks_per_sm = 32,
		.shared_per_block_optin = 166912,
		.shared_per_sm = 167936,
		.reserved_shared = 1024,
		.shared_unit = 128,
		.global_bytes = 85031714816,
		.reserved_bytes = 440401920,
		.clock_khz = 1410000,
		.memory_clock_khz = 1593000,
		.memory_bus_bits = 5120,
		.l2_bytes = 41943040,
		.differences = a100_differences,
	},
	{
		COMMON,
		CAPABILITY_8_9,
		.key = "l4",
		.name = "NVIDIA L4",
		.n_sms = 58,
		.global_bytes = 23580639232,
		.reserved_bytes = 230686720,
		.clock_khz = 2040000,
		.memory_clock_khz = 6251000,
		.memory_bus_bits = 192,
		.l2_bytes = 50331648,
		.differences = l4_differences,
	},
	{
		COMMON,
		CAPABILITY_8_9,
		.key = "rtx4090",
		.name = "NVIDIA GeForce RTX 4090",
		.n_sms = 128,
		.global_bytes = 25393692672,
		.reserved_bytes = 440401920,
		.clock_khz = 2520000,
		.memory_clock_khz = 10501000,
		.memory_bus_bits = 384,
		.l2_bytes = 75497472,
		.differences = rtx4090_differences,
	},
	{
		COMMON,
		.key = "t4",
		.name = "Tesla T4",
		.major = 7,
		.minor = 5,
		.n_sms = 40,
		.max_threads_per_sm = 1024,
		.max_blocks_per_sm = 16,
		.shared_per_block_optin = 65536,
		.shared_per_sm = 65536,
		.reserved_shared = 0,
		.shared_unit = 256,
		.global_bytes = 15843721216,
		.reserved_bytes = 109051904,
		.clock_khz = 1590000,
		.memory_clock_khz = 5001000,
		.memory_bus_bits = 256,
		.l2_bytes = 4194304,
		.differences = t4_differences,
	},
	{
		COMMON,
		.key = "v100",
		.name = "Tesla V100-SXM2-16GB",
		.major = 7,
		.minor = 0,
		.n_sms = 80,
		.max_threads_per_sm = 2048,
		.max_blocks_per_sm = 32,
		.shared_per_block_optin = 98304,
		.shared_per_sm = 98304,
		.reserved_shared = 0,
		.shared_unit = 256,
		.global_bytes = 16945512448,
		.reserved_bytes = 314572800,
		.clock_khz = 1530000,
		.memory_clock_khz = 877000,
		.memory_bus_bits = 4096,
		.l2_bytes = 6291456,
		.differences = v100_differences,
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
	if (!strcmp(key, "this"))
		return profile_of_this(ret);
	if (strchr(key, '/') || strchr(key, '.'))
		return profile_read(key, ret);
	return cudasim_error_new(
		CUDASIM_E_ARGUMENT,
		"CUDASIM_DEVICE=%s: must be one of h200, h100, a100, l4, rtx4090, t4, v100, this, or "
		"the path of a profile (see cudasim profile)",
		key);
}

/* ---- attributes --------------------------------------------------------------- */

static int64_t from_row(const struct profile *p, int attribute)
{
	switch (attribute) {
	case cudaDevAttrMaxThreadsPerBlock:
		return p->max_threads_per_block;
	case cudaDevAttrMaxBlockDimX:
		return p->max_block[0];
	case cudaDevAttrMaxBlockDimY:
		return p->max_block[1];
	case cudaDevAttrMaxBlockDimZ:
		return p->max_block[2];
	case cudaDevAttrMaxGridDimX:
		return p->max_grid[0];
	case cudaDevAttrMaxGridDimY:
		return p->max_grid[1];
	case cudaDevAttrMaxGridDimZ:
		return p->max_grid[2];
	case cudaDevAttrMaxSharedMemoryPerBlock:
		return p->shared_per_block;
	case cudaDevAttrMaxRegistersPerBlock:
		return p->registers_per_sm;
	case cudaDevAttrClockRate:
		return p->clock_khz;
	case cudaDevAttrMultiProcessorCount:
		return p->n_sms;
	case cudaDevAttrMemoryClockRate:
		return p->memory_clock_khz;
	case cudaDevAttrGlobalMemoryBusWidth:
		return p->memory_bus_bits;
	case cudaDevAttrL2CacheSize:
		return p->l2_bytes;
	case cudaDevAttrMaxThreadsPerMultiProcessor:
		return p->max_threads_per_sm;
	case cudaDevAttrComputeCapabilityMajor:
		return p->major;
	case cudaDevAttrComputeCapabilityMinor:
		return p->minor;
	case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
		return p->shared_per_sm;
	case cudaDevAttrMaxRegistersPerMultiprocessor:
		return p->registers_per_sm;
	case cudaDevAttrMaxSharedMemoryPerBlockOptin:
		return p->shared_per_block_optin;
	case cudaDevAttrMaxBlocksPerMultiprocessor:
		return p->max_blocks_per_sm;
	case cudaDevAttrReservedSharedMemoryPerBlock:
		return p->reserved_shared;
	default:
		return LAST;
	}
}

bool profile_attribute(const struct profile *profile, int attribute, int *ret)
{
	if (attribute <= 0 || attribute >= (int)(sizeof h200_values / sizeof *h200_values))
		return false;
	int64_t value = from_row(profile, attribute);
	*ret = value == LAST ? h200_values[attribute] : (int)value;
	for (const struct difference *d = profile->differences; d && d->attribute != LAST; d++)
		if (d->attribute == attribute)
			*ret = d->value;
	return true;
}
