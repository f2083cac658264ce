/* SPDX-License-Identifier: Apache-2.0 */
/* body.h - one body of a kernel: its names, its optimisation, what it shares with another. */
#ifndef CUDASIM_COMPILER_BODY_H
#define CUDASIM_COMPILER_BODY_H

#include "device.h"

struct cudasim_error *pass_body(struct device_module *dm); /* names, indirect calls */
struct cudasim_error *
pass_share(struct device_module *dm); /* AVX-512: loops only, the rest declared */
struct cudasim_error *
pass_share_end(struct device_module *dm); /* AVX-512: no loops without vectors */

/* Where a module makes numbers of bytes. LLVM joins loads whose addresses differ by constants that
 * it can see; lanes would gather byte by byte. */
#define JOIN_LOADS "function(separate-const-offset-from-gep,early-cse,aggressive-instcombine)"
struct cudasim_error *pass_join_loads(struct device_module *dm);
struct cudasim_error *pass_optimize(struct device_module *dm); /* as its size allows */

/* Functions that the user wants inlined ask for it, and kernels, into their entries. In large
 * modules inline_advisor.cpp follows the wish, as far as it goes. */
struct cudasim_error *pass_inlining(struct device_module *dm);

/* All functions keep a frame pointer. */
struct cudasim_error *pass_frame_pointers(struct device_module *dm);

/* True where the module, the AVX-512 body, takes what one thread does from the other plain
 * body, and has no entries and continuations of its own. */
bool share_is_borrower(const struct device_module *dm);

#endif
