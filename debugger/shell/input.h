/* SPDX-License-Identifier: Apache-2.0 */
/* input.h - where lines of commands come from: the terminal or a pipe, below it files
 * (source, -x), definitions and breakpoints' commands, innermost first. */
#ifndef CUDASIM_DEBUGGER_INPUT_H
#define CUDASIM_DEBUGGER_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cudasim/error.h"

/* The lowest input: a descriptor, read without taking more than lines. */
void input_start(int fd);
bool input_is_terminal(void); /* and nothing lies above it */
int input_descriptor(void);

/* The next line without its newline, malloc'ed; NULL at the end of the innermost input
 * (which is then popped, unless it is the lowest). prompt is shown for the lowest. */
char *input_line(const char *prompt);
/* Push lines to be read first; name is for messages. The strings are copied. */
void input_push(const char *name, const char *const *lines, size_t n);
struct cudasim_error *input_push_file(const char *path);
/* How many inputs lie above the lowest. */
size_t input_depth(void);
/* Drop inputs until that many are left: after an error, where errors end scripts. */
void input_drop(size_t depth);
/* "FILE:LINE: " of a file or definition that is being read, "" otherwise. */
const char *input_place(void);
/* Lines that have not been read yet, for a session that goes on in another process. */
void input_save(FILE *out, const char *prefix);

#endif
