/* SPDX-License-Identifier: Apache-2.0 */
/* graph.h - graphs of work: captured from streams or built node by node, made
 * executable, and launched as often as one likes. */
#ifndef CUDASIM_SIM_GRAPH_H
#define CUDASIM_SIM_GRAPH_H

#include <driver_types.h>
#include <stdbool.h>

#include "event.h"
#include "operation.h"
#include "stream.h"

static inline bool stream_capturing(const struct stream *stream)
{
	return stream->capture;
}

/* Work for a stream that is being captured becomes a node. Takes the work over. */
cudaError_t capture_add(struct stream *stream, struct work *work);
/* A call that cannot be captured ends the capture. Takes the work, if any, over.
 * Returns cudaErrorStreamCaptureUnsupported. */
cudaError_t capture_break(struct stream *stream, struct work *work);
/* cudaEventRecord and cudaStreamWaitEvent among captured streams. Takes the work
 * over. */
cudaError_t capture_record(struct stream *stream, struct event *event, struct work *work);
cudaError_t capture_wait(struct stream *stream, struct event *event);
/* The stream goes away. */
void capture_drop(struct stream *stream);

#endif
