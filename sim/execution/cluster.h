/* SPDX-License-Identifier: Apache-2.0 */
/* cluster.h - blocks that run together and share one barrier. All of a cluster
 * is run by one worker. A block without a cluster is a cluster of its own. */
#ifndef CUDASIM_SIM_CLUSTER_H
#define CUDASIM_SIM_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

enum { CLUSTER_MAX_BLOCKS = 16 };

struct block;
struct thread;

struct cluster {
	struct block *blocks[CLUSTER_MAX_BLOCKS]; /* by rank; NULL once ended */
	uint32_t n_blocks;
	uint32_t n_live_blocks; /* that have not ended */
	uint32_t n_arrived;     /* live threads that have arrived */
	uint64_t epoch;
};

/* In a loop: these lanes of the block's warps live; the others have exited. True where that has opened the
 * barrier. */
bool cluster_recount(struct block *block, const uint32_t *live);

/* In a loop: lanes of a warp arrive. False, and nothing has happened, where one has arrived before. */
bool cluster_arrive_in_loop(struct block *block, uint32_t warp, uint32_t lanes);

/* A thread has exited: it counts as arrived. */
void cluster_exit(struct thread *thread);

#endif
