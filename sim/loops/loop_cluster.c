/* SPDX-License-Identifier: Apache-2.0 */
/* loop_cluster.c - lanes of loops at the barrier of their cluster, whose blocks take turns on one worker: where all
 * warps of a block wait it rests, with its loop's stack, and another goes on (loop_open.c). */
#include "block.h"
#include "cluster.h"
#include "loop.h"

uint32_t loop_cluster_over(const struct lanes *l, uint32_t lanes)
{
	/* Cleared by the opening: then there is nothing left to wait for. */
	return lanes & ~l->block->cluster_arrived[l->warp];
}

bool loop_cluster_arrive(const struct lanes *l, uint32_t at, uint32_t lanes)
{
	if (!cluster_arrive_in_loop(l->block, l->warp, lanes))
		return false;
	loop_move(l, lanes, at + (1u << 16));
	return true;
}
