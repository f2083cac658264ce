/* SPDX-License-Identifier: Apache-2.0 */
/* check_run.h - what a command prepares for the processes that it has checked: the file by which
 * they know of each other (formats/check_session.h), and their report in SARIF. */
#ifndef CUDASIM_DRIVER_CHECK_RUN_H
#define CUDASIM_DRIVER_CHECK_RUN_H

#include <stdbool.h>

#include "error.h"

/* An option's file or folder as an absolute path, for processes in other folders; malloc'ed, NULL
 * where memory is out or there is no working directory. In a pattern '%' of this folder's own
 * name stays one. */
char *check_run_path(const char *path, bool is_pattern);

/* Begin a session: *ret is its file, which has to stay open while they run; it is in the
 * environment. sarif: a file that check_run_sarif() has begun, or NULL. */
struct cudasim_error *check_run_session(const char *sarif, int *ret);

/* Begin the file, without results, relative to root or, where that is NULL, to this folder. A
 * name with '%' stands for several, which the processes begin: then nothing is done, and *ret is
 * NULL, else its absolute path, malloc'ed. */
struct cudasim_error *check_run_sarif(const char *sarif, const char *root, char **ret);

#endif
