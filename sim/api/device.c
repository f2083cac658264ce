/* SPDX-License-Identifier: Apache-2.0 */
/* device.c - choosing devices, their properties and limits, peers, reset. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "toolkit_version.h"
#include "activate.h"
#include "array.h"
#include "context.h"
#include "cudasim/abi.h"
#include "memory.h"
#include "observer.h"
#include "profile.h"
#include "registry.h"
#include "process.h"
#include "texture.h"

static cudaError_t check_ordinal(int ordinal)
{
	if (process_state == PROCESS_FORKED)
		return cudaErrorInitializationError;
	if (api_of_driver() && !context_started())
		return cudaErrorInitializationError;
	context_start();
	if (!device_count())
		return device_none();
	return ordinal >= 0 && ordinal < device_count() ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaGetDeviceCount(int *count)
{
	API_BEGIN;
	if (!count)
		return API_END(cudaErrorInvalidValue);
	cudaError_t error = check_ordinal(0);
	if (!error)
		*count = device_count();
	return API_END(error);
}

cudaError_t cudaGetDevice(int *ordinal)
{
	API_BEGIN;
	if (!ordinal)
		return API_END(cudaErrorInvalidValue);
	cudaError_t error = check_ordinal(0);
	if (!error)
		*ordinal = (int)device_current()->ordinal;
	return API_END(error);
}

/* As in CUDA 12 and later it also makes the device ready. */
static cudaError_t set_device(int ordinal)
{
	cudaError_t error = check_ordinal(ordinal);
	if (error)
		return error;
	device_set_current(ordinal);
	/* The driver's calls only look at another device so. */
	error = api_of_driver() ? cudaSuccess : context_use(device_get(ordinal));
	return error ? error : (cudaError_t)device_activate(device_get(ordinal));
}

cudaError_t cudaSetDevice(int ordinal)
{
	API_BEGIN;
	return API_END(set_device(ordinal));
}

static bool are_flags(unsigned flags)
{
	const unsigned known = cudaDeviceScheduleMask | cudaDeviceMapHost |
			       cudaDeviceLmemResizeToMax | cudaDeviceSyncMemops;
	/* Of the ways to wait for the device one at most. */
	return !(flags & ~known) && __builtin_popcount(flags & cudaDeviceScheduleMask) <= 1;
}

cudaError_t cudaInitDevice(int ordinal, unsigned device_flags, unsigned flags)
{
	API_BEGIN;
	cudaError_t error = check_ordinal(ordinal);
	if (!error &&
	    (flags & ~(unsigned)cudaInitDeviceFlagsAreValid || (flags && !are_flags(device_flags))))
		error = cudaErrorInvalidValue;
	return API_END(error ? error : (cudaError_t)device_activate(device_get(ordinal)));
}

cudaError_t cudaSetValidDevices(int *devices, int n)
{
	API_BEGIN;
	if (n < 0 || (n && !devices))
		return API_END(cudaErrorInvalidValue);
	for (int i = 0; i < n; i++)
		if (check_ordinal(devices[i]))
			return API_END(cudaErrorInvalidDevice);
	if (n)
		device_set_current(devices[0]);
	if (n && context_top())
		context_set(NULL);
	return API_END(cudaSuccess);
}

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
	API_BEGIN_CONTEXT;
	if (!are_flags(flags))
		return API_END(cudaErrorInvalidValue);
	atomic_store(&device_current()->flags, flags);
	return API_END(cudaSuccess);
}

cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
	API_BEGIN_CONTEXT;
	if (!flags)
		return API_END(cudaErrorInvalidValue);
	*flags = atomic_load(&device_current()->flags) | cudaDeviceMapHost;
	return API_END(cudaSuccess);
}

cudaError_t cudaDeviceSynchronize(void)
{
	API_BEGIN_CONTEXT;
	struct device *device = device_current();
	cudaError_t error = capture_check_device(device);
	if (error)
		return API_END(error);
	device_wait(device, 0);
	struct cudasim_order_event event = {
		.kind = CUDASIM_ORDER_DEVICE_SYNC,
		.device = device->ordinal,
	};
	observe_order(&event);
	return API_END(api_synchronized(device));
}

