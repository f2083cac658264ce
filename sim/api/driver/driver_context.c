/* SPDX-License-Identifier: Apache-2.0 */
/* driver_context.c - what the driver tells of contexts and devices beyond driver.c, what concerns
 * all of a context's streams, streams' attributes, logs. */
#include "driver_api.h"

#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "event.h"
#include "observer.h"

_Static_assert(sizeof(CUlaunchAttributeValue) == sizeof(cudaLaunchAttributeValue), "attributes");

/* The device of a context, of the current one where it is NULL; *ret is NULL where it is none. */
static cudaError_t device_of(CUcontext handle, struct device **ret)
{
	struct context *c = handle ? context_find(handle) : context_top();
	cudaError_t error = context_for_driver(handle ? CONTEXT_NONE : CONTEXT_LIVE);
	if (error)
		return error;
	*ret = c ? c->device : NULL;
	if (!c)
		return cudaErrorDeviceUninitialized;
	return context_lives(c) ? (cudaError_t)atomic_load(&c->device->sticky)
				: cudaErrorContextIsDestroyed;
}

static bool is_device(CUdevice device)
{
	return device >= 0 && device < device_count();
}

/* ---- contexts --------------------------------------------------------------------------- */

static cudaError_t get_id(CUcontext context, unsigned long long *ret)
{
	struct device *device;
	cudaError_t error = device_of(context, &device);
	if (error || !ret)
		return error ? error : cudaErrorInvalidValue;
	*ret = (context ? context_find(context) : context_top())->id;
	return cudaSuccess;
}
SAME(cuCtxGetId, (CUcontext context, unsigned long long *ret), get_id(context, ret))

/* Which forms of calls made it: an H200's number for those of today. */
enum { API_VERSION = 3020 };

static cudaError_t get_version(CUcontext context, unsigned *ret)
{
	struct device *device;
	cudaError_t error = device_of(context, &device);
	if (context && error == cudaErrorContextIsDestroyed)
		error = cudaErrorDeviceUninitialized;
	if (error || !ret)
		return error ? error : cudaErrorInvalidValue;
	*ret = API_VERSION;
	return cudaSuccess;
}
SAME(cuCtxGetApiVersion, (CUcontext context, unsigned *ret), get_version(context, ret))

/* Programs older than CUDA 13 that look for NAME_v2 before NAME (Numba 0.61) call these functions
 * without a context: what stands in its place is the address of none. */
static CUcontext or_current(CUcontext context)
{
	return context && context_find(context) ? context : NULL;
}

static cudaError_t get_device(CUdevice *ret, CUcontext context)
{
	struct device *device;
	cudaError_t error = device_of(or_current(context), &device);
	if (error || !ret)
		return error ? error : cudaErrorInvalidValue;
	*ret = (CUdevice)device->ordinal;
	return cudaSuccess;
}
SAME(cuCtxGetDevice_v2, (CUdevice * ret, CUcontext context), get_device(ret, context))

/* The runtime does it to the current device. */
static cudaError_t with_device(CUdevice device, cudaError_t (*f)(unsigned), unsigned arg)
{
	int before;
	cudaError_t error = is_device(device) ? cudaGetDevice(&before) : cudaErrorInvalidDevice;
	if (error)
		return error;
	/* For as long as it takes the device's context is current. */
	struct context *primary = context_primary(device_get(device));
	if (!context_push(primary))
		return cudaErrorMemoryAllocation;
	bool lives = context_lives(primary);
	if (!lives)
		atomic_fetch_add(&primary->refs, 1);
	error = f(arg);
	if (!lives)
		atomic_store(&primary->refs, 0);
	context_pop();
	device_set_current(before);
	return error;
}

static cudaError_t synchronize(unsigned none)
{
	(void)none;
	return cudaDeviceSynchronize();
}

static cudaError_t reset(unsigned none)
{
	(void)none;
	cudaError_t error = cudaDeviceReset();
	atomic_store(&context_primary(device_current())->refs, 0);
	return error;
}

static cudaError_t synchronize_context(CUcontext context)
{
	struct device *device;
	cudaError_t error = device_of(or_current(context), &device);
	return error ? error : with_device((CUdevice)device->ordinal, synchronize, 0);
}
SAME(cuCtxSynchronize_v2, (CUcontext context), synchronize_context(context))

