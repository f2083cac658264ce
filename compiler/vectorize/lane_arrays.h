/* SPDX-License-Identifier: Apache-2.0 */
/* lane_arrays.h - the arrays that threads have for themselves, element by element. */
#ifndef CUDASIM_COMPILER_LANE_ARRAYS_H
#define CUDASIM_COMPILER_LANE_ARRAYS_H

#include <cstdint>
#include <map>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>

namespace vectorize
{

/* Arrays of all lanes, to the bytes of an element, which is as far as one lane's copy is from the next one's. */
using LaneArrays = std::map<const llvm::AllocaInst *, uint64_t>;

/* Put arrays of the function that are used in the loop over threads alone into such a form, for n_lanes lanes. The
 * loop remains right for lane 0. */
LaneArrays weave_arrays(llvm::Function &f, const llvm::Loop &loop, unsigned n_lanes);

} // namespace vectorize
#endif
