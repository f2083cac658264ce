/* SPDX-License-Identifier: Apache-2.0 */
/* pass_vectorize.h - what is done to loops over threads before LLVM's own vectors. */
#ifndef CUDASIM_COMPILER_PASS_VECTORIZE_H
#define CUDASIM_COMPILER_PASS_VECTORIZE_H

#include "device.h"

/* LLVM's passes on a function that has become one of vectors. */
#define VECTORIZE_CLEANUP "sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>"

/* In kernels' loops the additions that each thread ends with are marked
 * (own_atomics_mark_last()). */
/* Watched loops: events that are left are those of one thread. */
struct cudasim_error *pass_loop_events(struct device_module *dm);
struct cudasim_error *pass_last_additions(struct device_module *dm);

/* The passes of this room. */
struct cudasim_error *pass_vectorize(struct device_module *dm); /* plain only: those as vectors */

#endif
