/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_GPU_PARTS_H
#define TESTS_GPU_PARTS_H

#include <stddef.h>

/* Runs the part of this name; its exit status, -1 where there is none. */
int gpu_part_run(const char *name);

/* How many functions libcudasim passes on: the runtime's, those of them that the fake answers itself or lacks, and the
 * driver's. */
struct gpu_functions {
	size_t n_runtime, n_special, n_driver;
};
struct gpu_functions gpu_functions(void);

#endif
