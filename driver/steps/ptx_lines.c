/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

/* File and line of the last .loc up to a line of the PTX; 0 if there is none. A
 * function begins anew. */
static unsigned find_line(const char *ptx, unsigned wanted, unsigned *file)
{
	unsigned line = 0, number = 1;
	for (const char *at = ptx; *at && number <= wanted; number++) {
		unsigned f, l;
		if (sscanf(at, " .loc %u %u", &f, &l) == 2 && l) {
			*file = f;
			line = l;
		} else if (*at == '}') {
			line = 0;
		}
		size_t n = strcspn(at, "\n");
		at += n + (at[n] == '\n');
	}
	return line;
}

/* .file 1 "path" */
static char *find_file(const char *ptx, unsigned wanted)
{
	for (const char *at = ptx; (at = strstr(at, ".file")); at++) {
		unsigned number;
		int begin = 0;
		if (sscanf(at, ".file %u \"%n", &number, &begin) == 1 && begin && number == wanted)
			return text_copy_n(at + begin, strcspn(at + begin, "\"\n"));
	}
	return NULL;
}

char *ptx_lines_tell(const char *message, const char *ptx)
{
	unsigned number, file = 0;
	int name_end = 0, text = 0;
	char kind[16];
	if (sscanf(message, "ptxas %*[^,]%n, line %u; %15s : %n", &name_end, &number, kind,
		   &text) != 2 ||
	    !text)
		return NULL;
	unsigned line = find_line(ptx, number, &file);
	char *path = line ? find_file(ptx, file) : NULL;
	if (!path)
		return NULL;
	char *told = text_format("%s:%u: %s: %.*s (ptxas, line %u of %.*s)\n", path, line,
				 !strcmp(kind, "fatal") ? "error" : kind,
				 (int)strcspn(message + text, "\n"), message + text, number,
				 name_end - 6, message + 6);
	free(path);
	return told;
}
