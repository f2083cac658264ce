/* SPDX-License-Identifier: Apache-2.0 */
/* function.c - attributes of kernels, and how many of their blocks fit. */
#include <string.h>

#include "api.h"
#include "function.h"
#include "geometry.h"

/* ---- attributes --------------------------------------------------------------- */

static int max_threads(const struct function *f, const struct profile *profile)
{
	uint32_t bound = f->kernel->max_threads;
	return (int)(bound && bound < profile->max_threads_per_block
			     ? bound
			     : profile->max_threads_per_block);
}

static size_t constant_bytes(const struct cudasim_module *module)
{
	size_t n = 0;
	for (uint64_t i = 0; i < module->n_variables; i++)
		if (module->variables[i].flags & CUDASIM_VARIABLE_CONSTANT)
			n += module->variables[i].size;
	return n;
}

static void fill(const struct function *f, struct cudaFuncAttributes *ret)
{
	const struct profile *profile = device_current()->profile;
	/* Code for an older architecture is compiled for the device when it is
	 * loaded: the PTX stays the older one. */
	int binary = 10 * profile->major + profile->minor;
	int ptx = (int)(f->module->flags & 0xffff);
	*ret = (struct cudaFuncAttributes){
		.sharedSizeBytes = f->kernel->static_shared_bytes,
		.constSizeBytes = constant_bytes(f->module),
		.localSizeBytes = 0,
		.maxThreadsPerBlock = max_threads(f, profile),
		.numRegs = (int)f->kernel->n_registers,
		.ptxVersion = ptx ? ptx : binary,
		.binaryVersion = binary,
		.maxDynamicSharedSizeBytes = (int)function_max_dynamic(f, profile),
		.preferredShmemCarveout = atomic_load(&f->carveout),
		.clusterDimMustBeSet = f->kernel->cluster[0] != 0,
		.requiredClusterWidth = (int)f->kernel->cluster[0],
		.requiredClusterHeight = (int)f->kernel->cluster[1],
		.requiredClusterDepth = (int)f->kernel->cluster[2],
		.clusterSchedulingPolicyPreference = atomic_load(&f->cluster_policy),
		.nonPortableClusterSizeAllowed = atomic_load(&f->non_portable_cluster),
	};
	for (int i = 0; i < 3; i++) {
		int set = atomic_load(&f->cluster[i]);
		int *to = i == 0   ? &ret->requiredClusterWidth
			  : i == 1 ? &ret->requiredClusterHeight
				   : &ret->requiredClusterDepth;
		if (set)
			*to = set;
	}
}

/* The kernel that ret is to be told of. */
static cudaError_t function_for(const void *ret, const void *stub, struct function **f)
{
	return ret ? registry_function(stub, f) : cudaErrorInvalidValue;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *ret, const void *stub)
{
	API_BEGIN_CONTEXT;
	struct function *f;
	cudaError_t error = function_for(ret, stub, &f);
	if (!error)
		fill(f, ret);
	return API_END(error);
}

static cudaError_t set(struct function *f, enum cudaFuncAttribute attribute, int value)
{
	const struct profile *profile = device_current()->profile;
	switch (attribute) {
	case cudaFuncAttributeMaxDynamicSharedMemorySize:
		if (value < 0 || (uint64_t)value + f->kernel->static_shared_bytes >
					 profile->shared_per_block_optin)
			return cudaErrorInvalidValue;
		atomic_store(&f->max_dynamic_shared, value);
		atomic_store(&f->dynamic_shared_is_set, true);
		return cudaSuccess;
	case cudaFuncAttributePreferredSharedMemoryCarveout:
		if (value < -1 || value > 100)
			return cudaErrorInvalidValue;
		atomic_store(&f->carveout, value);
		return cudaSuccess;
	case cudaFuncAttributeRequiredClusterWidth:
	case cudaFuncAttributeRequiredClusterHeight:
	case cudaFuncAttributeRequiredClusterDepth:
		/* Not where __cluster_dims__ has said it. */
		if (value < 0 || f->kernel->cluster[0])
			return cudaErrorInvalidValue;
		atomic_store(&f->cluster[attribute - cudaFuncAttributeRequiredClusterWidth], value);
		return cudaSuccess;
	case cudaFuncAttributeNonPortableClusterSizeAllowed:
		atomic_store(&f->non_portable_cluster, value);
		return cudaSuccess;
	case cudaFuncAttributeClusterSchedulingPolicyPreference:
		if (value < 0 || value > cudaClusterSchedulingPolicyLoadBalancing)
			return cudaErrorInvalidValue;
		atomic_store(&f->cluster_policy, value);
		return cudaSuccess;
	default:
		return cudaErrorInvalidValue;
	}
}

