/* SPDX-License-Identifier: Apache-2.0 */
/* bench_runtime.h - just enough of libcudasim to run a kernel that never waits
 * straight from its tables, so that the device compiler is tested alone. */
#ifndef BENCH_RUNTIME_H
#define BENCH_RUNTIME_H

#include <stdbool.h>
#include "cudasim/abi.h"

/* The module that registered itself; there must be exactly one. */
const struct cudasim_module *bench_module(void);

/* By mangled name; fails the test if it is not there. */
const struct cudasim_kernel *bench_kernel(const char *name);
const struct cudasim_variable *bench_variable(const char *name);

/* What a launch needs beside the kernel. */
struct bench_launch {
	uint32_t n_blocks, n_threads;
	uint32_t device;
	uint32_t dynamic_shared_bytes;
};

/* Run all threads, one after another; false if the processor cannot run that
 * body. args are pointers to the parameters, as for cudaLaunchKernel. */
bool bench_run(const struct cudasim_kernel *kernel, enum cudasim_body body,
	       const struct bench_launch *launch, void **args);

/* Run kernels that have a loop over their block's threads as loops. */
extern bool bench_loops;

/* The last call of __cudasim_vprintf. */
extern const char *bench_format;
extern const void *bench_arguments;

#endif
