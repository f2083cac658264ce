/* SPDX-License-Identifier: Apache-2.0 */
/* profile_properties.c - a profile as struct cudaDeviceProp, and its limits. */
#include "profile.h"

#include <stdio.h>
#include <string.h>

/* ---- properties --------------------------------------------------------------- */

/* A field of struct cudaDeviceProp that is an attribute under another name. */
struct field {
	size_t offset, size;
	int attribute;
};
#define FIELD(name, attribute)                                                                     \
	{offsetof(struct cudaDeviceProp, name), sizeof(((struct cudaDeviceProp *)0)->name),        \
	 cudaDevAttr##attribute}

static const struct field fields[] = {
	FIELD(sharedMemPerBlock, MaxSharedMemoryPerBlock),
	FIELD(regsPerBlock, MaxRegistersPerBlock),
	FIELD(warpSize, WarpSize),
	FIELD(memPitch, MaxPitch),
	FIELD(maxThreadsPerBlock, MaxThreadsPerBlock),
	FIELD(maxThreadsDim[0], MaxBlockDimX),
	FIELD(maxThreadsDim[1], MaxBlockDimY),
	FIELD(maxThreadsDim[2], MaxBlockDimZ),
	FIELD(maxGridSize[0], MaxGridDimX),
	FIELD(maxGridSize[1], MaxGridDimY),
	FIELD(maxGridSize[2], MaxGridDimZ),
	FIELD(totalConstMem, TotalConstantMemory),
	FIELD(major, ComputeCapabilityMajor),
	FIELD(minor, ComputeCapabilityMinor),
	FIELD(textureAlignment, TextureAlignment),
	FIELD(texturePitchAlignment, TexturePitchAlignment),
	FIELD(multiProcessorCount, MultiProcessorCount),
	FIELD(integrated, Integrated),
	FIELD(canMapHostMemory, CanMapHostMemory),
	FIELD(maxTexture1D, MaxTexture1DWidth),
	FIELD(maxTexture1DMipmap, MaxTexture1DMipmappedWidth),
	FIELD(maxTexture2D[0], MaxTexture2DWidth),
	FIELD(maxTexture2D[1], MaxTexture2DHeight),
	FIELD(maxTexture2DMipmap[0], MaxTexture2DMipmappedWidth),
	FIELD(maxTexture2DMipmap[1], MaxTexture2DMipmappedHeight),
	FIELD(maxTexture2DLinear[0], MaxTexture2DLinearWidth),
	FIELD(maxTexture2DLinear[1], MaxTexture2DLinearHeight),
	FIELD(maxTexture2DLinear[2], MaxTexture2DLinearPitch),
	FIELD(maxTexture2DGather[0], MaxTexture2DGatherWidth),
	FIELD(maxTexture2DGather[1], MaxTexture2DGatherHeight),
	FIELD(maxTexture3D[0], MaxTexture3DWidth),
	FIELD(maxTexture3D[1], MaxTexture3DHeight),
	FIELD(maxTexture3D[2], MaxTexture3DDepth),
	FIELD(maxTexture3DAlt[0], MaxTexture3DWidthAlt),
	FIELD(maxTexture3DAlt[1], MaxTexture3DHeightAlt),
	FIELD(maxTexture3DAlt[2], MaxTexture3DDepthAlt),
	FIELD(maxTextureCubemap, MaxTextureCubemapWidth),
	FIELD(maxTexture1DLayered[0], MaxTexture1DLayeredWidth),
	FIELD(maxTexture1DLayered[1], MaxTexture1DLayeredLayers),
	FIELD(maxTexture2DLayered[0], MaxTexture2DLayeredWidth),
	FIELD(maxTexture2DLayered[1], MaxTexture2DLayeredHeight),
	FIELD(maxTexture2DLayered[2], MaxTexture2DLayeredLayers),
	FIELD(maxTextureCubemapLayered[0], MaxTextureCubemapLayeredWidth),
	FIELD(maxTextureCubemapLayered[1], MaxTextureCubemapLayeredLayers),
	FIELD(maxSurface1D, MaxSurface1DWidth),
	FIELD(maxSurface2D[0], MaxSurface2DWidth),
	FIELD(maxSurface2D[1], MaxSurface2DHeight),
	FIELD(maxSurface3D[0], MaxSurface3DWidth),
	FIELD(maxSurface3D[1], MaxSurface3DHeight),
	FIELD(maxSurface3D[2], MaxSurface3DDepth),
	FIELD(maxSurface1DLayered[0], MaxSurface1DLayeredWidth),
	FIELD(maxSurface1DLayered[1], MaxSurface1DLayeredLayers),
	FIELD(maxSurface2DLayered[0], MaxSurface2DLayeredWidth),
	FIELD(maxSurface2DLayered[1], MaxSurface2DLayeredHeight),
	FIELD(maxSurface2DLayered[2], MaxSurface2DLayeredLayers),
	FIELD(maxSurfaceCubemap, MaxSurfaceCubemapWidth),
	FIELD(maxSurfaceCubemapLayered[0], MaxSurfaceCubemapLayeredWidth),
	FIELD(maxSurfaceCubemapLayered[1], MaxSurfaceCubemapLayeredLayers),
	FIELD(surfaceAlignment, SurfaceAlignment),
	FIELD(concurrentKernels, ConcurrentKernels),
	FIELD(ECCEnabled, EccEnabled),
	FIELD(tccDriver, TccDriver),
	FIELD(asyncEngineCount, AsyncEngineCount),
	FIELD(unifiedAddressing, UnifiedAddressing),
	FIELD(memoryBusWidth, GlobalMemoryBusWidth),
	FIELD(l2CacheSize, L2CacheSize),
	FIELD(persistingL2CacheMaxSize, MaxPersistingL2CacheSize),
	FIELD(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor),
	FIELD(streamPrioritiesSupported, StreamPrioritiesSupported),
	FIELD(globalL1CacheSupported, GlobalL1CacheSupported),
	FIELD(localL1CacheSupported, LocalL1CacheSupported),
	FIELD(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor),
	FIELD(regsPerMultiprocessor, MaxRegistersPerMultiprocessor),
	FIELD(managedMemory, ManagedMemory),
	FIELD(isMultiGpuBoard, IsMultiGpuBoard),
	FIELD(multiGpuBoardGroupID, MultiGpuBoardGroupID),
	FIELD(hostNativeAtomicSupported, HostNativeAtomicSupported),
	FIELD(pageableMemoryAccess, PageableMemoryAccess),
	FIELD(concurrentManagedAccess, ConcurrentManagedAccess),
	FIELD(computePreemptionSupported, ComputePreemptionSupported),
	FIELD(canUseHostPointerForRegisteredMem, CanUseHostPointerForRegisteredMem),
	FIELD(cooperativeLaunch, CooperativeLaunch),
	FIELD(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin),
	FIELD(pageableMemoryAccessUsesHostPageTables, PageableMemoryAccessUsesHostPageTables),
	FIELD(directManagedMemAccessFromHost, DirectManagedMemAccessFromHost),
	FIELD(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor),
	FIELD(accessPolicyMaxWindowSize, MaxAccessPolicyWindowSize),
	FIELD(reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock),
	FIELD(hostRegisterSupported, HostRegisterSupported),
	FIELD(sparseCudaArraySupported, SparseCudaArraySupported),
	FIELD(hostRegisterReadOnlySupported, HostRegisterReadOnlySupported),
	FIELD(timelineSemaphoreInteropSupported, TimelineSemaphoreInteropSupported),
	FIELD(memoryPoolsSupported, MemoryPoolsSupported),
	FIELD(gpuDirectRDMASupported, GPUDirectRDMASupported),
	FIELD(gpuDirectRDMAFlushWritesOptions, GPUDirectRDMAFlushWritesOptions),
	FIELD(gpuDirectRDMAWritesOrdering, GPUDirectRDMAWritesOrdering),
	FIELD(memoryPoolSupportedHandleTypes, MemoryPoolSupportedHandleTypes),
	FIELD(deferredMappingCudaArraySupported, DeferredMappingCudaArraySupported),
	FIELD(ipcEventSupported, IpcEventSupport),
	FIELD(clusterLaunch, ClusterLaunch),
	FIELD(deviceNumaConfig, NumaConfig),
	FIELD(deviceNumaId, NumaId),
	FIELD(mpsEnabled, MpsEnabled),
	FIELD(hostNumaId, HostNumaId),
	FIELD(gpuPciDeviceID, GpuPciDeviceId),
	FIELD(gpuPciSubsystemID, GpuPciSubsystemId),
	FIELD(hostNumaMultinodeIpcSupported, HostNumaMultinodeIpcSupported),
};

void profile_properties(const struct device *device, struct cudaDeviceProp *ret)
{
	memset(ret, 0, sizeof *ret);
	snprintf(ret->name, sizeof ret->name, "%s", device->profile->name);
	/* "cudasim" and the number of the device, so that each has its own. */
	memcpy(ret->uuid.bytes, "cudasim", 8);
	ret->uuid.bytes[15] = (char)device->physical;
	ret->totalGlobalMem = device->memory_bytes;
	ret->unifiedFunctionPointers = 1;
	ret->pciBusID = (int)device->physical + 1;
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		int value;
		if (!profile_attribute(device->profile, fields[i].attribute, &value))
			continue;
		char *to = (char *)ret + fields[i].offset;
		if (fields[i].size == sizeof(size_t)) {
			size_t wide = (size_t)value;
			memcpy(to, &wide, sizeof wide);
		} else {
			memcpy(to, &value, sizeof value);
		}
	}
}

