/* SPDX-License-Identifier: Apache-2.0 */
/* driver_per_thread.c - the forms of the driver's calls that programs call which are built with
 * --default-stream per-thread (CUDA_API_PER_THREAD_DEFAULT_STREAM): stream 0 is the calling
 * thread's own. Those of copies by descriptor and of arrays stand in driver_array.c. */
#include "driver_api.h"

static CUstream own(CUstream stream)
{
	return stream ? stream : CU_STREAM_PER_THREAD;
}

/* Each line: the function, its parameters, and the arguments to hand on. */
#define PTSZ(name, parameters, ...)                                                                \
	API_EXPORT CUresult CUDAAPI name##_ptsz parameters;                                        \
	CUresult CUDAAPI name##_ptsz parameters                                                    \
	{                                                                                          \
		return name(__VA_ARGS__);                                                          \
	}
/* Of calls without a stream: what to do in their place. */
#define PTDS(name, parameters, ...)                                                                \
	API_EXPORT CUresult CUDAAPI name##_ptds parameters;                                        \
	SAME(name##_ptds, parameters, __VA_ARGS__)

/* ---- copies and sets --------------------------------------------------------------------- */

cudaError_t cudaMemcpy_ptds(void *to, const void *from, size_t n, enum cudaMemcpyKind kind);

PTDS(cuMemcpy, (CUdeviceptr d, CUdeviceptr p, size_t n),
     cudaMemcpy_ptds(DEVICE(d), DEVICE(p), n, cudaMemcpyDefault))
PTDS(cuMemcpyHtoD_v2, (CUdeviceptr d, const void *p, size_t n),
     cudaMemcpy_ptds(DEVICE(d), p, n, cudaMemcpyHostToDevice))
PTDS(cuMemcpyDtoH_v2, (void *d, CUdeviceptr p, size_t n),
     cudaMemcpy_ptds(d, DEVICE(p), n, cudaMemcpyDeviceToHost))
PTDS(cuMemcpyDtoD_v2, (CUdeviceptr d, CUdeviceptr p, size_t n),
     cudaMemcpy_ptds(DEVICE(d), DEVICE(p), n, cudaMemcpyDeviceToDevice))
/* Copies between devices wait for both, whatever the stream. */
PTDS(cuMemcpyPeer, (CUdeviceptr d, CUcontext dc, CUdeviceptr p, CUcontext pc, size_t n),
     cuMemcpyPeer(d, dc, p, pc, n))
PTSZ(cuMemcpyPeerAsync,
     (CUdeviceptr d, CUcontext dc, CUdeviceptr p, CUcontext pc, size_t n, CUstream s), d, dc, p, pc,
     n, own(s))
PTSZ(cuMemcpyAsync, (CUdeviceptr d, CUdeviceptr p, size_t n, CUstream s), d, p, n, own(s))
PTSZ(cuMemcpyHtoDAsync_v2, (CUdeviceptr d, const void *p, size_t n, CUstream s), d, p, n, own(s))
PTSZ(cuMemcpyDtoHAsync_v2, (void *d, CUdeviceptr p, size_t n, CUstream s), d, p, n, own(s))
PTSZ(cuMemcpyDtoDAsync_v2, (CUdeviceptr d, CUdeviceptr p, size_t n, CUstream s), d, p, n, own(s))
PTSZ(cuMemcpyHtoAAsync_v2, (CUarray d, size_t at, const void *p, size_t n, CUstream s), d, at, p, n,
     own(s))
PTSZ(cuMemcpyAtoHAsync_v2, (void *d, CUarray p, size_t at, size_t n, CUstream s), d, p, at, n,
     own(s))
PTSZ(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *p, CUstream s), p, own(s))
PTSZ(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *p, CUstream s), p, own(s))
PTSZ(cuMemcpy3DPeerAsync, (const CUDA_MEMCPY3D_PEER *p, CUstream s), p, own(s))
PTSZ(cuMemcpyBatchAsync_v2,
     (CUdeviceptr * d, CUdeviceptr *p, size_t *n, size_t c, CUmemcpyAttributes *a, size_t *i,
      size_t m, CUstream s),
     d, p, n, c, a, i, m, own(s))
