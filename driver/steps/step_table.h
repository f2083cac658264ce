/* SPDX-License-Identifier: Apache-2.0 */
/* step_table.h - the steps of cc (steps.h) by their names. */
#ifndef CUDASIM_DRIVER_STEP_TABLE_H
#define CUDASIM_DRIVER_STEP_TABLE_H

#include <stdbool.h>

bool step_is(const char *name);

/* Runs the step that arguments[0] names; what goes wrong is said on stderr. Its exit status. */
int step_main(int n, char **arguments);

#endif
