/* SPDX-License-Identifier: Apache-2.0 */
/* check_others.h - `cudasim check` of a program that cudasim cc has not built, but that may
 * start such: a shell's script, ctest, mpirun, python. */
#ifndef CUDASIM_DRIVER_CHECK_OTHERS_H
#define CUDASIM_DRIVER_CHECK_OTHERS_H

#include <stdbool.h>

#include "error.h"

/* Run program with arguments (argv: its name first, NULL last) as a child, and wait for it.
 * CUDASIM_CHECK and CUDASIM_CHECK_OPTIONS are in the environment. sarif: what
 * check_run_sarif() has begun, or NULL.
 *
 * *ret is error_exitcode, where that is not 0 and a process has found something; else the
 * program's status, 128 + N where signal N ended it. On stderr one line says how many
 * processes were checked, but not if quiet.
 *
 * CUDASIM_E_SYSTEM: it cannot be run; CUDASIM_E_NOTFOUND: nothing that it started was built
 * with cudasim cc, so nothing was checked. */
struct cudasim_error *check_others_run(const char *program, char **arguments,
				       unsigned error_exitcode, bool quiet, const char *sarif,
				       int *ret);

#endif
