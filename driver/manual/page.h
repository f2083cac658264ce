/* SPDX-License-Identifier: Apache-2.0 */
/* page.h - manual pages. */
#ifndef CUDASIM_DRIVER_PAGE_H
#define CUDASIM_DRIVER_PAGE_H

#include <stdio.h>

#include "command_table.h"

/* cudasim(1). */
void page_of_cudasim(FILE *out);

/* cudasim-NAME(1). debugger: for `debug` the debugger's commands (formats/debugger_commands.h). */
void page_of_command(FILE *out, const struct manual *manual, FILE *debugger);

#endif
