/* SPDX-License-Identifier: Apache-2.0 */
/* sync.c - barriers, warp-wide operations, ends.
 *
 * The forms without a mask (vote.all, shfl.up, ...) are those of CUDA before
 * version 9: the lanes that take part are the converged ones. */
#include "builtins.h"

/* ---- barriers of a block --------------------------------------------------- */

void NVVM(barrier0)(SITE)
{
	__cudasim_barrier(0, 0, site);
}

void NVVM(barrier_n)(uint32_t id, SITE)
{
	__cudasim_barrier(id, 0, site);
}

void NVVM(bar_sync)(uint32_t id, SITE)
{
	__cudasim_barrier(id, 0, site);
}

void NVVM(barrier_sync)(uint32_t id, SITE)
{
	__cudasim_barrier(id, 0, site);
}

void NVVM(barrier)(uint32_t id, uint32_t n, SITE)
{
	__cudasim_barrier(id, n, site);
}

void NVVM(barrier_sync_cnt)(uint32_t id, uint32_t n, SITE)
{
	__cudasim_barrier(id, n, site);
}

void NVVM(barrier_arrive)(uint32_t id, uint32_t n, SITE)
{
	__cudasim_barrier_arrive(id, n, site);
}

uint32_t NVVM(barrier0_popc)(uint32_t pred, SITE)
{
	return __cudasim_barrier_reduce(0, 0, CUDASIM_REDUCE_POPC, pred != 0, site);
}

uint32_t NVVM(barrier0_and)(uint32_t pred, SITE)
{
	return __cudasim_barrier_reduce(0, 0, CUDASIM_REDUCE_AND, pred != 0, site);
}

uint32_t NVVM(barrier0_or)(uint32_t pred, SITE)
{
	return __cudasim_barrier_reduce(0, 0, CUDASIM_REDUCE_OR, pred != 0, site);
}

