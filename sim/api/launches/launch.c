/* SPDX-License-Identifier: Apache-2.0 */
/* launch.c - <<<>>>, cudaLaunchKernel and its kin. */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "function.h"
#include "geometry.h"
#include "graph.h"
#include "runtime.h"

/* Everything a launch may say. */
struct request {
	dim3 grid, block;
	dim3 cluster; /* 0 where not given */
	size_t shared;
	cudaStream_t stream;
	bool cooperative;
	cudaEvent_t completion; /* recorded when the launch is done, or NULL */
};

/* ---- configuration of <<<>>> ------------------------------------------------ */

/* Calls nest: f<<<g(), b()>>>() may launch in g. One lies in the thread's own memory, and no more,
 * for the loader has little of that for a library that is opened late. */
struct configuration {
	dim3 grid, block;
	size_t shared;
	struct CUstream_st *stream;
	struct configuration *outer;
};
static _Thread_local struct configuration outermost, *innermost;

API_EXPORT unsigned CUDARTAPI __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
							  struct CUstream_st *stream);
API_EXPORT cudaError_t CUDARTAPI __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
							    void *stream);

/* Nonzero skips the launch. */
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
				     struct CUstream_st *stream)
{
	struct configuration *c = innermost ? malloc(sizeof *c) : &outermost;
	if (!c)
		return 1;
	*c = (struct configuration){grid, block, shared, stream, innermost};
	innermost = c;
	return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
	struct configuration *c = innermost;
	if (!c)
		return cudaErrorMissingConfiguration;
	api_unseen();
	*grid = c->grid;
	*block = c->block;
	*shared = c->shared;
	*(cudaStream_t *)stream = c->stream;
	innermost = c->outer;
	if (c != &outermost)
		free(c);
	return cudaSuccess;
}

/* ---- launching -------------------------------------------------------------- */

static void to_array(uint32_t to[3], dim3 from)
{
	to[0] = from.x;
	to[1] = from.y;
	to[2] = from.z;
}

static cudaError_t check(const struct function *f, const struct device *device,
			 const struct request *r, struct geometry *g)
{
	*g = (struct geometry){
		/* 32 bits of it count, as on an H200. */
		.dynamic_shared = (uint32_t)r->shared,
		.cooperative = r->cooperative,
		.non_portable_cluster = atomic_load(&f->non_portable_cluster),
		.static_shared = f->kernel->static_shared_bytes,
		.max_dynamic_shared = function_max_dynamic(f, device->profile),
		.max_threads = f->kernel->max_threads,
		.n_registers = f->kernel->n_registers,
	};
	to_array(g->grid, r->grid);
	to_array(g->block, r->block);
	if (r->cluster.x)
		to_array(g->cluster, r->cluster);
	else
		memcpy(g->cluster, f->kernel->cluster, sizeof g->cluster);
	/* What __cluster_dims__ says cannot be changed. */
	if (r->cluster.x && f->kernel->cluster[0] &&
	    memcmp(g->cluster, f->kernel->cluster, sizeof g->cluster))
		return cudaErrorInvalidClusterSize;
	for (int i = 0; i < 3; i++) {
		if (!g->cluster[i])
			g->cluster[i] = (uint32_t)atomic_load(&f->cluster[i]);
		if (!g->cluster[i])
			g->cluster[i] = 1;
	}
	cudaError_t error = geometry_check(device->profile, g);
	if (error) {
		char reason[API_REASON];
		geometry_reason(device->profile, g, reason, sizeof reason);
		api_reason("%s", reason);
	}
	return error;
}

/* The parameters packed as the kernel reads them; never NULL but without memory. */
static void *pack(const struct cudasim_kernel *kernel, void **args)
{
	char *params = work_params_new(kernel);
	for (uint32_t i = 0; params && i < kernel->n_params; i++)
		memcpy(params + kernel->params[i].offset, args[i], kernel->params[i].size);
	return params;
}

