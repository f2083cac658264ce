/* SPDX-License-Identifier: Apache-2.0 */
/* printf_format.h - text with C's conversions whose arguments are expressions:
 * "FORMAT"[, EXPR...], as printf and dprintf take it. */
#ifndef CUDASIM_DEBUGGER_PRINTF_FORMAT_H
#define CUDASIM_DEBUGGER_PRINTF_FORMAT_H

#include <stdio.h>

#include "value.h"

/* One escape behind a backslash; *text stands on it and is moved behind it. */
int printf_format_unescape(const char **text);
/* Is text a format with as many arguments as it has conversions? *ret stands then behind
 * the format: at the comma before the first argument, or at the end. */
struct cudasim_error *printf_format_check(const char *text, const char **ret);
/* The argument that begins at the comma at *text, which is moved behind it; malloc'ed.
 * NULL where there is none, or no memory. */
char *printf_format_argument(const char **text);
/* Write what text (which was checked) says; next() evaluates its arguments
 * one after another. */
struct cudasim_error *
printf_format_write(FILE *out, const char *text,
		    struct cudasim_error *(*next)(void *user, struct value *ret), void *user);

#endif
