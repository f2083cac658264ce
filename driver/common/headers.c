/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "headers.h"

#include <stdlib.h>

void headers_ask(const char *path)
{
	setenv("CC_PRINT_HEADERS", "1", 1);
	setenv("CC_PRINT_HEADERS_FORMAT", "textual", 1);
	setenv("CC_PRINT_HEADERS_FILTERING", "none", 1);
	setenv("CC_PRINT_HEADERS_FILE", path, 1);
}

void headers_ask_no_more(void)
{
	unsetenv("CC_PRINT_HEADERS");
	unsetenv("CC_PRINT_HEADERS_FORMAT");
	unsetenv("CC_PRINT_HEADERS_FILTERING");
	unsetenv("CC_PRINT_HEADERS_FILE");
}
