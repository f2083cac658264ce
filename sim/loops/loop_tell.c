/* SPDX-License-Identifier: Apache-2.0 */
/* loop_tell.c - what tools hear of a watched loop over warps: barriers and warp operations to which all
 * have come. What its lanes access the loop's code tells (sim/device_side/watched_loops.c). */
#include "loop.h"

#include "block.h"
#include "observer.h"
#include "warp.h"

uint32_t loop_operation(const struct cudasim_region_op *op, int *sub, int *mask)
{
	static const struct {
		uint8_t kind;
		int8_t sub, mask;
	} table[] = {
		[CUDASIM_REGION_SHFL] = {CUDASIM_WARP_SHFL, 0, 1},
		[CUDASIM_REGION_VOTE] = {CUDASIM_WARP_VOTE, 0, 1},
		[CUDASIM_REGION_REDUX] = {CUDASIM_WARP_REDUX, 0, 1},
		[CUDASIM_REGION_MATCH_ANY] = {CUDASIM_WARP_MATCH_ANY, -1, 0},
		[CUDASIM_REGION_MATCH_ALL] = {CUDASIM_WARP_MATCH_ALL, -1, 0},
		[CUDASIM_REGION_ELECT] = {CUDASIM_WARP_ELECT, -1, 0},
		[CUDASIM_REGION_MMA] = {CUDASIM_WARP_MMA, 0, -1},
		[CUDASIM_REGION_SYNCWARP] = {CUDASIM_WARP_SYNC, -1, 0},
	};
	*sub = table[op->kind].sub;
	*mask = table[op->kind].mask;
	return table[op->kind].kind;
}

struct warp_operand loop_operand(const struct lanes *l, const struct cudasim_region_op *op,
				 uint32_t kind, uint32_t lane)
{
	switch (kind) {
	case CUDASIM_WARP_SHFL:
		return (struct warp_operand){loop_word(l, op, 2, lane), loop_word(l, op, 3, lane),
					     loop_word(l, op, 4, lane)};
	case CUDASIM_WARP_VOTE:
		return (struct warp_operand){.value = loop_word(l, op, 2, lane) != 0};
	case CUDASIM_WARP_REDUX:
		return (struct warp_operand){.value = loop_word(l, op, 2, lane)};
	case CUDASIM_WARP_MATCH_ANY:
	case CUDASIM_WARP_MATCH_ALL:
		return (struct warp_operand){.value = loop_argument(l, op, 1, lane)};
	default:
		return (struct warp_operand){0};
	}
}

/* Where lane `lane` stands, or op where that is one for all. */
static const struct cudasim_region_op *op_of(const struct lanes *l,
					     const struct cudasim_region_op *op, uint32_t lane)
{
	return op ? op : loop_op(l->loop, l->at[lane]);
}

static void tell(const struct lanes *l, const struct lane_meeting *m,
		 const struct cudasim_region_op *op)
{
	struct warp_operand operand[LANES];
	struct cudasim_warp_op seen = {
		.kind = (enum cudasim_warp_kind)m->kind,
		.sub = m->sub,
		.mask = m->lanes,
		.site = op_of(l, op, loop_first(m->lanes))->site,
	};
	/* Of the whole warp nobody is absent. */
	if (m->kind == CUDASIM_WARP_SHFL && m->lanes != UINT32_MAX) {
		for (uint32_t rest = m->lanes; rest; rest &= rest - 1) {
			uint32_t lane = loop_first(rest);
			operand[lane] = loop_operand(l, op_of(l, op, lane), m->kind, lane);
		}
		seen.absent = warp_absent(m->sub, m->lanes, operand);
	}
	observer_frame = __builtin_frame_address(0);
	observe_warp_meet(&l->block->pub, l->warp, &seen);
	observer_frame = NULL;
}

void loop_tell_meeting(const struct lanes *l, const struct lane_meeting *m)
{
	if (loop_is_watched(l->block))
		tell(l, m, NULL);
}

void loop_tell_cut(const struct lanes *l, uint32_t region, uint32_t lanes)
{
	const struct cudasim_region *cut = &l->loop->cuts[region];
	for (uint32_t i = 0; loop_is_watched(l->block) && i < cut->n; i++) {
		const struct cudasim_region_op *op = &l->loop->ops[cut->first + i];
		if (op->kind == CUDASIM_REGION_ACTIVEMASK || op->kind == CUDASIM_REGION_CONVERGE)
			continue;
		for (uint32_t rest = lanes; rest;) {
			int sub, mask;
			struct lane_meeting m = {.at = region};
			m.kind = loop_operation(op, &sub, &mask);
			m.lanes = loop_with_argument(l, op, sub, rest, &m.sub);
			m.lanes = loop_with_argument(l, op, mask, m.lanes, &m.mask);
			rest &= ~m.lanes;
			tell(l, &m, op);
		}
	}
}

void __cudasim_on_loop_meet(const struct cudasim_loop *loop, struct cudasim_block *pub, void *frame,
			    uint32_t warp, uint32_t region)
{
	struct lanes l = loop_lanes(loop, (struct block *)pub, NULL, frame, warp);
	loop_tell_cut(&l, region, UINT32_MAX);
}

bool loop_tell_barrier(const struct cudasim_loop *loop, struct block *b, void *frame)
{
	const uint32_t *words = loop_words(loop, b, frame);
	struct lanes l = loop_lanes(loop, b, NULL, frame, 0);
	uint32_t at = words[0] == CUDASIM_AT_MIXED ? l.at[0] : words[0];
	if (at == CUDASIM_AT_EXIT || loop_is_ready(loop, at))
		return false;
	const struct cudasim_region_op *op = loop_op(loop, at);
	if ((op->kind != CUDASIM_REGION_BARRIER && op->kind != CUDASIM_REGION_BARRIER_REDUCE) ||
	    op->arg[0].size || op->arg[0].constant || op->arg[1].size || op->arg[1].constant)
		return false;
	for (uint32_t w = 0; w < b->n_warps; w++) {
		l = loop_lanes(loop, b, NULL, frame, w);
		if (words[w] != CUDASIM_AT_MIXED && words[w] != at)
			return false;
		for (uint32_t lane = 0; words[w] == CUDASIM_AT_MIXED && lane < l.n; lane++)
			if (l.at[lane] != at)
				return false;
	}
	__cudasim_on_loop_barrier(&b->pub, op->site, NULL);
	return true;
}
