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
	if (!ret)
		return API_END(cudaErrorInvalidValue);
	return API_END(with_stream(stream, end, ret));
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

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *ret,
				     unsigned long long *id, cudaGraph_t *graph,
				     const cudaGraphNode_t **dependencies,
				     const cudaGraphEdgeData **edges, size_t *n)
{
	API_BEGIN_CONTEXT;
	if (!ret)
		return API_END(cudaErrorInvalidValue);
	if (graph || dependencies || edges || n)
		return API_END(api_unsupported("cudaStreamGetCaptureInfo beyond status and id"));
	return API_END(with_stream(stream, status, &(struct info){ret, id}));
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
	API_BEGIN_CONTEXT;
	if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
		return API_END(cudaErrorInvalidValue);
	*mode = capture_thread_mode(*mode);
	return API_END(cudaSuccess);
}
