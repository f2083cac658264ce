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
	struct work work; /* its launch.cluster is 0,0,0 where not given */
	cudaStream_t stream;
	cudaEvent_t completion; /* recorded when the launch is done, or NULL */
};

/* ---- configuration of <<<>>> ------------------------------------------------ */

/* What the compiler's code for <<<>>> hands over and takes back, in CUDA's types, to pass it to
 * cudaLaunchKernel(). Calls nest: f<<<g(), b()>>>() may launch in g. One lies in the thread's own
 * memory, and no more, for the loader has little of that for a library that is opened late. */
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

/* The work of a launch as far as its configuration goes; complete() adds the rest. */
static struct work configured(dim3 grid, dim3 block, size_t shared)
{
	return (struct work){
		.kind = WORK_LAUNCH,
		.launch =
			{
				.grid = {grid.x, grid.y, grid.z},
				.block = {block.x, block.y, block.z},
				/* 32 bits of it count, as on an H200. */
				.dynamic_shared_bytes = (uint32_t)shared,
			},
	};
}

/* Complete the geometry, and check it. */
static cudaError_t check(const struct function *f, const struct device *device,
			 struct cudasim_launch *l)
{
	struct geometry_limits limits = {
		.max_dynamic_shared = function_max_dynamic(f, device->profile),
		.non_portable_cluster = atomic_load(&f->non_portable_cluster),
	};
	/* What __cluster_dims__ says cannot be changed. */
	if (l->cluster[0] && f->kernel->cluster[0] &&
	    memcmp(l->cluster, f->kernel->cluster, sizeof l->cluster))
		return cudaErrorInvalidClusterSize;
	if (!l->cluster[0])
		memcpy(l->cluster, f->kernel->cluster, sizeof l->cluster);
	for (int i = 0; i < 3; i++) {
		if (!l->cluster[i])
			l->cluster[i] = (uint32_t)atomic_load(&f->cluster[i]);
		if (!l->cluster[i])
			l->cluster[i] = 1;
	}
	cudaError_t error = geometry_check(device->profile, l, &limits);
	if (error) {
		char reason[API_REASON];
		geometry_reason(device->profile, l, &limits, reason, sizeof reason);
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

/* From configured() to a work that can be submitted. On an error it owns nothing. */
static cudaError_t complete(struct work *work, const void *stub, void **args, struct device *device)
{
	struct function *f;
	struct cudasim_launch *l = &work->launch;
	cudaError_t error = registry_function(stub, &f);
	if (error)
		return error;
	for (uint32_t i = 0; i < f->kernel->n_params; i++)
		if (!args || !args[i])
			return cudaErrorInvalidValue;
	work->device = device;
	l->module = f->module;
	l->kernel = f->kernel;
	error = check(f, device, l);
	if (error)
		return error;
	if (f->kernel->flags & ~atomic_load_explicit(&device->kernel_flags, memory_order_relaxed))
		atomic_fetch_or(&device->kernel_flags, f->kernel->flags);
	l->host_pc = api_pc();
	l->params = pack(f->kernel, args);
	return l->params ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t launch_work(const void *stub, dim3 grid, dim3 block, size_t shared, void **args,
			struct device *device, struct work *ret)
{
	*ret = configured(grid, block, shared);
	return complete(ret, stub, args, device);
}

/* Takes the work over. */
static cudaError_t submit(struct stream *stream, struct request *r)
{
	struct work *work = &r->work;
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

static cudaError_t launch(const void *stub, struct request *r, void **args)
{
	struct stream *stream;
	cudaError_t error = stream_resolve(r->stream, &stream);
	if (error)
		return error;
	/* The stream's device runs it, whichever is current. */
	error = complete(&r->work, stub, args, stream->device);
	if (!error)
		error = submit(stream, r);
	stream_unref(stream);
	return error;
}

cudaError_t cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
			     cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	struct request r = {.work = configured(grid, block, shared), .stream = stream};
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
	struct request r = {.work = configured(grid, block, shared), .stream = stream};
	r.work.launch.cooperative = true;
	return API_END(launch(func, &r, args));
}

/* Attributes that change what is computed are done; those that are about speed
 * or about order with other launches of the same stream (programmatic
 * serialization may start a kernel early, but need not) are accepted. */
static cudaError_t apply(const cudaLaunchAttribute *a, struct request *r)
{
	struct cudasim_launch *l = &r->work.launch;
	switch (a->id) {
	case cudaLaunchAttributeCooperative:
		l->cooperative = a->val.cooperative;
		return cudaSuccess;
	case cudaLaunchAttributeClusterDimension:
		l->cluster[0] = a->val.clusterDim.x;
		l->cluster[1] = a->val.clusterDim.y;
		l->cluster[2] = a->val.clusterDim.z;
		/* Three zeros mean no cluster. */
		return !l->cluster[0] == !l->cluster[1] && !l->cluster[1] == !l->cluster[2]
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
	struct request r = {
		.work = configured(config->gridDim, config->blockDim, config->dynamicSmemBytes),
		.stream = config->stream,
	};
	for (unsigned i = 0; i < config->numAttrs; i++) {
		cudaError_t error = apply(&config->attrs[i], &r);
		if (error)
			return API_END(error);
	}
	return API_END(launch(func, &r, args));
}
