/* SPDX-License-Identifier: Apache-2.0 */
/* watched_loops.h - which kernels have a loop over their block's threads that tools can watch, and
 * the module that holds these loops alone.
 *
 * Such a loop announces accesses for many threads at once (loop_events.h). It is for kernels whose
 * threads call nobody, meet at barriers to which all come or not at all, and make no access that
 * orders others; threads of all others run one by one where they are watched. */
#ifndef CUDASIM_COMPILER_WATCHED_LOOPS_H
#define CUDASIM_COMPILER_WATCHED_LOOPS_H

#include "callgraph.h"
#include "layout.h"

/* NULL, or what keeps the kernel from having one, as far as its flags say. After pass_loop on the plain
 * clone. */
const char *watched_loop_refuse(const struct layout_kernel *kernel);
bool watched_loops_are_any(const struct device_layout *layout);

/* Kernels that can have none are declarations. */
struct cudasim_error *pass_watched_kernels(struct device_module *dm);

/* NULL, or what pass_watch has found that the kernel, or what it reaches, does and can have none for;
 * the module's. */
const char *watched_loop_forbidden(const struct callgraph *graph, LLVMValueRef kernel);

/* Delete all functions but the loops and what they use. */
struct cudasim_error *watched_loops_keep(struct device_module *dm);

#endif
