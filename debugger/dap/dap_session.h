/* SPDX-License-Identifier: Apache-2.0 */
/* dap_session.h - the session in the process that the program executes next. */
#ifndef CUDASIM_DEBUGGER_DAP_SESSION_H
#define CUDASIM_DEBUGGER_DAP_SESSION_H

#include <stdio.h>

/* Lines of the session file (session.h): the socket, and what the client is known to have. */
void dap_session_save(FILE *out);
/* What stands behind "dap-state" in it. */
void dap_session_restore(const char *text);

#endif