PTSZ(cuMemcpy3DBatchAsync_v2,
     (size_t n, CUDA_MEMCPY3D_BATCH_OP *l, unsigned long long f, CUstream s), n, l, f, own(s))

#define SETS(bits, type)                                                                           \
	PTDS(cuMemsetD##bits##_v2, (CUdeviceptr d, type v, size_t n),                              \
	     cuMemsetD##bits##Async(d, v, n, CU_STREAM_PER_THREAD))                                \
	PTDS(cuMemsetD2D##bits##_v2, (CUdeviceptr d, size_t p, type v, size_t w, size_t h),        \
	     cuMemsetD2D##bits##Async(d, p, v, w, h, CU_STREAM_PER_THREAD))                        \
	PTSZ(cuMemsetD##bits##Async, (CUdeviceptr d, type v, size_t n, CUstream s), d, v, n,       \
	     own(s))                                                                               \
	PTSZ(cuMemsetD2D##bits##Async,                                                             \
	     (CUdeviceptr d, size_t p, type v, size_t w, size_t h, CUstream s), d, p, v, w, h,     \
	     own(s))
SETS(8, unsigned char)
SETS(16, unsigned short)
SETS(32, unsigned)

/* ---- memory --------------------------------------------------------------------------------- */

PTSZ(cuMemAllocAsync, (CUdeviceptr * p, size_t n, CUstream s), p, n, own(s))
PTSZ(cuMemAllocFromPoolAsync, (CUdeviceptr * p, size_t n, CUmemoryPool m, CUstream s), p, n, m,
     own(s))
PTSZ(cuMemFreeAsync, (CUdeviceptr p, CUstream s), p, own(s))
PTSZ(cuMemPrefetchAsync_v2, (CUdeviceptr p, size_t n, CUmemLocation l, unsigned f, CUstream s), p,
     n, l, f, own(s))
PTSZ(cuMemPrefetchBatchAsync,
     (CUdeviceptr * p, size_t *z, size_t n, CUmemLocation *l, size_t *i, size_t m,
      unsigned long long f, CUstream s),
     p, z, n, l, i, m, f, own(s))
PTSZ(cuMemDiscardBatchAsync,
     (CUdeviceptr * p, size_t *z, size_t n, unsigned long long f, CUstream s), p, z, n, f, own(s))
PTSZ(cuMemDiscardAndPrefetchBatchAsync,
     (CUdeviceptr * p, size_t *z, size_t n, CUmemLocation *l, size_t *i, size_t m,
      unsigned long long f, CUstream s),
     p, z, n, l, i, m, f, own(s))

/* ---- launches, streams, events ------------------------------------------------------------------ */

PTSZ(cuLaunchKernel,
     (CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
      unsigned m, CUstream s, void **a, void **e),
     f, gx, gy, gz, bx, by, bz, m, own(s), a, e)
PTSZ(cuLaunchCooperativeKernel,
     (CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
      unsigned m, CUstream s, void **a),
     f, gx, gy, gz, bx, by, bz, m, own(s), a)
PTSZ(cuLaunchHostFunc, (CUstream s, CUhostFn f, void *u), own(s), f, u)

API_EXPORT CUresult CUDAAPI cuLaunchKernelEx_ptsz(const CUlaunchConfig *c, CUfunction f,
						  void **args, void **extra);
CUresult CUDAAPI cuLaunchKernelEx_ptsz(const CUlaunchConfig *c, CUfunction f, void **args,
				       void **extra)
{
	if (!c)
		return cuLaunchKernelEx(c, f, args, extra);
	CUlaunchConfig own_config = *c;
	own_config.hStream = own(c->hStream);
	return cuLaunchKernelEx(&own_config, f, args, extra);
}

PTSZ(cuStreamGetPriority, (CUstream s, int *r), own(s), r)
PTSZ(cuStreamGetId, (CUstream s, unsigned long long *r), own(s), r)
PTSZ(cuStreamGetFlags, (CUstream s, unsigned *r), own(s), r)
PTSZ(cuStreamGetDevice, (CUstream s, CUdevice *r), own(s), r)
PTSZ(cuStreamGetCtx, (CUstream s, CUcontext *r), own(s), r)
PTSZ(cuStreamGetCtx_v2, (CUstream s, CUcontext *r, CUgreenCtx *g), own(s), r, g)
PTSZ(cuStreamWaitEvent, (CUstream s, CUevent e, unsigned f), own(s), e, f)
PTSZ(cuStreamAddCallback, (CUstream s, CUstreamCallback c, void *u, unsigned f), own(s), c, u, f)
PTSZ(cuStreamAttachMemAsync, (CUstream s, CUdeviceptr p, size_t n, unsigned f), own(s), p, n, f)
PTSZ(cuStreamQuery, (CUstream s), own(s))
PTSZ(cuStreamSynchronize, (CUstream s), own(s))
PTSZ(cuStreamCopyAttributes, (CUstream d, CUstream s), own(d), own(s))
PTSZ(cuStreamGetAttribute, (CUstream s, CUstreamAttrID i, CUstreamAttrValue *v), own(s), i, v)
PTSZ(cuStreamSetAttribute, (CUstream s, CUstreamAttrID i, const CUstreamAttrValue *v), own(s), i, v)
PTSZ(cuEventRecord, (CUevent e, CUstream s), e, own(s))
PTSZ(cuEventRecordWithFlags, (CUevent e, CUstream s, unsigned f), e, own(s), f)
PTSZ(cuStreamWriteValue32_v2, (CUstream s, CUdeviceptr p, cuuint32_t v, unsigned f), own(s), p, v,
     f)
PTSZ(cuStreamWriteValue64_v2, (CUstream s, CUdeviceptr p, cuuint64_t v, unsigned f), own(s), p, v,
     f)
PTSZ(cuStreamWaitValue32_v2, (CUstream s, CUdeviceptr p, cuuint32_t v, unsigned f), own(s), p, v, f)
PTSZ(cuStreamWaitValue64_v2, (CUstream s, CUdeviceptr p, cuuint64_t v, unsigned f), own(s), p, v, f)
PTSZ(cuStreamBatchMemOp_v2, (CUstream s, unsigned n, CUstreamBatchMemOpParams *w, unsigned f),
     own(s), n, w, f)

/* ---- graphs ---------------------------------------------------------------------------------------- */

PTSZ(cuGraphLaunch, (CUgraphExec e, CUstream s), e, own(s))
PTSZ(cuGraphUpload, (CUgraphExec e, CUstream s), e, own(s))
PTSZ(cuGraphInstantiateWithParams, (CUgraphExec * e, CUgraph g, CUDA_GRAPH_INSTANTIATE_PARAMS *p),
     e, g, p)
PTSZ(cuStreamBeginCapture_v2, (CUstream s, CUstreamCaptureMode m), own(s), m)
PTSZ(cuStreamBeginCaptureToGraph,
     (CUstream s, CUgraph g, const CUgraphNode *a, const CUgraphEdgeData *e, size_t n,
      CUstreamCaptureMode m),
     own(s), g, a, e, n, m)
PTSZ(cuStreamEndCapture, (CUstream s, CUgraph *g), own(s), g)
PTSZ(cuStreamIsCapturing, (CUstream s, CUstreamCaptureStatus *r), own(s), r)
PTSZ(cuStreamGetCaptureInfo_v3,
     (CUstream s, CUstreamCaptureStatus *r, cuuint64_t *i, CUgraph *g, const CUgraphNode **a,
      const CUgraphEdgeData **e, size_t *n),
     own(s), r, i, g, a, e, n)
PTSZ(cuStreamUpdateCaptureDependencies_v2,
     (CUstream s, CUgraphNode *a, const CUgraphEdgeData *e, size_t n, unsigned f), own(s), a, e, n,
     f)
