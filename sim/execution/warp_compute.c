/* SPDX-License-Identifier: Apache-2.0 */
/* warp_compute.c - the results of warp-wide operations, as functions of what
 * the lanes brought. */
#include "shuffle_lane.h"
#include "warp.h"

enum { LANES = 32 };

static uint64_t shuffle(uint32_t mode, uint32_t lane, const struct warp_operand operand[LANES],
			uint32_t arrived)
{
	bool inside;
	uint32_t from = shuffle_lane(mode, lane, operand[lane].b, operand[lane].c, &inside);
	uint32_t value = arrived >> from & 1 ? (uint32_t)operand[from].value : 0;
	return (uint64_t)inside << 32 | value;
}

uint32_t warp_absent(uint32_t mode, uint32_t arrived, const struct warp_operand operand[LANES])
{
	uint32_t absent = 0;
	for (uint32_t rest = arrived; rest; rest &= rest - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(rest);
		bool inside;
		if (!(arrived >>
			      shuffle_lane(mode, lane, operand[lane].b, operand[lane].c, &inside) &
		      1))
			absent |= 1u << lane;
	}
	return absent;
}

static uint32_t lanes_with(uint64_t value, const struct warp_operand operand[LANES],
			   uint32_t arrived)
{
	uint32_t lanes = 0;
	for (uint32_t i = 0; i < LANES; i++)
		if (arrived >> i & 1 && operand[i].value == value)
			lanes |= 1u << i;
	return lanes;
}

static uint32_t vote(uint32_t kind, uint32_t arrived, const struct warp_operand operand[LANES])
{
	uint32_t ballot = lanes_with(1, operand, arrived);
	switch (kind) {
	case CUDASIM_VOTE_ALL:
		return ballot == arrived;
	case CUDASIM_VOTE_ANY:
		return ballot != 0;
	case CUDASIM_VOTE_UNI:
		return ballot == arrived || !ballot;
	default:
		return ballot;
	}
}

static uint32_t combine(uint32_t op, uint32_t a, uint32_t b)
{
	switch (op) {
	case CUDASIM_REDUX_ADD:
		return a + b;
	case CUDASIM_REDUX_MIN:
		return (int32_t)a < (int32_t)b ? a : b;
	case CUDASIM_REDUX_MAX:
		return (int32_t)a > (int32_t)b ? a : b;
	case CUDASIM_REDUX_UMIN:
		return a < b ? a : b;
	case CUDASIM_REDUX_UMAX:
		return a > b ? a : b;
	case CUDASIM_REDUX_AND:
		return a & b;
	case CUDASIM_REDUX_OR:
		return a | b;
	default:
		return a ^ b;
	}
}

static uint32_t reduce(uint32_t op, uint32_t arrived, const struct warp_operand operand[LANES])
{
	uint32_t first = (uint32_t)__builtin_ctz(arrived);
	uint32_t sum = (uint32_t)operand[first].value;
	for (uint32_t rest = arrived & (arrived - 1); rest; rest &= rest - 1)
		sum = combine(op, sum, (uint32_t)operand[__builtin_ctz(rest)].value);
	return sum;
}

void warp_compute(uint32_t kind, uint32_t sub, uint32_t arrived,
		  const struct warp_operand operand[LANES], uint64_t result[LANES])
{
	uint32_t first = (uint32_t)__builtin_ctz(arrived);
	uint64_t common = 0;
	switch (kind) {
	case CUDASIM_WARP_VOTE:
		common = vote(sub, arrived, operand);
		break;
	case CUDASIM_WARP_MATCH_ALL:
		if (lanes_with(operand[first].value, operand, arrived) == arrived)
			common = 1ull << 32 | arrived;
		break;
	case CUDASIM_WARP_REDUX:
		common = reduce(sub, arrived, operand);
		break;
	default:
		break;
	}
	for (uint32_t rest = arrived; rest; rest &= rest - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(rest);
		if (kind == CUDASIM_WARP_SHFL)
			result[lane] = shuffle(sub, lane, operand, arrived);
		else if (kind == CUDASIM_WARP_MATCH_ANY)
			result[lane] = lanes_with(operand[lane].value, operand, arrived);
		else if (kind == CUDASIM_WARP_ELECT)
			result[lane] = (uint64_t)(lane == first) << 32 | first;
		else
			result[lane] = common;
	}
}
