/* SPDX-License-Identifier: Apache-2.0 */
#include "api.h"
#include "activate.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "cudasim/inspect.h"
#include "graph.h"
#include "hash.h"
#include "log.h"
#include "now.h"
#include "observer.h"
#include "process.h"
#include "runtime.h"
#include "summary.h"

static _Thread_local cudaError_t last_error;
static _Thread_local unsigned depth;
static _Thread_local bool unseen;
/* On the heap: a program that opens this library late has some 1.6 kB for the variables of
 * threads of all that comes late, the checkers among it. NULL until there is a first one. */
static _Thread_local char *reason;
static pthread_key_t reason_key; /* frees it with its thread */
static _Thread_local struct api_call *outermost;

void api_begin(struct api_call *call, const char *name, void *pc)
{
	if (depth++) {
		call->name = NULL;
		return;
	}
	runtime_start();
	if (reason)
		reason[0] = '\0';
	outermost = call;
	call->name = name;
	call->pc = (uint64_t)(uintptr_t)pc;
	call->start_ns = summary_on() ? now_ns() : 0;
	struct cudasim_api_call seen = {.name = name, .host_pc = call->pc};
	observe_api_enter(&seen);
}

void api_unseen(void)
{
	unseen = true;
}

static void drop_reason(void *memory)
{
	free(memory);
	reason = NULL; /* calls of later destructors make another */
}

static void make_reason_key(void)
{
	if (pthread_key_create(&reason_key, drop_reason))
		abort();
}

void api_reason(const char *format, ...)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	va_list list;
	if (!reason) {
		pthread_once(&once, make_reason_key);
		reason = malloc(API_REASON);
		if (!reason)
			return;
		pthread_setspecific(reason_key, reason);
	}
	va_start(list, format);
	vsnprintf(reason, API_REASON, format, list);
	va_end(list);
}

const char *cudasim_api_reason(void)
{
	return reason && *reason ? reason : NULL;
}

void api_announce(const char *name, void *pc)
{
	struct cudasim_api_call seen = {.name = name, .host_pc = (uint64_t)(uintptr_t)pc};
	if (depth)
		return;
	observe_api_enter(&seen);
	observe_api_leave(&seen);
}

/* cuInit, not cudaInitDevice. */
static bool is_driver(const char *name)
{
	return name[0] == 'c' && name[1] == 'u' && name[2] >= 'A' && name[2] <= 'Z';
}

cudaError_t api_end(struct api_call *call, cudaError_t result)
{
	depth--;
	if (!call->name)
		return result;
	outermost = NULL;
	/* "Not ready" is an answer, not an error. */
	if (result && result != cudaErrorNotReady && !is_driver(call->name))
		last_error = result;
	struct cudasim_api_call seen = {
		.name = call->name,
		.result = (int)result,
		.host_pc = call->pc,
		.unseen = unseen,
	};
	unseen = false;
	observe_api_leave(&seen);
	if (summary_on())
		summary_api(call->name, now_ns() - call->start_ns);
	return result;
}

uint64_t api_pc(void)
{
	return outermost ? outermost->pc : 0;
}

const char *api_name(void)
{
	return outermost ? outermost->name : NULL;
}

cudaError_t api_last_error(bool clear)
{
	cudaError_t error = last_error;
	if (clear)
		last_error = cudaSuccess;
	return error;
}