/* ---- limits ------------------------------------------------------------------- */

static size_t round_up(size_t n, size_t unit)
{
	return (n + unit - 1) / unit * unit;
}

cudaError_t profile_limit(const struct profile *profile, enum cudaLimit limit, size_t *value)
{
	/* As an H200 does; the smallest sizes are its own. */
	const size_t most_stack = 512 << 10, least_fifo = 512 << 10, most_fifo = (size_t)2 << 30;
	const size_t least_heap = 4 << 20, least_pending = 32, most_pending = 599186;
	int l2 = 0;
	switch (limit) {
	case cudaLimitStackSize:
		if (*value > most_stack)
			return cudaErrorInvalidValue;
		if (*value % 16 != 15)
			*value = round_up(*value, 16);
		return cudaSuccess;
	case cudaLimitPrintfFifoSize:
		if (*value < least_fifo)
			*value = least_fifo;
		if (*value > most_fifo)
			*value = *value == SIZE_MAX ? 0 : most_fifo;
		return cudaSuccess;
	case cudaLimitMallocHeapSize:
		*value = round_up(*value ? *value : 1, least_heap); /* SIZE_MAX becomes 0 */
		return *value > profile->global_bytes ? cudaErrorMemoryAllocation : cudaSuccess;
	case cudaLimitDevRuntimePendingLaunchCount:
		if (*value < least_pending)
			*value = least_pending;
		if (*value > most_pending)
			*value = most_pending;
		return cudaSuccess;
	case cudaLimitMaxL2FetchGranularity:
		return *value > 128 ? cudaErrorInvalidValue : cudaSuccess;
	case cudaLimitPersistingL2CacheSize:
		profile_attribute(profile, cudaDevAttrMaxPersistingL2CacheSize, &l2);
		if (!l2)
			return cudaErrorUnsupportedLimit;
		if (*value > (size_t)l2)
			return cudaErrorInvalidValue;
		*value = round_up(*value, (size_t)l2 / 10);
		return cudaSuccess;
	default:
		return cudaSuccess;
	}
}