cudaError_t cudaFuncSetAttribute(const void *stub, enum cudaFuncAttribute attribute, int value)
{
	API_BEGIN_CONTEXT;
	struct function *f;
	cudaError_t error = registry_function(stub, &f);
	return API_END(error ? error : set(f, attribute, value));
}

/* Attributes are the kernel's on every device here. */
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute,
					    int value, int device)
{
	API_BEGIN_CONTEXT;
	struct function *f;
	if (device < 0 || device >= device_count())
		return API_END(cudaErrorInvalidDevice);
	cudaError_t error = registry_function(kernel, &f);
	return API_END(error ? error : set(f, attribute, value));
}

cudaError_t cudaFuncSetCacheConfig(const void *stub, enum cudaFuncCache config)
{
	API_BEGIN_CONTEXT;
	struct function *f;
	if ((unsigned)config > cudaFuncCachePreferEqual)
		return API_END(cudaErrorInvalidValue);
	return API_END(registry_function(stub, &f));
}

cudaError_t cudaFuncSetSharedMemConfig(const void *stub, enum cudaSharedMemConfig config)
{
	API_BEGIN_CONTEXT;
	struct function *f;
	if ((unsigned)config > cudaSharedMemBankSizeEightByte)
		return API_END(cudaErrorInvalidValue);
	return API_END(registry_function(stub, &f));
}

cudaError_t cudaFuncGetName(const char **name, const void *stub)
{
	API_BEGIN_CONTEXT;
	struct function *f;
	if (!name)
		return API_END(cudaErrorInvalidValue);
	cudaError_t error = registry_function(stub, &f);
	if (!error)
		*name = f->kernel->name;
	return API_END(error);
}

cudaError_t cudaFuncGetParamInfo(const void *stub, size_t index, size_t *offset, size_t *size)
{
	API_BEGIN_CONTEXT;
	struct function *f;
	cudaError_t error = registry_function(stub, &f);
	if (error)
		return API_END(error);
	if (!offset || index >= f->kernel->n_params)
		return API_END(cudaErrorInvalidValue);
	*offset = f->kernel->params[index].offset;
	if (size)
		*size = f->kernel->params[index].size;
	return API_END(cudaSuccess);
}

/* Handles of kernels are the stubs' addresses, so that every call takes either. */
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *ret, const void *stub)
{
	API_BEGIN_CONTEXT;
	struct function *f;
	cudaError_t error = function_for(ret, stub, &f);
	if (ret)
		*ret = error ? NULL : (cudaFunction_t)(uintptr_t)stub;
	return API_END(error);
}

cudaError_t cudaGetKernel(cudaKernel_t *ret, const void *stub)
{
	API_BEGIN_CONTEXT;
	struct function *f;
	cudaError_t error = function_for(ret, stub, &f);
	if (ret)
		*ret = error ? NULL : (cudaKernel_t)(uintptr_t)stub;
	return API_END(error);
}

/* nvcc's stubs ask for this one. */
API_EXPORT cudaError_t CUDARTAPI __cudaGetKernel(cudaKernel_t *ret, const void *stub);
cudaError_t __cudaGetKernel(cudaKernel_t *ret, const void *stub)
{
	return cudaGetKernel(ret, stub);
}

/* ---- occupancy ------------------------------------------------------------------ */

/* The profile with the shared memory that the function's preferred carveout leaves a multiprocessor:
 * the least of the hardware's sizes that has so many percent. */
static struct profile carved(const struct function *f, const struct profile *profile)
{
	static const uint32_t kib[] = {8, 16, 32, 64, 100, 132, 164, 196, 228};
	struct profile ret = *profile;
	int percent = atomic_load(&f->carveout);
	for (size_t i = 0; percent >= 0 && i < sizeof kib / sizeof *kib; i++)
		if ((uint64_t)kib[i] * 1024 * 100 >=
		    (uint64_t)profile->shared_per_sm * (unsigned)percent) {
			if (kib[i] * 1024 < ret.shared_per_sm)
				ret.shared_per_sm = kib[i] * 1024;
			break;
		}
	return ret;
}

/* At least one where a block fits at all: the carveout is a wish. */
static uint32_t blocks_of(const struct function *f, const struct profile *profile, int n_threads,
			  uint64_t shared)
{
	struct profile limited = carved(f, profile);
	uint32_t n = geometry_blocks_per_sm(&limited, (uint32_t)n_threads, f->kernel->n_registers,
					    shared);
	return n ? n
		 : geometry_blocks_per_sm(profile, (uint32_t)n_threads, f->kernel->n_registers,
					  shared) > 0;
}

