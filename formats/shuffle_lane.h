/* SPDX-License-Identifier: Apache-2.0 */
/* shuffle_lane.h - which lane of a warp a shuffle reads from. */
#ifndef CUDASIM_FORMATS_SHUFFLE_LANE_H
#define CUDASIM_FORMATS_SHUFFLE_LANE_H

#include <stdbool.h>
#include <stdint.h>

#include "cudasim/abi.h"

/* The lane that `lane` reads from, its own where that lies outside its segment (*inside is false
 * then). mode: CUDASIM_SHFL_*; b and c: the instruction's operands, c with the clamp in bits 0..4 and
 * the segment mask in 8..12.
 *
 * Source: PTX ISA 9.0, shfl.sync. */
static inline uint32_t shuffle_lane(uint32_t mode, uint32_t lane, uint32_t b, uint32_t c,
				    bool *inside)
{
	uint32_t clamp = c & 31, segment = c >> 8 & 31;
	int32_t max = (int32_t)((lane & segment) | (clamp & ~segment)), from;
	b &= 31;
	switch (mode) {
	case CUDASIM_SHFL_UP:
		/* here the clamp is the lowest lane: max is the segment's first */
		from = (int32_t)lane - (int32_t)b;
		*inside = from >= max;
		break;
	case CUDASIM_SHFL_DOWN:
		from = (int32_t)(lane + b);
		*inside = from <= max;
		break;
	case CUDASIM_SHFL_BFLY:
		from = (int32_t)(lane ^ b);
		*inside = from <= max;
		break;
	default:
		from = (int32_t)((lane & segment) | (b & ~segment));
		*inside = from <= max;
		break;
	}
	return *inside ? (uint32_t)from : lane;
}

#endif
