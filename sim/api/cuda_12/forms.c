/* SPDX-License-Identifier: Apache-2.0 */
/* forms.c - CUDA 12's forms of functions whose parameters are others in CUDA 13, and the names by which CUDA 12 has
 * the present ones. */
#include "cuda_12.h"

#include <stdint.h>

/* ---- managed memory: a device, not a place ------------------------------------------------ */

NOW(cudaMemAdvise, const void *, size_t, enum cudaMemoryAdvise, struct cudaMemLocation);
NOW(cudaMemPrefetchAsync, const void *, size_t, struct cudaMemLocation, unsigned, cudaStream_t);
NOW(cudaMemPrefetchAsync_ptsz, const void *, size_t, struct cudaMemLocation, unsigned,
    cudaStream_t);

static struct cudaMemLocation location_of(int device)
{
	return device == cudaCpuDeviceId
		       ? (struct cudaMemLocation){.type = cudaMemLocationTypeHost}
		       : (struct cudaMemLocation){.type = cudaMemLocationTypeDevice, .id = device};
}

FORM_12(cudaMemAdvise, const void *p, size_t n, enum cudaMemoryAdvise advice, int device)
{
	return now_cudaMemAdvise(p, n, advice, location_of(device));
}

ONLY_12(cudaMemAdvise_v2, const void *p, size_t n, enum cudaMemoryAdvise advice,
	struct cudaMemLocation location)
{
	return now_cudaMemAdvise(p, n, advice, location);
}

