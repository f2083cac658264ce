/* SPDX-License-Identifier: Apache-2.0 */
/* pass_retarget.c - to be done. */
#include "device.h"

struct cudasim_error *pass_retarget(struct device_module *dm)
{
	(void)dm;
	return NULL;
}
