/* SPDX-License-Identifier: Apache-2.0 */
/* child.h - child processes that are waited for. */
#ifndef CUDASIM_DRIVER_CHILD_H
#define CUDASIM_DRIVER_CHILD_H

#include <stdio.h>
#include <sys/types.h>

#include "error.h"
#include "words.h"

/* Waits until the child has ended; its status as waitpid() returns it. */
int child_wait(pid_t pid);

/* Such a status as a shell has it: what the child returned, or 128 and its signal's number. */
int child_exit_code(int status);

/* Runs a program, which ends with this process, and waits. Its stdout and stderr go to the files,
 * where they are given. *ret is its exit code; 127 where it cannot be run. */
struct cudasim_error *child_run(const struct words *words, FILE *out, FILE *err, int *ret);

#endif
