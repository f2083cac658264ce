/* SPDX-License-Identifier: Apache-2.0 */
/* rename.h - the simulator's own name of each function of CUDA: sim_NAME.
 *
 * Included before everything else in each file of libcudasim (sim/meson.build), so that a
 * definition or call of cudaMalloc() there is the assembler's sim_cudaMalloc, hidden and
 * called directly. What libcudasim exports as cudaMalloc is a trampoline (gpu/trampolines.S). */
#ifndef CUDASIM_SIM_RENAME_H
#define CUDASIM_SIM_RENAME_H

#define CUDASIM_PRAGMA(text) _Pragma(#text)
#define X(name) CUDASIM_PRAGMA(redefine_extname name sim_##name)
#include "names.def"
#include "driver_names.def"
#undef X
#undef CUDASIM_PRAGMA

#endif