static cudaError_t make_work(const void *stub, const struct request *r, void **args,
			     struct device *device, struct work *ret)
{
	struct function *f;
	struct geometry g;
	cudaError_t error = registry_function(stub, &f);
	if (error)
		return error;
	for (uint32_t i = 0; i < f->kernel->n_params; i++)
		if (!args || !args[i])
			return cudaErrorInvalidValue;
	error = check(f, device, r, &g);
	if (error)
		return error;
	*ret = (struct work){.kind = WORK_LAUNCH, .device = device};
	if (f->kernel->flags & ~atomic_load_explicit(&device->kernel_flags, memory_order_relaxed))
		atomic_fetch_or(&device->kernel_flags, f->kernel->flags);
	ret->launch.module = f->module;
	ret->launch.kernel = f->kernel;
	memcpy(ret->launch.grid, g.grid, sizeof g.grid);
	memcpy(ret->launch.block, g.block, sizeof g.block);
	memcpy(ret->launch.cluster, g.cluster, sizeof g.cluster);
	ret->launch.dynamic_shared_bytes = (uint32_t)r->shared;
	ret->launch.cooperative = r->cooperative;
	ret->launch.host_pc = api_pc();
	ret->launch.params = pack(f->kernel, args);
	return ret->launch.params ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t launch_work(const void *stub, dim3 grid, dim3 block, size_t shared, void **args,
			struct device *device, struct work *ret)
{
	struct request r = {.grid = grid, .block = block, .shared = shared};
	return make_work(stub, &r, args, device, ret);
}

/* Takes the work over. */
static cudaError_t submit(struct stream *stream, const struct request *r, struct work *work)
{
	if (stream_capturing(stream))
		return capture_add(stream, work);
	cudaError_t error = capture_check_legacy(stream);
	if (error) {
		work_fini(work);
		return error;
	}
	struct operation *operation;
	error = stream_submit(stream, work, NULL, &operation);
	if (error)
		return error;
	if (runtime_launch_blocking) {
		operation_wait(operation);
		error = api_synchronized(stream->device);
	}
	stream_throttle(stream, operation);
	operation_unref(operation);
	if (!error && r->completion)
		error = cudaEventRecord(r->completion, r->stream);
	return error;
}

static cudaError_t launch(const void *stub, const struct request *r, void **args)
{
	struct stream *stream;
	struct work work;
	cudaError_t error = stream_resolve(r->stream, &stream);
	if (error)
		return error;
	/* The stream's device runs it, whichever is current. */
	error = make_work(stub, r, args, stream->device, &work);
	if (!error)
		error = submit(stream, r, &work);
	stream_unref(stream);
	return error;
}

cudaError_t cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
			     cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	struct request r = {.grid = grid, .block = block, .shared = shared, .stream = stream};
	return API_END(launch(func, &r, args));
}

/* What nvcc's stubs call; a kernel handle is the stub's address here. */
API_EXPORT cudaError_t CUDARTAPI __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
						    void **args, size_t shared,
						    cudaStream_t stream);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
			       size_t shared, cudaStream_t stream)
{
	return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args,
					size_t shared, cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	struct request r = {.grid = grid,
			    .block = block,
			    .shared = shared,
			    .stream = stream,
			    .cooperative = true};
	return API_END(launch(func, &r, args));
}

/* Attributes that change what is computed are done; those that are about speed
 * or about order with other launches of the same stream (programmatic
 * serialization may start a kernel early, but need not) are accepted. */
static cudaError_t apply(const cudaLaunchAttribute *a, struct request *r)
{
	switch (a->id) {
	case cudaLaunchAttributeCooperative:
		r->cooperative = a->val.cooperative;
		return cudaSuccess;
	case cudaLaunchAttributeClusterDimension:
		r->cluster = (dim3){a->val.clusterDim.x, a->val.clusterDim.y, a->val.clusterDim.z};
		/* Three zeros mean no cluster. */
		return !r->cluster.x == !r->cluster.y && !r->cluster.y == !r->cluster.z
			       ? cudaSuccess
			       : cudaErrorInvalidClusterSize;
	case cudaLaunchAttributeLaunchCompletionEvent:
		r->completion = a->val.launchCompletionEvent.event;
		return cudaSuccess;
	case cudaLaunchAttributeProgrammaticEvent:
		r->completion = a->val.programmaticEvent.event;
		return cudaSuccess;
	case cudaLaunchAttributeIgnore:
	case cudaLaunchAttributeAccessPolicyWindow:
	case cudaLaunchAttributeSynchronizationPolicy:
	case cudaLaunchAttributeClusterSchedulingPolicyPreference:
	case cudaLaunchAttributeProgrammaticStreamSerialization:
	case cudaLaunchAttributePriority:
	case cudaLaunchAttributeMemSyncDomainMap:
	case cudaLaunchAttributeMemSyncDomain:
	case cudaLaunchAttributePreferredClusterDimension:
	case cudaLaunchAttributePreferredSharedMemoryCarveout:
	case cudaLaunchAttributeNvlinkUtilCentricScheduling:
		return cudaSuccess;
	case cudaLaunchAttributeDeviceUpdatableKernelNode:
		return api_unsupported("cudaLaunchAttributeDeviceUpdatableKernelNode");
	default:
		return cudaErrorInvalidValue;
	}
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args)
{
	API_BEGIN_CONTEXT;
	if (!config)
		return API_END(cudaErrorInvalidValue);
	struct request r = {.grid = config->gridDim,
			    .block = config->blockDim,
			    .shared = config->dynamicSmemBytes,
			    .stream = config->stream};
	for (unsigned i = 0; i < config->numAttrs; i++) {
		cudaError_t error = apply(&config->attrs[i], &r);
		if (error)
			return API_END(error);
	}
	return API_END(launch(func, &r, args));
}
