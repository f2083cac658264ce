/* SPDX-License-Identifier: Apache-2.0 */
/* compiler.h - `cudasim cc` as a child process of a program that runs: for PTX that is loaded,
 * NVRTC and their kin. */
#ifndef CUDASIM_JIT_COMPILER_H
#define CUDASIM_JIT_COMPILER_H

#include <stdbool.h>
#include <stddef.h>

/* The path of the `cudasim` that the library belongs to which contains this function, or its name
 * alone where it is to be looked for on PATH; the caller frees it. NULL: no memory. */
char *compiler_find(void);

/* Runs words (ended by NULL) in the folder, NULL for the current one; all that it says goes to
 * the file log, whose path is of the current folder. Answers its exit status, 128 and the
 * number of a signal, or -1 where it cannot be run. */
int compiler_run(char **words, const char *folder, const char *log);

/* A file as a string of *n bytes and a NUL, the caller's to free; NULL where it cannot be read. */
char *compiler_read_file(const char *path, size_t *n);
/* The same of a text. */
char *compiler_read_text(const char *path);

/* A file of that text; false where it cannot be written. */
bool compiler_write_text(const char *path, const char *text);

/* With all that is in it. */
void compiler_remove_folder(const char *folder);

#endif
