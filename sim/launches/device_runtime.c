/* SPDX-License-Identifier: Apache-2.0 */
/* device_runtime.c - CUDA's runtime for device code: launches, and the calls of
 * cuda_device_runtime_api.h. The codes are those of an H200
 * (tests/kernels/devicecalls.expected).
 *
 * Errors are the calling thread's: what the last call of its own answered that failed. */
#include "host_call.h"

#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "block.h"
#include "children.h"
#include "copy.h"
#include "device.h"
#include "dispatch.h"
#include "function.h"
#include "geometry.h"
#include "log.h"
#include "operation.h"
#include "profile.h"
#include "registry.h"
#include "scheduler.h"

/* ---- the calling thread --------------------------------------------------------------- */

static struct device *device_of(struct thread *t)
{
	return block_of(t)->run->launch->device;
}

static cudaError_t keep(struct thread *t, cudaError_t error)
{
	if (error)
		block_runtime(block_of(t), t)->error = (int)error;
	return error;
}

static uint32_t take_error(const struct cudasim_site *site, bool clear)
{
	struct thread *t = dispatch_enter();
	struct block *b = block_of(t);
	t->pub.site = site;
	uint32_t error = b->runtime ? (uint32_t)b->runtime[t->pub.linear].error : 0;
	if (error && clear)
		b->runtime[t->pub.linear].error = 0;
	dispatch_leave(t);
	return error;
}

uint32_t __cudasim_rt_get_last_error(const struct cudasim_site *site)
{
	return take_error(site, true);
}

uint32_t __cudasim_rt_peek_at_last_error(const struct cudasim_site *site)
{
	return take_error(site, false);
}

/* What a call is to do, on the worker's own stack. */
struct call {
	struct thread *thread;
	struct children *children;
	cudaError_t (*run)(struct call *call);
	const struct cudasim_site *site;
	union {
		struct {
			const struct cudasim_kernel *kernel;
			const void *params;
			const uint32_t *grid, *block;
			uint64_t shared;
		} launch;
		struct cudasim_copy copy;
		struct {
			unsigned flags;
			void **ret;
		} create;
	};
	cudaStream_t stream;
	cudaEvent_t event;
	cudaError_t error;
};

static void run_call(void *work)
{
	struct call *call = work;
	call->children = children_of(block_of(call->thread)->run->launch);
	if (!call->children) {
		log_once(
			"kernel launches and streams of device code need a launch: cudasim_call() has none");
		call->error = cudaErrorNotSupported;
		return;
	}
	call->error = call->run(call);
}

static uint32_t do_call(struct call *call)
{
	call->thread = dispatch_enter();
	call->thread->pub.site = call->site;
	host_call_do(call->thread, run_call, call);
	keep(call->thread, call->error);
	dispatch_leave(call->thread);
	return call->error;
}

/* ---- launches ------------------------------------------------------------------------- */

/* device code's value for a kernel is its row in a module's table */
static bool is_kernel(const struct cudasim_module *module, const struct cudasim_kernel *kernel)
{
	return kernel >= module->kernels && kernel < module->kernels + module->n_kernels &&
	       ((const char *)kernel - (const char *)module->kernels) % sizeof *kernel == 0;
}

/* What the host has set for the kernel counts for launches from the device, too. */
static uint64_t max_dynamic(const struct cudasim_kernel *kernel, const struct profile *profile,
			    uint64_t wanted)
{
	uint64_t usual = profile->shared_per_block > kernel->static_shared_bytes
				 ? profile->shared_per_block - kernel->static_shared_bytes
				 : 0;
	struct function *f = wanted > usual ? registry_function_of(kernel) : NULL;
	return f ? function_max_dynamic(f, profile) : usual;
}

