/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "error.h"

void (*log_heard)(const char *line);

/* One write(), past stdio: lines of several threads do not mix, and a line
 * leaves even if the process dies right after. */
void log_line(const char *format, ...)
{
	char line[1024] = "cudasim: ";
	const size_t head = strlen(line);
	size_t n = head;
	va_list args;
	va_start(args, format);
	int more = vsnprintf(line + n, sizeof line - n - 1, format, args);
	va_end(args);
	if (more > 0)
		n += (size_t)more < sizeof line - n - 1 ? (size_t)more : sizeof line - n - 2;
	line[n++] = '\n';
	/* Where stderr is closed there is nobody to tell. */
	ssize_t written = write(STDERR_FILENO, line, n);
	(void)written;
	line[n - 1] = '\0';
	if (log_heard)
		log_heard(line + head);
}

void log_error(struct cudasim_error *error)
{
	log_line("%s", error->message);
	cudasim_error_free(error);
}
