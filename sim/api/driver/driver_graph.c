/* SPDX-License-Identifier: Apache-2.0 */
/* driver_graph.c - the driver's graphs, but for the parameters of nodes (driver_node.c): made,
 * walked, made executable, captured. Handles are the runtime's, and so are the numbers and
 * layouts of flags, results, edges' data and attributes. */
#include "driver_api.h"

#include <stddef.h>

/* What is handed on as the runtime's is laid out as that is. */
_Static_assert(sizeof(CUgraphEdgeData) == sizeof(cudaGraphEdgeData), "edges");
_Static_assert(sizeof(CUlaunchAttributeValue) == sizeof(cudaLaunchAttributeValue), "attributes");
_Static_assert(sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS) == sizeof(cudaGraphInstantiateParams) &&
		       offsetof(CUDA_GRAPH_INSTANTIATE_PARAMS, hErrNode_out) ==
			       offsetof(cudaGraphInstantiateParams, errNode_out),
	       "instantiation");
_Static_assert(sizeof(CUgraphExecUpdateResultInfo) == sizeof(cudaGraphExecUpdateResultInfo) &&
		       offsetof(CUgraphExecUpdateResultInfo, errorFromNode) ==
			       offsetof(cudaGraphExecUpdateResultInfo, errorFromNode),
	       "updates");

#define EDGES(data) ((cudaGraphEdgeData *)(data))
#define CONST_EDGES(data) ((const cudaGraphEdgeData *)(data))

/* ---- graphs and their nodes ---------------------------------------------------------- */

SAME(cuGraphCreate, (CUgraph * graph, unsigned flags), cudaGraphCreate(graph, flags))
SAME(cuGraphDestroy, (CUgraph graph), cudaGraphDestroy(graph))
SAME(cuGraphClone, (CUgraph * ret, CUgraph graph), cudaGraphClone(ret, graph))
SAME(cuGraphDestroyNode, (CUgraphNode node), cudaGraphDestroyNode(node))
SAME(cuGraphNodeFindInClone, (CUgraphNode * ret, CUgraphNode node, CUgraph clone),
     cudaGraphNodeFindInClone(ret, node, clone))
SAME(cuGraphNodeGetType, (CUgraphNode node, CUgraphNodeType *ret),
     cudaGraphNodeGetType(node, (enum cudaGraphNodeType *)ret))
SAME(cuGraphGetNodes, (CUgraph graph, CUgraphNode *to, size_t *n), cudaGraphGetNodes(graph, to, n))
SAME(cuGraphGetRootNodes, (CUgraph graph, CUgraphNode *to, size_t *n),
     cudaGraphGetRootNodes(graph, to, n))
SAME(cuGraphDebugDotPrint, (CUgraph graph, const char *path, unsigned flags),
     cudaGraphDebugDotPrint(graph, path, flags))

CUresult CUDAAPI cuGraphConditionalHandleCreate(CUgraphConditionalHandle *ret, CUgraph graph,
						CUcontext context, unsigned value, unsigned flags)
{
	API_BEGIN;
	/* The current one is not meant by none. */
	if (!driver_device_of(context))
		return (CUresult)API_END(cudaErrorDeviceUninitialized);
	_Static_assert(sizeof *ret == sizeof(cudaGraphConditionalHandle), "a handle");
	return (CUresult)API_END(cudaGraphConditionalHandleCreate((cudaGraphConditionalHandle *)ret,
								  graph, value, flags));
}

/* ---- edges: those with data, and the forms that know of none -------------------------- */

SAME(cuGraphAddDependencies,
     (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *data,
      size_t n),
     cudaGraphAddDependencies(graph, from, to, CONST_EDGES(data), n))
SAME(cuGraphRemoveDependencies,
     (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *data,
      size_t n),
     cudaGraphRemoveDependencies(graph, from, to, CONST_EDGES(data), n))
SAME(cuGraphGetEdges,
     (CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data, size_t *n),
     cudaGraphGetEdges(graph, from, to, EDGES(data), n))
SAME(cuGraphNodeGetDependencies,
     (CUgraphNode node, CUgraphNode *to, CUgraphEdgeData *data, size_t *n),
     cudaGraphNodeGetDependencies(node, to, EDGES(data), n))
SAME(cuGraphNodeGetDependentNodes,
     (CUgraphNode node, CUgraphNode *to, CUgraphEdgeData *data, size_t *n),
     cudaGraphNodeGetDependentNodes(node, to, EDGES(data), n))

/* ---- executable graphs ----------------------------------------------------------------- */

SAME(cuGraphInstantiateWithFlags, (CUgraphExec * exec, CUgraph graph, unsigned long long flags),
     cudaGraphInstantiateWithFlags(exec, graph, flags))
SAME(cuGraphInstantiateWithParams,
     (CUgraphExec * exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params),
     cudaGraphInstantiateWithParams(exec, graph, (cudaGraphInstantiateParams *)params))
