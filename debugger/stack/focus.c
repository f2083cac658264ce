/* SPDX-License-Identifier: Apache-2.0 */
/* focus.c - the thread that commands speak of. */
#include "focus.h"

#include <inttypes.h>
#include <string.h>

#include "stack.h"
#include "stack_state.h"
#include "value.h"

const struct focus *focus_get(void)
{
	return &stack_state()->focus.current;
}

uint64_t focus_kernel_number(const struct cudasim_launch *launch)
{
	return launch->id - 1;
}

void focus_set(struct cudasim_launch *launch, struct cudasim_thread *thread)
{
	struct focus_kept *own = &stack_state()->focus;
	frames_forget();
	own->current = (struct focus){.is_device = true,
				      .launch = launch,
				      .block = thread->block,
				      .thread = thread,
				      .kernel = focus_kernel_number(launch)};
	value_block_set(thread->block);
	memcpy(own->current.block_index, thread->block->ctaid, sizeof own->current.block_index);
	memcpy(own->current.thread_index, thread->tid, sizeof own->current.thread_index);
}

void focus_clear(void)
{
	struct focus_kept *own = &stack_state()->focus;
	frames_forget();
	value_block_set(NULL);
	memset(&own->current, 0, sizeof own->current);
}

bool focus_same(const struct focus *a, const struct focus *b)
{
	if (!a->is_device || !b->is_device)
		return a->is_device == b->is_device;
	return a->kernel == b->kernel &&
	       !memcmp(a->block_index, b->block_index, sizeof a->block_index) &&
	       !memcmp(a->thread_index, b->thread_index, sizeof a->thread_index);
}

void focus_print(FILE *out, const struct focus *focus)
{
	const uint32_t *b = focus->block_index, *t = focus->thread_index;
	const uint32_t *c = focus->block->cluster_nctaid;
	fprintf(out, "CUDA kernel %" PRIu64 ", grid %" PRIu64, focus->kernel,
		focus->launch->gridid);
	if (c[0] * c[1] * c[2] > 1)
		fprintf(out, ", cluster (%u,%u,%u), cluster dim (%u,%u,%u)", b[0] / c[0],
			b[1] / c[1], b[2] / c[2], c[0], c[1], c[2]);
	fprintf(out, ", block (%u,%u,%u), thread (%u,%u,%u), device %u, sm %u, warp %u, lane %u",
		b[0], b[1], b[2], t[0], t[1], t[2], focus->launch->device, focus->block->smid,
		focus->thread->warp, focus->thread->lane);
}

void focus_announce(FILE *out, const struct focus *before)
{
	struct focus_kept *own = &stack_state()->focus;
	if (!own->current.is_device || focus_same(&own->current, before))
		return;
	fputs("[Switching focus to ", out);
	focus_print(out, &own->current);
	fputs("]\n", out);
}

bool focus_can_see(struct cudasim_thread *thread)
{
	struct cudasim_thread_status status;
	cudasim_thread_status(thread, &status);
	return status.state != CUDASIM_THREAD_WAITING && status.state != CUDASIM_THREAD_EXITED;
}