SAME(cuCtxSetFlags, (unsigned flags), cudaSetDeviceFlags(flags))
SAME(cuDevicePrimaryCtxSetFlags, (CUdevice device, unsigned flags),
     with_device(device, cudaSetDeviceFlags, flags))
SAME(cuDevicePrimaryCtxReset, (CUdevice device), with_device(device, reset, 0))
SAME(cuCtxGetSharedMemConfig, (CUsharedconfig * ret),
     cudaDeviceGetSharedMemConfig((enum cudaSharedMemConfig *)ret))
SAME(cuCtxSetSharedMemConfig, (CUsharedconfig config),
     cudaDeviceSetSharedMemConfig((enum cudaSharedMemConfig)config))
SAME(cuFuncSetSharedMemConfig, (CUfunction f, CUsharedconfig config),
     cudaFuncSetSharedMemConfig((const void *)f, (enum cudaSharedMemConfig)config))
SAME(cuCtxResetPersistingL2Cache, (void), cudaCtxResetPersistingL2Cache())
SAME(cuFlushGPUDirectRDMAWrites,
     (CUflushGPUDirectRDMAWritesTarget target, CUflushGPUDirectRDMAWritesScope scope),
     cudaDeviceFlushGPUDirectRDMAWrites((enum cudaFlushGPUDirectRDMAWritesTarget)target,
					(enum cudaFlushGPUDirectRDMAWritesScope)scope))

/* A part of a device's multiprocessors can be had under MPS only; all of them are told. */
static cudaError_t get_affinity(CUexecAffinityParam *ret, CUexecAffinityType type)
{
	int n = 0;
	cudaError_t error = api_context();
	if (error || !ret)
		return error ? error : cudaErrorInvalidValue;
	if (type != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
		return cudaErrorUnsupportedExecAffinity;
	error = cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount,
				       (int)device_current()->ordinal);
	*ret = (CUexecAffinityParam){.type = type, .param.smCount.val = (unsigned)n};
	return error;
}
SAME(cuCtxGetExecAffinity, (CUexecAffinityParam * ret, CUexecAffinityType type),
     get_affinity(ret, type))