static cudaError_t launch(struct call *call)
{
	struct block *b = block_of(call->thread);
	const struct launch *parent = b->run->launch;
	const struct cudasim_kernel *kernel = call->launch.kernel;
	const struct profile *profile = parent->device->profile;
	if (!is_kernel(parent->pub.module, kernel))
		return cudaErrorInvalidDeviceFunction;
	struct work work = {.kind = WORK_LAUNCH,
			    .device = parent->device,
			    .launch = {
				    .module = parent->pub.module,
				    .kernel = kernel,
				    .dynamic_shared_bytes = (uint32_t)call->launch.shared,
				    .parent = &parent->pub,
				    .parent_site = call->site,
				    .launcher = &call->thread->pub,
			    }};
	struct cudasim_launch *l = &work.launch;
	for (int i = 0; i < 3; i++) {
		l->grid[i] = call->launch.grid[i];
		l->block[i] = call->launch.block[i];
		l->cluster[i] = kernel->cluster[i] ? kernel->cluster[i] : 1;
		l->parent_block[i] = b->pub.ctaid[i];
		l->parent_thread[i] = call->thread->pub.tid[i];
	}
	struct geometry_limits limits = {
		.max_dynamic_shared = max_dynamic(kernel, profile, l->dynamic_shared_bytes),
	};
	if (geometry_check(profile, l, &limits))
		return cudaErrorInvalidConfiguration;
	void *params = work_params_new(kernel);
	if (!params)
		return cudaErrorMemoryAllocation;
	if (kernel->params_size)
		memcpy(params, call->launch.params, kernel->params_size);
	l->params = params;
	return children_submit(call->children, call->thread, block_runtime(b, call->thread),
			       call->stream, &work);
}

static uint32_t do_launch(const struct cudasim_kernel *kernel, const void *params,
			  const uint32_t *grid, const uint32_t *block, uint64_t shared,
			  void *stream, const struct cudasim_site *site)
{
	struct call call = {.run = launch,
			    .site = site,
			    .stream = stream,
			    .launch = {kernel, params, grid, block, shared}};
	return do_call(&call);
}

void __cudasim_launch(const struct cudasim_kernel *kernel, const void *params, const uint32_t *grid,
		      const uint32_t *block, uint64_t shared, void *stream,
		      const struct cudasim_site *site)
{
	do_launch(kernel, params, grid, block, shared, stream, site);
}

/* ---- launches by a buffer of parameters -------------------------------------------------- */

/* Before a buffer of the second kind, which knows what it is for. */
struct buffer {
	const struct cudasim_kernel *kernel;
	uint32_t grid[3], block[3];
	uint32_t shared;
	uint32_t reserved[7];
};
_Static_assert(sizeof(struct buffer) == 64, "parameters behind it are aligned as memory is");

void *__cudasim_rt_get_parameter_buffer(uint64_t align, uint64_t size,
					const struct cudasim_site *site)
{
	(void)align; /* 16, and no parameter wants more */
	return __cudasim_malloc(size, site);
}

void *__cudasim_rt_get_parameter_buffer_v2(const struct cudasim_kernel *kernel,
					   const uint32_t *grid, const uint32_t *block,
					   uint32_t shared, const struct cudasim_site *site)
{
	struct thread *t = thread_self();
	if (!is_kernel(block_of(t)->run->launch->pub.module, kernel))
		return NULL;
	struct buffer *buffer = __cudasim_malloc(sizeof *buffer + kernel->params_size, site);
	if (!buffer)
		return NULL;
	*buffer = (struct buffer){.kernel = kernel, .shared = shared};
	memcpy(buffer->grid, grid, sizeof buffer->grid);
	memcpy(buffer->block, block, sizeof buffer->block);
	return buffer + 1;
}

uint32_t __cudasim_rt_launch_device(const struct cudasim_kernel *kernel, void *params,
				    const uint32_t *grid, const uint32_t *block, uint32_t shared,
				    void *stream, const struct cudasim_site *site)
{
	if (!params && is_kernel(block_of(thread_self())->run->launch->pub.module, kernel) &&
	    kernel->params_size)
		(void)*(const volatile char *)params; /* illegal address, as on an H200 */
	uint32_t error = do_launch(kernel, params, grid, block, shared, stream, site);
	if (params)
		__cudasim_free(params, site);
	return error;
}

uint32_t __cudasim_rt_launch_device_v2(void *params, void *stream, const struct cudasim_site *site)
{
	/* Of no buffer, an illegal address, as on an H200. */
	struct buffer *buffer = (struct buffer *)params - 1;
	uint32_t error = do_launch(buffer->kernel, params, buffer->grid, buffer->block,
				   buffer->shared, stream, site);
	__cudasim_free(buffer, site);
	return error;
}

/* ---- streams and events --------------------------------------------------------------------- */

static cudaError_t stream_create(struct call *call)
{
	return children_stream_new(call->children, call->create.flags,
				   (cudaStream_t *)call->create.ret);
}

