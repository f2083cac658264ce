/* SPDX-License-Identifier: Apache-2.0 */
/* gpu.h - the same NVVM IR as PTX for a real GPU (cudasim-devcc --gpu=sm_NN).
 *
 * The module goes the first steps with the simulator's (promises, libdevice) and
 * the same choice of fused products (contract.c), so that both round alike; what
 * only the simulator knows is taken out; then LLVM's NVPTX back end writes PTX. */
#ifndef CUDASIM_COMPILER_GPU_H
#define CUDASIM_COMPILER_GPU_H

#include "device.h"

/* On a DEVICE_GPU module: builtins are linked and program->layout has the kernels. With
 * options->gpu_alone a __managed__ variable is one of PTX's; else it becomes a pointer of its name, zero at
 * first, to the host's own variable: libcudasim fills it in. */
struct cudasim_error *pass_gpu(struct device_module *);

/* Nothing of the simulator's own is left, nor what LLVM's back end would do unlike nvcc, and all
 * that neither the host nor a kernel can reach is internal, but for what other parts may name
 * where options->relocatable. */
struct cudasim_error *pass_gpu_define(struct device_module *);

/* Debug information is what PTX can say: all, or lines. */
struct cudasim_error *pass_gpu_debug(struct device_module *);

/* LLVM's optimisation for the processor. */
struct cudasim_error *pass_gpu_optimize(struct device_module *);

/* Behind it, and behind a second pass_contract for what inlining has brought together: NVPTX,
 * which fuses other products and sums than nvcc, has no choice left. */
struct cudasim_error *pass_gpu_settle(struct device_module *);

/* Writes the PTX to options->output. */
struct cudasim_error *gpu_emit(struct device_module *);

/* PTX with the directives that LLVM 19 cannot write: cluster dimensions of
 * kernels. Returns text as it is, or a new one; the caller frees the result
 * where it differs. */
char *gpu_add_directives(const char *ptx, const struct device_program *program);

#endif
