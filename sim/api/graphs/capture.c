/* SPDX-License-Identifier: Apache-2.0 */
/* capture.c - cudaStreamBeginCapture and its kin. */
#include "api.h"
#include "graph.h"

/* Do something with the stream that a handle means. */
static cudaError_t with_stream(cudaStream_t handle, cudaError_t (*f)(struct stream *, void *),
			       void *arg)
{
	struct stream *stream;
	cudaError_t error = stream_resolve(handle, &stream);
	if (!error) {
		error = f(stream, arg);
		stream_unref(stream);
	}
	return error;
}

static cudaError_t begin(struct stream *stream, void *mode)
{
	return capture_begin(stream, *(enum cudaStreamCaptureMode *)mode);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	API_BEGIN_CONTEXT;
	return API_END(with_stream(stream, begin, &mode));
}

static cudaError_t end(struct stream *stream, void *arg)
{
	struct graph *graph;
	cudaError_t error = capture_end(stream, &graph);
	*(cudaGraph_t *)arg = (cudaGraph_t)graph;
	return error;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *ret)
{
	API_BEGIN_CONTEXT;
	cudaGraph_t none;
	/* Without room for the graph the capture ends all the same. */
	cudaError_t error = with_stream(stream, end, ret ? ret : &none);
	if (!error && !ret)
		error = cudaGraphDestroy(none);
	return API_END(error);
}

struct info {
	enum cudaStreamCaptureStatus *status;
	unsigned long long *id;
};

static cudaError_t status(struct stream *stream, void *arg)
{
	const struct info *info = arg;
	*info->status = capture_status(stream, info->id);
	return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *ret)
{
	API_BEGIN_CONTEXT;
	if (!ret)
		return API_END(cudaErrorInvalidValue);
	return API_END(with_stream(stream, status, &(struct info){ret, NULL}));
}

static cudaError_t look(struct stream *stream, void *arg)
{
	capture_look(stream, arg);
	return cudaSuccess;
}

static bool all_plain(const struct capture_view *view)
{
	for (size_t i = 0; i < view->n; i++)
		if (!graph_edge_is_plain(&view->edges[i]))
			return false;
	return true;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *ret,
				     unsigned long long *id, cudaGraph_t *graph,
				     const cudaGraphNode_t **dependencies,
				     const cudaGraphEdgeData **edges, size_t *n)
{
	API_BEGIN_CONTEXT;
	struct capture_view view;
	if (!ret || (edges && !dependencies))
		return API_END(cudaErrorInvalidValue);
	cudaError_t error = with_stream(stream, look, &view);
	if (error)
		return API_END(error);
	*ret = view.status;
	if (view.status != cudaStreamCaptureStatusActive)
		return API_END(cudaSuccess);
	if (id)
		*id = view.id;
	if (graph)
		*graph = view.graph;
	if (dependencies)
		*dependencies = view.after;
	if (edges)
		*edges = view.edges;
	if (n)
		*n = view.n;
	return API_END(dependencies && !edges && !all_plain(&view) ? cudaErrorLossyQuery
								   : cudaSuccess);
}

/* Nodes that a capture's next comes after. */
struct nodes {
	cudaGraph_t graph;
	const cudaGraphNode_t *after;
	const cudaGraphEdgeData *edges;
	size_t n;
	enum cudaStreamCaptureMode mode;
	unsigned flags;
};

static cudaError_t begin_into(struct stream *stream, void *arg)
{
	const struct nodes *nodes = arg;
	return capture_begin_into(stream, nodes->graph, nodes->after, nodes->edges, nodes->n,
				  nodes->mode);
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
					  const cudaGraphNode_t *after,
					  const cudaGraphEdgeData *edges, size_t n,
					  enum cudaStreamCaptureMode mode)
{
	API_BEGIN_CONTEXT;
	if (!graph || (n && !after))
		return API_END(cudaErrorInvalidValue);
	struct nodes nodes = {graph, after, edges, n, mode, 0};
	return API_END(with_stream(stream, begin_into, &nodes));
}

static cudaError_t update(struct stream *stream, void *arg)
{
	const struct nodes *nodes = arg;
	return capture_set_after(stream, nodes->after, nodes->edges, nodes->n, nodes->flags);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *after,
						const cudaGraphEdgeData *edges, size_t n,
						unsigned flags)
{
	API_BEGIN_CONTEXT;
	if (n && !after)
		return API_END(cudaErrorInvalidValue);
	struct nodes nodes = {.after = after, .edges = edges, .n = n, .flags = flags};
	return API_END(with_stream(stream, update, &nodes));
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
	API_BEGIN_CONTEXT;
	if (!mode)
		return API_END(cudaErrorInvalidValue);
	*mode = capture_thread_mode(*mode);
	return API_END(cudaSuccess);
}
