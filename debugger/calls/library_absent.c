/* SPDX-License-Identifier: Apache-2.0 */
/* library_absent.c - library.h where the toolkit of the build has no libdevice. */
#include <stddef.h>

#include "library.h"

const struct library_function *library_find(const char *name)
{
	(void)name;
	return NULL;
}

uint64_t library_code(const struct library_function *function)
{
	(void)function;
	return 0;
}

struct cudasim_thread *library_thread(void)
{
	return NULL;
}
