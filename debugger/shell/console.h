/* SPDX-License-Identifier: Apache-2.0 */
/* console.h - where what is said to the user goes. */
#ifndef CUDASIM_DEBUGGER_CONSOLE_H
#define CUDASIM_DEBUGGER_CONSOLE_H

#include <stdio.h>

/* Where commands write: the terminal or pipe that the debugger was started on
 * (never the program's stdout buffer), and the log where `set logging` is on. */
FILE *console(void);
void console_set(FILE *stream);

#endif