SAME(cuGraphExecGetFlags, (CUgraphExec exec, cuuint64_t *flags),
     cudaGraphExecGetFlags(exec, (unsigned long long *)flags))
SAME(cuGraphUpload, (CUgraphExec exec, CUstream s), cudaGraphUpload(exec, s))
SAME(cuGraphLaunch, (CUgraphExec exec, CUstream s), cudaGraphLaunch(exec, s))
SAME(cuGraphExecDestroy, (CUgraphExec exec), cudaGraphExecDestroy(exec))
SAME(cuGraphExecUpdate, (CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info),
     cudaGraphExecUpdate(exec, graph, (cudaGraphExecUpdateResultInfo *)info))
SAME(cuGraphNodeSetEnabled, (CUgraphExec exec, CUgraphNode node, unsigned enabled),
     cudaGraphNodeSetEnabled(exec, node, enabled))
SAME(cuGraphNodeGetEnabled, (CUgraphExec exec, CUgraphNode node, unsigned *enabled),
     cudaGraphNodeGetEnabled(exec, node, enabled))

/* ---- user objects, attributes, memory -------------------------------------------------- */

SAME(cuUserObjectCreate,
     (CUuserObject * ret, void *pointer, CUhostFn destroy, unsigned n, unsigned flags),
     cudaUserObjectCreate(ret, pointer, destroy, n, flags))
SAME(cuUserObjectRetain, (CUuserObject object, unsigned n), cudaUserObjectRetain(object, n))
SAME(cuUserObjectRelease, (CUuserObject object, unsigned n), cudaUserObjectRelease(object, n))
SAME(cuGraphRetainUserObject, (CUgraph graph, CUuserObject object, unsigned n, unsigned flags),
     cudaGraphRetainUserObject(graph, object, n, flags))
SAME(cuGraphReleaseUserObject, (CUgraph graph, CUuserObject object, unsigned n),
     cudaGraphReleaseUserObject(graph, object, n))
SAME(cuGraphKernelNodeCopyAttributes, (CUgraphNode to, CUgraphNode from),
     cudaGraphKernelNodeCopyAttributes(to, from))
SAME(cuGraphKernelNodeGetAttribute,
     (CUgraphNode node, CUkernelNodeAttrID id, CUkernelNodeAttrValue *value),
     cudaGraphKernelNodeGetAttribute(node, (cudaLaunchAttributeID)id,
				     (cudaLaunchAttributeValue *)value))
SAME(cuGraphKernelNodeSetAttribute,
     (CUgraphNode node, CUkernelNodeAttrID id, const CUkernelNodeAttrValue *value),
     cudaGraphKernelNodeSetAttribute(node, (cudaLaunchAttributeID)id,
				     (const cudaLaunchAttributeValue *)value))
SAME(cuDeviceGraphMemTrim, (CUdevice device), cudaDeviceGraphMemTrim(device))
SAME(cuDeviceGetGraphMemAttribute, (CUdevice device, CUgraphMem_attribute which, void *value),
     cudaDeviceGetGraphMemAttribute(device, (enum cudaGraphMemAttributeType)which, value))
SAME(cuDeviceSetGraphMemAttribute, (CUdevice device, CUgraphMem_attribute which, void *value),
     cudaDeviceSetGraphMemAttribute(device, (enum cudaGraphMemAttributeType)which, value))

/* ---- capture ----------------------------------------------------------------------------- */

SAME(cuStreamBeginCapture, (CUstream s, CUstreamCaptureMode mode),
     cudaStreamBeginCapture(s, (enum cudaStreamCaptureMode)mode))
SAME(cuStreamBeginCaptureToGraph,
     (CUstream s, CUgraph graph, const CUgraphNode *after, const CUgraphEdgeData *data, size_t n,
      CUstreamCaptureMode mode),
     cudaStreamBeginCaptureToGraph(s, graph, after, CONST_EDGES(data), n,
				   (enum cudaStreamCaptureMode)mode))
SAME(cuStreamEndCapture, (CUstream s, CUgraph *graph), cudaStreamEndCapture(s, graph))
SAME(cuStreamIsCapturing, (CUstream s, CUstreamCaptureStatus *status),
     cudaStreamIsCapturing(s, (enum cudaStreamCaptureStatus *)status))
SAME(cuStreamGetCaptureInfo,
     (CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
      const CUgraphNode **after, const CUgraphEdgeData **data, size_t *n),
     cudaStreamGetCaptureInfo(s, (enum cudaStreamCaptureStatus *)status, (unsigned long long *)id,
			      graph, after, (const cudaGraphEdgeData **)data, n))
SAME(cuStreamUpdateCaptureDependencies,
     (CUstream s, CUgraphNode *after, const CUgraphEdgeData *data, size_t n, unsigned flags),
     cudaStreamUpdateCaptureDependencies(s, after, CONST_EDGES(data), n, flags))
SAME(cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * mode),
     cudaThreadExchangeStreamCaptureMode((enum cudaStreamCaptureMode *)mode))
