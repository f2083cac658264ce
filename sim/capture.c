/* SPDX-License-Identifier: Apache-2.0 */
/* capture.c - streams whose work becomes a graph in the place of being done.
 *
 * A recording is one capture from its begin to its end. Streams join it by
 * waiting for an event that was recorded in it. Each stream remembers the nodes
 * that its next node has to come after; so does an event. */
#include <stdlib.h>
#include <string.h>

#include "graph.h"

struct recording {
	struct graph *graph;
	struct stream *origin;
	unsigned long long id;
	enum cudaStreamCaptureStatus status; /* None once it has ended */
	unsigned refs; /* captures */
};

/* A stream's or an event's place in a recording. */
struct capture {
	struct recording *recording;
	cudaGraphNode_t *after;
	size_t n_after;
};

static unsigned long long n_recordings;

/* All of the following with graph_lock() held. */

static struct capture *capture_new(struct recording *recording, const struct capture *like)
{
	struct capture *capture = calloc(1, sizeof *capture);
	size_t n = like ? like->n_after : 0;
	if (!capture)
		return NULL;
	capture->after = calloc(n + 1, sizeof *capture->after);
	if (!capture->after) {
		free(capture);
		return NULL;
	}
	if (n)
		memcpy(capture->after, like->after, n * sizeof *like->after);
	capture->n_after = n;
	capture->recording = recording;
	recording->refs++;
	return capture;
}

static void recording_unref(struct recording *recording)
{
	if (--recording->refs)
		return;
	graph_free(recording->graph);
	free(recording);
}

static void capture_free(struct capture *capture)
{
	if (!capture)
		return;
	recording_unref(capture->recording);
	free(capture->after);
	free(capture);
}

static cudaError_t invalidate(struct capture *capture, cudaError_t error)
{
	if (capture->recording->status == cudaStreamCaptureStatusInvalidated)
		return cudaErrorStreamCaptureInvalidated;
	capture->recording->status = cudaStreamCaptureStatusInvalidated;
	return error;
}

/* Every node but those that `capture` comes after is followed by another. */
static bool joined(const struct capture *capture)
{
	const struct graph *graph = capture->recording->graph;
	bool *followed = calloc(graph->n + 1, sizeof *followed);
	bool all = followed;
	for (size_t i = 0; followed && i < graph->n; i++)
		for (size_t j = 0; j < graph->nodes[i]->n_after; j++)
			followed[graph->nodes[i]->after[j]->index] = true;
	for (size_t j = 0; followed && j < capture->n_after; j++)
		followed[((struct graph_node *)capture->after[j])->index] = true;
	for (size_t i = 0; followed && i < graph->n; i++)
		all = all && followed[i];
	free(followed);
	return all;
}

/* No stream takes part in the recording any more. */
static void leave(struct recording *recording)
{
	recording->refs++;
	for (int i = 0; i < device_count(); i++) {
		struct stream *list[64];
		size_t n;
		do { /* captures are freed without the streams' lock */
			n = 0;
			operation_lock();
			for (struct stream *s = device_get(i)->streams; s && n < 64; s = s->next) {
				struct capture *c = atomic_load(&s->capture);
				if (c && c->recording == recording) {
					list[n++] = s;
					s->refs++;
				}
			}
			operation_unlock();
			for (size_t j = 0; j < n; j++) {
				capture_free(atomic_exchange(&list[j]->capture, NULL));
				stream_unref(list[j]);
			}
		} while (n == 64);
	}
	recording->status = cudaStreamCaptureStatusNone;
	recording_unref(recording);
}

/* ---- begin and end ---------------------------------------------------------------- */

static cudaError_t begin(struct stream *stream)
{
	struct recording *recording = calloc(1, sizeof *recording);
	if (!recording)
		return cudaErrorMemoryAllocation;
	recording->graph = graph_new();
	recording->origin = stream;
	recording->id = ++n_recordings;
	recording->status = cudaStreamCaptureStatusActive;
	struct capture *capture = recording->graph ? capture_new(recording, NULL) : NULL;
	if (!capture) {
		graph_free(recording->graph);
		free(recording);
		return cudaErrorMemoryAllocation;
	}
	atomic_store(&stream->capture, capture);
	return cudaSuccess;
}

cudaError_t capture_begin(struct stream *stream, enum cudaStreamCaptureMode mode)
{
	if ((unsigned)mode > cudaStreamCaptureModeRelaxed)
		return cudaErrorInvalidValue;
	if (stream->legacy)
		return cudaErrorStreamCaptureUnsupported;
	graph_lock();
	cudaError_t error = stream_capturing(stream) ? cudaErrorIllegalState : begin(stream);
	graph_unlock();
	return error;
}

static cudaError_t end(struct stream *stream, struct graph **ret)
{
	struct capture *capture = atomic_load(&stream->capture);
	if (!capture)
		return cudaErrorIllegalState;
	struct recording *recording = capture->recording;
	if (recording->origin != stream)
		return invalidate(capture, cudaErrorStreamCaptureUnmatched);
	cudaError_t error = cudaSuccess;
	if (recording->status == cudaStreamCaptureStatusInvalidated)
		error = cudaErrorStreamCaptureInvalidated;
	else if (!joined(capture))
		error = cudaErrorStreamCaptureUnjoined;
	if (!error) {
		*ret = recording->graph;
		recording->graph = NULL;
	}
	leave(recording);
	return error;
}

