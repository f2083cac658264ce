/* SPDX-License-Identifier: Apache-2.0 */
/* lineedit.h - lines from a terminal, with history and completion: libedit. */
#ifndef CUDASIM_DEBUGGER_LINEEDIT_H
#define CUDASIM_DEBUGGER_LINEEDIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A line from the terminal, malloc'ed; NULL at its end (Ctrl-D). */
char *lineedit_read(const char *prompt);
/* Was there a Ctrl-C in the place of a line that is not at the main prompt? Once. */
bool lineedit_quits(void);
/* Write the history to its file; at the end. */
void lineedit_save(void);
/* The last n lines (0: all), with their numbers. */
void lineedit_list(FILE *out, uint32_t n);
/* The window's size, 0 where not known. */
void lineedit_window(uint32_t *rows, uint32_t *columns);

#endif
