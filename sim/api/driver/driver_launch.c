/* SPDX-License-Identifier: Apache-2.0 */
/* driver_launch.c - the driver's functions and contexts beyond what driver.c has. A CUfunction is
 * what cudaGetFuncBySymbol() or cuModuleGetFunction() gives. */
#include "driver_api.h"

#include "context.h"

#include "graph_api.h"
#include "registry.h"

/* ---- launches ------------------------------------------------------------------------ */

cudaError_t launch_extra(const void *f, void **extra, void **args)
{
	char *buffer = NULL;
	size_t size = 0;
	for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
		if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
			buffer = extra[1];
		else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
			size = *(size_t *)extra[1];
		else
			return cudaErrorInvalidValue;
	}
	struct function *function;
	cudaError_t error = registry_function(f, &function);
	if (error)
		return error;
	const struct cudasim_kernel *kernel = function->kernel;
	if (kernel->n_params > MOST_PARAMETER_BYTES || (kernel->n_params && !buffer))
		return cudaErrorInvalidValue;
	uint64_t needed = 0;
	for (uint32_t i = 0; i < kernel->n_params; i++)
		needed = kernel->params[i].offset + kernel->params[i].size;
	/* An H200 counts words, and has this word for it. */
	if ((size + 3) / 4 != (needed + 3) / 4)
		return cudaErrorLaunchOutOfResources;
	for (uint32_t i = 0; i < kernel->n_params; i++)
		args[i] = buffer + kernel->params[i].offset;
	return cudaSuccess;
}

static cudaError_t launch(const char *call, CUfunction f, const cudaLaunchConfig_t *config,
			  void **args, void **extra)
{
	void *pointers[MOST_PARAMETER_BYTES];
	struct api_call api_call_;
	api_begin(&api_call_, call, __builtin_return_address(0));
	cudaError_t error = f ? api_context() : cudaErrorInvalidResourceHandle;
	if (!error && extra)
		error = args ? cudaErrorInvalidValue : launch_extra(f, extra, pointers);
	if (!error)
		error = cudaLaunchKernelExC(config, f, extra ? pointers : args);
	return API_END(error);
}

static CUresult call_cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz,
				    unsigned bx, unsigned by, unsigned bz, unsigned shared,
				    CUstream s, void **args, void **extra)
{
	cudaLaunchConfig_t config = {.gridDim = {gx, gy, gz},
				     .blockDim = {bx, by, bz},
				     .dynamicSmemBytes = shared,
				     .stream = s};
	return (CUresult)launch("cuLaunchKernel", f, &config, args, extra);
}
SAME(cuLaunchKernel,
     (CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
      unsigned shared, CUstream s, void **args, void **extra),
     call_cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, s, args, extra))

/* The attributes are the runtime's. */
static cudaLaunchConfig_t config_of(const CUlaunchConfig *c)
{
	return (cudaLaunchConfig_t){
		.gridDim = {c->gridDimX, c->gridDimY, c->gridDimZ},
		.blockDim = {c->blockDimX, c->blockDimY, c->blockDimZ},
		.dynamicSmemBytes = c->sharedMemBytes,
		.stream = c->hStream,
		.attrs = (cudaLaunchAttribute *)c->attrs,
		.numAttrs = c->numAttrs,
	};
}

static CUresult call_cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **args,
				      void **extra)
{
	if (!c)
		return CUDA_ERROR_INVALID_VALUE;
	cudaLaunchConfig_t config = config_of(c);
	return (CUresult)launch("cuLaunchKernelEx", f, &config, args, extra);
}
SAME(cuLaunchKernelEx, (const CUlaunchConfig *c, CUfunction f, void **args, void **extra),
     call_cuLaunchKernelEx(c, f, args, extra))

static CUresult call_cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz,
					       unsigned bx, unsigned by, unsigned bz,
					       unsigned shared, CUstream s, void **args)
{
	return (CUresult)cudaLaunchCooperativeKernel((const void *)f, (dim3){gx, gy, gz},
						     (dim3){bx, by, bz}, args, shared, s);
}
SAME(cuLaunchCooperativeKernel,
     (CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
      unsigned shared, CUstream s, void **args),
     call_cuLaunchCooperativeKernel(f, gx, gy, gz, bx, by, bz, shared, s, args))

/* One of several that run at once, each on a device of its own. */
static bool is_alone(const CUDA_LAUNCH_PARAMS *list, unsigned i)
{
	int device = -1, other = -1;
	if (cudaStreamGetDevice(list[i].hStream, &device))
		return false;
	for (unsigned j = 0; j < i; j++)
		if (cudaStreamGetDevice(list[j].hStream, &other) || other == device)
			return false;
	return true;
}

