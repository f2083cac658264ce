/* SPDX-License-Identifier: Apache-2.0 */
/* numba.c - the machine that numba_kernels.py fills in: main.c becomes a function of a
 * shared library that Python loads, so that Numba's rows are data, checked and timed as all. */
#include "machine.h"

static const struct machine *given;

void machine_give(const struct machine *machine)
{
	given = machine;
}

const struct machine *machine_open(void)
{
	return given;
}
