/* SPDX-License-Identifier: Apache-2.0 */
/* per_thread.c - the forms that programs call which are built with
 * --default-stream per-thread: stream 0 is the calling thread's own. Those of
 * calls without a stream (_ptds) stand beside the calls themselves. */
#include "api.h"

static cudaStream_t own(cudaStream_t stream)
{
	return stream ? stream : cudaStreamPerThread;
}

/* Each line: the function, its parameters, and the arguments to hand on. */
#define PTSZ(name, parameters, ...)                                                                \
	API_EXPORT cudaError_t name##_ptsz parameters;                                             \
	cudaError_t name##_ptsz parameters                                                         \
	{                                                                                          \
		return name(__VA_ARGS__);                                                          \
	}

PTSZ(cudaLaunchKernel, (const void *f, dim3 g, dim3 b, void **a, size_t n, cudaStream_t s), f, g, b,
     a, n, own(s))
PTSZ(cudaLaunchCooperativeKernel,
     (const void *f, dim3 g, dim3 b, void **a, size_t n, cudaStream_t s), f, g, b, a, n, own(s))
PTSZ(cudaLaunchHostFunc, (cudaStream_t s, cudaHostFn_t f, void *u), own(s), f, u)

PTSZ(cudaMemcpyAsync, (void *d, const void *p, size_t n, enum cudaMemcpyKind k, cudaStream_t s), d,
     p, n, k, own(s))
PTSZ(cudaMemcpy2DAsync,
     (void *d, size_t dp, const void *p, size_t pp, size_t w, size_t h, enum cudaMemcpyKind k,
      cudaStream_t s),
     d, dp, p, pp, w, h, k, own(s))
PTSZ(cudaMemcpy2DToArrayAsync,
     (cudaArray_t d, size_t x, size_t y, const void *p, size_t pp, size_t w, size_t h,
      enum cudaMemcpyKind k, cudaStream_t s),
     d, x, y, p, pp, w, h, k, own(s))
PTSZ(cudaMemcpy2DFromArrayAsync,
     (void *d, size_t dp, cudaArray_const_t p, size_t x, size_t y, size_t w, size_t h,
      enum cudaMemcpyKind k, cudaStream_t s),
     d, dp, p, x, y, w, h, k, own(s))
PTSZ(cudaMemcpyToArrayAsync,
     (cudaArray_t d, size_t x, size_t y, const void *p, size_t n, enum cudaMemcpyKind k,
      cudaStream_t s),
     d, x, y, p, n, k, own(s))
PTSZ(cudaMemcpyFromArrayAsync,
     (void *d, cudaArray_const_t p, size_t x, size_t y, size_t n, enum cudaMemcpyKind k,
      cudaStream_t s),
     d, p, x, y, n, k, own(s))
PTSZ(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *p, cudaStream_t s), p, own(s))
PTSZ(cudaMemcpy3DPeerAsync, (const struct cudaMemcpy3DPeerParms *p, cudaStream_t s), p, own(s))
PTSZ(cudaMemcpyToSymbolAsync,
     (const void *d, const void *p, size_t n, size_t o, enum cudaMemcpyKind k, cudaStream_t s), d,
     p, n, o, k, own(s))
PTSZ(cudaMemcpyFromSymbolAsync,
     (void *d, const void *p, size_t n, size_t o, enum cudaMemcpyKind k, cudaStream_t s), d, p, n,
     o, k, own(s))
PTSZ(cudaMemcpyBatchAsync,
     (void *const *d, const void *const *p, const size_t *n, size_t c,
      struct cudaMemcpyAttributes *a, size_t *i, size_t m, cudaStream_t s),
     d, p, n, c, a, i, m, s)
PTSZ(cudaMemsetAsync, (void *d, int v, size_t n, cudaStream_t s), d, v, n, own(s))
PTSZ(cudaMemset2DAsync, (void *d, size_t p, int v, size_t w, size_t h, cudaStream_t s), d, p, v, w,
     h, own(s))
PTSZ(cudaMemset3DAsync, (struct cudaPitchedPtr d, int v, struct cudaExtent e, cudaStream_t s), d, v,
     e, own(s))
PTSZ(cudaMallocAsync, (void **p, size_t n, cudaStream_t s), p, n, own(s))
PTSZ(cudaMallocFromPoolAsync, (void **p, size_t n, cudaMemPool_t m, cudaStream_t s), p, n, m,
     own(s))
PTSZ(cudaFreeAsync, (void *p, cudaStream_t s), p, own(s))
PTSZ(cudaMemPrefetchAsync,
     (const void *p, size_t n, struct cudaMemLocation l, unsigned f, cudaStream_t s), p, n, l, f,
     own(s))

