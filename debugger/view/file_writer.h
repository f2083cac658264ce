/* SPDX-License-Identifier: Apache-2.0 */
/* file_writer.h - files that commands write: each failure is an error that names the file. */
#ifndef CUDASIM_DEBUGGER_FILE_WRITER_H
#define CUDASIM_DEBUGGER_FILE_WRITER_H

#include <stdio.h>

#include "cudasim/error.h"

struct file_writer {
	FILE *stream;
	const char *path; /* borrowed */
};
/* A new file, or one whose contents go. */
struct cudasim_error *file_open(const char *path, struct file_writer *ret);
/* append: behind what is there. */
struct cudasim_error *file_append(const char *path, struct file_writer *ret);
struct cudasim_error *file_write(struct file_writer *file, const void *bytes, size_t n);
/* Closes it; returns error, or what closing it has found. */
struct cudasim_error *file_close(struct file_writer *file, struct cudasim_error *error);

#endif