static cudaError_t get_affinity_support(int *ret, CUexecAffinityType type, CUdevice device)
{
	if (!is_device(device))
		return cudaErrorInvalidDevice;
	if (!ret || type != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
		return cudaErrorInvalidValue;
	*ret = 0;
	return cudaSuccess;
}
SAME(cuDeviceGetExecAffinitySupport, (int *ret, CUexecAffinityType type, CUdevice device),
     get_affinity_support(ret, type, device))

/* ---- events of all of a context's streams --------------------------------------------------- */

/* The context's streams at this moment, with references; *ret is the caller's to free. */
static cudaError_t all_streams(struct device *device, struct stream ***ret, size_t *n)
{
	size_t room = 0;
	*ret = NULL;
	*n = 0;
	operation_lock();
	for (struct stream *s = device->streams; s; s = s->next)
		room++;
	*ret = malloc((room + 1) * sizeof **ret);
	for (struct stream *s = device->streams; *ret && s; s = s->next) {
		if (s->destroyed && !s->last)
			continue;
		s->refs++;
		(*ret)[(*n)++] = s;
	}
	operation_unlock();
	return *ret ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t drop_streams(struct stream **streams, size_t n, cudaError_t error)
{
	for (size_t i = 0; i < n; i++)
		stream_unref(streams[i]);
	free(streams);
	return error;
}

static bool any_captures(struct stream *const *streams, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (stream_capturing(streams[i]))
			return true;
	return false;
}

/* For what is not a call of the runtime's, as cudaEventRecord() and cudaStreamWaitEvent() tell. */
static void announce(enum cudasim_order_kind kind, const struct stream *stream, uint64_t event)
{
	struct cudasim_order_event order = {
		.kind = kind,
		.device = stream->device->ordinal,
		.stream = stream->legacy ? 0 : stream->id,
		.event = event,
	};
	observe_order(&order);
}

/* A stream of the device for this call; a reference is the caller's, and the handle. */
static cudaError_t new_own(struct device *device, cudaStream_t *handle, struct stream **ret)
{
	int before = (int)device_current()->ordinal;
	cudaError_t error = cudaSetDevice((int)device->ordinal);
	if (!error)
		error = cudaStreamCreateWithFlags(handle, cudaStreamNonBlocking);
	cudaSetDevice(before);
	if (error)
		return error;
	error = stream_resolve(*handle, ret);
	if (error)
		cudaStreamDestroy(*handle);
	return error;
}

/* The stream waits for what the other one has by now. Handles do not do: those of default streams
 * mean the calling thread's and the current device's. */
static cudaError_t follow(struct stream *stream, struct stream *other)
{
	struct work nothing = {.kind = WORK_NOTHING, .device = stream->device};
	struct event *mark = event_new(other->device, cudaEventDisableTiming);
	if (!mark)
		return cudaErrorMemoryAllocation;
	operation_lock();
	struct operation *last = other->last ? operation_ref(other->last) : NULL;
	operation_unlock();
	announce(CUDASIM_ORDER_EVENT_RECORD, other, mark->id);
	announce(CUDASIM_ORDER_STREAM_WAIT, stream, mark->id);
	cudaError_t error = last ? stream_submit(stream, &nothing, last, NULL) : cudaSuccess;
	if (last)
		operation_unref(last);
	event_unref(mark);
	return error;
}

/* All streams that a context has, and one of the call's own between them and its event. */
struct every_stream {
	struct stream **others, *own;
	size_t n;
	cudaStream_t handle; /* own's */
};

static cudaError_t every_stream_open(CUcontext context, struct every_stream *ret)
{
	struct device *device;
	cudaError_t error = device_of(context, &device);
	if (!error)
		error = all_streams(device, &ret->others, &ret->n);
	if (error)
		return error;
	error = any_captures(ret->others, ret->n) ? cudaErrorStreamCaptureUnsupported
						  : new_own(device, &ret->handle, &ret->own);
	return error ? drop_streams(ret->others, ret->n, error) : cudaSuccess;
}

static cudaError_t every_stream_close(struct every_stream *every, cudaError_t error)
{
	stream_unref(every->own);
	cudaStreamDestroy(every->handle);
	return drop_streams(every->others, every->n, error);
}

/* The own stream waits for all others and records the event. */
static cudaError_t record_all(CUcontext context, CUevent event)
{
	struct every_stream every;
	cudaError_t error = every_stream_open(context, &every);
	if (error)
		return error;
	for (size_t i = 0; i < every.n && !error; i++)
		error = follow(every.own, every.others[i]);
	if (!error)
		error = cudaEventRecord(event, every.handle);
	return every_stream_close(&every, error);
}
SAME(cuCtxRecordEvent, (CUcontext context, CUevent event), record_all(context, event))

/* The own stream waits for the event, and all others for that. Streams that are made later
 * wait, too, if they are blocking ones: for the legacy stream. */
static cudaError_t wait_all(CUcontext context, CUevent event)
{
	struct every_stream every;
	cudaError_t error = every_stream_open(context, &every);
	if (error)
		return error;
	error = cudaStreamWaitEvent(every.handle, event, 0);
	for (size_t i = 0; i < every.n && !error; i++)
		if (!every.others[i]->destroyed)
			error = follow(every.others[i], every.own);
	return every_stream_close(&every, error);
}
SAME(cuCtxWaitEvent, (CUcontext context, CUevent event), wait_all(context, event))

/* ---- devices --------------------------------------------------------------------------------- */

/* LUIDs are a matter of Windows. */
static cudaError_t get_luid(char *luid, unsigned *mask, CUdevice device)
{
	if (!is_device(device))
		return cudaErrorInvalidDevice;
	return luid && mask ? cudaErrorNotSupported : cudaErrorInvalidValue;
}
SAME(cuDeviceGetLuid, (char *luid, unsigned *mask, CUdevice device), get_luid(luid, mask, device))

SAME(cuDeviceGetHostAtomicCapabilities,
     (unsigned *ret, const CUatomicOperation *operations, unsigned n, CUdevice device),
     cudaDeviceGetHostAtomicCapabilities(ret, (const enum cudaAtomicOperation *)operations, n,
					 device))
SAME(cuDeviceGetP2PAtomicCapabilities,
     (unsigned *ret, const CUatomicOperation *operations, unsigned n, CUdevice from, CUdevice to),
     cudaDeviceGetP2PAtomicCapabilities(ret, (const enum cudaAtomicOperation *)operations, n, from,
					to))
SAME(cuDeviceRegisterAsyncNotification,
     (CUdevice device, CUasyncCallback f, void *user, CUasyncCallbackHandle *ret),
     cudaDeviceRegisterAsyncNotification(device, (cudaAsyncCallback)(uintptr_t)f, user,
					 (cudaAsyncCallbackHandle_t *)ret))
SAME(cuDeviceUnregisterAsyncNotification, (CUdevice device, CUasyncCallbackHandle handle),
     cudaDeviceUnregisterAsyncNotification(device, (cudaAsyncCallbackHandle_t)handle))

static cudaError_t get_properties(CUdevprop *ret, CUdevice device)
{
	struct cudaDeviceProp p;
	int clock = 0;
	cudaError_t error = ret ? cudaGetDeviceProperties(&p, device) : cudaErrorInvalidValue;
	if (!error)
		error = cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device);
	if (error)
		return error;
	*ret = (CUdevprop){
		.maxThreadsPerBlock = p.maxThreadsPerBlock,
		.sharedMemPerBlock = (int)p.sharedMemPerBlock,
		.totalConstantMemory = (int)p.totalConstMem,
		.SIMDWidth = p.warpSize,
		.memPitch = (int)p.memPitch,
		.regsPerBlock = p.regsPerBlock,
		.clockRate = clock,
		.textureAlign = (int)p.textureAlignment,
	};
	memcpy(ret->maxThreadsDim, p.maxThreadsDim, sizeof ret->maxThreadsDim);
	memcpy(ret->maxGridSize, p.maxGridSize, sizeof ret->maxGridSize);
	return cudaSuccess;
}
SAME(cuDeviceGetProperties, (CUdevprop * ret, CUdevice device), get_properties(ret, device))

/* ---- streams' attributes, logs ------------------------------------------------------------------ */

SAME(cuStreamCopyAttributes, (CUstream to, CUstream from), cudaStreamCopyAttributes(to, from))
SAME(cuStreamGetAttribute, (CUstream s, CUstreamAttrID id, CUstreamAttrValue *value),
     cudaStreamGetAttribute(s, (cudaLaunchAttributeID)id, (cudaLaunchAttributeValue *)value))
SAME(cuStreamSetAttribute, (CUstream s, CUstreamAttrID id, const CUstreamAttrValue *value),
     cudaStreamSetAttribute(s, (cudaLaunchAttributeID)id, (const cudaLaunchAttributeValue *)value))

/* No stream is a green context's. */
CUresult CUDAAPI cuStreamGetCtx_v2(CUstream s, CUcontext *ret, CUgreenCtx *green)
{
	API_BEGIN;
	CUresult result = ret && green ? cuStreamGetCtx(s, ret) : CUDA_ERROR_INVALID_VALUE;
	if (!result)
		*green = NULL;
	return (CUresult)API_END((cudaError_t)result);
}

SAME(cuLogsRegisterCallback, (CUlogsCallback f, void *user, CUlogsCallbackHandle *ret),
     cudaLogsRegisterCallback((cudaLogsCallback_t)(uintptr_t)f, user,
			      (cudaLogsCallbackHandle *)ret))
SAME(cuLogsUnregisterCallback, (CUlogsCallbackHandle handle),
     cudaLogsUnregisterCallback((cudaLogsCallbackHandle)handle))
SAME(cuLogsCurrent, (CUlogIterator * ret, unsigned flags), cudaLogsCurrent(ret, flags))
SAME(cuLogsDumpToFile, (CUlogIterator * from, const char *path, unsigned flags),
     cudaLogsDumpToFile(from, path, flags))
SAME(cuLogsDumpToMemory, (CUlogIterator * from, char *buffer, size_t *size, unsigned flags),
     cudaLogsDumpToMemory(from, buffer, size, flags))
