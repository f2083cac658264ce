/* SPDX-License-Identifier: Apache-2.0 */
/* pass_debuginfo.c - debug info of the watched body: shared and other variables. */
#include "device.h"

struct cudasim_error *pass_debuginfo(struct device_module *dm)
{
	(void)dm;
	return NULL;
}
