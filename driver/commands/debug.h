/* SPDX-License-Identifier: Apache-2.0 */
/* debug.h - the parts of `cudasim debug`. */
#ifndef CUDASIM_DRIVER_DEBUG_H
#define CUDASIM_DRIVER_DEBUG_H

#include <stdio.h>

#include "error.h"

/* Write the options of arguments[1..] to out as the debugger reads them, one a line:
 * "quiet", "batch", "return-child-result", "no-rc", "no-home-rc", "x PATH" (absolute),
 * "ex COMMAND", "silent COMMAND". -cd changes the process's folder.
 * *ret is the index of the program. CUDASIM_E_ARGUMENT: an unknown or incomplete option,
 * or no program; CUDASIM_E_UNSUPPORTED: one of gdb's that has no meaning here;
 * CUDASIM_E_SYSTEM: no such command file. */
struct cudasim_error *debug_options(int n, char **arguments, FILE *out, int *ret);

/* Is path an executable that is linked with libcudasim.so? CUDASIM_E_FORMAT,
 * CUDASIM_E_ARGUMENT or CUDASIM_E_SYSTEM say what it is else. */
struct cudasim_error *debug_check_program(const char *path);

/* The file that a command's name means: as a shell finds it, but the current folder comes
 * first. malloc'ed. */
struct cudasim_error *debug_find_program(const char *name, char **ret);

/* Set this process's environment so that the program at path finds the simulator, also where
 * it is not linked with it. CUDASIM_E_FORMAT and others say why it cannot be debugged. */
struct cudasim_error *debug_prepare(const char *path);

/* Hand n bytes of options to the debugger of the program that this process will execute, which
 * the environment tells it to open. */
struct cudasim_error *debug_hand_over(const char *options, size_t n);

#endif