/* barrier.red with a barrier's number and count, as PTX has it. */
#define BARRIER_RED(name, op)                                                                      \
	uint32_t NVVM(barrier_red_##name)(uint32_t id, uint32_t n, uint32_t pred, SITE)            \
	{                                                                                          \
		return __cudasim_barrier_reduce(id, n, op, pred != 0, site);                       \
	}
BARRIER_RED(popc, CUDASIM_REDUCE_POPC)
BARRIER_RED(and, CUDASIM_REDUCE_AND)
BARRIER_RED(or, CUDASIM_REDUCE_OR)

/* ---- barriers of a cluster ------------------------------------------------- */

#define CLUSTER_ARRIVE(name)                                                                       \
	void NVVM(name)(SITE)                                                                      \
	{                                                                                          \
		__cudasim_cluster_arrive(site);                                                    \
	}
CLUSTER_ARRIVE(barrier_cluster_arrive)
CLUSTER_ARRIVE(barrier_cluster_arrive_aligned)
CLUSTER_ARRIVE(barrier_cluster_arrive_relaxed)
CLUSTER_ARRIVE(barrier_cluster_arrive_relaxed_aligned)

void NVVM(barrier_cluster_wait)(SITE)
{
	__cudasim_cluster_wait(site);
}

void NVVM(barrier_cluster_wait_aligned)(SITE)
{
	__cudasim_cluster_wait(site);
}

/* ---- warps ----------------------------------------------------------------- */

void NVVM(bar_warp_sync)(uint32_t mask, SITE)
{
	__cudasim_syncwarp(mask, site);
}

uint32_t NVVM(activemask)(SITE)
{
	return __cudasim_activemask(site);
}

#define SHFL(mode, MODE)                                                                           \
	uint32_t NVVM(shfl_sync_##mode##_i32)(uint32_t mask, uint32_t value, uint32_t b,           \
					      uint32_t c, SITE)                                    \
	{                                                                                          \
		return (uint32_t)__cudasim_shfl(MODE, mask, value, b, c, site);                    \
	}                                                                                          \
	float NVVM(shfl_sync_##mode##_f32)(uint32_t mask, float value, uint32_t b, uint32_t c,     \
					   SITE)                                                   \
	{                                                                                          \
		return bits_float(                                                                 \
			(uint32_t)__cudasim_shfl(MODE, mask, float_bits(value), b, c, site));      \
	}                                                                                          \
	uint64_t NVVM(shfl_sync_##mode##_i32p)(uint32_t mask, uint32_t value, uint32_t b,          \
					       uint32_t c, SITE)                                   \
	{                                                                                          \
		return __cudasim_shfl(MODE, mask, value, b, c, site);                              \
	}                                                                                          \
	uint64_t NVVM(shfl_sync_##mode##_f32p)(uint32_t mask, float value, uint32_t b, uint32_t c, \
					       SITE)                                               \
	{                                                                                          \
		return __cudasim_shfl(MODE, mask, float_bits(value), b, c, site);                  \
	}                                                                                          \
	uint32_t NVVM(shfl_##mode##_i32)(uint32_t value, uint32_t b, uint32_t c, SITE)             \
	{                                                                                          \
		return (uint32_t)__cudasim_shfl(MODE, __cudasim_activemask(site), value, b, c,     \
						site);                                             \
	}                                                                                          \
	float NVVM(shfl_##mode##_f32)(float value, uint32_t b, uint32_t c, SITE)                   \
	{                                                                                          \
		return bits_float((uint32_t)__cudasim_shfl(MODE, __cudasim_activemask(site),       \
							   float_bits(value), b, c, site));        \
	}                                                                                          \
	uint64_t NVVM(shfl_##mode##_i32p)(uint32_t value, uint32_t b, uint32_t c, SITE)            \
	{                                                                                          \
		return __cudasim_shfl(MODE, __cudasim_activemask(site), value, b, c, site);        \
	}                                                                                          \
	uint64_t NVVM(shfl_##mode##_f32p)(float value, uint32_t b, uint32_t c, SITE)               \
	{                                                                                          \
		return __cudasim_shfl(MODE, __cudasim_activemask(site), float_bits(value), b, c,   \
				      site);                                                       \
	}
SHFL(idx, CUDASIM_SHFL_IDX)
SHFL(up, CUDASIM_SHFL_UP)
SHFL(down, CUDASIM_SHFL_DOWN)
SHFL(bfly, CUDASIM_SHFL_BFLY)

#define VOTE(name, type, KIND)                                                                     \
	type NVVM(vote_##name##_sync)(uint32_t mask, bool pred, SITE)                              \
	{                                                                                          \
		return (type)__cudasim_vote(KIND, mask, pred, site);                               \
	}                                                                                          \
	type NVVM(vote_##name)(bool pred, SITE)                                                    \
	{                                                                                          \
		return (type)__cudasim_vote(KIND, __cudasim_activemask(site), pred, site);         \
	}
VOTE(all, bool, CUDASIM_VOTE_ALL)
VOTE(any, bool, CUDASIM_VOTE_ANY)
VOTE(uni, bool, CUDASIM_VOTE_UNI)
VOTE(ballot, uint32_t, CUDASIM_VOTE_BALLOT)

uint32_t NVVM(match_any_sync_i32)(uint32_t mask, uint32_t value, SITE)
{
	return __cudasim_match_any(mask, value, site);
}

uint32_t NVVM(match_any_sync_i64)(uint32_t mask, uint64_t value, SITE)
{
	return __cudasim_match_any(mask, value, site);
}

uint64_t NVVM(match_all_sync_i32p)(uint32_t mask, uint32_t value, SITE)
{
	return __cudasim_match_all(mask, value, site);
}

uint64_t NVVM(match_all_sync_i64p)(uint32_t mask, uint64_t value, SITE)
{
	return __cudasim_match_all(mask, value, site);
}

/* The value first, then the mask. (clang 19's header has them the wrong way
 * round; include/compat brings its own.) */
#define REDUX(name, OP)                                                                            \
	uint32_t NVVM(redux_sync_##name)(uint32_t value, uint32_t mask, SITE)                      \
	{                                                                                          \
		return __cudasim_redux(OP, mask, value, site);                                     \
	}
REDUX(add, CUDASIM_REDUX_ADD)
REDUX(min, CUDASIM_REDUX_MIN)
REDUX(max, CUDASIM_REDUX_MAX)
REDUX(umin, CUDASIM_REDUX_UMIN)
REDUX(umax, CUDASIM_REDUX_UMAX)
REDUX(and, CUDASIM_REDUX_AND)
REDUX(or, CUDASIM_REDUX_OR)
REDUX(xor, CUDASIM_REDUX_XOR)

uint64_t NVVM(elect_sync)(uint32_t mask, SITE)
{
	return __cudasim_elect(mask, site);
}

/* ---- waiting and ending ---------------------------------------------------- */

void NVVM(nanosleep)(uint32_t ns, SITE)
{
	__cudasim_nanosleep(ns, site);
}

void NVVM(exit)(SITE)
{
	__cudasim_exit(site);
}

void NVVM(trap)(SITE)
{
	__cudasim_trap(CUDASIM_TRAP_TRAP, site);
}

void NVVM(brkpt)(SITE)
{
	__cudasim_brkpt(site);
}