static cudaError_t launch_many(const CUDA_LAUNCH_PARAMS *list, unsigned n, unsigned flags)
{
	const unsigned known = CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC |
			       CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC;
	cudaError_t error = api_context();
	if (error || !list || !n || flags & ~known || n > (unsigned)device_count())
		return error ? error : cudaErrorInvalidValue;
	for (unsigned i = 0; i < n; i++)
		if (!list[i].hStream || !is_alone(list, i))
			return list[i].hStream ? cudaErrorInvalidValue
					       : cudaErrorInvalidResourceHandle;
	for (unsigned i = 0; i < n && !error; i++) {
		const CUDA_LAUNCH_PARAMS *p = &list[i];
		error = cudaLaunchCooperativeKernel(
			(const void *)p->function, (dim3){p->gridDimX, p->gridDimY, p->gridDimZ},
			(dim3){p->blockDimX, p->blockDimY, p->blockDimZ}, p->kernelParams,
			p->sharedMemBytes, p->hStream);
	}
	return error;
}
SAME(cuLaunchCooperativeKernelMultiDevice, (CUDA_LAUNCH_PARAMS * list, unsigned n, unsigned flags),
     launch_many(list, n, flags))

/* ---- functions ------------------------------------------------------------------------- */

static CUresult call_cuFuncGetAttribute(int *ret, CUfunction_attribute which, CUfunction f)
{
	struct cudaFuncAttributes a;
	if (!f)
		return CUDA_ERROR_INVALID_HANDLE;
	cudaError_t error = ret ? cudaFuncGetAttributes(&a, (const void *)f)
				: cudaErrorInvalidValue;
	if (error)
		return (CUresult)error;
	const int values[] = {
		[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = a.maxThreadsPerBlock,
		[CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = (int)a.sharedSizeBytes,
		[CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES] = (int)a.constSizeBytes,
		[CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES] = (int)a.localSizeBytes,
		[CU_FUNC_ATTRIBUTE_NUM_REGS] = a.numRegs,
		[CU_FUNC_ATTRIBUTE_PTX_VERSION] = a.ptxVersion,
		[CU_FUNC_ATTRIBUTE_BINARY_VERSION] = a.binaryVersion,
		[CU_FUNC_ATTRIBUTE_CACHE_MODE_CA] = a.cacheModeCA,
		[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = a.maxDynamicSharedSizeBytes,
		[CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = a.preferredShmemCarveout,
		[CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET] = a.clusterDimMustBeSet,
		[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH] = a.requiredClusterWidth,
		[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT] = a.requiredClusterHeight,
		[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH] = a.requiredClusterDepth,
		[CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED] =
			a.nonPortableClusterSizeAllowed,
		[CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE] =
			a.clusterSchedulingPolicyPreference,
	};
	if ((unsigned)which >= sizeof values / sizeof *values)
		return CUDA_ERROR_INVALID_VALUE;
	*ret = values[which];
	return CUDA_SUCCESS;
}
SAME(cuFuncGetAttribute, (int *ret, CUfunction_attribute which, CUfunction f),
     call_cuFuncGetAttribute(ret, which, f))

/* The attributes have the runtime's numbers. */
SAME(cuFuncSetAttribute, (CUfunction f, CUfunction_attribute which, int value),
     cudaFuncSetAttribute((const void *)f, (enum cudaFuncAttribute)which, value))
SAME(cuFuncSetCacheConfig, (CUfunction f, CUfunc_cache config),
     cudaFuncSetCacheConfig((const void *)f, (enum cudaFuncCache)config))
SAME(cuFuncGetName, (const char **name, CUfunction f), cudaFuncGetName(name, (const void *)f))
SAME(cuFuncGetParamInfo, (CUfunction f, size_t i, size_t *offset, size_t *size),
     cudaFuncGetParamInfo((const void *)f, i, offset, size))
SAME(cuOccupancyMaxActiveBlocksPerMultiprocessor,
     (int *n, CUfunction f, int threads, size_t shared),
     cudaOccupancyMaxActiveBlocksPerMultiprocessor(n, (const void *)f, threads, shared))
SAME(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
     (int *n, CUfunction f, int threads, size_t shared, unsigned flags),
     cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(n, (const void *)f, threads, shared,
							    flags))

SAME(cuOccupancyAvailableDynamicSMemPerBlock, (size_t *ret, CUfunction f, int blocks, int threads),
     cudaOccupancyAvailableDynamicSMemPerBlock(ret, (const void *)f, blocks, threads))

/* Of all sizes of blocks that are whole warps, the largest that keeps most threads resident. */
static cudaError_t best_block(int *grid, int *block, CUfunction f, CUoccupancyB2DSize shared_of,
			      size_t shared, int limit)
{
	struct cudaFuncAttributes a;
	int n_sms = 0, best = 0, fit = 0;
	cudaError_t error = grid && block && f ? cudaFuncGetAttributes(&a, f)
					       : cudaErrorInvalidValue;
	if (!error)
		error = cudaDeviceGetAttribute(&n_sms, cudaDevAttrMultiProcessorCount,
					       (int)device_current()->ordinal);
	if (error)
		return error;
	int most = limit > 0 && limit < a.maxThreadsPerBlock ? limit : a.maxThreadsPerBlock;
	for (int n = (most + 31) / 32 * 32; n > 0; n -= 32) {
		int threads = n < most ? n : most;
		error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
			&fit, f, threads, shared_of ? shared_of(threads) : shared);
		if (error)
			return error;
		if (fit * threads > best) {
			best = fit * threads;
			*block = threads;
			*grid = fit * n_sms;
		}
	}
	return cudaSuccess;
}

static CUresult call_cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction f,
							       CUoccupancyB2DSize shared_of,
							       size_t shared, int limit,
							       unsigned flags)
{
	if (flags & ~(unsigned)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
		return CUDA_ERROR_INVALID_VALUE;
	return (CUresult)best_block(grid, block, f, shared_of, shared, limit);
}
SAME(cuOccupancyMaxPotentialBlockSizeWithFlags,
     (int *grid, int *block, CUfunction f, CUoccupancyB2DSize shared_of, size_t shared, int limit,
      unsigned flags),
     call_cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, f, shared_of, shared, limit,
						    flags))

SAME(cuOccupancyMaxPotentialBlockSize,
     (int *grid, int *block, CUfunction f, CUoccupancyB2DSize shared_of, size_t shared, int limit),
     best_block(grid, block, f, shared_of, shared, limit))

static cudaError_t clusters(int *ret, CUfunction f, const CUlaunchConfig *c, bool size)
{
	if (!ret || !c || !f)
		return cudaErrorInvalidValue;
	cudaLaunchConfig_t config = config_of(c);
	return size ? cudaOccupancyMaxPotentialClusterSize(ret, (const void *)f, &config)
		    : cudaOccupancyMaxActiveClusters(ret, (const void *)f, &config);
}
SAME(cuOccupancyMaxPotentialClusterSize, (int *ret, CUfunction f, const CUlaunchConfig *c),
     clusters(ret, f, c, true))
SAME(cuOccupancyMaxActiveClusters, (int *ret, CUfunction f, const CUlaunchConfig *c),
     clusters(ret, f, c, false))

/* ---- contexts and devices --------------------------------------------------------------- */

SAME(cuCtxGetLimit, (size_t *ret, CUlimit limit), cudaDeviceGetLimit(ret, (enum cudaLimit)limit))
SAME(cuCtxSetLimit, (CUlimit limit, size_t value), cudaDeviceSetLimit((enum cudaLimit)limit, value))
SAME(cuCtxGetStreamPriorityRange, (int *least, int *greatest),
     cudaDeviceGetStreamPriorityRange(least, greatest))
SAME(cuCtxGetCacheConfig, (CUfunc_cache * config),
     cudaDeviceGetCacheConfig((enum cudaFuncCache *)config))
SAME(cuCtxSetCacheConfig, (CUfunc_cache config),
     cudaDeviceSetCacheConfig((enum cudaFuncCache)config))
static cudaError_t get_flags(unsigned *flags)
{
	cudaError_t error = cudaGetDeviceFlags(flags);
	const struct context *top = context_top();
	if (!error && top && !top->primary)
		*flags = top->flags;
	return error;
}
SAME(cuCtxGetFlags, (unsigned *flags), get_flags(flags))

static cudaError_t peer(CUcontext context, unsigned flags, bool enable)
{
	const struct device *device = driver_device_of(context);
	cudaError_t error = api_context();
	if (error || !device)
		return error ? error : cudaErrorDeviceUninitialized;
	return enable ? cudaDeviceEnablePeerAccess((int)device->ordinal, flags)
		      : cudaDeviceDisablePeerAccess((int)device->ordinal);
}
SAME(cuCtxEnablePeerAccess, (CUcontext context, unsigned flags), peer(context, flags, true))
SAME(cuCtxDisablePeerAccess, (CUcontext context), peer(context, 0, false))
SAME(cuDeviceGetByPCIBusId, (CUdevice * device, const char *id),
     cudaDeviceGetByPCIBusId(device, id))
SAME(cuDeviceGetP2PAttribute, (int *ret, CUdevice_P2PAttribute which, CUdevice a, CUdevice b),
     cudaDeviceGetP2PAttribute(ret, (enum cudaDeviceP2PAttr)which, a, b))
SAME(cuDeviceGetDefaultMemPool, (CUmemoryPool * pool, CUdevice device),
     cudaDeviceGetDefaultMemPool(pool, device))
SAME(cuDeviceGetMemPool, (CUmemoryPool * pool, CUdevice device), cudaDeviceGetMemPool(pool, device))
SAME(cuDeviceSetMemPool, (CUdevice device, CUmemoryPool pool), cudaDeviceSetMemPool(device, pool))
SAME(cuMemPoolTrimTo, (CUmemoryPool pool, size_t keep), cudaMemPoolTrimTo(pool, keep))
SAME(cuMemPoolDestroy, (CUmemoryPool pool), cudaMemPoolDestroy(pool))
SAME(cuMemPoolSetAttribute, (CUmemoryPool pool, CUmemPool_attribute which, void *value),
     cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)which, value))
SAME(cuMemPoolGetAttribute, (CUmemoryPool pool, CUmemPool_attribute which, void *value),
     cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)which, value))
