/* SPDX-License-Identifier: Apache-2.0 */
/* capture.c - streams whose work becomes a graph in the place of being done.
 *
 * A recording is one capture from its begin to its end. Streams join it by
 * waiting for an event that was recorded in it. Each stream remembers the nodes
 * that its next node has to come after; so does an event. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

struct recording {
	struct graph *graph;  /* a reference; to be freed where it is the capture's own */
	bool own;
	size_t n_before;      /* nodes that the graph had before */
	struct stream *origin;
	unsigned long long id;
	enum cudaStreamCaptureMode mode;
	pthread_t thread; /* that began it */
	enum cudaStreamCaptureStatus status; /* None once it has ended */
	unsigned refs; /* captures */
};

/* A stream's or an event's place in a recording. */
struct capture {
	struct recording *recording;
	cudaGraphNode_t *after;
	cudaGraphEdgeData *edges; /* of each of them */
	size_t n_after;
};

static unsigned long long n_recordings;
static atomic_uint n_active; /* recordings that have not ended: the quick look */
static _Thread_local enum cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

/* All of the following with graph_lock() held. */

static struct capture *capture_new(struct recording *recording, const struct capture *like)
{
	struct capture *capture = calloc(1, sizeof *capture);
	size_t n = like ? like->n_after : 0;
	if (!capture)
		return NULL;
	capture->after = calloc(n + 1, sizeof *capture->after);
	capture->edges = calloc(n + 1, sizeof *capture->edges);
	if (!capture->after || !capture->edges) {
		free(capture->after);
		free(capture->edges);
		free(capture);
		return NULL;
	}
	if (n) {
		memcpy(capture->after, like->after, n * sizeof *like->after);
		memcpy(capture->edges, like->edges, n * sizeof *like->edges);
	}
	capture->n_after = n;
	capture->recording = recording;
	recording->refs++;
	return capture;
}

static void recording_unref(struct recording *recording)
{
	if (--recording->refs)
		return;
	if (recording->status != cudaStreamCaptureStatusNone)
		atomic_fetch_sub(&n_active, 1);
	if (recording->own)
		graph_free(recording->graph);
	else
		graph_unref(recording->graph);
	free(recording);
}

static void capture_free(struct capture *capture)
{
	if (!capture)
		return;
	recording_unref(capture->recording);
	free(capture->after);
	free(capture->edges);
	free(capture);
}

static cudaError_t invalidate(struct capture *capture, cudaError_t error)
{
	if (capture->recording->status == cudaStreamCaptureStatusInvalidated)
		return cudaErrorStreamCaptureInvalidated;
	capture->recording->status = cudaStreamCaptureStatusInvalidated;
	return error;
}

/* Every node but those that `capture` comes after is followed by another, or the program has said
 * that nothing need follow it. */
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
	for (size_t i = capture->recording->n_before; followed && i < graph->n; i++)
		all = all && (followed[i] || graph->nodes[i]->let_go);
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
	atomic_fetch_sub(&n_active, 1);
	recording_unref(recording);
}

/* ---- begin and end ---------------------------------------------------------------- */

static cudaError_t begin(struct stream *stream, enum cudaStreamCaptureMode mode, struct graph *into)
{
	struct recording *recording = calloc(1, sizeof *recording);
	if (!recording)
		return cudaErrorMemoryAllocation;
	recording->own = !into;
	recording->graph = into ? graph_ref(into) : graph_new();
	recording->n_before = into ? into->n : 0;
	recording->origin = stream;
	recording->id = ++n_recordings;
	recording->mode = mode;
	recording->thread = pthread_self();
	struct capture *capture = recording->graph ? capture_new(recording, NULL) : NULL;
	if (!capture) {
		if (into)
			graph_unref(into);
		else
			graph_free(recording->graph);
		free(recording);
		return cudaErrorMemoryAllocation;
	}
	recording->status = cudaStreamCaptureStatusActive;
	atomic_fetch_add(&n_active, 1);
	atomic_store(&stream->capture, capture);
	return cudaSuccess;
}

