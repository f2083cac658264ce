/* SPDX-License-Identifier: Apache-2.0 */
#include "graph.h"

cudaError_t capture_add(struct stream *stream, struct work *work)
{
	(void)stream;
	work_fini(work);
	return cudaErrorStreamCaptureUnsupported;
}

cudaError_t capture_break(struct stream *stream, struct work *work)
{
	(void)stream;
	if (work)
		work_fini(work);
	return cudaErrorStreamCaptureUnsupported;
}

cudaError_t capture_record(struct stream *stream, struct event *event, struct work *work)
{
	(void)event;
	return capture_add(stream, work);
}

cudaError_t capture_wait(struct stream *stream, struct event *event)
{
	(void)stream, (void)event;
	return cudaErrorStreamCaptureUnsupported;
}

void capture_drop(struct stream *stream)
{
	(void)stream;
}
