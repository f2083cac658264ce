/* SPDX-License-Identifier: Apache-2.0 */
/* front.c - what the core says goes to the front end. */
#define _GNU_SOURCE
#include "front.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "front_state.h"

void front_end_set(const struct front_end *end)
{
	front_state()->end = *end;
}

/* Read in signal handlers, where no memory can be made for it. */
static _Thread_local unsigned saying __attribute__((tls_model("initial-exec")));

void front_write(const char *text, size_t n)
{
	saying++;
	front_state()->end.say(text, n);
	saying--;
}

bool front_is_saying(void)
{
	return saying;
}

void front_say(const char *format, ...)
{
	va_list list;
	char *text;
	va_start(list, format);
	int n = vasprintf(&text, format, list);
	va_end(list);
	if (n < 0)
		return;
	front_write(text, (size_t)n);
	free(text);
}
