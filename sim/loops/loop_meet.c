/* SPDX-License-Identifier: Apache-2.0 */
/* loop_meet.c - what lanes of a warp that have met do: as vectors where all stand at one place, else
 * lane after lane. */
#include "loop.h"

#include <string.h>

#include "block.h"
#include "mma.h"
#include "warp.h"

/* ---- lane after lane ------------------------------------------------------------------- */

void loop_finish(const struct lanes *l, uint32_t lanes, const uint64_t *result)
{
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		uint32_t lane = loop_first(rest);
		loop_give(l, loop_op(l->loop, l->at[lane]), lane, result[lane]);
		l->at[lane] += 1u << 16;
	}
}

/* A matrix product of lanes that may have come to it at several cuts. */
static void multiply(const struct lanes *l, uint32_t lanes)
{
	uint32_t words[CUDASIM_MMA_MOST_WORDS][LANES] = {0}, form = 0, n = 0;
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		uint32_t lane = loop_first(rest);
		const struct cudasim_region_op *op = loop_op(l->loop, l->at[lane]);
		form = (uint32_t)op->arg[0].constant;
		n = cudasim_mma_n_words(form);
		for (uint32_t i = 0; i < n; i++)
			words[i][lane] = loop_registers(l, op)[i][lane];
	}
	mma_compute(form, words);
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		uint32_t lane = loop_first(rest);
		const struct cudasim_region_op *op = loop_op(l->loop, l->at[lane]);
		for (uint32_t i = cudasim_mma_c_at(form); i < n; i++)
			loop_registers(l, op)[i][lane] = words[i][lane];
		l->at[lane] += 1u << 16;
	}
}

/* Lane after lane, which may stand at several places. */
static void compute(const struct lanes *l, const struct lane_meeting *m)
{
	struct warp_operand operand[LANES];
	uint64_t result[LANES] = {0};
	for (uint32_t rest = m->lanes; rest; rest &= rest - 1) {
		uint32_t lane = loop_first(rest);
		const struct cudasim_region_op *op = loop_op(l->loop, l->at[lane]);
		operand[lane] = loop_operand(l, op, m->kind, lane);
	}
	if (m->kind != CUDASIM_WARP_SYNC)
		warp_compute(m->kind, m->sub, m->lanes, operand, result);
	loop_finish(l, m->lanes, result);
}

/* ---- as vectors -------------------------------------------------------------------------- */

/* The lanes of the warp follow each other in x. */
bool loop_is_row(const struct lanes *l)
{
	const uint32_t *n = l->block->pub.ntid;
	return n[1] * n[2] == 1 || n[0] % LANES == 0;
}

void loop_call_lanes(const struct lanes *l, uint32_t lanes, uint32_t region, uint32_t what)
{
	const uint32_t *n = l->block->pub.ntid;
	uint32_t linear = l->warp * LANES, x = linear, y = 0, z = 0;
	if (n[1] * n[2] > 1) {
		x = linear % n[0];
		y = linear / n[0] % n[1];
		z = linear / n[0] / n[1];
	}
	l->block->stepped = UINT32_MAX;
	l->loop->lanes(l->params, &l->block->pub, l->frame, x, y, z, linear, lanes, region, what);
}

void loop_run(const struct lanes *l, uint32_t at, uint32_t lanes)
{
	uint32_t region = loop_region(at);
	if (l->loop->lanes && lanes & (lanes - 1) && loop_is_row(l)) {
		loop_call_lanes(l, lanes, region, CUDASIM_LANES_RUN);
		return;
	}
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		l->at[loop_first(rest)] = loop_continue(l, loop_first(rest), region);
}

/* The operations that lanes at one place have met at, as vectors, and, unless it is the whole warp's,
 * what follows. False where these are not such operations. */
bool loop_meet_as_vectors(const struct lanes *l, uint32_t lanes, uint32_t at)
{
	if (!l->loop->lanes || at == CUDASIM_AT_MIXED || loop_done(at) ||
	    !loop_op(l->loop, at)->by_lanes)
		return false;
	uint32_t region = loop_region(at), ready = loop_ready(l->loop, region);
	loop_tell_cut(l, region, lanes);
	if (lanes != UINT32_MAX && loop_is_row(l)) {
		loop_call_lanes(l, lanes, region, CUDASIM_LANES_MEET | CUDASIM_LANES_RUN);
		return true;
	}
	loop_call_lanes(l, lanes, region, CUDASIM_LANES_MEET);
	loop_move(l, lanes, ready);
	return true;
}

void loop_meet(const struct lanes *l, const struct lane_meeting *m)
{
	if (m->kind == CUDASIM_WARP_MMA) {
		loop_tell_meeting(l, m);
		multiply(l, m->lanes);
	} else if (!loop_meet_as_vectors(l, m->lanes, m->at)) {
		loop_tell_meeting(l, m);
		compute(l, m);
	}
}