PTSZ(cudaStreamSynchronize, (cudaStream_t s), own(s))
PTSZ(cudaStreamQuery, (cudaStream_t s), own(s))
PTSZ(cudaStreamGetFlags, (cudaStream_t s, unsigned *r), own(s), r)
PTSZ(cudaStreamGetPriority, (cudaStream_t s, int *r), own(s), r)
PTSZ(cudaStreamGetId, (cudaStream_t s, unsigned long long *r), own(s), r)
PTSZ(cudaStreamGetDevice, (cudaStream_t s, int *r), own(s), r)
PTSZ(cudaStreamSetAttribute,
     (cudaStream_t s, cudaLaunchAttributeID i, const cudaLaunchAttributeValue *v), own(s), i, v)
PTSZ(cudaStreamGetAttribute, (cudaStream_t s, cudaLaunchAttributeID i, cudaLaunchAttributeValue *v),
     own(s), i, v)
PTSZ(cudaStreamCopyAttributes, (cudaStream_t d, cudaStream_t s), own(d), own(s))
PTSZ(cudaStreamAddCallback, (cudaStream_t s, cudaStreamCallback_t c, void *u, unsigned f), own(s),
     c, u, f)
PTSZ(cudaStreamAttachMemAsync, (cudaStream_t s, void *p, size_t n, unsigned f), own(s), p, n, f)
PTSZ(cudaStreamWaitEvent, (cudaStream_t s, cudaEvent_t e, unsigned f), own(s), e, f)
PTSZ(cudaEventRecord, (cudaEvent_t e, cudaStream_t s), e, own(s))
PTSZ(cudaEventRecordWithFlags, (cudaEvent_t e, cudaStream_t s, unsigned f), e, own(s), f)
PTSZ(cudaStreamBeginCaptureToGraph,
     (cudaStream_t s, cudaGraph_t g, const cudaGraphNode_t *a, const cudaGraphEdgeData *e, size_t n,
      enum cudaStreamCaptureMode m),
     own(s), g, a, e, n, m)
PTSZ(cudaStreamUpdateCaptureDependencies,
     (cudaStream_t s, cudaGraphNode_t *a, const cudaGraphEdgeData *e, size_t n, unsigned f), own(s),
     a, e, n, f)
PTSZ(cudaGetDriverEntryPoint,
     (const char *n, void **p, unsigned long long f, enum cudaDriverEntryPointQueryResult *r), n, p,
     f, r)
PTSZ(cudaGetDriverEntryPointByVersion,
     (const char *n, void **p, unsigned v, unsigned long long f,
      enum cudaDriverEntryPointQueryResult *r),
     n, p, v, f, r)

API_EXPORT cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *f,
						void **args);
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *f, void **args)
{
	if (!config)
		return cudaLaunchKernelExC(config, f, args);
	cudaLaunchConfig_t own_config = *config;
	own_config.stream = own(config->stream);
	return cudaLaunchKernelExC(&own_config, f, args);
}

API_EXPORT cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t f, dim3 g, dim3 b, void **a, size_t n,
					       cudaStream_t s);
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t f, dim3 g, dim3 b, void **a, size_t n,
				    cudaStream_t s)
{
	return cudaLaunchKernel(f, g, b, a, n, own(s));
}

/* ---- graphs --------------------------------------------------------------------- */

PTSZ(cudaGraphLaunch, (cudaGraphExec_t e, cudaStream_t s), e, own(s))
PTSZ(cudaGraphUpload, (cudaGraphExec_t e, cudaStream_t s), e, own(s))
PTSZ(cudaGraphInstantiateWithParams,
     (cudaGraphExec_t * e, cudaGraph_t g, cudaGraphInstantiateParams *p), e, g, p)
PTSZ(cudaStreamBeginCapture, (cudaStream_t s, enum cudaStreamCaptureMode m), own(s), m)
PTSZ(cudaStreamEndCapture, (cudaStream_t s, cudaGraph_t *g), own(s), g)
PTSZ(cudaStreamIsCapturing, (cudaStream_t s, enum cudaStreamCaptureStatus *r), own(s), r)
PTSZ(cudaStreamGetCaptureInfo,
     (cudaStream_t s, enum cudaStreamCaptureStatus *r, unsigned long long *i, cudaGraph_t *g,
      const cudaGraphNode_t **d, const cudaGraphEdgeData **e, size_t *n),
     own(s), r, i, g, d, e, n)
