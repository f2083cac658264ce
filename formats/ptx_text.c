/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx_text.h"

#include <ctype.h>
#include <string.h>

bool ptx_is(const char *text)
{
	/* Behind blanks and comments. */
	for (;;) {
		while (isspace((unsigned char)*text))
			text++;
		if (!strncmp(text, "//", 2)) {
			text += strcspn(text, "\n");
		} else if (!strncmp(text, "/*", 2)) {
			const char *end = strstr(text + 2, "*/");
			if (!end)
				return false;
			text = end + 2;
		} else {
			return !strncmp(text, ".version", 8);
		}
	}
}
