/* SPDX-License-Identifier: Apache-2.0 */
/* driver_stream.c - the driver's streams and events. */
#include "driver_api.h"

#include "context.h"

/* ---- streams ---------------------------------------------------------------------- */

SAME(cuStreamCreate, (CUstream * s, unsigned flags), cudaStreamCreateWithFlags(s, flags))
SAME(cuStreamCreateWithPriority, (CUstream * s, unsigned flags, int priority),
     cudaStreamCreateWithPriority(s, flags, priority))
SAME(cuStreamDestroy, (CUstream s), cudaStreamDestroy(s))
SAME(cuStreamSynchronize, (CUstream s), cudaStreamSynchronize(s))
SAME(cuStreamWaitEvent, (CUstream s, CUevent e, unsigned flags), cudaStreamWaitEvent(s, e, flags))
SAME(cuStreamGetFlags, (CUstream s, unsigned *flags), cudaStreamGetFlags(s, flags))
SAME(cuStreamGetPriority, (CUstream s, int *priority), cudaStreamGetPriority(s, priority))
SAME(cuStreamGetId, (CUstream s, unsigned long long *id), cudaStreamGetId(s, id))
SAME(cuStreamGetDevice, (CUstream s, CUdevice *device), cudaStreamGetDevice(s, device))
SAME(cuStreamAddCallback, (CUstream s, CUstreamCallback f, void *user, unsigned flags),
     cudaStreamAddCallback(s, (cudaStreamCallback_t)(uintptr_t)f, user, flags))
SAME(cuLaunchHostFunc, (CUstream s, CUhostFn f, void *user), cudaLaunchHostFunc(s, f, user))
SAME(cuStreamAttachMemAsync, (CUstream s, CUdeviceptr p, size_t n, unsigned flags),
     cudaStreamAttachMemAsync(s, DEVICE(p), n, flags))

/* The one that it was made in; the default streams are the current one's. */
static struct context *context_of(CUstream s, struct device *device)
{
	struct stream *stream;
	struct context *c = NULL;
	if (s && s != CU_STREAM_LEGACY && s != CU_STREAM_PER_THREAD &&
	    !stream_resolve(s, &stream)) {
		c = stream->context;
		stream_unref(stream);
	} else if (context_top()) {
		c = context_top();
	}
	return c ? c : context_primary(device);
}

/* A stream brings its context along to threads that have none. */
static cudaError_t query(CUstream s)
{
	struct stream *stream;
	struct context *c = NULL;
	if (s && s != CU_STREAM_LEGACY && s != CU_STREAM_PER_THREAD && !context_top() &&
	    !stream_resolve(s, &stream)) {
		c = context_of(s, stream->device);
		stream_unref(stream);
	}
	if (c && !context_push(c))
		return cudaErrorMemoryAllocation;
	cudaError_t error = cudaStreamQuery(s);
	if (c)
		context_pop();
	return error;
}
SAME(cuStreamQuery, (CUstream s), query(s))

CUresult CUDAAPI cuStreamGetCtx(CUstream s, CUcontext *ret)
{
	API_BEGIN;
	int ordinal = 0;
	cudaError_t error = ret ? cudaStreamGetDevice(s, &ordinal) : cudaErrorInvalidValue;
	if (!error)
		*ret = (CUcontext)context_of(s, device_get(ordinal));
	return (CUresult)API_END(error);
}

/* ---- events ------------------------------------------------------------------------ */

SAME(cuEventCreate, (CUevent * e, unsigned flags), cudaEventCreateWithFlags(e, flags))
SAME(cuEventDestroy, (CUevent e), cudaEventDestroy(e))
SAME(cuEventRecord, (CUevent e, CUstream s), cudaEventRecord(e, s))
SAME(cuEventRecordWithFlags, (CUevent e, CUstream s, unsigned flags),
     cudaEventRecordWithFlags(e, s, flags))
SAME(cuEventQuery, (CUevent e), e ? cudaEventQuery(e) : cudaErrorInvalidResourceHandle)
SAME(cuEventSynchronize, (CUevent e), cudaEventSynchronize(e))
SAME(cuEventElapsedTime, (float *ms, CUevent a, CUevent b), cudaEventElapsedTime(ms, a, b))