uint32_t __cudasim_rt_stream_create(void **ret, uint32_t flags, const struct cudasim_site *site)
{
	struct call call = {.run = stream_create, .site = site, .create = {flags, ret}};
	return do_call(&call);
}

static cudaError_t stream_destroy(struct call *call)
{
	return children_stream_destroy(call->children, call->stream);
}

uint32_t __cudasim_rt_stream_destroy(void *stream, const struct cudasim_site *site)
{
	struct call call = {.run = stream_destroy, .site = site, .stream = stream};
	return do_call(&call);
}

static cudaError_t stream_wait(struct call *call)
{
	return children_stream_wait(call->children, block_of(call->thread)->index, call->stream,
				    call->event);
}

uint32_t __cudasim_rt_stream_wait_event(void *stream, void *event, uint32_t flags,
					const struct cudasim_site *site)
{
	(void)flags; /* an H200 takes any */
	struct call call = {.run = stream_wait, .site = site, .stream = stream, .event = event};
	return do_call(&call);
}

static cudaError_t event_create(struct call *call)
{
	return children_event_new(call->children, call->create.flags,
				  (cudaEvent_t *)call->create.ret);
}

uint32_t __cudasim_rt_event_create(void **ret, uint32_t flags, const struct cudasim_site *site)
{
	struct call call = {.run = event_create, .site = site, .create = {flags, ret}};
	return do_call(&call);
}

static cudaError_t event_record(struct call *call)
{
	return children_event_record(call->children, block_of(call->thread)->index, call->event,
				     call->stream);
}

uint32_t __cudasim_rt_event_record(void *event, void *stream, const struct cudasim_site *site)
{
	struct call call = {.run = event_record, .site = site, .stream = stream, .event = event};
	return do_call(&call);
}

uint32_t __cudasim_rt_event_record_with_flags(void *event, void *stream, uint32_t flags,
					      const struct cudasim_site *site)
{
	(void)flags; /* only of meaning for graphs */
	return __cudasim_rt_event_record(event, stream, site);
}

static cudaError_t event_destroy(struct call *call)
{
	return children_event_destroy(call->children, call->event);
}

uint32_t __cudasim_rt_event_destroy(void *event, const struct cudasim_site *site)
{
	struct call call = {.run = event_destroy, .site = site, .event = event};
	return do_call(&call);
}

/* ---- copies and sets ---------------------------------------------------------------------------- */

/* Another thread cannot read a thread's stack, nor another grid a block's shared memory. */
static bool is_own(const struct thread *t, const void *address)
{
	const struct cudasim_block *b = &block_of((struct thread *)t)->pub;
	uintptr_t at = (uintptr_t)address, window = (uintptr_t)b->shared;
	return __cudasim_is_local(address) || (at >= window && at < window + b->shared_bytes);
}

static cudaError_t copy(struct call *call)
{
	struct cudasim_copy *what = &call->copy;
	struct work work = {.kind = WORK_COPY, .device = device_of(call->thread)};
	if (!what->width || !what->height || !what->depth)
		return cudaSuccess;
	what->async = true;
	what->function = what->kind == CUDASIM_SET ? "cudaMemsetAsync" : "cudaMemcpyAsync";
	work.copy.what = *what;
	struct block *b = block_of(call->thread);
	return children_submit(call->children, call->thread, block_runtime(b, call->thread),
			       call->stream, &work);
}

