/* SPDX-License-Identifier: Apache-2.0 */
/* lane_loop.h - which loops over threads become lanes of vectors, and of how many.
 *
 * C++, for linearize.cpp. */
#ifndef CUDASIM_COMPILER_LANE_LOOP_H
#define CUDASIM_COMPILER_LANE_LOOP_H

#include <llvm/IR/Dominators.h>

#include "divergence.h"

namespace vectorize
{

/* What LLVM's own vectoriser does not do; without a plan as far as can be told before it. */
bool is_lane_candidate(const llvm::Loop &loop, const llvm::DominatorTree &tree, const Plan *plan);

/* Loops with events (loop_events.h) are worth it whatever they do: an event costs more than an
 * access, and one for 32 threads little more than one for one.
 *
 * Lanes gain by arithmetic and by reading together, and lose where each goes to a place of
 * its own: gathers cost as much as the loads that they are. */
bool lanes_gain(const llvm::Loop &threads, const llvm::LoopInfo &loops, Plan &plan);

/* Lanes of a vector of that many bits: of doubles, where most values are. With events more of them,
 * up to a warp, where there is little else. */
unsigned lane_number(const llvm::Loop &loop, unsigned bits);

/* The loop's counter from 0 by 1, and what it counts to; nullptr where it has none. */
llvm::PHINode *lane_counter(const llvm::Loop &loop, llvm::Value *&extent);

} // namespace vectorize
#endif