#define PREFETCH(ending)                                                                           \
	FORM_12(cudaMemPrefetchAsync##ending, const void *p, size_t n, int device, cudaStream_t s) \
	{                                                                                          \
		return now_cudaMemPrefetchAsync##ending(p, n, location_of(device), 0, s);          \
	}                                                                                          \
	ONLY_12(cudaMemPrefetchAsync_v2##ending, const void *p, size_t n,                          \
		struct cudaMemLocation location, unsigned flags, cudaStream_t s)                   \
	{                                                                                          \
		return now_cudaMemPrefetchAsync##ending(p, n, location, flags, s);                 \
	}
PREFETCH()
PREFETCH(_ptsz)

/* ---- batches of copies said which of them is wrong, SIZE_MAX where it is none alone ---------------- */

static cudaError_t none_failed(cudaError_t result, size_t *failed)
{
	if (result && failed)
		*failed = SIZE_MAX;
	return result;
}

#define BATCH(ending)                                                                              \
	NOW(cudaMemcpyBatchAsync##ending, void *const *, const void *const *, const size_t *,      \
	    size_t, struct cudaMemcpyAttributes *, size_t *, size_t, cudaStream_t);                \
	NOW(cudaMemcpy3DBatchAsync##ending, size_t, struct cudaMemcpy3DBatchOp *,                  \
	    unsigned long long, cudaStream_t);                                                     \
	FORM_12(cudaMemcpyBatchAsync##ending, void **to, void **from, size_t *sizes, size_t n,     \
		struct cudaMemcpyAttributes *a, size_t *starts, size_t n_attributes,               \
		size_t *failed, cudaStream_t s)                                                    \
	{                                                                                          \
		return none_failed(now_cudaMemcpyBatchAsync##ending(to, (const void *const *)from, \
								    sizes, n, a, starts,           \
								    n_attributes, s),              \
				   failed);                                                        \
	}                                                                                          \
	FORM_12(cudaMemcpy3DBatchAsync##ending, size_t n, struct cudaMemcpy3DBatchOp *list,        \
		size_t *failed, unsigned long long flags, cudaStream_t s)                          \
	{                                                                                          \
		return none_failed(now_cudaMemcpy3DBatchAsync##ending(n, list, flags, s), failed); \
	}
BATCH()
BATCH(_ptsz)

/* ---- graphs: edges without data, and with it as _v2 ------------------------------------------------- */

#define EDGES const cudaGraphNode_t *from, const cudaGraphNode_t *to
NOW(cudaGraphAddDependencies, cudaGraph_t, EDGES, const cudaGraphEdgeData *, size_t);
NOW(cudaGraphRemoveDependencies, cudaGraph_t, EDGES, const cudaGraphEdgeData *, size_t);
NOW(cudaGraphGetEdges, cudaGraph_t, cudaGraphNode_t *, cudaGraphNode_t *, cudaGraphEdgeData *,
    size_t *);
NOW(cudaGraphNodeGetDependencies, cudaGraphNode_t, cudaGraphNode_t *, cudaGraphEdgeData *,
    size_t *);
NOW(cudaGraphNodeGetDependentNodes, cudaGraphNode_t, cudaGraphNode_t *, cudaGraphEdgeData *,
    size_t *);
NOW(cudaGraphAddNode, cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *,
    const cudaGraphEdgeData *, size_t, struct cudaGraphNodeParams *);

FORM_12(cudaGraphAddDependencies, cudaGraph_t g, EDGES, size_t n)
{
	return now_cudaGraphAddDependencies(g, from, to, NULL, n);
}
ONLY_12(cudaGraphAddDependencies_v2, cudaGraph_t g, EDGES, const cudaGraphEdgeData *data, size_t n)
{
	return now_cudaGraphAddDependencies(g, from, to, data, n);
}

FORM_12(cudaGraphRemoveDependencies, cudaGraph_t g, EDGES, size_t n)
{
	return now_cudaGraphRemoveDependencies(g, from, to, NULL, n);
}
ONLY_12(cudaGraphRemoveDependencies_v2, cudaGraph_t g, EDGES, const cudaGraphEdgeData *data,
	size_t n)
{
	return now_cudaGraphRemoveDependencies(g, from, to, data, n);
}

FORM_12(cudaGraphGetEdges, cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n)
{
	return now_cudaGraphGetEdges(g, from, to, NULL, n);
}
ONLY_12(cudaGraphGetEdges_v2, cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to,
	cudaGraphEdgeData *data, size_t *n)
{
	return now_cudaGraphGetEdges(g, from, to, data, n);
}

#define NEIGHBOURS(name)                                                                           \
	FORM_12(name, cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n)                     \
	{                                                                                          \
		return now_##name(node, nodes, NULL, n);                                           \
	}                                                                                          \
	ONLY_12(name##_v2, cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *data,  \
		size_t *n)                                                                         \
	{                                                                                          \
		return now_##name(node, nodes, data, n);                                           \
	}
NEIGHBOURS(cudaGraphNodeGetDependencies)
NEIGHBOURS(cudaGraphNodeGetDependentNodes)

FORM_12(cudaGraphAddNode, cudaGraphNode_t *ret, cudaGraph_t g, const cudaGraphNode_t *from,
	size_t n, struct cudaGraphNodeParams *p)
{
	return now_cudaGraphAddNode(ret, g, from, NULL, n, p);
}
ONLY_12(cudaGraphAddNode_v2, cudaGraphNode_t *ret, cudaGraph_t g, const cudaGraphNode_t *from,
	const cudaGraphEdgeData *data, size_t n, struct cudaGraphNodeParams *p)
{
	return now_cudaGraphAddNode(ret, g, from, data, n, p);
}

/* ---- capture: the plain name is CUDA 10's form, which programs of 12 reach by its version only ----------- */

#define CAPTURE(ending)                                                                            \
	NOW(cudaStreamGetCaptureInfo##ending, cudaStream_t, enum cudaStreamCaptureStatus *,        \
	    unsigned long long *, cudaGraph_t *, const cudaGraphNode_t **,                         \
	    const cudaGraphEdgeData **, size_t *);                                                 \
	NOW(cudaStreamUpdateCaptureDependencies##ending, cudaStream_t, cudaGraphNode_t *,          \
	    const cudaGraphEdgeData *, size_t, unsigned);                                          \
	FORM_12(cudaStreamGetCaptureInfo##ending, cudaStream_t s,                                  \
		enum cudaStreamCaptureStatus *status, unsigned long long *id)                      \
	{                                                                                          \
		return now_cudaStreamGetCaptureInfo##ending(s, status, id, NULL, NULL, NULL,       \
							    NULL);                                 \
	}                                                                                          \
	ONLY_12(cudaStreamGetCaptureInfo_v2##ending, cudaStream_t s,                               \
		enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *g,      \
		const cudaGraphNode_t **nodes, size_t *n)                                          \
	{                                                                                          \
		return now_cudaStreamGetCaptureInfo##ending(s, status, id, g, nodes, NULL, n);     \
	}                                                                                          \
	ONLY_12(cudaStreamGetCaptureInfo_v3##ending, cudaStream_t s,                               \
		enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *g,      \
		const cudaGraphNode_t **nodes, const cudaGraphEdgeData **data, size_t *n)          \
	{                                                                                          \
		return now_cudaStreamGetCaptureInfo##ending(s, status, id, g, nodes, data, n);     \
	}                                                                                          \
	FORM_12(cudaStreamUpdateCaptureDependencies##ending, cudaStream_t s,                       \
		cudaGraphNode_t *nodes, size_t n, unsigned flags)                                  \
	{                                                                                          \
		return now_cudaStreamUpdateCaptureDependencies##ending(s, nodes, NULL, n, flags);  \
	}                                                                                          \
	ONLY_12(cudaStreamUpdateCaptureDependencies_v2##ending, cudaStream_t s,                    \
		cudaGraphNode_t *nodes, const cudaGraphEdgeData *data, size_t n, unsigned flags)   \
	{                                                                                          \
		return now_cudaStreamUpdateCaptureDependencies##ending(s, nodes, data, n, flags);  \
	}
