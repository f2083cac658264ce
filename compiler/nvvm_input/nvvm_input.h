/* SPDX-License-Identifier: Apache-2.0 */
/* nvvm_input.h - programs in NVVM IR, NVIDIA's subset of LLVM's IR, as IR that the pipelines take.
 *
 * NVVM IR specification 2.0 and those before it: text or bitcode of LLVM 3.4 to 19. Its modules are
 * linked, its intrinsics become LLVM 19's, and what clang marks in CUDA code is marked: variables
 * that the host may name, calls that threads make together, sums and products that may be fused. */
#ifndef CUDASIM_COMPILER_NVVM_INPUT_H
#define CUDASIM_COMPILER_NVVM_INPUT_H

#include "device.h"

/* Reads options->inputs, which are linked as they are, and options->lazy, of which only what
 * those need is kept; bitcode goes to options->output (to be compiled as a part of a program:
 * --relocatable). With options->check the modules are looked at as nvvmVerifyProgram() does, and
 * nothing is written. A lazy module that is libdevice is left out: pass_libdevice links it.
 *
 * Errors are worded as libNVVM words them, with FILE:LINE:COLUMN where it says where. */
struct cudasim_error *nvvm_input_run(struct device_module *dm);

#endif
