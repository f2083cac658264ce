/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char nomem_message[] = "out of memory";

struct cudasim_error cudasim_error_nomem = {
	.code = CUDASIM_E_NOMEM,
	.is_static = true,
	.message = nomem_message,
};

/* Takes message over. */
static struct cudasim_error *with_message(enum cudasim_error_code code, char *message)
{
	struct cudasim_error *error = message ? malloc(sizeof *error) : NULL;
	if (!error) {
		free(message);
		return &cudasim_error_nomem;
	}
	*error = (struct cudasim_error){.code = code, .message = message};
	return error;
}

struct cudasim_error *cudasim_error_new(enum cudasim_error_code code, const char *format, ...)
{
	char *message = NULL;
	va_list args;
	va_start(args, format);
	if (vasprintf(&message, format, args) < 0)
		message = NULL;
	va_end(args);
	return with_message(code, message);
}

struct cudasim_error *cudasim_error_errno(int errnum, const char *format, ...)
{
	char *what = NULL, *message = NULL;
	va_list args;
	va_start(args, format);
	if (vasprintf(&what, format, args) < 0)
		what = NULL;
	va_end(args);
	char buffer[128];
	if (!what ||
	    asprintf(&message, "%s: %s", what, strerror_r(errnum, buffer, sizeof buffer)) < 0)
		message = NULL;
	free(what);
	return with_message(CUDASIM_E_SYSTEM, message);
}

void cudasim_error_free(struct cudasim_error *error)
{
	if (!error || error->is_static)
		return;
	free(error->message);
	free(error);
}