cudaError_t capture_end(struct stream *stream, struct graph **ret)
{
	*ret = NULL;
	graph_lock();
	cudaError_t error = end(stream, ret);
	graph_unlock();
	return error;
}

enum cudaStreamCaptureStatus capture_status(struct stream *stream, unsigned long long *id)
{
	graph_lock();
	struct capture *capture = atomic_load(&stream->capture);
	enum cudaStreamCaptureStatus status =
		capture ? capture->recording->status : cudaStreamCaptureStatusNone;
	if (id && capture)
		*id = capture->recording->id;
	graph_unlock();
	return status;
}

/* ---- recording -------------------------------------------------------------------- */

static enum cudaGraphNodeType type_of(const struct work *work)
{
	switch (work->kind) {
	case WORK_LAUNCH:
		return cudaGraphNodeTypeKernel;
	case WORK_COPY:
		return work->copy.what.kind == CUDASIM_SET ? cudaGraphNodeTypeMemset
							   : cudaGraphNodeTypeMemcpy;
	case WORK_HOST:
		return cudaGraphNodeTypeHost;
	case WORK_RECORD:
		return cudaGraphNodeTypeEventRecord;
	default:
		return cudaGraphNodeTypeEmpty;
	}
}

static cudaError_t add(struct capture *capture, struct work *work)
{
	struct graph_node *node;
	if (!capture || capture->recording->status != cudaStreamCaptureStatusActive) {
		work_fini(work);
		return cudaErrorStreamCaptureInvalidated;
	}
	if (work->kind == WORK_FREE)
		return invalidate(capture, cudaErrorStreamCaptureUnsupported);
	cudaError_t error = graph_add(capture->recording->graph, type_of(work), work,
				      capture->after, capture->n_after, &node);
	if (error)
		return error;
	capture->after[0] = (cudaGraphNode_t)node; /* there is room for one always */
	capture->n_after = 1;
	return cudaSuccess;
}

cudaError_t capture_add(struct stream *stream, struct work *work)
{
	graph_lock();
	cudaError_t error = add(atomic_load(&stream->capture), work);
	graph_unlock();
	return error;
}

static cudaError_t spoil(struct stream *stream, cudaError_t error)
{
	graph_lock();
	struct capture *capture = atomic_load(&stream->capture);
	if (capture)
		error = invalidate(capture, error);
	graph_unlock();
	return error;
}

cudaError_t capture_break(struct stream *stream, struct work *work)
{
	if (work)
		work_fini(work);
	return spoil(stream, cudaErrorStreamCaptureUnsupported);
}

cudaError_t capture_isolated(struct stream *stream)
{
	return spoil(stream, cudaErrorStreamCaptureIsolation);
}

cudaError_t capture_record(struct stream *stream, struct event *event)
{
	cudaError_t error = cudaErrorStreamCaptureInvalidated;
	graph_lock();
	struct capture *capture = atomic_load(&stream->capture);
	if (capture && capture->recording->status == cudaStreamCaptureStatusActive) {
		struct capture *copy = capture_new(capture->recording, capture);
		error = copy ? cudaSuccess : cudaErrorMemoryAllocation;
		if (copy)
			capture_free(atomic_exchange(&event->capture, copy));
	}
	graph_unlock();
	return error;
}

/* What comes after either. */
static cudaError_t merge(struct capture *to, const struct capture *from)
{
	cudaGraphNode_t *list = realloc(to->after, (to->n_after + from->n_after + 1) *
							   sizeof *list);
	if (!list)
		return cudaErrorMemoryAllocation;
	to->after = list;
	for (size_t i = 0; i < from->n_after; i++) {
		bool there = false;
		for (size_t j = 0; j < to->n_after; j++)
			there = there || list[j] == from->after[i];
		if (!there)
			list[to->n_after++] = from->after[i];
	}
	return cudaSuccess;
}

static cudaError_t join(struct stream *stream, struct event *event)
{
	struct capture *of_event = atomic_load(&event->capture);
	struct capture *capture = atomic_load(&stream->capture);
	if (!of_event || of_event->recording->status == cudaStreamCaptureStatusNone)
		return cudaErrorCapturedEvent; /* its capture is over */
	if (of_event->recording->status == cudaStreamCaptureStatusInvalidated)
		return cudaErrorStreamCaptureInvalidated;
	if (capture)
		return capture->recording == of_event->recording
			? merge(capture, of_event)
			: invalidate(capture, cudaErrorStreamCaptureMerge);
	if (stream->legacy)
		return invalidate(of_event, cudaErrorStreamCaptureImplicit);
	capture = capture_new(of_event->recording, of_event);
	if (!capture)
		return cudaErrorMemoryAllocation;
	atomic_store(&stream->capture, capture);
	return cudaSuccess;
}

cudaError_t capture_wait(struct stream *stream, struct event *event)
{
	graph_lock();
	cudaError_t error = join(stream, event);
	graph_unlock();
	return error;
}

void capture_drop(struct stream *stream)
{
	graph_lock();
	struct capture *capture = atomic_exchange(&stream->capture, NULL);
	if (capture)
		invalidate(capture, cudaSuccess);
	capture_free(capture);
	graph_unlock();
}

void capture_forget(struct event *event)
{
	if (!event_captured(event))
		return;
	graph_lock();
	capture_free(atomic_exchange(&event->capture, NULL));
	graph_unlock();
}
