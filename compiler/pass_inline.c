/* SPDX-License-Identifier: Apache-2.0 */
/* pass_inline.c - inlines the builtins that ask for it, and nothing else (see
 * pass_retarget.c), so that the passes after it see what they do.
 *
 * What is left of libdevice and of the builtins then has nothing that a debugger
 * could look at. It is simplified here, once for all bodies. */
#include "device.h"
#include "llvm_bridge.h"

struct cudasim_error *pass_inline(struct device_module *dm)
{
	struct cudasim_error *error = device_run_passes(dm, "always-inline,globaldce");
	if (!error)
		bridge_run_on_unseen(dm->module, "sroa,early-cse,simplifycfg,"
						 "instcombine<no-verify-fixpoint>");
	return error;
}
