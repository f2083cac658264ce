/* SPDX-License-Identifier: Apache-2.0 */
/* coordinates.h - which device, kernel, block, thread a command names:
 * "block (1,0,0) thread 32", "lane +1", "kernel 0". */
#ifndef CUDASIM_DEBUGGER_COORDINATES_H
#define CUDASIM_DEBUGGER_COORDINATES_H

#include "focus.h"

enum coordinate {
	COORDINATE_DEVICE,
	COORDINATE_SM,
	COORDINATE_WARP,
	COORDINATE_LANE,
	COORDINATE_KERNEL,
	COORDINATE_GRID,
	COORDINATE_CLUSTER,
	COORDINATE_BLOCK,
	COORDINATE_THREAD,
	COORDINATE_CLUSTER_DIM,
	N_COORDINATES,
};

/* What was named, in the order in which it was written. A name without value asks for
 * the focus's ("cuda kernel block"). */
struct coordinates {
	unsigned n;
	enum coordinate names[N_COORDINATES];
	bool has_value[N_COORDINATES]; /* by coordinate */
	bool is_named[N_COORDINATES];
	/* By coordinate: the number in value[c][0], of indices x, y, z; what is not
	 * written is 0. COORDINATE_ANY: all of them match (as `all`, `*`). */
	uint64_t value[N_COORDINATES][3];
	bool any[N_COORDINATES];
};

/* Values: N, +N and -N (relative to the focus), (x), (x,y), (x,y,z), x,y,z, `all`,
 * `*`, `current`. command: "cuda" or "info cuda threads", for errors: `Undefined cuda
 * command: "nosuch".  Try "help cuda".` */
struct cudasim_error *coordinates_parse(const char *text, const char *command,
					struct coordinates *ret);

/* Does the thread (its block, its launch) match what is given of it? The finer
 * coordinates do not count for a block or launch. */
bool coordinates_match_launch(const struct coordinates *c, const struct cudasim_launch *launch);
bool coordinates_match_block(const struct coordinates *c, const struct cudasim_block *block);
bool coordinates_match_thread(const struct coordinates *c, const struct cudasim_thread *thread);
/* Use the focus's value for a coordinate that was not named. Nothing without a focus. */
void coordinates_default(struct coordinates *c, enum coordinate name);

/* The thread that matches and is nearest to the focus: of the same kernel, block,
 * thread, warp, lane, in this order, else the first one. NULL: there is none. */
struct cudasim_thread *coordinates_find(const struct coordinates *c);

/* "kernel 0, block (2,0,0), thread (13,0,0)": the focus's values of what is named. */
void coordinates_print(FILE *out, const struct coordinates *c);

/* Calls f for each thread in flight that can be looked at, in the order of launches,
 * blocks, threads, of those blocks that match; until it returns false. */
void coordinates_each_thread(const struct coordinates *c,
			     bool (*f)(void *user, struct cudasim_thread *thread), void *user);
/* Blocks in flight that match; the caller frees *ret. */
size_t coordinates_blocks(const struct coordinates *c, struct cudasim_block ***ret);

#endif
