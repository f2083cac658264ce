/* SPDX-License-Identifier: Apache-2.0 */
/* dap.h - the front end that speaks the Debug Adapter Protocol: with `cudasim dap`, on a socket.
 *
 * Everything is answered on the front end's pthread. While the program stands, requests are
 * answered one after the other. While it runs, the run control asks this front end by its
 * listener: `pause` stops the program at once, what sets breakpoints stops it for a moment, and
 * what needs a stopped program is refused as `notStopped`. */
#ifndef CUDASIM_DEBUGGER_DAP_H
#define CUDASIM_DEBUGGER_DAP_H

#include <stdbool.h>

#include "cudasim/error.h"

/* What is said while the program runs goes to the client from now on. fd: a socket to
 * `cudasim dap`; -1: one is accepted in dap_main() from whoever attaches. is_launched: the
 * program ends with the session; else it goes on without a debugger. */
struct cudasim_error *dap_start(int fd, bool is_launched);
bool dap_is_started(void);

/* The program stands before main() and the session's silent commands have run: answer requests
 * until the program or the session ends. is_again: it has executed another program, in which the
 * session goes on. */
void dap_main(bool is_again);

/* In a copy that shows the past (recording.h): tell the stop, and answer requests. */
struct motion_view;
void dap_told(const struct motion_view *before);
__attribute__((noreturn)) void dap_serve(void);

#endif
