/* SPDX-License-Identifier: Apache-2.0 */
/* driver_old.c - earlier forms of the driver's calls, which programs linked with an older toolkit
 * still ask for by name, as far as CUDA 13's header (with __CUDA_API_VERSION_INTERNAL) tells their
 * parameters and these have room for an address. */
#include "driver_api.h"

#include <stdint.h>

/* The header gives the plain names to the present forms. */
#undef cuCtxDestroy
#undef cuCtxPopCurrent
#undef cuCtxPushCurrent
#undef cuDeviceGetUuid
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset
#undef cuDevicePrimaryCtxSetFlags
#undef cuEventDestroy
#undef cuEventElapsedTime
#undef cuGetProcAddress
#undef cuGraphAddDependencies
#undef cuGraphAddKernelNode
#undef cuGraphAddNode
#undef cuGraphExecKernelNodeSetParams
#undef cuGraphExecUpdate
#undef cuGraphGetEdges
#undef cuGraphInstantiate
#undef cuGraphKernelNodeGetParams
#undef cuGraphKernelNodeSetParams
#undef cuGraphNodeGetDependencies
#undef cuGraphNodeGetDependentNodes
#undef cuGraphRemoveDependencies
#undef cuIpcOpenMemHandle
#undef cuLinkAddData
#undef cuLinkAddFile
#undef cuLinkCreate
#undef cuMemAdvise
#undef cuMemHostRegister
#undef cuMemPrefetchAsync
#undef cuMemcpy3DBatchAsync
#undef cuMemcpyBatchAsync
#undef cuStreamBatchMemOp
#undef cuStreamBeginCapture
#undef cuStreamDestroy
#undef cuStreamGetCaptureInfo
#undef cuStreamUpdateCaptureDependencies
#undef cuStreamWaitValue32
#undef cuStreamWaitValue64
#undef cuStreamWriteValue32
#undef cuStreamWriteValue64

/* An old form: its parameters, and the call that it is today. */
#define OLD(name, parameters, ...)                                                                 \
	API_EXPORT CUresult CUDAAPI name parameters;                                               \
	CUresult CUDAAPI name parameters                                                           \
	{                                                                                          \
		return (CUresult)(__VA_ARGS__);                                                    \
	}
