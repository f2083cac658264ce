/* SPDX-License-Identifier: Apache-2.0 */
/* pass_variables.c - to be done. */
#include "device.h"

struct cudasim_error *pass_variables(struct device_module *dm)
{
	(void)dm;
	return NULL;
}
