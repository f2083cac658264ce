/* SPDX-License-Identifier: Apache-2.0 */
/* repl.h - the loop that reads commands, on a pthread of its own, and the ends. */
#ifndef CUDASIM_DEBUGGER_REPL_H
#define CUDASIM_DEBUGGER_REPL_H

#include <stdbool.h>
#include <stdio.h>

#include "cudasim/error.h"

/* Start the REPL's pthread (from cudasim_observer_init()). It waits for STOP_START,
 * runs .cudasimrc, -x and -ex commands, then reads. */
struct cudasim_error *repl_start(void);

#endif