/* With its form for the calling thread's own default stream, which takes the present one's. */
#define BOTH(name, now, parameters, ...)                                                           \
	OLD(name, parameters, now(__VA_ARGS__))                                                    \
	OLD(name##_ptsz, parameters, now##_ptsz(__VA_ARGS__))
/* driver_per_thread.c */
#define OWN(name, parameters) CUresult CUDAAPI name##_ptsz parameters;

/* ---- contexts, devices, streams, events ---------------------------------------------------- */

OLD(cuCtxDestroy, (CUcontext context), cuCtxDestroy_v2(context))
OLD(cuCtxCreate_v2, (CUcontext * ret, unsigned flags, CUdevice device),
    cuCtxCreate_v4(ret, NULL, flags, device))
OLD(cuCtxCreate_v3,
    (CUcontext * ret, CUexecAffinityParam *list, int n, unsigned flags, CUdevice device),
    cuCtxCreate_v4(ret,
		   n ? &(CUctxCreateParams){.execAffinityParams = list, .numExecAffinityParams = n}
		     : NULL,
		   flags, device))
OLD(cuCtxPopCurrent, (CUcontext * ret), cuCtxPopCurrent_v2(ret))
OLD(cuCtxPushCurrent, (CUcontext context), cuCtxPushCurrent_v2(context))
OLD(cuDeviceGetUuid, (CUuuid * ret, CUdevice device), cuDeviceGetUuid_v2(ret, device))
OLD(cuDevicePrimaryCtxRelease, (CUdevice device), cuDevicePrimaryCtxRelease_v2(device))
OLD(cuDevicePrimaryCtxReset, (CUdevice device), cuDevicePrimaryCtxReset_v2(device))
OLD(cuDevicePrimaryCtxSetFlags, (CUdevice device, unsigned flags),
    cuDevicePrimaryCtxSetFlags_v2(device, flags))
OLD(cuStreamDestroy, (CUstream s), cuStreamDestroy_v2(s))
OLD(cuEventDestroy, (CUevent e), cuEventDestroy_v2(e))
OLD(cuEventElapsedTime, (float *ms, CUevent a, CUevent b), cuEventElapsedTime_v2(ms, a, b))
OLD(cuGetProcAddress, (const char *name, void **ret, int version, cuuint64_t flags),
    cuGetProcAddress_v2(name, ret, version, flags, NULL))

/* ---- linking: const came later ---------------------------------------------------------------- */

OLD(cuLinkCreate, (unsigned n, CUjit_option *options, void **values, CUlinkState *ret),
    cuLinkCreate_v2(n, options, values, ret))
OLD(cuLinkAddData,
    (CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name, unsigned n,
     CUjit_option *options, void **values),
    cuLinkAddData_v2(state, type, data, size, name, n, options, values))
OLD(cuLinkAddFile,
    (CUlinkState state, CUjitInputType type, const char *path, unsigned n, CUjit_option *options,
     void **values),
    cuLinkAddFile_v2(state, type, path, n, options, values))

/* ---- memory ---------------------------------------------------------------------------------- */

OLD(cuMemHostRegister, (void *p, size_t n, unsigned flags), cuMemHostRegister_v2(p, n, flags))
OLD(cuIpcOpenMemHandle, (CUdeviceptr * ret, CUipcMemHandle handle, unsigned flags),
    cuIpcOpenMemHandle_v2(ret, handle, flags))

/* CU_DEVICE_CPU is the host. */
static CUmemLocation location_of(CUdevice device)
{
	return device == CU_DEVICE_CPU
		       ? (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_HOST}
		       : (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device};
}

OWN(cuMemPrefetchAsync_v2, (CUdeviceptr p, size_t n, CUmemLocation l, unsigned f, CUstream s))
OLD(cuMemAdvise, (CUdeviceptr p, size_t n, CUmem_advise advice, CUdevice device),
    cuMemAdvise_v2(p, n, advice, location_of(device)))
OLD(cuMemPrefetchAsync, (CUdeviceptr p, size_t n, CUdevice device, CUstream s),
    cuMemPrefetchAsync_v2(p, n, location_of(device), 0, s))
OLD(cuMemPrefetchAsync_ptsz, (CUdeviceptr p, size_t n, CUdevice device, CUstream s),
    cuMemPrefetchAsync_v2_ptsz(p, n, location_of(device), 0, s))

/* Batches said which of their copies is wrong, SIZE_MAX where it is none of them alone. */
static CUresult none_failed(CUresult result, size_t *failed)
{
	if (result && failed)
		*failed = SIZE_MAX;
	return result;
}

OWN(cuMemcpyBatchAsync_v2, (CUdeviceptr * d, CUdeviceptr *p, size_t *n, size_t c,
			    CUmemcpyAttributes *a, size_t *i, size_t m, CUstream s))
OWN(cuMemcpy3DBatchAsync_v2,
    (size_t n, CUDA_MEMCPY3D_BATCH_OP *l, unsigned long long f, CUstream s))
#define COPIES                                                                                     \
	CUdeviceptr *d, CUdeviceptr *p, size_t *n, size_t c, CUmemcpyAttributes *a, size_t *i,     \
		size_t m, size_t *failed, CUstream s
OLD(cuMemcpyBatchAsync, (COPIES),
    none_failed(cuMemcpyBatchAsync_v2(d, p, n, c, a, i, m, s), failed))
OLD(cuMemcpyBatchAsync_ptsz, (COPIES),
    none_failed(cuMemcpyBatchAsync_v2_ptsz(d, p, n, c, a, i, m, s), failed))
#define COPIES_3D                                                                                  \
	size_t n, CUDA_MEMCPY3D_BATCH_OP *l, size_t *failed, unsigned long long f, CUstream s
OLD(cuMemcpy3DBatchAsync, (COPIES_3D), none_failed(cuMemcpy3DBatchAsync_v2(n, l, f, s), failed))
OLD(cuMemcpy3DBatchAsync_ptsz, (COPIES_3D),
    none_failed(cuMemcpy3DBatchAsync_v2_ptsz(n, l, f, s), failed))

/* ---- words in memory ------------------------------------------------------------------------------ */

OWN(cuStreamWriteValue32_v2, (CUstream s, CUdeviceptr p, cuuint32_t v, unsigned f))
OWN(cuStreamWriteValue64_v2, (CUstream s, CUdeviceptr p, cuuint64_t v, unsigned f))
OWN(cuStreamWaitValue32_v2, (CUstream s, CUdeviceptr p, cuuint32_t v, unsigned f))
OWN(cuStreamWaitValue64_v2, (CUstream s, CUdeviceptr p, cuuint64_t v, unsigned f))
OWN(cuStreamBatchMemOp_v2, (CUstream s, unsigned n, CUstreamBatchMemOpParams *w, unsigned f))
BOTH(cuStreamWriteValue32, cuStreamWriteValue32_v2,
     (CUstream s, CUdeviceptr p, cuuint32_t v, unsigned f), s, p, v, f)
BOTH(cuStreamWriteValue64, cuStreamWriteValue64_v2,
     (CUstream s, CUdeviceptr p, cuuint64_t v, unsigned f), s, p, v, f)
BOTH(cuStreamWaitValue32, cuStreamWaitValue32_v2,
     (CUstream s, CUdeviceptr p, cuuint32_t v, unsigned f), s, p, v, f)
BOTH(cuStreamWaitValue64, cuStreamWaitValue64_v2,
     (CUstream s, CUdeviceptr p, cuuint64_t v, unsigned f), s, p, v, f)
BOTH(cuStreamBatchMemOp, cuStreamBatchMemOp_v2,
     (CUstream s, unsigned n, CUstreamBatchMemOpParams *w, unsigned f), s, n, w, f)

/* ---- capture: the first mode is the only one that the oldest form knew ------------------------------ */

OWN(cuStreamBeginCapture_v2, (CUstream s, CUstreamCaptureMode m))
OWN(cuStreamGetCaptureInfo_v3, (CUstream s, CUstreamCaptureStatus *r, cuuint64_t *i, CUgraph *g,
				const CUgraphNode **a, const CUgraphEdgeData **e, size_t *n))
OWN(cuStreamUpdateCaptureDependencies_v2,
    (CUstream s, CUgraphNode *a, const CUgraphEdgeData *e, size_t n, unsigned f))
BOTH(cuStreamBeginCapture, cuStreamBeginCapture_v2, (CUstream s), s, CU_STREAM_CAPTURE_MODE_GLOBAL)
BOTH(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v3,
     (CUstream s, CUstreamCaptureStatus *r, cuuint64_t *i), s, r, i, NULL, NULL, NULL, NULL)
BOTH(cuStreamGetCaptureInfo_v2, cuStreamGetCaptureInfo_v3,
     (CUstream s, CUstreamCaptureStatus *r, cuuint64_t *i, CUgraph *g, const CUgraphNode **a,
      size_t *n),
     s, r, i, g, a, NULL, n)
BOTH(cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies_v2,
     (CUstream s, CUgraphNode *a, size_t n, unsigned f), s, a, NULL, n, f)

/* ---- graphs: edges without data, kernels without CUkernel -------------------------------------------- */

OLD(cuGraphAddDependencies, (CUgraph g, const CUgraphNode *a, const CUgraphNode *b, size_t n),
    cuGraphAddDependencies_v2(g, a, b, NULL, n))
OLD(cuGraphRemoveDependencies, (CUgraph g, const CUgraphNode *a, const CUgraphNode *b, size_t n),
    cuGraphRemoveDependencies_v2(g, a, b, NULL, n))
OLD(cuGraphGetEdges, (CUgraph g, CUgraphNode *a, CUgraphNode *b, size_t *n),
    cuGraphGetEdges_v2(g, a, b, NULL, n))
OLD(cuGraphNodeGetDependencies, (CUgraphNode node, CUgraphNode *a, size_t *n),
    cuGraphNodeGetDependencies_v2(node, a, NULL, n))
OLD(cuGraphNodeGetDependentNodes, (CUgraphNode node, CUgraphNode *a, size_t *n),
    cuGraphNodeGetDependentNodes_v2(node, a, NULL, n))
OLD(cuGraphAddNode,
    (CUgraphNode * ret, CUgraph g, const CUgraphNode *a, size_t n, CUgraphNodeParams *p),
    cuGraphAddNode_v2(ret, g, a, NULL, n, p))

/* The old parameters are the head of the present ones. */
static const CUDA_KERNEL_NODE_PARAMS *kernel_of(const CUDA_KERNEL_NODE_PARAMS_v1 *p,
						CUDA_KERNEL_NODE_PARAMS *room)
{
	if (!p)
		return NULL;
	*room = (CUDA_KERNEL_NODE_PARAMS){
		.func = p->func,
		.gridDimX = p->gridDimX,
		.gridDimY = p->gridDimY,
		.gridDimZ = p->gridDimZ,
		.blockDimX = p->blockDimX,
		.blockDimY = p->blockDimY,
		.blockDimZ = p->blockDimZ,
		.sharedMemBytes = p->sharedMemBytes,
		.kernelParams = p->kernelParams,
		.extra = p->extra,
	};
	return room;
}

OLD(cuGraphAddKernelNode,
    (CUgraphNode * ret, CUgraph g, const CUgraphNode *a, size_t n,
     const CUDA_KERNEL_NODE_PARAMS_v1 *p),
    cuGraphAddKernelNode_v2(ret, g, a, n, kernel_of(p, &(CUDA_KERNEL_NODE_PARAMS){0})))
OLD(cuGraphKernelNodeSetParams, (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *p),
    cuGraphKernelNodeSetParams_v2(node, kernel_of(p, &(CUDA_KERNEL_NODE_PARAMS){0})))
OLD(cuGraphExecKernelNodeSetParams,
    (CUgraphExec e, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *p),
    cuGraphExecKernelNodeSetParams_v2(e, node, kernel_of(p, &(CUDA_KERNEL_NODE_PARAMS){0})))

API_EXPORT CUresult CUDAAPI cuGraphKernelNodeGetParams(CUgraphNode node,
						       CUDA_KERNEL_NODE_PARAMS_v1 *ret);
CUresult CUDAAPI cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *ret)
{
	CUDA_KERNEL_NODE_PARAMS k;
	CUresult result = cuGraphKernelNodeGetParams_v2(node, ret ? &k : NULL);
	if (!result)
		*ret = (CUDA_KERNEL_NODE_PARAMS_v1){
			k.func,      k.gridDimX,  k.gridDimY,       k.gridDimZ,     k.blockDimX,
			k.blockDimY, k.blockDimZ, k.sharedMemBytes, k.kernelParams, k.extra,
		};
	return result;
}

