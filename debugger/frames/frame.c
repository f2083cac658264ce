/* SPDX-License-Identifier: Apache-2.0 */
/* frame.c - a machine frame is as many frames as calls were inlined there, and one. */
#include "frame.h"

size_t frame_n_inlined(const struct frame *frame)
{
	size_t n = 0;
	for (size_t i = 0; i < frame->n_scopes; i++)
		n += frame->scopes[i].inlined != NULL;
	return n;
}

size_t frame_expand(const struct frame *frame, struct frame *ret)
{
	size_t n = 0, first = 0;
	struct frame next = *frame;
	for (size_t i = 0; i < frame->n_scopes; i++) {
		if (!frame->scopes[i].inlined)
			continue;
		ret[n] = next;
		ret[n].is_inlined = true;
		ret[n].is_kernel = false;
		ret[n].name = frame->scopes[i].inlined;
		ret[n].scopes = frame->scopes + first;
		ret[n].n_scopes = i + 1 - first;
		n++;
		/* The caller stands at the call, whose address is no other than this. */
		next.file = frame->scopes[i].call_file;
		next.line = frame->scopes[i].call_line;
		next.at_line_start = true;
		first = i + 1;
	}
	ret[n] = next;
	ret[n].scopes = frame->scopes + first;
	ret[n].n_scopes = frame->n_scopes - first;
	return n + 1;
}

void frames_number(struct frame *frames, size_t n)
{
	for (size_t i = 0; i < n; i++)
		frames[i].level = (uint32_t)i;
}