static cudaError_t may_begin(const struct stream *stream, enum cudaStreamCaptureMode mode)
{
	if ((unsigned)mode > cudaStreamCaptureModeRelaxed)
		return cudaErrorInvalidValue;
	return stream->legacy ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t capture_begin(struct stream *stream, enum cudaStreamCaptureMode mode)
{
	cudaError_t error = may_begin(stream, mode);
	if (error)
		return error;
	graph_lock();
	error = stream_capturing(stream) ? cudaErrorIllegalState : begin(stream, mode, NULL);
	graph_unlock();
	return error;
}

/* Nodes and edges into a capture: all, or beside what is there. */
static cudaError_t set_after(struct capture *capture, const cudaGraphNode_t *after,
			     const cudaGraphEdgeData *edges, size_t n, bool add)
{
	for (size_t i = 0; i < n; i++) {
		const struct graph_node *node = graph_find_node(after[i]);
		if (!node || node->graph != capture->recording->graph)
			return cudaErrorInvalidValue;
	}
	size_t kept = add ? capture->n_after : 0;
	cudaGraphNode_t *nodes = realloc(capture->after, (kept + n + 1) * sizeof *nodes);
	if (nodes)
		capture->after = nodes;
	cudaGraphEdgeData *data = realloc(capture->edges, (kept + n + 1) * sizeof *data);
	if (data)
		capture->edges = data;
	if (!nodes || !data)
		return cudaErrorMemoryAllocation;
	for (size_t i = 0; i < n; i++) {
		bool there = false;
		for (size_t j = 0; j < kept; j++)
			there = there || nodes[j] == after[i];
		if (there)
			continue;
		nodes[kept] = after[i];
		data[kept++] = edges ? edges[i] : (cudaGraphEdgeData){0};
	}
	capture->n_after = kept;
	return cudaSuccess;
}

cudaError_t capture_begin_into(struct stream *stream, cudaGraph_t handle,
			       const cudaGraphNode_t *after, const cudaGraphEdgeData *edges,
			       size_t n, enum cudaStreamCaptureMode mode)
{
	cudaError_t error = may_begin(stream, mode);
	if (error)
		return error;
	graph_lock();
	struct graph *graph = graph_find(handle);
	error = !graph                     ? cudaErrorInvalidValue
		: stream_capturing(stream) ? cudaErrorIllegalState
					   : begin(stream, mode, graph);
	if (!error) {
		struct capture *capture = atomic_load(&stream->capture);
		error = set_after(capture, after, edges, n, false);
		if (error)
			leave(capture->recording);
	}
	graph_unlock();
	return error;
}

cudaError_t capture_set_after(struct stream *stream, const cudaGraphNode_t *after,
			      const cudaGraphEdgeData *edges, size_t n, unsigned flags)
{
	bool add = flags == cudaStreamAddCaptureDependencies;
	graph_lock();
	struct capture *capture = atomic_load(&stream->capture);
	for (size_t i = 0; capture && !add && i < capture->n_after; i++)
		((struct graph_node *)capture->after[i])->let_go = true;
	cudaError_t error = !capture ? cudaErrorIllegalState
			    : capture->recording->status == cudaStreamCaptureStatusInvalidated
				    ? cudaErrorStreamCaptureInvalidated
			    : flags > cudaStreamSetCaptureDependencies
				    ? cudaErrorInvalidValue
				    : set_after(capture, after, edges, n, add);
	graph_unlock();
	return error;
}

void capture_look(struct stream *stream, struct capture_view *ret)
{
	graph_lock();
	struct capture *capture = atomic_load(&stream->capture);
	*ret = (struct capture_view){.status = cudaStreamCaptureStatusNone};
	if (capture)
		*ret = (struct capture_view){
			.status = capture->recording->status,
			.id = capture->recording->id,
			.graph = (cudaGraph_t)capture->recording->graph,
			.after = capture->after,
			.edges = capture->edges,
			.n = capture->n_after,
		};
	graph_unlock();
}

static cudaError_t end(struct stream *stream, struct graph **ret)
{
	struct capture *capture = atomic_load(&stream->capture);
	if (!capture)
		return cudaErrorIllegalState;
	struct recording *recording = capture->recording;
	if (recording->origin != stream) {
		/* It stays the wrong stream, however often it is tried. */
		invalidate(capture, cudaErrorStreamCaptureUnmatched);
		return cudaErrorStreamCaptureUnmatched;
	}
	cudaError_t error = cudaSuccess;
	if (recording->status == cudaStreamCaptureStatusInvalidated)
		error = cudaErrorStreamCaptureInvalidated;
	else if (recording->mode != cudaStreamCaptureModeRelaxed &&
		 !pthread_equal(recording->thread, pthread_self()))
		error = cudaErrorStreamCaptureWrongThread;
	else if (!joined(capture))
		error = cudaErrorStreamCaptureUnjoined;
	if (!error) {
		*ret = recording->graph;
		if (recording->own)
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
	enum cudaStreamCaptureStatus status = capture ? capture->recording->status
						      : cudaStreamCaptureStatusNone;
	if (id && capture)
		*id = capture->recording->id;
	graph_unlock();
	return status;
}

/* ---- what captures forbid ---------------------------------------------------------- */

/* Does a recording in this stream forbid the call? */
typedef bool forbids(const struct recording *recording, const struct stream *stream);

static bool always(const struct recording *recording, const struct stream *stream)
{
	(void)recording, (void)stream;
	return true;
}

static bool forbid_in(const struct device *device, forbids *forbid)
{
	bool found = false;
	operation_lock();
	for (struct stream *s = device->streams; s; s = s->next) {
		struct capture *c = atomic_load(&s->capture);
		bool active = c && c->recording->status == cudaStreamCaptureStatusActive;
		if (!c || (!active && forbid != always) || !forbid(c->recording, s))
			continue;
		c->recording->status = cudaStreamCaptureStatusInvalidated;
		found = true;
	}
	operation_unlock();
	return found;
}

static cudaError_t forbid(const struct device *device, forbids *rule, cudaError_t error)
{
	bool found = false;
	if (!atomic_load_explicit(&n_active, memory_order_relaxed))
		return cudaSuccess;
	graph_lock();
	for (int i = 0; i < device_count(); i++)
		if (!device || device == device_get(i))
			found = forbid_in(device_get(i), rule) || found;
	graph_unlock();
	return found ? error : cudaSuccess;
}

/* See cudaThreadExchangeStreamCaptureMode in the CUDA Runtime API. */
static bool unsafe(const struct recording *recording, const struct stream *stream)
{
	(void)stream;
	bool own = pthread_equal(recording->thread, pthread_self());
	if (thread_mode == cudaStreamCaptureModeRelaxed)
		return false;
	if (own)
		return recording->mode != cudaStreamCaptureModeRelaxed;
	return thread_mode == cudaStreamCaptureModeGlobal &&
	       recording->mode == cudaStreamCaptureModeGlobal;
}

static bool in_blocking_stream(const struct recording *recording, const struct stream *stream)
{
	(void)recording;
	return !(stream->flags & cudaStreamNonBlocking);
}

cudaError_t capture_check_unsafe(void)
{
	return forbid(NULL, unsafe, cudaErrorStreamCaptureUnsupported);
}

cudaError_t capture_check_device(const struct device *device)
{
	return forbid(device, always, cudaErrorStreamCaptureUnsupported);
}

cudaError_t capture_check_legacy(const struct stream *stream)
{
	return stream->legacy
		       ? forbid(stream->device, in_blocking_stream, cudaErrorStreamCaptureImplicit)
		       : cudaSuccess;
}

cudaError_t capture_check_event(struct event *event)
{
	cudaError_t error = cudaSuccess;
	graph_lock();
	struct capture *capture = atomic_load(&event->capture);
	if (capture && capture->recording->status == cudaStreamCaptureStatusNone) {
		error = cudaErrorInvalidValue; /* its capture is over */
	} else if (capture) {
		error = cudaErrorCapturedEvent;
		if (capture->recording->status == cudaStreamCaptureStatusActive)
			capture->recording->status = cudaStreamCaptureStatusInvalidated;
	}
	graph_unlock();
	return error;
}

enum cudaStreamCaptureMode capture_thread_mode(enum cudaStreamCaptureMode mode)
{
	enum cudaStreamCaptureMode before = thread_mode;
	thread_mode = mode;
	return before;
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
	case WORK_FREE:
		return cudaGraphNodeTypeMemFree;
	default:
		return cudaGraphNodeTypeEmpty;
	}
}

static cudaError_t add(struct capture *capture, enum cudaGraphNodeType type, struct work *work,
		       cudaError_t (*fill)(struct graph_node *, void *), void *arg)
{
	struct graph_node *node;
	if (!capture || capture->recording->status != cudaStreamCaptureStatusActive) {
		work_fini(work);
		return cudaErrorStreamCaptureInvalidated;
	}
	/* Callbacks, unlike host functions, cannot be captured. */
	if (work->kind == WORK_HOST && work->host.callback)
		return invalidate(capture, cudaErrorStreamCaptureUnsupported);
	cudaError_t error = graph_add(capture->recording->graph, type, work, capture->after,
				      capture->n_after, &node);
	if (error)
		return error;
	if (node->n_after)
		memcpy(node->edges, capture->edges, node->n_after * sizeof *node->edges);
	error = fill ? fill(node, arg) : cudaSuccess;
	if (error) {
		graph_remove_node(node);
		return error;
	}
	capture->after[0] = (cudaGraphNode_t)node; /* there is room for one always */
	capture->edges[0] = (cudaGraphEdgeData){0};
	capture->n_after = 1;
	return cudaSuccess;
}

cudaError_t capture_add_node(struct stream *stream, enum cudaGraphNodeType type, struct work *work,
			     cudaError_t (*fill)(struct graph_node *node, void *arg), void *arg)
{
	graph_lock();
	cudaError_t error = add(atomic_load(&stream->capture), type, work, fill, arg);
	graph_unlock();
	return error;
}

cudaError_t capture_add(struct stream *stream, struct work *work)
{
	return capture_add_node(stream, type_of(work), work, NULL, NULL);
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
	spoil(stream, cudaErrorStreamCaptureUnsupported);
	return cudaErrorStreamCaptureUnsupported; /* also of a capture that is spoilt already */
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
		if (copy) {
			event->forget = capture_forget;
			capture_free(atomic_exchange(&event->capture, copy));
		}
	}
	graph_unlock();
	return error;
}

/* What comes after either. */
static cudaError_t merge(struct capture *to, const struct capture *from)
{
	return set_after(to, from->after, from->edges, from->n_after, true);
}

static cudaError_t join(struct stream *stream, struct event *event)
{
	struct capture *of_event = atomic_load(&event->capture);
	struct capture *capture = atomic_load(&stream->capture);
	if (!of_event || of_event->recording->status == cudaStreamCaptureStatusNone)
		/* Its capture is over. */
		return capture ? invalidate(capture, cudaErrorInvalidValue) : cudaErrorInvalidValue;
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
	/* A stream that has joined only leaves. */
	if (capture && capture->recording->origin == stream)
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
