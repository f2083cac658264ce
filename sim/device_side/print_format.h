/* SPDX-License-Identifier: Apache-2.0 */
/* print_format.h - the text of one printf() call of a kernel. */
#ifndef CUDASIM_SIM_PRINT_FORMAT_H
#define CUDASIM_SIM_PRINT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PRINT_INLINE = 1024, PRINT_MAX_ARGS = 32 };

struct print {
	char *text; /* n bytes, not ended by a zero */
	size_t n, capacity;
	uint32_t n_args;    /* arguments that the format asks for */
	uint64_t n_strings; /* bytes of the strings among them, ends included */
	char inline_text[PRINT_INLINE];
};

/* Format as CUDA's printf does. args is the packed argument block of vprintf:
 * each argument at a multiple of its size (4 or 8). No locks are held and
 * nothing is lost but memory if a string of the program's faults. */
void print_format(struct print *print, const char *format, const void *args);
/* Does the device read an argument for the format? */
bool print_takes_args(const char *format);
void print_free(struct print *print);

#endif
