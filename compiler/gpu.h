/* SPDX-License-Identifier: Apache-2.0 */
/* gpu.h - the same NVVM IR as PTX for a real GPU (cudasim-devcc --gpu=sm_NN).
 *
 * The module goes the first steps with the simulator's (promises, libdevice) and
 * the same choice of fused products (contract.c), so that both round alike; what
 * only the simulator knows is taken out; then LLVM's NVPTX back end writes PTX. */
#ifndef CUDASIM_COMPILER_GPU_H
#define CUDASIM_COMPILER_GPU_H

#include "device.h"

/* On a DEVICE_GPU module: nothing of the simulator's own is left, and all that
 * neither the host nor a kernel can reach is internal. Sets program->layout with
 * the kernels. A __managed__ variable becomes a pointer of its name, zero at
 * first, to the host's own variable: libcudasim fills it in. */
struct cudasim_error *pass_gpu(struct device_module *);

/* Behind LLVM's optimisation: products and sums that inlining has brought together
 * are fused by the same rule, and NVPTX, which fuses others, has no choice left. */
struct cudasim_error *pass_gpu_settle(struct device_module *);

/* Optimises and writes the PTX to options->output. */
struct cudasim_error *gpu_emit(struct device_module *);

/* PTX with the directives that LLVM 19 cannot write: cluster dimensions of
 * kernels. Returns text as it is, or a new one; the caller frees the result
 * where it differs. */
char *gpu_add_directives(const char *ptx, const struct device_program *program);

#endif