/* The node in which it failed is not told, as by the present form. */
static CUresult instantiate(CUgraphExec *ret, CUgraph g, CUgraphNode *node, char *log, size_t size)
{
	if (node)
		*node = NULL;
	if (log && size)
		*log = '\0';
	return cuGraphInstantiateWithFlags(ret, g, 0);
}
OLD(cuGraphInstantiate, (CUgraphExec * ret, CUgraph g, CUgraphNode *node, char *log, size_t size),
    instantiate(ret, g, node, log, size))
OLD(cuGraphInstantiate_v2,
    (CUgraphExec * ret, CUgraph g, CUgraphNode *node, char *log, size_t size),
    instantiate(ret, g, node, log, size))

API_EXPORT CUresult CUDAAPI cuGraphExecUpdate(CUgraphExec exec, CUgraph g, CUgraphNode *node,
					      CUgraphExecUpdateResult *ret);
CUresult CUDAAPI cuGraphExecUpdate(CUgraphExec exec, CUgraph g, CUgraphNode *node,
				   CUgraphExecUpdateResult *ret)
{
	CUgraphExecUpdateResultInfo info = {.result = CU_GRAPH_EXEC_UPDATE_ERROR};
	CUresult result = cuGraphExecUpdate_v2(exec, g, &info);
	if (node)
		*node = info.errorNode;
	if (ret)
		*ret = info.result;
	return result;
}
