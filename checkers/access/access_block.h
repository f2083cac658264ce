/* SPDX-License-Identifier: Apache-2.0 */
/* access_block.h - what the checkers keep of a block, for access.c and lanes.c. */
#ifndef CUDASIM_CHECKERS_ACCESS_BLOCK_H
#define CUDASIM_CHECKERS_ACCESS_BLOCK_H

#include "checker.h"

struct access_block {
	struct race_block *race; /* NULL: not watched by racecheck */
	uint8_t *written;        /* initcheck's, of shared memory */
	struct history_block *history; /* NULL: nobody asks */
	bool memory, init;       /* watched by memcheck, by initcheck */
	uint64_t shared, shared_bytes;
};

/* The block's; NULL where it is not watched. */
struct access_block *access_block_of(const struct cudasim_block *block);

#endif