/* Memory is freed and variables have their first values again; streams and
 * events of the program stay usable, which no program can count on. */
cudaError_t cudaDeviceReset(void)
{
	API_BEGIN;
	if (check_ordinal(0))
		return API_END(check_ordinal(0));
	struct device *device = device_current();
	if (!atomic_load(&device->active))
		return API_END(cudaSuccess);
	device_wait(device, 0);
	printf_flush(device);
	atomic_store(&device->sticky, 0);
	atomic_store(&device->kernel_flags, 0);
	texture_reset((int)device->ordinal);
	array_reset((int)device->ordinal);
	memory_reset(device);
	registry_reset(device);
	/* Calls of the driver say that the context has ended; the runtime makes it again. */
	if (!api_of_driver())
		atomic_store(&context_primary(device)->refs, 0);
	return API_END(cudaSuccess);
}

/* ---- properties --------------------------------------------------------------- */

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int ordinal)
{
	API_BEGIN;
	cudaError_t error = check_ordinal(ordinal);
	if (error)
		return API_END(error);
	if (!value || !profile_attribute(device_get(ordinal)->profile, (int)attribute, value))
		return API_END(cudaErrorInvalidValue);
	if (attribute == cudaDevAttrPciBusId)
		*value = (int)device_get(ordinal)->physical + 1;
	return API_END(cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *ret, int ordinal)
{
	API_BEGIN;
	cudaError_t error = check_ordinal(ordinal);
	if (error)
		return API_END(error);
	if (!ret)
		return API_END(cudaErrorInvalidValue);
	profile_properties(device_get(ordinal), ret);
	return API_END(cudaSuccess);
}

/* The device that fits best: the first that has as much of everything asked for. */
static bool has(const struct cudaDeviceProp *p, const struct cudaDeviceProp *wanted)
{
	return (!wanted->name[0] || !strcmp(wanted->name, p->name)) &&
	       wanted->totalGlobalMem <= p->totalGlobalMem &&
	       (wanted->major < p->major ||
		(wanted->major == p->major && wanted->minor <= p->minor)) &&
	       wanted->multiProcessorCount <= p->multiProcessorCount;
}

cudaError_t cudaChooseDevice(int *ordinal, const struct cudaDeviceProp *wanted)
{
	API_BEGIN;
	if (!ordinal || !wanted)
		return API_END(cudaErrorInvalidValue);
	if (check_ordinal(0))
		return API_END(check_ordinal(0));
	*ordinal = 0;
	for (int i = 0; i < device_count(); i++) {
		struct cudaDeviceProp p;
		profile_properties(device_get(i), &p);
		if (has(&p, wanted)) {
			*ordinal = i;
			break;
		}
	}
	return API_END(cudaSuccess);
}

cudaError_t cudaDeviceGetPCIBusId(char *to, int length, int ordinal)
{
	API_BEGIN;
	char id[32];
	cudaError_t error = check_ordinal(ordinal);
	if (error)
		return API_END(error);
	int n = snprintf(id, sizeof id, "0000:%02X:00.0", device_get(ordinal)->physical + 1);
	if (!to || length <= n)
		return API_END(cudaErrorInvalidValue);
	memcpy(to, id, (size_t)n + 1);
	return API_END(cudaSuccess);
}

cudaError_t cudaDeviceGetByPCIBusId(int *ordinal, const char *id)
{
	API_BEGIN;
	unsigned domain = 0, bus = 0, slot = 0, function = 0;
	if (!ordinal || !id)
		return API_END(cudaErrorInvalidValue);
	if (sscanf(id, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
		domain = 0;
		if (sscanf(id, "%x:%x.%x", &bus, &slot, &function) < 2)
			return API_END(cudaErrorInvalidValue);
	}
	for (int i = 0; i < device_count(); i++) {
		if (!domain && !slot && !function && bus == device_get(i)->physical + 1) {
			*ordinal = i;
			return API_END(cudaSuccess);
		}
	}
	return API_END(cudaErrorInvalidDevice);
}

/* ---- limits ------------------------------------------------------------------- */

/* Limits that only the driver's header names: shared memory of a block, whether it is CIG's, and
 * another. The first two can be looked at. */
enum { LIMIT_SHARED = 7, LIMIT_CIG = 8, N_LIMITS = 10 };

/* Without the sync depth of device-side launches, which CUDA 12 gave up. */
static cudaError_t check_limit(enum cudaLimit limit)
{
	if ((unsigned)limit >= N_LIMITS)
		return cudaErrorInvalidValue;
	return (unsigned)limit <= cudaLimitPersistingL2CacheSize &&
			       limit != cudaLimitDevRuntimeSyncDepth
		       ? cudaSuccess
		       : cudaErrorUnsupportedLimit;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
	API_BEGIN_CONTEXT;
	if (!value)
		return API_END(cudaErrorInvalidValue);
	if ((int)limit == LIMIT_SHARED) {
		*value = device_current()->profile->shared_per_block_optin;
		return API_END(cudaSuccess);
	}
	if ((int)limit == LIMIT_CIG) {
		*value = 0;
		return API_END(cudaSuccess);
	}
	if (check_limit(limit))
		return API_END(check_limit(limit));
	*value = atomic_load(&device_current()->limits[limit]);
	return API_END(cudaSuccess);
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
	API_BEGIN_CONTEXT;
	struct device *device = device_current();
	if ((int)limit == LIMIT_SHARED || (int)limit == LIMIT_CIG)
		return API_END(cudaErrorNotPermitted);
	cudaError_t error = check_limit(limit);
	if (!error)
		error = profile_limit(device->profile, limit, &value);
	if (error)
		return API_END(error);
	device_wait(device, 0);
	unsigned used = atomic_load(&device->kernel_flags);
	if ((limit == cudaLimitMallocHeapSize && used & CUDASIM_KERNEL_HEAP) ||
	    (limit == cudaLimitPrintfFifoSize && used & CUDASIM_KERNEL_PRINTS)) {
		api_reason("A kernel that uses it has been launched");
		return API_END(cudaErrorInvalidValue);
	}
	atomic_store(&device->limits[limit], value);
	scheduler_limits(device, atomic_load(&device->limits[cudaLimitMallocHeapSize]),
			 atomic_load(&device->limits[cudaLimitPrintfFifoSize]),
			 atomic_load(&device->limits[cudaLimitStackSize]));
	return API_END(cudaSuccess);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
	API_BEGIN_CONTEXT;
	if (!config)
		return API_END(cudaErrorInvalidValue);
	*config = (enum cudaFuncCache)atomic_load(&device_current()->cache_config);
	return API_END(cudaSuccess);
}

/* A preference; these devices choose for themselves. */
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
	API_BEGIN_CONTEXT;
	if ((unsigned)config > cudaFuncCachePreferEqual)
		return API_END(cudaErrorInvalidValue);
	atomic_store(&device_current()->cache_config, (int)config);
	return API_END(cudaSuccess);
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
	API_BEGIN_CONTEXT;
	if (!config)
		return API_END(cudaErrorInvalidValue);
	*config = cudaSharedMemBankSizeFourByte;
	return API_END(cudaSuccess);
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
	API_BEGIN_CONTEXT;
	return API_END((unsigned)config > cudaSharedMemBankSizeEightByte ? cudaErrorInvalidValue
									 : cudaSuccess);
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
	API_BEGIN_CONTEXT;
	return API_END(cudaSuccess);
}

/* ---- peers -------------------------------------------------------------------- */

cudaError_t cudaDeviceCanAccessPeer(int *can, int ordinal, int peer)
{
	API_BEGIN;
	cudaError_t error = check_ordinal(ordinal);
	if (!error)
		error = check_ordinal(peer);
	if (error)
		return API_END(error);
	if (!can)
		return API_END(cudaErrorInvalidValue);
	*can = ordinal != peer;
	return API_END(cudaSuccess);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
	API_BEGIN_CONTEXT;
	struct device *device = device_current();
	cudaError_t error = check_ordinal(peer);
	if (error)
		return API_END(error);
	if (flags)
		return API_END(cudaErrorInvalidValue);
	if (peer == (int)device->ordinal)
		return API_END(cudaErrorPeerAccessUnsupported);
	error = (cudaError_t)device_activate(device_get(peer));
	if (!error && atomic_fetch_or(&device->peers, 1u << peer) >> peer & 1)
		error = cudaErrorPeerAccessAlreadyEnabled;
	return API_END(error);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
	API_BEGIN_CONTEXT;
	cudaError_t error = check_ordinal(peer);
	if (error)
		return API_END(error);
	unsigned before = atomic_fetch_and(&device_current()->peers, ~(1u << peer));
	return API_END(before >> peer & 1 ? cudaSuccess : cudaErrorPeerAccessNotEnabled);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int from,
				      int to)
{
	API_BEGIN;
	cudaError_t error = check_ordinal(from);
	if (!error)
		error = check_ordinal(to);
	if (error)
		return API_END(error);
	if (!value)
		return API_END(cudaErrorInvalidValue);
	if (from == to)
		return API_END(cudaErrorInvalidDevice);
	switch (attribute) {
	case cudaDevP2PAttrPerformanceRank:
		*value = 0;
		return API_END(cudaSuccess);
	case cudaDevP2PAttrAccessSupported:
	case cudaDevP2PAttrNativeAtomicSupported:
	case cudaDevP2PAttrCudaArrayAccessSupported:
		*value = 1;
		return API_END(cudaSuccess);
	default:
		return API_END(cudaErrorInvalidValue);
	}
}

/* ---- versions, profiler --------------------------------------------------------- */

static cudaError_t version(int *ret)
{
	if (!ret)
		return cudaErrorInvalidValue;
	*ret = toolkit_version(CUDART_VERSION / 1000, CUDART_VERSION);
	return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *ret)
{
	API_BEGIN;
	return API_END(version(ret));
}

cudaError_t cudaDriverGetVersion(int *ret)
{
	API_BEGIN;
	return API_END(version(ret));
}

API_EXPORT cudaError_t CUDARTAPI cudaProfilerStart(void);
API_EXPORT cudaError_t CUDARTAPI cudaProfilerStop(void);

cudaError_t cudaProfilerStart(void)
{
	API_BEGIN_CONTEXT;
	return API_END(cudaSuccess);
}

cudaError_t cudaProfilerStop(void)
{
	API_BEGIN_CONTEXT;
	return API_END(cudaSuccess);
}

/* Nothing but this process writes to a device's memory. */
cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget target,
					       enum cudaFlushGPUDirectRDMAWritesScope scope)
{
	API_BEGIN_CONTEXT;
	bool known = target == cudaFlushGPUDirectRDMAWritesTargetCurrentDevice &&
		     (scope == cudaFlushGPUDirectRDMAWritesToOwner ||
		      scope == cudaFlushGPUDirectRDMAWritesToAllDevices);
	return API_END(known ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- atomics across ------------------------------------------------------------------ */

static bool are_operations(const enum cudaAtomicOperation *operations, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if ((unsigned)operations[i] > cudaAtomicOperationFloatMax)
			return false;
	return true;
}

/* An H200 on PCIe does none of them on the host's memory by itself. */
cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned *ret,
						const enum cudaAtomicOperation *operations,
						unsigned n, int device)
{
	API_BEGIN_CONTEXT;
	if (!ret || !operations || !n || !are_operations(operations, n))
		return API_END(cudaErrorInvalidValue);
	if (device < 0 || device >= device_count())
		return API_END(cudaErrorInvalidDevice);
	memset(ret, 0, n * sizeof *ret);
	return API_END(cudaSuccess);
}

cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned *ret,
					       const enum cudaAtomicOperation *operations,
					       unsigned n, int from, int to)
{
	API_BEGIN_CONTEXT;
	if (!ret || !operations || !n || !are_operations(operations, n))
		return API_END(cudaErrorInvalidValue);
	if (from < 0 || from >= device_count() || to < 0 || to >= device_count() || from == to)
		return API_END(cudaErrorInvalidDevice);
	return API_END(api_unsupported("cudaDeviceGetP2PAtomicCapabilities"));
}
