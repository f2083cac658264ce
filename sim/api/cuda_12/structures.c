/* SPDX-License-Identifier: Apache-2.0 */
/* structures.c - functions that read or write a structure whose layout CUDA 13 has changed, with CUDA 12's. Offsets and sizes
 * in the assertions are those of clang's record layouts of the headers of 12.4 and 12.9. */
#include "cuda_12.h"

#include <stddef.h>
#include <string.h>

#include "toolkit_version.h"

/* ---- cudaDeviceProp ------------------------------------------------------------------------------- */

/* Up to clockRate as CUDA 13's. */
struct properties_12 {
	char head[offsetof(struct cudaDeviceProp, maxGridSize) + sizeof(int[3])];
	int clockRate;
	size_t totalConstMem;
	int major, minor;
	size_t textureAlignment, texturePitchAlignment;
	int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated;
	int canMapHostMemory, computeMode, maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear;
	int maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2];
	int maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2];
	int maxTexture2DLayered[3], maxTextureCubemapLayered[2];
	int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2];
	int maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
	size_t surfaceAlignment;
	int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver;
	int asyncEngineCount, unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize;
	int persistingL2CacheMaxSize, maxThreadsPerMultiProcessor, streamPrioritiesSupported;
	int globalL1CacheSupported, localL1CacheSupported;
	size_t sharedMemPerMultiprocessor;
	int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID;
	int hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio, pageableMemoryAccess;
	int concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem;
	int cooperativeLaunch, cooperativeMultiDeviceLaunch;
	size_t sharedMemPerBlockOptin;
	int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost;
	int maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
	size_t reservedSharedMemPerBlock;
	int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
	int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
	unsigned gpuDirectRDMAFlushWritesOptions;
	int gpuDirectRDMAWritesOrdering;
	unsigned memoryPoolSupportedHandleTypes;
	int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch;
	int unifiedFunctionPointers, reserved[63];
};
#define AT(member, offset)                                                                         \
	_Static_assert(offsetof(struct properties_12, member) == (offset), #member)
AT(clockRate, 348);
AT(totalConstMem, 352);
AT(deviceOverlap, 384);
AT(computeMode, 404);
AT(maxTexture1DLinear, 416);
AT(maxTextureCubemap, 480);
AT(surfaceAlignment, 568);
AT(memoryClockRate, 608);
AT(sharedMemPerMultiprocessor, 640);
AT(cooperativeMultiDeviceLaunch, 692);
AT(sharedMemPerBlockOptin, 696);
AT(reservedSharedMemPerBlock, 720);
AT(unifiedFunctionPointers, 776);
_Static_assert(sizeof(struct properties_12) == 1032, "as in 12.4");

NOW(cudaGetDeviceProperties, struct cudaDeviceProp *, int);
NOW(cudaDeviceGetAttribute, int *, enum cudaDeviceAttr, int);

/* 0 where the device does not say. */
static int attribute(enum cudaDeviceAttr which, int device)
{
	int ret = 0;
	return now_cudaDeviceGetAttribute(&ret, which, device) ? 0 : ret;
}

#define SAME(member)                                                                               \
	_Static_assert(sizeof ret->member == sizeof p->member, #member);                           \
	memcpy(&ret->member, &p->member, sizeof ret->member)

static void fill_limits(struct properties_12 *ret, const struct cudaDeviceProp *p)
{
	SAME(totalConstMem);
	SAME(major);
	SAME(minor);
	SAME(textureAlignment);
	SAME(texturePitchAlignment);
	SAME(multiProcessorCount);
	SAME(integrated);
	SAME(canMapHostMemory);
	SAME(maxTexture1D);
	SAME(maxTexture1DMipmap);
	SAME(maxTexture2D);
	SAME(maxTexture2DMipmap);
	SAME(maxTexture2DLinear);
	SAME(maxTexture2DGather);
	SAME(maxTexture3D);
	SAME(maxTexture3DAlt);
	SAME(maxTextureCubemap);
	SAME(maxTexture1DLayered);
	SAME(maxTexture2DLayered);
	SAME(maxTextureCubemapLayered);
	SAME(maxSurface1D);
	SAME(maxSurface2D);
	SAME(maxSurface3D);
	SAME(maxSurface1DLayered);
	SAME(maxSurface2DLayered);
	SAME(maxSurfaceCubemap);
	SAME(maxSurfaceCubemapLayered);
	SAME(surfaceAlignment);
}

static void fill_abilities(struct properties_12 *ret, const struct cudaDeviceProp *p)
{
	SAME(concurrentKernels);
	SAME(ECCEnabled);
	SAME(pciBusID);
	SAME(pciDeviceID);
	SAME(pciDomainID);
	SAME(tccDriver);
	SAME(asyncEngineCount);
	SAME(unifiedAddressing);
	SAME(memoryBusWidth);
	SAME(l2CacheSize);
	SAME(persistingL2CacheMaxSize);
	SAME(maxThreadsPerMultiProcessor);
	SAME(streamPrioritiesSupported);
	SAME(globalL1CacheSupported);
	SAME(localL1CacheSupported);
	SAME(sharedMemPerMultiprocessor);
	SAME(regsPerMultiprocessor);
	SAME(managedMemory);
	SAME(isMultiGpuBoard);
	SAME(multiGpuBoardGroupID);
	SAME(hostNativeAtomicSupported);
	SAME(pageableMemoryAccess);
	SAME(concurrentManagedAccess);
	SAME(computePreemptionSupported);
	SAME(canUseHostPointerForRegisteredMem);
	SAME(cooperativeLaunch);
	SAME(sharedMemPerBlockOptin);
	SAME(pageableMemoryAccessUsesHostPageTables);
	SAME(directManagedMemAccessFromHost);
	SAME(maxBlocksPerMultiProcessor);
	SAME(accessPolicyMaxWindowSize);
	SAME(reservedSharedMemPerBlock);
	SAME(hostRegisterSupported);
	SAME(sparseCudaArraySupported);
	SAME(hostRegisterReadOnlySupported);
	SAME(timelineSemaphoreInteropSupported);
	SAME(memoryPoolsSupported);
	SAME(gpuDirectRDMASupported);
	SAME(gpuDirectRDMAFlushWritesOptions);
	SAME(gpuDirectRDMAWritesOrdering);
	SAME(memoryPoolSupportedHandleTypes);
	SAME(deferredMappingCudaArraySupported);
	SAME(ipcEventSupported);
	SAME(clusterLaunch);
	SAME(unifiedFunctionPointers);
}

static void fill(struct properties_12 *ret, const struct cudaDeviceProp *p, int device)
{
	memset(ret, 0, sizeof *ret);
	memcpy(ret->head, p, sizeof ret->head);
	fill_limits(ret, p);
	fill_abilities(ret, p);
	/* CUDA 13's advice is to ask for these as attributes. */
	ret->clockRate = attribute(cudaDevAttrClockRate, device);
	ret->deviceOverlap = attribute(cudaDevAttrGpuOverlap, device);
	ret->kernelExecTimeoutEnabled = attribute(cudaDevAttrKernelExecTimeout, device);
	ret->computeMode = attribute(cudaDevAttrComputeMode, device);
	ret->maxTexture1DLinear = attribute(cudaDevAttrMaxTexture1DLinearWidth, device);
	ret->memoryClockRate = attribute(cudaDevAttrMemoryClockRate, device);
	ret->singleToDoublePrecisionPerfRatio =
		attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio, device);
	/* cudaLaunchCooperativeKernelMultiDevice() is not supported. */
	ret->cooperativeMultiDeviceLaunch = 0;
}

ONLY_12(cudaGetDeviceProperties_v2, struct properties_12 *ret, int device)
{
	struct cudaDeviceProp now;
	cudaError_t error = now_cudaGetDeviceProperties(ret ? &now : NULL, device);
	if (!error)
		fill(ret, &now, device);
	return error;
}

/* ---- the version, which is a program's own ------------------------------------------------------------- */

/* What NVIDIA's runtime linked is told the last of CUDA 12. */
enum { LAST_12 = 12090 };

NOW(cudaRuntimeGetVersion, int *);
FORM_12(cudaRuntimeGetVersion, int *ret)
{
	cudaError_t error = now_cudaRuntimeGetVersion(ret);
	if (!error)
		*ret = toolkit_version(12, LAST_12);
	return error;
}

/* ---- structures that CUDA 13 has made longer --------------------------------------------------------- */

enum { POINTER_12 = 24, RESOURCE_12 = 64, VIEW_12 = 48 };
_Static_assert(offsetof(struct cudaPointerAttributes, hostPointer) + sizeof(void *) == POINTER_12,
	       "as in 12.4");
_Static_assert(sizeof(struct cudaResourceDesc) == 144, "or there is more than flags behind");
_Static_assert(offsetof(struct cudaResourceViewDesc, lastLayer) + sizeof(int) == VIEW_12,
	       "as in 12.4");

NOW(cudaPointerGetAttributes, struct cudaPointerAttributes *, const void *);
NOW(cudaCreateTextureObject, cudaTextureObject_t *, const struct cudaResourceDesc *,
    const struct cudaTextureDesc *, const struct cudaResourceViewDesc *);
NOW(cudaCreateSurfaceObject, cudaSurfaceObject_t *, const struct cudaResourceDesc *);
NOW(cudaGetTextureObjectResourceDesc, struct cudaResourceDesc *, cudaTextureObject_t);
NOW(cudaGetTextureObjectResourceViewDesc, struct cudaResourceViewDesc *, cudaTextureObject_t);
NOW(cudaGetSurfaceObjectResourceDesc, struct cudaResourceDesc *, cudaSurfaceObject_t);

FORM_12(cudaPointerGetAttributes, void *ret, const void *p)
{
	struct cudaPointerAttributes now;
	cudaError_t error = now_cudaPointerGetAttributes(ret ? &now : NULL, p);
	if (!error)
		memcpy(ret, &now, POINTER_12);
	return error;
}

FORM_12(cudaCreateTextureObject, cudaTextureObject_t *ret, const void *resource,
	const struct cudaTextureDesc *texture, const void *view)
{
	struct cudaResourceDesc r = {0};
	struct cudaResourceViewDesc v = {0};
	if (resource)
		memcpy(&r, resource, RESOURCE_12);
	if (view)
		memcpy(&v, view, VIEW_12);
	return now_cudaCreateTextureObject(ret, resource ? &r : NULL, texture, view ? &v : NULL);
}

FORM_12(cudaCreateSurfaceObject, cudaSurfaceObject_t *ret, const void *resource)
{
	struct cudaResourceDesc r = {0};
	if (resource)
		memcpy(&r, resource, RESOURCE_12);
	return now_cudaCreateSurfaceObject(ret, resource ? &r : NULL);
}

#define TELL(name, structure, size)                                                                \
	FORM_12(name, void *ret, unsigned long long object)                                        \
	{                                                                                          \
		struct structure now;                                                              \
		cudaError_t error = now_##name(ret ? &now : NULL, object);                         \
		if (!error)                                                                        \
			memcpy(ret, &now, size);                                                   \
		return error;                                                                      \
	}
TELL(cudaGetTextureObjectResourceDesc, cudaResourceDesc, RESOURCE_12)
TELL(cudaGetTextureObjectResourceViewDesc, cudaResourceViewDesc, VIEW_12)
TELL(cudaGetSurfaceObjectResourceDesc, cudaResourceDesc, RESOURCE_12)
