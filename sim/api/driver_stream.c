/* SPDX-License-Identifier: Apache-2.0 */
/* driver_stream.c - the driver's streams, events, and words in memory that streams wait for. */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "driver_api.h"
#include "memory.h"

/* ---- streams ---------------------------------------------------------------------- */

SAME(cuStreamCreate, (CUstream *s, unsigned flags), cudaStreamCreateWithFlags(s, flags))
SAME(cuStreamCreateWithPriority, (CUstream *s, unsigned flags, int priority),
     cudaStreamCreateWithPriority(s, flags, priority))
SAME(cuStreamDestroy, (CUstream s), cudaStreamDestroy(s))
SAME(cuStreamSynchronize, (CUstream s), cudaStreamSynchronize(s))
SAME(cuStreamQuery, (CUstream s), cudaStreamQuery(s))
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
SAME(cuStreamBeginCapture, (CUstream s, CUstreamCaptureMode mode),
     cudaStreamBeginCapture(s, (enum cudaStreamCaptureMode)mode))
SAME(cuStreamEndCapture, (CUstream s, CUgraph *graph), cudaStreamEndCapture(s, graph))
SAME(cuStreamIsCapturing, (CUstream s, CUstreamCaptureStatus *status),
     cudaStreamIsCapturing(s, (enum cudaStreamCaptureStatus *)status))
SAME(cuGraphInstantiateWithFlags, (CUgraphExec *exec, CUgraph graph, unsigned long long flags),
     cudaGraphInstantiateWithFlags(exec, graph, flags))
SAME(cuGraphLaunch, (CUgraphExec exec, CUstream s), cudaGraphLaunch(exec, s))
SAME(cuGraphExecDestroy, (CUgraphExec exec), cudaGraphExecDestroy(exec))
SAME(cuGraphCreate, (CUgraph *graph, unsigned flags), cudaGraphCreate(graph, flags))
SAME(cuGraphDestroy, (CUgraph graph), cudaGraphDestroy(graph))

CUresult CUDAAPI cuStreamGetCtx(CUstream s, CUcontext *ret)
{
	int ordinal = 0;
	cudaError_t error = ret ? cudaStreamGetDevice(s, &ordinal) : cudaErrorInvalidValue;
	if (!error)
		*ret = (CUcontext)device_get(ordinal); /* a context is its device (driver.c) */
	return (CUresult)error;
}

/* ---- events ------------------------------------------------------------------------ */

SAME(cuEventCreate, (CUevent *e, unsigned flags), cudaEventCreateWithFlags(e, flags))
SAME(cuEventDestroy, (CUevent e), cudaEventDestroy(e))
SAME(cuEventRecord, (CUevent e, CUstream s), cudaEventRecord(e, s))
SAME(cuEventRecordWithFlags, (CUevent e, CUstream s, unsigned flags),
     cudaEventRecordWithFlags(e, s, flags))
SAME(cuEventQuery, (CUevent e), cudaEventQuery(e))
SAME(cuEventSynchronize, (CUevent e), cudaEventSynchronize(e))
SAME(cuEventElapsedTime, (float *ms, CUevent a, CUevent b), cudaEventElapsedTime(ms, a, b))

/* ---- words that streams wait for and write ------------------------------------------- */

struct word {
	atomic_uint refs;
	struct device *device;
	void *address;
	uint64_t value;
	bool is_long;
	unsigned flags;
};

static void ref_word(void *state)
{
	atomic_fetch_add(&((struct word *)state)->refs, 1);
}

static void unref_word(void *state)
{
	if (atomic_fetch_sub(&((struct word *)state)->refs, 1) == 1)
		free(state);
}

static bool has_come(const struct word *w)
{
	uint64_t now = w->is_long ? __atomic_load_n((uint64_t *)w->address, __ATOMIC_ACQUIRE)
				  : __atomic_load_n((uint32_t *)w->address, __ATOMIC_ACQUIRE);
	uint64_t mask = w->is_long ? UINT64_MAX : UINT32_MAX;
	switch (w->flags & 3) {
	case CU_STREAM_WAIT_VALUE_GEQ: /* cyclic */
		return w->is_long ? (int64_t)(now - w->value) >= 0
				  : (int32_t)((uint32_t)now - (uint32_t)w->value) >= 0;
	case CU_STREAM_WAIT_VALUE_EQ:
		return now == (w->value & mask);
	case CU_STREAM_WAIT_VALUE_AND:
		return now & w->value;
	default: /* CU_STREAM_WAIT_VALUE_NOR */
		return ~(now | w->value) & mask;
	}
}

static void CUDART_CB wait_word(void *user)
{
	struct word *w = user;
	while (!has_come(w) && !atomic_load(&w->device->sticky))
		sched_yield();
	unref_word(w);
}

static void write_word(struct operation *operation, void *state)
{
	const struct word *w = state;
	(void)operation;
	if (atomic_load(&w->device->sticky))
		return;
	if (w->is_long)
		__atomic_store_n((uint64_t *)w->address, w->value, __ATOMIC_RELEASE);
	else
		__atomic_store_n((uint32_t *)w->address, (uint32_t)w->value, __ATOMIC_RELEASE);
}

static cudaError_t submit_word(CUstream handle, CUdeviceptr address, uint64_t value, bool is_long,
			       unsigned flags, bool wait)
{
	static const struct step write = {write_word, ref_word, unref_word};
	struct allocation a;
	struct stream *stream;
	size_t bytes = is_long ? 8 : 4;
	if (!address || address % bytes || !memory_lookup(DEVICE(address), &a) ||
	    flags > (wait ? 3u : 1u))
		return cudaErrorInvalidValue;
	cudaError_t error = stream_resolve(handle, &stream);
	if (error)
		return error;
	struct word *w = stream_capturing(stream) ? NULL : malloc(sizeof *w);
	if (!w) {
		error = stream_capturing(stream) ? capture_break(stream, NULL)
						 : cudaErrorMemoryAllocation;
		stream_unref(stream);
		return error;
	}
	*w = (struct word){1, stream->device, DEVICE(address), value, is_long, flags};
	struct work work = {.kind = WORK_STEP, .device = stream->device, .step = {&write, w}};
	if (wait)
		work = (struct work){.kind = WORK_AWAIT, .device = stream->device,
				     .host = {.function = wait_word, .user = w}};
	error = stream_submit(stream, &work, NULL, NULL);
	stream_unref(stream);
	return error;
}

#define WORD(name, type, is_long, wait)                                                \
	CUresult CUDAAPI name(CUstream s, CUdeviceptr address, type value, unsigned flags) \
	{                                                                              \
		API_BEGIN_CONTEXT_AS(CUresult);                                        \
		return (CUresult)API_END(submit_word(s, address, value, is_long, flags, wait)); \
	}
#define API_BEGIN_CONTEXT_AS(type)                                                     \
	API_BEGIN;                                                                     \
	do {                                                                           \
		cudaError_t error_ = api_context();                                    \
		if (error_)                                                            \
			return (type)API_END(error_);                                  \
	} while (0)
WORD(cuStreamWaitValue32, cuuint32_t, false, true)
WORD(cuStreamWaitValue64, cuuint64_t, true, true)
WORD(cuStreamWriteValue32, cuuint32_t, false, false)
WORD(cuStreamWriteValue64, cuuint64_t, true, false)
