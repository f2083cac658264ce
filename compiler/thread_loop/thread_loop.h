/* SPDX-License-Identifier: Apache-2.0 */
/* thread_loop.h - loops over a block's threads, for passes in C++. */
#ifndef CUDASIM_COMPILER_THREAD_LOOP_H
#define CUDASIM_COMPILER_THREAD_LOOP_H

#include <llvm/Analysis/LoopInfo.h>

/* Named so by thread_loop_mark(). */
bool is_thread_loop(const llvm::Loop &loop);

/* Named so by thread_loop_mark_region(), too; with rows. */
bool is_region_loop(const llvm::Loop &loop);
bool is_row_loop(const llvm::Loop &loop);
/* Named so by thread_loop_mark_lanes(). */
bool is_lane_loop(const llvm::Loop &loop);

/* Whether all cycles in it are loops: each is entered at one block only. */
bool is_reducible_loop(const llvm::Loop &loop);

#endif
