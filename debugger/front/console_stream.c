/* SPDX-License-Identifier: Apache-2.0 */
/* console_stream.c - the stream alone; the shell opens it. */
#include "console.h"
#include "front_state.h"

FILE *console(void)
{
	return front_state()->console;
}

void console_set(FILE *stream)
{
	front_state()->console = stream;
}
