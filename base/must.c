/* SPDX-License-Identifier: Apache-2.0 */
#include "must.h"

#include <stdio.h>
#include <stdlib.h>

static const char *process = "cudasim";
static int exit_status = MUST_ABORT;

void must_policy(const char *who, int status)
{
	process = who;
	exit_status = status;
}

void must_fail(void)
{
	fprintf(stderr, "%s: out of memory\n", process);
	if (exit_status == MUST_ABORT)
		abort();
	exit(exit_status);
}

void *must(void *memory)
{
	if (!memory)
		must_fail();
	return memory;
}