CAPTURE()
CAPTURE(_ptsz)

/* ---- other names -------------------------------------------------------------------------------- */

NOW(cudaEventElapsedTime, float *, cudaEvent_t, cudaEvent_t);
ONLY_12(cudaEventElapsedTime_v2, float *ms, cudaEvent_t start, cudaEvent_t end)
{
	return now_cudaEventElapsedTime(ms, start, end);
}

NOW(cudaDeviceReset, void);
NOW(cudaDeviceSynchronize, void);
NOW(cudaDeviceSetLimit, enum cudaLimit, size_t);
NOW(cudaDeviceGetLimit, size_t *, enum cudaLimit);
NOW(cudaDeviceGetCacheConfig, enum cudaFuncCache *);
NOW(cudaDeviceSetCacheConfig, enum cudaFuncCache);
ONLY_12(cudaThreadExit, void)
{
	return now_cudaDeviceReset();
}
ONLY_12(cudaThreadSynchronize, void)
{
	return now_cudaDeviceSynchronize();
}
ONLY_12(cudaThreadSetLimit, enum cudaLimit limit, size_t value)
{
	return now_cudaDeviceSetLimit(limit, value);
}
ONLY_12(cudaThreadGetLimit, size_t *ret, enum cudaLimit limit)
{
	return now_cudaDeviceGetLimit(ret, limit);
}
ONLY_12(cudaThreadGetCacheConfig, enum cudaFuncCache *ret)
{
	return now_cudaDeviceGetCacheConfig(ret);
}
ONLY_12(cudaThreadSetCacheConfig, enum cudaFuncCache config)
{
	return now_cudaDeviceSetCacheConfig(config);
}

/* Of GPUs without double, which CUDA 12 does not know any more. */
ONLY_12(cudaSetDoubleForDevice, double *value)
{
	(void)value;
	return cudaSuccess;
}
ONLY_12(cudaSetDoubleForHost, double *value)
{
	(void)value;
	return cudaSuccess;
}

/* ---- what is not supported says so by CUDA 13's name ------------------------------------------------- */

#define SEMAPHORES(ending)                                                                         \
	NOW(cudaSignalExternalSemaphoresAsync##ending, const void *, const void *, unsigned,       \
	    cudaStream_t);                                                                         \
	NOW(cudaWaitExternalSemaphoresAsync##ending, const void *, const void *, unsigned,         \
	    cudaStream_t);                                                                         \
	ONLY_12(cudaSignalExternalSemaphoresAsync_v2##ending, const void *list, const void *p,     \
		unsigned n, cudaStream_t s)                                                        \
	{                                                                                          \
		return now_cudaSignalExternalSemaphoresAsync##ending(list, p, n, s);               \
	}                                                                                          \
	ONLY_12(cudaWaitExternalSemaphoresAsync_v2##ending, const void *list, const void *p,       \
		unsigned n, cudaStream_t s)                                                        \
	{                                                                                          \
		return now_cudaWaitExternalSemaphoresAsync##ending(list, p, n, s);                 \
	}
SEMAPHORES()
SEMAPHORES(_ptsz)

int api_unsupported(const char *what); /* api.c */
ONLY_12(cudaLaunchCooperativeKernelMultiDevice, void *list, unsigned n, unsigned flags)
{
	(void)list, (void)n, (void)flags;
	return (cudaError_t)api_unsupported("cudaLaunchCooperativeKernelMultiDevice");
}
