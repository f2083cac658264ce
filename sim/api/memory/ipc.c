/* SPDX-License-Identifier: Apache-2.0 */
/* ipc.c - memory, events and pools of other processes. */
#include "ipc.h"

#include <string.h>

#include "api.h"
#include "event.h"
#include "memory.h"

/* ---- memory ---------------------------------------------------------------------- */

static cudaError_t name_memory(const void *ptr, struct ipc_name *ret)
{
	struct allocation a;
	if (!memory_lookup(ptr, &a) || a.kind != CUDASIM_MEMORY_DEVICE || a.pool || a.held ||
	    a.imported)
		return cudaErrorInvalidValue;
	/* Its pages move; nothing may use them meanwhile. */
	device_wait(device_get(a.device), 0);
	return ipc_name_memory((void *)(uintptr_t)a.range.start, a.range.end - a.range.start,
			       a.device, ret);
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *ret, void *ptr)
{
	API_BEGIN_UNSAFE;
	struct ipc_name name;
	cudaError_t error = ret ? name_memory(ptr, &name) : cudaErrorInvalidValue;
	if (!error) {
		memset(ret, 0, sizeof *ret);
		memcpy(ret, &name, sizeof name);
	}
	return API_END(error);
}

cudaError_t cudaIpcOpenMemHandle(void **ret, cudaIpcMemHandle_t handle, unsigned flags)
{
	API_BEGIN_UNSAFE;
	struct ipc_name name;
	if (!ret || flags != cudaIpcMemLazyEnablePeerAccess)
		return API_END(cudaErrorInvalidValue);
	memcpy(&name, &handle, sizeof name);
	return API_END(ipc_open_memory(&name, device_current(), NULL, ret));
}

cudaError_t cudaIpcCloseMemHandle(void *ptr)
{
	API_BEGIN_UNSAFE;
	device_wait(device_current(), 0);
	return API_END(ipc_close_memory(ptr));
}

/* ---- events ------------------------------------------------------------------------ */

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *ret, cudaEvent_t handle)
{
	API_BEGIN_CONTEXT;
	struct event *event;
	struct ipc_name name;
	if (!ret || !handle)
		return API_END(cudaErrorInvalidValue);
	cudaError_t error = event_resolve(handle, &event);
	if (error)
		return API_END(error);
	if (event->shared) {
		ipc_event_name(event->shared, &name);
		memset(ret, 0, sizeof *ret);
		memcpy(ret, &name, sizeof name);
	} else {
		error = cudaErrorInvalidResourceHandle;
	}
	event_unref(event);
	return API_END(error);
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *ret, cudaIpcEventHandle_t handle)
{
	API_BEGIN_CONTEXT;
	struct ipc_name name;
	struct ipc_event *shared;
	if (!ret)
		return API_END(cudaErrorInvalidValue);
	memcpy(&name, &handle, sizeof name);
	cudaError_t error = ipc_event_open(&name, &shared);
	if (error)
		return API_END(error);
	struct event *event = event_new(device_current(),
					cudaEventInterprocess | cudaEventDisableTiming);
	if (!event) {
		ipc_event_free(shared);
		return API_END(cudaErrorMemoryAllocation);
	}
	event->shared = shared;
	*ret = (cudaEvent_t)event;
	return API_END(cudaSuccess);
}
