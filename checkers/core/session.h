/* SPDX-License-Identifier: Apache-2.0 */
/* session.h - what the processes of one `cudasim check` have in common, where the program
 * starts others (a shell, ctest, mpirun): a file of lines that CUDASIM_CHECK_SESSION names
 * (formats/check_session.h). Without it nothing here does anything. */
#ifndef CUDASIM_CHECKERS_SESSION_H
#define CUDASIM_CHECKERS_SESSION_H

#include <stdbool.h>

/* Opens the session's file, and says there that this process is checked. Where there is none and
 * shared is true, makes one for the programs that this one starts. */
void session_begin(bool shared);
/* This process has an error among its findings. Once is enough; safe to repeat. */
void session_found(void);
/* Is this process the first of the session to write this file, so that what is in it is of
 * an earlier one? True without a session. */
bool session_is_first(const char *path);
/* Has no process said this line (with its '\n') before? Then this one has now. True without a
 * session. */
bool session_is_new(const char *line);

#endif