/* Calls of the driver that do without a context, or with one that has ended. */
static enum context_need need_of(const char *name)
{
	static const struct {
		const char *name;
		enum context_need need;
	} list[] = {
		{"cuCtxGetFlags", CONTEXT_ANY},
		{"cuPointerGetAttribute", CONTEXT_NONE},
		{"cuPointerGetAttributes", CONTEXT_NONE},
		{"cuGraphCreate", CONTEXT_NONE},
		{"cuDeviceGetDefaultMemPool", CONTEXT_NONE},
		{"cuDeviceGetMemPool", CONTEXT_NONE},
		{"cuDeviceSetMemPool", CONTEXT_NONE},
		{"cuMemPoolCreate", CONTEXT_NONE},
		{"cuMemPoolDestroy", CONTEXT_NONE},
		{"cuMemPoolTrimTo", CONTEXT_NONE},
		{"cuMemPoolSetAttribute", CONTEXT_NONE},
		{"cuMemPoolGetAttribute", CONTEXT_NONE},
		{"cuMemPoolSetAccess", CONTEXT_NONE},
		{"cuMemPoolGetAccess", CONTEXT_NONE},
		{"cuCtxSynchronize_v2", CONTEXT_NONE},
		{"cuCtxGetDevice_v2", CONTEXT_NONE},
		/* What is freed belongs to a context by itself. */
		{"cuMemFree_v2", CONTEXT_LIVE_OR_NONE},
		{"cuMemFreeHost", CONTEXT_LIVE_OR_NONE},
		{"cuMemHostUnregister", CONTEXT_LIVE_OR_NONE},
		{"cuEventDestroy_v2", CONTEXT_LIVE_OR_NONE},
		{"cuStreamDestroy_v2", CONTEXT_LIVE_OR_NONE},
		{"cuModuleUnload", CONTEXT_LIVE_OR_NONE},
	};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (!strcmp(name, list[i].name))
			return list[i].need;
	return CONTEXT_LIVE;
}

bool api_of_driver(void)
{
	return outermost && is_driver(outermost->name);
}

cudaError_t api_context(void)
{
	if (process_state == PROCESS_FORKED)
		return cudaErrorInitializationError;
	if (process_state == PROCESS_EXITING)
		return cudaErrorCudartUnloading;
	if (in_host_function())
		return cudaErrorNotPermitted;
	if (!device_count())
		return device_none();
	bool driver = outermost && is_driver(outermost->name);
	enum context_need need = driver ? need_of(outermost->name) : CONTEXT_LIVE;
	cudaError_t none = driver ? context_for_driver(need) : context_for_runtime();
	if (none)
		return none;
	struct device *device = device_current();
	int error = device_activate(device);
	if (!error && (need == CONTEXT_ANY || need == CONTEXT_NONE))
		return cudaSuccess;
	if (!error && (error = atomic_load(&device->sticky)))
		/* The call that tells of a dead kernel is also the one after
		 * which its last words are to be seen. */
		printf_flush(device);
	return (cudaError_t)error;
}

bool api_is_dead(void)
{
	return device_count() && atomic_load(&device_current()->sticky);
}

cudaError_t api_unsupported(const char *what)
{
	static struct hash said;
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&lock);
	bool first = !hash_get(&said, what) && hash_put(&said, what, &said);
	pthread_mutex_unlock(&lock);
	if (first)
		log_line("%s is not supported", what);
	return cudaErrorNotSupported;
}

cudaError_t api_submit(cudaStream_t handle, struct work *work, bool wait)
{
	struct stream *stream;
	cudaError_t error = stream_resolve(handle, &stream);
	if (error) {
		work_fini(work);
		return error;
	}
	if (!work->device)
		work->device = stream->device;
	struct operation *operation = NULL;
	error = capture_check_legacy(stream);
	if (error)
		work_fini(work);
	else if (stream_capturing(stream))
		error = wait ? capture_break(stream, work) : capture_add(stream, work);
	else
		error = stream_submit(stream, work, NULL, wait ? &operation : NULL);
	if (operation) {
		operation_wait(operation);
		operation_unref(operation);
		error = api_synchronized(stream->device);
	}
	stream_unref(stream);
	return error;
}

bool api_capturing(cudaStream_t handle)
{
	struct stream *stream;
	if (stream_resolve(handle, &stream))
		return false;
	bool capturing = stream_capturing(stream);
	stream_unref(stream);
	return capturing;
}

cudaError_t api_synchronized(struct device *device)
{
	printf_flush(device);
	return (cudaError_t)atomic_load(&device->sticky);
}
