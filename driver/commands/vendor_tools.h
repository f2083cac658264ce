/* SPDX-License-Identifier: Apache-2.0 */
/* vendor_tools.h - the vendor's tools for programs on a real GPU. */
#ifndef CUDASIM_DRIVER_VENDOR_TOOLS_H
#define CUDASIM_DRIVER_VENDOR_TOOLS_H

#include <stdbool.h>

#include "error.h"

/* CUDASIM=0: the program is to run on a GPU. */
bool vendor_tools_wanted(void);

/* Become the tool ("cuda-gdb"), with arguments[1..n-1] handed on as they are. It is looked for
 * in PATH, then in the toolkit. Returns only if that fails: CUDASIM_E_NOTFOUND where it is not
 * there, CUDASIM_E_SYSTEM. */
struct cudasim_error *vendor_tool_run(const char *tool, int n, char **arguments);

#endif
