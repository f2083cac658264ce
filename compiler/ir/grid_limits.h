/* SPDX-License-Identifier: Apache-2.0 */
/* grid_limits.h - how large a launch may be ("CUDA C++ Programming Guide", compute capabilities), for
 * the ranges of what a thread reads of its place in the grid. */
#ifndef CUDASIM_COMPILER_GRID_LIMITS_H
#define CUDASIM_COMPILER_GRID_LIMITS_H

/* Threads in a block, also in x and y alone, and in z. */
enum { MOST_THREADS = 1024, MOST_Z = 64 };

/* Blocks in x, and in y or z. */
#define MOST_BLOCKS_X 0x7fffffffu
#define MOST_BLOCKS_Y 65535u

#endif
