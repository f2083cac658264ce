/* SPDX-License-Identifier: Apache-2.0 */
/* pass_reconverge.h - the passes before pass_reconverge, which mark where warps have to meet. */
#ifndef CUDASIM_COMPILER_PASS_CONVERGE_H
#define CUDASIM_COMPILER_PASS_CONVERGE_H

#include "device.h"

/* LLVM's passes on the copy that is looked at, after its functions have been told to be inlined. */
#define MEETINGS_COPY_PASSES                                                                       \
	"function(sroa),always-inline,function(sroa,instsimplify,loop-simplify)"

/* Accesses to shared memory at which a warp, or a block's warps, have to meet get the metadata
 * cudasim.meet, indices that are to wrap cudasim.wraps. */
struct cudasim_error *pass_meetings(struct device_module *dm);

/* Indices marked so wrap as addresses of shared memory do. */
struct cudasim_error *pass_wrap(struct device_module *dm);

/* Volatile accesses of any memory that look like the last steps of a warp's reduction get
 * cudasim.meet, too. */
struct cudasim_error *pass_volatile_meetings(struct device_module *dm);

/* The passes of this room. */
struct cudasim_error *pass_reconverge(struct device_module *dm); /* warps meet where needed */

#endif