static cudaError_t blocks_per_sm(const void *stub, int n_threads, size_t dynamic, int *ret)
{
	struct function *f;
	if (!ret || n_threads <= 0)
		return cudaErrorInvalidValue;
	cudaError_t error = registry_function(stub, &f);
	if (error)
		return error;
	const struct profile *profile = device_current()->profile;
	/* What every kernel may have is not looked at, though a launch does; 32 bits of it count, as
	 * in a launch, unless the function has been given more. As an H200 answers. */
	uint64_t most = function_max_dynamic(f, profile), shared = f->kernel->static_shared_bytes;
	uint64_t common = profile->shared_per_block - shared;
	uint64_t bytes = most > common ? dynamic : (uint32_t)dynamic;
	if (most < common)
		most = common;
	/* Also beyond __launch_bounds__. */
	*ret = bytes > most ? 0 : (int)blocks_of(f, profile, n_threads, shared + bytes);
	return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n_blocks, const void *stub,
							  int n_threads, size_t dynamic)
{
	API_BEGIN_CONTEXT;
	return API_END(blocks_per_sm(stub, n_threads, dynamic, n_blocks));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n_blocks, const void *stub,
								   int n_threads, size_t dynamic,
								   unsigned flags)
{
	API_BEGIN_CONTEXT;
	if (flags & ~(unsigned)cudaOccupancyDisableCachingOverride)
		return API_END(cudaErrorInvalidValue);
	return API_END(blocks_per_sm(stub, n_threads, dynamic, n_blocks));
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *ret, const void *stub, int n_blocks,
						      int n_threads)
{
	API_BEGIN_CONTEXT;
	struct function *f;
	if (!ret || n_blocks <= 0 || n_threads <= 0)
		return API_END(cudaErrorInvalidValue);
	cudaError_t error = registry_function(stub, &f);
	if (error)
		return API_END(error);
	const struct profile *profile = device_current()->profile;
	const struct profile limited = carved(f, profile);
	if ((uint32_t)n_blocks > blocks_of(f, profile, n_threads, f->kernel->static_shared_bytes))
		return API_END(cudaErrorInvalidValue);
	*ret = geometry_dynamic_shared(n_blocks > 1 ? &limited : profile, (uint32_t)n_blocks,
				       f->kernel->static_shared_bytes);
	size_t most = (size_t)function_max_dynamic(f, profile);
	if (*ret > most)
		*ret = most;
	return API_END(cudaSuccess);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *stub,
						 const cudaLaunchConfig_t *config)
{
	API_BEGIN_CONTEXT;
	struct function *f;
	if (!size || !config)
		return API_END(cudaErrorInvalidValue);
	cudaError_t error = registry_function(stub, &f);
	if (error)
		return API_END(error);
	uint32_t most = device_current()->profile->max_cluster;
	*size = (int)(atomic_load(&f->non_portable_cluster) ? 2 * most : most);
	return API_END(cudaSuccess);
}

/* Could a launch have it? */
static cudaError_t check_cluster(const void *stub, const cudaLaunchConfig_t *config, dim3 cluster)
{
	struct function *f;
	cudaError_t error = registry_function(stub, &f);
	if (error)
		return error;
	const struct cudasim_launch launch = {
		.grid = {config->gridDim.x, config->gridDim.y, config->gridDim.z},
		.cluster = {cluster.x, cluster.y, cluster.z},
	};
	const struct geometry_limits limits = {
		.non_portable_cluster = atomic_load(&f->non_portable_cluster),
	};
	if (!cluster.x || !cluster.y || !cluster.z)
		return cudaErrorInvalidClusterSize;
	return geometry_check_cluster(device_current()->profile, &launch, &limits);
}

cudaError_t cudaOccupancyMaxActiveClusters(int *n, const void *stub,
					   const cudaLaunchConfig_t *config)
{
	API_BEGIN_CONTEXT;
	if (!n || !config)
		return API_END(cudaErrorInvalidValue);
	const struct profile *profile = device_current()->profile;
	dim3 cluster = {0, 0, 0};
	bool has_cluster = false;
	int fit = 0;
	for (unsigned i = 0; i < config->numAttrs; i++) {
		const cudaLaunchAttributeValue *value = &config->attrs[i].val;
		if (config->attrs[i].id != cudaLaunchAttributeClusterDimension)
			continue;
		has_cluster = true;
		cluster = (dim3){value->clusterDim.x, value->clusterDim.y, value->clusterDim.z};
	}
	cudaError_t error = blocks_per_sm(
		stub, (int)(config->blockDim.x * config->blockDim.y * config->blockDim.z),
		config->dynamicSmemBytes, &fit);
	if (!error && has_cluster)
		error = check_cluster(stub, config, cluster);
	uint64_t blocks = (uint64_t)cluster.x * cluster.y * cluster.z;
	if (!error)
		*n = blocks ? (int)((uint64_t)fit * profile->n_sms / blocks) : 0;
	return API_END(error);
}