static uint32_t do_copy(struct call *call, int kind)
{
	struct thread *t = thread_self();
	struct cudasim_copy *what = &call->copy;
	bool is_set = !what->from;
	cudaError_t error = cudaSuccess;
	what->kind = is_set ? CUDASIM_SET : CUDASIM_COPY;
	what->direction = cudaMemcpyDeviceToDevice;
	if (!is_set && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		error = cudaErrorInvalidMemcpyDirection;
	else if (is_own(t, what->to) || (!is_set && is_own(t, what->from)))
		error = cudaErrorInvalidValue;
	call->run = copy;
	if (!error)
		return do_call(call);
	t = dispatch_enter();
	keep(t, error);
	dispatch_leave(t);
	return error;
}

uint32_t __cudasim_rt_memcpy(void *to, const void *from, uint64_t n, uint32_t kind, void *stream,
			     const struct cudasim_site *site)
{
	struct call call = {.site = site, .stream = stream, .copy = copy_1d(to, from, n)};
	return do_copy(&call, (int)kind);
}

uint32_t __cudasim_rt_memcpy_2d(void *to, uint64_t to_pitch, const void *from, uint64_t from_pitch,
				uint64_t width, uint64_t height, uint32_t kind, void *stream,
				const struct cudasim_site *site)
{
	struct call call = {.site = site,
			    .stream = stream,
			    .copy = copy_2d(to, to_pitch, from, from_pitch, width, height)};
	return do_copy(&call, (int)kind);
}

uint32_t __cudasim_rt_memcpy_3d(const void *params, void *stream, const struct cudasim_site *site)
{
	const struct cudaMemcpy3DParms *p = params;
	struct call call = {.site = site, .stream = stream};
	const struct cudaPitchedPtr *to = &p->dstPtr, *from = &p->srcPtr;
	call.copy = copy_2d((char *)to->ptr + p->dstPos.x +
				    to->pitch * (p->dstPos.y + to->ysize * p->dstPos.z),
			    to->pitch,
			    (char *)from->ptr + p->srcPos.x +
				    from->pitch * (p->srcPos.y + from->ysize * p->srcPos.z),
			    from->pitch, p->extent.width, p->extent.height);
	call.copy.depth = p->extent.depth;
	call.copy.to_slice = to->pitch * to->ysize;
	call.copy.from_slice = from->pitch * from->ysize;
	return do_copy(&call, p->srcArray || p->dstArray ? -1 : (int)p->kind);
}

static uint32_t set(struct cudasim_copy what, uint32_t value, void *stream,
		    const struct cudasim_site *site)
{
	struct call call = {.site = site, .stream = stream, .copy = what};
	call.copy.value = (unsigned char)value;
	return do_copy(&call, 0);
}

uint32_t __cudasim_rt_memset(void *to, uint32_t value, uint64_t n, void *stream,
			     const struct cudasim_site *site)
{
	return set(copy_1d(to, NULL, n), value, stream, site);
}

uint32_t __cudasim_rt_memset_2d(void *to, uint64_t pitch, uint32_t value, uint64_t width,
				uint64_t height, void *stream, const struct cudasim_site *site)
{
	return set(copy_2d(to, pitch, NULL, 0, width, height), value, stream, site);
}

uint32_t __cudasim_rt_memset_3d(const void *where, uint32_t value, const void *extent, void *stream,
				const struct cudasim_site *site)
{
	const struct cudaPitchedPtr *to = where;
	const struct cudaExtent *e = extent;
	struct cudasim_copy what = copy_2d(to->ptr, to->pitch, NULL, 0, e->width, e->height);
	what.depth = e->depth;
	what.to_slice = to->pitch * to->ysize;
	return set(what, value, stream, site);
}

/* ---- memory ------------------------------------------------------------------------------------ */

static uint32_t answer(cudaError_t error, const struct cudasim_site *site)
{
	struct thread *t = dispatch_enter();
	t->pub.site = site;
	keep(t, error);
	dispatch_leave(t);
	return error;
}

/* From the heap that malloc() in a kernel takes from. */
uint32_t __cudasim_rt_cuda_malloc(void **ret, uint64_t size, const struct cudasim_site *site)
{
	void *address = __cudasim_malloc(size, site);
	if (address)
		*ret = address;
	return answer(address ? cudaSuccess : cudaErrorMemoryAllocation, site);
}

uint32_t __cudasim_rt_cuda_free(void *address, const struct cudasim_site *site)
{
	__cudasim_free(address, site);
	return cudaSuccess;
}

/* ---- questions ----------------------------------------------------------------------------------- */

const char *__cudasim_rt_get_error_string(uint32_t error, const struct cudasim_site *site)
{
	(void)site;
	return cudaGetErrorString((cudaError_t)error);
}

const char *__cudasim_rt_get_error_name(uint32_t error, const struct cudasim_site *site)
{
	(void)site;
	return cudaGetErrorName((cudaError_t)error);
}

uint32_t __cudasim_rt_get_device_count(int *ret, const struct cudasim_site *site)
{
	(void)site;
	*ret = device_count();
	return cudaSuccess;
}

uint32_t __cudasim_rt_get_device(int *ret, const struct cudasim_site *site)
{
	(void)site;
	*ret = device_of(thread_self())->ordinal;
	return cudaSuccess;
}

uint32_t __cudasim_rt_get_attribute(int *ret, uint32_t attribute, uint32_t ordinal,
				    const struct cudasim_site *site)
{
	if (ordinal >= (uint32_t)device_count())
		return answer(cudaErrorInvalidDevice, site);
	const struct profile *profile = device_get((int)ordinal)->profile;
	return answer(profile_attribute(profile, (int)attribute, ret) ? cudaSuccess
								      : cudaErrorInvalidValue,
		      site);
}

/* A limit that there is none of is answered, but no error that stays. */
uint32_t __cudasim_rt_get_limit(size_t *ret, uint32_t limit, const struct cudasim_site *site)
{
	enum { LIMIT_SHARED = 7, LIMIT_CIG_ENABLED = 8 }; /* of cuda.h */
	struct device *device = device_of(thread_self());
	(void)site;
	*ret = SIZE_MAX;
	if (limit == LIMIT_SHARED)
		*ret = device->profile->shared_per_block_optin;
	else if (limit == LIMIT_CIG_ENABLED)
		*ret = 0;
	else if (limit > cudaLimitPersistingL2CacheSize || limit == cudaLimitDevRuntimeSyncDepth)
		return cudaErrorUnsupportedLimit;
	else
		*ret = atomic_load(&device->limits[limit]);
	return cudaSuccess;
}

uint32_t __cudasim_rt_get_cache_config(int *ret, const struct cudasim_site *site)
{
	(void)site;
	*ret = atomic_load(&device_of(thread_self())->cache_config);
	return cudaSuccess;
}

uint32_t __cudasim_rt_get_shared_mem_config(int *ret, const struct cudasim_site *site)
{
	(void)site;
	*ret = cudaSharedMemBankSizeFourByte;
	return cudaSuccess;
}

/* CUDA's runtime for device code has this number since it exists. */
uint32_t __cudasim_rt_runtime_get_version(int *ret, const struct cudasim_site *site)
{
	(void)site;
	*ret = 6000;
	return cudaSuccess;
}

/* The members that an H200's call sets. */
uint32_t __cudasim_rt_func_get_attributes(void *to, const struct cudasim_kernel *kernel,
					  const struct cudasim_site *site)
{
	struct thread *t = thread_self();
	const struct cudasim_module *module = block_of(t)->run->launch->pub.module;
	const struct profile *profile = device_of(t)->profile;
	struct cudaFuncAttributes *ret = to;
	if (!ret)
		return answer(cudaErrorInvalidValue, site);
	if (!is_kernel(module, kernel))
		return answer(cudaErrorInvalidDeviceFunction, site);
	ret->sharedSizeBytes = kernel->static_shared_bytes;
	ret->constSizeBytes = 0;
	for (uint64_t i = 0; i < module->n_variables; i++)
		if (module->variables[i].flags & CUDASIM_VARIABLE_CONSTANT)
			ret->constSizeBytes += module->variables[i].size;
	ret->localSizeBytes = 0;
	ret->maxThreadsPerBlock = (int)profile->max_threads_per_block;
	if (kernel->max_threads && kernel->max_threads < profile->max_threads_per_block)
		ret->maxThreadsPerBlock = (int)kernel->max_threads;
	ret->numRegs = (int)kernel->n_registers;
	ret->binaryVersion = 10 * profile->major + profile->minor;
	ret->ptxVersion = module->flags & 0xffff ? (int)(module->flags & 0xffff)
						 : ret->binaryVersion;
	return cudaSuccess;
}

uint32_t __cudasim_rt_occupancy(int *ret, const struct cudasim_kernel *kernel, int n_threads,
				uint64_t dynamic, const struct cudasim_site *site)
{
	struct thread *t = thread_self();
	if (!ret || n_threads <= 0)
		return answer(cudaErrorInvalidValue, site);
	if (!is_kernel(block_of(t)->run->launch->pub.module, kernel))
		return answer(cudaErrorInvalidDeviceFunction, site);
	*ret = (int)geometry_blocks_per_sm(device_of(t)->profile, (uint32_t)n_threads,
					   kernel->n_registers,
					   kernel->static_shared_bytes + dynamic);
	return cudaSuccess;
}

uint32_t __cudasim_rt_occupancy_with_flags(int *ret, const struct cudasim_kernel *kernel,
					   int n_threads, uint64_t dynamic, uint32_t flags,
					   const struct cudasim_site *site)
{
	return flags > cudaOccupancyDisableCachingOverride
		       ? answer(cudaErrorInvalidValue, site)
		       : __cudasim_rt_occupancy(ret, kernel, n_threads, dynamic, site);
}
