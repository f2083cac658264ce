/* SPDX-License-Identifier: Apache-2.0 */
/* pass_inline.c - inlines the builtins that ask for it, and nothing else (see
 * pass_retarget.c), so that the passes after it see what they do. */
#include "device.h"

struct cudasim_error *pass_inline(struct device_module *dm)
{
	return device_run_passes(dm, "always-inline,globaldce");
}
