/* SPDX-License-Identifier: Apache-2.0 */
/* registers.c - special registers.
 *
 * Functions named read_ptx_sreg_* read nothing that changes while a thread
 * runs, the clocks aside: the device compiler marks their loads invariant. */
#include "builtins.h"

#define THREAD __cudasim_context()
#define BLOCK THREAD->block

#define SREG(name, value)                                                                          \
	uint32_t NVVM(read_ptx_sreg_##name)(void)                                                  \
	{                                                                                          \
		return (value);                                                                    \
	}
#define SREG3(name, expression)                                                                    \
	SREG(name##_x, (expression)[0])                                                            \
	SREG(name##_y, (expression)[1])                                                            \
	SREG(name##_z, (expression)[2])                                                            \
	SREG(name##_w, 0)

SREG3(tid, THREAD->tid)
SREG3(ntid, BLOCK->ntid)
SREG3(ctaid, BLOCK->ctaid)
SREG3(nctaid, BLOCK->nctaid)
SREG3(cluster_ctaid, BLOCK->cluster_ctaid)
SREG3(cluster_nctaid, BLOCK->cluster_nctaid)

SREG(laneid, THREAD->lane)
SREG(warpid, THREAD->warp)
SREG(warpsize, CUDASIM_WARP_SIZE)
SREG(nwarpid, __cudasim_sreg(CUDASIM_SREG_NWARPID))
SREG(smid, BLOCK->smid)
SREG(nsmid, __cudasim_sreg(CUDASIM_SREG_NSMID))
SREG(gridid, (uint32_t)BLOCK->gridid)
SREG(lanemask_eq, 1u << THREAD->lane)
SREG(lanemask_lt, (1u << THREAD->lane) - 1)
SREG(lanemask_le, (2u << THREAD->lane) - 1)
SREG(lanemask_gt, -(2u << THREAD->lane))
SREG(lanemask_ge, -(1u << THREAD->lane))
SREG(dynamic_smem_size, BLOCK->dynamic_shared_bytes)
SREG(total_smem_size, __cudasim_sreg(CUDASIM_SREG_TOTAL_SMEM))
SREG(aggr_smem_size, __cudasim_sreg(CUDASIM_SREG_AGGR_SMEM))
/* As an H200 answers; cooperative groups keep their scratch at offset_1. */
SREG(reserved_smem_offset_begin, 0)
SREG(reserved_smem_offset_end, CUDASIM_GROUP_SCRATCH_BYTES)
SREG(reserved_smem_offset_cap, CUDASIM_RESERVED_SHARED_BYTES)
SREG(reserved_smem_offset_0, 0)
SREG(reserved_smem_offset_1, 0)
/* Of the driver's environment registers, cooperative groups read 1 and 2. */
SREG(envreg1, __cudasim_sreg(CUDASIM_SREG_ENVREG1))
SREG(envreg2, __cudasim_sreg(CUDASIM_SREG_ENVREG2))
/* Performance counters count nothing. */
SREG(pm0, 0)
SREG(pm1, 0)
SREG(pm2, 0)
SREG(pm3, 0)

/* Clusters: the block of rank r of a cluster is its r-th in x-y-z order. */
SREG(cluster_ctarank,
     BLOCK->cluster_ctaid[0] +
	     BLOCK->cluster_nctaid[0] *
		     (BLOCK->cluster_ctaid[1] + BLOCK->cluster_nctaid[1] * BLOCK->cluster_ctaid[2]))
SREG(cluster_nctarank,
     BLOCK->cluster_nctaid[0] * BLOCK->cluster_nctaid[1] * BLOCK->cluster_nctaid[2])

#define CLUSTER(axis, i)                                                                           \
	SREG(clusterid_##axis, BLOCK->ctaid[i] / BLOCK->cluster_nctaid[i])                         \
	SREG(nclusterid_##axis, BLOCK->nctaid[i] / BLOCK->cluster_nctaid[i])
CLUSTER(x, 0)
CLUSTER(y, 1)
CLUSTER(z, 2)
SREG(clusterid_w, 0)
SREG(nclusterid_w, 0)

bool NVVM(is_explicit_cluster)(void)
{
	return NVVM(read_ptx_sreg_cluster_nctarank)() > 1;
}

uint32_t NVVM(read_ptx_sreg_clock)(void)
{
	return (uint32_t)__cudasim_clock64();
}

uint32_t NVVM(read_ptx_sreg_clock_hi)(void)
{
	return (uint32_t)(__cudasim_clock64() >> 32);
}

uint64_t NVVM(read_ptx_sreg_clock64)(void)
{
	return __cudasim_clock64();
}

uint64_t NVVM(read_ptx_sreg_globaltimer)(void)
{
	return __cudasim_globaltimer();
}

uint32_t NVVM(read_ptx_sreg_globaltimer_lo)(void)
{
	return (uint32_t)__cudasim_globaltimer();
}

uint32_t NVVM(read_ptx_sreg_globaltimer_hi)(void)
{
	return (uint32_t)(__cudasim_globaltimer() >> 32);
}

/* ---- which window an address lies in -------------------------------------- */

bool NVVM(isspacep_shared)(const void *p)
{
	const struct cudasim_block *block = BLOCK;

	return (uintptr_t)p - (uintptr_t)block->shared < block->shared_bytes;
}

bool NVVM(isspacep_shared_cluster)(const void *p)
{
	const struct cudasim_block *block = BLOCK;
	uint32_t n = NVVM(read_ptx_sreg_cluster_nctarank)();

	if (NVVM(isspacep_shared)(p))
		return true;
	for (uint32_t rank = 0; n > 1 && rank < n; rank++) {
		unsigned char *start = __cudasim_cluster_map(block->shared, rank);

		if ((uintptr_t)p - (uintptr_t)start < block->shared_bytes)
			return true;
	}
	return false;
}

bool NVVM(isspacep_local)(const void *p)
{
	return __cudasim_is_local(p) != 0;
}

bool NVVM(isspacep_global)(const void *p)
{
	return !NVVM(isspacep_shared_cluster)(p) && !__cudasim_is_local(p);
}

void *NVVM(mapa)(const void *p, uint32_t rank)
{
	return __cudasim_cluster_map(p, rank);
}

/* The rank of the block whose shared memory p lies in. */
uint32_t NVVM(getctarank)(const void *p)
{
	const struct cudasim_block *block = BLOCK;
	uint32_t n = NVVM(read_ptx_sreg_cluster_nctarank)();

	for (uint32_t rank = 0; rank < n; rank++) {
		unsigned char *start = __cudasim_cluster_map(block->shared, rank);

		if ((uintptr_t)p - (uintptr_t)start < block->shared_bytes)
			return rank;
	}
	return NVVM(read_ptx_sreg_cluster_ctarank)();
}
