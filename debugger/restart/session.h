/* SPDX-License-Identifier: Apache-2.0 */
/* session.h - how a debugger is told what to do before it reads commands: by `cudasim
 * debug`, and by the process that it goes on from after run or kill.
 *
 * CUDASIM_DEBUG_SESSION names a file of lines:
 *   console FD, input FD     descriptors that were kept open for the REPL
 *   batch, quiet, return-child-result   as the options of cudasim debug
 *   no-rc, no-home-rc        -nx, -nh
 *   again                    a session goes on: no .cudasimrc, no greeting
 *   dap FD                   the front end is an editor's, by the socket FD (debugger/dap)
 *   dap-launched             the program ends with that session
 *   dap-state JSON           what a session that goes on knows of its client
 *   stream N FD              the standard streams that the session began with
 *   terminal PATH            they are on this terminal in this process
 *   args TEXT                the program's arguments as the user wrote them
 *   silent COMMAND           restores the session, says nothing
 *   search COMMAND           the same, and a search for breakpoints needs it (recording.h)
 *   run                      go on with the program at once
 *   follow                   the same, without a word: it was executed by the one before
 *   lines N                  N lines of scripts follow, to be read first
 *   x FILE, ex COMMAND       -x and -ex
 *
 * CUDASIM_DEBUG_PRELOAD names the libcudasim.so that LD_PRELOAD brings into a program that is
 * not linked with it; the debugger takes it out of both again. */
#ifndef CUDASIM_DEBUGGER_SESSION_H
#define CUDASIM_DEBUGGER_SESSION_H

#define SESSION_VARIABLE "CUDASIM_DEBUG_SESSION"
#define PRELOAD_VARIABLE "CUDASIM_DEBUG_PRELOAD"

#endif
